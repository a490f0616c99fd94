# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is heard: who read it, what of it is asked, told and to be done, and what is not understood.

The planner's part of reading: it gives the reader what is known of the moment, and says which readings make no sense.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from karma_language.model_reader import Context, Senseless
from karma_language.model_reader.asking import LONGEST, Example
from karma_language.models import CanceledError, Model, ModelLateError, ModelMissingError, Urgency, Waiting
from karma_language.reader import RULES, Read, Reader, Rules
from karma_language.reading import OWN, Deed, Goal, Item, Kind, Need, Question, Reading, Request, Social, Stop, Told
from karma_language.things import Relation, Thing, Where
from karma_language.told.by_model import translated
from karma_language.vocabulary.languages import ENGLISH
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.vocabulary.verbs import is_known
from karma_language.vocabulary.word_meanings import likeness
from planner_node.skills import Code
from planner_node.understand.aid import NO_AID, Aid
from planner_node.understand.aid import Example as Past
from planner_node.understand.goals import Goal as PlannerGoal
from planner_node.understand.goals import NotUnderstood, ObjectRef, Understanding, Understood
from planner_node.understand.offline import OfflineUnderstanding
from planner_node.understand.possible_goals import complaint

_PARAMETERS = {"first": "llm_first_timeout", "total": "llm_timeout"}
"""The planner's parameters that set the limits of a model."""
_PAST = 3
"""Examples from the past at most."""
_ALIKE = 50.0
"""Likeness, 0 to 100, that words of the past must have to serve as an example."""
_FOR_GOOD = frozenset((Deed.THROW, Deed.BREAK, Deed.SLICE, Deed.HEAT))
"""Deeds that can't be undone or may hurt."""
_BIN = "GarbageCan"
_LONGEST_NAME = 80
"""Characters of what a thing is called."""
_GOAL = re.compile(r"(\w+)\((.*)\)")


@dataclass(frozen=True)
class Heard:
    """What somebody said, as it was heard."""

    read: Read
    understanding: Understanding | None
    """What is to be done, None where nothing is asked for."""

    @property
    def reading(self) -> Reading:
        """The reading."""
        return self.read.reading

    @property
    def words(self) -> str:
        """What was heard, in plain English where a model read it, and what was not understood, in sentences."""
        return f"I heard: {self.read.plain}" if self.read.plain else heard_in(self.reading)

    @property
    def by_model(self) -> bool:
        """Whether a model read it."""
        return self.reading.reader != RULES

    @property
    def questions(self) -> tuple[Question, ...]:
        """What is asked."""
        return tuple(item for item in self.reading.items if isinstance(item, Question))

    @property
    def told(self) -> tuple[str, ...]:
        """What is told, letter by letter."""
        return tuple(item.quote for item in self.reading.items if isinstance(item, Told))

    def told_as(self, text: str, user: str, now: float) -> Reading | None:
        """Return what a text tells that the model had to translate; None where the memory's own reader reads it."""
        return translated(self.read, text, user, now) if self.by_model else None

    def bilingual(self, text: str) -> str:
        """Return words with what they mean in English, in which the memory looks for them."""
        return text if self.reading.language == ENGLISH or not self.read.plain else f"{text} ({self.read.plain})"

    def sooner(self, text: str) -> tuple[Question, ...]:
        """Return what is asked before something is to be done."""
        if self.by_model:  # quotes may be the whole text
            begin = next((at for at, item in enumerate(self.reading.items) if isinstance(item, Request)), 0)
            return tuple(item for item in self.reading.items[:begin] if isinstance(item, Question))
        return tuple(question for question in self.questions if text.find(question.quote) < _begin(self.reading, text))

    def later(self, text: str) -> tuple[Question, ...]:
        """Return what is to be answered when all is done. Where something is, the robot looks for itself."""
        sooner = self.sooner(text)
        return tuple(question for question in self.questions if question not in sooner and not _sought(question))

    @property
    def asks(self) -> bool:
        """Whether something is to be done."""
        return any(isinstance(item, Request) for item in self.reading.items)

    @property
    def refers_back(self) -> bool:
        """Whether what is asked for was said before: these words alone mean nothing."""
        requests = [item for item in self.reading.items if isinstance(item, Request)]
        return any(goal.do is Deed.SAME for item in requests for goal in item.goals)

    @property
    def social(self) -> Social | None:
        """The formula that it ends with, or is."""
        return next((item for item in self.reading.items if isinstance(item, Social)), None)

    @property
    def stops(self) -> bool:
        """Whether what is running is to end."""
        return any(isinstance(item, Stop) for item in self.reading.items)

    @property
    def doubtful(self) -> str:
        """What a person has to confirm, in a sentence: a verb that nobody knows; what a model read and is for good."""
        goals = (
            goal for item in self.reading.items if isinstance(item, Request) and not item.never for goal in item.goals
        )
        for goal in goals:
            thrown = goal.to is not None and _BIN in goal.to.thing.categories
            if goal.do in (Deed.SWITCH_ON, Deed.SWITCH_OFF) and not is_known(goal.verb):
                return f"I don't know how to “{goal.verb.partition(' ')[0]}”."
            if self.by_model and (goal.do in _FOR_GOOD or thrown):
                return f"I heard “{goal.quote}”. It can't be undone."
        return ""


