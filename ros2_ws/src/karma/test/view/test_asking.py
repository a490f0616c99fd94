# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""One viewer asks one thing of a kind at a time, and hears of every failure."""

from __future__ import annotations

import threading

from karma.client import GraphError
from karma.view.asking import Asking


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
