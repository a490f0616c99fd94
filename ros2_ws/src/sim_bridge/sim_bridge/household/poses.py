# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A scene with its things put elsewhere, as a recorded task wants them: ALFRED's object poses.

As AI2-THOR does it: everything that can be carried is taken away, then each pose puts a copy of its object there. What
it rests on or in is not told; it is found from the boxes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from sim_bridge.backend import Point
from sim_bridge.household.basins import shallow
from sim_bridge.household.model import Box, ObjectSpec, Scene
from sim_bridge.household.recorded import recording
from sim_bridge.simulation.categories import ACCEPTS_ONLY, HANGING, LIDLESS, SURFACE

_ALIASES = {"Glassbottle": "Bottle"}
"""Names of prefabs that are not the type's."""

_BELOW = 0.12
"""Metres by which a thing's bottom may be above or below what it rests on."""


_EDGE = 0.1
"""Metres by which a thing's middle may be off the furniture below."""

_HANGING = 0.15
"""Metres that a towel may be before or below its holder."""


@dataclass(frozen=True)
class ObjectPose:
    """Where a thing of some type is to be: its pivot in metres, map frame, and its yaw in radians."""

    category: str
    position: Point
    yaw: float


def thor_pose(name: str, position: Mapping[str, float], rotation: Mapping[str, float]) -> ObjectPose:
    """Return a pose given in AI2-THOR's coordinates: {"x", "y", "z"} in metres and degrees.

    `name` is the prefab's ("Mug_1a2b3c"); KeyError or TypeError when a coordinate is missing or no number.
    """
    category = name.partition("_")[0]
    x, y, z = (float(position[a]) for a in "xyz")
    yaw = math.remainder(math.pi / 2 - math.radians(float(rotation["y"])), math.tau)
    return ObjectPose(_ALIASES.get(category, category), (x, z, y), yaw)


def posed(
    scene: Scene, poses: Iterable[ObjectPose], *, toggles: Mapping[str, bool] | None = None, dirty: bool = False
) -> Scene:
    """Return the scene of one room with its things where the poses say.

    `toggles` switches every object of a type on or off; `dirty` makes dirty what can be. A type that the room does not
    have is a ValueError: how large it is isn't known.
    """
    # Poses are meant for the room as it was recorded, with deep basins and nothing brought within reach.
    recorded = {o.id: o.box for o in recording(scene.rooms[0].floor_plan).objects if o.category != "Floor"}
    objects = [replace(o, box=recorded.get(o.id, o.box)) for o in scene.objects]
    furniture = [_prepared(o, toggles or {}, dirty) for o in objects if not o.movable]
    models: dict[str, ObjectSpec] = {}
    for o in objects:
        if o.movable:
            models.setdefault(o.category, o)
    things: list[ObjectSpec] = []
    taken = {o.id for o in furniture}
    for pose in poses:
        model = models.get(pose.category)
        if model is None:
            raise ValueError(f"{scene.name} has no {pose.category} to put at {pose.position}")
        thing = _copy(_prepared(model, toggles or {}, dirty), pose, taken)
        taken.add(thing.id)
        things.append(thing)
    everything = [*furniture, *things]
    settled = [replace(t, parent=holder(t, everything)) for t in things]
    return replace(scene, objects=shallow([*furniture, *_without_cycles(settled)]))


def holder(thing: ObjectSpec, objects: Iterable[ObjectSpec]) -> str:
    """Return the id of what a thing rests on or in, or hangs from, judged by the boxes; empty for nothing."""
    others = [o for o in objects if o.id != thing.id]
    fits = [(o, miss) for o in others if (miss := _miss(thing, o)) is not None]

    def rank(fit: tuple[ObjectSpec, float]) -> tuple[bool, bool, float, float]:
        o, miss = fit
        return miss > _BELOW, o.category == "Floor", math.prod(o.box.size), miss

    return min(fits, key=rank)[0].id if fits else _next_below(thing, others)


