# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What every node needs and rclpy lacks. `parameters` imports no ROS, for tables beside a library."""
