# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What nodes and their clients share and rclpy lacks. `parameters` imports no ROS, for tables beside a library."""

MANAGER = "lifecycle_manager"
"""The node that activates the others and says how they are."""
