# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Snapshots of scenes in which nothing has happened yet, for pictures and checks that need no engine."""

from __future__ import annotations

import math

from sim_bridge.backend import Pose2D
from sim_bridge.household.model import CELL, ObjectSpec, ObjectState, Scene, Snapshot
from sim_bridge.household.structure import floor_height
from sim_bridge.household.views import EYE_HEIGHT, camera_pose
from sim_bridge.simulation.categories import LIDLESS


def still(scene: Scene, *, open_everything: bool = False) -> Snapshot:
    """Return a scene as it begins, seen by the robot at its start; with every door and lid open where asked."""
    opened = {
        o.id for o in scene.objects if "openable" in o.affordances and (open_everything or o.states.get("isOpen"))
    }
    specs = {o.id: o for o in scene.objects}
    objects = tuple(
        ObjectState(
            id=o.id,
            category=o.category,
            boxes=scene.carved.get(o.id, (o.box,)),
            yaw=o.yaw,
            states=_states(o, opened),
            visible=not (o.movable and _shut_in(o, specs, opened)),
            held=False,
            movable=o.movable,
        )
        for o in scene.objects
    )
    i, j, storey = scene.start
    x, y, z = i * CELL, j * CELL, floor_height(scene, storey)
    eye = camera_pose((x, y, z + EYE_HEIGHT), 0.0, math.radians(20))
    return Snapshot(scene, 0.0, int(open_everything), Pose2D(x, y, 0.0, z), eye, "", objects)


def _states(spec: ObjectSpec, opened: set[str]) -> dict[str, str]:
    states = {name: str(value).lower() for name, value in spec.states.items()}
    if "openable" in spec.affordances:
        states["isOpen"] = str(spec.id in opened).lower()
    return states


def _shut_in(spec: ObjectSpec, specs: dict[str, ObjectSpec], opened: set[str]) -> bool:
    parent = specs.get(spec.parent)
    while parent is not None:
        if "openable" in parent.affordances and parent.category not in LIDLESS and parent.id not in opened:
            return True
        parent = specs.get(parent.parent)
    return False
