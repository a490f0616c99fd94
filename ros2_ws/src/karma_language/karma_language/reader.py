# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Who reads what was said: the rules at once what they read whole and plain, a language model everything else.

If the model is late, away or senseless, the rules' reading counts, if it leaves nothing unread.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from karma_language.dialogue.social import social_in
from karma_language.dialogue.utterances import words_of
from karma_language.model_reader import Context, ModelReader
from karma_language.model_reader.asking import LONGEST
from karma_language.models import CanceledError, Model, ModelError, Waiting
from karma_language.parser import asks_of_you, commands
from karma_language.phrases.nouns import Names
from karma_language.questions.questions import read_questions
from karma_language.questions.sentence_classifier import SURE, Act, Utterance, classifier
from karma_language.reading import Deed, Goal, Kind, Need, Question, Reading, Request, Social, Stop, Telling, Told
from karma_language.requests.belonging import Belonging
from karma_language.requests.prohibitions import stands
from karma_language.requests.remarks import knows_all, without_remarks
from karma_language.things import Relation, Thing
from karma_language.told.corrections import withdraws
from karma_language.told.reader import read_told
from karma_language.vocabulary import household
from karma_language.vocabulary.languages import ENGLISH, language_of
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.vocabulary.verbs import is_known, sense_of_first, verb_at
from karma_language.vocabulary.words import AUXILIARIES, QUESTION_WORDS, SENTENCE_END, each

_MARK = re.compile(r"[,:?=–—-]")
_TAG = re.compile(r",\s*(?:would|will|could|can) you(?:,? please)?\W*$", re.IGNORECASE)
""""Switch it off, WOULD YOU?" asks for nothing but what it stands behind."""
_ALL_ROUND = frozenset(("around", "everywhere", "anywhere"))
_ASKING = frozenset((*AUXILIARIES, *QUESTION_WORDS))
RULES = "rules"
"""`Reading.reader` of what was read without a model."""
_STOP = re.compile(
    r"\W*(?:(?:please|hey|ok|okay|karma|robot|no|just|oh)\b\W*)*(?:stop|halt|freeze|cancel|abort)"
    r"(?:[\s,]+(?:it|that|everything|all|there|what you(?:'re|’re| are) doing|do(?:n't| not) move|right|now|please"
    r"|robot|karma|at once|and|do nothing|more|else))*(?P<end>\W*)",
    re.IGNORECASE,
)
"""Must work at once and without a model."""
_THEN = re.compile(r"^(?:(?:and|but|then|now|instead)\b\W*)+", re.IGNORECASE)
"""What joins to "stop" what is wanted in its place."""
_OF_THE_MOMENT = ("own", "likes", "staying")
"""What may be said of oneself in passing: "I have no idea", "I love it", "I'm on my way"."""
_MODAL = frozenset(each("would should could must need want wish hope think"))
"""What says that somebody wants something, in whatever form."""
_REMINDS = re.compile(
    rf"\W*(?:please,? )?remind (?:me|us)\b(?! (?:{'|'.join(sorted(QUESTION_WORDS))}|if)\b)(?=[^?.!;,]* to )"
    r"[^?.!;,]+[.!]?\s*",
    re.IGNORECASE,
)
"""What the robot can do no more about than to remember it."""
_EVER = re.compile(
    r"\W*(?:(?:please|and|so|also|but|well)\b\W*)*(?:always|from now on|never leave)\b[^?.!;]*[.!]?\s*", re.IGNORECASE
)
"""What is to hold from now on, and not to be done now: "ALWAYS close the fridge"."""
_ON_LIST = re.compile(r"\b(?:on|to|onto) (?:the|my|our) (?:\w+ )?list\b", re.IGNORECASE)
_WE_NEED = re.compile(
    r"\W*(?:(?:and|oh|also)\b\W*)*(?:we (?:(?:also|still) )?need|i (?:(?:also|still) )?"
    r"(?:(?:need|have|must) to (?:buy|get)"
    r"|need (?:some )?new))\b",
    re.IGNORECASE,
)
_LOOKING = frozenset((Deed.FIND, Deed.EXPLORE, Deed.EXAMINE, Deed.OTHER))
"""What an answer serves as well: "LOOK ON THE TABLE and tell me what is there"."""


def after_stop(text: str) -> str | None:
    """Return what else is said in words that begin with "stop", "" for nothing; None for words that begin otherwise."""
    rest, begins = _TAG.sub("", text[:LONGEST]), False
    while len(text) <= LONGEST and (found := _STOP.match(rest)) is not None:
        begin, behind = rest[: found.end()].lower(), rest[found.end() :]
        if behind and not (found["end"].strip() or (begin.endswith(" and ") and "freeze" not in begin)):
            break  # "stop the music"
        rest, begins = _THEN.sub("", behind), True
    if not begins:
        return None
    return rest if len(words_of(rest)) > 1 else ""


