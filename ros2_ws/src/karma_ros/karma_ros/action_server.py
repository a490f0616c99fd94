# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""An action server that no client ends by its choice of goals' ids."""

from __future__ import annotations

from typing import Any

from rclpy.action import ActionServer


class SafeActionServer(ActionServer):
    """rclpy's, which refuses a goal whose id it still knows from another.

    rclpy 9.1 may have forgotten a goal in part when the next one with its id comes. What forgets the rest of it then
    takes that one's result away, and the process would end with KeyError.
    """

    async def _execute_goal_request(self, request_header_and_message: Any) -> None:
        header, request = request_header_and_message
        if bytes(request.goal_id.uuid) in self._goal_handles:
            with self._lock:
                self._handle.send_goal_response(header, self._action_type.Impl.SendGoalService.Response())
            return
        await super()._execute_goal_request(request_header_and_message)
