# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a language model was asked for an instruction, as the planner's diagnostics tell it."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray

from karma_ros.client import GraphClient
from karma_ros.diagnostics import TOPIC

FIGURES = {"calls": "calls", "tokens asked": "tokens_asked", "tokens answered": "tokens_answered", "seconds": "seconds"}
"""Figure of the diagnostics → its name in the report."""
_PREFIX = "llm reading: "
_PATIENCE_S = 5.0
"""Seconds to wait for diagnostics that tell of what has just ended; they come about once a second."""


class ModelUse:
    """Follows the planner's diagnostics. Without a model there are no figures, and nothing is waited for."""

    def __init__(self, client: GraphClient) -> None:
        self._told = threading.Condition()
        self._figures: dict[str, float] | None = None
        self._number = 0
        client.node.create_subscription(DiagnosticArray, TOPIC, self._hear, 20)

    def so_far(self) -> dict[str, float]:
        """Return what the model was asked so far, as diagnostics tell that come from now on."""
        with self._told:
            number = self._number
            until = time.monotonic() + _PATIENCE_S
            while self._number < number + 2 and (left := until - time.monotonic()) > 0:
                self._told.wait(left)
            return dict(self._figures or {})

    def since(self, before: Mapping[str, float]) -> dict[str, float]:
        """Return what it was asked since then; nothing without a model."""
        return {name: round(max(0.0, now - before.get(name, 0.0)), 3) for name, now in self.so_far().items()}

    def _hear(self, message: Any) -> None:
        for status in message.status:
            values = {item.key: item.value for item in status.values}
            known = {name: values[_PREFIX + key] for key, name in FIGURES.items() if _PREFIX + key in values}
            if known:
                with self._told:
                    self._figures = {name: float(value) for name, value in known.items()}
                    self._number += 1
                    self._told.notify_all()
