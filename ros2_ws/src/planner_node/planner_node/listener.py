# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a person means: what was said before, what the memory knows of it, and what is asked back."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from karma_language.answers.wording import ONLY_ENGLISH, UNANSWERED
from karma_language.arranging.personal import plainly
from karma_language.dialogue.social import friendly, small_talk
from karma_language.dialogue.utterances import NONE_OF_THESE, agrees, closest
from karma_language.instructions import requests
from karma_language.questions.questions import continued
from karma_language.reader import RULES, after_stop
from karma_language.reading import Question, Reading
from karma_language.requests.belonging import goes_home
from karma_language.requests.prohibitions import lifted
from karma_language.told.corrections import corrected, reschedules, withdrawn
from karma_language.vocabulary.languages import ENGLISH
from karma_language.vocabulary.lexicon import Lexicon
from planner_node.ground.belongings import Belongings
from planner_node.ground.choosing import Asked, Choosing
from planner_node.ground.personal_references import Likely, PersonalReferences, in_turn
from planner_node.ground.told import Resolved
from planner_node.instruction import Report
from planner_node.learn.remembering import Remembering
from planner_node.learn.retrying import Retrying
from planner_node.memory import MemoryClient, MemoryRefused, MemoryUnavailable
from planner_node.plan import written as written_plans
from planner_node.printable import joined
from planner_node.run import Meant, Run
from planner_node.skills import Code, Robot
from planner_node.standing import Standing
from planner_node.understand.aid import Aid
from planner_node.understand.answering import (
    NOTHING_RUNS,
    Look,
    Reply,
    RobotState,
    found_by,
    said_to,
    with_thing,
)
from planner_node.understand.goals import (
    Goal,
    NotUnderstood,
    ObjectRef,
    Predicate,
    Statement,
    Understanding,
    Understood,
    complete,
)
from planner_node.understand.hearing import Heard, Hearing
from planner_node.understand.past import aid
from planner_node.understand.reference import REMEMBERED, Mentioned, NotDone
from planner_node.understand.refusing import WHAT_I_KNOW
from planner_node.understand.remarks import answered, asks_itself, parted, remarks

_MOST_CHOICES = 6
"""Things that a question offers."""
_UNCLEAR = frozenset({Code.NOT_UNDERSTOOD, Code.NOT_FOUND})
"""How an instruction may be unclear that may mean something told before."""
_TURNS = 4
"""What a user said before, which may name whom "he" or "she" means."""


