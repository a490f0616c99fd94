# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which word of an instruction was misunderstood, where another kind of thing turned out to be meant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from karma_memory.episodic.goals import GoalText, Thing
from karma_memory.recall.lexical import STOP_WORDS, words
from karma_memory.recall.vocabulary import Mention, Vocabulary, singular

MOST_CORRECTIONS = 2
"""Kinds of things that two readings of the same instruction differ in; with more, they are not about the same."""
LONGEST_NAME = 4
"""Words of a thing's name."""
_JOINING = frozenset({"and", "then", "or"})
"""Words after which another request may begin, with its verb."""


class Correction(NamedTuple):
    """What two readings of an instruction differ in."""

    place: int
    """Of the thing among those of the right reading."""
    wrong: str
    """Category that it was taken for first."""
    right: str


def corrections(wrong: Sequence[GoalText], right: Sequence[GoalText]) -> list[Correction]:
    """Return what two readings of an instruction differ in, each difference once.

    Position by position; where they differ in form, the one category that only each of them has.
    """
    mine, yours = things_of(wrong), things_of(right)
    if [(goal.predicate, len(goal.things)) for goal in wrong] == [(goal.predicate, len(goal.things)) for goal in right]:
        found: dict[tuple[str, str], Correction] = {}
        for place, (a, b) in enumerate(zip(mine, yours, strict=True)):
            if a.category and b.category and a.category != b.category:
                found.setdefault((a.category, b.category), Correction(place, a.category, b.category))
        return list(found.values()) if len(found) <= MOST_CORRECTIONS else []
    one, other = [a.category for a in mine], [b.category for b in yours]
    lost, new = {a for a in one if a and a not in other}, [b for b in other if b and b not in one]
    if len(lost) == 1 and len(set(new)) == 1:
        return [Correction(other.index(new[0]), lost.pop(), new[0])]
    return []


def things_of(goals: Sequence[GoalText]) -> list[Thing]:
    """Return what goals are about, in order."""
    return [thing for goal in goals for thing in goal.things]


def word_for(instruction: str, right: Sequence[GoalText], correction: Correction, vocabulary: Vocabulary) -> str:
    """Return the words of `instruction` that were misunderstood, "" where none are found.

    Those that stand with the goal; else a name that can mean either category; else, of the phrases that name none of
    the other things, the one whose turn it is.
    """
    things = things_of(right)
    place, wrong, meant = correction
    if things[place].noun:
        return things[place].noun
    mentions = vocabulary.mentions(instruction)
    for names in ({wrong, meant}, {wrong}, {meant}):
        for mention in mentions:
            if names <= mention.categories:
                return mention.phrase
    others = {thing.category for i, thing in enumerate(things) if i != place}
    explained = [mention for mention in mentions if mention.categories & others]
    named = {name for mention in explained for name in mention.categories}
    waiting = [i for i, thing in enumerate(things) if i == place or thing.category not in named]
    phrases = _phrases(instruction, explained)
    turn = waiting.index(place)
    return phrases[turn] if turn < len(phrases) else ""


def normal(name: str) -> str:
    """Return a name in lower case and in the singular."""
    return " ".join(singular(word) for word in words(name))


def _phrases(instruction: str, explained: Sequence[Mention]) -> list[str]:
    """Return the runs of words that tell something, without verbs that begin a request and names that are explained."""
    known = {mention.phrase for mention in explained}
    phrases: list[list[str]] = [[]]
    begins = True
    for word in words(instruction):
        if word in STOP_WORDS:
            phrases.append([])
            begins = word in _JOINING
        elif begins:  # the verb
            begins = False
        else:
            phrases[-1].append(word)
    found = [" ".join(phrase[-LONGEST_NAME:]) for phrase in phrases if phrase]
    return [name for name in found if not any(f" {explanation} " in f" {normal(name)} " for explanation in known)]
