# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A window into the robot's mind: one web page that shows what the graph knows and does, and talks to it.

`view_node.py` is the process, `page.py` the server, `session.py` one viewer, whose tabs are in `panels/` and whose home
is in `scene/`. `ros/` is all that is heard of the graph and asked of it; the rest knows no ROS but messages.
"""
