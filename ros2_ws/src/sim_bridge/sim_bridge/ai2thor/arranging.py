# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A floor plan with its things put where a recorded task (ALFRED) wants them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from sim_bridge.ai2thor.agent import Agent
from sim_bridge.backend import Code, RefusedError
from sim_bridge.household.poses import thor_pose


def arrange(agent: Agent, room: Mapping[str, Any]) -> None:
    """Put things, switches, dirt and the robot as ALFRED's description of a room says (`scene` of a trial's file).

    Builds name their prefabs differently, so a pose is given to a thing of its type. RefusedError where the room has
    none, or AI2-THOR refuses; KeyError or TypeError where the description is not ALFRED's.
    """
    models: dict[str, str] = {}
    for thing in agent.things.values():
        if thing.pickupable:
            models.setdefault(thing.category, thing.name)
    poses = []
    for pose in room["object_poses"]:
        category = thor_pose(pose["objectName"], pose["position"], pose["rotation"]).category
        if category not in models:
            raise RefusedError(Code.NOT_FOUND, f"this floor plan has no {category} to put at {pose['position']}")
        poses.append({**pose, "objectName": models[category]})
    agent.act("SetObjectPoses", objectPoses=poses, placeStationary=False)
    if room["object_toggles"]:
        agent.act("SetObjectToggles", objectToggles=list(room["object_toggles"]))
    if room["dirty_and_empty"]:
        agent.act("SetStateOfAllObjects", StateChange="CanBeDirty", forceAction=True)
    begin = room["init_action"]
    positions = agent.act("GetReachablePositions")
    start = min(positions, key=lambda p: math.hypot(p["x"] - begin["x"], p["z"] - begin["z"]))
    agent.act("Teleport", position=start, horizon=agent.horizon)
