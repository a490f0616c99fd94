# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which recorded exchange answers a question of the planner: the next one that is the same."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from copy import deepcopy
from typing import Any

from builtin_interfaces.msg import Time
from rclpy.serialization import serialize_message

from karma.replay.trial import CALLS, LEARN, REMEMBER, Exchange


class Tape:
    """The recorded calls of a planner, each of which answers once. Thread-safe."""

    def __init__(self, exchanges: Iterable[Exchange]) -> None:
        self.calls = tuple(exchange for exchange in exchanges if exchange.name in CALLS)
        self._keys = [key(exchange.name, exchange.request) for exchange in self.calls]
        self._used: set[int] = set()
        self._lock = threading.Lock()

    def take(self, name: str, request: Any) -> Exchange | None:
        """Return the first call like this one that has not answered yet, None where there is none.

        What only names an event or says when it was made doesn't count.
        """
        wanted = key(name, request)
        with self._lock:
            for number, exchange in enumerate(self.calls):
                if number not in self._used and exchange.name == name and self._keys[number] == wanted:
                    self._used.add(number)
                    return exchange
        return None

    def next_of(self, name: str, instruction_id: str) -> Exchange | None:
        """Return the first call of a name within an instruction that has not answered yet."""
        with self._lock:
            return next(
                (
                    exchange
                    for number, exchange in enumerate(self.calls)
                    if number not in self._used and (exchange.name, exchange.instruction_id) == (name, instruction_id)
                ),
                None,
            )

    def left(self) -> list[Exchange]:
        """Return the calls that have not answered."""
        with self._lock:
            return [exchange for number, exchange in enumerate(self.calls) if number not in self._used]


def key(name: str, request: Any) -> bytes:
    """Return what makes a request the same: its bytes, without the ids and stamps that are given anew each time."""
    if name in (REMEMBER, LEARN):
        request = deepcopy(request)
    if name == REMEMBER:
        for event in request.events:
            event.id, event.stamp = "", Time()
    if name == LEARN:
        request.id = ""
    return bytes(serialize_message(request))
