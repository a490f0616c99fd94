# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the memory server says of itself in the diagnostics."""

from __future__ import annotations

import shutil
from collections.abc import Mapping

from karma_language.models import Usage
from karma_memory.journal import JournalError
from karma_memory.journal.group_commit import BusyError
from karma_memory.memory import Memory
from karma_ros.diagnostics import ERROR, OK, WARN, Diagnosis

LOW_BYTES = 500_000_000
"""Free space below which it is told that the disk will be full."""
FIGURES = (
    *("events", "journal_bytes", "records", "policy", "capacity", "occupancy", "hit_rate", "evictions"),
    *("embedder", "waiting_for_embedding", "remember_p99", "recall_p99"),
)


def diagnosis(memory: Memory, embedder: str, usages: Mapping[str, Usage], trouble: str) -> Diagnosis:
    """Say how much is remembered, and what is wrong: the worst of it.

    `embedder`: the one that was wanted; `usages`: of language models, by purpose; `trouble`: what went wrong since the
    last time.
    """
    try:
        stats = memory.stats()
    except (JournalError, BusyError) as error:
        return Diagnosis("memory", str(error), ERROR)
    level, message = OK, f"{stats.events} events, {stats.records} records"
    if stats.remark and embedder != "lexical":
        level, message = WARN, stats.remark
    for usage in usages.values():
        if usage.problem:
            level, message = WARN, f"language model: {usage.problem}"
    free = shutil.disk_usage(memory.path.parent).free
    if free < LOW_BYTES:
        folder = f"{memory.path.parent}, where the memory's files grow"
        level, message = WARN, f"only {free // 10**6} MB are free in {folder}: free some space"
    if wrong := memory.trouble or trouble:
        level, message = ERROR, wrong
    values = {name: getattr(stats, name) for name in FIGURES} | {"free_bytes": free, "scene": memory.current_scene}
    for purpose, usage in usages.items():
        values |= usage.figures(purpose)
    return Diagnosis("memory", message, level, values)