class Grammar(Protocol):
    """Reads requests in English."""

    def read(self, text: str, names: dict[str, tuple[str, ...]] | None = None) -> Reading:
        """Return the reading of an utterance, with the words that it leaves over."""

    def belongings(self, told: str) -> Sequence[Belonging]:
        """Return what somebody tells of whose things are, and where they belong."""


class Rules:
    """Reads English without a language model.

    A classifier says whether somebody asks, wants, tells or chats; the grammar reads what they want.
    """

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar

    def read(self, text: str, now: float, names: Names) -> Reading:
        """Return the reading of an utterance, with the words that it leaves over."""
        read = _where_asked(self._read(text, now, names))
        before, behind = text[: max(text.rfind(","), 0)], text[text.rfind(",") + 1 :]
        asks = bool(read.items) and all(isinstance(item, Question) for item in read.items)
        asks = asks and not _ASKING.isdisjoint(words_of(behind)[:1])
        if asks and _of_self(before, now):  # "I'M ALLERGIC TO NUTS, did you know?"
            return read.model_copy(update={"items": (Told(quote=before.strip()), *read.items)})
        return read

    def _read(self, text: str, now: float, names: Names) -> Reading:
        if (rest := after_stop(text)) is not None:
            more = self._read(rest, now, names) if rest else Reading(reader=RULES)
            asks = _wants(more) or any(isinstance(item, Question) for item in more.items)
            kept = more.told and (stands(rest) or any(_tells(one.quote, now) for one in more.told))
            return more if asks or kept else Reading(reader=RULES, items=(Stop(quote=text.strip()),))
        if withdraws(text) and not _wants(self._grammar.read(text, dict(names))):
            return Reading(reader=RULES, items=(Told(quote=text.strip()),))
        if stands(text):
            return Reading(reader=RULES, items=(Told(quote=text.strip()),))
        if self._notes(text, now) or self._says_whose(text):
            return Reading(reader=RULES, items=(Told(quote=text.strip()),))
        questions = read_questions(_TAG.sub("", text), now, names=names)
        if any(question.kind is not Kind.TOLD for question in questions):
            return self._with_requests(text, questions, names)
        read = self._grammar.read(text, dict(names))
        if not (whole(read) and knows_all(read)):
            read = without_remarks(text, lambda part: self._grammar.read(part, dict(names))) or read
        does = whole(read) and _wants(read)
        known = does and _names(read)
        language = ENGLISH if known else language_of(text)
        heard = _utterance(text, names)
        act, sure = heard.act, heard.probability >= SURE
        if known or (does and language == ENGLISH and not (sure and act is not Act.WANTS)):
            return read
        if not does and not questions:
            asked = read_questions(text, now, names=names, hints=True)
            if any(question.kind is not Kind.TOLD for question in asked):
                return Reading(reader=RULES, items=asked)
        if (social := social_in(text, heard)) is not None:
            parts = _parts(text) or [text.strip()]
            besides = tuple(Told(quote=part) for part in parts if _tells(part, now))  # "Hi! I'm allergic to nuts."
            return Reading(reader=RULES, items=(social, *besides))
        if language != ENGLISH:
            return Reading(reader=RULES, language=language, unread=(text.strip(),))
        if act is Act.ASKS and questions:
            return Reading(reader=RULES, items=questions)
        if act is Act.TELLS and not (
            commands(text) and sense_of_first(text) not in ("", "put")
        ):  # "keep in mind that …"
            if asks_of_you(text):
                return Reading(reader=RULES, unread=(text.strip(),))
            told = read.items if whole(read) and not _requests(read) else (Told(quote=text.strip()),)
            return Reading(reader=RULES, items=told, unread=() if sure else read.unread)
        if _requests(read):
            return read
        states = act is not Act.ASKS and not sure and _MODAL.isdisjoint(words_of(text))
        if states and [one.quote for one in read.told] == [text.strip(" .!")]:
            return read  # a statement to the grammar
        each = [(part, classifier().hear(part, names).act) for part in _parts(text)]
        if any(act is Act.TELLS for _, act in each) and all(act in (Act.TELLS, Act.CHATS) for _, act in each):
            return Reading(reader=RULES, items=tuple(Told(quote=part) for part, act in each if act is Act.TELLS))
        belongs = bool(self._grammar.belongings(text))  # kept, though it may ask for something, too
        told = (Told(quote=text.strip()),) if belongs else ()
        return Reading(reader=RULES, items=told, unread=(text.strip(),)) if told or read.told else read

    def _notes(self, text: str, now: float) -> bool:
        """Whether words are only to be kept: reminders, what always holds, what has to be bought; and want no more."""
        kept = _REMINDS.fullmatch(text) or _EVER.fullmatch(text) or self._to_buy(text, now)
        words = words_of(text) if kept else []
        return bool(kept) and not any(
            word in ("and", "so", "then") and verb_at(words, at) is not None for at, word in enumerate(words, 1)
        )

    def _to_buy(self, text: str, now: float) -> bool:
        """Whether words say what a household needs, and not what is to be brought: "we also need eggs"."""
        if not (listed := _ON_LIST.search(text)) and not _WE_NEED.match(text):
            return False
        if not any(one.relation == "to buy" and one.kind is Telling.FACT for one in read_told(text, now)):
            return False
        read = self._grammar.read(text)
        goals = [goal for item in read.items if isinstance(item, Request) for goal in item.goals]
        return listed is not None or all(
            goal.do is Deed.BRING and goal.to is None and goal.thing is not None and _of_any_kind(goal.thing)
            for goal in goals
        )

    def _says_whose(self, text: str) -> bool:
        """Whether words say whose a thing is, without a verb that shows it: "the book on the desk? Mine"."""
        marked = _MARK.search(text) is not None and not text.rstrip().endswith("?") and not commands(text)
        return marked and any(one.alone for one in self._grammar.belongings(text))

    def _with_requests(self, text: str, questions: tuple[Question, ...], names: Names) -> Reading:
        """Return questions with what is to be done before: "OPEN THE FRIDGE and tell me what is in it"."""
        asked = Reading(reader=RULES, items=questions)
        read = self._grammar.read(_TAG.sub("", text), dict(names))
        quotes = [item.quote for item in read.items if isinstance(item, Question)]
        goals = [goal for item in read.items if isinstance(item, Request) for goal in item.goals]
        acts = whole(read) and any(goal.do not in _LOOKING or _has_to_look(goal) for goal in goals)
        if not (acts and len(quotes) == len(questions)):
            return asked
        requests = [item for item in read.items if not isinstance(item, Question)]
        told = (one.model_copy(update={"quote": quote}) for one, quote in zip(questions, quotes, strict=True))
        return read.model_copy(update={"items": (*requests, *told)})

    def tells(self, text: str) -> bool:
        """Whether words tell something."""
        return classifier().hear(text).act is Act.TELLS


