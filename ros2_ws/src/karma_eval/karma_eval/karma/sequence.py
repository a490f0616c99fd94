# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""One sequence carried out with some of KARMA's memories, and what came of it.

The robot gets one instruction after the other (H = I_t0 ... I_tN, section 3.1). Between two instructions it keeps what
it holds and what was spoken of (in working memory), and forgets all that it saw, unless a memory keeps that. The
journal is new for every sequence, as short-term memory is "refreshed every time the agent starts" (3.4). With long-term
memory the robot has explored the home before; without, it knows nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from karma_eval.household.memory import LONG_TERM, SHORT_TERM, HouseholdMemory, all_kinds, opened
from karma_eval.household.robot import HouseholdRobot
from karma_eval.household.survey import explored
from karma_eval.karma import naming
from karma_eval.karma.judge import Judge
from karma_eval.karma.literals import Literal, Relation
from karma_eval.karma.tasks import Task
from karma_language.vocabulary import household
from karma_memory import Node as MemoryNode
from planner_node.memory import WORKING, Recall
from planner_node.planner import Instruction, Planner, Report
from planner_node.skills import Node
from planner_node.understand.hearing import Hearing
from sim_bridge.household.backend import HouseholdBackend
from sim_bridge.household.world import GRIPPER

ABLATIONS: Mapping[str, frozenset[str]] = {
    "none": frozenset(),
    "long_term": frozenset({LONG_TERM}),
    "short_term": frozenset({SHORT_TERM}),
    "both": frozenset({LONG_TERM, SHORT_TERM}),
}
"""Which kinds of memory answer the planner."""
Seen = Node | MemoryNode
"""What a memory says of a thing."""


@dataclass(frozen=True)
class Need:
    """A thing that an instruction is about, and whether short-term memory helped to it."""

    step: int
    """Place of the instruction in the sequence."""
    thing: str
    """As the goals call it."""
    handled: bool
    """Whether an earlier instruction of the sequence handled it: then a memory of it is needed."""
    kept: bool = False
    """Whether short-term memory had it, where it really was, when the instruction came: a hit (section 3.6)."""
    rank: int = 0
    """Its place among the units of short-term memory in the best of the answers to what the planner asked; 0: in none,
    or not where it really was."""

    @property
    def retrieved(self) -> bool:
        """Whether it was the first unit that an answer brought up: "only one unit [...] can be selected" (3.5)."""
        return self.rank == 1


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
    """Empty without short-term memory."""

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


@dataclass(frozen=True)
class _Truth:
    """Where the things really were that were handled before an instruction."""

    judge: Judge
    places: Mapping[str, frozenset[str]]

    def knows(self, node: Seen, names: Collection[str]) -> bool:
        """Whether what a memory says of a thing is true of one of those with these ids, or of its slices."""
        root = self.judge.root(node.id)
        return root in names and (GRIPPER if node.relation == "held" else node.receptacle) in self.places[root]


def carry_out(
    task: Task,
    ablation: str,
    hearing: Callable[[], Hearing],
    *,
    seed: int,
    embedder: str,
) -> Outcome:
    """Carry out a sequence with the memories of an ablation.

    `seed`: of the simulator; `embedder`: see karma_eval.household.memory.opened.
    """
    before = explored(task.floor_plan, seed)
    backend = HouseholdBackend(task.floor_plan, seed=seed)
    robot = HouseholdRobot(backend, began=before.ended)
    judge = Judge(task.goals, backend.world)
    robot.watch = lambda _: judge.look()
    kinds = ABLATIONS[ablation] | {WORKING}
    with opened(embedder) as memory:
        if LONG_TERM in kinds:
            before.tell(memory)
        client = HouseholdMemory(
            memory, scene=task.floor_plan, now=lambda: robot.clock, without=all_kinds(memory) - kinds
        )
        planner = Planner(robot, client, hearing(), household(), now=lambda: robot.clock)
        steps: list[Step] = []
        needs: list[Need] = []
        for number, text in enumerate(task.instructions):
            about = _about(task, text, judge)
            places = {name: _places(backend, judge, name) for name in judge.handled}
            kept = [unit.node for unit in memory.units()]
            client.recalled.clear()
            report = planner.run(Instruction(text))
            steps.append(Step(text, report))
            if SHORT_TERM in kinds:
                truly = _Truth(judge, places)
                needs += [_need(number, thing, names, kept, client.recalled, truly) for thing, names in about.items()]
            judge.look(ended=True)
    return Outcome(task, ablation, tuple(steps), judge.missing(), tuple(needs))


def _need(
    number: int, thing: str, names: frozenset[str], kept: Iterable[Seen], recalls: Iterable[Recall], truly: _Truth
) -> Need:
    return Need(
        number,
        thing,
        handled=bool(names),
        kept=any(truly.knows(node, names) for node in kept),
        rank=_rank(recalls, lambda node: truly.knows(node, names)),
    )


def _rank(recalls: Iterable[Recall], right: Callable[[Seen], bool]) -> int:
    """Return the best place that a unit that is right has among those of short-term memory in an answer, or 0."""
    ranks = []
    for recall in recalls:
        units = [r.object for r in recall.recollections if r.kind == SHORT_TERM and not r.valid_until]
        ranks += [rank for rank, node in enumerate(units, 1) if node is not None and right(node)][:1]
    return min(ranks, default=0)


def _about(task: Task, text: str, judge: Judge) -> dict[str, frozenset[str]]:
    """Return the portable things of the goals that an instruction is about, with the ids of those handled before.

    It is about a thing where it names it. And about one that was handled before where it says only vaguely what is
    meant ("the clean, red food", "it"), and names the place that the goals want it at or they want it in the gripper.
    """
    found: dict[str, frozenset[str]] = {}
    for literal in task.goals:
        things = naming.categories_of(literal.thing) if literal.thing else ()
        if not any(map(naming.portable, things)):
            continue
        before = frozenset(name for name in judge.handled if judge.category(name) in things)
        places = naming.categories_of(literal.place) if literal.place else ()
        vaguely = (
            bool(before)
            and (literal.relation is Relation.HELD or naming.names(text, places))
            and naming.is_vague(text)
            and not naming.names_another(text, things, places)
        )
        if naming.names(text, things) or vaguely:
            found[literal.thing] = before
    return found


def _places(backend: HouseholdBackend, judge: Judge, root: str) -> frozenset[str]:
    """Return what holds a thing, or the slices of it, now."""
    world = backend.world
    return frozenset(world.parents[name] for name in world if judge.root(name) == root)