class Hearing:
    """Understands what people say, by rules or with the help of a language model."""

    def __init__(self, lexicon: Lexicon, model: Model | None = None, *, repairs: int = 2) -> None:
        """`model`: None for the rules alone; `repairs`: times that it is told what is wrong with its answer."""
        self._lexicon = lexicon
        self.offline = OfflineUnderstanding(lexicon)
        self._requests = self.offline.requests
        self._model = model
        self._rules = Rules(self.offline.grammar)
        self._reader = Reader(self._rules, model, lexicon, repairs=repairs)

    @property
    def model(self) -> Model | None:
        """The language model that helps, None for the rules alone."""
        return self._model

    def tells(self, text: str) -> bool:
        """Whether words tell something that may be worth keeping."""
        return self._rules.tells(text)

    def hear(
        self,
        text: str,
        aid: Aid = NO_AID,
        *,
        spoken_of: tuple[ObjectRef, ...] = (),
        now: float = 0.0,
        before: str = "",
        names: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
        known: Callable[[], bool] = lambda: False,
    ) -> Heard:
        """Return what was said. Never raises.

        `now`: seconds; `before`: what the same person said just before; `names`: what things were said to be called →
        categories; `known`: whether the memory answers the words as they stand.
        """
        if len(text) > LONGEST or not text.strip():
            return Heard(Read(Reading(reader=RULES)), self.offline.understand(text))
        context = Context(now=now, names=names)
        if self._model is not None:
            context = Context(
                now=now,
                before=before,
                names=names,
                memories=tuple(aid.memory.splitlines()),
                examples=_alike(text, aid.examples, self._lexicon),
                tried=tuple(Example(text, said) for goals in aid.tried if (said := _english(goals, self._lexicon))),
            )
        waiting = Waiting(Urgency.PERSON, aid.progress, aid.cancelled)

        def goals(reading: Reading) -> Understanding | None:
            asks = any(isinstance(item, Question) for item in reading.items)  # "DON'T LOOK, just tell me what is there"
            beside = Need if asks else ()  # "I'm hungry, what is there to eat?"
            if all(
                not isinstance(one, Request | Need) or isinstance(one, beside) or (asks and _forbids(one))
                for one in reading.items
            ):
                return None
            begin = _begin(reading, text)
            late = [one for one in reading.items if isinstance(one, Question) and text.find(one.quote) >= begin]
            look = [Goal(quote=one.quote, do=Deed.FIND, verb="find", thing=one.thing) for one in late if _sought(one)]
            items = (*reading.items, *([Request(quote=text, goals=tuple(look))] if look else []))
            asked = reading.model_copy(update={"items": items})
            return self._requests.understood(asked, text, spoken_of, aid)

        def objection(reading: Reading) -> str:
            meant = goals(reading)
            wanted = meant.goals if isinstance(meant, Understood) else ()
            return next(filter(None, (complaint(goal, self._lexicon) for goal in wanted)), "")

        def unknown(reading: Reading) -> bool:
            meant = goals(reading)
            if not isinstance(meant, NotUnderstood):
                return False
            left_open = bool(meant.goals and aid.memory)  # what is remembered may say where to put it
            return meant.code is Code.NOT_FOUND or left_open

        def read(context: Context, again: int) -> Heard:
            found = self._reader.read(
                text, context, waiting, objection=objection, unknown=unknown, answered=known, again=again
            )
            if found.calls and any(isinstance(item, Request) for item in found.reading.items):
                aid.heeded(found.memories)
            if found.reading.unread and self._model is not None and not found.reading.told:
                return Heard(found, self._honest(found))
            return Heard(found, goals(found.reading))

        try:
            if aid.again and self._model is not None:
                otherwise = read(context, 1 + len(aid.tried))
                meant = otherwise.understanding
                if isinstance(meant, Understood) and tuple(map(str, meant.goals)) not in aid.tried:
                    return otherwise
            return read(replace(context, tried=()), 0)
        except CanceledError:
            stopped = NotUnderstood(Code.CANCELED, "Stopped as asked before it was understood.")
            return Heard(Read(Reading(reader=RULES)), stopped)

    def mentioned(self, reading: Reading, spoken_of: tuple[ObjectRef, ...] = ()) -> tuple[PlannerGoal, ...]:
        """Return goals to find what a reading speaks of; () where it names nothing that is known.

        `spoken_of`: what its pronouns mean.
        """
        things = [thing for item in reading.items for thing in self._named(item)]
        if any(thing.pronoun for thing in things):
            return ()  # still what was spoken of before
        finds = [Goal(quote=thing.text, do=Deed.FIND, verb="find", thing=thing) for thing in things if thing.categories]
        told = len(reading.items) == 1 and isinstance(reading.items[0], Told)
        asked = all(isinstance(item, Question) for item in reading.items)
        for meant in (finds, finds[-1:]) if told or asked else (finds[-1:],):  # of both, if both are known
            found = self._requests.goals(meant, spoken_of) if meant else None
            if isinstance(found, Understood):
                return found.goals
        return ()

    def _named(self, item: Item) -> list[Thing]:
        """Return the things that an act is about."""
        if isinstance(item, Question):
            place = item.place.thing if item.place is not None else None
            if item.kind is Kind.STATE and item.thing is not None and place is not None and place.room:
                return [item.thing.model_copy(update={"room": place.room})]  # "is the lamp in the hall on?"
            if item.deed == OWN and item.thing is not None and item.thing.place is None:
                return [item.thing.model_copy(update={"place": item.place})]  # "whose is the mug on the counter?"
            return [thing for thing in (item.thing or place,) if thing is not None]
        if isinstance(item, Request):
            return [goal.thing for goal in item.goals if goal.thing is not None]
        if isinstance(item, Told):
            return [*item.about] or self.offline.grammar.named(item.quote)[:1]
        return []

    def only_asked(self, text: str, now: float) -> Heard | None:
        """Return what rules read in words that only ask something; None for all others. `now`: seconds."""
        reading = self._rules.read(text, now, {}) if len(text) <= LONGEST else Reading(reader=RULES)
        asks = bool(reading.items) and all(isinstance(item, Question) for item in reading.items)
        return Heard(Read(reading), None) if asks and not reading.unread else None

    def looking_for(self, question: Question, look: Sequence[str] = ()) -> Understanding | None:
        """Return what finds out what a question asks for; None where looking does not tell.

        `look`: categories of the places that were not looked into yet.
        """
        if look and question.place is not None:
            inside = Where(relation=Relation.IN, thing=question.place.thing)
            return self._requests.goals([Goal(quote=question.quote, do=Deed.EXPLORE, verb="look", to=inside)])
        if not _sought(question):
            return None
        return self._requests.goals([Goal(quote=question.quote, do=Deed.FIND, verb="find", thing=question.thing)])

    def _honest(self, read: Read) -> NotUnderstood:
        """Return what was understood and what was not, and why no model helped."""
        reading = read.reading
        code, more = Code.NOT_UNDERSTOOD, ""
        if isinstance(read.problem, ModelLateError):
            advice = f"Raise {_PARAMETERS[read.problem.limit]}, try again, or use a smaller model."
            code, more = Code.TIMEOUT, f" {read.problem} {advice}"
        elif isinstance(read.problem, Senseless):
            more = f" {read.problem} Say it in other words."
        elif read.problem is not None:
            missing = isinstance(read.problem, ModelMissingError)
            code, more = Code.NOT_FOUND if missing else Code.UNAVAILABLE, f" {read.problem}"
        message = f"{heard_in(reading)} Nothing was done.{more}"
        return NotUnderstood(code, message, phrase=reading.unread[0] if reading.unread else "")


