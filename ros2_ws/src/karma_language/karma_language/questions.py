# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Questions in English: which class a sentence is of (question_classifier.py), and what it names (question_shapes.py).

Without a language model. What is said beside a question is what it is about ("the keys. Where are they?"), or a remark.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from karma_language.noun_phrases import Names
from karma_language.question_classifier import KINDS, QuestionClassifier, classifier
from karma_language.question_shapes import MARK, Shape
from karma_language.reading import Kind, Question, Relation, Span, Thing, Where
from karma_language.states import STATES
from karma_language.tokens import tokens_of
from karma_language.vocabulary.languages import ENGLISH, language_of
from karma_language.word_meanings import Sort, begins_with_verb, means, sense_of
from karma_language.words import AUXILIARIES, ENDS, GENERIC, PEOPLE, PERSONS, QUESTION_WORDS, base_form, each

_LIKELY = 0.5
"""Probability from which a sentence is of a class."""
_SURE = 0.95
"""Probability from which a sentence without a question mark asks something beside another one."""
_LONGEST = 400
"""Characters that are read."""
_WH = QUESTION_WORDS
_HALF_DAY = re.compile(r"\b([ap])\.m\b\.?", re.IGNORECASE)
_JOINED = re.compile(
    r",? (?:and )?if (?:so|yes|there (?:is|are)),? (?:tell me )?(?=(?:how|where|what|when|who|why)\b)"
    rf"|,? and (?=(?:{'|'.join(sorted(QUESTION_WORDS | set(AUXILIARIES)))}) (?!and\b|or\b))",
    re.IGNORECASE,
)
"""What joins two questions: "where is it, and is it clean?"."""
_BY_SOMEBODY = re.compile(r"\b(?:[Dd]id|[Hh]as|[Dd]oes) (?:he|she|[A-Z][a-z]+)\b")
"""Somebody else did what is asked about; whether is not known by what the robot did."""
_OF_WHOEVER = frozenset((Kind.ASKED, Kind.DID, Kind.EXISTS, Kind.WHEN, Kind.HOW_OFTEN))
_NOT = re.compile(r"\b(?:is|are|was|were)(?:n['’]t| not)\b|\bnot (?:in|on|under)\b", re.IGNORECASE)
_EVERY = frozenset(each("all every each both"))
_SHORT = frozenset(each("how many much long often where when why who what which"))
"""Questions that an earlier one completes: "is there any bread? where?"."""
_OF_STATES = frozenset((Kind.STATE, Kind.WHICH, Kind.COUNT, Kind.HOW_LONG, Kind.WHY))
_WITH_VERB = frozenset(("did", "when_did", "how_often", "why", "why_not", "who"))
"""Classes of questions whose verb says what was done."""
_WAS = re.compile(r"\bwhere (?:was|were)\b(?!.*\b(?:last|you)\b)")
_FINDING = frozenset(each("find get fetch pick grab"))
_OF_IDLE = frozenset(("where", "which_room", "state", "who", "exists", "how_many", "when_did", "at_time"))
_PLACING = frozenset(each("put place leave bring take set stash move stick drop"))
"""What the robot did with a thing that it is asked for: "where did you put my card?"."""
_SUBJECTS = PERSONS | {"who"}
_AWAY = frozenset(each("out away up down over back"))
"""Particles that are no prepositions of place."""
_EMBEDDING = frozenset(each("tell know remember say mind wonder explain understand report list think hear spend"))
"""Verbs beside the one that says what was done: "can you TELL me …"."""
_OPERATED = frozenset(each("turn switch plug"))
"""Verbs with "on" or "off"."""
_OF_PLACES = frozenset((Kind.CONTENTS, Kind.CHANGED, Kind.HAPPENED, Kind.ROBOT))
_WITH_THING = frozenset((Kind.WHERE, Kind.STATE, Kind.COUNT, Kind.EXISTS, Kind.WHEN, Kind.HOW_LONG))
_SEEN = frozenset((Kind.WHERE, Kind.WHEN, Kind.WHO))
_OF_THINGS = _WITH_THING | {Kind.WHO, Kind.WHY, Kind.WHICH, Kind.SIZE}
_OF_NOTHING = frozenset((Kind.ASKED, Kind.ABLE, Kind.HAPPENED, Kind.ROBOT, Kind.HOLDING, Kind.CHANGED))


def read_question(text: str, now: float, *, names: Names | None = None) -> Question | None:
    """Return what words ask for, None where they are no question, or ask for more than an answer.

    The last of several that the memory answers; see read_questions.
    """
    found = read_questions(text, now, names=names)
    asked = next((one for one in reversed(found) if one.kind is not Kind.TOLD), found[0] if found else None)
    return asked.model_copy(update={"quote": text}) if asked is not None else None


