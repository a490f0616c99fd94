# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Questions in English, without a language model.

What a sentence asks for is its class (sentence_classifier.py); what it names is put into that (filling.py).
What is said beside a question is what it is about ("the keys. Where are they?"), or a remark.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator

from karma_language.phrases.nouns import Names
from karma_language.phrases.set_phrases import MAKES_SURE
from karma_language.phrases.times import take_clause
from karma_language.questions.filling import filled, needs_thing
from karma_language.questions.sentence_classifier import KINDS, classifier
from karma_language.questions.shapes import MARK, Shape, plain
from karma_language.questions.topics import about_what, with_topic
from karma_language.reading import Kind, Question
from karma_language.things import Relation, Span, Thing, Where
from karma_language.vocabulary import household
from karma_language.vocabulary.languages import ENGLISH, language_of
from karma_language.vocabulary.tokens import tokens_of
from karma_language.vocabulary.verbs import verb_at
from karma_language.vocabulary.word_meanings import begins_with_verb
from karma_language.vocabulary.words import AUXILIARIES, PERSONS, QUESTION_WORDS, each

_SURE = 0.95
"""Probability from which a sentence without a question mark asks something beside another one."""
_LONGEST = 1000
"""Characters that are read."""
_ENDS = ("?", "!", ".", "...", "..", "....", "…", ";", "(", ")")
_HALF_DAY = re.compile(r"\b([ap])\.m\b\.?", re.IGNORECASE)
_DOUBT = re.compile(r", or (?:am|was|did|do|have) i\b[^.?!]*", re.IGNORECASE)
"""Doubt behind a question: "is it in the box, OR AM I WRONG?"."""
_OF_THE_HOME = frozenset(("where", "state", "which", "how_many", "contents", "exists"))
_ASKED_OF_YOU = re.compile(r"(?:can|could|will|would) you (?:please |kindly )?")
_TELLING = frozenset(("", "look", "find", "search", "check", "explore", "give", "go"))
"""Senses of verbs that a question may have: "can you SEE a mug?", "can you SHOW me where it is?"; "" of none."""
_MAKING = frozenset(each("prepare make build fix repair vacuum sweep dust mop iron fold"))
"""Verbs that no skill serves, and that no question of the home has."""
_JOINED = re.compile(
    r",? (?:and )?if (?:so|yes|there (?:is|are)),? (?:tell me )?(?=(?:how|where|what|when|who|why)\b)"
    rf"|,? and (?=(?:{'|'.join(sorted(QUESTION_WORDS | set(AUXILIARIES)))})(?:n?['’]\w+)? (?!and\b|or\b))",
    re.IGNORECASE,
)
"""What joins two questions: "where is it, and is it clean?"."""
_SHORT = frozenset(each("how many much long often where when why who what which room"))
"""Questions that an earlier one completes: "is there any bread? where?"."""
_COMPLETING = {
    "many": Kind.COUNT,
    "often": Kind.COUNT,
    "much": Kind.COUNT,
    "where": Kind.WHERE,
    "room": Kind.WHERE,
    "when": Kind.WHEN,
    "long": Kind.HOW_LONG,
    "why": Kind.WHY,
    "who": Kind.WHO,
}
"""Last word of a question that another completes → what it asks for."""
_BESIDE = ("and", "or", "exactly", "times", "time", "ones", "is", "are", ",")
_BEFORE_TOPIC = ("and", "about", "what", "of", "how", ",")
_BEFORE_VERB = frozenset(each("and then so please now just also if yes no , ok okay hey"))
_OF_A_TIME = (Kind.CHANGED, Kind.DID, Kind.ASKED, Kind.HAPPENED, Kind.LOOKED)
_OF_EACH = (Kind.EXISTS, Kind.WHERE, Kind.COUNT, Kind.STATE)
_WAS = re.compile(r"\b(?:was|were)\b", re.IGNORECASE)
_SO_FAR = re.compile(
    r"^(?!.*(?:\b(?:not|never|still|left|open|yet|have to|un[a-z]+|fail\w*|miss\w*|remain\w*)\b|n['’]t\b))"
    r".*\b(?:so far|(?:up to|until|till) now|to date)\b"
)
_TOLD_TO = re.compile(r"\bt(?:old|ells?) you to [a-z]")
_CAN_YOU_DO = re.compile(
    r"^\W*(?:can|could|would|will) you (?:please )?"
    r"(?:make|create|prepare|arrange|organi[sz]e|set|lay|put|bring|get|give)\b"
)
"""What asks for a deed, and not whether something is there: "CAN YOU CREATE a calming setup in my office?"."""
_COME_FROM = re.compile(r"^\W*(?:and |so |but )?where (?:did|has|had) .*\bc(?:ome|ame) from\b")
_AND = re.compile(r"(?:<\d+> ,? ?)+and <\d+>")
_EITHER = re.compile(r"(?:<\d+> ,? ?)+(?:and|or) <\d+>")
"""Of what is there each is asked about: "is there a pan OR a pot on the stove?"."""


