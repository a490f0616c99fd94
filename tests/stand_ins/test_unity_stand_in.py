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


def test_things_are_put_where_recorded_poses_say(client: Any) -> None:
    event = client.reset("FloorPlan1")
    mug = event.objects_by_type("Mug")[0]
    pose = {
        "objectName": mug["name"],
        "rotation": {"x": 0, "y": 0, "z": 0},
        "position": {"x": 0.2, "y": 1.11, "z": 0.2},
    }
    event = client.step("SetObjectPoses", objectPoses=[pose], placeStationary=False)
    assert event, event.metadata["errorMessage"]
    (mug,) = event.objects_by_type("Mug")
    assert mug["position"]["x"] == pytest.approx(0.2, abs=0.05)
    assert not event.objects_by_type("Apple")  # AI2-THOR takes away what has no pose
