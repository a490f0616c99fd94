# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The pipeline: understand, ground, plan, check, act, learn (docs/architecture.md, "How an instruction runs")."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

from planner_node.act import Actor, Budget, Stopped
from planner_node.answering import Reply, reply, tells, told_beside
from planner_node.check import colours_ignored, complaint
from planner_node.choosing import Asked, Choosing
from planner_node.exploring import Exploring, Places
from planner_node.ground import Grounding
from planner_node.handling import Handling
from planner_node.instruction import Instruction, Observer, Report, Stage, Understander, Unobserved, aid_for
from planner_node.interruptible import until_cancelled
from planner_node.learn import Episode, Receipt, Recorder
from planner_node.memory import Event, EventKind, MemoryClient, MemoryRefused, MemoryUnavailable, Recall, Recollection
from planner_node.plan import Methods
from planner_node.preferences import Preferences
from planner_node.rehearse import Rehearsal
from planner_node.skills import Code, Outcome, Robot, RobotUnavailable, SkillTable
from planner_node.steps import GoalFailed
from planner_node.understand.goals import Goal, NotUnderstood, ObjectRef, Predicate, Understanding, Understood
from planner_node.understand.remarks import WithoutRemarks
from planner_node.usual import Usual
from planner_node.vocabulary.lexicon import Lexicon
from planner_node.world import World

__all__ = ["Instruction", "Observer", "Planner", "Report", "Stage", "Understander", "Unobserved"]

_LOG = logging.getLogger(__name__)

_RECALLED = 20
"""Recollections asked for at once."""
_ATTEMPTS = 2
"""Times that a goal is planned anew after it failed."""


