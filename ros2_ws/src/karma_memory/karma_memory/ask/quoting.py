# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What people told in words like a question's: to be quoted where nothing else answers, not believed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from karma_language.answers.evidence import Said
from karma_language.things import Thing
from karma_language.told import quoting as words
from karma_language.told.quoting import BY_WORDS, ENOUGH, excerpt, follows, likeness, owner, sense, wh, whether
from karma_language.vocabulary.terms import normalised
from karma_language.vocabulary.words import content_words
from karma_memory.recall.fusion import Ranking
from karma_memory.recall.index import MEANING, Search
from karma_memory.recall.query import Query, Record
from karma_memory.told.statements import KIND, Statement

_JUST = 300.0
"""Seconds for which what was told is what is spoken of."""
NEARLY = 0.1
"""Difference of likeness that does not count: of words so close to the best ones the newest win, as people correct
themselves."""
_AS_NEAR = 0.15
"""Difference to the nearest words within which other words are quoted, too."""
_NEAR = 0.35
"""Nearness from which words may help who asks: 92 % of 461 told sentences are that near to the question for them, and
the nearest of eight others to a quarter of the questions."""


def may_hear(record: Record, user: str) -> bool:
    """Whether words may be quoted to a user: their own, and nobody's unless they are about who said them."""
    return record.user == user or (not record.user and not words.of_who_says_it(record.text))


def each_once(said: Iterable[Said]) -> list[Said]:
    """Return what people said, the oldest first; of what was said in the same words, the newest."""
    newest: dict[str, Said] = {}
    for one in sorted(said, key=lambda one: one.stamp):
        newest.pop(normalised(one.text), None)
        newest[normalised(one.text)] = one
    return list(newest.values())


def just_told(question: str, told: Sequence[Statement], now: float) -> tuple[Said, ...]:
    """Return what a person told last, where that is a moment ago and their question goes on about it."""
    last = max(told, key=lambda one: one.valid_from, default=None)
    if last is None or now - last.valid_from > _JUST or not (wh(question) and follows(question, last.text)):
        return ()
    return (Said(last.valid_from, last.text, last.user, record=f"{KIND}:{last.id}"),)


def says_more(question: str, thing: Thing, said: str) -> bool:
    """Whether words have more of what a question asks than the thing: "the toaster is broken since Easter"."""
    return bool((content_words(question) - content_words(thing.text)) & content_words(said))


def may_say_where(question: str, said: Sequence[Said]) -> tuple[Said, ...]:
    """Return those of a person's words that may say where something is: a place is in them."""
    return tuple(one for one in said if words.may_answer(question, one.text, 0.0))


def _by_meaning(search: Search) -> Ranking | None:
    return next((ranking for ranking in search.rankings if ranking.name == MEANING), None)


def nearest(query: Query, search: Search) -> tuple[Said, ...]:
    """Return what the user told that is likest in meaning, two at most: it may help where nothing answers."""
    meant = _by_meaning(search)
    if meant is None:
        return ()
    told = (
        (search.table.record(row), cosine)
        for row, cosine in zip(meant.rows.tolist(), meant.values.tolist(), strict=True)
    )
    own = ((one, cosine) for one, cosine in told if one.kind == KIND and one.user == query.user)
    rated = [(words.nearness(query.text, one.text, cosine), one) for one, cosine in own]
    best = sorted(rated, key=lambda one: (-one[0], -one[1].valid_from))[:2]
    return tuple(
        Said(one.valid_from, one.text, one.user, record=one.id)
        for near, one in best
        if near >= _NEAR and near > best[0][0] - _AS_NEAR
    )


def _later(one: Record, other: Record) -> bool:
    return one.user == other.user and one.valid_from >= other.valid_from


def quoted(query: Query, search: Search) -> tuple[Said, ...]:
    """Return what may be quoted to the query's user, one at most; nothing for what is no question.

    A quotation answers what, who, when, where and how; it says yes or no only where it has all that is asked.
    """
    meant = _by_meaning(search)
    alike = {} if meant is None else dict(zip(meant.rows.tolist(), meant.values.tolist(), strict=True))
    rows = sorted({row for ranking in search.rankings for row in ranking.rows.tolist()})
    near = ((search.table.record(row), row, alike.get(row, 0.0)) for row in rows)
    told = [one for one in near if one[0].kind == KIND and may_hear(one[0], query.user)]
    rated: list[tuple[Record, int, float, float]] = []
    best, asked = 0.0, sense(query.text)
    for record, row, cosine in sorted(told, key=lambda one: -one[2]):
        if not words.may_answer(query.text, record.text, cosine):
            continue
        if (cosine and cosine + BY_WORDS < max(best - NEARLY, ENOUGH)) or (best and not cosine and meant is not None):
            continue  # no words in common bring it near the best
        rated.append((record, row, cosine, likeness(asked, record.text, cosine)))
        best = max(best, rated[-1][3])
    if not best:
        return ()
    best_ones = [one for one in rated if one[3] >= best - NEARLY]
    best_ones = [one for one in best_ones if one[0].user] or best_ones  # who asks knows better than nobody
    newest, _, cosine, _ = max(best_ones, key=lambda one: (one[0].valid_from, one[1]))  # of one moment, the last
    newest = next(
        (one for one, _, _ in told if words.takes_back(one.text, newest.text) and _later(one, newest)), newest
    )
    text = excerpt(query.text, newest.text)
    said = owner(query.text, text) if wh(query.text) else whether(query.text, text, cosine)
    if not said and not wh(query.text):
        return ()
    own = newest.user == query.user
    return (Said(newest.valid_from, text, newest.user, own, said, record=newest.id),)
