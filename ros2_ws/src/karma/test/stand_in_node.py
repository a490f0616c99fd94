# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A lifecycle node that does nothing, for tests of the supervision. It fails as its parameters say."""

import os
import sys
from pathlib import Path

# Before ROS is loaded: on a busy machine that takes longer than a node may live that dies in a row.
if any("behaviour: dies" in Path(file).read_text() for file in sys.argv if file.endswith(".yaml")):
    os._exit(7)

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn


class StandIn(LifecycleNode):
    def __init__(self) -> None:
        super().__init__("stand_in")
        self.behaviour = self.declare_parameter("behaviour", "good").value

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        if self.behaviour == "refuses":
            return TransitionCallbackReturn.FAILURE
        if self.behaviour == "tires":
            self.behaviour = "refuses"
        return TransitionCallbackReturn.SUCCESS


def main() -> None:
    rclpy.init()
    try:
        node = StandIn()
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        while rclpy.ok():  # not spin(): a shutdown can miss a thread that is about to wait, and then it would be killed
            executor.spin_once(timeout_sec=0.2)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
