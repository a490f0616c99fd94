# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""MEMENTO's task by the planner and the memory that run on a robot, instead of the evaluation's own agent.

One robot lives through all episodes, acquisition first; before each, the house is laid out anew, and the robot's map
tells rooms and furniture alone. What it remembers is what it was told and what it saw of the things it handled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

from karma_eval.household.conversions import node_to
from karma_eval.household.memory import HouseholdMemory, opened
from karma_eval.household.survey import Survey
from karma_eval.memento.house import FLAT, Snapshot
from karma_eval.memento.judge import Judge
from karma_eval.memento.places import Places, match_places
from karma_eval.memento.robot import HouseRobot, label, room_names
from karma_eval.memento.task import Judged, build_house, figures
from karma_eval.memento.task_data import USER, Episode, Memento
from karma_eval.report import Report
from karma_language.arranging.places import kind
from karma_language.dialogue.utterances import NONE_OF_THESE
from karma_language.vocabulary.home import HomeWords
from karma_language.vocabulary.lexicon import Lexicon, household
from karma_memory import Memory
from planner_node.act.loop import Budget
from planner_node.instruction import Instruction, Unobserved
from planner_node.instruction import Report as Done
from planner_node.parameters import OFFLINE
from planner_node.planner import Planner
from planner_node.skills import Code
from planner_node.understand.hearing import Hearing

SKILLS = 200
"""Skills that an instruction may take."""
HEADER = ["by the running planner", "n", "complete, %", "success, %", "asking nothing", "without memory"]
SHOWN = 40
"""Failed episodes that the report names."""
_BEGAN = 1_000_000.0
_PAUSE = 86_400.0
"""Seconds between two episodes."""


@dataclass(frozen=True)
class Lived(Judged):
    """One episode as the planner did it."""

    report: Done
    asked: int = 0
    """Questions that the robot asked."""


class _Person(Unobserved):
    """Says which of what they told they mean, where the robot asks that and it is among it; answers nothing else."""

    def __init__(self, told: Sequence[str]) -> None:
        self._told = told
        self.asked = 0

    def ask(self, question: str, choices: Sequence[str]) -> str:
        """Return the answer."""
        self.asked += 1
        if NONE_OF_THESE not in choices:
            return ""
        meant = (one for one in choices if any(one.rstrip(".") in text for text in self._told))
        return next(meant, NONE_OF_THESE)


@dataclass(frozen=True)
class RunningResults:
    """What became of the episodes, with memory and without."""

    remembering: Mapping[str, Sequence[Lived]]
    forgetful: Mapping[str, Sequence[Lived]]

    def figures(self) -> dict[str, Any]:
        """Return the figures in the form of the evaluation's JSON."""
        without = {stage: figures(some) for stage, some in self.forgetful.items()}
        found = {stage: {**figures(some), "sr_unasked": _unasked(some)} for stage, some in self.remembering.items()}
        return {**found, "without_memory": without}

    def rows(self) -> list[list[str]]:
        """Return the table; see HEADER."""
        rows = []
        for stage, some in self.remembering.items():
            found = figures(some)
            without = figures(self.forgetful[stage]) if stage in self.forgetful else None
            rows.append(_row(stage, found, without, some))
            for sort, of in found["by_type"].items():
                same = [one for one in some if one.episode.truth.kind == sort]
                rows.append(_row(f"  {sort.replace('_', ' ')}", of, without and without["by_type"][sort], same))
        return rows

    def say(self, report: Report) -> None:
        """Say how often the task was done, and where it was not."""
        report.add(
            "## The task by the running planner",
            "",
            "The same houses and judge; planner, memory and language are those of the robot, with the bridge's "
            "skills. It goes on living through the later episodes. Where it does not understand and asks which of "
            "what it was told is meant, a person says so; nobody answers other questions.",
        )
        report.table(f"MEMENTO: the task by the running planner, planner: {OFFLINE}", HEADER, self.rows())
        failed = [one for some in self.remembering.values() for one in some if not one.verdict.success]
        done = sum(one.report.code is Code.SUCCESS for one in failed)
        told = [(one.episode.instruction, one.report) for one in failed[:SHOWN]]
        report.add(
            f"{len(failed)} episodes failed; of these the robot took {done} for done, and said what was wrong with "
            "the others:",
            "",
            *(f"- {i.stage} {i.episode} ({r.code.name}): {i.text} — {r.message}" for i, r in told),
        )