def read_question(text: str, now: float, *, names: Names | None = None) -> Question | None:
    """Return what words ask for, None where they are no question, or ask for more than an answer.

    The last of several that the memory answers; see read_questions.
    """
    found = read_questions(text, now, names=names)
    asked = next((one for one in reversed(found) if one.kind is not Kind.TOLD), found[0] if found else None)
    return asked.model_copy(update={"quote": text}) if asked is not None else None


def read_questions(
    text: str, now: float, *, names: Names | None = None, hints: bool = False, orders: bool = False
) -> tuple[Question, ...]:
    """Return all that words ask for, nothing where they are no question, or ask for more than an answer.

    `now`: seconds, when it was said; `names`: what things of this home are called besides → categories; `hints`:
    whether to pass over what is said beside a question and orders nothing: "is it on? I smell something"; `orders`:
    what orders something, too. A question of none of the kinds that the robot knows, and one about people, is of kind
    TOLD: only what people told answers it.
    """
    if language_of(text[:_LONGEST]) != ENGLISH:
        return (Question(quote=text, kind=Kind.TOLD),) if "?" in text else ()
    found: list[Question] = []
    topic: Thing | None = None
    time: Span | None = None
    place: Where | None = None
    remark = doubtful = False
    before: _Sentence | None = None
    for said, asks in _sentences(text[:_LONGEST]):
        sentence = _Sentence(said, asks, lambda part: _classified(part, now, names))
        named = sentence.topic()
        told_only = all(one.kind is Kind.TOLD for one in found)
        echo = sentence.echo(before) if before is not None and told_only else None
        if echo is not None:
            found = [echo]
        elif found and (short := sentence.short()):
            found[-1] = _completed(found[-1], short)
        elif sentence.time is not None and sentence.says_nothing:  # "and at nine?"
            found += [one.model_copy(update={"time": sentence.time, "quote": said}) for one in found[-1:]]
        elif named is not None and asks and (found or named.categories):
            asked = found[-1] if found else Question(quote=said, kind=Kind.WHERE)  # "my keys?"
            found.append(asked.model_copy(update={"thing": named, "quote": said}))
        elif (several := sentence.questions()) and (not found or asks or sentence.probability >= _SURE):
            spoken_of = about_what(found[-1]) if found else topic
            if asks and doubtful and found[-1].kind is several[-1].kind:
                found = []  # "I've asked you for a lot, sorry. What's left?"
            doubtful = not (found or asks or sentence.probability >= _SURE)
            there = place or _place_of(topic)
            asked_of = [_there(_timed(with_topic(spoken_of, one), time), there) for one in several]
            asked_of = [_alike(one, found[-1]) for one in asked_of] if found else asked_of
            if remark and not hints and asked_of == [*several]:
                return ()  # it has nothing to do with what was told
            found, remark = [*found, *asked_of], False
        elif (sentence.orders and not orders) or (
            not hints and (sentence.acts or (sentence.tells and not found and sentence.places))
        ):
            return ()
        else:
            remark = remark or (sentence.tells and not found)
            topic = named or sentence.thing or topic
        before = sentence
        time, place = sentence.time or time, sentence.place or place
    if remark and not found and "?" in text:  # "somebody moved my pillow. Who?"
        whole = _Sentence(text[:_LONGEST], True, lambda part: _classified(part, now, names))
        found = [*whole.questions()] if whole.probability >= _SURE else []
    if len(found) > 1 and any(one.kind is not Kind.TOLD for one in found):
        found = [one for one in found if one.kind is not Kind.TOLD]
    return (found[0].model_copy(update={"quote": text}),) if len(found) == 1 else tuple(found)