def _of_any_kind(thing: Thing) -> bool:
    """Whether any of a kind that is bought will do: "eggs", "some bread"."""
    mass = any(household().kind(category).mass for category in thing.categories)
    return not thing.definite and (thing.plural or mass) and not thing.number


def _utterance(text: str, names: Names) -> Utterance:
    """Return what a whole text is; one of several sentences that wants something outweighs what they tell."""
    heard = classifier().hear(text, names)
    each = (classifier().hear(part, names) for part in (_parts(text) if heard.act is Act.TELLS else ()))
    return next((one for one in each if one.act is Act.WANTS and one.probability >= SURE), heard)


def _parts(text: str) -> list[str]:
    """Return the sentences of a text that has several."""
    parts = re.split(SENTENCE_END, text.strip())
    return parts if len(parts) > 1 else []


def _tells(sentence: str, now: float) -> bool:
    """Whether a sentence tells something, maybe behind a formula: "hello, I'M RUTH"."""
    return classifier().hear(sentence).tells or _of_self(sentence, now)


def _of_self(sentence: str, now: float) -> bool:
    """Whether somebody tells a fact of themselves."""
    facts = (one for one in read_told(sentence, now) if one.kind is Telling.FACT and one.of == ("me",))
    return any(one.relation not in _OF_THE_MOMENT for one in facts)


def _has_to_look(goal: Goal) -> bool:
    """Whether nothing but looking will do: into what may be shut, or "go and check"."""
    return goal.do is Deed.EXPLORE and (goal.to is None or goal.to.relation is Relation.IN)


def _where_asked(read: Reading) -> Reading:
    """Return a reading that says what to look into: "is there one in the fridge? GO AND CHECK"."""
    places = (item.place for item in read.items if isinstance(item, Question))
    place = next((one for one in places if one is not None and one.relation is Relation.IN), None)

    def there(goal: Goal) -> Goal:
        bare = goal.do is Deed.EXPLORE and goal.thing is None and goal.to is None
        bare = bare and _ALL_ROUND.isdisjoint(words_of(goal.quote))
        return goal.model_copy(update={"to": place}) if bare else goal

    if place is None:
        return read
    items = (
        item.model_copy(update={"goals": tuple(map(there, item.goals))}) if isinstance(item, Request) else item
        for item in read.items
    )
    return read.model_copy(update={"items": tuple(items)})


