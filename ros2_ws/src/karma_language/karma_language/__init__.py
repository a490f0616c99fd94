# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What people say to the robot, and what it answers. No ROS is imported here, and no other package of KARMA."""
