# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Run the ablations over random orders of the tasks, in processes of their own; what was finished is not run again."""

from __future__ import annotations

import hashlib
import itertools
import json
import multiprocessing
import random
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from karma_eval.command_line import write_json
from karma_eval.eb_alfred.judge import Verdict
from karma_eval.eb_alfred.life import ABLATIONS, Attempt, Result, lived
from karma_eval.eb_alfred.tasks import SPLITS, Task, files, load
from karma_eval.fingerprint import fingerprint
from karma_eval.llm import AnswerFile, Llm
from planner_node.act.reasoning import Planning
from planner_node.skills import Code

LIVES = ("all", "split")
"""Whether a robot lives through the tasks of all splits, or begins a new life with each."""
PACKAGES = ("karma_language", "karma_memory", "planner_node", "sim_bridge", "karma_eval")
"""Those that a robot lives by: with another version of them it may live otherwise."""
_POLL = 0.5
"""Seconds between two looks at how far the work is."""


@dataclass(frozen=True)
class Settings:
    """What is to be run."""

    data: Path
    ablations: tuple[str, ...] = tuple(ABLATIONS)
    orders: int = 5
    seed: int = 1
    life: str = "all"
    embedding: str = "minilm"
    limit: int = 0
    """Tasks of each split; 0: all."""
    llm: Llm = field(default_factory=Llm)
    planning: str = Planning.GOALS.value

    def key(self, run: RunOf, version: str) -> str:
        """Return a name for the results of a run, which nothing else has. `version`: of code and data."""
        said = {**asdict(self), "data": str(self.data.resolve()), "run": asdict(run), "version": version}
        said["llm"] = self.llm.name
        for irrelevant in ("ablations", "orders"):
            del said[irrelevant]
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class RunOf:
    """One ablation in one order."""

    ablation: str
    order: int


@dataclass(frozen=True)
class Done:
    """What is kept of a task that was carried out."""

    split: str
    number: int
    instruction: str
    floor_plan: str
    success: bool
    conditions: tuple[tuple[str, bool], ...]
    env_steps: int
    plan_steps: int
    code: str
    message: str
    goals: tuple[str, ...]
    skills: tuple[str, ...]
    recalled: tuple[str, ...]
    attempts: int
    solved_later: bool
    """Whether a retry did what the first attempt did not."""
    questions: int = 0
    """That a language model was asked, in all attempts."""
    unanswered: int = 0
    """Questions to a language model, in all attempts, that the server failed at, twice."""
    reader: str = ""
    """Who read the words: "rules", or the model's name."""
    seconds: float = 0.0
    """Of computing, all attempts and the simulator included."""


_KEPT = TypeAdapter(list[Done])
Results = Mapping[str, Sequence[Sequence[Done]]]
"""Ablation → for each order, the tasks as they were lived through."""


def run(settings: Settings, folder: Path, jobs: int, progress: Callable[[int], object]) -> dict[str, list[list[Done]]]:
    """Run all ablations in all orders; `progress` is told how many more tasks are done.

    An ablation in which no task depends on those before it is run in one order only. Results of complete runs are kept
    in `folder` and taken from there, as long as code and data are the same.
    """
    folder.mkdir(parents=True, exist_ok=True)
    runs = planned(settings)
    version = fingerprint(PACKAGES, files(settings.data))
    kept = {one: folder / f"{settings.key(one, version)}.json" for one in runs}
    found: dict[RunOf, list[Done]] = {}
    for one in runs:
        if kept[one].is_file():
            found[one] = _KEPT.validate_json(kept[one].read_bytes())
            progress(len(found[one]))
    todo = [one for one in runs if one not in found]
    if todo:
        context = multiprocessing.get_context("spawn")
        counter = context.Value("l", 0)
        shown = 0
        with ProcessPoolExecutor(jobs, context, _begin, (counter,)) as pool:
            waiting = {pool.submit(partial(_work, settings, folder), one): one for one in todo}
            try:
                while waiting:
                    ended, _ = wait(waiting, _POLL, FIRST_COMPLETED)
                    progress(counter.value - shown)
                    shown = counter.value
                    for future in ended:
                        one = waiting.pop(future)
                        found[one] = future.result()
                        write_json(kept[one], _KEPT.dump_python(found[one], mode="json"))
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    return {name: [found[one] for one in runs if one.ablation == name] for name in settings.ablations}


def planned(settings: Settings) -> list[RunOf]:
    """Return the runs that the settings ask for."""
    return [
        RunOf(name, order)
        for name in settings.ablations
        for order in range(settings.orders if ABLATIONS[name].lives else 1)
    ]


def count(settings: Settings) -> int:
    """Return how many tasks the settings ask for, over all runs."""
    return sum(map(len, _chosen(settings).values())) * len(planned(settings))


def not_answered(results: Results) -> int:
    """Return how many questions to a language model got no answer."""
    return sum(done.unanswered for orders in results.values() for order in orders for done in order)


def figures(results: Results) -> dict[str, Any]:
    """Return the figures of every ablation, in percent, averaged over the splits and then the orders.

    "added": points over no memory, task by task, and half the width of the 95 % interval.
    """
    plain = _by_task(results.get("none", ()))
    return {name: {**_figures(orders), "added": _added(_by_task(orders), plain)} for name, orders in results.items()}


def _by_task(orders: Sequence[Sequence[Done]]) -> dict[tuple[str, int], float]:
    """Return split and number of each task → its success over the orders, in percent."""
    found: dict[tuple[str, int], list[float]] = {}
    for one in itertools.chain.from_iterable(orders):
        found.setdefault((one.split, one.number), []).append(100.0 * one.success)
    return {task: statistics.fmean(values) for task, values in found.items()}


