# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A question of a class, with what a sentence names: thing, place, state, deed and time, where the class has one."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

from karma_language.parser import asks_what_it_is_like, noun_in
from karma_language.questions.deeds import deed_asked_for, of_owner, time_asked_for
from karma_language.questions.sentence_classifier import KINDS
from karma_language.questions.shapes import MARK, Shape
from karma_language.reading import OF_A_MOMENT, RULES, Kind, Question
from karma_language.things import Limit, Relation, Thing, Where
from karma_language.vocabulary import household
from karma_language.vocabulary.states import FLOOR, STATES
from karma_language.vocabulary.word_meanings import Sort, means
from karma_language.vocabulary.words import (
    ADVERBS,
    AUXILIARIES,
    DETERMINERS,
    GENERIC,
    HOME,
    LIQUIDS,
    PEOPLE,
    PERSONS,
    PLACED,
    QUESTION_WORDS,
    each,
)
from karma_language.vocabulary.words import STATES as STATE_WORDS

_BY_SOMEBODY = re.compile(
    r"\b(?:[Dd]id|[Hh]as|[Dd]oes) (?:he|she|[A-Z][a-z]+)\b"
    r"|\b[Ww]as it (?!(?:you|me|us|I|that|who)\b)\w+ (?:who|that|\w+ed|put|left|took|had)\b"
)
"""Somebody else did what is asked about; whether is not known by what the robot did."""
_ASKED_FOR = re.compile(r"(?:have|had|did) (?:i|we) (?:ever |already |just )?ask(?:ed)?(?: you)? for\b", re.IGNORECASE)
_HAD_DONE = re.compile(
    r"\b(?:[Dd]id|[Hh]as|[Hh]ave|[Hh]ad) (?P<who>[Ii]|[A-Z][\w-]+)"
    r" (?:(?:have|had|get|got|make|made) you\b|(?:asked|ask|told|tell|want(?:ed)?) you (?:to|for)\b)"
)
"""Who had the robot do what is asked about: "what DID SVEN HAVE YOU do?". What others said stays theirs."""
_NAME = re.compile(r"(?<=[\w,] )[A-Z][a-z]+(?: [A-Z][a-z]+)*")
"""What only its capitals tell to be a name."""
_OF_SELF = re.compile(r"\b(?:am|are|do|did|have|was|were|will) (?:i|we|you)\b", re.IGNORECASE)
_ALLOWED = re.compile(r"\b(?:must|should|may|allowed|supposed)\b", re.IGNORECASE)
_OF_WHOEVER = frozenset((Kind.ASKED, Kind.WHO, Kind.DID, Kind.EXISTS, Kind.WHEN, Kind.HOW_OFTEN))
_LACKS = re.compile(
    r"^\W*(?:in )?(?:which|what|how many)\b[^,;]*\b(?:ha(?:s|ve) no|without)\b|\b(?:that|which|who) ha(?:s|ve) no\b"
    r"|^\W*(?:where|is|are)\b.* you (?:did|have|had)(?:n['’]?t| not) \w+\W*$",
    re.IGNORECASE,
)
_WHICH = re.compile(r"\b(?:that|which|who)\s+$", re.IGNORECASE)
_NOT = re.compile(r"\b(?:is|are|was|were)(?:n['’]t| not)\b|\bnot (?:in|on|under)\b", re.IGNORECASE)
_AUXILIARY_NOT = r"(?:did|could|can|do|have|were)(?:n['’]?t| not)"
_FAILED = re.compile(
    rf"\b{_AUXILIARY_NOT} you\b|\byou {_AUXILIARY_NOT}\b|\bg[ai]ve up\b|\b(?:stop|quit|fail|refused?|sa(?:y|id) no)\b",
    re.IGNORECASE,
)
_USUALLY = frozenset(each("usually normally generally typically"))
_COMPARING = frozenset(each("most fewest nearest closest farthest furthest"))
"""What things are by how they compare, which nothing answers."""
_EXACTLY = frozenset(each("only just exactly"))
"""What says that there are so many and no more."""
_MORE_OR = re.compile(r"\b(?:more|fewer|less)\b(?! than\b)[^,;.?]*\bor\b", re.IGNORECASE)
"""What compares two places: "MORE chairs in the kitchen OR in the hall"."""
_HERE = re.compile(r"\bin here\b", re.IGNORECASE)
_HAVE = frozenset(each("have has had got own"))
_ENOUGH = re.compile(r"\benough (?!for\b|to\b)\w", re.IGNORECASE)
"""What asks whether there are as many as somebody needs; not "clean enough"."""
_EVERY = frozenset(each("all every each both"))
_OF_DEEDS = frozenset((Kind.DID, Kind.WHEN, Kind.HOW_OFTEN, Kind.WHY, Kind.COUNT))
_MODALS = frozenset(each("can could may might must should will would shall"))
_OF_STATES = frozenset((Kind.STATE, Kind.WHICH, Kind.COUNT, Kind.HOW_LONG, Kind.WHY, Kind.WHO))
_OF_THERE = frozenset((Kind.DID, Kind.COUNT, Kind.EXISTS, Kind.WHICH))
"""Kinds of which a place may be pointed to."""
_OF_PLACES = frozenset((Kind.CONTENTS, Kind.HAPPENED, Kind.ROBOT))
"""Kinds that ask about a place."""
_OF_A_THING = frozenset((Kind.WHERE, Kind.STATE, Kind.COUNT, Kind.EXISTS, Kind.WHEN, Kind.HOW_LONG))
"""Kinds that ask about a thing, if only about "it"."""
_SEEN_THERE = frozenset((Kind.WHERE, Kind.WHEN, Kind.WHO, Kind.WHY, Kind.ROUTE, Kind.ABOUT))
"""Kinds whose only noun is the thing, even behind a preposition: "did you lay eyes ON THE BALL?"."""
_WITHOUT_THING = frozenset((Kind.ASKED, Kind.ABLE, Kind.HAPPENED, Kind.ROBOT, Kind.CLOCK))
_WITHOUT_PRONOUN = _WITHOUT_THING | {Kind.HOLDING, Kind.CHANGED}
_OF_RULES = re.compile(
    r"^\W*(?:(?:and|so|but|ok|okay|well)\W+)*(?:what|which|are there|do you have|list|tell me)\b[^,.;!]*?"
    r"\b(?:(?:house )?rules?|forbid|forbidden|forbade|prohibit(?:ed)?"
    r"|(?:not|n['’]t) (?:(?:you|i|we|anyone|anybody) )?(?:allowed|supposed|permitted) to(?: do)?)\W*"
    r"(?:(?:are )?there|you|(?:do|did) \w+ \w+|(?:for|in) (?:you|me|us|this \w+|here))?\W*$",
    re.IGNORECASE,
)
"""What asks for all that is forbidden."""
_OF_UNKNOWN = frozenset(("where", "which_room", "state", "who", "exists", "how_many", "when_did", "at_time"))
"""Classes whose thing may be an unknown noun that belongs to some way of asking, too."""


