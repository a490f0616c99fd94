# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The pipeline: understand, ground, plan, check, act, learn (docs/architecture.md, "How an instruction runs")."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from karma_language.answers.wording import UNANSWERED
from karma_language.dialogue.utterances import person_told_of
from karma_language.reader import RULES
from karma_language.reading import Telling
from karma_language.requests.prohibitions import lifted, permits
from karma_language.requests.telling import says_whose
from karma_language.told.corrections import corrected, withdrawn, withdraws
from karma_language.told.reader import read_told
from karma_language.vocabulary.lexicon import Lexicon
from planner_node.act.closing import left_behind, wind_up
from planner_node.act.gate import Gate
from planner_node.act.interruptible import until_cancelled
from planner_node.act.loop import Actor, Budget
from planner_node.act.pursuit import Pursuit
from planner_node.act.reasoning import Reasoner
from planner_node.act.recovery import Recovery
from planner_node.check.safety import Safety
from planner_node.check.unreachable import unreachable
from planner_node.ground.choosing import Choosing
from planner_node.ground.names import Grounding, unclear_owner
from planner_node.ground.owners import owned
from planner_node.ground.preferences import Preferences
from planner_node.ground.which import unclear_which
from planner_node.instruction import Instruction, Observer, Report, Stage, Unobserved
from planner_node.learn.episode import Episode, Receipt, Recorder
from planner_node.learn.judging import objection
from planner_node.learn.remembering import Remembering
from planner_node.learn.retrying import Retrying, guide
from planner_node.listener import Listener, together
from planner_node.memory import Event, EventKind, MemoryClient
from planner_node.plan import written as written_plans
from planner_node.plan.exploring import Places
from planner_node.plan.handling import Handling
from planner_node.plan.ordering import order
from planner_node.plan.repairs import repairable
from planner_node.printable import joined, printable
from planner_node.run import Run
from planner_node.skills import Code, Outcome, Robot, RobotUnavailable, SkillTable
from planner_node.standing import Standing
from planner_node.status import Following
from planner_node.understand.answering import Reply
from planner_node.understand.cases import Cases
from planner_node.understand.goals import (
    NotUnderstood,
    Statement,
    Understood,
    goal_text,
)
from planner_node.understand.hearing import Hearing
from planner_node.understand.looks import tells_looks
from planner_node.understand.paraphrase import paraphrase
from planner_node.understand.possible_goals import colours_ignored, complaint
from planner_node.understand.remarks import remarks
from planner_node.whereabouts import in_nouns
from planner_node.world import World

__all__ = ["Instruction", "Observer", "Planner", "Report", "Stage", "Unobserved"]

