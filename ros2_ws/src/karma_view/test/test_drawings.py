# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is drawn on a real server of viser: what is sent, and that nothing is sent for nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import viser

from karma_perception.scene_graph import Layer, Node, SceneGraph
from karma_view.known import CameraView, Known, Pose
from karma_view.panels.selection import Selection
from karma_view.scene import floor_plan, labels, robot_drawing
from karma_view.scene.floor_plan import FloorPlanDrawing
from karma_view.scene.labels import LabelDrawing
from karma_view.scene.robot_drawing import RobotDrawing

MUG = Node("mug|<b>1", Layer.OBJECT, "Mug", "", "", (0.0, 0.0, 3.0), (0.1, 0.1, 0.1), True, last_seen=5.0)
KNOWN = Known(graph=SceneGraph(nodes={MUG.id: MUG}))


def moved(mug: Node) -> Known:
    return Known(graph=SceneGraph(nodes={mug.id: mug}))


@pytest.fixture
def server() -> Iterator[viser.ViserServer]:
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    yield server
    server.stop()


@pytest.fixture
def sent(server: viser.ViserServer, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    messages: list[Any] = []
    interface = server.gui._websock_interface
    queue = interface.queue_message

    def noted(message: Any) -> None:
        messages.append(message)
        queue(message)

    monkeypatch.setattr(interface, "queue_message", noted)
    return messages


def grid(cells: list[list[int]]) -> SimpleNamespace:
    origin = SimpleNamespace(position=SimpleNamespace(x=-1.0, y=2.0, z=0.5))
    info = SimpleNamespace(height=len(cells), width=len(cells[0]), resolution=0.1, origin=origin)
    return SimpleNamespace(info=info, data=[value for row in cells for value in row])


def test_walls_stand_on_the_floor_where_the_plan_has_them(
    server: viser.ViserServer, sent: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(floor_plan, "PERIOD_S", 0.0)
    drawing = FloorPlanDrawing(server.scene, "/plan")
    plan = grid([[-1, 100, 100, 100], [-1, 0, 60, 0]])
    drawing.update(plan)
    walls = drawing._handles["walls"]
    assert walls.batched_positions.tolist() == [pytest.approx([-0.75, 2.05, 0.5 + floor_plan.WALL_HEIGHT / 2])]
    assert walls.batched_scales.tolist() == [pytest.approx([0.3, 0.1, floor_plan.WALL_HEIGHT])]
    assert len(drawing._handles["free"].batched_positions) == 2
    sent.clear()
    drawing.update(plan)
    assert sent == []
    drawing.update(None)
    assert drawing._handles == {}


def test_a_robot_that_moves_costs_its_pose(server: viser.ViserServer, sent: list[Any]) -> None:
    drawing = RobotDrawing(server.scene, "/robot", "/camera/live")
    drawing.update(Known(pose=Pose((0.0, 0.0, 0.0), 0.0)))
    sent.clear()
    there = Known(pose=Pose((1.0, 2.0, 0.0), math.pi))
    drawing.update(there)
    assert sorted(type(message).__name__ for message in sent) == ["SetOrientationMessage", "SetPositionMessage"]
    sent.clear()
    drawing.update(there)
    assert sent == []
    drawing.update(Known())
    assert not server.scene._handle_from_node_name["/robot/body"].visible


def test_the_camera_is_drawn_where_it_is_known(server: viser.ViserServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robot_drawing, "PICTURE_PERIOD_S", 0.0)
    drawing = RobotDrawing(server.scene, "/robot", "/camera/live")
    view = CameraView(np.zeros((30, 40, 3), np.uint8), 1.0, 1.0, (1.0, 2.0, 3.0), (1.0, 0.0, 0.0, 0.0))
    drawing.update(Known(camera=replace(view, position=None)))
    assert "/camera/live/frustum" not in server.scene._handle_from_node_name
    drawing.update(Known(camera=view))
    frustum = server.scene._handle_from_node_name["/camera/live/frustum"]
    assert (frustum.visible, frustum.position.tolist()) == (True, [1.0, 2.0, 3.0])
    drawing.update(Known(camera=replace(view, position=(4.0, 2.0, 3.0))))
    assert frustum.position.tolist() == [4.0, 2.0, 3.0]
    drawing.update(Known())
    assert not frustum.visible


def test_the_chosen_object_is_marked_followed_and_told(server: viser.ViserServer, sent: list[Any]) -> None:
    selection = Selection(server)  # type: ignore[arg-type]
    selection.update(KNOWN)
    selection.choose(MUG.id)
    assert selection.node is MUG
    assert "mug|&lt;b&gt;1" in selection._details.content
    mark = server.scene._handle_from_node_name["/selection/mark"]
    dirty = moved(replace(MUG, center=(1.0, 0.0, 3.0), states={"isDirty": "true"}))
    selection.update(dirty)
    assert mark.position.tolist() == [1.0, 0.0, 3.0]
    assert "(dirty)" in selection._details.content
    sent.clear()
    selection.update(Known(graph=replace(dirty.graph, stamp=9.0)))
    assert sent == []
    selection.update(Known())
    assert selection.node is None
    assert "/selection/mark" not in server.scene._handle_from_node_name


def test_labels_are_written_once(server: viser.ViserServer, sent: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labels, "PERIOD_S", 0.0)
    camera: Any = SimpleNamespace(
        position=(0.0, 0.0, 0.0), wxyz=(1.0, 0.0, 0.0, 0.0), fov=1.0, image_width=800, image_height=600
    )
    client: Any = SimpleNamespace(scene=server.scene, atomic=server.atomic, camera=camera)
    drawing = LabelDrawing(client, lambda: labels.Eye.of(camera))
    drawing.update(KNOWN)
    (name,) = [name for name in server.scene._handle_from_node_name if name.startswith("/labels/")]
    written: Any = server.scene._handle_from_node_name[name]
    assert written.text == "mug"
    sent.clear()
    drawing.update(KNOWN)
    drawing.update(moved(replace(MUG, last_seen=9.0)))
    assert sent == []
    drawing.update(moved(replace(MUG, states={"isDirty": "true"})))
    assert written.text == "mug (dirty)"
    camera.wxyz = (0.0, 1.0, 0.0, 0.0)
    drawing.update(KNOWN)
    assert name not in server.scene._handle_from_node_name