def needs_thing(kind: str) -> bool:
    """Whether questions of a class are about a thing that is named, as a rule."""
    asked = KINDS[kind]
    return asked is None or asked.kind in _OF_A_THING | {Kind.WHO, Kind.WHY, Kind.WHICH, Kind.SIZE}


def filled(kind: str, shape: Shape, said: str) -> Question | None:
    """Return the question that a sentence of a class asks, with what it names; None for none about the home.

    `said`: the sentence. A question about people, or about what somebody else did, is one of what was told.
    """
    if _OF_RULES.search(said):
        return Question(quote=said, kind=Kind.ABOUT, thing=Thing(text=RULES, plural=True))
    asked = KINDS[kind]
    if asked is None:
        return None
    words, shape = shape.words, _behind_comma(shape)
    had_done = _HAD_DONE.search(said)
    by = "" if had_done is None else "me" if had_done["who"] in "Ii" else had_done["who"]
    there = shape.relation is not None or any(place.thing.pronoun for place in shape.places)
    content = {*words} - {*AUXILIARIES, *PLACED, *ADVERBS, *DETERMINERS, "of"}
    if kind == "of_people" and shape.pronoun and (shape.places or shape.rooms) and all(map(MARK.fullmatch, content)):
        asked = Question(quote=said, kind=Kind.EXISTS)  # "is it in the bedroom?"
    more = {word for word in content - QUESTION_WORDS if not MARK.fullmatch(word)}
    of_it = more and shape.pronoun is not None and shape.pronoun.text == "it" and not shape.states
    if asked.kind in (Kind.EXISTS, Kind.WHERE) and of_it and asks_what_it_is_like(said):
        asked = Question(quote=said, kind=Kind.TOLD)  # "is it dark in here?": no state that is seen
    if asked.kind is Kind.STATE and not shape.states and (there or words[1:2] == ("there",)):
        asked = Question(quote=said, kind=Kind.EXISTS)  # "is there a book in the hall now?", "is it in there?"
    if asked.kind is Kind.STATE and "out" in words and not shape.states:
        movable = any(household().any_can(one.categories, "pickup") for one in shape.things)
        asked = Question(quote=said, kind=Kind.WHERE) if movable else asked  # "is the knife still out?"
    if asked.kind in (Kind.ASKED, Kind.EXISTS, Kind.TOLD) and _ASKED_FOR.match(said) and shape.things:
        asked = Question(quote=said, kind=Kind.DID)  # "have I asked you for a laptop?"
    others = by not in ("", "me") and asked.kind is Kind.ASKED and asked.last is asked.undone is False
    if others or (by and asked.kind is Kind.TOLD):
        asked = Question(quote=said, kind=Kind.DID, open=words[:1] == ("what",))
    whose, owner = of_owner(kind, said, words)
    named = bool(shape.things or shape.heads)
    theirs = bool(owner) and not named and whose is not None and whose.kind is Kind.WHERE  # "where's MINE?"
    if whose is not None and (named or theirs or (shape.pronoun is not None and not more - {"mine"})):
        asked, kind = whose, "state"
    tool = asked.kind is Kind.DID and words[-1:] == ("with",)  # "what did you cut it WITH?": that is not noted
    auxiliary = next((word for word in words if word in AUXILIARIES), "")
    past = auxiliary == "had" and {"you", "been", "got", "gone"}.isdisjoint(words) and shape.time is None
    earlier = asked.kind is Kind.WHERE and past  # "where HAD HE put it?": not where it is
    behind = words[words.index("long") + 1 :] if "long" in words else ()
    comes = next((word for word in behind if word in AUXILIARIES), "") in _MODALS
    to_come = asked.kind is Kind.HOW_LONG and comes  # "how long CAN we keep it?"
    if tool or earlier or to_come or (by in ("", "me") and _is_of_others(asked.kind, shape, said)):
        return Question(quote=said, kind=Kind.TOLD, time=shape.time)
    thing, place = _of_place(asked, shape) if asked.kind in _OF_PLACES else _of_thing(asked, kind, shape)
    thing = Thing(text="one", pronoun=True) if theirs else thing
    if thing is None and asked.kind in _OF_A_THING:
        called = _NAME.search(said)  # "where is Mister Button?"
        counted = not {"any", "many", "some", "one", "ones"}.isdisjoint(words)
        spoken = called[0] if called is not None else noun_in(said) if more and not counted else ""
        left = called is not None or spoken in words  # not of the place that it names
        thing = Thing(text=spoken) if left else Thing(text="them", pronoun=True, plural=True)
    thing = thing.model_copy(update={"owner": owner}) if owner and thing is not None else thing
    either = "or" in words
    room = next((one.thing for one in shape.places if one.thing.is_room), None)
    if place is not None and room is not None and place.thing.categories and place.thing.place is None:
        inside = Where(relation=Relation.IN, thing=room)  # "on the bed IN THE BEDROOM"
        place = place.model_copy(update={"thing": place.thing.model_copy(update={"place": inside})})
    anywhere = place is not None and _is_anywhere(place.thing) and not place.thing.owner
    here = place is not None and place.thing.pronoun and _HERE.search(said) is not None  # where the robot is
    if anywhere or here or (asked.kind is Kind.WHERE and either):
        place = None
    if asked.kind is Kind.WHICH and thing is not None and thing.pronoun and "which" not in words:
        asked = asked.model_copy(update={"kind": Kind.STATE})  # "is it dirty?"
    storey = _asks_for_storey(asked.kind, shape)
    if storey:
        thing, place = next(iter((*shape.things, *shape.rooms)), shape.pronoun), None
        asked = Question(quote=said, kind=Kind.WHERE, storey=True)
    if thing is not None and thing.number and _is_exact(words):
        thing = thing.model_copy(update={"limit": Limit.EXACTLY})  # "do we ONLY have one lamp?"
    if asked.kind is Kind.EXISTS and thing is not None and thing in shape.heads and not thing.number:
        asked = asked.model_copy(update={"kind": Kind.CONTENTS})  # "what food do we have?"
    by_you = asked.kind is Kind.WHY and "you" in words
    first = asked.kind in (Kind.WHEN, Kind.ASKED) and re.search(r"\bfirst\b", said, re.IGNORECASE) is not None
    question = asked.model_copy(
        update={
            "quote": said,
            "thing": thing,
            "place": place,
            "state": _state(asked.kind, shape) if not by_you else "",
            "deed": deed_asked_for(kind, words, named=thing is not None or place is not None) or asked.deed,
            "time": time_asked_for(asked.kind, shape, said.casefold()),
            "first": first,
            "last": (asked.last or _of_last(asked.kind, shape, said)) and not first,
            "undone": asked.undone or (by_you and _FAILED.search(said) is not None),
            "usual": asked.kind is Kind.WHERE and not _USUALLY.isdisjoint(words),
            "open": asked.open and thing is None,
            "either": either and asked.kind is Kind.STATE,
            "besides": shape.besides,
            "whence": shape.whence and asked.kind in _OF_DEEDS,
            "by": by if asked.kind in (Kind.DID, Kind.COUNT) else "",
        }
    )
    return _every(_denied(_of_liquid(question, shape.pronoun), said), said.casefold().split())


