# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What was done, and when, as a question asks for it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from karma_language.questions.sentence_classifier import KINDS
from karma_language.questions.shapes import MARK, Shape
from karma_language.reading import OF_A_MOMENT, OWN, Kind, Question
from karma_language.things import Span
from karma_language.vocabulary.word_meanings import sense_of
from karma_language.vocabulary.words import AUXILIARIES, ENDS, PERSONS, QUESTION_WORDS, base_form, each
from karma_language.vocabulary.words import STATES as STATE_WORDS

_WAS = re.compile(
    r"\b(?:where|(?:which|what) room)\b(?! (?:is|are)\b)(?!.*\b(?:last|you)\b)"
    r"(?: (?:was|were)\b|.*\b(?:had .*\b(?:been|got|gone)|used to|did .* (?:turn up|come from))\b)"
)
_HAS_BEEN = re.compile(r"(?:(?!\b(?:is|are)\b).)*?\b(?:was|were|ha(?:s|ve|d) .*\bbeen)\b")
_TO_COME = re.compile(r"\bwill (?:<\d+>|be|there)|<\d+> (?:will|going to) be\b")
_FAR = 4_102_444_800.0
"""Seconds, the year 2100: a time to come that is not said."""
_FINDING = frozenset(each("find get fetch pick grab"))
_PLACING = frozenset(each("put place leave bring take set stash move stick drop"))
"""What the robot did with a thing that it is asked for: "where did you put my card?"."""
_WHOSE = re.compile(
    r"\bwhose\b|\bwho(?:m)? (?:\w+ )?(?:owns?\b|.*\bbelongs?\b)|\bowners?\b"
    r"|^\W*(?:and |so |but )?(?:is|are)(?:n['’]t)?\b.*(?<! at)(?<! to)(?<! from)(?<! with)(?<! of)(?<! like) "
    r"(?:mine|ours|\w+['’]s)\W*$",
    re.IGNORECASE,
)
_LEADS = frozenset(each("so and ok okay hello hi hey well right oh then now sorry please"))
_THEIRS = re.compile(
    rf"^\W*(?:(?:{'|'.join(sorted(_LEADS))})\b\W*)*"
    r"(?:(?:which|what)\b.* (?:is|are)|where(?:['’]s| is| are|['’]re)) "
    r"(?:(?P<me>mine|ours)|(?:my )?(?P<who>\w+)['’]s)(?: (?:now|then|gone|please))*\W*$",
    re.IGNORECASE,
)
_MINE = re.compile(
    r"^\W*(?:and |so |but )?(?:is|are|how many)(?:n['’]t)?\b(?!.*\b(?:or|as|like|than)\b).*"
    r"(?<! at)(?<! to)(?<! in)(?<! from)(?<! with)(?<! of) (?:(?P<me>mine|ours)|(?:my )?(?P<who>\w+)['’]s)"
    r"(?: (?:now|then|too))*\W*$",
    re.IGNORECASE,
)
_OF_AN_ORDER = ("who_asked", "why", "why_not")
"""Classes in which "whose" is about who wanted something."""
_SAYING = frozenset(each("ask asked tell told say said"))
_SUBJECTS = PERSONS | {"who"}
_AWAY = frozenset(each("out away up down over back"))
"""Particles that are no prepositions of place."""
_EMBEDDING = frozenset(each("tell know remember say mind wonder explain understand report list think hear spend"))
"""Verbs beside the one that says what was done: "can you TELL me …"."""
_OPERATED = frozenset(each("turn switch plug"))
"""Verbs with "on" or "off"."""
_WITH_VERB = frozenset(("did", "when_did", "how_often", "why", "why_not", "who"))
"""Classes of questions whose verb says what was done."""


def asks_whose(said: str) -> bool:
    """Whether words ask whose something is."""
    return _WHOSE.search(said) is not None


def _of_no_thing(words: Sequence[str]) -> bool:
    """Whether "whose" is of what is no thing of the home, or of what somebody said: "whose TURN is it?"."""
    behind = words[words.index("whose") + 1 :] if "whose" in words else ()
    other = bool(behind) and not MARK.fullmatch(behind[0]) and behind[0] not in AUXILIARIES
    return other or not _SAYING.isdisjoint(words)


def of_owner(kind: str, said: str, words: Sequence[str]) -> tuple[Question | None, str]:
    """Return whose things words of a class ask for, as in `Thing.owner`, or whose something is; None for neither.

    "Which laptop is TOM'S?", "WHOSE laptop is on the desk?"; but not "whose idea was it?".
    """
    if (theirs := _THEIRS.match(said)) is not None:
        return Question(quote=said, kind=Kind.WHERE), "me" if theirs["me"] else theirs["who"]
    whose = kind not in _OF_AN_ORDER and asks_whose(said) and not _of_no_thing(words)
    counted = words[:2] == ("how", "many")
    mine = _MINE.match(said) if whose or counted else None
    owner = ("me" if mine["me"] else mine["who"]) if mine is not None else ""  # "is the phone on the bed MINE?"
    if counted:
        return Question(quote=said, kind=Kind.COUNT) if owner else None, owner
    return Question(quote=said, kind=Kind.WHO, deed=OWN) if whose else None, owner


