# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The robot's side: KARMA's preference memory and its three-step loop; an ablation takes a channel away."""

from __future__ import annotations

from dataclasses import dataclass

from karma_eval.pahf.scenarios import Instruction
from karma_language.told.wishes.offline import OfflineLanguage
from karma_memory.preferences import Decider, Lesson, Likeness, Mode, PreferenceLoop, PreferenceMemory, Turn
from karma_memory.preferences.wire import lesson_event
from karma_memory.recall.index import HybridIndex


@dataclass(frozen=True)
class Ablation:
    """What the agent has (section 3.4, baselines)."""

    name: str
    asks: bool
    """It may ask before acting."""
    listens: bool
    """It takes in what is said afterwards."""


ABLATIONS = (
    Ablation("none", asks=False, listens=False),
    Ablation("pre", asks=True, listens=False),
    Ablation("post", asks=False, listens=True),
    Ablation("both", asks=True, listens=True),
)
"""Without a channel there is nothing to remember: "none" has no memory."""


class Agent:
    """Carries out instructions of many users with one memory."""

    def __init__(self, likeness: Likeness, ablation: Ablation) -> None:
        self.memory = PreferenceMemory(HybridIndex())
        self._ablation = ablation
        self._loop = PreferenceLoop(self.memory, OfflineLanguage(likeness), Decider(likeness), self._remember)
        self._lessons = 0

    def begin(self, instruction: Instruction, *, learning: bool) -> Turn:
        """Begin an instruction; where feedback is to be had (`learning`) and allowed, the turn may have a question."""
        may_ask = learning and self._ablation.asks
        return self._loop.begin(instruction.user, instruction.task, instruction.scene, may_ask=may_ask)

    def answer(self, turn: Turn, words: str) -> None:
        """Take in the answer to the turn's question."""
        self._loop.answer(turn, words)

    def feedback(self, turn: Turn, words: str) -> None:
        """Take in what was said after acting, where that is allowed."""
        if self._ablation.listens:
            self._loop.feedback(turn, words)

    def _remember(self, lesson: Lesson, words: str) -> None:
        self._lessons += 1
        event = lesson_event(lesson, words, event_id=f"lesson_{self._lessons}", stamp=float(self._lessons))
        self.memory.observe(event)


def acted(turn: Turn) -> tuple[str, str]:
    """Return (thing, place) of what the agent does; the place is "" for bringing."""
    return (turn.choice, "") if turn.request.mode is Mode.FETCH else (turn.request.thing, turn.choice)