def _of_liquid(question: Question, pronoun: Thing | None) -> Question:
    """Return what is asked of a liquid as asked of its vessel: "is there WATER in the cup?" is whether that is full."""
    if question.kind not in (Kind.EXISTS, Kind.STATE) or question.thing is None or question.state:
        return question
    inside = question.place is not None and question.place.relation is Relation.IN
    vessel = question.place.thing if question.place is not None and inside else pronoun
    fits = vessel is not None and (vessel.pronoun or any(household().can(kind, "fill") for kind in vessel.categories))
    if not fits or question.thing.last_word not in LIQUIDS:
        return question
    return question.model_copy(update={"kind": Kind.STATE, "thing": vessel, "place": None, "state": "full"})


def _asks_for_storey(kind: Kind, shape: Shape) -> bool:
    """Whether a question asks on which floor something is: "which floor is the bed on?", "is it upstairs or down?"."""
    head = any(FLOOR in thing.categories for thing in shape.heads)
    either = sum(bool(place.thing.floor) for place in shape.places) > 1
    asks = (head or either) and kind in (Kind.WHERE, Kind.WHICH, Kind.ROUTE)
    return asks and bool(shape.things or shape.rooms or shape.pronoun)


def _of_last(kind: Kind, shape: Shape, said: str) -> bool:
    """Whether a question is about the last deed or request: "what did I ask you just now?"."""
    just = shape.time is not None and shape.time.text.casefold() == "just now"
    return (kind is Kind.DID and " last " in said.casefold()) or (kind is Kind.ASKED and just)


