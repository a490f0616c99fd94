# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""MEMENTO's task: acquisition episodes fill the memory by doing, utilization episodes need it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from karma_eval.memento.agent import Agent
from karma_eval.memento.episodes import RememberedEpisodes
from karma_eval.memento.house import House, Snapshot
from karma_eval.memento.judge import Judge, Verdict
from karma_eval.memento.places import Places, match_places
from karma_eval.memento.skills import Run
from karma_eval.memento.task_data import Episode, Memento
from planner_node.plan.arranging.grounding import Likeness
from planner_node.plan.arranging.remembered import Past


@dataclass(frozen=True)
class Judged:
    """An episode that was judged."""

    episode: Episode
    verdict: Verdict


@dataclass(frozen=True)
class Outcome(Judged):
    """One episode, done by the evaluation's own agent."""

    run: Run


def build_house(episode: Episode, places: Places) -> House:
    """Return the house of an episode. What starts nobody knows where lies on the floor of the first room."""
    unknown = next(iter(places.rooms.values()))[0]
    return House(
        places.rooms,
        {
            thing.name: (
                thing.category,
                thing.caption,
                places.furniture.get(thing.receptacle, unknown),
            )
            for thing in episode.things
        },
    )


def perform(
    episode: Episode, places: Places, requests: Sequence[tuple[str, Sequence[Past]]], likeness: Likeness
) -> Outcome:
    """Let the robot carry out an episode, and judge it."""
    house = build_house(episode, places)
    history: list[Snapshot] = [house.snapshot()]
    agent = Agent(house, likeness, lambda: history.append(house.snapshot()))
    run = agent.carry_out(requests)
    return Outcome(episode, Judge(episode, places).verdict(history), run)


def run_task(
    data: Memento,
    memory: RememberedEpisodes | None,
    likeness: Likeness,
    tick: Callable[[], object] = lambda: None,
) -> dict[str, list[Outcome]]:
    """Run all episodes, acquisition first; without a memory where `memory` is None. `tick` is called after each."""
    scenes = match_places(data)
    found: dict[str, list[Outcome]] = {stage: [] for stage in data.stages}
    for stage, episodes in data.stages.items():
        for episode in episodes:
            told = episode.instruction
            recalls = memory is not None and stage != "acquisition"
            requests = memory.recall(told) if memory is not None and recalls else [(told.text, ())]
            outcome = perform(episode, scenes[told.scene], requests, likeness)
            if memory is not None and not recalls:
                memory.remember(told, outcome.run)
            found[stage].append(outcome)
            tick()
    return found


def figures(outcomes: Sequence[Judged]) -> dict[str, Any]:
    """Return the scores of one stage: n, percent complete, success rate, and the same by type."""

    def score(some: Sequence[Judged]) -> dict[str, Any]:
        count = max(1, len(some))
        return {
            "n": len(some),
            "pc": round(sum(o.verdict.percent for o in some) / count, 1),
            "sr": round(100.0 * sum(o.verdict.success for o in some) / count, 1),
        }

    kinds = sorted({o.episode.truth.kind for o in outcomes})
    return {**score(outcomes), "by_type": {k: score([o for o in outcomes if o.episode.truth.kind == k]) for k in kinds}}


def propositions(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """Return how many propositions there are, and of how many all places are known."""
    matched = [m for outcome in outcomes for m in outcome.verdict.matched]
    return {"n": len(matched), "matched": sum(matched)}