def read_questions(text: str, now: float, *, names: Names | None = None) -> tuple[Question, ...]:
    """Return all that words ask for, nothing where they are no question, or ask for more than an answer.

    `now`: seconds, when it was said; `names`: what things of this home are called besides → categories. A question of
    none of the kinds that the robot knows, and one about people, is of kind TOLD: only what people told may answer it.
    """
    if language_of(text[:_LONGEST]) != ENGLISH:
        return (Question(quote=text, kind=Kind.TOLD),) if "?" in text else ()
    found: list[Question] = []
    topic: Thing | None = None
    for sentence, mark in _sentences(text[:_LONGEST]):
        reader = _Sentence(sentence, mark, classifier(), now, names)
        if found and (short := reader.short()):
            found[-1] = _completed(found[-1], short)
        elif found and mark == "?" and (named := reader.topic()) is not None:
            found.append(found[-1].model_copy(update={"thing": named, "quote": sentence}))
        elif mark == "?" and (named := reader.topic()) is not None and named.categories:
            found.append(Question(quote=sentence, kind=Kind.WHERE, thing=named))  # "my keys?"
        elif (asked := reader.question()) is not None and (not found or mark == "?" or reader.sure):
            before = _about_what(found[-1]) if found else topic
            found += [_same(before, one) or one for one in asked]
        elif reader.acts or (reader.tells and not found):
            return ()
        else:
            topic = reader.topic() or topic
    if len(found) > 1 and any(one.kind is not Kind.TOLD for one in found):
        found = [one for one in found if one.kind is not Kind.TOLD]
    return (found[0].model_copy(update={"quote": text}),) if len(found) == 1 else tuple(found)


def _sentences(text: str) -> Iterator[tuple[str, str]]:
    """Yield the sentences of a text as said, and what ends each: "?" or another mark."""
    text = _HALF_DAY.sub(r"\1m", text)
    begin = 0
    for token in tokens_of(text):
        if token.word in ("?", "!", ".", "...", "..", "....", "…", ";", "(", ")"):
            if any(map(str.isalnum, text[begin : token.start])):
                yield text[begin : token.end].strip(" ,"), token.word
            begin = token.end
    if any(map(str.isalnum, text[begin:])):
        yield text[begin:].strip(" ,"), ""


class _Sentence:
    """A sentence that may be a question."""

    def __init__(self, said: str, end: str, reader: QuestionClassifier, now: float, names: Names | None) -> None:
        self._said = said
        self._end = end
        self._classify: Callable[[str], tuple[str, float, Shape]] = lambda text: reader.read(text, now, names)
        self._kind, self._probability, self._shape = self._classify(said)
        asked = KINDS[self._kind]
        if not self._shape.named and self._shape.time is not None and self._shape.time.lead:
            whole = reader.read(said, now, names, clauses=False)
            wants = asked is None or asked.kind in _OF_THINGS or whole[1] > self._probability
            if whole[2].named and wants:  # "how long is it since you saw the mug?"
                self._kind, self._probability, self._shape = whole

    @property
    def sure(self) -> bool:
        """Whether it is clear what it is."""
        return self._probability >= _SURE

    @property
    def acts(self) -> bool:
        """Whether the robot is to do something."""
        asks = KINDS[self._kind] is not None
        return not asks and (self._kind == "request" or begins_with_verb(" ".join(self._shape.words)))

    @property
    def tells(self) -> bool:
        """Whether it tells what should be kept."""
        named = any(thing.categories or thing.room for thing in self._shape.marked)
        return self._kind == "statement" and self._probability >= _LIKELY and named and len(self._shape.words) > 2

    def short(self) -> str:
        """Return the question word of a sentence that has nothing else, "" for all others."""
        words = [word for word in self._shape.words if word not in ("and", "or", "exactly", ",")]
        return words[-1] if words and {*words} <= _SHORT else ""

    def topic(self) -> Thing | None:
        """Return the thing that is all that it names, None for all others: "and the lamp?", "what a lot of chairs!"."""
        words = [word for word in self._shape.words if word not in ("and", "about", "what", "of", "how", ",")]
        return self._shape.marked[0] if len(words) == 1 and MARK.fullmatch(words[0]) else None

    def question(self) -> tuple[Question, ...] | None:
        """Return what it asks for, None for what is no question; the same of several things is asked of each."""
        parts = _JOINED.split(self._said)
        if len(parts) > 1:
            read = [_question(*self._classify(part), part) for part in parts]
            several = [one for one in read if one is not None and one.kind is not Kind.TOLD]
            if len(several) == len(parts):
                return tuple(_same(_about_what(several[0]), one) or one for one in several)
        asked = _question(self._kind, self._probability, self._shape, self._said)
        if asked is None:
            first = next(iter(self._shape.words), "")
            asks = self._end == "?" or first in _WH or (first in AUXILIARIES and self._kind != "request")
            if self._kind in ("request", "statement") and self._probability >= _LIKELY:
                asks = False
            return (Question(quote=self._said, kind=Kind.TOLD, time=self._shape.time),) if asks else None
        joined = re.findall(r"(<\d+>)(?=(?: ,)? and <)|(?<=and )(<\d+>)", " ".join(self._shape.words))
        if (
            asked.kind in (Kind.EXISTS, Kind.WHERE, Kind.COUNT, Kind.STATE)
            and len(joined) > 1
            and asked.thing is not None
        ):
            things = [self._shape.marked[int((one or other)[1:-1])] for one, other in joined]
            if asked.thing in things:
                return tuple(asked.model_copy(update={"thing": thing}) for thing in things)
        return (asked,)


