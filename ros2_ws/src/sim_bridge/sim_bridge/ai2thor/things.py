# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The objects of a scene, read from an event's metadata."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sim_bridge.ai2thor.coordinates import Vector, to_map
from sim_bridge.backend import SeenObject
from sim_bridge.household.model import Box
from sim_bridge.simulation.categories import LIDLESS, STATE_OF, relation_of

_TOUCH = 0.1
"""Metres by which the bottom of a thing may be above or below what holds it."""


@dataclass(frozen=True)
class Thing(Box):
    """An object as AI2-THOR's metadata tells it, and its box; metres, map frame."""

    id: str
    category: str
    pickupable: bool
    receptacle: bool
    openable: bool
    visible: bool
    """Whether it is in view, within the range that the controller was given."""
    held: bool
    states: Mapping[str, str]
    holders: tuple[str, ...]
    """Every receptacle that AI2-THOR says it is in or on."""
    controls: tuple[str, ...] = ()
    """What it switches: a stove knob's burner."""

    @property
    def shut(self) -> bool:
        """Whether it hides what is in it."""
        closable = self.openable and self.receptacle and self.category not in LIDLESS
        return closable and self.states["isOpen"] == "false"

    def away(self, x: float, y: float) -> float:
        """Return the horizontal distance in metres from a point to the box."""
        low, high = self.low, self.high
        return math.hypot(max(low[0] - x, 0.0, x - high[0]), max(low[1] - y, 0.0, y - high[1]))


def ground_of(objects: Iterable[Mapping[str, Any]]) -> float:
    """Return the height of the floor, metres above AI2-THOR's zero; 0 in a scene without one."""
    floors = [o["axisAlignedBoundingBox"] for o in objects if o["objectType"] == "Floor"]
    return max((float(b["center"]["y"] + b["size"]["y"] / 2) for b in floors), default=0.0)


def things_in(objects: Iterable[Mapping[str, Any]], ground: float, in_arm: Collection[str] = ()) -> dict[str, Thing]:
    """Return the objects of an event's metadata by id; of what ManipulaTHOR's arm holds (`in_arm`), only that tells."""
    things = {o["objectId"]: _thing(o, ground, o["objectId"] in in_arm) for o in objects}
    for thing in list(things.values()):
        for name in thing.controls:
            if name in things:  # AI2-THOR tells of the knob alone whether it is on
                burner = things[name]
                states = {**burner.states, "isToggled": thing.states.get("isToggled", "false")}
                things[name] = replace(burner, states=states)
    return things


def _thing(o: Mapping[str, Any], ground: float, in_arm: bool) -> Thing:
    # What is held, and a few things in some scenes, have no axis-aligned box.
    box = o.get("axisAlignedBoundingBox") or {}
    size: Vector = box.get("size") or {"x": 0.0, "y": 0.0, "z": 0.0}
    states = {state: str(bool(o[state])).lower() for flag, state in STATE_OF.items() if o[flag]}
    if o.get("fillLiquid"):
        states["fillLiquid"] = o["fillLiquid"]
    if o["pickupable"] or o["temperature"] != "RoomTemp":
        states["temperature"] = o["temperature"]
    return Thing(
        id=o["objectId"],
        category=o["objectType"],
        center=to_map(box.get("center") or o["position"], ground),
        size=(float(size["x"]), float(size["z"]), float(size["y"])),
        pickupable=o["pickupable"],
        receptacle=o["receptacle"],
        openable=o["openable"],
        visible=o["visible"],
        held=o["isPickedUp"] or in_arm,
        states=states,
        holders=tuple(o["parentReceptacles"] or ()),
        controls=tuple(o["controlledObjects"] or ()),
    )


def holder_of(thing: Thing, things: Mapping[str, Thing]) -> Thing | None:
    """Return what a thing is in or on; None for nothing, and for what is held.

    AI2-THOR lists everything that touches it: the floor below a sofa, the chair under a table, a cupboard beside a
    fridge.
    """
    if thing.held:
        return None
    found = [things[name] for name in thing.holders if name in things and name != thing.id]
    if not thing.pickupable:
        found = [holder for holder in found if not holder.openable]

    def rank(holder: Thing) -> tuple[bool, bool, bool, float]:
        beside = not holder.low[2] - _TOUCH <= thing.low[2] <= holder.high[2] + _TOUCH
        return holder.category == "Floor", beside, holder.category == "Chair", math.prod(holder.size)

    return min(found, key=rank, default=None)


def shut_around(thing: Thing, things: Mapping[str, Thing]) -> Thing | None:
    """Return the outermost closed receptacle around a thing."""
    outermost, passed = None, {thing.id}
    holder = holder_of(thing, things)
    while holder is not None and holder.id not in passed:
        passed.add(holder.id)
        if holder.shut:
            outermost = holder
        holder = holder_of(holder, things)
    return outermost


def described(thing: Thing, things: Mapping[str, Thing]) -> SeenObject:
    """Return a thing as one who sees it would report it."""
    holder = holder_of(thing, things)
    relation = "held" if thing.held else relation_of(holder.category) if holder else ""
    return SeenObject(
        id=thing.id,
        category=thing.category,
        center=thing.center,
        size=thing.size,
        movable=thing.pickupable,
        states=thing.states,
        receptacle=holder.id if holder else "",
        relation=relation,
    )
