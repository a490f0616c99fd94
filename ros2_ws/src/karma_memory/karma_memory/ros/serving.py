# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Services of the memory server: they answer from whatever memory is open, and errors become results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup

from karma_memory import conversions
from karma_memory.events import Code
from karma_memory.journal import CorruptJournalError, DuplicateEventError, JournalError
from karma_memory.journal.group_commit import BusyError
from karma_memory.memory import Memory
from karma_memory.projection import EditError
from karma_memory.scene import InvalidEventError
from karma_memory.state.history import PastUnknownError
from karma_memory.state.live import UnknownRecordError
from karma_ros.lifecycle import ManagedNode
from karma_ros.qos import SERVICES_QOS

Handler = Callable[[Memory, Any, Any], None]
"""Fills the response to a request."""
Serve = Callable[[Any, str, Handler], None]
"""Offers a service: its type, its name, and what fills the response; errors become results."""


class Services:
    """Offers services of a node, which answer UNAVAILABLE unless the node is active."""

    def __init__(self, node: ManagedNode, memory: Callable[[], Memory | None], complain: Callable[[str], None]) -> None:
        """`memory`: the open one; `complain` is told of failures."""
        self._node, self._memory, self._complain = node, memory, complain
        self._parallel = ReentrantCallbackGroup()

    def serve(self, kind: Any, name: str, handler: Handler) -> None:
        """Offer a service until the node is cleaned up."""

        def answer(request: Any, response: Any) -> Any:
            memory = self._memory()
            if memory is None or not self._node.active:
                response.result = conversions.result(
                    Code.UNAVAILABLE,
                    f"{self._node.get_fully_qualified_name()} is not active; activate it and try again",
                )
                return response
            response.result = conversions.result()
            try:
                handler(memory, request, response)
            except (InvalidEventError, EditError, DuplicateEventError, PastUnknownError) as error:
                response.result = conversions.result(Code.INVALID_ARGUMENT, str(error))
            except UnknownRecordError as error:
                response.result = conversions.result(Code.NOT_FOUND, str(error))
            except BusyError as error:
                response.result = conversions.result(Code.UNAVAILABLE, str(error))
            except CorruptJournalError as error:
                self._complain(str(error))
                response.result = conversions.result(Code.INTERNAL_ERROR, str(error))
            except JournalError as error:
                self._complain(str(error))
                response.result = conversions.result(Code.UNAVAILABLE, str(error))
            except Exception as error:  # noqa: BLE001 - a defect must not leave the client without an answer
                self._complain(f"{name} failed: {type(error).__name__}: {error}")
                response.result = conversions.result(Code.INTERNAL_ERROR, f"{name} failed; see the memory server's log")
            return response

        service = self._node.create_service(kind, name, answer, qos_profile=SERVICES_QOS, callback_group=self._parallel)
        self._node.until_cleanup.callback(self._node.destroy_service, service)