def _question(kind: str, probability: float, shape: Shape, said: str) -> Question | None:
    """Return the question that a sentence of a class asks, with what it names; None for no question of the home's."""
    asked = KINDS[kind]
    if asked is None or probability < _LIKELY:
        return None
    if _by_others(asked.kind, shape, said):
        return Question(quote=said, kind=Kind.TOLD, time=shape.time)
    words = shape.words
    shape = _behind_comma(shape)
    things = [*shape.things, *(head for head in shape.heads if head.last_word not in GENERIC)]
    places = [*shape.places]
    why = asked.kind is Kind.WHY
    if asked.kind in _OF_PLACES and asked.kind is not Kind.CHANGED:
        places += [Where(relation=Relation.IN, thing=room) for room in shape.rooms]
        about = next((one for one in (*shape.things, shape.pronoun) if one is not None), None)
        if places and shape.relation is not None:
            places[0] = places[0].model_copy(update={"relation": shape.relation})  # "what did the table have on it?"
        if not places and about is not None and asked.kind is Kind.CONTENTS:
            places.append(Where(relation=shape.relation or Relation.IN, thing=about))
            things = [thing for thing in things if thing is not about]
    else:
        things += shape.rooms
    if asked.kind in _SEEN and not things and shape.pronoun is None and places:
        things.append(places.pop(0).thing)  # "did you lay eyes on the ball?"
    if shape.pronoun is not None and shape.relation is not None and not places and asked.kind is Kind.DID:
        places.append(Where(relation=shape.relation, thing=shape.pronoun))
    if not things and shape.pronoun is not None and shape.relation is None and asked.kind not in _OF_NOTHING:
        things += [shape.pronoun] if not why or shape.pronoun.text.casefold() not in ("that", "this") else []
    if not things and shape.pronoun is None and kind in _OF_IDLE:
        things += shape.idle
    thing = None if asked.kind in _OF_NOTHING - {Kind.HOLDING, Kind.CHANGED} else next(iter(things), asked.thing)
    if thing is None and asked.kind in _WITH_THING:
        thing = Thing(text="them", pronoun=True, plural=True)
    either = "or" in words and asked.kind in (Kind.STATE, Kind.WHERE)
    place = None if asked.kind is Kind.WHERE and either else next(iter(places), None)
    if place is not None and _anywhere(place.thing):
        place = None
    deed = _deed(words) if kind in _WITH_VERB or asked.kind is Kind.WHERE else ""
    if asked.kind is Kind.WHERE and not ("you" in words and deed in _PLACING):
        deed = ""
    if not sense_of(deed.partition(" ")[0]) and (asked.kind is Kind.WHY or not (things or places)):
        deed = ""  # "what did you finish today?"
    by_you = why and "you" in words
    if why and not by_you:
        deed = ""  # "why is the fridge open?"
    if asked.kind is Kind.WHICH and thing is not None and thing.pronoun and "which" not in words:
        asked = asked.model_copy(update={"kind": Kind.STATE})  # "is it dirty?"
    question = asked.model_copy(
        update={
            "quote": said,
            "thing": thing,
            "place": place,
            "state": next(iter(shape.states), "") if asked.kind in _OF_STATES and not by_you else "",
            "deed": deed or asked.deed,
            "time": shape.time or _from_before(asked.kind, words),
            "first": asked.kind is Kind.WHEN and "first" in words,
            "last": asked.last or (asked.kind is Kind.DID and " last " in said.casefold()),
            "open": asked.open and not things,
            "either": either and asked.kind is Kind.STATE,
            "besides": shape.besides,
        }
    )
    if question.kind is Kind.STATE and not question.state:  # of lids and blinds
        question = question.model_copy(
            update={"state": "open" if "up" in words else "closed" if "down" in words else ""}
        )
    return _every(_denied(question, said), said.casefold().split())


