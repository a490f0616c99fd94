# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The stand-in for Unity, as AI2-THOR's own client sees it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ai2thor.controller", reason="./karma test installs it")

from ai2thor.controller import Controller
from ai2thor.fifo_server import FifoServer
from ai2thor.wsgi_server import WsgiServer
from unity_stand_in import EXECUTABLE


@pytest.fixture(scope="module", params=[FifoServer, WsgiServer], ids=lambda server: server.server_type)
def client(request: pytest.FixtureRequest) -> Iterator[Any]:
    controller = Controller(
        local_executable_path=str(EXECUTABLE),
        server_class=request.param,
        x_display=":0",
        scene="FloorPlan1",
        width=300,
        height=300,
        renderDepthImage=True,
        renderInstanceSegmentation=True,
        server_start_timeout=60,
    )
    yield controller
    controller.stop()


def test_an_action_that_there_is_not_and_arguments_that_are_wrong_are_errors_of_the_client(client: Any) -> None:
    with pytest.raises(ValueError, match="Invalid action: Frobnicate"):
        client.step("Frobnicate")
    with pytest.raises(ValueError, match="missing the following arguments: objectId"):
        client.step("OpenObject")
    with pytest.raises(ValueError, match="invalid argument: colour"):
        client.step("Pass", colour="red")


def test_what_fails_says_so_in_the_metadata(client: Any) -> None:
    event = client.step("PickupObject", objectId="Nope|1")
    assert not event
    assert "is not the objectId on any object in the scene" in event.metadata["errorMessage"]


def refused(client: Any, action: str, **arguments: Any) -> str:
    """What AI2-THOR says of an action that it must refuse."""
    event = client.step(action, **arguments)
    assert not event, f"{action} with {arguments} was done"
    return event.metadata["errorMessage"]


def where(client: Any) -> dict[str, Any]:
    """The agent's pose, as TeleportFull takes it."""
    agent = client.last_event.metadata["agent"]
    return {name: agent[name] for name in ("position", "rotation")} | {"horizon": 0.0, "standing": True}


def test_the_camera_is_tilted_by_tenths_within_its_range(client: Any) -> None:
    client.reset("FloorPlan1")
    assert "degree value to be a multiple of 0.1f" in refused(client, "LookDown", degrees=12.34)
    assert "positive degree value" in refused(client, "LookUp", degrees=-1)
    assert "beyond 60 degrees below" in refused(client, "LookDown", degrees=60.1)
    assert "beyond 30 degrees above" in refused(client, "LookUp", degrees=30.1)
    assert "Cannot rotate by 0 degrees" in refused(client, "RotateRight", degrees=0)


def test_the_agent_is_put_only_where_it_fits_and_can_look(client: Any) -> None:
    client.reset("FloorPlan1")
    pose = where(client)
    x, y, z = (pose["position"][axis] for axis in "xyz")
    for wrong, said in (
        ({"horizon": 61.0}, "Each horizon must be in [-30:60]. You gave 61."),
        ({"rotation": {"x": 5.0, "y": 0.0, "z": 0.0}}, "No agents currently can change in pitch or roll"),
        ({"position": {"x": 99.0, "y": y, "z": z}}, "out of scene bounds"),
        ({"position": {"x": x + 0.1, "y": y, "z": z}}, "is not on the grid of size 0.25"),
        ({"position": {"x": x, "y": y + 1.0, "z": z}}, "too large a change"),
        ({"position": {"x": 0.0, "y": y, "z": 0.0}}, "Collided with: Furniture"),
    ):
        assert said in refused(client, "TeleportFull", **{**pose, **wrong})
    client.step("LookUp", degrees=10)  # Unity takes its own horizon as 350 degrees
    assert "Each horizon must be in [-30:60]. You gave 350" in refused(client, "Teleport", rotation=pose["rotation"])


def before(client: Any, category: str) -> dict[str, Any]:
    """Put the agent before a thing, and return what is known of it."""
    (thing, *_) = client.last_event.objects_by_type(category)
    (pose, *_) = client.step("GetInteractablePoses", objectId=thing["objectId"]).metadata["actionReturn"]
    at = {axis: pose[axis] for axis in "xyz"}
    turned = {"x": 0, "y": pose["rotation"], "z": 0}
    assert client.step("TeleportFull", position=at, rotation=turned, horizon=pose["horizon"], standing=True)
    return client.last_event.get_object(thing["objectId"])


