# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A window into the robot's mind: one web page that shows what the graph knows and does, and talks to it.

`view_node.py` is the process, `robot.py` all it hears of the graph and asks of it; the rest knows no ROS but messages.
"""
