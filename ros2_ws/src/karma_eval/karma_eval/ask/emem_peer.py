# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The same days and questions for eMEM, the memory of EmbodiedAgents (PyPI: emem), by its own tools."""

from __future__ import annotations

import re
from typing import Any

from karma_eval.ask.judge import Judge, tells
from karma_eval.ask.knowledge import Asking
from karma_eval.emem_peer import Vectors
from karma_memory.scene import Point

LINES = 3
"""Of an answer that are looked at, a heading not counted."""
_IN_TIME = frozenset(("at_time", "changed", "did", "asked", "how_often"))
_LAST = frozenset(("when_last", "where", "which_room", "state", "which"))


class Emem:
    """eMEM in a home. It is told everything that the robot sees, does and hears, each with its time and position."""

    def __init__(self, memory: Any, vectors: Vectors) -> None:
        """`memory`: as `open_emem` opens it with the same `vectors`."""
        self._memory, self._vectors = memory, vectors

    def add(self, text: str, position: Point, stamp: float) -> None:
        """Take something in."""
        self._memory.add(text, *position, timestamp=stamp, embedding=self._vectors(text)[0])

    def right(self, asking: Asking, judge: Judge) -> bool:
        """Whether the first lines of one of its tools hold the answer: of several tools the best counts.

        Where only admitting not to know is right, what searches in the time that is asked for, else recall, must not
        name the thing.
        """
        answers = self._answers(asking)
        if asking.truth.shown == "there":  # that something is nowhere no tool can say, but all of them can be silent
            return any(_about(asking, answer) for answer in answers) is (asking.truth.yes is True)
        if asking.truth.admits:
            return not _about(asking, answers[-1 if asking.time is not None else 0])
        return any(_holds(asking, answer, judge) for answer in answers)

    def _answers(self, asking: Asking) -> list[str]:
        calls: list[tuple[str, dict[str, Any]]] = [
            ("recall", {"query": asking.words}),
            ("semantic_search", {"query": asking.words}),
            ("locate", {"concept": asking.about or asking.words}),
        ]
        if asking.kind in _LAST:
            calls.append(("semantic_search", {"query": asking.about, "time_after": str(asking.truth.now - 43_200.0)}))
        if (asking.kind in _IN_TIME or asking.truth.admits) and asking.time is not None:
            window = {"time_after": str(asking.time.since - 900.0), "time_before": str(asking.time.until + 900.0)}
            calls += [
                ("temporal_query", window),
                ("semantic_search", {"query": asking.about or asking.words, **window}),
            ]
        return [self._memory.dispatch_tool_call(name, arguments) for name, arguments in calls]


def _holds(asking: Asking, answer: str, judge: Judge) -> bool:
    """Whether the first lines of an answer hold the right place, time, count, words or state."""
    text, truth = "\n".join(_first(answer)), asking.truth
    about = _about(asking, answer)
    if truth.told and tells(truth.told, text):
        return True
    if truth.yes is not None:
        if truth.shown == "done":
            return any(" asked: " in line for line in about) is truth.yes
        if truth.shown == "no longer":
            return (len({*map(_place, about)}) > 1) is truth.yes
        return any(truth.shown in line for line in about[:1])
    if truth.number is not None:
        told = {int(number) for number in re.findall(r"\b\d+\b", _AROUND.sub("", text))}
        return truth.number in {*told, len({*map(_place, about)})}
    return judge.holds(truth, text)


def _first(answer: str) -> list[str]:
    return [line for line in answer.splitlines() if line.strip() and not line.rstrip().endswith(":")][:LINES]


def _about(asking: Asking, answer: str) -> list[str]:
    """Return the first lines that name the thing, and what tells it from others."""
    named = [line for line in _first(answer) if asking.about and asking.about in line]
    return [line for line in named if not asking.signs or any(sign in line for sign in asking.signs)]


_AROUND = re.compile(r"^\d+\.|\([-\d., ]+\)|\[[-\d: ]+\]|\d+\.\d+m?", re.MULTILINE)
"""What stands around the words of an observation: numbering, positions, times."""


def _place(line: str) -> str:
    """Return what a line says behind its thing."""
    return line.partition("] ")[2].partition(",")[0]
