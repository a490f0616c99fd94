# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Episodic memory: what the robot was asked to do, what it did, and how it ended."""

from karma_memory.episodic.episodes import Episode, EpisodicMemory, Step
from karma_memory.episodic.handled import HandledObject, handled_objects

__all__ = ["Episode", "EpisodicMemory", "HandledObject", "Step", "handled_objects"]