def test_the_hand_takes_one_thing_that_can_be_carried_and_is_within_reach(client: Any) -> None:
    event = client.reset("FloorPlan1")
    bread = event.objects_by_type("Bread")[0]["objectId"]
    assert "isn't holding anything" in refused(client, "PutObject", objectId=before(client, "CounterTop")["objectId"])
    assert "Nothing is in the agent's hand to drop!" in refused(client, "DropHandObject")
    assert "Nothing in Hand to Throw!" in refused(client, "ThrowObject", moveMagnitude=50.0)
    fridge = before(client, "Fridge")["objectId"]
    assert "must have the property CanPickup" in refused(client, "PickupObject", objectId=fridge)
    far = [o for o in client.last_event.metadata["objects"] if o["pickupable"] and o["distance"] > 2.0]
    said = "Target object not found within the specified visibility"  # 1.5 m where nothing else was asked for
    assert said in refused(client, "PickupObject", objectId=far[0]["objectId"])
    assert client.step("PickupObject", objectId=before(client, "Apple")["objectId"])
    before(client, "Bread")
    assert "something in it already" in refused(client, "PickupObject", objectId=bread)
    before(client, "Fridge")
    assert "is CLOSED" in refused(client, "PutObject", objectId=fridge)
    before(client, "StoveBurner")
    burner = client.last_event.objects_by_type("StoveBurner")[0]["objectId"]
    assert "is not a valid Object Type to be placed in" in refused(client, "PutObject", objectId=burner)


def test_what_is_open_is_opened_again_without_a_word_but_nothing_is_switched_on_twice(client: Any) -> None:
    client.reset("FloorPlan1")
    fridge = before(client, "Fridge")["objectId"]
    assert client.step("OpenObject", objectId=fridge)
    assert client.step("OpenObject", objectId=fridge, openness=0.5)
    assert refused(client, "OpenObject", objectId=fridge, openness=1.5) == "openness must be in [0:1]"
    assert refused(client, "ToggleObjectOn", objectId=fridge) == "object is not toggleable."
    assert client.step("CloseObject", objectId=fridge)
    tap = before(client, "Faucet")["objectId"]
    assert client.step("ToggleObjectOn", objectId=tap)
    assert refused(client, "ToggleObjectOn", objectId=tap) == "can't toggle object on if it's already on!"
    assert refused(client, "OpenObject", objectId=tap) == f"{tap} is not an Openable object"


def test_an_arm_goes_as_far_as_it_reaches_and_only_its_metadata_tell_what_it_holds(client: Any) -> None:
    client.reset("FloorPlan1", agentMode="arm")
    try:
        apple = before(client, "Apple")["objectId"]
        assert "to the arm agent!" in refused(client, "PickupObject", objectId=apple)
        assert "in [0, 1] when normalizedY=true" in refused(client, "MoveArmBase", y=1.5)
        beyond = client.step("MoveArm", position={"x": 0, "y": 0, "z": 3}, coordinateSpace="armBase")
        hand, at = beyond.metadata["arm"]["handSphereCenter"], beyond.metadata["agent"]["position"]
        assert np.hypot(hand["x"] - at["x"], hand["z"] - at["z"]) == pytest.approx(0.72, abs=0.01)
        wrong = {"position": {"x": 0, "y": 0, "z": 3}, "coordinateSpace": "armBase", "restrictMovement": True}
        assert "is behind shoulder" in refused(client, "MoveArm", **wrong)
        assert "were valid to be picked up by the arm" in refused(client, "PickupObject", objectIdCandidates=[apple])
        assert client.step("ReleaseObject")
    finally:
        client.reset("FloorPlan1", agentMode="default")


def test_frames_masks_and_metadata_tell_of_the_same_things(client: Any) -> None:
    event = client.step("LookDown", degrees=30)
    assert event.frame.shape == (300, 300, 3)
    assert event.depth_frame.shape == (300, 300)
    assert 0.3 < np.median(event.depth_frame) < 5
    assert event.depth_frame[-1].mean() < event.depth_frame[0].mean()  # the floor is below: rows came bottom up
    shown = set(event.instance_masks)
    assert shown
    assert shown <= {o["objectId"] for o in event.metadata["objects"]}
    client.step("LookUp", degrees=30)


def test_actions_that_ask_answer_and_change_nothing(client: Any) -> None:
    before = client.step("Pass").metadata["agent"]
    event = client.step("GetReachablePositions")
    assert {"x", "y", "z"} == set(event.metadata["actionReturn"][0])
    apple = event.objects_by_type("Apple")[0]["objectId"]
    poses = client.step("GetInteractablePoses", objectId=apple).metadata["actionReturn"]
    assert {"x", "y", "z", "rotation", "horizon", "standing"} == set(poses[0])
    assert client.last_event.metadata["agent"] == before
    pose = poses[0]
    client.step(
        "TeleportFull",
        position={axis: pose[axis] for axis in "xyz"},
        rotation={"x": 0, "y": pose["rotation"], "z": 0},
        horizon=pose["horizon"],
        standing=True,
    )
    assert client.last_event.get_object(apple)["visible"]
