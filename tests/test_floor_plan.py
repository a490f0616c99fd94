# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The floor plan that perception tells of a home that was explored, beside where the simulator has its walls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")

from nav_msgs.msg import OccupancyGrid

from karma_interfaces.action import ExecuteSkill
from karma_interfaces.msg import SkillCall
from karma_interfaces.srv import GetFrontiers
from karma_perception.places.floor_plan import FREE, FURNITURE, WALL
from karma_perception.ros.floor_plan_publisher import QOS
from karma_ros.result_codes import code_name
from sim_bridge.household.model import CELL, Scene
from sim_bridge.household.scenes import load_scene

pytestmark = [pytest.mark.ros, pytest.mark.slow]

HOME = "home1"
NEAR = 0.15
"""Metres between a wall's face and a cell's centre that is that wall's."""
STEP = 0.1

Points = NDArray[np.float64]
"""(n, 2), metres, map frame."""


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    """The whole graph in a home of four rooms, active, in a domain of its own."""
    from karma.graph import GraphArguments
    from karma.supervision import running_graph

    folder = tmp_path_factory.mktemp("graph")
    arguments = GraphArguments(scene=HOME, database=str(folder / "memory.sqlite3"))
    with running_graph(arguments, log_folder=folder / "log") as running:
        running.wait_active(180.0)
        yield running


def faces(scene: Scene) -> Points:
    """Return points along the inner faces of the rooms' walls, doorways left out."""
    lines = []
    for room in scene.rooms:
        (x0, y0), (x1, y1) = room.low, room.high
        xs, ys = np.arange(x0 + STEP / 2, x1, STEP), np.arange(y0 + STEP / 2, y1, STEP)
        lines += [np.stack(np.broadcast_arrays(xs, y), axis=1) for y in (y0, y1)]
        lines += [np.stack(np.broadcast_arrays(x, ys), axis=1) for x in (x0, x1)]
    points = np.concatenate(lines)
    ways = np.array([cell[:2] for doorway in scene.doorways for cell in doorway.cells]) * CELL
    return np.asarray(points[distance(points, ways) > 0.5])


def centres(message: OccupancyGrid, *values: int) -> Points:
    """Return the centres of the cells that have one of the values."""
    info = message.info
    rows, columns = np.nonzero(np.isin(np.array(message.data).reshape(info.height, info.width), values))
    corner = np.array((info.origin.position.x, info.origin.position.y))
    return np.asarray(corner + (np.stack((columns, rows), axis=1) + 0.5) * info.resolution)


def distance(points: Points, others: Points) -> Points:
    """Return how far each point is from the nearest of the others, (n,), metres."""
    return np.asarray(np.linalg.norm(points[:, None] - others[None], axis=2).min(axis=1))


def inside(points: Points, scene: Scene) -> NDArray[np.bool_]:
    """Return which points are in a room."""
    return np.any([np.all((points >= room.low) & (points <= room.high), axis=1) for room in scene.rooms], axis=0)


def test_an_explored_home_has_its_walls_around_its_rooms(client: Any, eventually: Any) -> None:
    scene = load_scene(HOME)
    goal = ExecuteSkill.Goal(call=SkillCall(skill="Explore"))
    outcome = client.run_action(ExecuteSkill, "execute_skill", goal, timeout=300.0, connect_timeout=60.0).outcome
    assert code_name(outcome.result) == "SUCCESS", outcome.result.message
    assert eventually(
        lambda: not client.call(GetFrontiers, "scene_graph/get_frontiers", GetFrontiers.Request()).waiting
    )
    heard: list[OccupancyGrid] = []
    client.node.create_subscription(OccupancyGrid, "scene_graph/floor_plan", heard.append, QOS)
    assert eventually(lambda: heard)
    plan = heard[-1]
    assert plan.header.frame_id == "map"

    true = faces(scene)
    walls, free = centres(plan, WALL), centres(plan, FREE)
    known = distance(true, walls) <= NEAR
    behind = distance(true, centres(plan, WALL, FURNITURE)) <= 2 * NEAR
    standable = np.array([(i, j) for i, j, _ in scene.free]) * CELL
    shares = {
        "walls that are known": np.mean(known),
        "walls that are known, or have furniture before them": np.mean(known | behind),
        "wall cells at a wall": np.mean(distance(walls, true) <= NEAR),
        "free floor of the simulator that is free": np.mean(distance(standable, free) <= 0.1),
        "free cells in a room or a doorway": np.mean(inside(free, scene) | (distance(free, standable) <= 0.3)),
    }
    print({what: round(float(share), 3) for what, share in shares.items()}, f"{plan.info.width}x{plan.info.height}")
    assert min(shares.values()) >= 0.85, shares