def continued(question: Question, before: Question | None) -> Question:
    """Return a question with what the one asked before was about, where it leaves that out.

    One that only names another thing, or place, is the one before, of that: "and the TV?", "and on the shelf?".
    """
    first = next((token.word for token in tokens_of(question.quote)), "")
    leads = before is not None and first in _BEFORE_TOPIC
    sentence = _Sentence(question.quote, True, lambda part: _classified(part, 0.0, None)) if leads else None
    there = sentence.only_place() if sentence is not None else None
    if before is not None and there is not None and (before.place is not None or before.kind is Kind.WHERE):
        kind = Kind.EXISTS if before.kind is Kind.WHERE else before.kind
        return before.model_copy(update={"kind": kind, "place": there, "quote": question.quote})
    spoken_of = about_what(before) if before is not None else None
    pointing = [one for one in (question.thing, question.place and question.place.thing) if one and one.pronoun]
    if pointing or (question.kind is Kind.WHO and about_what(question) is None):  # "what is in there?", "says who?"
        return with_topic(spoken_of, question)
    thing = sentence.topic() if sentence is not None else None
    kinds = thing.categories if thing is not None else ()
    holds = any(household().can(kind, "hold") and not household().can(kind, "pickup") for kind in kinds)
    if before is not None and before.kind is Kind.CONTENTS and before.thing is None and holds:
        return before.model_copy(update={"place": _place_of(thing), "quote": question.quote})
    if before is None or before.thing is None or thing is None:
        return question
    return before.model_copy(update={"thing": question.thing or thing, "quote": question.quote})


def _classified(said: str, now: float, names: Names | None) -> tuple[str, float, Shape]:
    """Return class, probability and shape of a sentence; a clause that names all that there is belongs to it."""
    kind, probability, shape = classifier().read(said, now, names)
    if not shape.named and (shape.time is None or shape.time.lead) and take_clause(said)[1] is not None:
        whole = classifier().read(said, now, names, clauses=False)
        if whole[2].named and (needs_thing(kind) or whole[1] > probability):
            return whole  # "how long is it since you saw the mug?"
    return kind, probability, shape


