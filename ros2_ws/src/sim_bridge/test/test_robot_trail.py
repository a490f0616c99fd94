# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How fast a robot is taken to drive."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sim_bridge.robot.trail import Trail


def fastest(place: Callable[[float], float], *, duration: float = 8.0, period: float = 0.05) -> float:
    """Return the highest speed that is measured of a robot whose x is known at every time."""
    trail, speeds = Trail(), []
    for k in range(int(duration / period)):
        trail.add(k * period, place(k * period), 0.0)
        speeds.append(trail.speed)
    return max(speeds)


def in_hops(speed: float, every: float) -> Callable[[float], float]:
    return lambda t: speed * every * (t // every)


@pytest.mark.parametrize("rate", [50.0, 10.0, 5.0])
def test_steady_driving_is_measured_as_fast_as_it_is(rate: float) -> None:
    assert fastest(in_hops(0.4, 1 / rate)) == pytest.approx(0.4, rel=0.2)
    assert fastest(in_hops(2.0, 1 / rate)) == pytest.approx(2.0, rel=0.2)


@pytest.mark.parametrize("jump", [0.3, 2.0, -5.0])
@pytest.mark.parametrize("speed", [0.0, 0.4])
def test_one_jump_of_the_localization_is_no_driving(jump: float, speed: float) -> None:
    assert fastest(lambda t: speed * t + (jump if t >= 4.0 else 0.0)) <= 1.1 * speed + 1e-6


def test_a_robot_that_is_too_fast_is_so_after_a_jump_as_well() -> None:
    assert fastest(lambda t: 2.0 * t + (1.0 if t >= 4.0 else 0.0)) >= 1.8


def test_a_robot_that_is_seen_once_a_second_is_not_fast_unseen() -> None:
    assert fastest(in_hops(2.0, 1.0)) >= 1.2


def test_what_was_seen_a_moment_ago_says_nothing_of_speed() -> None:
    trail = Trail()
    assert trail.speed == 0.0
    for k in range(10):
        trail.add(0.05 * k, float(k), 0.0)
    assert trail.speed == 0.0
    for k in range(10, 30):
        trail.add(0.05 * k, float(k), 0.0)
    assert trail.speed > 15.0
    trail.clear()
    assert trail.speed == 0.0
