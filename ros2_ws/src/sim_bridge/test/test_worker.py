# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A backend is used on one thread only, whoever asks."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from sim_bridge.worker import BackendThread


class Recorder:
    """Notes on which threads it is used, and whether two use it at once."""

    def __init__(self) -> None:
        self.threads = {threading.get_ident()}
        self.inside = 0
        self.overlapped = False
        self.closed = False

    def use(self) -> int:
        self.threads.add(threading.get_ident())
        self.inside += 1
        self.overlapped |= self.inside > 1
        total = sum(range(2000))
        self.inside -= 1
        return total

    def close(self) -> None:
        self.threads.add(threading.get_ident())
        self.closed = True


def recorder_thread() -> tuple[BackendThread, Recorder]:
    made: list[Recorder] = []

    def make() -> Any:
        made.append(Recorder())
        return made[0]

    return BackendThread(make), made[0]


def test_callers_on_many_threads_reach_the_backend_one_at_a_time_on_its_own() -> None:
    worker, recorder = recorder_thread()
    with ThreadPoolExecutor(8) as callers:
        results = list(callers.map(lambda _: worker.call(lambda backend: backend.use()), range(200)))
    worker.close()
    assert results == [sum(range(2000))] * 200
    assert len(recorder.threads) == 1
    assert threading.get_ident() not in recorder.threads
    assert not recorder.overlapped
    assert recorder.closed


def test_errors_reach_the_caller_and_the_backend_lives_on() -> None:
    worker, _ = recorder_thread()
    with pytest.raises(ZeroDivisionError):
        worker.call(lambda _: 1 // 0)
    assert worker.call(lambda backend: backend.use())
    worker.close()


def test_an_error_on_opening_is_raised_and_leaves_no_thread() -> None:
    before = threading.active_count()

    def fail() -> Any:
        raise KeyError("no such scene")

    with pytest.raises(KeyError, match="no such scene"):
        BackendThread(fail)
    assert threading.active_count() == before


def test_a_closed_worker_refuses_calls() -> None:
    worker, _ = recorder_thread()
    worker.close()
    with pytest.raises(RuntimeError):
        worker.call(lambda backend: backend.use())