def _sentences(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the sentences of a text as said, and whether each has a question mark."""
    text = _DOUBT.sub("", _HALF_DAY.sub(r"\1m", text))
    ends = [(token.start, token.end, token.word == "?") for token in tokens_of(text) if token.word in _ENDS]
    begin = 0
    for start, end, asks in (*ends, (len(text), len(text), False)):
        if any(map(str.isalnum, text[begin:start])):
            yield text[begin:end].strip(" ,"), asks
        begin = end


class _Sentence:
    """A sentence that may be a question."""

    def __init__(self, said: str, asks: bool, classify: Callable[[str], tuple[str, float, Shape]]) -> None:
        """`classify` returns class, probability and shape of a part."""
        self._said = said
        self._asks = asks
        self._classify = classify
        kind, self.probability, self._shape = classify(said)
        self._kind = _by_words(kind, said.casefold(), self._shape)
        if self._asks_for_a_deed():
            self._kind = "request"

    def _asks_for_a_deed(self) -> bool:
        """Whether it asks the robot to do what is seen afterwards: "can you PREPARE my breakfast on the table?"."""
        said = " ".join(itertools.dropwhile(_BEFORE_VERB.__contains__, plain(self._said).casefold().split()))
        asked = _ASKED_OF_YOU.match(said)
        if MAKES_SURE.match(said, asked.end() if asked is not None else 0) is not None:
            return True
        verb = verb_at(said[asked.end() :].split(), 0) if asked is not None else None
        of_home = self._kind in _OF_THE_HOME
        return of_home and verb is not None and (verb.sense not in _TELLING or verb.base in _MAKING)

    @property
    def acts(self) -> bool:
        """Whether the robot is to do something."""
        return self.orders or (self._kind == "request" and len(self._shape.words) > 2)

    @property
    def orders(self) -> bool:
        """Whether it says what the robot is to do."""
        if KINDS[self._kind] is not None:
            return False
        words = [*itertools.dropwhile(_BEFORE_VERB.__contains__, self._shape.words)]
        return begins_with_verb(" ".join(words)) or (self._kind == "request" and self._asks)

    @property
    def tells(self) -> bool:
        """Whether it tells what should be kept."""
        known = any(thing.categories or thing.room for thing in self._shape.marked)
        return self._kind == "statement" and known and len(self._shape.words) > 2

    @property
    def places(self) -> bool:
        """Whether it says where something is, or was put."""
        return bool(self._shape.places) or sum(bool(thing.categories) for thing in self._shape.things) > 1

    @property
    def thing(self) -> Thing | None:
        """The last thing that it names, which "it" means in the next sentence; None for none."""
        return next((thing for thing in reversed(self._shape.things) if thing.categories), None)

    @property
    def place(self) -> Where | None:
        """The last place that it names, None for none."""
        rooms = (Where(relation=Relation.IN, thing=room) for room in reversed(self._shape.rooms))
        return next(reversed(self._shape.places), next(rooms, None))

    @property
    def time(self) -> Span | None:
        """The time that it names by the clock or the calendar; None for none."""
        time = self._shape.time
        return time if time is not None and not time.lead else None

    def short(self) -> str:
        """Return the question word of a sentence that has nothing else, "" for all others."""
        words = [word for word in self._shape.words if word not in _BESIDE]
        return words[-1] if words and {*words} <= _SHORT else ""

    @property
    def says_nothing(self) -> bool:
        """Whether it has no words but auxiliaries and pronouns, beside a time: "and at nine?", "is she right?"."""
        return {*self._spoken} <= {*_BESIDE, *AUXILIARIES, *PERSONS, "not", "there", "then", "right", "true", "correct"}

    @property
    def _spoken(self) -> list[str]:
        """Its words without those that only point to something."""
        pointing = {f"<{at}>" for at, thing in enumerate(self._shape.marked) if thing.pronoun}
        return [word for word in self._shape.words if word not in pointing]

    def echo(self, before: _Sentence) -> Question | None:
        """Return what it asks of what was said before, if that alone: "she says it is full. IS IT?", "WHICH ONES?"."""
        thing, state = before.thing, next(iter(before._shape.states), "")
        if thing is None:
            return None
        words = [word for word in self._spoken if word not in _BESIDE]
        kind = _COMPLETING.get(words[-1]) if words and {*words} <= _SHORT else None
        if words == ["which"]:
            kind = Kind.WHICH if state else Kind.WHERE
        elif self._asks and self.says_nothing and self._spoken:
            kind = Kind.STATE if state else Kind.EXISTS
        return Question(quote=before._said, kind=kind, thing=thing, state=state, place=before.place) if kind else None

    def topic(self) -> Thing | None:
        """Return the thing that is all that it names, None for all others: "and the lamp?", "what a lot of chairs!"."""
        words = [word for word in self._shape.words if word not in _BEFORE_TOPIC]
        return self._shape.marked[0] if len(words) == 1 and MARK.fullmatch(words[0]) else None

    def only_place(self) -> Where | None:
        """Return the place that is all that it names, None for all others: "and on the shelf?"."""
        words = [word for word in self._shape.words if word not in _BEFORE_TOPIC]
        alone = len(self._shape.marked) == 1 and len(words) == 2 and MARK.fullmatch(words[1])
        return self.place if alone else None

    def questions(self) -> tuple[Question, ...]:
        """Return what it asks for; the same of several things is asked of each."""
        parts = _JOINED.split(self._said)
        if len(parts) > 1:
            read = [(part, *self._classify(part)) for part in parts]
            read = [one for one in read if not _only_asks_what(one[3])] or read
            each_asks = [filled(kind, shape, part) for part, kind, _, shape in read]
            several = [one for one in each_asks if one is not None and one.kind is not Kind.TOLD]
            if len(several) == len(read):
                return tuple(with_topic(about_what(several[0]), one) for one in several)
        asked, first = filled(self._kind, self._shape, self._said), next(iter(self._shape.words), "")
        if asked is not None and asked.kind is Kind.TOLD and first in ("he", "she", "they") and not self._asks:
            return ()  # "he gave it to Anna"
        if asked is None:
            asks = self._kind == "general" and (self._asks or first in QUESTION_WORDS or first in AUXILIARIES)
            return (Question(quote=self._said, kind=Kind.TOLD, time=self._shape.time),) if asks else ()
        either = asked.kind is Kind.EXISTS
        joined = (_EITHER if either else _AND).search(" ".join(self._shape.words))
        things = [self._shape.marked[int(mark)] for mark in MARK.findall(joined[0])] if joined is not None else []
        if asked.kind in _OF_EACH and asked.thing in things:
            return tuple(asked.model_copy(update={"thing": thing}) for thing in things)
        return (asked,)


def _by_words(kind: str, said: str, shape: Shape) -> str:
    """Return the class of a sentence where single words outweigh the rest of it."""
    if kind in ("undone", "unseen") and _SO_FAR.search(said):
        return "did" if kind == "undone" else "looked"
    if kind == "who_told" and _TOLD_TO.search(said):
        return "who_asked"
    if kind == "exists" and _CAN_YOU_DO.match(said):
        return "request"
    known = any(thing.categories for thing in shape.things)
    return "where" if known and _COME_FROM.match(said) else kind


def _only_asks_what(shape: Shape) -> bool:
    """Whether it asks for no more than what the question before it does: "did you do anything, AND WHAT WAS IT?"."""
    return {word for word in shape.words if not MARK.fullmatch(word)} <= {"what", "was", "were"} and not shape.named


def _timed(question: Question, time: Span | None) -> Question:
    """Return a question about the past that names no time with the one that was named before it."""
    before = question.time is not None and question.time.bare  # "I was out at 5. Where was it?"
    before = before or (question.kind in _OF_EACH and _WAS.search(question.quote) is not None)
    if time is None or not (question.kind in _OF_A_TIME or before):
        return question
    if question.time is not None and not question.time.lead:
        return question
    if question.kind is Kind.CHANGED and time.at is not None:
        time = time.model_copy(update={"at": None, "since": time.at})  # "I left at nine. What has changed?"
    return question.model_copy(update={"time": time})


def _alike(question: Question, before: Question) -> Question:
    """Return a question for "which ones" with the state of the one before: "are any mugs dirty? Which ones?"."""
    same = question.kind is Kind.WHICH and question.thing == before.thing and question.thing is not None
    return question.model_copy(update={"state": before.state}) if same and not question.state else question


def _place_of(thing: Thing | None) -> Where | None:
    """Return what is on, or in, a thing that was spoken of: "I'd like to clear the bed. What is there?"."""
    if thing is None or not thing.categories:
        return None
    return Where(relation=Relation(household().kind(thing.categories[0]).relation), thing=thing)


def _there(question: Question, place: Where | None) -> Question:
    """Return a question about what is "there", or has changed, with the place that was named before it."""
    if place is None or question.place is not None or question.thing is not None:
        return question
    there = question.kind is Kind.CONTENTS and "there" in (token.word for token in tokens_of(question.quote))
    if not there and not (question.kind is Kind.CHANGED and place.thing.room):
        return question
    return question.model_copy(update={"place": place})


def _completed(before: Question, short: str) -> Question:
    """Return a question with the one that only completes it: "is there any bread? how much?"."""
    kind = _COMPLETING.get(short, before.kind)
    of_deeds = before.kind in (Kind.DID, Kind.CHANGED, Kind.HOW_OFTEN)
    if kind is Kind.COUNT and of_deeds:  # "did you move it a lot? How many times?"
        return before.model_copy(update={"kind": Kind.HOW_OFTEN, "deed": before.deed or "move", "open": False})
    return before.model_copy(update={"kind": kind if before.thing is not None else before.kind})
