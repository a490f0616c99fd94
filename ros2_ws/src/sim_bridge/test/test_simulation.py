# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What all simulators share of a skill's run, with a robot that only counts."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

import pytest

from sim_bridge.backend import Code, Pose2D, Progress, SeenObject, Skill, Target, execute
from sim_bridge.simulation.backend import SimulatedBackend
from sim_bridge.simulation.body import Body
from sim_bridge.simulation.motion import Motion
from sim_bridge.simulation.senses import Senses, SensorNoise


class Counter(Body):
    """A robot a metre before everything, which its gripper handles without a question."""

    pose, eye, holding = Pose2D(1.0, 2.0, 0.0), (1.0, 2.0, 1.0), Target()

    def __init__(self) -> None:
        super().__init__((), Senses(SensorNoise(), random.Random(0)), lambda: False, math.pi / 4)
        self.motion = Motion(speed=0.5, turn_rate=math.pi, act_time=2.0)
        self.calls = []

    def resolve(self, target: Target) -> str:
        return "" if target.category == "Nothing" else target.id or f"{target.category}|1"

    def truth(self, name: str) -> SeenObject:
        return SeenObject(name, name.partition("|")[0], (1.5, 2.0, 1.0), (0.1, 0.1, 0.1), movable=True)

    def drive(self, cell: int, step: str) -> Iterator[Progress]:
        self.drove(1.0)
        self.looks.seen["Apple|1"] = None
        yield self.progress("driving")

    def face(self, point: object, step: str) -> Iterator[Progress]:
        yield from ()

    def could_see(self, name: str) -> bool:
        return True

    exists = could_see

    def carries(self, name: str) -> bool:
        return name == self.holding.id

    def stand_for(self, name: str) -> int:
        return 0

    def closed_around(self, name: str) -> str:
        return ""

    def contents(self, name: str) -> tuple[str, ...]:
        return ()

    is_receptacle = controls = contents

    def described_with_contents(self, name: str) -> tuple[SeenObject, ...]:
        return self.described([name])

    def take(self, name: str) -> None:
        self.calls.append(("take", name))

    def lay(self, receptacle: str, beside: str) -> None:
        self.calls.append(("lay", receptacle, beside))

    def set_open(self, name: str, value: bool) -> None:
        self.calls.append(("set_open", name, value))

    def switch(self, name: str, value: bool) -> None:
        self.calls.append(("switch", name, value))


Counter.__abstractmethods__ = frozenset()


class Simulated(SimulatedBackend):
    """A simulator in which people move nothing."""

    scene = "nowhere"
    ground_truth = _relocate = None


@pytest.fixture
def backend() -> SimulatedBackend:
    simulator = Simulated(0, 0.0, None)
    simulator.robot = Counter()
    return simulator


def test_time_and_way_are_those_of_the_skill_alone(backend: SimulatedBackend) -> None:
    for _ in range(2):
        outcome = execute(backend, Skill("Pick", Target("Apple|1")))
        assert (outcome.code, outcome.duration, outcome.distance) == (Code.SUCCESS, 4.0, 1.0)  # 1 m / 0.5 m/s + 2 s
    backend.robot.turned(-math.pi / 2)
    assert backend.robot.clock == 8.5


def test_pick_and_place_are_driving_and_then_the_arm(backend: SimulatedBackend) -> None:
    execute(backend, Skill("Pick", Target("Apple|1")))
    backend.robot.holding = Target("Apple|1", "Apple")
    full = execute(backend, Skill("Pick", Target("Mug|1")))
    assert (full.code, full.message) == (Code.PRECONDITION_FAILURE, "the gripper holds Apple|1: put it down first")
    other = execute(backend, Skill("Place", Target("Mug|1"), Target("Table|1")))
    assert (other.code, "not Mug|1" in other.message) == (Code.PRECONDITION_FAILURE, True)
    execute(backend, Skill("Place", Target(category="apple"), Target("Table|1")))
    assert backend.robot.calls == [("take", "Apple|1"), ("lay", "Table|1", "")]


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
    assert backend.robot.calls == [(call[0], "Fridge|1", call[1])]


def test_what_is_refused_or_malformed_is_an_outcome_and_nothing_is_done(backend: SimulatedBackend) -> None:
    refused = execute(backend, Skill("GoToObject", Target(category="Nothing")))
    assert (refused.code, refused.distance) == (Code.NOT_FOUND, 0.0)
    assert refused.message == "Nothing is not in view and its position is not given: explore first"
    assert execute(backend, Skill("Fly", Target("Apple|1"))).code == Code.INVALID_ARGUMENT
    assert execute(backend, Skill("PickupObject")).code == Code.INVALID_ARGUMENT
    assert execute(backend, Skill("Wait", duration=math.nan)).code == Code.INVALID_ARGUMENT
    assert not backend.robot.calls


def test_a_skill_that_is_stopped_tells_what_it_did_until_then(backend: SimulatedBackend) -> None:
    steps = backend.run(Skill("GoToObject", Target("Apple|1")))
    assert next(steps).step == "driving"
    steps.close()
    stopped = backend.so_far()
    assert (stopped.code, stopped.distance, [s.id for s in stopped.seen]) == (Code.CANCELED, 1.0, ["Apple|1"])


def test_waiting_takes_as_long_as_was_said(backend: SimulatedBackend) -> None:
    assert execute(backend, Skill("Wait", duration=250.0)).duration == pytest.approx(250.0)
