# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What AI2-THOR says, as it is on record in its source, its issues and others' tables, and what it means for us."""

from __future__ import annotations

import pytest

from sim_bridge.ai2thor.failures import is_blocked, is_turn_hindered, refusal
from sim_bridge.backend import Code

P, E, N = Code.PRECONDITION_FAILURE, Code.EXECUTION_FAILURE, Code.NOT_FOUND

SAID = [
    ("NullReferenceException: Target object not found within the specified visibility.", N, "explore"),
    ("ArgumentException: objectId: Cup|1 is not the objectId on any object in the scene!", N, "gone"),
    ("Object ID appears to be invalid.", N, "gone"),
    ("Cannot find object with id Cup|1.", N, "gone"),
    ("NullReferenceException: Object with id 'Cup|1' is null. trace:   at getInteractableSimObjectFromId", N, "gone"),
    ("object not found: Cup|1", N, "not in view"),
    ("Object not found!", N, "not in view"),
    ("No valid Receptacle found in view", N, "not in view"),
    ("object is visible but occluded by something: Cup|1", P, "behind"),
    ("NullReferenceException: Target object is visible but not interactable. It is likely obstructed", P, "behind"),
    ("Knife|-01.70 is not interactable and (perhaps it is occluded by something).", P, "behind"),
    ("can't toggle object off if it's already off!", P, "already off"),
    ("can't toggle object on if it's already on!", P, "already on"),
    ("Floor|+00.00|+00.00|+00.00 must have the property CanPickup to be picked up.", P, "pickupable"),
    ("CounterTop|-00.08|+01.15|00.00 is not an Openable object", P, "openable"),
    ("CounterTop_d7cc8dfe Does not have the CanBeSliced property!", P, "sliceable"),
    ("object is not toggleable.", P, "toggleable"),
    (
        "target object is controlled by another sim object. target object cannot be turned on/off directly",
        P,
        "not toggleable itself",
    ),
    ("Target is broken and cannot be Toggled On!", P, "broken"),
    ("Target must be closed to Toggle On!", P, "close it first"),
    ("object could not be toggled on/off succesfully", E, "try again"),
    ("target object cannot be sliced if it is in the agent's hand", P, "put it down first"),
    ("Mug_1b8d3ad1 does not have the CanBreak property!!", P, "not breakable"),
    ("Target openable Receptacle is CLOSED, can't place if target is not open!", P, "open it first"),
    ("ToiletPaperHanger_c6c7e5b2 is full right now", P, "is full"),
    ("Pot_ceb1c2a4 cannot be placed in Mug_1b8d3ad1", P, "put it elsewhere"),
    ("Target must be OFF to open!", P, "switch it off"),
    ("This target object is NOT a receptacle!", P, "receptacle"),
    ("cracked_egg_5(Clone) is not a valid Object Type to be placed in StoveBurner_58b674c4", P, "elsewhere"),
    ("No valid positions to place object found", P, "free spot"),
    ("another object's collision is blocking held object from being placed", P, "free spot"),
    ("Can't place an object if Agent isn't holding anything", P, "empty"),
    ("Agent hand has something in it already! Can't pick up anything else", P, "not empty"),
    ("InvalidOperationException: Nothing in Hand to Throw!. trace:   at ThrowObject", P, "empty"),
    ("InvalidOperationException: Nothing is in the agent's hand to drop!. trace:   at DropHeldObject", P, "empty"),
    ("Spawn area not clear (Toaster|-1.84|+00.90|+00.13) is in the way, can't place object", P, "Toaster|-1.84|+00.90"),
    ("Position coordinate ((9.0, 0.9, 0.0)) is not within scene bounds (Center: (0, 1, 0))", P, "outside the scene"),
    ("Picking up object would cause it to collide and clip into something!", E, "another side"),
    ("Object failed to open/close successfully.", E, "step back"),
    ("a held item: Book_3d15d052 with something if agent rotates Right 90 degrees", E, "gripper"),
    ("a held item: Mug|1 will collide with something if agent rotates down 30 degrees", E, "gripper"),
    (
        "InvalidOperationException: Apple_2 can't be dropped. It must be clear of all other collision first, including "
        "the Agent.. trace:   at DropHeldObject",
        E,
        "touches something",
    ),
    ("InvalidOperationException: Cannot teleport due to hand object collision.. trace:   at", E, "gripper"),
    ("InvalidOperationException: Collided with: Fridge|-02.10|+00.00|+01.07.. trace:   at", E, "Fridge|-02.10|+00.00"),
    (
        "InvalidOperationException: Mid Level Arm is actively clipping with some geometry in the environment. "
        "TeleportFull fails in this position.. trace:   at TeleportFull",
        E,
        "the arm would touch",
    ),
    (
        "ArgumentOutOfRangeException: Specified argument was out of the range of valid values.\n"
        "Parameter name: Each horizon must be in [-30:60]. You gave 60.00002.. trace:   at teleportFull",
        E,
        "any farther",
    ),
    ("can't look down beyond 60 degrees below the forward horizon", E, "any farther"),
    ("Openable object collided with FPSController", E, "FPSController is in the way of Mug|1"),
    (
        "Collided with static sim object: 'Fridge_b36c7a48', could not reach target: '(-0.3, 0.9, 1.2)'.",
        E,
        "Fridge_b36c7a48 is in the way",
    ),
    (
        "Collided with static structure in scene: 'StandardWallSize', could not reach target: '(-0.3, 0.9, 1.2)'.",
        E,
        "StandardWallSize is in the way",
    ),
    ("No objects (specified by objectId) were valid to be picked up by the arm", E, "did not get hold of Mug|1"),
    (
        "InvalidOperationException: Invalid target: Position '(0.0, 0.9, 2.0)' in space 'world' is behind shoulder.. "
        "trace:   at moveArmTarget",
        P,
        "out of the arm's reach",
    ),
    ("Cabinet_e8c521bb is blocking Agent 0 from moving by (0.0000, 0.0000, -0.2500).", E, "Cabinet_e8c521bb"),
]


@pytest.mark.parametrize(("said", "code", "told"), SAID)
def test_what_is_known_has_a_code_and_says_what_to_do(said: str, code: Code, told: str) -> None:
    error = refusal("PutObject", said, "Mug|1")
    assert error.code == code
    assert told in error.message
    assert "{" not in error.message


def test_what_is_not_known_is_told_in_its_own_words() -> None:
    said = "ArgumentException: Something new.\nParameter name: it. trace:   at Thor.Some.Method () [0x00000]"
    error = refusal("OpenObject", said)
    assert error.code == E
    assert error.message == "AI2-THOR refused OpenObject: ArgumentException: Something new. Parameter name: it"
    assert "without a reason" in refusal("Pass", "").message


def test_ids_are_data_and_no_format() -> None:
    assert "{what} is gone" in refusal("OpenObject", "Object ID appears to be invalid.", "{what}").message


def test_a_blocked_way_and_a_hand_in_the_way() -> None:
    assert is_blocked("Wall is blocking Agent 0 from moving by (0.0000, 0.0000, 0.2500).")
    assert is_turn_hindered("a held item: Book_3d15d052 with something if agent rotates Right 90 degrees")
    assert not is_blocked("a held item")
    for_an_arm = "Collided with static structure in scene: 'Wall', could not reach target: '(0.0, 0.9, 1.0)'."
    assert is_blocked(for_an_arm)
    assert is_turn_hindered(for_an_arm)
