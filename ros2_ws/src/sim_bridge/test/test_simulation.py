# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What all simulators share of a skill's run, with a robot that only counts."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest

from sim_bridge.backend import Code, Outcome, Pose2D, Progress, RefusedError, SeenObject, Skill, Target, execute
from sim_bridge.simulation.backend import SimulatedBackend
from sim_bridge.simulation.behaviours import Behaviours
from sim_bridge.simulation.motion import Motion, Reckoning
from sim_bridge.simulation.senses import Looks


class Counter(Reckoning):
    """A robot at one place that holds what it is told."""

    pose = Pose2D(1.0, 2.0, 0.0)

    def __init__(self) -> None:
        super().__init__()
        self.motion = Motion(speed=0.5, turn_rate=math.pi, act_time=2.0)
        self.looks, self.holding, self.calls = Looks(), Target(), []

    def begin(self) -> None:
        self.start_counting()
        self.looks.begin()

    def pass_time(self, seconds: float) -> None:
        self.clock += seconds

    def described(self, names: Iterator[str]) -> tuple[SeenObject, ...]:
        return tuple(SeenObject(n, n, (0.0, 0.0, 0.0), (0.1, 0.1, 0.1), movable=True) for n in names)

    described_with_contents = described


def approach(body: Counter, target: Target) -> Iterator[Progress]:
    body.drove(1.0)
    body.looks.seen["Apple|1"] = None
    yield body.progress("driving")
    if target.category == "Nothing":
        raise RefusedError(Code.NOT_FOUND, "there is none: explore first")
    return target.id or f"{target.category}|1"


def doing(name: str):
    def do(body: Counter, skill: Skill, *value: bool) -> Iterator[Progress]:
        body.acted()
        body.calls.append((name, skill.target.id or skill.receptacle.id, *value))
        yield body.progress(name)
        return Outcome(Code.SUCCESS)

    return do


OWN = ("navigate", "pick_up", "put", "set_open", "switch", "slice_object", "break_object", "throw")


class Simulated(SimulatedBackend):
    """A simulator in which people move nothing."""

    scene = "nowhere"
    _is_carried = _furniture_for = _relocate = None


@pytest.fixture
def backend() -> SimulatedBackend:
    simulator = Simulated(0, 0.0, None)
    simulator.agent = Counter()
    simulator.behaviours = Behaviours(approach, *(doing(name) for name in OWN))
    return simulator


def test_time_and_way_are_those_of_the_skill_alone(backend: SimulatedBackend) -> None:
    for _ in range(2):
        outcome = execute(backend, Skill("Pick", Target("Apple|1")))
        assert (outcome.code, outcome.duration, outcome.distance) == (Code.SUCCESS, 4.0, 1.0)  # 1 m / 0.5 m/s + 2 s
    backend.agent.turned(-math.pi / 2)
    assert backend.agent.clock == 8.5


def test_pick_and_place_are_driving_and_then_the_arm(backend: SimulatedBackend) -> None:
    execute(backend, Skill("Pick", Target("Apple|1")))
    backend.agent.holding = Target("Apple|1", "Apple")
    full = execute(backend, Skill("Pick", Target("Mug|1")))
    assert (full.code, full.message) == (Code.PRECONDITION_FAILURE, "the gripper holds Apple|1: put it down first")
    other = execute(backend, Skill("Place", Target("Mug|1"), Target("Table|1")))
    assert (other.code, "not Mug|1" in other.message) == (Code.PRECONDITION_FAILURE, True)
    execute(backend, Skill("Place", Target(category="apple"), Target("Table|1")))
    assert backend.agent.calls == [("pick_up", "Apple|1"), ("put", "Table|1")]


@pytest.mark.parametrize(
    ("skill", "call"),
    [
        ("OpenObject", ("set_open", True)),
        ("CloseObject", ("set_open", False)),
        ("SwitchOn", ("switch", True)),
        ("ToggleOn", ("switch", True)),
        ("SwitchOff", ("switch", False)),
        ("ToggleOff", ("switch", False)),
    ],
)
def test_skills_that_set_a_state_say_which(backend: SimulatedBackend, skill: str, call: tuple[str, bool]) -> None:
    execute(backend, Skill(skill, Target("Fridge|1")))
    assert backend.agent.calls == [(call[0], "Fridge|1", call[1])]


def test_what_is_refused_or_malformed_is_an_outcome_and_nothing_is_done(backend: SimulatedBackend) -> None:
    refused = execute(backend, Skill("GoToObject", Target(category="Nothing")))
    assert (refused.code, refused.message, refused.distance) == (Code.NOT_FOUND, "there is none: explore first", 1.0)
    assert execute(backend, Skill("Fly", Target("Apple|1"))).code == Code.INVALID_ARGUMENT
    assert execute(backend, Skill("PickupObject")).code == Code.INVALID_ARGUMENT
    assert execute(backend, Skill("Wait", duration=math.nan)).code == Code.INVALID_ARGUMENT
    assert not backend.agent.calls


def test_a_skill_that_is_stopped_tells_what_it_did_until_then(backend: SimulatedBackend) -> None:
    steps = backend.run(Skill("GoToObject", Target("Apple|1")))
    assert next(steps).step == "driving"
    steps.close()
    stopped = backend.so_far()
    assert (stopped.code, stopped.distance, [s.id for s in stopped.seen]) == (Code.CANCELED, 1.0, ["Apple|1"])


def test_waiting_takes_as_long_as_was_said(backend: SimulatedBackend) -> None:
    assert execute(backend, Skill("Wait", duration=250.0)).duration == pytest.approx(250.0)