# Things and places


def _of_place(asked: Question, shape: Shape) -> tuple[Thing | None, Where | None]:
    """Return thing and place of a question about a place: "what fruit is in the bowl?"."""
    things = [*shape.things, *_nouns(shape.heads)]
    places = [*shape.places, *(Where(relation=Relation.IN, thing=room) for room in shape.rooms)]
    if places and shape.relation is not None:
        places[0] = places[0].model_copy(update={"relation": shape.relation})
    about = next((one for one in (*shape.things, shape.pronoun) if one is not None), None)
    if places and places[0].thing.pronoun and shape.things and asked.kind is Kind.CONTENTS:
        return None, places[0].model_copy(update={"thing": shape.things[0]})  # "tell me what the shelf has on it"
    if not places and about is not None and asked.kind is Kind.CONTENTS:
        places = [Where(relation=shape.relation or Relation.IN, thing=about)]
        things = [thing for thing in things if thing is not about]
    thing = None if asked.kind in _WITHOUT_THING else next(iter(things), None)
    return thing, next(iter(places), None)


def _of_thing(asked: Question, kind: str, shape: Shape) -> tuple[Thing | None, Where | None]:
    """Return thing and place of a question about a thing: "is the mug on the table clean?"."""
    if asked.kind in _WITHOUT_THING:
        return None, next(iter(shape.places), None)
    heads = _nouns(shape.heads)
    of_head = asked.kind in (Kind.WHICH, Kind.COUNT, Kind.EXISTS)  # "which mugs …", but not "in which drawer …"
    things = [*(heads if of_head else ()), *shape.things, *(() if of_head else heads), *shape.rooms]
    places = [*shape.places]
    # "what happened TO THE VASE?", "what did you do to it?", but "what did you bring to the table?"
    if asked.kind is not Kind.DID or "do" in shape.words:
        things += [place.thing for place in places if place.relation is Relation.AT]
        places = [place for place in places if place.relation is not Relation.AT]
    pronoun = shape.pronoun
    if not things and pronoun is None and places and asked.kind in _SEEN_THERE:
        things.append(places.pop(0).thing)
    if not things and asked.kind is Kind.COUNT and places and places[0].thing.plural:
        things.append(places.pop(0).thing)  # "what's the count on spoons?"
    if pronoun is not None and shape.relation is not None:
        if asked.kind in _OF_THERE and not places:
            places.append(Where(relation=shape.relation, thing=pronoun))  # "what did you put in there?"
    elif pronoun is not None and not things and asked.kind not in _WITHOUT_PRONOUN:
        deed = asked.kind is Kind.WHY and pronoun.text.casefold() in ("that", "this")  # "why did you do that?"
        things += () if deed else (pronoun,)
    elif pronoun is None and not things and kind in _OF_UNKNOWN:
        things += shape.idle
    thing = next(iter(things), asked.thing)
    if thing in shape.things:  # "I'm a bit worried about my pen, when did you see it?"
        thing = next((one for one in shape.things if one.categories or one.room), thing)
    return thing, next(iter(places), None)


