# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The robot, the memory and onlookers over ROS."""