def _behind_comma(shape: Shape) -> Shape:
    """Return what is named behind the last comma, where that is a question by itself: "I'm in bed, is the lamp on?"."""
    if shape.pronoun is not None or "," not in shape.words:
        return shape
    last = len(shape.words) - shape.words[::-1].index(",")
    behind = [shape.marked[int(word[1:-1])] for word in shape.words[last:] if MARK.fullmatch(word)]
    things = tuple(thing for thing in shape.things if thing in behind)
    if not things or not any(word in AUXILIARIES or word in _WH for word in shape.words[last:]):
        return shape
    return replace(shape, things=things, places=tuple(one for one in shape.places if one.thing in behind))


def _from_before(kind: Kind, words: Sequence[str]) -> Span | None:
    """Return the time before a thing was moved, where a question asks for that: "where did you find it?"."""
    bases = {base_form(word) for word in words}
    found_there = {"where", "did", "you"} <= {*words} and (bases & _FINDING or words[-1] == "from")
    was = _WAS.search(" ".join(words))
    return Span(text="before", lead="before", deed="move") if kind is Kind.WHERE and (found_there or was) else None


def _by_others(kind: Kind, shape: Shape, said: str) -> bool:
    """Whether a question is about people, or about what somebody else did: only what was told can answer it."""
    named = [*shape.things, *(place.thing for place in shape.places)]
    people = any(thing.last_word in PEOPLE for thing in named) and kind not in (Kind.ABOUT, Kind.WHO)
    return people or (kind in _OF_WHOEVER and _BY_SOMEBODY.search(said) is not None)


def _deed(words: Sequence[str]) -> str:
    """Return the verb of what was done, in its base form with its particle: "turn off" of "did you turn <0> off"."""
    subject = next((at for at, word in enumerate(words) if word in _SUBJECTS), -1)
    bases = [(at, word, base_form(word)) for at, word in enumerate(words) if at > subject and word.isalpha()]
    verbs = [(at, base) for at, word, base in bases if base != "do" and (word not in ENDS or sense_of(base))]
    known = [(at, base) for at, base in verbs if sense_of(base) and base not in _EMBEDDING]
    at, base = next(reversed(known), next(iter(verbs if subject >= 0 else ()), (0, "")))
    if not base or base in _EMBEDDING:
        return ""
    after = [(place, word) for place, word in enumerate(words) if place > at and word.isalpha()][:1]
    for place, word in after:
        alone = place + 1 == len(words) or not MARK.fullmatch(words[place + 1])
        if word in _AWAY or (word in ("on", "off") and (base in _OPERATED or alone or word == "off")):
            return f"{base} {word}"
    return base


def _denied(question: Question, said: str) -> Question:
    """Return a question with what "not" makes of it: "which lamps are not on?" asks for those that are off."""
    if not _NOT.search(said) or question.kind not in (Kind.WHICH, Kind.COUNT, Kind.CONTENTS):
        return question
    opposite = STATES[question.state][2] if question.state else ""
    return question.model_copy(update={"state": opposite} if opposite in STATES else {"kind": Kind.TOLD})


def _every(question: Question, words: Sequence[str]) -> Question:
    """Return a question with whether it asks for the state of every thing: "are all the lights off?"."""
    if question.kind is not Kind.STATE or question.thing is None or _EVERY.isdisjoint(words):
        return question
    return question.model_copy(update={"thing": question.thing.model_copy(update={"every": True, "plural": True})})


def _anywhere(place: Thing) -> bool:
    """Whether a place is all that is known: "the house", "this room"."""
    home = place.last_word in ("house", "home", "flat", "apartment") or means(place.last_word, Sort.ROOM)
    return home and not (place.categories or place.room)


def _about_what(question: Question) -> Thing | None:
    """Return the thing or the place that a question is about."""
    return question.thing or (question.place.thing if question.place is not None else None)


def _same(thing: Thing | None, question: Question) -> Question | None:
    """Return a question in which "it" is what was spoken of before; None where it has no such word."""
    if thing is None or thing.pronoun:
        return None
    if question.thing is not None and question.thing.pronoun:
        return question.model_copy(update={"thing": thing})
    if question.place is not None and question.place.thing.pronoun:
        return question.model_copy(update={"place": question.place.model_copy(update={"thing": thing})})
    return None


def _completed(before: Question, short: str) -> Question:
    """Return a question with the one that only completes it: "is there any bread? how much?"."""
    kinds = {"many": Kind.COUNT, "much": Kind.COUNT, "where": Kind.WHERE, "when": Kind.WHEN, "why": Kind.WHY}
    kind = kinds.get(short, before.kind)
    return before.model_copy(update={"kind": kind if before.thing is not None else before.kind})