def _next_below(thing: ObjectSpec, objects: Iterable[ObjectSpec]) -> str:
    """Return the id of the furniture with the highest top underneath a thing; empty for none."""
    x, y, _ = thing.box.center
    under = [
        o
        for o in objects
        if "receptacle" in o.affordances
        and not o.movable
        and ("openable" not in o.affordances or o.category in LIDLESS)
        and o.category not in ACCEPTS_ONLY
        and o.box.low[0] - _EDGE <= x <= o.box.high[0] + _EDGE
        and o.box.low[1] - _EDGE <= y <= o.box.high[1] + _EDGE
        and o.box.low[2] <= thing.box.center[2]
    ]
    return max(under, key=lambda o: (min(o.box.high[2], thing.box.low[2]), o.id)).id if under else ""


def _miss(thing: ObjectSpec, o: ObjectSpec) -> float | None:
    """Return by how many metres a thing misses the height at which things rest in a receptacle; None when outside."""
    if "receptacle" not in o.affordances:
        return None
    (x, y, middle), bottom, low, high = thing.box.center, thing.box.low[2], o.box.low, o.box.high
    margin = _HANGING if o.category in HANGING else 0.0
    if not all(low[a] - margin <= v <= high[a] + margin for a, v in ((0, x), (1, y))):
        return None
    if o.category in HANGING:
        hangs = (
            thing.category in ACCEPTS_ONLY[o.category] and thing.box.low[2] <= high[2] <= thing.box.high[2] + _HANGING
        )
        return 0.0 if hangs else None
    if o.category in ACCEPTS_ONLY and thing.category not in ACCEPTS_ONLY[o.category]:
        return None
    if o.movable and math.prod(o.box.size[:2]) < math.prod(thing.box.size[:2]):
        return None
    if "openable" in o.affordances and o.category not in LIDLESS:
        return 0.0 if low[2] <= middle <= high[2] else None
    if not low[2] - _BELOW <= bottom <= high[2] + _BELOW:
        return None
    miss = min(abs(bottom - low[2] - f * (high[2] - low[2])) for f in SURFACE.get(o.category, (1.0,)))
    return None if o.category == "Chair" and miss > _BELOW else miss


def _prepared(spec: ObjectSpec, toggles: Mapping[str, bool], dirty: bool) -> ObjectSpec:
    states = dict(spec.states)
    if "isToggled" in states and spec.category in toggles:
        states["isToggled"] = toggles[spec.category]
    if dirty and "isDirty" in states:
        states["isDirty"] = True
    return replace(spec, states=states)


def _copy(model: ObjectSpec, pose: ObjectPose, taken: set[str]) -> ObjectSpec:
    pivot = _pivot(model)
    offset = [c - p for c, p in zip(model.box.center, pivot, strict=True)]
    dx, dy, sx, sy = offset[0], offset[1], model.box.size[0], model.box.size[1]
    quarter = round((pose.yaw - model.yaw) / (math.pi / 2)) % 4
    for _ in range(quarter):
        dx, dy, sx, sy = -dy, dx, sy, sx
    x, y, z = pose.position
    name = f"{model.category}|{x:+06.2f}|{z:+06.2f}|{y:+06.2f}"
    unique = next(n for k in range(len(taken) + 1) if (n := name if not k else f"{name}|{k}") not in taken)
    box = Box((x + dx, y + dy, z + offset[2]), (sx, sy, model.box.size[2]))
    return replace(model, id=unique, box=box, yaw=pose.yaw, parent="", temperature="RoomTemp")


def _pivot(spec: ObjectSpec) -> Point:
    """Return a recorded object's pivot: AI2-THOR's ids carry it, to the centimetre, as x, up, forward."""
    try:
        x, up, forward = (float(v) for v in spec.id.rpartition("/")[2].split("|")[1:4])
    except ValueError:
        return spec.box.center
    return x, forward, up


def _without_cycles(things: list[ObjectSpec]) -> list[ObjectSpec]:
    parents = {t.id: t.parent for t in things}
    for name in parents:
        way = [name]
        while parents.get(way[-1], "") in parents:
            way.append(parents[way[-1]])
            if way[-1] in way[:-1]:
                parents[way[-1]] = ""
                break
    return [replace(t, parent=parents[t.id]) for t in things]
