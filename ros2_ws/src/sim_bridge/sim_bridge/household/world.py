# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The state of a scene's objects: where each is, what holds it, and how it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sim_bridge.backend import SeenObject
from sim_bridge.household.boxes import moved
from sim_bridge.household.furnishing import resting_heights
from sim_bridge.household.model import Box, ObjectSpec, ObjectState, Scene
from sim_bridge.simulation.categories import LIDLESS, relation_of

GRIPPER = "gripper"
"""Where a held object is, in place of a receptacle's id."""


class World:
    """Objects of a scene, mutable.

    Every object has exactly one place: the gripper, a receptacle, or (parent "") where it was recorded without one.
    Moving a receptacle moves what is in it. Every change raises `version`.
    """

    def __init__(self, scene: Scene) -> None:
        """Begin as the scene was recorded."""
        self.scene = scene
        self.version = 0
        self.rests = resting_heights(scene)
        """Heights in metres above the bottoms of furniture at which things rest on it; 0 where none are known."""
        self.specs: dict[str, ObjectSpec] = {}
        self.boxes: dict[str, Box] = {}
        self.parents: dict[str, str] = {}
        self.states: dict[str, dict[str, bool]] = {}
        self.temperature: dict[str, str] = {}
        self.fill_liquid: dict[str, str] = {}
        self.washed: set[str] = set()
        """Ids of what was under running water, heated and cooled are likewise what an appliance did it to."""
        self.heated: set[str] = set()
        self.cooled: set[str] = set()
        self.gone: set[str] = set()
        """Ids of what no longer exists, because it was sliced or cracked."""
        self.held = ""
        self._children: dict[str, dict[str, None]] = {}
        for spec in scene.objects:
            self.add(spec)
        for spec in scene.objects:
            for controlled in spec.controls:
                if controlled in self.specs:
                    self.states[controlled]["isToggled"] = spec.states.get("isToggled", False)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the ids of the objects that exist."""
        return iter(self.specs)

    def add(self, spec: ObjectSpec) -> None:
        """Let an object come into being."""
        self.specs[spec.id] = spec
        self.boxes[spec.id] = spec.box
        self.states[spec.id] = dict(spec.states)
        self.temperature[spec.id] = spec.temperature
        self.fill_liquid[spec.id] = spec.fill_liquid
        self.parents[spec.id] = spec.parent
        self._children.setdefault(spec.parent, {})[spec.id] = None
        self.version += 1

    def remove(self, name: str) -> None:
        """Let an object cease to be; what it held stays where it was, on what held it."""
        parent = self.parents.pop(name)
        del self._children[parent][name]
        for child in self.children(name):
            self.parents[child] = parent
            self._children[parent][child] = None
        for table in (self.specs, self.boxes, self.states, self.temperature, self.fill_liquid):
            del table[name]
        self._children.pop(name, None)
        self.gone.add(name)
        self.version += 1

    def category(self, name: str) -> str:
        """Return the type of an object."""
        return self.specs[name].category

    def can(self, name: str, affordance: str) -> bool:
        """Whether an object has one of AI2-THOR's affordances."""
        return affordance in self.specs[name].affordances

    def is_(self, name: str, state: str) -> bool:
        """Whether a state such as isOpen holds; False where it does not apply."""
        return self.states[name].get(state, False)

    def set_state(self, name: str, state: str, value: bool) -> None:
        """Set one of AI2-THOR's states."""
        self.states[name][state] = value
        self.version += 1

    def set_temperature(self, name: str, value: str) -> None:
        """Set the temperature: RoomTemp, Hot or Cold."""
        if self.temperature[name] != value:
            self.temperature[name] = value
            self.version += 1

    def fill(self, name: str, liquid: str) -> None:
        """Fill an object with "water", "coffee" or "wine"."""
        self.fill_liquid[name] = liquid
        self.set_state(name, "isFilledWithLiquid", True)

    def empty(self, name: str) -> None:
        """Spill what an object is filled with."""
        self.fill_liquid[name] = ""
        self.set_state(name, "isFilledWithLiquid", False)

    def can_be_filled(self, name: str) -> bool:
        """Whether an object takes a liquid now: a whole and empty vessel."""
        full, broken = (self.is_(name, s) for s in ("isFilledWithLiquid", "isBroken"))
        return self.can(name, "canFillWithLiquid") and not full and not broken

    def children(self, name: str) -> tuple[str, ...]:
        """Return what rests directly on or in a receptacle, in the order in which it came there."""
        return tuple(self._children.get(name, ()))

    def contents(self, name: str) -> tuple[str, ...]:
        """Return what rests on or in it, and on or in that, and so on."""
        found = []
        for child in self.children(name):
            found.append(child)
            found.extend(self.contents(child))
        return tuple(found)

    def ancestors(self, name: str) -> Iterator[str]:
        """Yield the receptacles that hold an object, the nearest first."""
        parent = self.parents[name]
        while parent and parent != GRIPPER:
            yield parent
            parent = self.parents[parent]

    def closed_around(self, name: str) -> str:
        """Return the outermost closed receptacle that hides an object, or an empty string."""
        hiding = [a for a in self.ancestors(name) if self.hides(a)]
        return hiding[-1] if hiding else ""

    def hides(self, receptacle: str) -> bool:
        """Whether it hides what it holds, because it is closed."""
        spec = self.specs[receptacle]
        closable = "openable" in spec.affordances and "receptacle" in spec.affordances and spec.category not in LIDLESS
        return closable and not self.is_(receptacle, "isOpen")

    def is_held(self, name: str) -> bool:
        """Whether an object is in the gripper, itself or with what it rests on."""
        if not self.held:
            return False
        return name == self.held or self.held in self.ancestors(name)

    def hold(self, name: str) -> None:
        """Put an object into the gripper."""
        if self.held:
            raise ValueError(f"the gripper already holds {self.held}")
        self._reparent(name, GRIPPER)
        self.held = name

    def place(self, name: str, receptacle: str, box: Box) -> None:
        """Put an object, with what it holds, on or in a receptacle, so that it fills `box`."""
        if name == receptacle or receptacle in self.contents(name):
            raise ValueError(f"{name} can't be put into itself")
        self.move(name, box)
        self._reparent(name, receptacle)
        if self.held == name:
            self.held = ""

    def move(self, name: str, box: Box) -> None:
        """Move an object to where it fills `box`; what it holds moves along."""
        old = self.boxes[name]
        shift = [box.center[a] - old.center[a] for a in (0, 1, 2)]
        for inside in self.contents(name):
            self.boxes[inside] = moved(self.boxes[inside], shift)
        self.boxes[name] = box
        self.version += 1

    def _reparent(self, name: str, parent: str) -> None:
        del self._children[self.parents[name]][name]
        self.parents[name] = parent
        self._children.setdefault(parent, {})[name] = None
        self.version += 1

    def solids(self, name: str) -> tuple[Box, ...]:
        """Return what an object fills: several boxes where furniture was carved."""
        return self.scene.carved.get(name) or (self.boxes[name],)

    def spec_now(self, name: str) -> ObjectSpec:
        """Return an object as it is now, as a specification for another."""
        return replace(self.specs[name], box=self.boxes[name], parent=self.parents[name])

    def visible_states(self, name: str) -> dict[str, str]:
        """Return the states that apply, as text: {"isOpen": "true", "temperature": "Hot"}."""
        shown = {k: "true" if v else "false" for k, v in self.states[name].items()}
        if self.fill_liquid[name]:
            shown["fillLiquid"] = self.fill_liquid[name]
        spec = self.specs[name]
        if spec.movable or self.temperature[name] != "RoomTemp":
            shown["temperature"] = self.temperature[name]
        return shown

    def describe(self, name: str) -> SeenObject:
        """Return an object as one who sees it would report it."""
        spec, box = self.specs[name], self.boxes[name]
        parent = self.parents[name]
        held = parent == GRIPPER
        return SeenObject(
            id=name,
            category=spec.category,
            center=box.center,
            size=box.size,
            movable=spec.movable,
            states=self.visible_states(name),
            receptacle="" if held else parent,
            relation="held" if held else relation_of(self.specs[parent].category) if parent else "",
        )

    def object_state(self, name: str) -> ObjectState:
        """Return an object as a renderer needs it; one in the gripper is where it was picked up."""
        spec = self.specs[name]
        return ObjectState(
            id=name,
            category=spec.category,
            boxes=self.solids(name),
            yaw=spec.yaw,
            states=self.visible_states(name),
            visible=not self.closed_around(name),
            held=self.is_held(name),
            movable=spec.movable,
        )

    def of_category(self, category: str) -> list[str]:
        """Return the ids of the objects of a type; upper and lower case are the same."""
        wanted = category.casefold()
        return [n for n, s in self.specs.items() if s.category.casefold() == wanted]