def _forbids(item: Item) -> bool:
    return isinstance(item, Request) and item.never


def _begin(reading: Reading, text: str) -> int:
    """Return where in a text stands what is to be done first; -1 for nowhere.

    0 where that is only to look: "is it still there? GO AND HAVE A LOOK" is answered afterwards.
    """
    goals = [goal for item in reading.items if isinstance(item, Request) for goal in item.goals]
    if goals and all(goal.do is Deed.EXPLORE and goal.thing is None for goal in goals):
        return 0
    return min((text.find(goal.quote) for goal in goals), default=-1)


def _sought(question: Question) -> bool:
    """Whether something is asked for that the robot can look for."""
    thing = question.thing
    return question.kind is Kind.WHERE and thing is not None and bool(thing.categories or thing.pronoun)


def heard_in(reading: Reading) -> str:
    """Return what was heard, and what was not understood, in sentences."""
    quotes: dict[str, None] = {}
    for item in reading.items:
        parts = [goal.quote for goal in item.goals] if isinstance(item, Request) else [item.quote]
        quotes.update(dict.fromkeys(part.strip() for part in parts if part.strip()))
    lost = ", ".join(f"“{words}”" for words in reading.unread)
    said = [f"I heard: {'; '.join(quotes)}."] if quotes else []
    return " ".join([*said, *([f"I did not understand: {lost}."] if lost else [])])


