# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The pipeline: understand, ground, plan, check, act, learn (docs/architecture.md, "How an instruction runs")."""

from __future__ import annotations

import itertools
import logging
import uuid
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

from karma_language.answers.wording import ONLY_ENGLISH, UNANSWERED
from karma_language.arranging.personal import plainly
from karma_language.dialogue.social import friendly, small_talk
from karma_language.dialogue.utterances import NONE_OF_THESE, agrees, closest, person_told_of, then_undone
from karma_language.instructions import requests
from karma_language.questions.questions import continued
from karma_language.reader import RULES
from karma_language.reading import Question, Reading, Telling
from karma_language.requests.belonging import goes_home
from karma_language.requests.prohibitions import lifted
from karma_language.told.corrections import withdrawn, withdraws
from karma_language.told.reader import read_told
from karma_language.vocabulary.languages import ENGLISH
from karma_language.vocabulary.lexicon import Lexicon
from planner_node.act.closing import left_behind, wind_up
from planner_node.act.gate import Gate
from planner_node.act.interruptible import until_cancelled
from planner_node.act.loop import Actor, Budget
from planner_node.act.reasoning import Planning, Reasoner
from planner_node.act.recovery import Recovery, tries_out
from planner_node.check.safety import Safety
from planner_node.check.unreachable import unreachable
from planner_node.ground.belongings import Belongings
from planner_node.ground.choosing import Asked, Choosing
from planner_node.ground.names import Grounding, unclear_owner
from planner_node.ground.personal_references import Likely, PersonalReferences, Resolved, in_turn
from planner_node.ground.preferences import Preferences
from planner_node.ground.which import unclear_which
from planner_node.instruction import Instruction, Observer, Report, Stage, Unobserved
from planner_node.learn.episode import Episode, Receipt, Recorder
from planner_node.learn.judging import objection
from planner_node.learn.remembering import Remembering
from planner_node.learn.retrying import Retrying, guide
from planner_node.memory import Event, EventKind, MemoryClient, MemoryRefused, MemoryUnavailable
from planner_node.plan import written as written_plans
from planner_node.plan.exploring import Exploring, Places
from planner_node.plan.goals import Methods
from planner_node.plan.handling import Handling
from planner_node.plan.ordering import order
from planner_node.plan.reasoning.progress import can_tell
from planner_node.plan.rehearsal import Rehearsal
from planner_node.plan.repairs import REPAIRABLE, repairable
from planner_node.plan.steps import GoalFailed, Stopped
from planner_node.plan.task_planning.solving import solve
from planner_node.printable import joined, printable
from planner_node.run import Run
from planner_node.skills import Code, Outcome, Point, Robot, RobotUnavailable, SkillTable
from planner_node.status import Following
from planner_node.understand.aid import Aid
from planner_node.understand.answering import NOTHING_RUNS, Look, Reply, RobotState, said_to, with_thing
from planner_node.understand.cases import Cases
from planner_node.understand.deeds import WHAT_I_KNOW
from planner_node.understand.goals import (
    Condition,
    NotUnderstood,
    ObjectRef,
    Predicate,
    Statement,
    Understanding,
    Understood,
    complete,
    goal_text,
)
from planner_node.understand.hearing import Heard, Hearing
from planner_node.understand.looks import tells_looks
from planner_node.understand.paraphrase import paraphrase
from planner_node.understand.past import aid
from planner_node.understand.possible_goals import colours_ignored, complaint
from planner_node.understand.reference import REMEMBERED, Mentioned, NotDone, and_undone
from planner_node.understand.remarks import answered, asks_itself, parted, remarks
from planner_node.world import World

__all__ = ["Instruction", "Observer", "Planner", "Report", "Stage", "Unobserved"]

_LOG = logging.getLogger(__name__)

_ATTEMPTS = 2  # times that a goal is planned anew after it failed
_MOST_CHOICES = 6
"""Things that a question offers."""
_OPEN = frozenset(
    {
        Code.NOT_UNDERSTOOD,
        Code.NOT_FOUND,
        Code.PRECONDITION_FAILURE,
        Code.PLANNING_FAILURE,
        Code.EXECUTION_FAILURE,
    }
)
"""How an attempt may end after which a language model may know another way."""
_UNCLEAR = frozenset({Code.NOT_UNDERSTOOD, Code.NOT_FOUND})
"""How an instruction may be unclear that may mean something told before."""
_TURNS = 4
"""What a user said before, which may name whom "he" or "she" means."""


