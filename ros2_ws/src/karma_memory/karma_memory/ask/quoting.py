# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What people told in words like a question's: to be quoted where nothing else answers, not believed."""

from __future__ import annotations

from karma_language.evidence import Said
from karma_language.told.quoting import excerpt, likeness, owner, wh, whether
from karma_memory.recall.index import MEANING, Search
from karma_memory.recall.query import Query
from karma_memory.told import KIND

NEARLY = 0.1
"""Of words that are so little less like the question than the likest ones, the newest count: people correct themselves.
"""


def quoted(query: Query, search: Search) -> tuple[Said, ...]:
    """Return what may be quoted to the query's user, one at most; nothing for what is no question.

    A quotation answers what, who, when, where and how; it says yes or no only where it has all that is asked.
    """
    meant = next((ranking for ranking in search.rankings if ranking.name == MEANING), None)
    alike = {} if meant is None else dict(zip(meant.rows.tolist(), meant.values.tolist(), strict=True))
    told = [
        (record, alike.get(search.table.row(record.id), 0.0))
        for record in search.table.records.values()
        if record.kind == KIND and record.user in ("", query.user) and search.accept(record)
    ]
    rated = [(record, cosine, likeness(query.text, record.text, cosine)) for record, cosine in told]
    best = max((like for _, _, like in rated), default=0.0)
    if not best:
        return ()
    near = [one for one in rated if one[2] >= best - NEARLY]
    newest, cosine, _ = max(reversed(near), key=lambda one: one[0].valid_from)  # of one moment, what was said last
    text = excerpt(query.text, newest.text)
    said = owner(query.text, text) if wh(query.text) else whether(query.text, text, cosine)
    if not said and not wh(query.text):
        return ()
    return (Said(newest.valid_from, text, newest.user, said, record=newest.id),)
