# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What goes through DDS with the profiles of this package: a writer that is faster than its reader."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from karma.environment import share_folder

pytest.importorskip("rclpy")
pytestmark = pytest.mark.ros

READER = """
import rclpy
from std_msgs.msg import UInt8MultiArray
rclpy.init()
node = rclpy.create_node("reader")
node.create_subscription(UInt8MultiArray, "large", lambda message: None, 10)
rclpy.spin(node)
"""
WRITER = """
import array, time, rclpy
from std_msgs.msg import UInt8MultiArray
rclpy.init()
publisher = rclpy.create_node("writer").create_publisher(UInt8MultiArray, "large", 10)
while not publisher.get_subscription_count():
    time.sleep(0.05)
message = UInt8MultiArray(data=array.array("B", bytes(5_000_000)))
until = time.monotonic() + 5.0
while time.monotonic() < until:
    publisher.publish(message)
"""


@pytest.mark.parametrize("profile", ["fastdds_localhost_udp", "fastdds_network_udp"])
def test_a_writer_that_is_faster_than_its_reader_goes_on(profile: str, domain: int) -> None:
    environment = {
        **os.environ,
        "FASTDDS_DEFAULT_PROFILES_FILE": str(share_folder() / "config" / f"{profile}.xml"),
        "ROS_DOMAIN_ID": str(domain),
    }
    reader = subprocess.Popen([sys.executable, "-c", READER], env=environment)
    try:
        wrote = subprocess.run(
            [sys.executable, "-c", WRITER], env=environment, capture_output=True, text=True, timeout=60, check=False
        )
    finally:
        reader.kill()
        reader.wait()
    assert wrote.returncode == 0, wrote.stderr  # RCLError: cannot publish data
