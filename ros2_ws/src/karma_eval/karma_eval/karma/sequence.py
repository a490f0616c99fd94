# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""One sequence carried out with some of KARMA's memories, and what came of it.

The robot gets one instruction after the other (H = I_t0 ... I_tN, section 3.1). Between two instructions it keeps what
it holds and what was spoken of, and forgets all that it saw, unless a memory keeps that. The journal is new for every
sequence, as short-term memory is "refreshed every time the agent starts" (3.4). With long-term memory the robot has
explored the home before; without, it knows nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain

from karma_eval.household.memory import LONG_TERM, SHORT_TERM, HouseholdMemory, all_kinds, opened
from karma_eval.household.robot import HouseholdRobot
from karma_eval.household.survey import Survey, survey
from karma_eval.karma import naming
from karma_eval.karma.judge import Judge
from karma_eval.karma.literals import Literal, Relation
from karma_eval.karma.tasks import Task
from planner_node.memory import Recall
from planner_node.planner import Instruction, Planner, Report, Understander
from planner_node.vocabulary import household
from sim_bridge.household.backend import HouseholdBackend

ABLATIONS: Mapping[str, frozenset[str]] = {
    "none": frozenset(),
    "long_term": frozenset({LONG_TERM}),
    "short_term": frozenset({SHORT_TERM}),
    "both": frozenset({LONG_TERM, SHORT_TERM}),
}
"""Which kinds of memory answer the planner."""


@dataclass(frozen=True)
class Need:
    """A memory that an instruction needs: a thing that an earlier one of the sequence handled."""

    step: int
    """Place of the instruction in the sequence."""
    thing: str
    """As the goals call it."""
    retrieved: bool
    """Whether the first unit of short-term memory that some question of the planner brought up was of that thing, and
    said where it was."""
    rank: int
    """Place of that unit among those of short-term memory in the best answer; 0: in none."""


@dataclass(frozen=True)
class Step:
    """One instruction of a sequence."""

    text: str
    report: Report


@dataclass(frozen=True)
class Outcome:
    """What came of a sequence."""

    task: Task
    ablation: str
    steps: tuple[Step, ...]
    missing: tuple[Literal, ...]
    """Goals that were not reached."""
    needs: tuple[Need, ...] = ()
    lookups: int = 0
    """Times that short-term memory was asked for a thing."""
    hits: int = 0
    """Times that it had it."""

    @property
    def solved(self) -> bool:
        """Whether every goal was reached."""
        return not self.missing

    @property
    def explore_steps(self) -> int:
        """Viewpoints looked around from, and receptacles opened to look inside."""
        return sum(step.report.explore_steps for step in self.steps)

    @property
    def duration(self) -> float:
        """Simulated seconds."""
        return sum((step.report.duration for step in self.steps), 0.0)


@dataclass
class _Heard:
    """What the memory answered to one instruction."""

    recalls: list[Recall] = field(default_factory=list)

    def listen(self, query: str, recall: Recall) -> None:
        self.recalls.append(recall)


@lru_cache(maxsize=256)
def known(scene: str, seed: int) -> Survey:
    """Return what a robot that explored a home at its start saw of it."""
    return survey(HouseholdRobot(HouseholdBackend(scene, seed=seed)))


def carry_out(
    task: Task,
    ablation: str,
    understander: Callable[[], Understander],
    *,
    seed: int,
    embedder: str = "auto",
    capacity: int = 10,
    watch: Callable[[], None] = lambda: None,
) -> Outcome:
    """Carry out a sequence with the memories of an ablation.

    `seed`: of the simulator; `embedder`, `capacity`: see karma_eval.household.memory.opened; `watch` is called after
    every skill.
    """
    before = known(task.floor_plan, seed)
    backend = HouseholdBackend(task.floor_plan, seed=seed)
    robot = HouseholdRobot(backend, began=before.ended)
    judge = Judge(task.goals, backend.world)

    def look(_: object) -> None:
        judge.look()
        watch()

    robot.watch = look
    kinds = ABLATIONS[ablation]
    with opened(embedder=embedder, capacity=capacity) as memory:
        if LONG_TERM in kinds:
            before.tell(memory)
        client = HouseholdMemory(
            memory, scene=task.floor_plan, now=lambda: robot.clock, without=all_kinds(memory) - kinds
        )
        planner = Planner(robot, client, understander(), household(), now=lambda: robot.clock)
        steps: list[Step] = []
        needs: list[Need] = []
        for number, text in enumerate(task.instructions):
            needed = _needed(task, text, judge)
            places = {name: _place(backend, judge, name) for name in chain(*needed.values())}
            heard = _Heard()
            client.watch = heard.listen
            report = planner.run(Instruction(text))
            judge.look(ended=True)
            steps.append(Step(text, report))
            if SHORT_TERM in kinds:
                needs += [_met(number, thing, names, places, judge, heard) for thing, names in needed.items()]
        stats = memory.stats()
    asked = SHORT_TERM in kinds
    return Outcome(
        task,
        ablation,
        tuple(steps),
        judge.missing(),
        tuple(needs),
        stats.lookups if asked else 0,
        stats.hits if asked else 0,
    )


def _needed(task: Task, text: str, judge: Judge) -> dict[str, list[str]]:
    """Return the things that an instruction needs a memory of, each with the ids of those that were handled before.

    A thing of the goals that an earlier instruction handled is needed where the instruction names it; or where it says
    only vaguely what is meant ("the clean, red food", "it") and the place that the goals want it at, or where the goals
    want it in the gripper.
    """
    needed: dict[str, list[str]] = {}
    for literal in task.goals:
        things = naming.categories_of(literal.thing) if literal.thing else ()
        before = [name for name in judge.handled if judge.category(name) in things]
        if not before or not any(map(naming.portable, things)):
            continue
        places = naming.categories_of(literal.place) if literal.place else ()
        vaguely = (
            (literal.relation is Relation.HELD or (bool(places) and naming.names(text, places)))
            and naming.is_vague(text)
            and not _names_another(text, things, places)
        )
        if naming.names(text, things) or vaguely:
            needed[literal.thing] = before
    return needed


def _names_another(text: str, things: Sequence[str], places: Sequence[str]) -> bool:
    """Whether a text names another portable thing that is to go to the place."""
    others = [m for m in naming.mentions(text) if not m.vague and not m.categories & {*things, *places}]
    return any(any(map(naming.portable, mention.categories)) for mention in others)


def _place(backend: HouseholdBackend, judge: Judge, root: str) -> set[str]:
    """Return what holds a thing, or the slices of it, now."""
    world = backend.world
    return {world.parents[name] for name in world if judge.root(name) == root}


def _met(
    number: int,
    thing: str,
    names: Sequence[str],
    places: Mapping[str, set[str]],
    judge: Judge,
    heard: _Heard,
) -> Need:
    """Return whether a memory that was needed was retrieved."""
    best = 0
    for recall in heard.recalls:
        units = [r for r in recall.recollections if r.kind == SHORT_TERM and r.object is not None and not r.valid_until]
        for rank, unit in enumerate(units, 1):
            assert unit.object is not None
            root = judge.root(unit.object.id)
            where = "gripper" if unit.object.relation == "held" else unit.object.receptacle
            if root in names and where in places[root]:
                best = min(best, rank) if best else rank
                break
    return Need(number, thing, best == 1, best)
