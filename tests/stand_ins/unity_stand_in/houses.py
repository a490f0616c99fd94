# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Homes of the household simulator, told as ProcTHOR tells houses."""

from __future__ import annotations

from typing import Any

from sim_bridge.household.scenes import load_scene
from unity_stand_in.stage import BODY


def house_of(home: str) -> dict[str, Any]:
    """Return a home of one storey as a house; what is in it only the stand-in knows, by the home's name."""
    scene = load_scene(home)
    rooms = []
    for number, room in enumerate(scene.rooms):
        (x0, y0), (x1, y1) = room.low, room.high
        corners = ((x0, y0), (x0, y1), (x1, y1), (x1, y0))
        outline = [{"x": x, "y": 0.0, "z": y} for x, y in corners]
        rooms.append({"id": f"room|{number}", "roomType": room.kind, "floorPolygon": outline})
    x, y = (0.25 * i for i in scene.start[:2])
    position, rotation = {"x": x, "y": BODY, "z": y}, {"x": 0, "y": 90, "z": 0}
    pose = {"position": position, "rotation": rotation, "horizon": 30, "standing": True}
    return {
        "rooms": rooms,
        "metadata": {"agent": pose, "household": home, "schema": "1.0.0"},
        "objects": [],
        "walls": [],
    }
