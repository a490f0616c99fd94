# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Skills that drive or wait: where the robot ends, which way it faces, what it says of time and distance; stopping."""

from __future__ import annotations

import itertools
import math

import numpy as np

from sim_bridge.backend import Code, Outcome, Pose2D, Progress, SeenObject, Skill, Target
from sim_bridge.conformance.check import check, require
from sim_bridge.conformance.looking import reported
from sim_bridge.conformance.subject import Feature
from sim_bridge.conformance.trial import Trial

_STRIDE = 0.05, 0.5
"""Metres between two poses, at least and at most, from which the way that the robot drives can be told.

Between two that are farther apart it may have turned: whoever reads them was kept from it meanwhile.
"""

_WAIT = 2.0
"""Seconds."""


def _apart(a: Pose2D, b: Pose2D) -> float:
    return math.dist((a.x, a.y, a.z), (b.x, b.y, b.z))


@check("GoToObject")
def going_to_a_thing(trial: Trial) -> None:
    """GoToObject stops in reach of the target and faces it."""
    props = trial.subject.props
    for categories in (props.portable, props.container, props.surface):
        target = trial.find(categories)
        outcome = trial.go(target)
        robot = trial.backend.locate().robot
        assert target.position is not None
        if Feature.RECOGNITION in trial.subject.lacks:
            nearest = np.array(target.position)
        else:
            nearest = _nearest(reported(outcome, target), robot)
        away = math.dist(nearest[:2], (robot.x, robot.y))
        require(away <= trial.subject.tolerances.reach, f"{target.id} within reach", f"{away:.2f} m away")
        bearing = math.atan2(nearest[1] - robot.y, nearest[0] - robot.x)
        off = abs(math.remainder(bearing - robot.yaw, math.tau))
        faced = off <= trial.subject.tolerances.facing or away < 0.3
        require(faced, f"{target.id} ahead", f"{math.degrees(off):.0f} degrees aside")


def _nearest(seen: SeenObject, robot: Pose2D) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    half = np.array(seen.size) / 2
    return np.clip([robot.x, robot.y, seen.center[2]], seen.center - half, seen.center + half)


@check("Navigate", "GoToObject")
def navigating(trial: Trial) -> None:
    """Navigate drives to a position and to an object; a position off every floor is NOT_FOUND."""
    start = trial.backend.locate().robot
    target = trial.find(trial.subject.props.container)
    trial.expect(Code.SUCCESS, "Navigate", target)
    trial.go(trial.find(trial.subject.props.portable))
    trial.expect(Code.SUCCESS, "Navigate", Target(position=(start.x, start.y, start.z)))
    away = _apart(trial.backend.locate().robot, start)
    require(away <= trial.subject.tolerances.arrival, f"the robot back at {start}", f"{away:.2f} m away")
    trial.expect(Code.NOT_FOUND, "Navigate", Target(position=(9000.0, 9000.0, 0.0)))


@check("GoToObject")
def driving_forward(trial: Trial) -> None:
    """The robot's heading is the way it drives: x forward, y left, yaw from x to y (REP 103)."""
    steps = _drive_about(trial)
    headings = []
    for before, after in itertools.pairwise(steps):
        stride = math.hypot(after.x - before.x, after.y - before.y)
        if _STRIDE[0] <= stride <= _STRIDE[1]:
            way = math.atan2(after.y - before.y, after.x - before.x)
            # One that turns as it drives has the way's heading at one end of the stride at least.
            headings.append((stride, min(abs(math.remainder(way - end.yaw, math.tau)) for end in (before, after))))
    require(headings, "poses on the way", "none")
    length = sum(stride for stride, _ in headings)
    forward = sum(stride for stride, off in headings if off <= trial.subject.tolerances.heading)
    require(forward >= 0.8 * length, "four fifths of the way driven forward", f"{forward:.1f} of {length:.1f} m")


def _drive_about(trial: Trial) -> list[Pose2D]:
    """Drive to three things; return every pose on the way, examined against what is said of time and distance."""
    props = trial.subject.props
    steps = [trial.backend.locate().robot]
    for categories in (props.container, props.surface, props.portable):
        way = [steps[-1]]
        outcome = trial.go(trial.find(categories))
        way += [item.robot for item in trial.driven]
        way.append(trial.backend.locate().robot)
        _require_plausible(trial, outcome, way)
        steps += way[1:]
    return steps


