# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Press or release the simulated robot's emergency stop: python3 -m sim_bridge.simulated_robot.emergency_stop press."""

from __future__ import annotations

import argparse
import sys

import rclpy
from std_srvs.srv import SetBool

NAME = "emergency_stop/set"
ANSWER_S = 10.0


def main() -> int:
    """Run the command; 1 where no simulated robot answers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("press", "release"))
    parser.add_argument("--namespace", default="", help="the robot's, as given to ./karma up")
    chosen = parser.parse_args()
    rclpy.init()
    node = rclpy.create_node("emergency_stop", namespace=chosen.namespace or None)
    try:
        client = node.create_client(SetBool, NAME)
        if not client.wait_for_service(ANSWER_S):
            print(f"nobody offers {NAME}: ./karma up --backend robot starts a simulated robot", file=sys.stderr)
            return 1
        answered = client.call_async(SetBool.Request(data=chosen.what == "press"))
        rclpy.spin_until_future_complete(node, answered, timeout_sec=ANSWER_S)
        if not answered.done():
            print(f"{NAME} did not answer within {ANSWER_S:.0f} s: try again", file=sys.stderr)
            return 1
        return 0
    finally:
        node.destroy_node()
        rclpy.shutdown()


if __name__ == "__main__":
    sys.exit(main())
