# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What people and the robot said to each other, as far as it was heard: the same for all who look on."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass, replace
from typing import Any

from karma_interfaces.msg import Result
from karma_language.answers.plain_words import calls_in_words
from karma_ros.result_codes import code_name
from karma_view.text import seconds, short

LENGTH = 50
"""Of the last things said that are kept."""
LONGEST = 1000
"""Characters of one thing said that are kept."""

INSTRUCTION, QUESTION, ANSWER, FEEDBACK, RESULT = "instruction", "question", "answer", "feedback", "result"
"""What is said."""


@dataclass(frozen=True)
class Said:
    """One thing that was said."""

    what: str
    """INSTRUCTION, QUESTION, ANSWER, FEEDBACK or RESULT."""
    time: float
    """Seconds, robot's clock."""
    user: str
    """Who said it, or who was told; empty: nobody in particular."""
    text: str
    about: str
    """Id of the instruction, of the question where it is one or its answer."""
    code: str = ""
    """Of a result, its name."""
    done: bool = False
    """Of a result, whether it is a success."""
    evidence: tuple[Any, ...] = ()
    """Of a result that answers a question, what it rests on (karma_interfaces/Recollection)."""
    picture: tuple[Any, ...] = ()
    """Of a result that answers a question, that of the thing, where there is one (sensor_msgs/CompressedImage)."""

    @property
    def by_robot(self) -> bool:
        """Whether the robot said it."""
        return self.what in (QUESTION, RESULT)


def is_answer(status: Any) -> bool:
    """Whether what has ended (karma_interfaces/InstructionStatus) was a question, which the robot answered."""
    answered = status.result.code in (Result.SUCCESS, Result.NOT_FOUND)
    return answered and bool(status.result.message) and not (status.goals or status.done)


def _told(status: Any) -> str:
    """Return what came of an instruction, as a sentence where nothing else is said of it."""
    if status.result.message or status.result.code != Result.SUCCESS:
        return str(status.result.message)
    done = "; ".join(calls_in_words(goal) for goal in status.goals)
    return f"{'Planned' if status.dry_run else 'Done'}: {done}." if done else ""


@dataclass(frozen=True)
class Ended:
    """The instruction that ended last, of those that were not only planned."""

    id: str
    instruction: str
    user: str


class Transcript:
    """Follows the states of the planner, and takes note of what is said in between. Thread-safe.

    A state that comes again, as it does for whoever looks again, is not said again.
    """

    def __init__(self) -> None:
        self._changing = threading.Lock()
        self._said: deque[Said] = deque(maxlen=LENGTH)
        self.said: tuple[Said, ...] = ()
        """Oldest first; the same object as long as nothing is said."""
        self.state: Any = None
        """What the planner does now (karma_interfaces/PlannerState), whatever time is looked at; None: not known."""
        self.ended: Ended | None = None
        """What can be judged or done again."""

    def hear(self, state: Any) -> None:
        """Take in a state of the planner (karma_interfaces/PlannerState)."""
        with self._changing:
            self.state = state
            for status in state.instruction:
                user = status.user
                self._add(Said(INSTRUCTION, seconds(status.began), user, status.instruction, status.id))
                if status.question_id:
                    self._add(Said(QUESTION, seconds(status.asked), user, status.question, status.question_id))
                if status.ended:
                    code, done = code_name(status.result), status.result.code == Result.SUCCESS
                    at = seconds(status.ended_at)
                    evidence, picture = (status.recalled, status.picture) if is_answer(status) else ((), ())
                    answer = tuple(evidence), tuple(picture)
                    self._add(Said(RESULT, at, user, _told(status), status.id, code, done, *answer))
                    if not status.dry_run:
                        self.ended = Ended(status.id, status.instruction, user)

    def answered(self, question_id: str, text: str, user: str, time: float) -> None:
        """Take note of an answer; an empty text: that there will be none."""
        with self._changing:
            self._add(Said(ANSWER, time, user, text, question_id))

    def judged(self, instruction_id: str, text: str, user: str, time: float) -> None:
        """Take note of what somebody thinks of an instruction."""
        with self._changing:
            self._add(Said(FEEDBACK, time, user, text, instruction_id), again=True)

    def lose(self) -> None:
        """Take note that nothing is heard of the planner any more. What was said stays."""
        with self._changing:
            self.state = None

    def _add(self, said: Said, *, again: bool = False) -> None:
        if not again and any((said.what, said.about) == (old.what, old.about) for old in self._said):
            return
        said = replace(said, text=short(said.text, LONGEST))
        self._said.append(said)
        self.said = tuple(self._said)
