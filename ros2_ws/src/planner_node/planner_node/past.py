# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a language model gets beside an instruction: what is remembered, and what was carried out before."""

from __future__ import annotations

from collections.abc import Iterable

from planner_node.instruction import Stage
from planner_node.memory import Recollection
from planner_node.running import Run
from planner_node.understand.aid import Aid, Example
from planner_node.undone import EPISODES, read_episode


def aid(run: Run) -> Aid:
    """Return what helps to understand an instruction, for its observer, who may stop it."""

    def progress(step: str) -> None:
        run.observer.progress(Stage.UNDERSTAND, step, 0)

    memory = "\n".join(part for part in (run.before.text, run.prompt) if part)
    examples = past_examples(run.recollections.values())
    return Aid(memory, examples, progress, run.before.places, run.observer.cancelled)


def past_examples(recollections: Iterable[Recollection]) -> tuple[Example, ...]:
    """Return those of the recalled episodes that succeeded, with all of their goals reached."""
    episodes = (read_episode(one.text) for one in recollections if one.kind == EPISODES)
    return tuple(Example(e.text, e.done) for e in episodes if e is not None and e.succeeded and e.done and not e.left)
