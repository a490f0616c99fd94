# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Memories that somebody puts into the robot so that it does or says something else to others (MINJA, AgentPoison)."""