class Listener:
    """Hears instructions, one at a time, and keeps what was said until the next."""

    def __init__(
        self,
        robot: Robot,
        memory: MemoryClient,
        hearing: Hearing,
        lexicon: Lexicon,
        standing: Standing,
        remembering: Remembering,
        retrying: Retrying,
        choosing: Choosing | None,
    ) -> None:
        """`choosing`: what users would choose; None: what an instruction leaves open is asked."""
        self.look = Look.ASK
        """What is done where a question can't be answered, and looking may tell."""
        self._robot = robot
        self._memory = memory
        self._hearing = hearing
        self._lexicon = lexicon
        self._standing = standing
        self._remembering = remembering
        self._retrying = retrying
        self._choosing = choosing
        self._turns: dict[str, deque[str]] = {}
        """User → what was said last, by them and to them; in this process only."""
        self._mentioned: dict[str, Mentioned] = {}
        """User → what they spoke of last, where nothing was done since."""
        self._asked_last: dict[str, tuple[float, Question]] = {}
        """User → when they asked last, and what; in this process only."""
        self._not_done: dict[str, NotDone] = {}
        """User → what they asked for last, if it was not done."""

    def ended(self, run: Run, report: Report) -> None:
        """Keep what was said and what became of it: the next instruction may mean that."""
        user = run.instruction.user
        self._turns.setdefault(user, deque(maxlen=_TURNS)).append(run.instruction.text)
        self._mention(run, done=bool(report.outcomes))
        if run.heard is not None and run.heard.asks:
            self._not_done.pop(user, None)
            if report.code is not Code.SUCCESS:
                failed = NotDone(run.scene, self._standing.clock, run.goals, run.instruction.text, report.message)
                self._not_done[user] = failed

    def turns(self, user: str) -> Sequence[str]:
        """Return what was said last by a user and to them."""
        return self._turns.get(user, ())

    def _mention(self, run: Run, *, done: bool) -> None:
        """Note what was spoken of: "it" means that from now on. What was done with things working memory knows."""
        user = run.instruction.user
        goals: tuple[Goal, ...] = ()
        if not done and run.heard is not None:
            goals = self._hearing.mentioned(run.heard.reading, run.before.themes)
        elif done and run.answered:
            goals = tuple(Goal(Predicate.FIND, goal.object) for goal in run.goals if goal.object is not None)
        if goals:
            kinds = {category for ref in run.answered for category in ref.categories}
            goals = tuple(goal for goal in goals if goal.object is None or kinds.isdisjoint(goal.object.categories))
            goals += tuple(Goal(Predicate.FIND, ref) for ref in run.answered)
            self._mentioned[user] = Mentioned(run.scene, self._standing.clock, goals)
        elif done:
            self._mentioned.pop(user, None)

    def understood(self, run: Run) -> Understanding | Reply:
        """Return what an instruction asks for, or what to say where nothing is to be done."""
        self._remembering.everything(run)
        text = run.instruction.text
        self._recollect(run)
        understood = self._understand(run, text)
        if isinstance(understood, NotUnderstood):
            moves = reschedules(text)  # what was told last, whatever comes to mind
            told = [*run.told, *(self.turns(run.instruction.user) if moves else ())]
            vague = understood.code is Code.NOT_UNDERSTOOD or moves
            if vague and (corrected(told, text) or withdrawn(told, text)) is not None:
                return Statement(text.strip())  # "make that half past seven", "cancel the one about the plants"
            refers = bool(understood.phrase) and run.heard is not None and run.heard.asks
            if understood.code is Code.AMBIGUOUS or refers:
                return self._completed(run, text, understood)
        return understood

    def belongings(self, run: Run) -> Belongings:
        """Return what the user told of where things belong."""
        offline = self._hearing.offline
        return Belongings(run.recollections.values(), offline.grammar, offline.requests)

    def _recollect(self, run: Run) -> None:
        """Note what was said before and not done, which "it" and "the same" may mean."""
        user = run.instruction.user
        spoken, failed = self._mentioned.get(user), self._not_done.get(user)
        if run.instruction.ignore_memory:
            return
        if spoken is not None and spoken.counts(run.scene, self._standing.clock):
            run.before = replace(run.before, mentioned=spoken.goals)
        if failed is not None and failed.counts(run.scene, self._standing.clock):
            run.before = replace(run.before, asked=failed.goals)

    def _state(self, run: Run) -> RobotState:
        """Return how the robot is now, for who asks it about itself."""
        held = run.world.get(self._standing.held)
        return RobotState(held.node.category if held is not None else self._standing.held, self._robot.skills)

    def _completed(self, run: Run, text: str, unclear: NotUnderstood) -> Understanding | Reply:
        """Find out what an instruction lacks: by what its user prefers, or by asking."""
        asked = self.asked(run) if unclear.goals else None
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
        named = any(thing.categories for thing in self._hearing.offline.grammar.named(answer))
        if not named and (social := small_talk(answer)) is not None:  # "nothing, thanks"
            return Reply(Code.SUCCESS, friendly(social))
        if unclear.phrase and asks_itself(self._hearing.offline.grammar.read(answer)):
            otherwise = self._hearing.offline.understand(answer, run.before.themes)
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
        themes, tried = run.before.themes_of(text), self._retrying.tried(run.instruction.retry_of)
        if tried is not None:  # what was handled last was the wrong thing
            themes = tuple(replace(ref, id="") for ref in themes)
        sure = run.before.returned(text, self._hearing.offline) if tried is None else None
        meant = sure or self._meant(run, text, themes, aid(run, tried))
        if isinstance(meant, Reply):
            return meant
        if not run.instruction.ignore_memory:
            meant = self.belongings(run).homeward(meant, home=goes_home(text))
        understood = run.before.put_back(run.before.again(text, meant), self._lexicon)
        refers_back = run.heard is not None and run.heard.refers_back
        if refers_back or not run.instruction.user or run.instruction.ignore_memory or run.warnings:
            return understood
        words = parted(text, run.heard.reading) if run.heard is not None else text
        try:
            found = self._references(run).resolve(words, understood, themes)
            found = self._as_told(run, words, found)
        except (MemoryUnavailable, MemoryRefused) as error:
            self._remembering.without(run, error)
            return understood
        run.meant = Meant(words, understood, themes, found)
        run.ground({one.id: one for one in found.used})
        run.notes += found.notes
        return found.understanding

    def otherwise(self, run: Run, failed: Goal) -> Understood | None:
        """Return what an instruction means by what else was told that its words fit, once things of that are missing.

        `failed`: the goal whose thing was not found. None where it comes from nothing told, or nothing else fits.
        """
        meant = run.meant
        if meant is None or not (wrong := meant.found.means(failed)):
            return None
        but = meant.but | wrong
        try:
            found = self._references(run, but).resolve(meant.words, meant.plainly, meant.themes)
        except (MemoryUnavailable, MemoryRefused) as error:
            self._remembering.without(run, error)
            return None
        known = {*meant.found.habits, *meant.found.things}
        if not isinstance(found.understanding, Understood) or known.issuperset({*found.habits, *found.things}):
            return None
        run.notes = [note for note in run.notes if note not in meant.found.notes]
        run.meant = replace(meant, found=found, but=but)
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
            one = self._references(run).likely(request, self._hearing.offline.understand(request))
            if not one.goals and one.guesses:
                question = f"I did not understand “{request}” Which of these that you told me do you mean?"
                chosen = closest(run.observer.ask(question, (*one.guesses, NONE_OF_THESE)), tuple(one.guesses))
                one = one.guesses[chosen] if chosen else one
            if not one.goals:
                return found
            meant.append(one)
        notes = [note for one in meant for note in one.notes]
        return Resolved(Understood(in_turn(meant)), [known for one in meant for known in one.used], notes)

    def _references(self, run: Run, but: Collection[str] = ()) -> PersonalReferences:
        user, scene = run.instruction.user, run.scene
        return PersonalReferences(self._memory, self._hearing.offline, self._lexicon, run.world, user, scene, but)

    def _meant(self, run: Run, text: str, themes: tuple[ObjectRef, ...], helped: Aid) -> Understanding | Reply:
        """Return what a text asks to be done; what else is asked for in it is answered, and what is told is noted."""
        heard = self._hearing.hear(
            text,
            helped,
            spoken_of=themes,
            now=self._standing.clock,
            before=next(reversed(self._turns.get(run.instruction.user, ())), ""),
            names=self._names(run),
            known=lambda: self._remembering.answer(run, text).known,
        )
        run.heard = heard
        run.following.hears(heard.words)
        meant = heard.understanding
        if meant is None and heard.stops:
            return Reply(Code.SUCCESS, "I stop." if after_stop(text) else NOTHING_RUNS)
        early = heard.questions if meant is None else heard.sooner(text)
        said = [self.reply_to(run, heard, question) for question in early]
        if meant is not None:
            run.notes += [one.message for one in said if isinstance(one, Reply)]
            run.asked = heard.later(text)
            return meant
        if len(said) == 1:
            return said[0]
        if said:
            return together([one for one in said if isinstance(one, Reply)])
        if heard.told:
            return Statement(text.strip())
        if heard.social is not None:
            return Reply(Code.SUCCESS, friendly(heard.social))
        return NotUnderstood(Code.NOT_UNDERSTOOD, WHAT_I_KNOW if heard.reading.language == ENGLISH else ONLY_ENGLISH)

    def _names(self, run: Run) -> Mapping[str, tuple[str, ...]]:
        """Return what its user said that things are called, in lower case → categories."""
        if run.names is None:
            run.names = self._hearing.offline.names(run.told, self._standing.clock)
        return run.names

    def reply_to(self, run: Run, heard: Heard, question: Question) -> Reply | Understanding:
        """Return what to say to a question; goals where the robot has to look for itself."""
        failed = self._not_done.get(run.instruction.user)
        if failed is not None and failed.explains(question, run.scene, self._standing.clock):
            return Reply(Code.SUCCESS, failed.told(question))
        stamp, before = self._asked_last.get(run.instruction.user, (0.0, None))
        before = before if self._standing.clock - stamp <= REMEMBERED else None
        named = continued(with_thing(question, run.before.themes, run.before.places), before)
        self._asked_last[run.instruction.user] = self._standing.clock, named
        whole = run.instruction.text
        words = heard.read.plain or (question.quote if len(heard.reading.items) > 1 else whole)
        # The memory reads the words by themselves where they hold all that it is to answer.
        spoken = question.thing.text.lower() if question.thing is not None else ""
        called = spoken in self._names(run)
        alone = len(heard.questions) == 1 and not heard.asks
        plain = named is question and alone and not heard.by_model and not called
        answer = self._remembering.answer(run, words, None if plain else named)
        said = said_to(named, answer, self._lexicon, self._state(run))
        run.answered += found_by(named, answer.evidence, self._lexicon)
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

    def asked(self, run: Run) -> Asked | None:
        """Return what is known for choosing; None where nobody's preferences count."""
        told = run.instruction
        if not told.user or told.ignore_memory:
            return None
        return Asked(told.user, told.text, run.id, run.world, None if told.dry_run else run.observer.ask)

    def remarks_in(self, run: Run) -> list[str]:
        """Return the facts that were told beside what is asked for."""
        if run.heard is None:
            return []
        if run.heard.reading.language != ENGLISH and run.heard.told:
            return [run.heard.bilingual(run.instruction.text)]
        beside = run.heard.told if run.heard.by_model else remarks(run.heard.reading)
        return [remark for remark in beside if self._hearing.tells(remark)]

    def answers(self, run: Run) -> list[str]:
        """Return what to say to what was asked behind a request, now that that is done."""
        if run.heard is None:
            return []
        run.before = replace(run.before, goals=run.goals, mentioned=())  # "open the fridge and say what is in IT"
        said = [self.reply_to(run, run.heard, question) for question in run.asked]
        return [one.message if isinstance(one, Reply) else UNANSWERED for one in said]


def together(replies: Sequence[Reply]) -> Reply:
    """Return several replies as one."""
    code = max((one.code for one in replies), default=Code.NOT_FOUND)
    grounds = {name: ground for one in replies for name, ground in one.grounds.items()}
    return Reply(code, joined(one.message for one in replies) or UNANSWERED, grounds)
