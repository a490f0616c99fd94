# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Stamps that go on when the clock of a recording jumps."""

from __future__ import annotations

_BACK = 1_000_000_000
"""Nanoseconds by which a stamp may come out of order."""

_AHEAD = 60_000_000_000
"""Nanoseconds without a frame that are believed, when the last was not received about as long ago."""


class Timeline:
    """Follows the stamps of frames; after a jump, time goes on by when they were received."""

    def __init__(self) -> None:
        self._last: tuple[int, int, int] | None = None
        self.jump = 0
        """Nanoseconds by which the last stamp jumped, 0 when it did not."""

    def place(self, stamp: int, received: int) -> int:
        """Return the stamp, nanoseconds, as one that goes on from those before."""
        if self._last is None:
            shift, self.jump = 0, 0
        else:
            shift, last_stamp, last_received = self._last
            passed = stamp - last_stamp
            waited = max(0, received - last_received)
            if -_BACK <= passed <= max(_AHEAD, 10 * waited):
                self.jump = 0
            else:
                self.jump = passed
                shift += min(waited, _AHEAD) - passed
        self._last = (shift, stamp, received)
        return stamp + shift
