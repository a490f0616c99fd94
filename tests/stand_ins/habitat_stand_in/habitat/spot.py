# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""SpotRobot's parameters; a test holds them against habitat-lab's source."""

START = (0.0, -3.14, 0.0, 3.0, 0.0, 0.0, 0.0, -1.56, *(0.0, 0.7, -1.5) * 4)
"""Arm, gripper, legs."""
BASE_OFFSET = (0.0, -0.48, 0.0)
EE_LINK, EE_OFFSET = 7, (0.08, 0.0, 0.0)
CAMERA_LINK, CAMERA_TURN = 6, (0.0, -1.571, 0.0)
CAMERA_OFFSETS = {
    "articulated_agent_arm_rgb": (0.166, 0.023, 0.03),
    "articulated_agent_arm_depth": (0.166, 0.0, 0.018),
    "articulated_agent_arm_panoptic": (0.166, 0.0, 0.018),
}
