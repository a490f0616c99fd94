# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The memory, and the robot, for agents that speak the Model Context Protocol."""
