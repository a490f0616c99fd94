# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Instruction and memories to goals, goals to skills, in a closed loop (KARMA, section 3.5)."""
