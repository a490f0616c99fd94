# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which inputs are silent, so that no frame comes about."""

from __future__ import annotations

from collections.abc import Collection

PATIENCE = 12.0
"""Seconds without a frame after which something is wrong: a robot at rest may show a view every 5 s only (sim_bridge's
`idle_rate`), at its next tick, and one of them may be lost."""


class SilenceWatch:
    """Remembers when each stream was last heard, and when they last made a frame; times are seconds of one clock."""

    def __init__(self, streams: Collection[str], now: float) -> None:
        self._heard = dict.fromkeys(streams, now)
        self._frame = now

    def hear(self, stream: str, now: float) -> None:
        """Note a message."""
        self._heard[stream] = now

    def complete(self, now: float) -> None:
        """Note that messages made a frame."""
        self._frame = now

    def complaint(self, now: float) -> str:
        """Return why no frame has come for too long, "" when one has."""
        waited = now - self._frame
        if waited <= PATIENCE:
            return ""
        silent = sorted(s for s, heard in self._heard.items() if now - heard > PATIENCE)
        if len(silent) == len(self._heard):
            return f"no camera messages for {waited:.0f} s; does the camera, or the simulator, run?"
        if silent:
            return f"no frame for {waited:.0f} s: nothing comes on {', '.join(silent)}"
        return f"no frame for {waited:.0f} s: the stamps of its messages differ; they must be the same"
