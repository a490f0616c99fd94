# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a language model gets beside an instruction: what is remembered, and what was carried out before."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from planner_node.instruction import Stage
from planner_node.memory import LONG_TERM, TRAJECTORY, Recollection
from planner_node.running import Run
from planner_node.understand.aid import Aid, Example
from planner_node.understand.goals import Goal
from planner_node.undone import EPISODES, read_episode

_NOT_TOLD = frozenset({LONG_TERM, EPISODES, TRAJECTORY})
_POSITION = re.compile(r", at \[[^\]]*\]")
_LONGEST = 400
"""Characters of one recollection."""


def aid(run: Run, tried: Iterable[Sequence[Goal]] | None = None) -> Aid:
    """Return what helps to understand an instruction, for its observer, who may stop it.

    `tried`: what it was understood as in earlier attempts, which were wrong; None where it need not be understood
    otherwise.
    """

    def progress(step: str) -> None:
        run.observer.progress(Stage.UNDERSTAND, step, 0)

    known = run.recollections.values()
    return Aid(
        "\n".join(part for part in (run.before.text, remembered(known)) if part),
        past_examples(known),
        tried is not None,
        tuple(tuple(map(str, goals)) for goals in tried or ()),
        progress,
        run.before.places,
        run.observer.cancelled,
    )


def remembered(recollections: Iterable[Recollection]) -> str:
    """Return what is remembered, a line each, without what a model has no use for when it reads an instruction.

    Where things are is the planner's business; instructions of the past that went well are examples. Both would be most
    of the prompt, and reading it takes a small machine most of the time.
    """
    told = (one for one in recollections if one.kind not in _NOT_TOLD)
    return "\n".join(f"- {_POSITION.sub('', ' '.join(one.text.split()))[:_LONGEST]}" for one in told)


def past_examples(recollections: Iterable[Recollection]) -> tuple[Example, ...]:
    """Return those of the recalled episodes that succeeded, with all of their goals reached."""
    episodes = (read_episode(one.text) for one in recollections if one.kind == EPISODES)
    return tuple(Example(e.text, e.done) for e in episodes if e is not None and e.succeeded and e.done and not e.left)