def _added(mine: Mapping[tuple[str, int], float], plain: Mapping[tuple[str, int], float]) -> dict[str, float]:
    points = [mine[task] - plain[task] for task in mine if task in plain]
    if len(points) < 2:
        return {}
    half = statistics.NormalDist().inv_cdf(0.975) * statistics.stdev(points) / len(points) ** 0.5
    return {"points": statistics.fmean(points), "interval": half, "n": len(points)}


def _figures(orders: Sequence[Sequence[Done]]) -> dict[str, Any]:
    rates = [_average(done, lambda d: 100.0 * d.success) for done in orders]
    splits = {
        split: {
            "n": len([d for d in orders[0] if d.split == split]),
            "sr": statistics.fmean(100.0 * d.success for done in orders for d in done if d.split == split),
            "gc": statistics.fmean(_met(d) for done in orders for d in done if d.split == split),
        }
        for split in SPLITS
        if any(d.split == split for d in orders[0])
    }
    return {
        "average": {
            "sr": statistics.fmean(rates),
            "gc": statistics.fmean(_average(done, _met) for done in orders),
            "env_steps": statistics.fmean(_average(done, lambda d: d.env_steps) for done in orders),
            "plan_steps": statistics.fmean(_average(done, lambda d: d.plan_steps) for done in orders),
            "questions": statistics.fmean(_average(done, lambda d: d.questions) for done in orders),
        },
        "failed_skills": _failed_share(orders),
        "splits": splits,
        "orders": {"sr": rates, "std": statistics.stdev(rates) if len(rates) > 1 else 0.0},
        "retries": {
            "tried": statistics.fmean(sum(d.attempts > 1 for d in done) for done in orders),
            "solved": statistics.fmean(sum(d.solved_later for d in done) for done in orders),
        },
    }


def _failed_share(orders: Sequence[Sequence[Done]]) -> float:
    """Return the share of the skills of first attempts that failed, in percent."""
    ends = [skill.partition(": ")[2] for done in orders for one in done for skill in one.skills]
    return 100.0 * sum(end != Code.SUCCESS.name for end in ends) / max(len(ends), 1)


def _met(done: Done) -> float:
    """Return how many of the goal's conditions held, in percent."""
    return 100.0 * Verdict(done.conditions).met


def _average(done: Sequence[Done], value: Callable[[Done], float]) -> float:
    """Return the mean over the splits of the mean within each."""
    by_split: dict[str, list[float]] = {}
    for one in done:
        by_split.setdefault(one.split, []).append(value(one))
    return statistics.fmean(statistics.fmean(values) for values in by_split.values())


def _chosen(settings: Settings) -> dict[str, list[Task]]:
    return {s: tasks[: settings.limit or len(tasks)] for s, tasks in load(settings.data).items()}


def readers(results: Results) -> dict[str, Any]:
    """Return what each reader read: its share of the tasks, in percent, and the median of their seconds."""
    tasks = [done for orders in results.values() for order in orders for done in order]
    by_reader = {name: [done.seconds for done in tasks if done.reader == name] for name in {d.reader for d in tasks}}
    return {
        name: {"share": round(100 * len(seconds) / len(tasks), 1), "seconds": round(statistics.median(seconds), 3)}
        for name, seconds in sorted(by_reader.items())
    }


_counter: Any = None


def _begin(counter: Any) -> None:
    global _counter
    _counter = counter


def _work(settings: Settings, folder: Path, one: RunOf) -> list[Done]:
    """Live through the tasks in one order (in a worker process)."""
    answers = settings.llm.answers(folder)
    found: list[Done] = []
    asked, left, began = 0, 0, time.monotonic()
    for result in _lives(settings, answers, one):
        now = time.monotonic()
        questions, unanswered = answers.asked - asked, answers.left - left
        found.append(replace(_done(result), questions=questions, unanswered=unanswered, seconds=now - began))
        asked, left, began = answers.asked, answers.left, now
    return found


def _lives(settings: Settings, answers: AnswerFile, one: RunOf) -> Iterator[Result]:
    from karma_language.vocabulary import household

    lexicon = household()
    hearing = settings.llm.hearing(lexicon, answers)
    chosen = _chosen(settings)
    lives = list(chosen.values()) if settings.life == "split" else [[t for tasks in chosen.values() for t in tasks]]
    for number, tasks in enumerate(lives):
        order = random.Random(f"{settings.seed} {one.order} {number}").sample(tasks, len(tasks))  # noqa: S311
        for result in lived(
            order, ABLATIONS[one.ablation], hearing, lexicon, settings.embedding, Planning(settings.planning)
        ):
            if _counter is not None:
                with _counter.get_lock():
                    _counter.value += 1
            yield result


def _done(result: Result) -> Done:
    first: Attempt = result.first
    report = first.report
    return Done(
        result.task.split,
        result.task.number,
        result.task.instruction,
        result.task.floor_plan,
        first.verdict.success,
        first.verdict.conditions,
        first.env_steps,
        first.plan_steps,
        report.code.name,
        report.message,
        tuple(str(goal) for goal in report.goals),
        tuple(f"{o.call}: {o.code.name}{f' ({o.message})' if o.message and not o.ok else ''}" for o in report.outcomes),
        tuple(f"{r.kind}: {r.text}" for r in report.recalled),
        len(result.attempts),
        not first.verdict.success and result.attempts[-1].verdict.success,
        reader=report.reader,
    )