def _nouns(heads: Sequence[Thing]) -> list[Thing]:
    return [head for head in heads if head.last_word not in GENERIC]


def _behind_comma(shape: Shape) -> Shape:
    """Return what is named behind the last comma, where that is a question by itself: "I'm in bed, is the lamp on?"."""
    if "," not in shape.words:
        return shape
    if shape.pronoun is not None and shape.words[-3:-1] == ("from", ","):  # "where did you get this from, the shelf?"
        guess = shape.marked[int(shape.words[-1][1:-1])] if MARK.fullmatch(shape.words[-1]) else None
        return replace(shape, things=tuple(thing for thing in shape.things if thing is not guess))
    last = len(shape.words) - shape.words[::-1].index(",")
    before, after = shape.words[:last], shape.words[last:]
    behind = [shape.marked[int(word[1:-1])] for word in after if MARK.fullmatch(word)]
    things = tuple(thing for thing in shape.things if thing in behind)
    asks = any(word in AUXILIARIES or word in QUESTION_WORDS for word in after)
    if not asks or any(thing.pronoun for thing in behind):
        return shape
    states = tuple(state for state in shape.states if any(STATE_WORDS.get(word) == state for word in after))
    shape = replace(shape, states=states or shape.states)  # "we go ON holiday, is the oven off?"
    if not things:
        known = tuple(thing for thing in shape.things if thing.categories or thing.room)
        return replace(shape, things=known)  # "the place looks odd, what has changed?"
    clause = any(
        word in AUXILIARIES or word in PERSONS for word in before
    )  # and not only: "in the bathtub, is there …"
    places = tuple(one for one in shape.places if one.thing in behind or not clause)
    return replace(shape, things=things, places=places, pronoun=None, relation=None)


def _is_anywhere(place: Thing) -> bool:
    """Whether a place is all that is known: "the house", "this room"."""
    home = place.last_word in HOME or (means(place.last_word, Sort.ROOM) and place.text.casefold() == place.last_word)
    return home and not (place.categories or place.room)


def _compares(shape: Shape) -> bool:
    """Whether it compares two kinds: "are there more forks THAN knives?", "as many forks AS knives?"."""
    triples = zip(shape.words, shape.words[1:], shape.words[2:], strict=False)
    compared = ((one, other) for one, as_, other in triples if as_ in ("than", "as"))
    sides = [shape.marked[int(one[1:-1])] for one, other in compared if MARK.fullmatch(one) and MARK.fullmatch(other)]
    return any(side.plural and not side.other for side in sides)