class Planner:
    """Carries out instructions, one at a time."""

    def __init__(
        self,
        robot: Robot,
        memory: MemoryClient,
        hearing: Hearing,
        lexicon: Lexicon,
        budget: Budget | None = None,
        now: Callable[[], float] | None = None,
        places: Places | None = None,
        preferences: Preferences | None = None,
        memories: Collection[str] | None = None,
        safety: Safety | None = None,
        gate: Gate | None = None,
    ) -> None:
        """`now` gives the robot's time in seconds; without it, the stamp of the newest outcome is taken.

        `places` says where exploring can go on, for a robot that can't explore by itself. `preferences` says what users
        would choose; without it, what an instruction leaves open is the planner's choice. `memories`: the kinds of
        memory that are used; None: all. `safety`: the rules, those of this package by default. `gate` stops the robot
        between two skills.
        """
        self._cases = Cases(lexicon)
        model = hearing.model
        self._reasoner = Reasoner(model, lexicon, hearing.named, self._cases) if model is not None else None
        self.planning = Planning.GOALS
        """Who plans; without a language model, the task planner alone."""
        self._safety = safety or Safety()
        self._gate = gate or Gate()
        self._choosing = Choosing(preferences, lexicon) if preferences is not None else None
        self._places = places
        self.look = Look.ASK
        """What is done where a question can't be answered, and looking may tell."""
        self.by_frontiers = False
        """Whether to explore frontier by frontier even where the robot can explore by itself."""
        self._robot = robot
        self._memory = memory
        self._remembering = Remembering(memory, self._cases, lexicon, memories)
        self._retrying = Retrying(lexicon)
        self._hearing = hearing
        self._turns: dict[str, deque[str]] = {}
        """User → what was said last, by them and to them; in this process only."""
        self._lexicon = lexicon
        self._budget = budget or Budget()
        self._recorder = Recorder(memory)
        self._mentioned: dict[str, Mentioned] = {}
        """User → what they spoke of last, where nothing was done since."""
        self._asked_last: dict[str, tuple[float, Question]] = {}
        """User → when they asked last, and what; in this process only."""
        self._not_done: dict[str, NotDone] = {}
        """User → what they asked for last, if it was not done."""
        self._held = ""  # by its last skill; after a restart working memory knows it
        self._position: Point | None = None  # where it was last
        self._now = now
        self._last = 0.0

    @property
    def _clock(self) -> float:
        """The robot's time in seconds, never before what a skill has reported."""
        return max(self._last, self._now()) if self._now is not None else self._last

    def run(
        self,
        instruction: Instruction,
        observer: Observer | None = None,
        instruction_id: str = "",
        following: Following | None = None,
    ) -> Report:
        """Carry out an instruction. Every failure is a report, with a code and a message for a person.

        `following` is told how far it is, but for questions and the end.
        """
        run = Run(instruction, instruction_id or str(uuid.uuid4()), observer or Unobserved(), World(self._lexicon))
        run.following = following or run.following
        run.world.clock, run.world.position = self._clock, self._position
        try:
            report = self._run(run)
        except RobotUnavailable as error:
            report = self._report(run, Code.UNAVAILABLE, str(error))
        self._turns.setdefault(instruction.user, deque(maxlen=_TURNS)).append(instruction.text)
        self._mention(run, done=bool(report.outcomes))
        if run.heard is not None and run.heard.asks:
            self._not_done.pop(instruction.user, None)
            if report.code is not Code.SUCCESS:
                failed = NotDone(run.scene, self._clock, run.goals, instruction.text, report.message)
                self._not_done[instruction.user] = failed
        return report

    def aside(self, instruction: Instruction) -> Report | None:
        """Answer a question while another instruction is carried out, without moving; None for what is no question."""
        heard = self._hearing.only_asked(instruction.text, self._clock)
        if heard is None:
            return None
        run = Run(instruction, str(uuid.uuid4()), Unobserved(), World(self._lexicon))
        run.world.clock, run.heard = self._clock, heard
        self._remembering.everything(run)
        said = [self._reply_to(run, heard, question) for question in heard.questions]
        replies = [one if isinstance(one, Reply) else Reply(Code.NOT_FOUND, UNANSWERED) for one in said]
        return self._say(run, _together(replies))

    def _mention(self, run: Run, *, done: bool) -> None:
        """Note what was spoken of: "it" means that from now on. What was done with things working memory knows."""
        user = run.instruction.user
        if done:
            self._mentioned.pop(user, None)
        elif run.heard is not None and (goals := self._hearing.mentioned(run.heard.reading, run.before.themes)):
            self._mentioned[user] = Mentioned(run.scene, self._clock, goals)

    def remember(self, kind: EventKind, text: str, user: str = "", episode: str = "") -> Receipt:
        """Pass on what a person told or thinks of an instruction; return what became of it."""
        return self._recorder.remember(Event(str(uuid.uuid4()), kind, self._clock, user, "", episode, text))

    def feedback(self, text: str, user: str, instruction_id: str) -> Receipt:
        """Take in what who gave an instruction says of it; return what became of it. Thread-safe.

        It may say what they would have chosen; else, and after a restart, the memory just gets their words.
        """
        if (refused := objection(instruction_id, user, self._retrying, self._memory)) is not None:
            return refused
        learned = self._choosing.heard(instruction_id, user, text) if self._choosing is not None else None
        if learned is not None and learned.remark:
            return Receipt(message=f"I will not remember that: {learned.remark}.")
        if learned is not None and learned.kept:
            return Receipt(message=f"I will remember: {learned.option}." if learned.option else "")
        return self.remember(EventKind.FEEDBACK, text, user, instruction_id)

    def judged(self, instruction_id: str, *, right: bool, user: str = "") -> Receipt:
        """Pass on whether an instruction was carried out as who gave it wanted it; return what became of it."""
        if (refused := objection(instruction_id, user, self._retrying, self._memory)) is not None:
            return refused
        text, code = ("That was right.", Code.SUCCESS) if right else ("That was wrong.", Code.EXECUTION_FAILURE)
        event = Event(str(uuid.uuid4()), EventKind.FEEDBACK, self._clock, user, "", instruction_id, text)
        return self._recorder.remember(replace(event, code=code))

    def catch_up(self) -> None:
        """Tell the memory what it could not be told when it happened. Call this now and then."""
        self._recorder.catch_up()
        if self._choosing is not None:
            self._choosing.catch_up()

    def _run(self, run: Run) -> Report:
        instruction = run.instruction
        if wrong := self._retrying.begin(run.id, instruction):
            return self._report(run, Code.INVALID_ARGUMENT, wrong)
        run.progress(Stage.UNDERSTAND, "understand the instruction", 0)
        understood = until_cancelled(lambda: self._recall_and_understand(run), run.observer.cancelled)
        if understood is None or run.observer.cancelled():
            return self._report(run, Code.CANCELED, "Stopped as asked before it was begun.")
        if isinstance(understood, Reply):
            return self._say(run, understood)
        if isinstance(understood, Statement):
            return self._tell(run, instruction.text.strip())
        if isinstance(understood, NotUnderstood):
            if not self._may_reason(run, understood.code):
                self._retrying.not_understood(run.id)
                return self._report(run, understood.code, understood.message)
            understood = Understood(())
        run.goals = understood.goals
        run.following.understood(run.goals)
        run.ground(run.before.grounds(run.goals, self._lexicon))
        run.notes += [*understood.notes, *colours_ignored(run.goals, self._lexicon)]
        said_again = paraphrase(run.goals, self._lexicon)
        run.progress(Stage.CHECK, f"check what was understood: {said_again}", 0)
        table = self._robot.skills()
        other_way = guide(run, self._retrying, self._remembering, self._cases, table)
        if not other_way and (self._reasoner is None or self.planning is not Planning.SKILLS):
            return self._report(run, Code.PLANNING_FAILURE, "I know of no other way to understand that.")
        for goal in run.goals:
            wrong = complaint(goal, self._lexicon)
            if wrong:
                return self._report(run, Code.PRECONDITION_FAILURE, f"I can't do that: {wrong}.")
        if wrong := unreachable(run.goals, table):
            return self._report(run, Code.PLANNING_FAILURE, f"I have no plan for it: {wrong}. Nothing was done.")
        run.progress(Stage.GROUND, "find out what is meant", 0)
        self._remembering.objects(run)
        self._choose(run)
        order(run, self._lexicon)
        run.following.understood(run.goals)
        belongings, grounding = self._belongings(run), Grounding(run.world, self._lexicon)
        run.goals, unclear = belongings.owned(run.goals, grounding, run.world)
        run.ground(belongings.used)
        if unclear := unclear or unclear_owner(run.goals, grounding):
            return self._report(run, Code.AMBIGUOUS, unclear)
        if unclear := unclear_which(run, self._hearing.offline, self._lexicon, by_looks=tells_looks(table)):
            return self._report(run, Code.AMBIGUOUS, unclear)
        if wrong := written_plans.refusal(run.goals, table, run.world, self._lexicon, run.notes):
            return self._report(run, Code.PRECONDITION_FAILURE, wrong)
        run.guard = self._safety.guard(instruction, run.goals, run.world, self._lexicon, run.observer)
        if objection := run.guard.objection():
            return self._report(run, Code.REFUSED, f"I won't do that: {objection} Nothing was done.")
        doubtful = run.heard.doubtful if run.heard is not None else ""
        if doubtful and not run.guard.agrees(f"{doubtful} Shall I {said_again}?"):
            return self._report(run, Code.REFUSED, f"{doubtful} Nobody said yes, so I did nothing.")
        goals = [grounding.with_room(goal) for goal in run.goals]
        forbidden = self._hearing.offline.forbidden(goals, run.told)
        if forbidden and not run.guard.agrees(f"You told me: “{forbidden}” Shall I {said_again} all the same?"):
            return self._report(run, Code.REFUSED, f"You told me: “{forbidden}” Nobody said yes, so I did nothing.")
        for rule in self._remembering.rules(run):
            if self._hearing.offline.forbidden(goals, [f"don't {rule.text}"]):
                return self._report(run, Code.REFUSED, f"Somebody asked me not to {rule.text}. Nothing was done.")
        if instruction.dry_run:
            return self._rehearse(run, table)
        return self._carry_out(run, table)

    def _recall_and_understand(self, run: Run) -> Understanding | Reply:
        """Return what an instruction asks for, or what to say where nothing is to be done."""
        self._remembering.everything(run)
        text = run.instruction.text
        self._recollect(run)
        understood = self._understand(run, text)
        if isinstance(understood, NotUnderstood):
            refers = bool(understood.phrase) and run.heard is not None and run.heard.asks
            if understood.code is Code.AMBIGUOUS or refers:
                return self._completed(run, text, understood)
        return understood

    def _belongings(self, run: Run) -> Belongings:
        """Return what the user told of whose things are and where they belong."""
        offline = self._hearing.offline
        return Belongings(run.recollections.values(), offline.grammar, offline.requests)

    def _recollect(self, run: Run) -> None:
        """Note what was said before and not done, which "it" and "the same" may mean."""
        user = run.instruction.user
        spoken, failed = self._mentioned.get(user), self._not_done.get(user)
        if run.instruction.ignore_memory:
            return
        if spoken is not None and spoken.counts(run.scene, self._clock):
            run.before = replace(run.before, mentioned=spoken.goals)
        if failed is not None and failed.counts(run.scene, self._clock):
            run.before = replace(run.before, asked=failed.goals)

    def _state(self, run: Run) -> RobotState:
        """Return how the robot is now, for who asks it about itself."""
        held = run.world.get(self._held)
        return RobotState(held.node.category if held is not None else self._held, self._robot.skills)

    def _completed(self, run: Run, text: str, unclear: NotUnderstood) -> Understanding | Reply:
        """Find out what an instruction lacks: by what its user prefers, or by asking."""
        asked = self._asked(run) if unclear.goals else None
        if asked is not None and self._choosing is not None:
            goals = self._choosing.places(unclear.goals, asked)
            run.ground(asked.grounds)
            if all(goal.destination for goal in goals if goal.predicate is Predicate.PLACE):
                return Understood(goals, tuple(asked.notes))
        if asked is not None and asked.questions:
            answer = asked.answer
        else:
            choices = run.before.choices(unclear, self._lexicon) or self._things_near(run)
            answer = run.observer.ask(unclear.message, choices).strip()
        if not answer:
            guidance = self._remembering.guidance(run, unclear.goals) if unclear.goals else run.guidance
            goals = guidance.places(unclear.goals, self._lexicon)
            run.ground(guidance.used)
            return complete(goals, tuple(guidance.notes)) if guidance.used else unclear
        if (social := small_talk(answer)) is not None:  # "nothing, thanks"
            return Reply(Code.SUCCESS, friendly(social))
        if unclear.phrase and asks_itself(self._hearing.offline.grammar.read(answer)):
            otherwise = self._hearing.understand(answer, run.before.themes)
            return otherwise if isinstance(otherwise, Understood) else unclear
        read = run.heard.reading if run.heard is not None else Reading(reader=RULES)
        said = (answered(text, answer, read, unclear.phrase), answer)  # or something else is asked for
        again = (self._understand(run, words) for words in said)
        return next((one for one in again if isinstance(one, Understood)), unclear)

    def _things_near(self, run: Run) -> tuple[str, ...]:
        """Return what things may be meant where no word says: the nearest that can be carried."""
        near = sorted(run.world, key=lambda belief: run.world.distance(belief.node))
        kinds = (belief.node.category for belief in near if self._lexicon.can(belief.node.category, "pickup"))
        return tuple(f"the {self._lexicon.kind(kind).noun}" for kind in dict.fromkeys(kinds))[:_MOST_CHOICES]

    def _understand(self, run: Run, text: str) -> Understanding | Reply:
        """Understand a text; what its user told before says what it leaves open: "my favorite cup", "as usual"."""
        if (plan := written_plans.understood(text, self._robot.skills, self._lexicon)) is not None:
            return plan
        if (undone := run.before.undone(text, self._lexicon)) is not None:
            return undone
        if lifted(run.told, text) is not None:
            return Statement(text.strip())
        if first := then_undone(text):
            said = self._understand(run, first)
            return and_undone(said) if isinstance(said, Understood) else said
        themes, tried = run.before.themes, self._retrying.tried(run.instruction.retry_of)
        if tried is not None:  # what was handled last was the wrong thing
            themes = tuple(replace(ref, id="") for ref in themes)
        sure = run.before.returned(text, self._hearing) if tried is None else None
        meant = sure or self._meant(run, text, themes, aid(run, tried))
        if isinstance(meant, Reply):
            return meant
        if not run.instruction.ignore_memory:
            meant = self._belongings(run).homeward(meant, home=goes_home(text))
        understood = run.before.put_back(meant, self._lexicon)
        if run.heard is not None and run.heard.refers_back:
            return understood
        past = self._cases.consider(text, understood, run.recollections.values())
        run.ground({case.id: case for case in past.used})
        understood = past.understanding
        if not run.instruction.user or run.instruction.ignore_memory or run.warnings:
            return understood
        words = parted(text, run.heard.reading) if run.heard is not None else text
        try:
            found = self._references(run).resolve(words, understood, themes)
            found = self._as_told(run, words, found)
        except (MemoryUnavailable, MemoryRefused) as error:
            self._remembering.without(run, error)
            return understood
        run.ground({one.id: one for one in found.used})
        run.notes += found.notes
        return found.understanding

    def _as_told(self, run: Run, text: str, found: Resolved) -> Resolved:
        """Return what is not understood as what its user told once, if they say which of that they mean."""
        unclear = found.understanding
        if not isinstance(unclear, NotUnderstood) or unclear.code not in _UNCLEAR or run.instruction.dry_run:
            return found
        meant: list[Likely] = []
        for request in requests(plainly(text)):
            one = self._references(run).likely(request, self._hearing.understand(request))
            if not one.goals and one.guesses:
                question = f"I did not understand “{request}” Which of these that you told me do you mean?"
                chosen = closest(run.observer.ask(question, (*one.guesses, NONE_OF_THESE)), tuple(one.guesses))
                one = one.guesses[chosen] if chosen else one
            if not one.goals:
                return found
            meant.append(one)
        notes = [note for one in meant for note in one.notes]
        return Resolved(Understood(in_turn(meant)), [known for one in meant for known in one.used], notes)

    def _references(self, run: Run) -> PersonalReferences:
        user, scene = run.instruction.user, run.scene
        return PersonalReferences(self._memory, self._hearing, self._lexicon, run.world, user, scene)

    def _meant(self, run: Run, text: str, themes: tuple[ObjectRef, ...], helped: Aid) -> Understanding | Reply:
        """Return what a text asks to be done; what else is asked for in it is answered, and what is told is noted."""
        heard = self._hearing.hear(
            text,
            helped,
            spoken_of=themes,
            now=self._clock,
            before=next(reversed(self._turns.get(run.instruction.user, ())), ""),
            names=self._names(run),
            known=lambda: self._remembering.answer(run, text).known,
        )
        run.heard = heard
        run.following.hears(heard.words)
        meant = heard.understanding
        if meant is None and heard.stops:
            return Reply(Code.SUCCESS, NOTHING_RUNS)
        early = heard.questions if meant is None else heard.sooner(text)
        said = [self._reply_to(run, heard, question) for question in early]
        if meant is not None:
            run.notes += [one.message for one in said if isinstance(one, Reply)]
            run.asked = heard.later(text)
            return meant
        if len(said) == 1:
            return said[0]
        if said:
            return _together([one for one in said if isinstance(one, Reply)])
        if heard.told:
            return Statement(text.strip())
        if heard.social is not None:
            return Reply(Code.SUCCESS, friendly(heard.social))
        return NotUnderstood(Code.NOT_UNDERSTOOD, WHAT_I_KNOW if heard.reading.language == ENGLISH else ONLY_ENGLISH)

    def _names(self, run: Run) -> Mapping[str, tuple[str, ...]]:
        """Return what its user said that things are called, in lower case → categories."""
        if run.names is None:
            run.names = self._hearing.offline.names(run.told, self._clock)
        return run.names

    def _reply_to(self, run: Run, heard: Heard, question: Question) -> Reply | Understanding:
        """Return what to say to a question; goals where the robot has to look for itself."""
        failed = self._not_done.get(run.instruction.user)
        if failed is not None and failed.explains(question, run.scene, self._clock):
            return Reply(Code.SUCCESS, failed.told(question))
        stamp, before = self._asked_last.get(run.instruction.user, (0.0, None))
        before = before if self._clock - stamp <= REMEMBERED else None
        named = continued(with_thing(question, run.before.themes, run.before.places), before)
        self._asked_last[run.instruction.user] = self._clock, named
        whole = run.instruction.text
        words = heard.read.plain or (question.quote if len(heard.reading.items) > 1 else whole)
        # The memory reads the words by themselves where they hold all that it is to answer.
        spoken = question.thing.text.lower() if question.thing is not None else ""
        called = spoken in self._names(run)
        alone = len(heard.questions) == 1 and not heard.asks
        plain = named is question and alone and not heard.by_model and not called
        answer = self._remembering.answer(run, words, None if plain else named)
        said = said_to(named, answer, self._lexicon, self._state(run))
        if said.code is not Code.NOT_FOUND:
            if answer.picture is not None:
                run.following.shows(answer.picture)
            return said
        if run.warnings:  # nobody looked for an answer
            return Reply(Code.UNAVAILABLE, f"I can't answer that. {joined(run.warnings)}")
        look = self._hearing.looking_for(named, answer.look)
        if look is None or self.look is Look.NEVER:
            return said
        if self.look is Look.ALWAYS or agrees(run.observer.ask(f"{said.message} Shall I look?", ("yes", "no"))):
            return look
        return said

    # What the user would choose

    def _asked(self, run: Run) -> Asked | None:
        """Return what is known for choosing; None where nobody's preferences count."""
        told = run.instruction
        if not told.user or told.ignore_memory:
            return None
        return Asked(told.user, told.text, run.id, run.world, None if told.dry_run else run.observer.ask)

    def _choose(self, run: Run) -> None:
        """Settle which of several things is meant, where that is left to the user's taste."""
        asked = self._asked(run)
        if asked is not None and self._choosing is not None:
            run.goals = self._choosing.things(run.goals, asked)
            run.notes += asked.notes
            run.ground(asked.grounds)

    # Acting

    def _carry_out(self, run: Run, table: SkillTable) -> Report:
        episode = Episode(self._recorder, instruction_id=run.id, user=run.instruction.user, scene=run.scene)
        episode.start(run.instruction.text, self._clock, [*map(goal_text, run.goals)], run.instruction.retry_of)
        remember = run.instruction.user and not run.instruction.ignore_memory and not run.warnings
        for remark in self._remarks(run) if remember else ():
            episode.told(remark, self._clock)

        def progress(step: str, done: int) -> None:
            run.following.uses(run.recalled(handling.grounding.used))
            run.progress(Stage.ACT, step, done)

        def learn(outcome: Outcome) -> None:
            self._last = run.world.clock
            episode.skill(outcome, run.world)

        def give_way() -> Sequence[Outcome]:
            self._held = run.world.held
            return self._gate.give_way()

        handling = self._handling(run, table, run.following)
        handling.gets_to_know = bool(run.heard is not None and run.heard.told)
        actor = Actor(
            self._robot,
            table,
            run.world,
            budget=self._budget,
            on_step=progress,
            on_outcome=learn,
            cancelled=run.observer.cancelled,
            guard=run.guard,
            gate=self._gate,
            on_wait=run.waits,
            give_way=give_way,
            recovery=Recovery(run.guidance, handling),
            following=run.following,
        )
        code, message, reached = self._pursue(run, actor, handling, table)
        ending = wind_up(code, actor, run.guard, handling)
        ending += left_behind(code, run.done(reached), run.goals[reached:], actor, handling)
        message = joined([message, *handling.notes, *ending])
        if not any(goal.call for goal in run.goals):  # who writes calls knows things by their ids
            message = run.world.in_nouns(message)
        self._held, self._position = run.world.held, run.world.position
        run.was_guided(handling.grounding.used)
        run.progress(Stage.LEARN, "remember what happened", len(actor.outcomes))
        meant = handling.grounding.meant()
        failed = repairable(actor.outcomes) if code is not Code.SUCCESS else None
        put_right = run.guidance.put_right
        self._retrying.keep(run.id, run.understood, run.reading, meant, run.world, failed, put_right)
        answers = self._answers(run) if code is Code.SUCCESS else ()
        message = joined([message, *answers])
        done = [goal_text(goal, meant) for goal in run.goals]
        episode.end(code, message, run.summary(reached), self._clock, done, tuple(run.used))
        if self._recorder.trouble and not run.warnings:  # which say that there is no memory
            run.notes.append(self._recorder.trouble)
        return self._report(run, code, message, actor, handling.looked_into)

    def _remarks(self, run: Run) -> list[str]:
        """Return the facts that were told beside what is asked for."""
        if run.heard is None:
            return []
        if run.heard.reading.language != ENGLISH and run.heard.told:
            return [run.heard.bilingual(run.instruction.text)]
        beside = run.heard.told if run.heard.by_model else remarks(run.heard.reading)
        return [remark for remark in beside if self._hearing.tells(remark)]

    def _answers(self, run: Run) -> list[str]:
        """Return what to say to what was asked behind a request, now that that is done."""
        if run.heard is None:
            return []
        run.before = replace(run.before, goals=run.goals, mentioned=())  # "open the fridge and say what is in IT"
        said = [self._reply_to(run, run.heard, question) for question in run.asked]
        return [one.message if isinstance(one, Reply) else UNANSWERED for one in said]

    def _handling(self, run: Run, table: SkillTable, following: Following | None = None) -> Handling:
        run.world.held = self._held or run.world.held
        grounding = Grounding(run.world, self._lexicon, run.before, run.guidance)
        exploring = Exploring(run.world, table, self._places, by_frontiers=self.by_frontiers)
        ask = partial(self._remembering.looked_for, run)
        solver = partial(solve, stopped=run.observer.cancelled)
        return Handling(run.world, self._lexicon, exploring, table, grounding, ask, solver, following)

    def _pursue(self, run: Run, actor: Actor, handling: Handling, table: SkillTable) -> tuple[Code, str, int]:
        """Reach the goals, by task planning or by a language model. Returns the same as `_act`."""
        code, message, reached = Code.NOT_UNDERSTOOD, "", 0
        methods = Methods(handling, run.instruction.person)
        told = all(map(can_tell, run.goals))  # else nobody sees when it is done
        if run.goals and not (self._reasoner is not None and self.planning is Planning.SKILLS and told):
            code, message, reached = self._act(run, actor, methods, table)
        if self._reasoner is None or not told or not self._may_reason(run, code):
            return code, message, reached
        run.progress(Stage.PLAN, "think about what to do next", len(actor.outcomes))
        try:
            actor.pursue(methods.begin)
            cases = self._remembering.cases(run, run.goals) if run.goals else ()
            code, why = self._reasoner.pursue(run, actor, handling, table, cases, self._remembering.ways(run))
        except Stopped as stopped:
            return stopped.code, stopped.message, reached
        return (code, why, len(run.goals)) if code is Code.SUCCESS else (code, joined([message, why]), reached)

    def _tries_out(self, run: Run, code: Code, outcomes: Sequence[Outcome], begun: int, table: SkillTable) -> bool:
        """Whether what may help is tried out at once: where a model is there to learn from it (BrainMem, 3.2.3)."""
        return self._reasoner is not None and tries_out(run, code, outcomes, begun, table, self._lexicon)

    def _may_reason(self, run: Run, code: Code) -> bool:
        """Whether a language model may plan skill by skill what was not understood, or not reached."""
        if self._reasoner is None or self.planning is Planning.GOALS or run.instruction.dry_run:
            return False
        asks = run.heard is not None and (run.goals or not (run.heard.told or run.heard.questions))
        return bool(asks) and code in _OPEN

    def _act(self, run: Run, actor: Actor, methods: Methods, table: SkillTable) -> tuple[Code, str, int]:
        """Reach the goals in order. Returns the code, the message and the number of goals reached."""
        try:
            actor.pursue(methods.begin)
        except Stopped as stopped:
            return stopped.code, stopped.message, 0
        held: Condition | None = None  # it is looked at once: what was taken out of the fridge is not there any more
        for number, goal in enumerate(run.goals):
            run.following.pursues(number)
            known, held = goal.condition is not None and goal.condition == held, goal.condition
            try:
                if not known and (skipped := methods.reason_to_skip(goal, actor.pursue)):
                    held = None
                    run.skip(number, skipped)
                    continue
            except Stopped as stopped:
                return stopped.code, stopped.message, number
            begun = len(actor.outcomes)
            for attempt in itertools.count(1):
                run.progress(Stage.PLAN, f"plan {goal}", len(actor.outcomes))
                try:
                    actor.pursue(partial(methods.achieve, goal))
                    break
                except Stopped as stopped:
                    return stopped.code, stopped.message, number
                except GoalFailed as failure:
                    _LOG.info("%s failed: %s", goal.predicate.value, failure.code.name)
                    again = failure.code in REPAIRABLE and attempt < _ATTEMPTS
                    again = again or self._tries_out(run, failure.code, actor.outcomes, begun, table)
                    if not again:
                        return failure.code, failure.message, number
        run.following.pursues(len(run.goals))
        try:
            actor.pursue(methods.tidy)
        except Stopped as stopped:
            return stopped.code, stopped.message, len(run.goals)
        except GoalFailed as failure:
            left = "I still hold something" if run.world.held else "I left something open"
            run.warnings.append(f"{left}: {failure.message}")
        return Code.SUCCESS, joined(run.warnings), len(run.goals)

    def _rehearse(self, run: Run, table: SkillTable) -> Report:
        """Plan without moving: every skill is imagined to do what it should."""
        rehearsal = Rehearsal(table, run.world, self._lexicon)
        handling = self._handling(run, table)
        quiet = Actor(
            rehearsal,
            table,
            run.world,
            budget=self._budget,
            on_step=lambda step, done: run.progress(Stage.PLAN, step, done),
            on_outcome=lambda outcome: run.following.plans([*run.following.now.plan, outcome.call]),
            cancelled=run.observer.cancelled,
            guard=run.guard,
            recovery=Recovery(run.guidance, handling),
        )
        code, message, _ = self._act(run, quiet, Methods(handling, run.instruction.person), table)
        ending = wind_up(code, quiet, run.guard, handling)
        run.was_guided(handling.grounding.used)
        message = joined(["This is a plan; nothing was moved.", message, *ending])
        return self._report(run, code, message, quiet, handling.looked_into)

    # Reporting

    def _say(self, run: Run, said: Reply) -> Report:
        run.ground(said.grounds)
        return self._report(run, said.code, said.message)

    def _tell(self, run: Run, text: str) -> Report:
        if run.instruction.dry_run:
            return self._report(run, Code.SUCCESS, "I would remember that.")
        free = lifted(run.told, text) is not None
        if (gone := withdraws(text)) and withdrawn(run.told, text) is None:
            return self._report(run, Code.NOT_FOUND, f"I was told nothing of {gone!r} that I could forget.")
        episode = Episode(self._recorder, instruction_id=run.id, user=run.instruction.user, scene=run.scene)
        heard = run.heard
        reading = heard.told_as(text, run.instruction.user, self._clock) if heard is not None else None
        turns = self._turns.get(run.instruction.user, ())
        meant = self._hearing.offline.pointed(text, run.before.themes) or person_told_of(text, [*turns])
        words = heard.bilingual(text) if heard is not None else text
        receipt = episode.told(f"[{meant}] {words}" if meant and not gone else words, self._clock, reading)
        doubtful = heard is not None and not heard.by_model and bool(heard.reading.unread)
        if doubtful and receipt == Receipt():
            kept = f"I keep your words, “{text}”, and do nothing. If I am to do something, say what."
            return self._report(run, Code.NOT_UNDERSTOOD, kept)
        said = read_told(text, self._clock, speaker=run.instruction.user)
        over = bool(said) and all(one.kind is Telling.OVER for one in said)
        noted = "I have noted that." if over or gone or free else "I will remember that."
        return self._report(run, receipt.code, receipt.message or noted)

    def _report(self, run: Run, code: Code, message: str, actor: Actor | None = None, looked_into: int = 0) -> Report:
        outcomes = tuple(actor.outcomes) if actor else ()
        return Report(
            code=code,
            message=printable(joined([message, *run.notes])),
            instruction_id=run.id,
            goals=run.goals,
            outcomes=outcomes,
            explore_steps=sum(outcome.explore_steps for outcome in outcomes) + looked_into,
            duration=actor.duration if actor else 0.0,
            recalled=run.recalled(),
            heard=run.heard.words if run.heard is not None else "",
            reader=run.heard.reading.reader if run.heard is not None else RULES,
        )


def _together(replies: Sequence[Reply]) -> Reply:
    """Return several replies as one."""
    code = max((one.code for one in replies), default=Code.NOT_FOUND)
    grounds = {name: ground for one in replies for name, ground in one.grounds.items()}
    return Reply(code, joined(one.message for one in replies) or UNANSWERED, grounds)
