# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a description means: the likeliest categories, what else it may be, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass

from karma_language.vocabulary.descriptions import Descriptions
from karma_language.vocabulary.lexicon import Lexicon, Noun
from planner_node.understand.chunks import Chunk

_SURE = 0.5
"""Score from which on a description is taken for what fits it best."""
_ASKS = 0.38
"""Score from which on it is asked whether that is meant."""
_TIED = 0.04
"""Categories so close to the best one fit as well."""
_POSSIBLE = 0.25
"""Categories so close to the best one may be meant where there is nothing better."""
_MOST = 6
_FOOD = "food"
"""The class of what is meant by "something to eat"."""


class UnclearThing(Exception):  # noqa: N818 - caught at once and turned into an answer
    """A description that may mean several things, none of them surely."""

    def __init__(self, words: str, choices: tuple[str, ...]) -> None:
        super().__init__(words)
        self.words = words
        self.choices = choices


@dataclass(frozen=True)
class Meant:
    """What a description means."""

    noun: Noun
    margin: float
    """How far the likeliest category is ahead of the next, 0 to 1."""


def meant(chunk: Chunk, affordance: str, lexicon: Lexicon, descriptions: Descriptions) -> Meant | None:
    """Return what a description means, None where nothing known fits. Raises UnclearThing when that is not clear.

    `affordance`: what is done with it, empty where that tells nothing.
    """
    if chunk.anything and chunk.words[-2:] == ("to", "eat"):
        return Meant(Noun(lexicon.nouns[(_FOOD,)].categories, chunk.several, generic=True), 0.0)
    named = chunk.noun is not None and not chunk.noun.generic
    ranked = descriptions.rank(
        dict.fromkeys([chunk.described, chunk.detail]),
        affordance or ("pickup" if chunk.anything else ""),
        among=chunk.noun.categories if chunk.noun is not None else (),
        never=chunk.beside,
    )
    if named and chunk.noun is not None:  # "the lamp that stands on the floor" is a lamp
        known = (*chunk.noun.categories, *chunk.noun.loosely)
        ranked = [m for m in ranked if m.category in known] or ranked
    if not ranked:
        return None
    best = ranked[0].score
    if not named and best < _ASKS:
        return None
    if not named and best < _SURE:
        raise UnclearThing(chunk.word, tuple(lexicon.kind(m.category).noun for m in ranked[:3]))
    near = [m for m in ranked[:_MOST] if best - m.score <= _POSSIBLE and m.score >= _ASKS] or ranked[:1]
    likely = tuple(m.category for m in near if best - m.score <= _TIED)
    also = tuple(m.category for m in near if m.category not in likely)
    margin = best - next((m.score for m in ranked if m.category not in likely[:1]), 0.0)
    return Meant(Noun(likely, chunk.several, loosely=also, generic=len(likely) > 1), min(1.0, max(0.0, margin)))
