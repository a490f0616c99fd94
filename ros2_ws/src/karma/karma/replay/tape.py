# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which recorded exchange answers a question of the planner: the next one that is the same."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from copy import deepcopy
from typing import Any

from builtin_interfaces.msg import Time

from karma.replay.trial import CALLS, LEARN, REMEMBER, Exchange


class Tape:
    """The recorded calls of a planner, each of which answers once. Thread-safe."""

    def __init__(self, exchanges: Iterable[Exchange]) -> None:
        self.calls = tuple(exchange for exchange in exchanges if exchange.name in CALLS)
        self._requests = [_comparable(exchange.name, exchange.request) for exchange in self.calls]
        self._used: set[int] = set()
        self._lock = threading.Lock()

    def take(self, name: str, request: Any) -> Exchange | None:
        """Return the first call like this one that has not answered yet, None where there is none.

        What only names an event or says when it was made doesn't count.
        """
        wanted = _comparable(name, request)
        with self._lock:
            for number, exchange in enumerate(self.calls):
                if number not in self._used and exchange.name == name and self._requests[number] == wanted:
                    self._used.add(number)
                    return exchange
        return None

    def left(self) -> list[Exchange]:
        """Return the calls that have not answered."""
        with self._lock:
            return [exchange for number, exchange in enumerate(self.calls) if number not in self._used]


def _comparable(name: str, request: Any) -> Any:
    """Return a request without the ids and stamps that are given anew each time.

    Messages are compared, not their bytes: those between two fields may be anything.
    """
    if name not in (REMEMBER, LEARN):
        return request
    request = deepcopy(request)
    if name == LEARN:
        request.id = ""
        return request
    for event in request.events:
        event.id, event.stamp = "", Time()
    return request
