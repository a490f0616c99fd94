# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Least-recently-used replacement."""

from __future__ import annotations

from karma_memory.short_term.fifo import FifoMerge


class Lru(FifoMerge):
    """The key that was not used for longest goes: a queue in which every use joins at the end."""

    _segment = "recent"
    _stored = "keys"

    def touch(self, key: str) -> None:
        """Use `key`, which is in."""
        self._queue.move_to_end(key)
