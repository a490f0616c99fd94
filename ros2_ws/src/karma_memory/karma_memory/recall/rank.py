# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""From what was found to an answer: fuse the rankings, break ties, say why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from karma_memory.recall.fusion import Ranking, fuse
from karma_memory.recall.hearsay import WHY as HEARSAY
from karma_memory.recall.hearsay import as_heard, is_hearsay
from karma_memory.recall.index import MEANING, NAMED, NAMED_WEIGHT, NEWEST, WORDS, Match, Search
from karma_memory.recall.query import Query, Recollection, Record
from karma_memory.scene import distance

FIRST_KIND = "short_term"
"""Of two memories that say the same, the one that was used last."""
TOLD_KIND = "told"


def rank(query: Query, search: Search, added: Sequence[Match], current_scene: str) -> list[Recollection]:
    """Return the best `query.limit` of what the index found and the memories `added`, best first.

    What somebody said whom the robot does not know comes last. Equal scores: the current scene, the nearest, the
    newest, short-term first; then by id. Where several memories keep the same words of a person, one stands for all:
    the words as they were told, where they are among them.
    """
    table = search.table
    unique = {match.record.id: match for match in added}
    extra = {table.row_of(key, table.size + number): match for number, (key, match) in enumerate(unique.items())}
    rankings = _with(search.rankings, extra)
    scores = fuse(rankings, table.size + len(added))
    found = np.flatnonzero(scores[: table.size])
    keys = [
        is_hearsay(table, query, found),
        -scores[found],
        ~table.among("scene", ("", current_scene), found),
        np.zeros(len(found)) if query.near is None else np.nan_to_num(table.distances(found, query.near)),
        -table.column("valid_from")[found],
        ~table.among("kind", [FIRST_KIND], found),
    ]
    places = {table.row(record.id): record for record in table.leading(found, keys, 2 * query.limit)}
    places.update((row, match.record) for row, match in extra.items())

    def order(row: int) -> tuple[bool, float, bool, float, float, bool, str]:
        record = places[row]
        unknown = as_heard(record, query) is not record
        gap = 0.0 if query.near is None or record.node is None else distance(query.near, record.node.position)
        here = record.scene in ("", current_scene)
        return unknown, -scores[row], not here, gap, -record.valid_from, record.kind != FIRST_KIND, record.id

    said: dict[tuple[str, str], int] = {}
    for row in sorted(places, key=order):
        record = places[row]
        words = (record.id, "") if record.node is not None else (record.source, record.text)
        if words not in said or record.kind == TOLD_KIND:
            said[words] = row
    best = list(said.values())[: query.limit]
    return [_recollected(places[row], query, float(scores[row]), _why(row, rankings, extra)) for row in best]


def _recollected(record: Record, query: Query, score: float, why: tuple[str, ...]) -> Recollection:
    heard = as_heard(record, query)
    return Recollection(heard, score, why if heard is record else (HEARSAY, *why))


def _with(rankings: Sequence[Ranking], added: Mapping[int, Match]) -> list[Ranking]:
    """Return the rankings with what was added among what is named."""
    if not added:
        return list(rankings)
    values: dict[int, float] = {}
    for ranking in rankings:
        if ranking.name == NAMED:
            values.update(zip(ranking.rows.tolist(), ranking.values.tolist(), strict=True))
    for row, match in added.items():
        values[row] = max(match.named, values.get(row, 0.0))
    rows = sorted(values)
    named = Ranking(NAMED, np.array(rows, dtype=np.intp), np.array([values[row] for row in rows]), NAMED_WEIGHT)
    return [*(ranking for ranking in rankings if ranking.name != NAMED), named]


def _why(row: int, rankings: Sequence[Ranking], added: Mapping[int, Match]) -> tuple[str, ...]:
    """Say what made the score."""
    signals = {ranking.name: signal for ranking in rankings if (signal := ranking.of(row)) is not None}
    why = []
    if NEWEST in signals:
        why.append(f"newest, rank {signals[NEWEST][1]}")
    if row in added:
        why.append(added[row].why)
    elif NAMED in signals:
        why.append(f"named in the query, confidence {signals[NAMED][0]:.2f}")
    if MEANING in signals:
        why.append("embedding {:.2f}, rank {}".format(*signals[MEANING]))
    if WORDS in signals:
        why.append("bm25 {:.2f}, rank {}".format(*signals[WORDS]))
    return tuple(why)
