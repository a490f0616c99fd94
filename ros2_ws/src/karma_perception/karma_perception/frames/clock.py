# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether the clock of the frames was set, or only one of them has a wrong stamp."""

from __future__ import annotations

from collections import deque
from statistics import median_low

from karma_perception.frames.camera import FrameError

CONFIRMED = 3
"""Stamps in a row that make a new time believed."""

_BEHIND = 1.0
"""Seconds by which a frame may come out of order."""

_AHEAD = 3600.0
"""Seconds that may pass without a frame."""

_RECENT = 5
"""Stamps that tell what time it is; their median, so that a wrong one among them does not matter."""


class FrameClock:
    """Follows the stamps of frames, in seconds."""

    def __init__(self) -> None:
        self._recent: deque[float] = deque(maxlen=_RECENT)
        self._doubtful: deque[float] = deque(maxlen=_RECENT)

    @property
    def now(self) -> float:
        """The newest of the recent stamps; 0 before the first."""
        return max(self._recent, default=0.0)

    def advance(self, stamp: float) -> bool:
        """Take the next frame's stamp; return whether the clock was set back.

        `FrameError` while the stamp is far from the others and too few in a row confirm it.
        """
        if not self._recent or _follows(stamp, self._recent):
            self._doubtful.clear()
            self._recent.append(stamp)
            return False
        if self._doubtful and not _follows(stamp, self._doubtful):
            self._doubtful.clear()
        self._doubtful.append(stamp)
        if len(self._doubtful) < CONFIRMED:
            raise FrameError(
                f"its stamp is {stamp:.3f} s, but the last were at {self.now:.3f} s; "
                f"{CONFIRMED} frames in a row make a new time believed"
            )
        back = stamp < median_low(self._recent)
        self._recent, self._doubtful = self._doubtful, deque(maxlen=_RECENT)
        return back


def _follows(stamp: float, others: deque[float]) -> bool:
    middle = median_low(others)
    return middle - _BEHIND <= stamp <= middle + _AHEAD
