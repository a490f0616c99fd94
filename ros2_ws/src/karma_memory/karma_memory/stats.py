# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""State and health of a memory, for operators."""

from __future__ import annotations

from dataclasses import dataclass

from karma_memory.scene import Layer


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
