# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""One viewer asks one thing of a kind at a time, and hears of every failure."""

from __future__ import annotations

import threading

import pytest

from karma_ros.client import GraphError
from karma_view import asking as asking_module
from karma_view.asking import FAILED, MOST, WITHIN_S, Asking


class Told(list[str]):
    def __call__(self, title: str, text: str, *, failed: bool = False) -> None:
        self.append(f"{title}: {text}")


def test_what_cannot_be_done_is_told_and_can_be_tried_again() -> None:
    told = Told()
    asking = Asking(told)

    def fails() -> None:
        raise GraphError("nobody offers the service 'pause'")

    assert not asking.attempt("Pause", fails)
    assert told == ["Pause: nobody offers the service 'pause'"]
    assert asking.attempt("Pause", lambda: None)


def test_what_the_page_itself_fails_at_is_told_and_raised() -> None:
    told = Told()
    asking = Asking(told)
    with pytest.raises(ZeroDivisionError):
        asking.attempt("Pause", lambda: 1 / 0)
    assert told == [f"Pause: {FAILED}"]
    assert asking.attempt("Pause", lambda: None)


def test_who_presses_again_and_again_holds_one_thread_and_is_told_once() -> None:
    told, begun, answer = Told(), threading.Event(), threading.Event()
    asking = Asking(told)
    done: list[str] = []

    def slow() -> None:
        begun.set()
        answer.wait(10)
        done.append("first")

    first = threading.Thread(target=lambda: asking.attempt("Pause", slow))
    first.start()
    assert begun.wait(10)
    for _ in range(50):
        assert not asking.attempt("Pause", lambda: done.append("another"))
    assert told == ["Pause: There is no answer to the last one yet."]
    assert asking.attempt("Stop", lambda: done.append("stop"))
    answer.set()
    first.join(10)
    assert done == ["stop", "first"]
    assert asking.attempt("Pause", lambda: done.append("another"))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds that it is now, in a list of one."""
    now = [100.0]
    monkeypatch.setattr(asking_module.time, "monotonic", lambda: now[0])
    return now


def test_what_changes_something_can_be_done_a_few_times_in_a_while(clock: list[float]) -> None:
    told, done = Told(), list[float]()
    asking = Asking(told)
    for _ in range(100):
        asking.attempt("Feedback", lambda: done.append(clock[0]))
        clock[0] += WITHIN_S / 50
    assert done == pytest.approx([100.0 + start + n * WITHIN_S / 50 for start in (0.0, WITHIN_S) for n in range(MOST)])
    assert set(told) == {"Feedback: Not so fast: 5 in 10 seconds at most."}
    assert 2 <= len(told) <= 4, "told now and then"
    assert asking.attempt("Answer", lambda: None), "another kind"


def test_what_changes_nothing_or_holds_the_robot_back_can_be_done_as_often_as_it_is_wanted(clock: list[float]) -> None:
    told = Told()
    asking = Asking(told)
    assert all(asking.attempt("Stop", lambda: None, often=True) for _ in range(100))
    assert told == []
