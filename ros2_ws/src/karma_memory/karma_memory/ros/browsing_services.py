# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Services of the memory server for people who look on: what the memories hold, what happened, short-term memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from karma_interfaces.srv import BrowseMemory, GetEvents, GetShortTermMemory
from karma_memory import answer_conversions, conversions
from karma_memory.memory import Memory
from karma_memory.ros.serving import Serve


class BrowsingServices:
    """Answers from whatever memory is open when it is asked."""

    def __init__(self, serve: Serve, now: Callable[[], float]) -> None:
        """`now`: the time in seconds, the robot's clock."""
        self._now = now
        serve(BrowseMemory, "memory/browse", self._browse)
        serve(GetEvents, "memory/get_events", self._get_events)
        serve(GetShortTermMemory, "memory/get_short_term", self._get_short_term)

    def _browse(self, memory: Memory, request: Any, response: Any) -> None:
        query = answer_conversions.to_browse_query(request, now=self._now())
        found = memory.browsing.records(query, int(request.offset))
        response.recollections = answer_conversions.from_recollections(found.recollections)
        response.total, response.users = found.total, list(found.users)

    def _get_events(self, memory: Memory, request: Any, response: Any) -> None:
        found = memory.browsing.events(answer_conversions.to_event_query(request))
        response.events = [conversions.from_event(entry.event) for entry in found.entries]
        response.sequences = [entry.sequence for entry in found.entries]
        response.last_sequence = found.last
        response.since, response.until = map(conversions.from_seconds, memory.browsing.span())

    def _get_short_term(self, memory: Memory, request: Any, response: Any) -> None:
        at = conversions.to_seconds(request.at) or None
        contents = memory.browsing.short_term(at)
        response.memory = answer_conversions.from_short_term(contents, self._now() if at is None else at)