@dataclass
class _Run:
    """The state of one instruction."""

    instruction: Instruction
    id: str
    observer: Observer
    world: World
    goals: tuple[Goal, ...] = ()
    recollections: dict[str, Recollection] = field(default_factory=dict)
    used: dict[str, None] = field(default_factory=dict)
    recall: Recall | None = None
    """What the memory says to the words of a user."""
    prompt: str = ""
    scene: str = ""
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What was assumed of the instruction, in sentences."""

    def ground(self, asked: Asked | Reply) -> None:
        """Note the recollections that something was decided by."""
        self.recollections.update(asked.grounds)
        self.used.update(dict.fromkeys(asked.grounds))


class Planner:
    """Carries out instructions, one at a time."""

    def __init__(
        self,
        robot: Robot,
        memory: MemoryClient,
        understander: Understander,
        lexicon: Lexicon,
        budget: Budget | None = None,
        now: Callable[[], float] | None = None,
        places: Places | None = None,
        preferences: Preferences | None = None,
    ) -> None:
        """`now` gives the robot's time in seconds; without it, the stamp of the newest outcome is taken.

        `places` says where exploring can go on, for a robot that can't explore by itself. `preferences` says what users
        would choose; without it, what an instruction leaves open is the planner's choice.
        """
        self._choosing = Choosing(preferences, lexicon) if preferences is not None else None
        self._places = places
        self.by_frontiers = False
        """Whether to explore frontier by frontier even where the robot can explore by itself."""
        self._robot = robot
        self._memory = memory
        self._understander = WithoutRemarks(understander)
        self._lexicon = lexicon
        self._budget = budget or Budget()
        self._recorder = Recorder(memory)
        self._spoken_of: tuple[ObjectRef, ...] = ()
        self._held = ""
        self._now = now
        self._last = 0.0

    @property
    def _clock(self) -> float:
        """The robot's time in seconds, never before what a skill has reported."""
        return max(self._last, self._now()) if self._now is not None else self._last

    def run(self, instruction: Instruction, observer: Observer | None = None, instruction_id: str = "") -> Report:
        """Carry out an instruction. Every failure is a report, with a code and a message for a person."""
        watcher: Observer = observer or Unobserved()
        run = _Run(instruction, instruction_id or str(uuid.uuid4()), watcher, World(self._lexicon))
        run.world.clock = self._clock
        try:
            return self._run(run)
        except RobotUnavailable as error:
            return self._report(run, Code.UNAVAILABLE, str(error))

    def remember(self, kind: EventKind, text: str, user: str = "", episode: str = "") -> Receipt:
        """Pass on what a person told or thinks of an instruction; return what became of it."""
        return self._recorder.remember(Event(str(uuid.uuid4()), kind, self._clock, user, "", episode, text))

    def feedback(self, text: str, user: str, instruction_id: str) -> Receipt:
        """Take in what a person says of an instruction; return what became of it. Thread-safe.

        It may say what they would have chosen; else, and after a restart, the memory just gets their words.
        """
        learned = self._choosing.heard(instruction_id, user, text) if self._choosing is not None else None
        if learned is not None and learned.remark:
            return Receipt(message=f"I will not remember that: {learned.remark}.")
        if learned is not None and learned.kept:
            return Receipt(message=f"I will remember: {learned.option}." if learned.option else "")
        return self.remember(EventKind.FEEDBACK, text, user, instruction_id)

    def catch_up(self) -> None:
        """Tell the memory what it could not be told when it happened. Call this now and then."""
        self._recorder.catch_up()
        if self._choosing is not None:
            self._choosing.catch_up()

    def _run(self, run: _Run) -> Report:
        instruction = run.instruction
        run.observer.progress(Stage.UNDERSTAND, "understand the instruction", 0)
        understood = until_cancelled(lambda: self._recall_and_understand(run), run.observer.cancelled)
        if understood is None or run.observer.cancelled():
            return self._report(run, Code.CANCELED, "Stopped as asked before it was begun.")
        if (said := reply(instruction.text, understood, run.recall)) is not None:
            run.ground(said)
            return self._report(run, said.code, said.message)
        if tells(instruction.text, understood, instruction.user if run.recall else "", self._memory):
            return self._tell(run, instruction.text.strip())
        if isinstance(understood, NotUnderstood):
            return self._report(run, understood.code, understood.message)
        assert isinstance(understood, Understood)  # what tells something was told
        run.goals = understood.goals
        run.notes += [*understood.notes, *colours_ignored(run.goals, self._lexicon)]
        run.observer.progress(Stage.CHECK, "check what was understood: " + "; ".join(str(g) for g in run.goals), 0)
        for goal in run.goals:
            wrong = complaint(goal, self._lexicon)
            if wrong:
                return self._report(run, Code.PRECONDITION_FAILURE, f"I can't do that: {wrong}.")
        table = self._robot.skills()
        run.observer.progress(Stage.GROUND, "find out what is meant", 0)
        self._recall_objects(run)
        self._choose(run)
        if instruction.dry_run:
            return self._rehearse(run, table)
        return self._carry_out(run, table)

    def _recall_and_understand(self, run: _Run) -> Understanding:
        self._recall_everything(run)
        text = run.instruction.text
        understood = self._understand(run, text)
        if isinstance(understood, NotUnderstood) and understood.code is Code.AMBIGUOUS:
            return self._completed(run, understood)
        return understood

    def _completed(self, run: _Run, unclear: NotUnderstood) -> Understanding:
        """Find out what an instruction lacks: by what its user prefers, or by asking."""
        asked = self._asked(run) if unclear.goals else None
        if asked is not None and self._choosing is not None:
            goals = self._choosing.places(unclear.goals, asked)
            run.ground(asked)
            if all(goal.destination for goal in goals if goal.predicate is Predicate.PLACE):
                return Understood(goals, tuple(asked.notes))
        if asked is not None and asked.questions:
            answer = asked.answer
        else:
            answer = run.observer.ask(unclear.message, unclear.choices).strip()
        if not answer:
            return unclear
        again = self._understand(run, self._understander.answered(run.instruction.text, answer))
        return again if isinstance(again, Understood) else unclear

    def _understand(self, run: _Run, text: str) -> Understanding:
        """Understand a text; what its user told before says what it leaves open: "my favorite cup", "as usual"."""
        understood = self._understander.understand(text, self._spoken_of, aid_for(run.observer, run.prompt))
        if not run.instruction.user or run.instruction.ignore_memory or run.warnings:
            return understood
        usual = Usual(self._memory, self._understander, self._lexicon, run.world, run.instruction.user, run.scene)
        try:
            found = usual.resolve(self._understander.parted(text), understood, self._spoken_of)
        except (MemoryUnavailable, MemoryRefused) as error:
            self._without_memory(run, error)
            return understood
        run.recollections.update((one.id, one) for one in found.used)
        run.used.update(dict.fromkeys(one.id for one in found.used))
        run.notes += found.notes
        return found.understanding

    # What the user would choose

    def _asked(self, run: _Run) -> Asked | None:
        """Return what is known for choosing; None where nobody's preferences count."""
        told = run.instruction
        if not told.user or told.ignore_memory:
            return None
        return Asked(told.user, told.text, run.id, run.world, None if told.dry_run else run.observer.ask)

    def _choose(self, run: _Run) -> None:
        """Settle which of several things is meant, where that is left to the user's taste."""
        asked = self._asked(run)
        if asked is not None and self._choosing is not None:
            run.goals = self._choosing.things(run.goals, asked)
            run.notes += asked.notes
            run.ground(asked)

    # Memory

    def _recall_everything(self, run: _Run) -> None:
        """Long-term memory in whole, the other memories by the instruction (KARMA, section 3.5).

        Of an instruction that ignores memory only the name of the scene, under which its events belong.
        """
        try:
            graph = self._memory.scene_graph()
            run.scene = graph.scene
            if run.instruction.ignore_memory:
                return
            for node in graph.nodes:
                run.world.believe(node, "long_term")
            recall = self._recall(run, run.instruction.text)
            run.recall = recall if run.instruction.user else None
        except (MemoryUnavailable, MemoryRefused) as error:
            self._without_memory(run, error)

    def _recall(self, run: _Run, query: str) -> Recall:
        recall = self._memory.recall(query, run.instruction.user, run.scene, _RECALLED)
        run.prompt = run.prompt or recall.prompt
        for recollection in recall.recollections:
            run.recollections[recollection.id] = recollection
            if recollection.object is not None and not recollection.valid_until:
                run.world.believe(recollection.object, recollection.kind, recollection.id)
        return recall

    def _recall_objects(self, run: _Run) -> None:
        """Ask for each thing by its name: a long instruction hides the single thing from a search by meaning."""
        if run.instruction.ignore_memory:
            return
        names = [ref.noun for goal in run.goals for ref in (goal.object, goal.destination) if ref is not None]
        for name in dict.fromkeys(names):
            self._ask_memory(run, name)

    def _ask_memory(self, run: _Run, name: str) -> None:
        if run.instruction.ignore_memory or run.warnings:
            return
        try:
            self._recall(run, name)
        except (MemoryUnavailable, MemoryRefused) as error:
            self._without_memory(run, error)

    def _without_memory(self, run: _Run, error: Exception) -> None:
        warning = f"I work without memory: {error}"
        if warning not in run.warnings:
            run.warnings.append(warning)
            _LOG.warning("%s", warning)

    # Acting

    def _carry_out(self, run: _Run, table: SkillTable) -> Report:
        episode = Episode(self._recorder, instruction_id=run.id, user=run.instruction.user, scene=run.scene)
        episode.start(run.instruction.text, self._clock)
        remarks = self._understander.remarks(run.instruction.text) if run.recall else ()
        for remark in told_beside(remarks, run.instruction.user, self._memory):
            episode.told(remark, self._clock)

        def progress(step: str, done: int) -> None:
            run.observer.progress(Stage.ACT, step, done)

        def learn(outcome: Outcome) -> None:
            self._last = run.world.clock
            episode.skill(outcome, run.world)

        actor = Actor(
            self._robot,
            table,
            run.world,
            budget=self._budget,
            on_step=progress,
            on_outcome=learn,
            cancelled=run.observer.cancelled,
        )
        run.world.held = self._held
        grounding = Grounding(run.world, self._lexicon)
        handling = self._handling(run, table, grounding)
        methods = Methods(handling, run.instruction.person)
        code, message, reached = self._act(run, actor, methods)
        message = " ".join([message, *handling.notes]).strip()
        self._held = run.world.held
        run.used.update(grounding.used)
        run.observer.progress(Stage.LEARN, "remember what happened", len(actor.outcomes))
        episode.end(code, message, self._summary(run, reached), self._clock)
        self._spoken_of = tuple(
            goal.object for goal in run.goals[-1:] if goal.object is not None and goal.object.categories
        )
        return self._report(run, code, message, actor, handling.looked_into)

    def _handling(self, run: _Run, table: SkillTable, grounding: Grounding) -> Handling:
        exploring = Exploring(run.world, table, self._places, by_frontiers=self.by_frontiers)
        return Handling(run.world, self._lexicon, exploring, table, grounding, lambda name: self._ask_memory(run, name))

    def _act(self, run: _Run, actor: Actor, methods: Methods) -> tuple[Code, str, int]:
        """Reach the goals in order. Returns the code, the message and the number of goals reached."""
        try:
            actor.perform(methods.begin())
        except Stopped as stopped:
            return stopped.code, stopped.message, 0
        for number, goal in enumerate(run.goals):
            for attempt in range(_ATTEMPTS):
                run.observer.progress(Stage.PLAN, f"plan {goal}", len(actor.outcomes))
                try:
                    actor.perform(methods.achieve(goal))
                    break
                except Stopped as stopped:
                    return stopped.code, stopped.message, number
                except GoalFailed as failure:
                    _LOG.info("%s failed: %s", goal.predicate.value, failure.code.name)
                    if attempt == _ATTEMPTS - 1 or failure.code not in (
                        Code.EXECUTION_FAILURE,
                        Code.PRECONDITION_FAILURE,
                    ):
                        done = f" Done before: {'; '.join(str(g) for g in run.goals[:number])}." if number else ""
                        return failure.code, failure.message + done, number
        try:
            actor.perform(methods.tidy())
        except Stopped as stopped:
            return stopped.code, stopped.message, len(run.goals)
        except GoalFailed as failure:
            run.warnings.append(f"I still hold something: {failure.message}")
        return Code.SUCCESS, " ".join(run.warnings), len(run.goals)

    def _rehearse(self, run: _Run, table: SkillTable) -> Report:
        """Plan without moving: every skill is imagined to do what it should."""
        rehearsal = Rehearsal(table, run.world, self._lexicon)
        quiet = Actor(
            rehearsal,
            table,
            run.world,
            budget=self._budget,
            on_step=lambda step, done: run.observer.progress(Stage.PLAN, step, done),
            on_outcome=lambda outcome: None,
            cancelled=run.observer.cancelled,
        )
        run.world.held = self._held
        grounding = Grounding(run.world, self._lexicon)
        handling = self._handling(run, table, grounding)
        code, message, _ = self._act(run, quiet, Methods(handling, run.instruction.person))
        run.used.update(grounding.used)
        message = f"This is a plan; nothing was moved. {message}".strip()
        return self._report(run, code, message, quiet, handling.looked_into)

    # Reporting

    def _tell(self, run: _Run, text: str) -> Report:
        if run.instruction.dry_run:
            return self._report(run, Code.SUCCESS, "I would remember that.")
        episode = Episode(self._recorder, instruction_id=run.id, user=run.instruction.user, scene=run.scene)
        receipt = episode.told(text, self._clock)
        return self._report(run, receipt.code, receipt.message or "I will remember that.")

    def _summary(self, run: _Run, reached: int) -> str:
        done = "; ".join(str(goal) for goal in run.goals[:reached]) or "nothing"
        left = "; ".join(str(goal) for goal in run.goals[reached:])
        return f"done: {done}" + (f" | not done: {left}" if left else "")

    def _report(self, run: _Run, code: Code, message: str, actor: Actor | None = None, looked_into: int = 0) -> Report:
        outcomes = tuple(actor.outcomes) if actor else ()
        return Report(
            code=code,
            message=" ".join([message, *run.notes]).strip(),
            instruction_id=run.id,
            goals=run.goals,
            outcomes=outcomes,
            explore_steps=sum(outcome.explore_steps for outcome in outcomes) + looked_into,
            duration=actor.duration if actor else 0.0,
            recalled=tuple(run.recollections[i] for i in run.used if i in run.recollections),
        )
