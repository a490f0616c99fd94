# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""An event's metadata, with the names that AI2-THOR 5.0 gives its fields."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sim_bridge.backend import Point
from sim_bridge.household.world import GRIPPER
from unity_stand_in.stage import BODY, Stage, color_of

if TYPE_CHECKING:
    from unity_stand_in.actions import ActionError

_STATES = ("isOpen", "isToggled", "isDirty", "isFilledWithLiquid", "isBroken", "isSliced", "isCooked", "isUsedUp")
_FLAGS = (
    *("pickupable", "moveable", "openable", "toggleable", "sliceable", "breakable", "receptacle", "dirtyable"),
    *("cookable", "canFillWithLiquid", "canBeUsedUp", "isHeatSource", "isColdSource"),
)


def vector(point: Point) -> dict[str, float]:
    """Return a point of the map in AI2-THOR's axes."""
    x, y, z = point
    return {"x": x, "y": z, "z": y}


def prefab(name: str, category: str) -> str:
    """Return the name of an object's prefab."""
    return f"{category}_{zlib.crc32(name.encode()):08x}"


def metadata_of(stage: Stage, action: Mapping[str, Any], failure: ActionError | None) -> dict[str, Any]:
    """Return what is told after an action."""
    world = stage.world
    visible = stage.all_visible()
    agent = {
        "name": "agent",
        "position": {"x": stage.x, "y": BODY, "z": stage.z},
        "rotation": {"x": 0.0, "y": stage.rotation, "z": 0.0},
        "cameraHorizon": stage.horizon,
        "isStanding": True,
        "inHighFrictionArea": False,
    }
    x, y, z = stage.eye
    seen = {
        "agentId": 0,
        "screenWidth": stage.width,
        "screenHeight": stage.height,
        "sceneName": world.scene.name,
        "isSceneAtRest": True,
        "depthFormat": "Meters",
        "cameraPosition": {"x": x, "y": z, "z": y},
        "cameraOrthSize": -1.0,
        "fov": stage.fov,
        "thirdPartyCameras": [],
        "collided": False,
        "collidedObjects": [],
        "inventoryObjects": (
            [{"objectId": world.held, "objectType": world.category(world.held)}]
            if world.held and not stage.has_arm
            else []
        ),
        "agent": agent,
        "heldObjectPose": None,
        "arm": _arm(stage),  # only here is told what an arm holds
        "objects": [object_of(stage, name, visible=name in visible) for name in world],
        "colors": [{"name": name, "color": list(color_of(world, name))} for name in world],
        "colorBounds": [],
        "sceneBounds": _bounds(stage),
        "currentTime": stage.world_of.robot.clock,
        **patch_of(stage, action, failure),
    }
    return {"agents": [seen], "thirdPartyCameras": [], "sequenceId": action["sequenceId"], "activeAgentId": 0}


def patch_of(stage: Stage, action: Mapping[str, Any], failure: ActionError | None) -> dict[str, Any]:
    """Return what changes in the metadata with any action."""
    return {
        "agentId": 0,
        "lastAction": action["action"],
        "lastActionSuccess": failure is None,
        "errorMessage": failure.message if failure else "",
        "errorCode": failure.code if failure else "",
        "actionReturn": stage.returned,
    }


def object_of(stage: Stage, name: str, *, visible: bool) -> dict[str, Any]:
    """Return the metadata of one object."""
    world = stage.world
    spec = world.specs[name]
    box = stage.held_boxes().get(name, world.boxes[name])
    center, size = vector(box.center), vector(box.size)
    parent = world.parents[name]
    states = world.states[name]
    x, y = stage.x - box.center[0], stage.z - box.center[1]
    return {
        "name": prefab(name, spec.category),
        "objectId": name,
        "objectType": spec.category,
        "assetId": "",
        "position": center,
        "rotation": {"x": 0.0, "y": 0.0, "z": 0.0},
        "axisAlignedBoundingBox": {"center": center, "size": size, "cornerPoints": []},
        "objectOrientedBoundingBox": None,
        "visible": visible,
        "isInteractable": visible,
        "isMoving": False,
        "isPickedUp": world.is_held(name) and not stage.has_arm,
        "distance": (x * x + y * y) ** 0.5,
        "mass": 0.0,
        "salientMaterials": None,
        "openness": 1.0 if states.get("isOpen") else 0.0,
        "temperature": world.temperature[name],
        "fillLiquid": world.fill_liquid[name] or None,
        "controlledObjects": list(spec.controls) or None,
        "parentReceptacles": None if parent in ("", GRIPPER) else [parent],
        "receptacleObjectIds": list(world.children(name)) if "receptacle" in spec.affordances else None,
        **{flag: flag in spec.affordances for flag in _FLAGS},
        **{state: states.get(state, False) for state in _STATES},
    }


def _arm(stage: Stage) -> dict[str, Any] | None:
    if stage.hand is None:
        return None
    held = [stage.world.held] if stage.world.held else []
    return {
        "joints": [],
        "heldObjects": held,
        "pickupableObjects": [],
        "touchedNotHeldObjects": [],
        "handSphereCenter": vector(stage.hand),
        "handSphereRadius": 0.06,
    }


def _bounds(stage: Stage) -> dict[str, Any]:
    low, high = stage.bounds
    center = vector(((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, 1.25))
    return {"center": center, "size": vector((high[0] - low[0], high[1] - low[1], 2.5)), "cornerPoints": []}