def _alike(text: str, examples: Iterable[Past], lexicon: Lexicon) -> tuple[Example, ...]:
    """Return what was understood and done before of words like these, the likest last."""
    ranked = sorted(((likeness(text, one.instruction), one) for one in examples), key=lambda pair: pair[0])
    found = (
        Example(one.instruction, english)
        for alike, one in ranked
        if alike >= _ALIKE and (english := _english(one.goals, lexicon))
    )
    return tuple(found)[-_PAST:]


def _english(goals: Sequence[str], lexicon: Lexicon) -> str:
    """Return goals of the past ("place(mug=Mug, table, on)") in plain English; "" where one can't be read."""
    said = [_sentence(text, lexicon) for text in goals]
    return " ".join(said) if all(said) else ""


def _sentence(text: str, lexicon: Lexicon) -> str:
    found = _GOAL.fullmatch(text.strip())
    if found is None or found[1] not in {deed.value for deed in Deed}:
        return ""
    parts = [part.strip() for part in found[2].split(",")] if found[2].strip() else []
    relation = parts.pop() if len(parts) > 2 else ""
    if len(parts) > 2 or any(len(part) > _LONGEST_NAME for part in parts):
        return ""
    thing, _, source = (parts[0] if parts else "").partition(" from ")
    verb = "put" if found[1] == Deed.PLACE.value else found[1].replace("_", " ")
    if found[1] == Deed.EXAMINE.value and parts[1:] == ["in"]:
        return f"Look in the {_noun(thing, lexicon)}."
    words = [verb, *(f"the {_noun(one, lexicon)}" for one in (thing,) if one)]
    words += [f"from the {_noun(source, lexicon)}"] if source else []
    words += [f"{relation or 'at'} the {_noun(parts[1], lexicon)}"] if len(parts) > 1 else []
    return f"{' '.join(words).capitalize()}."


def _noun(text: str, lexicon: Lexicon) -> str:
    """Return the noun of "toilet=Toilet", and what people call a category that stands alone."""
    noun = text.partition("=")[0].strip()
    return lexicon.kind(noun).noun if noun in lexicon.kinds else noun