def evaluate(data: Memento, embedder: str, tick: Callable[[], object] = lambda: None) -> RunningResults:
    """Live through all episodes, and through those that need to remember with no memory of the others.

    `embedder`: of the memory; `tick` is called after each episode.
    """
    life = _Life(data)
    with opened(embedder) as memory:
        remembering = {stage: life.live(some, memory, tick) for stage, some in data.stages.items()}
    forgetful = {stage: life.live(some, None, tick) for stage, some in data.stages.items() if stage != "acquisition"}
    return RunningResults(remembering, forgetful)


@dataclass
class _Life:
    """A robot that is given one instruction after the other."""

    data: Memento
    clock: float = _BEGAN
    scenes: Mapping[str, Places] = field(init=False)
    told: Mapping[str, str] = field(init=False)
    """Acquisition episode → what was said in it."""
    hearing: dict[str, Hearing] = field(default_factory=dict)
    lexicons: dict[str, Lexicon] = field(default_factory=dict)

    def __post_init__(self) -> None:
        acquired = (episode.instruction for episode in self.data.stages["acquisition"])
        self.told = {one.episode: one.text for one in acquired}
        self.scenes = match_places(self.data)
        things = {thing.category for some in self.data.stages.values() for episode in some for thing in episode.things}
        for scene, places in self.scenes.items():
            self.lexicons[scene] = vocabulary(places.rooms, things)
            self.hearing[scene] = Hearing(self.lexicons[scene])

    def live(self, episodes: Sequence[Episode], memory: Memory | None, tick: Callable[[], object]) -> list[Lived]:
        """Carry out episodes with a memory that keeps all of it; None: each with one that is empty."""
        lived = []
        for episode in episodes:
            with opened("lexical") if memory is None else nullcontext(memory) as known:
                lived.append(self._perform(episode, known))
            tick()
        return lived

    def _perform(self, episode: Episode, memory: Memory) -> Lived:
        told = episode.instruction
        places, lexicon = self.scenes[told.scene], self.lexicons[told.scene]
        house = build_house(episode, places)
        history: list[Snapshot] = [house.snapshot()]
        robot = HouseRobot(house, lexicon, lambda: history.append(house.snapshot()), self.clock)
        Survey(told.scene, tuple(map(node_to, robot.map())), (), self.clock).tell(memory)
        planner = Planner(
            robot,
            HouseholdMemory(memory, scene=told.scene, now=lambda: robot.clock),
            self.hearing[told.scene],
            lexicon,
            Budget(skills=SKILLS),
            now=lambda: robot.clock,
        )
        person = _Person([self.told[name] for name in episode.truth.gold if name in self.told])
        report = planner.run(Instruction(told.text, user=USER), person)
        self.clock = robot.clock + _PAUSE
        return Lived(episode, Judge(episode, places).verdict(history), report, person.asked)


def vocabulary(rooms: Mapping[str, Sequence[str]], things: set[str]) -> Lexicon:
    """Return the words of a home: the labels of its furniture, and of all things that the robot can recognise."""
    base = household()
    furniture = {kind(name) for names in rooms.values() for name in names if not name.startswith("floor_")}
    labels = {label(one, base): ["hold"] if one in FLAT else ["hold", "open"] for one in sorted(furniture)}
    for one in sorted(things):
        labels.setdefault(label(one, base), ["hold", "pickup"])
    called = (room_names(room) for room in rooms)
    words = HomeWords.model_validate({"things": labels, "rooms": {name: others for name, *others in called}})
    return words.added_to(base)


def _unasked(some: Sequence[Lived]) -> float:
    """Return in percent how many episodes succeeded in which the robot asked nothing."""
    return round(100.0 * sum(one.verdict.success and not one.asked for one in some) / max(1, len(some)), 1)


def _row(name: str, of: Mapping[str, Any], without: Mapping[str, Any] | None, some: Sequence[Lived]) -> list[str]:
    bare = "" if without is None else f"{without['sr']:.1f}"
    return [name, str(of["n"]), f"{of['pc']:.1f}", f"{of['sr']:.1f}", f"{_unasked(some):.1f}", bare]