def _is_exact(words: Sequence[str]) -> bool:
    """Whether it asks for so many and no more: "do we ONLY have one lamp?", but not "just checking, …"."""
    pairs = itertools.pairwise(words)
    return any(word in _EXACTLY and (after in _HAVE or MARK.fullmatch(after)) for word, after in pairs)


def _is_of_others(kind: Kind, shape: Shape, said: str) -> bool:
    """Whether only what was told can answer a question: it is about people, what somebody else did, or compares."""
    one = {word for thing in shape.marked if not thing.plural for word in thing.attributes}  # "the nearest bin"
    one |= {"most" for thing in shape.marked if thing.limit is Limit.MOST}  # "at most two"
    if kind in OF_A_MOMENT and not (_COMPARING - one).isdisjoint(re.findall(r"\w+", said.casefold())):
        return True  # "which drawer has the most things in it?"
    if kind in OF_A_MOMENT and (_compares(shape) or _ENOUGH.search(said) or _MORE_OR.search(said)):
        return True
    named = (*shape.things, *shape.rooms, *(place.thing for place in shape.places))
    asked_of = [shape.marked[int(word[1:-1])] for word in _asking(shape.words) if MARK.fullmatch(word)]
    people = kind not in (Kind.ABOUT, Kind.WHO)
    people = people and any(thing.last_word in PEOPLE and thing in asked_of for thing in named)
    if kind in (Kind.CONTENTS, Kind.WHICH) and _ALLOWED.search(said) is not None:
        return True  # "what must not go into the dishwasher?"
    if kind in _OF_A_THING and not (named or shape.heads or shape.pronoun) and _OF_SELF.search(said) is not None:
        return True  # "since when am I vegan?", "when did you start?"
    first = said.partition(" or ")[0]  # "have we any bread, OR DID TOM EAT IT?"
    return people or (kind in _OF_WHOEVER and _BY_SOMEBODY.search(first) is not None)


def _asking(words: Sequence[str]) -> Sequence[str]:
    """Return the words from the last question word on: "my husband wants to know WHICH ROOM THE EGG IS IN"."""
    begin = max((at for at, word in enumerate(words) if word in QUESTION_WORDS or word in ("if", "whether")), default=0)
    return words[begin:]


# States


def _state(kind: Kind, shape: Shape) -> str:
    """Return the state that a question asks about, "" for none; of lids and blinds as they are said to be."""
    if kind not in _OF_STATES:
        return ""
    shut = {"up": "open", "down": "closed"} if kind is Kind.STATE else {}
    return next(iter(shape.states), "") or next((shut[word] for word in shape.words if word in shut), "")


def _denied(question: Question, said: str) -> Question:
    """Return a question with what "not" makes of it: "which lamps are not on?" asks for those that are off."""
    if question.kind in OF_A_MOMENT and _LACKS.search(said) is not None:
        return question.model_copy(update={"kind": Kind.TOLD})  # "which room has no lamp?"
    no = _NOT.search(said)
    which = no is not None and _WHICH.search(said[: no.start()]) is not None  # "is there a mug THAT IS NOT dirty?"
    denied = (Kind.WHICH, Kind.COUNT, Kind.CONTENTS, *((Kind.EXISTS, Kind.STATE, Kind.WHERE) if which else ()))
    if no is None or question.kind not in denied:
        return question
    if question.state and question.state not in said.casefold()[no.end() :]:
        return question  # "which are closed and which aren't?"
    opposite = STATES[question.state][2] if question.state else ""
    return question.model_copy(update={"state": opposite} if opposite in STATES else {"kind": Kind.TOLD})


def _every(question: Question, words: Sequence[str]) -> Question:
    """Return a question with whether it asks for the state of every thing: "are all the lights off?"."""
    if question.kind is Kind.WHICH and question.thing is None and question.state and "everything" in words:
        thing = Thing(text="everything", every=True, plural=True)  # "is everything off?"
        return question.model_copy(update={"kind": Kind.STATE, "thing": thing})
    if question.kind is not Kind.STATE or question.thing is None or _EVERY.isdisjoint(words):
        return question
    return question.model_copy(update={"thing": question.thing.model_copy(update={"every": True, "plural": True})})
