# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Events at a rate, with a clock of our own."""

from __future__ import annotations

import threading

import pytest

from sim_bridge.pacing import Pace


class Clock:
    """A clock, and an event on which waiting passes its time."""

    def __init__(self) -> None:
        self.now = 100.0
        self.waited: list[float] = []

    def __call__(self) -> float:
        return self.now

    def wait(self, timeout: float) -> bool:
        self.waited.append(timeout)
        self.now += timeout
        return False


def test_the_first_event_is_due_at_once_and_the_next_a_period_later() -> None:
    clock = Clock()
    pace = Pace(4.0, clock)
    assert pace.due()
    assert not pace.due()
    clock.now += 0.24
    assert not pace.due()
    clock.now += 0.02
    assert pace.due()


def test_waiting_spends_what_is_left_of_the_period() -> None:
    clock = Clock()
    pace = Pace(10.0, clock)
    for busy in (0.0, 0.03, 0.5):
        pace.wait(clock)  # type: ignore[arg-type]
        clock.now += busy
    pace.wait(clock)  # type: ignore[arg-type]
    assert clock.waited == pytest.approx([0.0, 0.1, 0.07, 0.0])


def test_a_set_interrupt_ends_the_wait() -> None:
    pace = Pace(0.001)
    stop = threading.Event()
    stop.set()
    pace.wait(stop)
    pace.wait(stop)  # would take a quarter of an hour otherwise


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan")])
def test_a_rate_must_be_above_zero(rate: float) -> None:
    with pytest.raises(ValueError, match="above 0"):
        Pace(rate)