def _require_plausible(trial: Trial, outcome: Outcome, way: list[Pose2D]) -> None:
    shown = sum(_apart(a, b) for a, b in itertools.pairwise(way))
    slack = trial.subject.tolerances.distance
    close = abs(shown - outcome.distance) <= slack + slack * outcome.distance
    require(close, f"{shown:.2f} m driven, as the poses show", f"{outcome.distance:.2f} m")
    if outcome.distance > slack:
        fastest = trial.subject.tolerances.speed
        speed = outcome.distance / max(outcome.duration, 1e-9)
        require(speed <= fastest, f"at most {fastest} m/s", f"{speed:.2f} m/s")


@check("GoToObject")
def time_and_distance(trial: Trial) -> None:
    """A skill that drives says how far and how long, in metres and seconds, as its poses show; others drive nowhere."""
    _drive_about(trial)
    there = trial.backend.locate().robot
    if "FindObject" not in trial.subject.lacks:
        outcome = trial.do("FindObject")
        require(outcome.distance == 0.0, "0 m driven by FindObject", outcome.distance)
    apart = _apart(trial.backend.locate().robot, there)
    require(apart <= trial.subject.tolerances.pose, "the robot to stand still", f"{apart:.2f} m moved")


@check("Wait")
def waiting(trial: Trial) -> None:
    """Wait takes the seconds that it is given and drives nowhere."""
    outcome = trial.expect(Code.SUCCESS, "Wait", duration=_WAIT)
    slack = trial.subject.tolerances.clock
    require(_WAIT - 1e-3 <= outcome.duration <= _WAIT + slack, f"{_WAIT} s", f"{outcome.duration} s")
    require(outcome.distance == 0.0, "0 m driven", outcome.distance)


@check("GoToObject")
def stopping_a_drive(trial: Trial) -> None:
    """A drive that is stopped ends where it is, is told by so_far as CANCELED, and the next skill works."""
    farthest = max(
        (trial.find(categories) for categories in (trial.subject.props.container, trial.subject.props.portable)),
        key=lambda target: _away(trial, target),
    )
    running = trial.backend.run(Skill("GoToObject", farthest))
    before = trial.backend.locate().robot
    for item in running:
        require(isinstance(item, Progress), "progress of a drive before its end", item)
        if _apart(trial.backend.locate().robot, before) > _STRIDE[0]:
            break
    running.close()  # type: ignore[attr-defined]
    stopped = trial.backend.locate().robot
    outcome = trial.backend.so_far()
    require(outcome.code == Code.CANCELED, "CANCELED", outcome.code)
    require(not outcome.message, "no message from so_far", outcome.message)
    require(outcome.duration > 0.0 and outcome.distance > 0.0, "what was driven until then", outcome)
    rolled = _apart(trial.backend.locate().robot, stopped)
    require(rolled <= trial.subject.tolerances.arrival, "the robot to stop", f"it went on by {rolled:.2f} m")
    trial.go(farthest)


def _away(trial: Trial, target: Target) -> float:
    robot = trial.backend.locate().robot
    assert target.position is not None
    return math.dist((robot.x, robot.y), target.position[:2])


@check("Wait")
def stopping_a_wait(trial: Trial) -> None:
    """Any skill can be stopped at any progress, before the first one too, and the next one works."""
    for steps in (0, 1, 3):
        running = trial.backend.run(Skill("Wait", duration=20.0))
        for _ in range(steps):
            require(isinstance(next(running), Progress), "progress of a wait", "its end")
        running.close()  # type: ignore[attr-defined]
        if steps:
            outcome = trial.backend.so_far()
            require(outcome.code == Code.CANCELED, "CANCELED", outcome.code)
            require(outcome.duration < 20.0, "less than the 20 s that were asked for", outcome.duration)
        trial.expect(Code.SUCCESS, "Wait", duration=0.0)


@check(Feature.RECOGNITION, Feature.RESET)
def stopping_an_exploration(trial: Trial) -> None:
    """An exploration that is stopped tells what it has seen until then."""
    absent = Target(category=trial.subject.props.absent)
    trial.expect(Code.NOT_FOUND, "Explore", absent)
    steps = len(trial.driven)
    trial.begin()
    running = trial.backend.run(Skill("Explore", absent, positions=trial.subject.viewpoints))
    for item in itertools.islice(running, steps // 2):
        require(isinstance(item, Progress), "progress of an exploration", item)
    running.close()  # type: ignore[attr-defined]
    outcome = trial.backend.so_far()
    require(outcome.code == Code.CANCELED and outcome.seen, "CANCELED, and what was seen", outcome)
