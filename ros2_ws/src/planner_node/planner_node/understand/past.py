# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a language model gets beside an instruction: what is remembered, and what was carried out before."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from planner_node.instruction import Stage
from planner_node.memory import GUIDELINE, LONG_TERM, TRAJECTORY, Advice, Recollection
from planner_node.run import Run
from planner_node.understand.aid import Aid, Example
from planner_node.understand.goals import Goal

HEARSAY = "hearsay"
"""What somebody said whom the robot does not know: it is told to who asks, and guides nothing."""
EPISODES = "episodic"
"""The kind of memory that keeps instructions and what came of them."""
_NOT_TOLD = frozenset({LONG_TERM, EPISODES, TRAJECTORY, GUIDELINE, HEARSAY})
"""Kinds of which a model is told nothing as a fact; but insights, of the guidelines."""
_POSITION = re.compile(r", at \[[^\]]*\]")
_LONGEST = 400
"""Characters of one recollection."""
_EPISODE = re.compile(
    r'"(?P<text>.*)": (?P<code>[a-z ]+)(?:, done: (?P<done>.*?)(?: \| not done: (?P<left>.*))?)?', re.DOTALL
)
_SUCCESS, _UNWANTED = "success", "not as wanted"
_NOTHING = "nothing"


@dataclass(frozen=True)
class _Episode:
    """An episode as the memory tells of it."""

    text: str
    """The instruction."""
    succeeded: bool = False
    unwanted: bool = False
    """Whether all was done, and a person said that it was wrong."""
    done: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


def aid(run: Run, tried: Iterable[Sequence[Goal]] | None = None) -> Aid:
    """Return what helps to understand an instruction, for its observer, who may stop it.

    `tried`: what it was understood as in earlier attempts, which were wrong; None where it need not be understood
    otherwise. Of what is not tried again, that counts which the memory knows to have been wrong.
    """

    def progress(step: str) -> None:
        run.progress(Stage.UNDERSTAND, step, 0)

    known = tuple(run.recollections.values())
    wrong = [tuple(map(str, goals)) for goals in tried or ()]
    if not run.instruction.retry_of:
        wrong = unwanted(run.instruction.text, known)
    before = run.before.text.splitlines()
    facts = remembered(known)

    def heeded(lines: int) -> None:
        told = facts[: max(0, lines - len(before))]
        run.ground({one.id: one for one, _ in told if _is_insight(one)})

    return Aid(
        "\n".join([*before, *(line for _, line in facts)]),
        past_examples(known),
        tried is not None or bool(wrong),
        tuple(wrong),
        heeded,
        progress,
        run.before.places,
        run.before.asked,
        run.observer.cancelled,
    )


def remembered(recollections: Iterable[Recollection]) -> list[tuple[Recollection, str]]:
    """Return what is remembered, each with its line, without what a model has no use for when it reads an instruction.

    Where things are is the planner's business; instructions of the past that went well are examples. Both would be most
    of the prompt, and reading it takes a small machine most of the time.
    """
    told = (one for one in recollections if one.kind not in _NOT_TOLD or _is_insight(one))
    return [(one, f"- {_POSITION.sub('', ' '.join(one.text.split()))[:_LONGEST]}") for one in told]


def past_examples(recollections: Iterable[Recollection]) -> tuple[Example, ...]:
    """Return those of the recalled episodes that succeeded, with all of their goals reached."""
    episodes = (_episode(one.text) for one in recollections if one.kind == EPISODES)
    return tuple(Example(e.text, e.done) for e in episodes if e is not None and e.succeeded and e.done and not e.left)


def unwanted(text: str, recollections: Iterable[Recollection]) -> list[tuple[str, ...]]:
    """Return what the very words were understood as since they last went well, where that was said to be wrong."""
    said = " ".join(text.split())
    wrong: list[tuple[str, ...]] = []
    for one in sorted(recollections, key=lambda one: one.valid_from):
        episode = _episode(one.text) if one.kind == EPISODES else None
        if episode is None or " ".join(episode.text.split()) != said:
            continue
        if episode.succeeded:
            wrong.clear()
        elif episode.unwanted and episode.done and episode.done not in wrong:
            wrong.append(episode.done)
    return wrong


def _is_insight(one: Recollection) -> bool:
    return one.guideline is not None and one.guideline.advice is Advice.INSIGHT


def _episode(text: str) -> _Episode | None:
    """Return what the memory says of an episode (karma_memory/episodic), None for what does not look like that."""
    match = _EPISODE.fullmatch(text)
    if match is None:
        return None
    done = tuple(goal for goal in (match["done"] or "").split("; ") if goal and goal != _NOTHING)
    left = tuple(goal for goal in (match["left"] or "").split("; ") if goal)
    code = match["code"]
    return _Episode(match["text"], code == _SUCCESS, code == _UNWANTED, done, left)
