# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A real habitat-sim, which KARMA_HABITAT_PYTHON names: a demonstration in a home, beside the conformance suite.

KARMA_HABITAT_PYTHON=/path/to/python ./karma test ros2_ws/src/sim_bridge/test -m habitat
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator

import numpy as np
import pytest

from sim_bridge.backend import Code, Outcome, Skill, Target, execute
from sim_bridge.factory import BackendOptions
from sim_bridge.habitat import doctor
from sim_bridge.habitat.backend import HabitatBackend
from sim_bridge.habitat.interpreter import PYTHON_VARIABLE

pytestmark = [
    pytest.mark.habitat,
    pytest.mark.slow,
    pytest.mark.skipif(
        not os.environ.get(PYTHON_VARIABLE), reason=f"{PYTHON_VARIABLE} names no interpreter that has habitat-sim"
    ),
]


@pytest.fixture(scope="module")
def backend() -> Iterator[HabitatBackend]:
    backend = HabitatBackend(BackendOptions("habitat", "home1", image_width=320, image_height=240))
    yield backend
    backend.close()


def do(backend: HabitatBackend, name: str, target: str = "", receptacle: str = "") -> Outcome:
    outcome = execute(backend, Skill(name, Target(category=target), Target(category=receptacle)))
    assert outcome.code == Code.SUCCESS, f"{name} {target}{receptacle}: {outcome.message}"
    return outcome


def test_the_doctor_finds_it() -> None:
    found = list(doctor.checks(BackendOptions()))
    assert [f.subject for f in found if f.verdict == "works"] == ["interpreter", "habitat-sim", "OpenGL"], found


def test_the_navmesh_reaches_every_room(backend: HabitatBackend) -> None:
    grid = backend.grid
    distance = grid.field(grid.index[grid.scene.start]).distance
    reached = {grid.rooms[c] for c in np.flatnonzero(np.isfinite(distance))}
    away = {r.name for r in backend.world.scene.rooms} - reached
    assert not away, f"from the start no way leads to {away}"


def test_what_the_pictures_show_is_where_the_truth_has_it(backend: HabitatBackend) -> None:
    backend.reset()
    do(backend, "Explore", "Fridge")
    do(backend, "GoToObject", "Fridge")
    seen = backend.observe()
    assert seen.instances is not None
    k = seen.intrinsics
    v, u = np.mgrid[: k.height, : k.width]
    local = np.stack([(u - k.cx) / k.fx, (v - k.cy) / k.fy, np.ones(u.shape)], axis=-1) * seen.depth[..., None]
    points = local @ seen.camera_pose[:3, :3].T + seen.camera_pose[:3, 3]
    boxes = {o.id: o for o in backend.ground_truth()}
    for number, label in seen.labels.items():
        mine = points[(seen.instances == number) & (seen.depth > 0)]
        away = np.abs(mine - boxes[label.id].center) - np.array(boxes[label.id].size) / 2
        assert np.percentile(away.max(axis=1), 90) < 0.03, label.id
    assert "Fridge" in {label.category for label in seen.labels.values()}


def test_an_apple_is_put_into_the_fridge(backend: HabitatBackend) -> None:
    backend.reset()
    do(backend, "Explore", "Apple")
    do(backend, "GoToObject", "Apple")
    do(backend, "PickupObject", "Apple")
    (apple,) = (o for o in backend.ground_truth() if o.category == "Apple")
    assert apple.relation == "held"
    assert math.dist(apple.center[:2], backend.robot.position) < 1.2
    do(backend, "Explore", "Fridge")
    do(backend, "GoToObject", "Fridge")
    do(backend, "OpenObject", "Fridge")
    do(backend, "PutObject", receptacle="Fridge")
    (apple,) = (o for o in backend.ground_truth() if o.category == "Apple")
    (fridge,) = (o for o in backend.ground_truth() if o.category == "Fridge")
    assert apple.receptacle == fridge.id
    assert all(abs(a - f) <= s / 2 for a, f, s in zip(apple.center, fridge.center, fridge.size, strict=True))
    do(backend, "CloseObject", "Fridge")
    assert execute(backend, Skill("FindObject", Target(category="Apple"))).code == Code.NOT_FOUND


def test_the_arms_camera_gives_pictures(backend: HabitatBackend) -> None:
    options = BackendOptions("habitat", "FloorPlan1", image_width=160, image_height=120, habitat_camera="arm")
    arm = HabitatBackend(options)
    seen = arm.observe()
    assert seen.rgb.shape == (120, 160, 3)
    assert (seen.depth > 0).mean() > 0.5
    assert math.dist(seen.camera_pose[:2, 3], arm.robot.position) < 1.2
    arm.close()