def time_asked_for(kind: Kind, shape: Shape, said: str) -> Span | None:
    """Return the time that a question asks about."""
    if kind in OF_A_MOMENT and _TO_COME.search(" ".join(shape.words)) is not None:
        return Span(text="in the future", since=_FAR)  # "where will the mug be?"
    if shape.time is None:
        return _before(kind, shape.words, said)
    if kind in OF_A_MOMENT and _is_to_come(shape.time):
        return None  # "is the window closed? I need to know before I go"
    of_now = {Kind.HOW_OFTEN: "now", Kind.ASKED: "just now"}  # says nothing there
    return None if shape.time.text.casefold() == of_now.get(kind) else shape.time


def _is_to_come(time: Span) -> bool:
    """Whether a clause is about what who asks is going to do: "before I go to bed"."""
    lead, subject, verb = (*time.text.casefold().split()[:3], "", "", "")[:3]
    return lead == "before" and subject in ("i", "we") and verb not in AUXILIARIES and base_form(verb) == verb


def _before(kind: Kind, words: Sequence[str], said: str) -> Span | None:
    """Return the time before a thing was moved, where a question asks for that: "where did you find it?"."""
    bases = {base_form(word) for word in words}
    found = {"did", "you"} <= {*words} and bool(bases & _FINDING)
    from_there = words[-1:] == ("from",) or ("from", "where") in itertools.pairwise(words)
    where = kind is Kind.WHERE and ((found and "where" in words) or from_there or _WAS.search(said))
    earlier = kind in OF_A_MOMENT and words[-1:] == ("before",)  # "what was in the bowl before?"
    asked = where or earlier or (kind is Kind.EXISTS and (found or _HAS_BEEN.match(" ".join(words))))
    return Span(text="before", lead="before", deed="move") if asked else None


def deed_asked_for(kind: str, words: Sequence[str], *, named: bool) -> str:
    """Return the verb of what was done, "" where it says nothing; `named`: whether there is a thing or place."""
    asked = KINDS[kind]
    assert asked is not None
    if kind not in _WITH_VERB and asked.kind not in (Kind.WHERE, Kind.WHEN, Kind.COUNT):
        return ""
    deed = _verb(words)
    if asked.kind is Kind.COUNT:  # "how many lamps did you turn off?"
        done = "you" in words and not {"did", "have", "had"}.isdisjoint(words) and sense_of(deed.partition(" ")[0])
        return deed if done and base_form(deed) not in _EMBEDDING | _FINDING else ""
    if kind == "when_last":  # "when did you last OPEN it?"
        return deed if deed in STATE_WORDS else ""
    if asked.kind is Kind.WHERE:
        return deed if "you" in words and deed in _PLACING else ""
    if asked.kind is Kind.WHY and "you" not in words:
        return ""  # "why is the fridge open?"
    sense = sense_of(deed.partition(" ")[0])
    served = bool(sense) and (named or sense != "go")  # "I heard you driving about"
    return deed if served or (named and asked.kind is not Kind.WHY) else ""  # "what did you finish today?"


def _verb(words: Sequence[str]) -> str:
    """Return the verb that counts, in its base form with its particle: "turn off" of "did you turn <0> off"."""
    subjects = [at for at, word in enumerate(words) if word in _SUBJECTS and words[at - 1 : at] != ("by",)]
    embedded = (at for at in subjects if words[at] == "you" and {*words[max(0, at - 2) : at]} & QUESTION_WORDS)
    subject = next(embedded, next(iter(subjects), -1))  # "can you go over what YOU did?"
    bases = [(at, word, base_form(word)) for at, word in enumerate(words) if at > subject and word.isalpha()]
    verbs = [(at, base) for at, word, base in bases if base != "do" and (word not in ENDS or sense_of(base))]
    verbs = [(at, base) for at, base in verbs if base not in ("before", "after")]
    verbs = [(at, base) for at, base in verbs if words[at + 1 : at + 2] != ("done",)]  # "what did you get done?"
    known = [(at, base) for at, base in verbs if sense_of(base) and base not in _EMBEDDING]
    at, base = next(reversed(known), next(iter(verbs if subject >= 0 else ()), (0, "")))
    if not base or base in _EMBEDDING:
        return ""
    place = next((place for place, word in enumerate(words) if place > at and word.isalpha()), -1)
    particle = words[place] if place > 0 else ""
    alone = place + 1 == len(words) or not MARK.fullmatch(words[place + 1])
    adjacent = place == at + 1  # "moved off <0>", but "take <0> off <1>"
    phrasal = particle in _AWAY or (particle == "off" and not adjacent)
    phrasal = phrasal or (particle in ("on", "off") and (base in _OPERATED or alone))
    return f"{base} {particle}" if phrasal else base
