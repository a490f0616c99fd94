# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A conversation in a simulated home: people speak, people do things unseen, time passes."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from karma_eval.household.memory import HouseholdMemory, opened
from karma_eval.household.robot import HouseholdRobot
from karma_eval.household.survey import explored
from karma_eval.karma import naming
from karma_eval.karma.judge import Judge
from karma_eval.karma.literals import read_literals
from karma_eval.talk.conversations import Conversation, Deed, Person, Say, Wait
from karma_eval.talk.knowledge import Knowledge
from karma_eval.talk.truth import TruthError, names_in
from karma_eval.talk.verdicts import Judged, Turned, judge_kept, judge_turn, make_judge, snapshot
from karma_language.vocabulary import household
from planner_node.instruction import Instruction, Unobserved
from planner_node.planner import Planner, Report
from planner_node.skills import Outcome
from planner_node.understand.goals import goal_text
from planner_node.understand.hearing import Hearing
from sim_bridge.household.backend import HouseholdBackend
from sim_bridge.household.world import World


@dataclass(frozen=True)
class Case:
    """One thing that was said, and what it came to."""

    conversation: str
    turn: int
    """Its place among the turns, from 0."""
    say: str
    kind: str
    heard: str
    """What the robot understood, as goals."""
    answer: str
    judged: Judged
    seconds: float
    """That it took, driving and handling not included: the simulator takes no time for them."""
    reader: str = ""
    """Who read it: "rules", or the model's name."""


class _Person(Unobserved):
    """Who speaks with the robot: hears its questions and gives an answer, or is gone."""

    def __init__(self, answers: Sequence[str]) -> None:
        self._answers = list(answers)
        self.questions: list[tuple[str, ...]] = []

    def ask(self, question: str, choices: Sequence[str]) -> str:
        """Hear a question; answer it with what is said next."""
        self.questions.append(tuple(choices))
        return self._answers.pop(0) if self._answers else ""

    @property
    def asked(self) -> bool:
        """Whether the next thing was said as an answer."""
        return bool(self.questions)


@dataclass(frozen=True)
class _Answered:
    """What became of a question back, and of the answer to it, which is what is said next."""

    turned: Turned
    goals: Judge
    """Of what the answer is to come to: it has looked on while that was done."""


class Talk:
    """One conversation."""

    def __init__(self, conversation: Conversation, hearing: Hearing, *, embedder: str) -> None:
        self._conversation = conversation
        self._hearing = hearing
        self._embedder = embedder

    def cases(self) -> Iterator[Case]:
        """Let it take place, and yield what was said with its verdicts."""
        conversation = self._conversation
        with opened(self._embedder) as memory:
            before = explored(conversation.scene) if conversation.explored else None
            self._robot = HouseholdRobot(
                HouseholdBackend(conversation.scene), began=before.ended + 1.0 if before is not None else 0.0
            )
            self._knowledge = Knowledge(self._world)
            if before is not None:
                before.tell(memory)
                self._knowledge.explored(before)
            client = HouseholdMemory(memory, scene=conversation.scene, now=lambda: self._robot.clock)
            self._planner = Planner(self._robot, client, self._hearing, household(), now=lambda: self._robot.clock)
            answered: _Answered | None = None
            for number, turn in enumerate(conversation.turns):
                if isinstance(turn, Wait):
                    self._robot.began += turn.wait
                elif isinstance(turn, Person):
                    do(turn.person, self._robot.backend)
                else:
                    case, answered = self._say(number, turn, answered)
                    yield case

    @property
    def _world(self) -> World:
        return self._robot.backend.world

    def _say(self, number: int, turn: Say, answered: _Answered | None) -> tuple[Case, _Answered | None]:
        """Say something, unless it was said already, to answer a question. Return what becomes of what is said next."""
        world, clock = self._world, time.perf_counter()
        answers: _Answered | None = None
        if answered is None:
            goals = make_judge(turn.expect, world)
            after = self._conversation.turns[number + 1 : number + 2] if turn.expect.asks else ()
            following = [(one.say, make_judge(one.expect, world)) for one in after if isinstance(one, Say)]
            judges = [goals, *(judge for _, judge in following)]
            turned, asked = self._tell(turn, [say for say, _ in following], judges)
            answers = _Answered(turned, judges[-1]) if asked else None
        else:
            turned, goals = answered.turned, answered.goals
        seconds = time.perf_counter() - clock
        goals.look(ended=True)
        if turn.expect.kept is not None:
            asking = Instruction(turn.expect.kept.ask, user=turn.user)
            judged = judge_kept(turned, self._planner.run(asking).message, turn.expect)
        else:
            judged = judge_turn(
                turn.expect, turned, goals=goals, knowledge=self._knowledge, world=world, now=self._robot.clock
            )
        case = Case(
            self._conversation.id,
            number,
            turn.say,
            turn.expect.kind,
            "; ".join(map(goal_text, turned.report.goals)),
            turned.report.message,
            judged,
            seconds,
            turned.report.reader,
        )
        return case, answers

    def _tell(self, turn: Say, answers: Sequence[str], judges: Sequence[Judge]) -> tuple[Turned, bool]:
        person, before = _Person(answers), snapshot(self._world)

        def watch(outcome: Outcome) -> None:
            self._knowledge.watch(outcome)
            for judge in judges:
                judge.look()

        self._robot.watch = watch
        report: Report = self._planner.run(Instruction(turn.say, user=turn.user), person)
        turned = Turned(report, snapshot(self._world) != before, tuple(person.questions))
        return turned, bool(answers) and person.asked


def do(deed: Deed, backend: HouseholdBackend) -> None:
    """Let a person do something. RefusedError says why it can't be done."""
    world = backend.world
    if deed.move is not None:
        thing, place = (_one(world, name) for name in deed.move)
        backend.move_object(thing, place)
    elif (name := deed.open or deed.close) is not None:
        world.set_state(_one(world, name), "isOpen", deed.open is not None)
    elif (name := deed.switch_on or deed.switch_off) is not None:
        world.set_state(_one(world, name), "isToggled", deed.switch_on is not None)


def _one(world: World, name: str) -> str:
    """Return the id of something that a file calls by id, category or another name."""
    if name in world.specs:
        return name
    categories = naming.categories_of(name)
    return next((one for one in world if world.category(one) in categories), name)


def problems(conversation: Conversation) -> Iterator[str]:
    """Yield why a conversation can't be held or judged, in sentences; nothing where it can."""
    try:
        world = HouseholdBackend(conversation.scene).world
    except KeyError:
        yield f"{conversation.id}: there is no scene {conversation.scene!r}"
        return
    for number, turn in enumerate(conversation.turns):
        where = f"{conversation.id}, turn {number}"
        if isinstance(turn, Person):
            deed = turn.person
            for name in deed.move or (deed.open or deed.close or deed.switch_on or deed.switch_off or "",):
                if _one(world, name) not in world.specs:
                    yield f"{where}: there is no {name!r} in {conversation.scene}"
        elif isinstance(turn, Say):
            if turn.expect.done is not None:
                literals, unread = read_literals(turn.expect.done)
                yield from (f"{where}: {problem}" for problem in unread)
                for name in (name for literal in literals for name in (literal.thing, literal.place) if name):
                    if not naming.categories_of(name):
                        yield f"{where}: I know of no {name!r}"
                if not literals:
                    yield f"{where}: done holds no goal condition"
            if turn.expect.answer is not None and turn.expect.answer.truth:
                try:
                    list(names_in(turn.expect.answer.truth))
                except TruthError as error:
                    yield f"{where}: {error}"
