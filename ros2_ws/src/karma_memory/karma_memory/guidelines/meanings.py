# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which word of an instruction was misunderstood, where another kind of thing turned out to be meant."""

from __future__ import annotations

from collections.abc import Sequence

from karma_memory.episodic.goals import GoalText
from karma_memory.recall.lexical import STOP_WORDS, words
from karma_memory.recall.vocabulary import Mention, Vocabulary, singular

MOST_CORRECTIONS = 2
"""Kinds of things that two readings of the same instruction differ in; with more, they are not about the same."""
LONGEST_NAME = 4
"""Words of a thing's name."""
_JOINING = frozenset({"and", "then", "or"})
"""Words after which another request may begin, with its verb."""


def corrections(wrong: Sequence[GoalText], right: Sequence[GoalText]) -> list[tuple[int, str, str]]:
    """Return what two readings of an instruction differ in: place in the right one, wrong category, right category.

    Position by position; where they differ in form, the one category that only each of them has.
    """
    mine, yours = _things(wrong), _things(right)
    same_form = [(g.predicate, len(g.categories)) for g in wrong] == [(g.predicate, len(g.categories)) for g in right]
    if same_form:
        found = [(place, a, b) for place, (a, b) in enumerate(zip(mine, yours, strict=True)) if a != b]
        kinds = {(a, b) for _, a, b in found}
        firsts = [next(item for item in found if item[1:] == kind) for kind in sorted(kinds)]
        return sorted(firsts) if len(kinds) <= MOST_CORRECTIONS else []
    lost, new = [a for a in mine if a not in yours], [b for b in yours if b not in mine]
    if len(set(lost)) == 1 and len(set(new)) == 1:
        return [(yours.index(new[0]), lost[0], new[0])]
    return []


def word_for(instruction: str, right: Sequence[GoalText], place: int, wrong: str, vocabulary: Vocabulary) -> str:
    """Return the words of `instruction` that mean the thing at `place` of the right reading, "" where none is found.

    `wrong`: the category that they were first taken for. A name that can mean either category is it; else, of the
    phrases that name none of the other things, the one whose turn it is.
    """
    things = _things(right)
    mentions = vocabulary.mentions(instruction)
    for categories in ({wrong, things[place]}, {wrong}, {things[place]}):
        for mention in mentions:
            if categories <= mention.categories:
                return mention.phrase
    others = [name for i, name in enumerate(things) if i != place]
    explained = [mention for mention in mentions if mention.categories & set(others)]
    named = {name for mention in explained for name in mention.categories}
    waiting = [i for i, name in enumerate(things) if i == place or name not in named]
    phrases = _phrases(instruction, explained)
    turn = waiting.index(place)
    return phrases[turn] if turn < len(phrases) else ""


def _things(goals: Sequence[GoalText]) -> list[str]:
    return [name for goal in goals for name in goal.categories]


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
    return [name for name in found if not any(_says(name, explanation) for explanation in known)]


def _says(phrase: str, name: str) -> bool:
    singulars = " ".join(singular(word) for word in phrase.split())
    return f" {name} " in f" {singulars} "
