# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Who may say what they think of an instruction: who gave it."""

from __future__ import annotations

from planner_node.learn.episode import Receipt
from planner_node.learn.retrying import Retrying, unknown
from planner_node.memory import MemoryClient, MemoryRefused, MemoryUnavailable
from planner_node.skills import Code
from planner_node.understand.past import EPISODES

_LOOKED_AT = 1000
"""Newest episodes of a user that are looked at."""


def objection(instruction_id: str, user: str, retrying: Retrying, memory: MemoryClient) -> Receipt | None:
    """Return why nothing that `user` says of an instruction is heard, None where they gave it.

    Of instructions before the planner's start, the memory knows those that were carried out.
    """
    if retrying.gave(user, instruction_id):
        return None
    try:
        episodes = memory.recall("", user, limit=_LOOKED_AT, kinds=(EPISODES,)).recollections
    except (MemoryUnavailable, MemoryRefused) as error:
        return Receipt(Code.UNAVAILABLE, f"I can't look up the instruction {instruction_id}: {error}")
    if any(one.id == f"{EPISODES}:{instruction_id}" for one in episodes):
        return None
    return Receipt(Code.INVALID_ARGUMENT, unknown(instruction_id))
