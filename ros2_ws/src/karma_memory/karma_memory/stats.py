# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""State and health of a memory, for operators."""

from __future__ import annotations

from dataclasses import dataclass

from karma_memory.journal import Journal
from karma_memory.recall.embedding_worker import EmbeddingWorker
from karma_memory.recall.latency import Latency
from karma_memory.scene import Layer
from karma_memory.state.live import LiveState


@dataclass(frozen=True)
class Stats:
    """State and health; see karma_interfaces/MemoryStats. Latencies in milliseconds."""

    events: int
    journal_bytes: int
    policy: str
    capacity: int
    occupancy: int
    lookups: int
    hits: int
    hit_rate: float
    evictions: int
    nodes: dict[Layer, int]
    records: int
    embedder: str
    remark: str
    """What an operator should know, for instance why recall goes by words alone; empty when all is well."""
    waiting_for_embedding: int
    remember_p50: float
    remember_p99: float
    recall_p50: float
    recall_p99: float


def stats_of(
    journal: Journal, live: LiveState, worker: EmbeddingWorker, latencies: tuple[Latency, Latency], remark: str
) -> Stats:
    """Return state and health; `latencies`: of remember and recall; `remark`: unless the worker has one."""
    remembering, recalling = latencies
    journal_bytes = journal.size_bytes
    with live.lock:
        short_term = live.state.short_term
        counters = short_term.counters
        return Stats(
            events=live.applied,
            journal_bytes=journal_bytes,
            policy=short_term.settings.policy,
            capacity=short_term.settings.capacity,
            occupancy=short_term.occupancy,
            lookups=counters.lookups,
            hits=counters.hits,
            hit_rate=counters.hit_rate,
            evictions=counters.evictions,
            nodes=live.state.long_term.counts(),
            records=len(live.state.index.records),
            embedder=worker.name,
            remark=worker.remark or remark,
            waiting_for_embedding=len(live.state.index.semantic.missing) if worker.active else 0,
            remember_p50=remembering.percentile(50),
            remember_p99=remembering.percentile(99),
            recall_p50=recalling.percentile(50),
            recall_p99=recalling.percentile(99),
        )
