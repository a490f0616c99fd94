# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Examples for a language model: instructions that were carried out, and the goals that they were understood as."""

from __future__ import annotations

from collections.abc import Iterable

from planner_node.memory import Recollection
from planner_node.understand.aid import Example
from planner_node.undone import EPISODES, read_episode


def past_examples(recollections: Iterable[Recollection]) -> tuple[Example, ...]:
    """Return those of the recalled episodes that succeeded, with all of their goals reached."""
    episodes = (read_episode(one.text) for one in recollections if one.kind == EPISODES)
    return tuple(Example(e.text, e.done) for e in episodes if e is not None and e.succeeded and e.done and not e.left)
