# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Calls of services, each bounded in time.

Used from one thread that may block, while an executor with more threads serves the answers.
"""

from __future__ import annotations

import threading
import time
from typing import Any

from rclpy.task import Future

from planner_node import conversions
from planner_node.memory import MemoryRefused, MemoryUnavailable
from planner_node.ros.exchanges import Exchanges
from planner_node.skills import Code

_DISCOVERY = 2.0
"""Seconds in which a memory that is there is found by a planner that has just been started."""
_AVOIDED = 10.0
"""Seconds for which a memory that did not answer is not asked again."""
_REPEAT = 2.0
"""Seconds after which a request without an answer is sent again, at most; it is three times before it is given up."""


class NoAnswer(Exception):  # noqa: N818 - a state of the other side
    """A service is not there or did not answer in time."""


class MemoryCalls:
    """Calls of the memory server, which is not waited for where it did not answer before."""

    def __init__(self, timeout: float, exchanges: Exchanges | None) -> None:
        self._timeout = timeout
        self._exchanges = exchanges
        self._avoid_until = 0.0

    def __call__(self, client: Any, request: Any) -> Any:
        """Call a service and return its response. Raises MemoryUnavailable and MemoryRefused."""
        if time.monotonic() < self._avoid_until and not client.service_is_ready():
            raise MemoryUnavailable(f"the service {client.srv_name} did not answer before. Start karma_memory.")
        try:
            discovery = _DISCOVERY if self._avoid_until == 0.0 else 0.0
            response = call(client, request, self._timeout, discovery, self._exchanges)
        except NoAnswer as error:
            self._avoid_until = time.monotonic() + _AVOIDED
            raise MemoryUnavailable(f"{error}. Start karma_memory.") from error
        self._avoid_until = 0.0  # it is back: its other services may take a moment to be found
        code = conversions.code_from(response.result)
        if code in (Code.INVALID_ARGUMENT, Code.INTERNAL_ERROR):  # the same request again would meet the same defect
            raise MemoryRefused(response.result.message)
        if code not in (Code.SUCCESS, Code.NOT_FOUND):
            raise MemoryUnavailable(f"{client.srv_name}: {code.name} {response.result.message}")
        return response


def call(client: Any, request: Any, timeout: float, discovery: float, exchanges: Exchanges | None = None) -> Any:
    """Call a service and return its response; NoAnswer after `timeout` s, or `discovery` s when nobody offers it.

    `exchanges` hears of it. See `_call`.
    """
    if exchanges is None:
        return _call(client, request, timeout, discovery)
    asked = exchanges.now()
    try:
        response = _call(client, request, timeout, discovery)
    except NoAnswer as error:
        exchanges.note(client.srv_name, request, asked=asked, error=str(error))
        raise
    exchanges.note(client.srv_name, request, response, asked=asked)
    return response


def _call(client: Any, request: Any, timeout: float, discovery: float) -> Any:
    """Call a service until it answers.

    Fast DDS drops an answer to a client that the server has not discovered yet, so the request may be sent again: it
    must be one that may be carried out twice.
    """
    name = client.srv_name
    if not client.wait_for_service(timeout_sec=discovery):
        raise NoAnswer(f"nobody offers the service {name}")
    answered = threading.Event()
    asked: list[Future] = []
    until = time.monotonic() + timeout
    while (left := until - time.monotonic()) > 0.0 and not answered.is_set():
        asked.append(client.call_async(request))
        asked[-1].add_done_callback(lambda _: answered.set())
        answered.wait(min(left, _REPEAT, timeout / 3.0))
    for future in asked:
        client.remove_pending_request(future)
    responses = [future.result() for future in asked if future.done()]
    if not responses:
        raise NoAnswer(f"the service {name} did not answer within {timeout:.1f} s")
    return responses[0]