def _requests(read: Reading) -> bool:
    return any(isinstance(item, Request | Need) for item in read.items)


def _names(read: Reading) -> bool:
    """Whether something is wanted of a thing that is known: "keep up the good work" is not."""
    goals = [goal for item in read.items if isinstance(item, Request) for goal in item.goals]
    places = [goal.to.thing for goal in goals if goal.to is not None]
    things = [*(goal.thing for goal in goals if goal.thing is not None), *places]
    known = any(thing.categories or thing.loosely or thing.room or thing.pronoun for thing in things)
    return known or bool(goals and not things)


def _wants(read: Reading) -> bool:
    """Whether something is wanted that a skill does: "remind me" is not."""
    goals = [goal for item in read.items if isinstance(item, Request) for goal in item.goals]
    return any(goal.do is not Deed.OTHER for goal in goals) or any(isinstance(item, Need) for item in read.items)


@dataclass(frozen=True)
class Read:
    """A reading, and what it took."""

    reading: Reading
    seconds: float = 0.0
    calls: int = 0
    """Answers of the model."""
    memories: int = 0
    """Of the context's memories, from the first on, that the model was told."""
    plain: str = ""
    """What the model made of the words, in plain English; "" where it did not read them."""
    problem: ModelError | None = None
    """Why the model did not read it, where it was asked."""


class Reader:
    """Reads what people say."""

    def __init__(
        self,
        rules: Rules,
        model: Model | None,
        lexicon: Lexicon,
        *,
        repairs: int = 2,
    ) -> None:
        """`model`: None for the rules alone; `repairs`: times that it is asked again where its answer is no use."""
        self._rules = rules
        self._model = None
        if model is not None:
            self._model = ModelReader(model, rules.read, lexicon, repairs=repairs)

    def read(
        self,
        text: str,
        context: Context,
        waiting: Waiting,
        *,
        objection: Callable[[Reading], str] = lambda reading: "",
        unknown: Callable[[Reading], bool] = lambda reading: False,
        answered: Callable[[], bool] = lambda: False,
        again: int = 0,
    ) -> Read:
        """Return a reading, which may leave words unread. Raises CanceledError alone.

        `objection` says why a reading makes no sense, "" where it may; `unknown`: whether it names what nobody knows;
        `answered`: whether the memory answers the words as they stand;
        `again`: times that the words were read before and meant something else: then the model reads them otherwise.
        """
        began = time.monotonic()
        read = self._rules.read(text[:LONGEST], context.now, context.names)
        if self._model is None:
            return Read(read, time.monotonic() - began)
        plain = at_once(read)
        sure = (_asks(read) and answered()) or (plain and not unknown(read))
        if len(text) > LONGEST or not text.strip() or (sure and not again):
            return Read(read, time.monotonic() - began)
        known = context if plain else replace(context, memories=())  # they may say where to put it

        def wrong(meant: Reading) -> str:
            invented = meant.language == ENGLISH and len(meant.told) == len(meant.items) and not read.told
            return "the person wants or asks something" if invented else objection(meant)

        try:
            asked = self._model.read(text, known, waiting, objection=wrong, variation=again)
        except CanceledError:
            raise
        except ModelError as error:
            return Read(read, time.monotonic() - began, problem=error)
        return Read(asked.reading, time.monotonic() - began, asked.calls, asked.memories, asked.plain)


def whole(reading: Reading) -> bool:
    """Whether a reading says something and leaves no word over."""
    return bool(reading.items) and not reading.unread


def _asks(reading: Reading) -> bool:
    """Whether a reading is a question and nothing else."""
    return whole(reading) and all(isinstance(item, Question) for item in reading.items)


def at_once(reading: Reading) -> bool:
    """Whether rules have read all of the words: no model reads that better.

    What is told the memory reads. Questions that no frame fits go to the model, though rules account for their words,
    and so does what is to be done by a verb that they do not know.
    """
    goals = [goal for item in reading.items if isinstance(item, Request) for goal in item.goals]
    strange = any(goal.do is Deed.OTHER and not is_known(goal.verb) for goal in goals)
    return (
        whole(reading)
        and not strange
        and all(
            isinstance(item, Request | Need | Social | Stop | Told)
            or (isinstance(item, Question) and item.kind is not Kind.TOLD)
            for item in reading.items
        )
    )
