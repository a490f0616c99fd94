# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is corrected while it is said: "Put the egg in the fridge... no wait, in the sink" is one goal, in the sink."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from karma_language.vocabulary.lexicon import Lexicon
from planner_node.check import complaint
from planner_node.skills import Code
from planner_node.understand import words as en
from planner_node.understand.chunks import verb_form
from planner_node.understand.goals import Goal, NotUnderstood, Predicate, Understanding, Understood

Reads = Callable[[str], Understanding]
_THING = rf"(?:{'|'.join(sorted(en.DETERMINERS))})"
_RELATED = {"on", "in", "to", "near", "under", "behind"}
_PLACING = "|".join(sorted((re.escape(w) for w, r in en.PREPOSITIONS.items() if r in _RELATED), key=len, reverse=True))
_PUT_RIGHT = r"wait|sorry|actually|rather|i mean|i meant|no|make that|make it"
_FOLLOWS = rf"(?=\s+(?:{_PLACING}|{_THING})\b)"
_MARK = re.compile(
    r"(?<![.!?;,…–—\s-])(?:\s*[.!?;,…]|\s+[-–—]|—)[\s.!?…,–—-]*"
    r"(?:(?:oh|ah|oops|um|uh|er|hm+|well|and|but|sorry|wait)\b[\s,.…]*)*"
    rf"(?P<said>no\b(?:\W+(?:{_PUT_RIGHT})\b)+|no\b(?=\s*(?:[,.!;…–—-]|$))|no\b{_FOLLOWS}"
    rf"|(?:i mean|i meant|make that|correction|or rather|rather|my mistake)\b"
    rf"|(?:scratch|strike|forget) that\b|never ?mind(?: that)?(?=\W|$)|on second thoughts?\b"
    rf"|wait\b(?:\W+(?:{_PUT_RIGHT})\b)+|(?:actually|wait(?!\s+(?:for|until|till|an?|\d))|sorry)\b)[\s,.!:;…–—-]*",
    re.IGNORECASE,
)
_SOFT = re.compile(r"actually|wait|sorry", re.IGNORECASE)
"""What is said without correcting anything, too."""
_END = re.compile(r"[,;.!?\n]|\s(?:and|then)\b|$", re.IGNORECASE)
_NAME_ENDS = re.compile(rf"\s(?:{_PLACING})\b|{_END.pattern}", re.IGNORECASE)
_STATES = re.compile(r"\b(?:is|are|was|were|isn't|aren't|has|have|had|looks?|seems?)\b", re.IGNORECASE)
_PLACED = re.compile(rf"\b(?:{_PLACING})\s+", re.IGNORECASE)
_NAMED = re.compile(rf"\b{_THING}\s+", re.IGNORECASE)
_BEGINS = re.compile(rf"(?P<place>(?:{_PLACING})\s+)?(?:{_THING}\s+)?\w", re.IGNORECASE)
_EITHER = (
    {Predicate.PLACE, Predicate.PUT_DOWN, Predicate.BRING, Predicate.HOLD},
    {Predicate.OPEN, Predicate.CLOSE},
    {Predicate.SWITCH_ON, Predicate.SWITCH_OFF},
)
"""Goals of which a correction takes back those about the same thing."""
_MOST = 5
"""Corrections in one instruction."""
_UNCLEAR = NotUnderstood(
    Code.NOT_UNDERSTOOD,
    "You corrected yourself, and I am not sure what you want now. Say it again in one piece.",
)


def corrected(text: str, understand: Reads, lexicon: Lexicon) -> str | Understood | NotUnderstood:
    """Return a text with its corrections carried out, or that it is not clear what they put right.

    "In the sink" takes the place of the last destination, "the sink" that of the one thing for which it makes sense.
    A whole request at the end ("put it in the sink") takes the place of what was asked for before with the same thing;
    then the goals are returned. `understand` reads a text without corrections.
    """
    for _ in range(_MOST):
        mark = next((m for m in _MARK.finditer(text) if text[: m.start()].strip()), None)
        if mark is None:
            return text
        before, rest = text[: mark.start()], text[mark.end() :]
        soft = _SOFT.fullmatch(mark["said"]) is not None
        old = understand(before)
        if not isinstance(old, Understood):
            unclear = isinstance(old, NotUnderstood) and old.code is Code.AMBIGUOUS and not soft
            return _UNCLEAR if unclear else text
        last = _MARK.search(rest) is None
        if last and (goals := _superseding(old.goals, understand(f"{before}. {rest}"))) is not None:
            return goals
        end = _END.search(rest)
        said, after = (rest[: end.start()], rest[end.start() :]) if end is not None else (rest, "")
        put_right = _put_right(before, said.strip(), old, understand, lexicon) if said.strip() else ""
        if not put_right:
            fragment = _PLACED.match(rest) is not None
            return text if soft and not fragment else _UNCLEAR
        text = put_right + after
    return _UNCLEAR


def _superseding(old: tuple[Goal, ...], both: Understanding) -> Understood | None:
    """Return what is wanted where a correction asks for something else of a thing; None where it does not.

    `both`: the goals before the correction, then those behind it.
    """
    if not isinstance(both, Understood) or both.goals[: len(old)] != old:
        return None
    new = both.goals[len(old) :]
    kept = tuple(goal for goal in old if not any(_supersedes(later, goal) for later in new))
    return replace(both, goals=(*kept, *new)) if new and any(_supersedes(new[0], goal) for goal in old) else None


def _supersedes(new: Goal, old: Goal) -> bool:
    """Whether only one of two goals can be meant: where one thing goes, or whether it is open or on."""
    same = new.object is not None and old.object is not None and new.object.entity == old.object.entity
    return same and any({new.predicate, old.predicate} <= either for either in _EITHER)


def _put_right(before: str, said: str, old: Understood, understand: Reads, lexicon: Lexicon) -> str:
    """Return what was said with the correction in its place; "" where that is not clear."""
    begins = _BEGINS.match(said)
    if begins is None or _STATES.search(said) or verb_form(said.split()[0].lower()) is not None:
        return ""
    found: dict[tuple[Goal, ...], str] = {}
    places, ends = (_PLACED, _END) if begins["place"] else (_NAMED, _NAME_ENDS)
    for start in reversed([m.start() for m in places.finditer(before)]):
        behind = ends.search(before, start)
        new = before[:start] + said + before[behind.start() if behind else len(before) :]
        read = understand(new)
        if not isinstance(read, Understood) or any(complaint(goal, lexicon) for goal in read.goals):
            continue
        if _one_differs(old.goals, read.goals, place=bool(begins["place"])):
            found.setdefault(read.goals, new)
            if begins["place"]:
                break  # the last destination
    return next(iter(found.values())) if len(found) == 1 else ""


def _one_differs(old: tuple[Goal, ...], new: tuple[Goal, ...], *, place: bool) -> bool:
    """Whether goals are the same but for one destination or, of what is no place, one thing."""
    if len(old) != len(new):
        return False
    pairs = [(a, b) for a, b in zip(old, new, strict=True) if str(a) != str(b)]
    if len(pairs) != 1:
        return False
    a, b = pairs[0]
    moved = str(replace(a, destination=b.destination, relation=b.relation)) == str(b)
    return moved or (not place and str(replace(a, object=b.object)) == str(b))
