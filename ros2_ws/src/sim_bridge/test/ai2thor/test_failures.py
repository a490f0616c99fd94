# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What AI2-THOR says, as it is on record in its source, its issues and others' tables, and what it means for us."""

from __future__ import annotations

import pytest

from sim_bridge.ai2thor.failures import is_blocked, is_hand_in_the_way, refusal
from sim_bridge.backend import Code

P, E, N = Code.PRECONDITION_FAILURE, Code.EXECUTION_FAILURE, Code.NOT_FOUND

SAID = [
    ("NullReferenceException: Target object not found within the specified visibility.", N, "explore"),
    ("ArgumentException: objectId: Cup|1 is not the objectId on any object in the scene!", N, "gone"),
    ("Object ID appears to be invalid.", N, "gone"),
    ("NullReferenceException: Target object is visible but not interactable. It is likely obstructed", P, "behind"),
    ("Knife|-01.70 is not interactable and (perhaps it is occluded by something).", P, "behind"),
    ("can't toggle object off if it's already off!", P, "already off"),
    ("can't toggle object on if it's already on!", P, "already on"),
    ("Floor|+00.00|+00.00|+00.00 must have the property CanPickup to be picked up.", P, "pickupable"),
    ("CounterTop|-00.08|+01.15|00.00 is not an Openable object", P, "openable"),
    ("CounterTop_d7cc8dfe Does not have the CanBeSliced property!", P, "sliceable"),
    ("object is not toggleable", P, "toggleable"),
    ("Target must be OFF to open!", P, "switch it off"),
    ("This target object is NOT a receptacle!", P, "receptacle"),
    ("cracked_egg_5(Clone) is not a valid Object Type to be placed in StoveBurner_58b674c4", P, "elsewhere"),
    ("No valid positions to place object found", P, "free spot"),
    ("another object's collision is blocking held object from being placed", P, "free spot"),
    ("Can't place an object if Agent isn't holding anything", P, "empty"),
    ("Agent hand has something in it already! Can't pick up anything else", P, "not empty"),
    ("Picking up object would cause it to collide and clip into something!", E, "another side"),
    ("Object failed to open/close successfully.", E, "step back"),
    ("a held item: Book_3d15d052 with something if agent rotates Right 90 degrees", E, "gripper"),
    ("Cabinet_e8c521bb is blocking Agent 0 from moving by (0.0000, 0.0000, -0.2500).", E, "Cabinet_e8c521bb"),
]


@pytest.mark.parametrize(("said", "code", "told"), SAID)
def test_what_is_known_has_a_code_and_says_what_to_do(said: str, code: Code, told: str) -> None:
    error = refusal("PutObject", said, "Mug|1")
    assert error.code == code
    assert told in error.message
    assert "{" not in error.message


def test_what_is_not_known_is_told_in_its_own_words() -> None:
    error = refusal("OpenObject", "Something new\nwith a stack trace")
    assert error.code == E
    assert error.message == "AI2-THOR refused OpenObject: Something new"
    assert "without a reason" in refusal("Pass", "").message


def test_ids_are_data_and_no_format() -> None:
    assert "{what} is gone" in refusal("OpenObject", "Object ID appears to be invalid.", "{what}").message


def test_a_blocked_way_and_a_hand_in_the_way() -> None:
    assert is_blocked("Wall is blocking Agent 0 from moving by (0.0000, 0.0000, 0.2500).")
    assert is_hand_in_the_way("a held item: Book_3d15d052 with something if agent rotates Right 90 degrees")
    assert not is_blocked("a held item")
