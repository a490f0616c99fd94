# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the gripper holds, where nobody says which object that is."""

import numpy as np
import pytest

from karma_perception.frames.camera import Frame, Intrinsics, Label
from karma_perception.objects.grasp import Grasp, in_gripper
from karma_perception.objects.instances import ObjectObservation
from karma_perception.objects.mapped_object import MappedObject
from karma_perception.objects.voxels import VoxelSet

HALF = np.array([0.05, 0.05, 0.05])


def mapped(name: str, *center: float, movable: bool = True, identified: bool = False) -> MappedObject:
    middle = np.array(center)
    return MappedObject(
        id=name,
        category="Mug",
        movable=movable,
        voxels=VoxelSet(0.02, 100),
        low=middle - HALF,
        high=middle + HALF,
        last_seen=0.0,
        confidence=1.0,
        identified=identified,
    )


def frame(stamp: float, held: str) -> Frame:
    """A camera 1 m above the origin that looks along x."""
    pose = np.array([[0.0, 0.0, 1.0, 0.0], [-1.0, 0.0, 0.0, 0.0], [0.0, -1.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0]])
    intrinsics = Intrinsics(4, 3, 2.0, 2.0, 1.5, 1.0)
    return Frame(stamp, "home", np.ones((3, 4), np.float32), intrinsics, pose, held=held)


def observed(category: str, *center: float) -> ObjectObservation:
    middle = np.array(center)
    return ObjectObservation(1, Label(category, movable=True), middle[None], middle - HALF, middle + HALF)


def test_what_is_missing_ahead_when_the_gripper_closes_is_in_it_until_it_opens() -> None:
    grasp = Grasp()
    aside, ahead = mapped("Mug_1", 0.8, 0.8, 1.0), mapped("Mug_2", 1.0, 0.1, 1.0)
    assert grasp.holds(frame(1.0, ""), [ahead]) == ""
    assert grasp.holds(frame(2.0, "something"), [aside, ahead]) == "Mug_2"
    assert grasp.holds(frame(3.0, "something"), [aside]) == "Mug_2"
    assert grasp.holds(frame(4.0, ""), [aside]) == ""
    assert grasp.holds(frame(5.0, "something"), [aside]) == "Mug_1"


@pytest.mark.parametrize(
    "missing",
    [
        mapped("Mug_1", 2.0, 0.0, 1.0),
        mapped("Mug_1", 1.0, 0.0, 1.0, movable=False),
        mapped("Mug_1", 1.0, 0.0, 1.0, identified=True),
    ],
    ids=["out of reach", "furniture", "one that the source would name"],
)
def test_what_cannot_have_been_taken_is_not_held(missing: MappedObject) -> None:
    assert Grasp().holds(frame(1.0, "something"), [missing]) == ""


def test_what_goes_missing_long_after_the_gripper_closed_was_taken_by_someone_else() -> None:
    grasp = Grasp()
    mug = mapped("Mug_1", 1.0, 0.0, 1.0)
    assert grasp.holds(frame(1.0, "something"), []) == ""
    assert grasp.holds(frame(6.1, "something"), [mug]) == ""


def test_the_gripper_shows_the_nearest_of_the_class_at_arm_s_length() -> None:
    held = mapped("Mug_1", 3.0, 0.0, 1.0)
    near, table = observed("Mug", 0.5, -0.2, 0.7), observed("Mug", 1.0, 0.0, 0.8)
    assert in_gripper(held, [table, near, observed("Cup", 0.3, 0.0, 1.0)], frame(1.0, "something")) is near
    assert in_gripper(held, [table], frame(1.0, "something")) is None
    assert in_gripper(held, [], frame(1.0, "something")) is None


def test_of_what_is_held_and_not_known_the_gripper_shows_the_nearest_that_can_be_carried() -> None:
    fridge = ObjectObservation(1, Label("Fridge"), np.zeros((1, 3)), np.array([0.2, 0, 1]), np.array([0.3, 0, 1]))
    cup = observed("Cup", 0.5, -0.2, 0.7)
    assert in_gripper(None, [fridge, observed("Mug", 0.6, 0.0, 0.8), cup], frame(1.0, "something")) is not fridge
    assert in_gripper(None, [fridge, cup], frame(1.0, "something")) is cup