NEVER = "don't "
"""Before what a rule forbids."""


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
        self._robot = robot
        self._memory = memory
        self._hearing = hearing
        self._lexicon = lexicon
        self._budget = budget or Budget()
        self._safety = safety or Safety()
        self._gate = gate or Gate()
        self._cases = cases = Cases(lexicon)
        self._standing = standing = Standing(now)
        self._remembering = remembering = Remembering(memory, cases, lexicon, memories)
        self._retrying = retrying = Retrying(lexicon)
        self._recorder = Recorder(memory)
        self._choosing = choosing = Choosing(preferences, lexicon) if preferences is not None else None
        self.listener = Listener(robot, memory, hearing, lexicon, standing, remembering, retrying, choosing)
        """What a person means."""
        model = hearing.model
        reasoner = Reasoner(model, lexicon, hearing.offline.grammar.named, cases) if model is not None else None
        self.pursuit = Pursuit(lexicon, self._budget, standing, remembering, reasoner, places)
        """How goals are reached."""

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
        run.world.clock, run.world.position = self._standing.clock, self._standing.position
        try:
            report = self._run(run)
        except RobotUnavailable as error:
            report = self._report(run, Code.UNAVAILABLE, str(error))
        self.listener.ended(run, report)
        return report

    def aside(self, instruction: Instruction) -> Report | None:
        """Answer a question while another instruction is carried out, without moving; None for what is no question."""
        heard = self._hearing.only_asked(instruction.text, self._standing.clock)
        if heard is None:
            return None
        run = Run(instruction, str(uuid.uuid4()), Unobserved(), World(self._lexicon))
        run.world.clock, run.heard = self._standing.clock, heard
        self._remembering.everything(run)
        said = [self.listener.reply_to(run, heard, question) for question in heard.questions]
        replies = [one if isinstance(one, Reply) else Reply(Code.NOT_FOUND, UNANSWERED) for one in said]
        return self._say(run, together(replies))

    def remember(self, kind: EventKind, text: str, user: str = "", episode: str = "") -> Receipt:
        """Pass on what a person told or thinks of an instruction; return what became of it."""
        return self._recorder.remember(Event(str(uuid.uuid4()), kind, self._standing.clock, user, "", episode, text))

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
        event = Event(str(uuid.uuid4()), EventKind.FEEDBACK, self._standing.clock, user, "", instruction_id, text)
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
        understood = until_cancelled(lambda: self.listener.understood(run), run.observer.cancelled)
        if understood is None or run.observer.cancelled():
            return self._report(run, Code.CANCELED, "Stopped as asked before it was begun.")
        if isinstance(understood, Reply):
            return self._say(run, understood)
        if isinstance(understood, Statement):
            return self._tell(run, instruction.text.strip())
        if isinstance(understood, NotUnderstood):
            if not self.pursuit.may_reason(run, understood.code):
                self._retrying.not_understood(run.id)
                return self._report(run, understood.code, understood.message)
            understood = Understood(())
        table = self._robot.skills()
        if (refused := self._settled(run, understood, table)) is not None:
            return self._report(run, *refused)
        if instruction.dry_run:
            code, message, actor, handling = self.pursuit.rehearse(run, table)
            return self._report(run, code, message, actor, handling.seeking.looked_into)
        return self._carry_out(run, table)

    def _settled(self, run: Run, understood: Understood, table: SkillTable) -> tuple[Code, str] | None:
        """Settle what is meant by what was understood; return why it is not done, None where it is."""
        run.goals = understood.goals
        run.following.understood(run.goals)
        run.ground(run.before.grounds(run.goals, self._lexicon))
        run.notes += [*understood.notes, *colours_ignored(run.goals, self._lexicon)]
        said_again = paraphrase(run.goals, self._lexicon)
        run.progress(Stage.CHECK, f"check what was understood: {said_again}", 0)
        other_way = guide(run, self._retrying, self._remembering, self._cases, table)
        if not other_way and not self.pursuit.by_model:
            return Code.PLANNING_FAILURE, "I know of no other way to understand that."
        for goal in run.goals:
            wrong = complaint(goal, self._lexicon)
            if wrong:
                return Code.PRECONDITION_FAILURE, f"I can't do that: {wrong}."
        if wrong := unreachable(run.goals, table):
            return Code.PLANNING_FAILURE, f"I have no plan for it: {wrong}. Nothing was done."
        run.progress(Stage.GROUND, "find out what is meant", 0)
        self._remembering.objects(run)
        self._choose(run)
        order(run, self._lexicon)
        run.following.understood(run.goals)
        grounding = Grounding(run.world, self._lexicon)
        run.goals, used, unclear = owned(run.goals, grounding, lambda: self._remembering.owners(run))
        run.ground(used)
        unclear = unclear or unclear_which(run, self._hearing.offline, self._lexicon, by_looks=tells_looks(table))
        if unclear := unclear or unclear_owner(run.goals, grounding):
            return Code.AMBIGUOUS, unclear
        if wrong := written_plans.refusal(run.goals, table, run.world, self._lexicon, run.notes):
            return Code.PRECONDITION_FAILURE, wrong
        run.guard = self._safety.guard(run.instruction, run.goals, run.world, self._lexicon, run.observer)
        if objection := run.guard.objection():
            return Code.REFUSED, f"I won't do that: {objection} Nothing was done."
        doubtful = run.heard.doubtful if run.heard is not None else ""
        if doubtful and not run.guard.agrees(f"{doubtful} Shall I {said_again}?"):
            return Code.REFUSED, f"{doubtful} Nobody said yes, so I did nothing."
        rules, offline = self._remembering.rules(run), self._hearing.offline
        own, others = ([NEVER + rule.text for rule in rules if bool(rule.source) is mine] for mine in (True, False))
        beside = remarks(run.heard.reading) if run.heard is not None else []  # "…, only the laptop stays where it is"
        told = [said for said in (*run.told, *own) if not permits(run.instruction.text, said)]
        run.goals, kept_to = offline.sparing(run.goals, [*beside, *told, *others])
        run.notes += [f"I was told: “{said}” I leave that alone." for said in kept_to if said not in beside]
        goals = [one for goal in run.goals for one in grounding.wherever(goal)]
        forbidden = offline.forbidden(goals, told)
        if forbidden and not run.guard.agrees(f"You told me: “{forbidden}” Shall I {said_again} all the same?"):
            return Code.REFUSED, f"You told me: “{forbidden}” Nobody said yes, so I did nothing."
        if forbidden := offline.forbidden(goals, others):
            return Code.REFUSED, f"Somebody asked me not to {forbidden.removeprefix(NEVER)}. Nothing was done."
        return None

    # What the user would choose

    def _choose(self, run: Run) -> None:
        """Settle which of several things is meant, where that is left to the user's taste."""
        asked = self.listener.asked(run)
        if asked is not None and self._choosing is not None:
            run.goals = self._choosing.things(run.goals, asked)
            run.notes += asked.notes
            run.ground(asked.grounds)

    # Acting

    def _carry_out(self, run: Run, table: SkillTable) -> Report:
        episode = Episode(self._recorder, instruction_id=run.id, user=run.instruction.user, scene=run.scene)
        episode.start(
            run.instruction.text, self._standing.clock, [*map(goal_text, run.goals)], run.instruction.retry_of
        )
        remember = run.instruction.user and not run.instruction.ignore_memory and not run.warnings
        for words in (*self.listener.remarks_in(run), *run.learned) if remember else ():
            episode.told(words, self._standing.clock)

        def progress(step: str, done: int) -> None:
            run.following.uses(run.recalled(handling.grounding.used))
            run.progress(Stage.ACT, step, done)

        def learn(outcome: Outcome) -> None:
            self._standing.reported = run.world.clock
            episode.skill(outcome, run.world)

        def give_way() -> Sequence[Outcome]:
            self._standing.held = run.world.held
            return self._gate.give_way()

        handling = self.pursuit.handling(run, table, run.following)
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
            message = in_nouns(message, run.world, self._lexicon)
        self._standing.held, self._standing.position = run.world.held, run.world.position
        run.was_guided(handling.grounding.used)
        run.progress(Stage.LEARN, "remember what happened", len(actor.outcomes))
        meant = handling.grounding.meant()
        failed = repairable(actor.outcomes) if code is not Code.SUCCESS else None
        put_right = run.guidance.put_right
        self._retrying.keep(run.id, run.understood, run.reading, meant, run.world, failed, put_right)
        answers = self.listener.answers(run) if code is Code.SUCCESS else ()
        message = joined([message, *answers])
        asked = [goal for goal in run.goals if goal not in run.skipped_goals] or run.goals  # "it" is what was handled
        done = [goal_text(goal, meant) for goal in asked]
        episode.end(code, message, run.summary(reached), self._standing.clock, done, tuple(run.used))
        if self._recorder.trouble:
            run.notes.append(self._recorder.trouble)
        return self._report(run, code, message, actor, handling.seeking.looked_into)

    def _pursue(self, run: Run, actor: Actor, handling: Handling, table: SkillTable) -> tuple[Code, str, int]:
        """Reach the goals. Where things of a habit are not there, the next one that the words fit is meant.

        Returns the same as Pursuit.pursue.
        """
        first = code, message, reached = self.pursuit.pursue(run, actor, handling, table)
        goals, notes = run.goals, run.notes
        while code is Code.NOT_FOUND and reached < len(run.goals) and not run.world.held:
            done = [*map(str, run.goals[:reached])]
            otherwise = self.listener.otherwise(run, run.goals[reached])
            if otherwise is None or [*map(str, otherwise.goals[:reached])] != done:
                break
            if self._settled(run, otherwise, table) is not None:
                break
            run.notes.append(f"{first[1].partition('.')[0]}, so I took it to mean something else that you told me.")
            actor.guard = run.guard
            code, message, reached = self.pursuit.pursue(run, actor, handling, table)
        if code is Code.NOT_FOUND:
            run.goals, run.notes = goals, notes
            return first
        return code, message, reached

    # Reporting

    def _say(self, run: Run, said: Reply) -> Report:
        run.ground(said.grounds)
        return self._report(run, said.code, said.message)

    def _tell(self, run: Run, text: str) -> Report:
        if run.instruction.dry_run:
            return self._report(run, Code.SUCCESS, "I would remember that.")
        free = lifted(run.told, text) is not None
        back = withdrawn(run.told, text) is not None
        if (gone := withdraws(text)) and not back:
            return self._report(run, Code.NOT_FOUND, f"I was told nothing of {gone!r} that I could forget.")
        episode = Episode(self._recorder, instruction_id=run.id, user=run.instruction.user, scene=run.scene)
        heard = run.heard
        reading = heard.told_as(text, run.instruction.user, self._standing.clock) if heard is not None else None
        turns = self.listener.turns(run.instruction.user)
        before = turns[-1] if turns else ""
        meant = self._hearing.offline.pointed(text, run.before.themes, before) or person_told_of(text, [*turns])
        words = heard.bilingual(text) if heard is not None else text
        receipt = episode.told(f"[{meant}] {words}" if meant and not gone else words, self._standing.clock, reading)
        doubtful = heard is not None and not heard.by_model and bool(heard.reading.unread)
        changes = back or says_whose(words) or corrected(run.told, text) is not None
        if doubtful and receipt == Receipt() and not changes:
            kept = f"I keep your words, “{text}”, and do nothing. If I am to do something, say what."
            return self._report(run, Code.NOT_UNDERSTOOD, kept)
        said = read_told(text, self._standing.clock, speaker=run.instruction.user)
        over = bool(said) and all(one.kind is Telling.OVER for one in said)
        noted = "I have noted that." if over or gone or free or back else "I will remember that."
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
