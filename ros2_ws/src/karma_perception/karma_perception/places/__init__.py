# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Where the robot can be: floors, rooms, areas, and what was not seen yet."""
