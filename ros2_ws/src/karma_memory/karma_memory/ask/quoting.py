# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What people told in words like a question's: to be quoted where nothing else answers, not believed."""

from __future__ import annotations

from collections.abc import Iterable

from karma_language.evidence import Said
from karma_language.words import QUESTION_WORDS, content_words
from karma_memory.recall.index import MEANING, Search
from karma_memory.recall.query import Query, Record
from karma_memory.told import KIND

LIKE = 0.42
"""Cosine of question and words from which these may answer it (all-MiniLM-L6-v2)."""
NEARLY = 0.1
"""Of words that are so little less like the question than the likest ones, the newest count: people correct themselves.
"""


def quoted(query: Query, search: Search) -> tuple[Said, ...]:
    """Return what may be quoted to the query's user, one at most; nothing for what is no question.

    A quotation answers what, who, when, where and how, but says neither yes nor no.
    """
    if not QUESTION_WORDS & {*query.text.casefold().split()}:
        return ()
    told = _by_meaning(search) or _by_words(query.text, search)
    held = [(record, like) for record, like in told if record.user in ("", query.user) and search.accept(record)]
    if not held:
        return ()
    likest = max(like for _, like in held)
    newest = max((record for record, like in held if like >= likest - NEARLY), key=lambda record: record.valid_from)
    return (Said(newest.valid_from, newest.text, newest.user, record=newest.id),)


def _by_meaning(search: Search) -> Iterable[tuple[Record, float]]:
    ranking = next((ranking for ranking in search.rankings if ranking.name == MEANING), None)
    if ranking is None:
        return []
    rows = zip(ranking.rows.tolist(), ranking.values.tolist(), strict=True)
    likely = ((search.table.record(row), like) for row, like in rows if like >= LIKE)
    return [(record, like) for record, like in likely if record.kind == KIND]


def _by_words(text: str, search: Search) -> Iterable[tuple[Record, float]]:
    """Return what holds at least half of the words, where there are no vectors."""
    wanted = content_words(text)
    told = (record for record in search.table.records.values() if record.kind == KIND) if wanted else ()
    shares = ((record, len(wanted & content_words(record.text)) / len(wanted)) for record in told)
    return [(record, share) for record, share in shares if share >= 0.5]
