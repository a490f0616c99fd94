# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from no_memory import NoMemory

from planner_node.learn import episode as learn
from planner_node.learn.episode import Recorder
from planner_node.memory import Event, EventKind, MemoryRefused, MemoryUnavailable
from planner_node.skills import Code


class Moody(NoMemory):
    """Fails for the events for which `mood` returns an error."""

    mood: Callable[[Event], Exception | None] = staticmethod(lambda event: None)

    def remember(self, events: Sequence[Event]) -> bool:
        for event in events:
            error = self.mood(event)
            if error is not None:
                raise error
        return super().remember(events)


def told(name: str) -> Event:
    return Event(name, EventKind.TOLD, 1.0, text="my cup is blue")


def test_what_the_memory_takes_is_kept() -> None:
    memory = Moody()
    assert Recorder(memory).remember(told("a")).code is Code.SUCCESS
    assert [event.id for event in memory.events] == ["a"]


def test_what_the_memory_refuses_is_not_promised_to_be_passed_on() -> None:
    memory = Moody()
    memory.mood = lambda event: MemoryRefused("the user has a line break") if event.id == "bad" else None
    recorder = Recorder(memory)
    receipt = recorder.remember(told("bad"))
    assert receipt.code is Code.INVALID_ARGUMENT
    assert receipt.message == "The memory does not accept that: the user has a line break"
    assert recorder.remember(told("good")).code is Code.SUCCESS
    assert [event.id for event in memory.events] == ["good"]


def test_what_waits_is_passed_on_later_and_one_that_is_refused_then_does_not_hold_up_the_rest() -> None:
    memory = Moody()
    memory.mood = lambda event: MemoryUnavailable("gone")
    recorder = Recorder(memory)
    for name in ("a", "bad", "c"):
        receipt = recorder.remember(told(name))
        assert receipt.code is Code.UNAVAILABLE
        assert receipt.message == "The memory does not have that yet, and I forget it if I am restarted: gone"
    memory.mood = lambda event: MemoryRefused("no") if event.id == "bad" else None
    assert recorder.remember(told("d")).code is Code.SUCCESS
    assert [event.id for event in memory.events] == ["a", "c", "d"]


def test_an_event_that_is_lost_is_logged(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(learn, "_MOST_UNSENT", 2)
    memory = Moody()
    memory.mood = lambda event: MemoryUnavailable("gone")
    recorder = Recorder(memory)
    for name in ("first", "second", "third"):
        recorder.remember(told(name))
    assert "TOLD first is lost" in caplog.text
    memory.mood = lambda event: None
    recorder.catch_up()
    assert [event.id for event in memory.events] == ["second", "third"]


def test_what_its_user_does_not_agree_to_is_not_kept_and_the_receipt_says_so() -> None:
    class Forgetful(NoMemory):
        def remember(self, events: Sequence[Event]) -> bool:
            return False

    receipt = Recorder(Forgetful()).remember(told("one"))
    assert (receipt.code, "agree" in receipt.message) == (Code.REFUSED, True)
