# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The least that a service in Python can be: python3 -m karma_eval.ros.trigger_server, until SIGTERM."""

from __future__ import annotations

import rclpy
from rclpy.signals import SignalHandlerOptions
from std_srvs.srv import Trigger

SERVICE = "bare_trigger"


def main() -> None:
    """Serve empty answers."""
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    node = rclpy.create_node("bare_trigger_server")
    node.create_service(Trigger, SERVICE, lambda _, response: response)
    rclpy.spin(node)


if __name__ == "__main__":
    main()
