# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which instruction is carried out next: in the order in which they came, urgent ones first and in between."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from planner_node.act.gate import Gate
from planner_node.skills import Outcome

_T = TypeVar("_T")


class InstructionQueue(Generic[_T]):
    """Instructions that wait, and those underway: the running one, and the one that it has interrupted. Thread-safe.

    An urgent instruction interrupts one that is not, between two skills; that one goes on when no urgent one is left.
    """

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._changed = threading.Condition()
        self._waiting: list[tuple[_T, bool]] = []
        self._underway: list[tuple[_T, bool]] = []
        self._done_between: list[Outcome] = []

    @property
    def busy(self) -> bool:
        """Whether any is underway or waits."""
        with self._changed:
            return bool(self._underway or self._waiting)

    def __len__(self) -> int:
        """Return how many wait."""
        with self._changed:
            return len(self._waiting)

    @property
    def waiting(self) -> tuple[_T, ...]:
        """Those that wait, the next first."""
        with self._changed:
            return tuple(item for item, _ in self._waiting)

    @property
    def underway(self) -> bool:
        """Whether any has begun and not ended."""
        with self._changed:
            return bool(self._underway)

    def begun(self, which: Callable[[_T], bool]) -> _T | None:
        """Return the one that has begun and not ended, and is meant; None where it has not."""
        with self._changed:
            return next((item for item, _ in self._underway if which(item)), None)

    def offer(self, item: _T, length: int, urgent: bool = False) -> bool:
        """Let an instruction wait; return False where `length` wait already. One that can begin at once always may."""
        with self._changed:
            if len(self._waiting) >= length + (not self._underway):
                return False
            place = sum(1 for _, before in self._waiting if before) if urgent else len(self._waiting)
            self._waiting.insert(place, (item, urgent))
            self._changed.notify_all()
            return True

    def begin(self, timeout: float) -> _T | None:
        """Return the instruction to begin with now, None where there is none within so many seconds."""
        with self._changed:
            if not self._may_begin():
                self._changed.wait(timeout)
            if not self._may_begin():
                return None
            self._underway.append(self._waiting.pop(0))
            return self._underway[-1][0]

    def _may_begin(self) -> bool:
        if len(self._underway) == 2:
            return False
        urgent = bool(self._waiting) and self._waiting[0][1]
        if self._underway and urgent and not self._underway[0][1]:
            return self._gate.interrupt()
        self._go_on()  # whom the running one was to make way for, has been canceled
        return bool(self._waiting) and not self._underway

    def _go_on(self) -> None:
        """Let the interrupted one go on, if there is one."""
        done, self._done_between = self._done_between, []
        self._gate.hand_back(done)

    def ended(self, item: _T, outcomes: Sequence[Outcome] = ()) -> None:
        """Take note that one has ended, and what skills it ran; the one that it interrupted goes on."""
        with self._changed:
            self._underway = [entry for entry in self._underway if entry[0] is not item]
            self._done_between += outcomes if self._underway else ()
            if self._underway and not (self._waiting and self._waiting[0][1]):
                self._go_on()
            self._changed.notify_all()

    def drop(self, which: Callable[[_T], bool]) -> list[_T]:
        """Return those that wait and are not wanted any more; they wait no longer."""
        with self._changed:
            dropped = [item for item, _ in self._waiting if which(item)]
            self._waiting = [entry for entry in self._waiting if not any(entry[0] is item for item in dropped)]
            self._changed.notify_all()
            return dropped

    def wake(self) -> None:
        """Let whoever waits in `begin` or `wait_empty` look again."""
        with self._changed:
            self._changed.notify_all()

    def wait_empty(self, timeout: float) -> bool:
        """Wait until none is underway and none waits; return whether that came within so many seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not (self._underway or self._waiting), timeout)
