# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether an action is offered by another node already, which lives: of ROS, for nodes that offer it themselves."""

from __future__ import annotations

import threading
import uuid

from action_msgs.srv import CancelGoal
from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from unique_identifier_msgs.msg import UUID

_ASKED = 3
"""How often one is asked that does not answer: a middleware may lose an answer to one that it has just discovered."""
_ANSWER_S = 1.0


def offered_by_another(node: Node, action: str, group: CallbackGroup) -> bool:
    """Whether a node that lives offers an action which this one does not offer yet.

    One that died is listed for seconds, and answers nothing: that takes 3 s to find out. `group`: of callbacks that run
    while this one does.
    """
    if not node.count_publishers(f"{action}/_action/status"):
        return False
    client = node.create_client(CancelGoal, f"{action}/_action/cancel_goal", callback_group=group)
    try:
        answered = threading.Event()
        nothing = CancelGoal.Request()  # of a goal that nobody has: nothing is cancelled
        nothing.goal_info.goal_id = UUID(uuid=list(uuid.uuid4().bytes))
        for _ in range(_ASKED):
            client.call_async(nothing).add_done_callback(lambda _: answered.set())
            if answered.wait(_ANSWER_S):
                return True
        return False
    finally:
        node.destroy_client(client)
