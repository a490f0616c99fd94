# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A home to live in: a recorded one, with some of its furniture and things, and more of some kinds."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from dataclasses import dataclass, field, replace

from karma_language.vocabulary import household
from karma_language.vocabulary.words import each
from karma_memory import Edge, Layer, Node, Relation
from karma_memory.scene import Point
from sim_bridge.household.homes import home_names, load_home
from sim_bridge.household.model import ObjectSpec
from sim_bridge.simulation.categories import SLICES

THINGS = 40
"""Movable things of a home, copies not counted."""
SEVERAL = (("Cup", "Mug", "Plate", "Bowl"), ("Book", "Pillow", "Apple", "Potato"))
"""Dishes and other things; of two kinds of each there are up to three."""
_REPEATED = ("Cabinet", "Drawer", "Shelf", "Chair", "ArmChair")
"""Furniture of which a room may have two."""
_NOT_ASKED = each("Floor Window Blinds LightSwitch StoveKnob Painting Mirror HousePlant Sink Bathtub")
"""Structure, what is switched by something else, and what is told of as another part of it."""
_SEEN_STATES = ("isOpen", "isToggled", "isDirty", "isBroken", "isFilledWithLiquid", "isSliced")


@dataclass
class Thing:
    """A piece of furniture or a movable thing, as it really is."""

    id: str
    category: str
    room: str
    """"" once it has left the home: eaten, taken along, cut up."""
    movable: bool
    place: str = ""
    """Id of what it is on or in; "" for furniture."""
    relation: str = ""
    position: Point = (0.0, 0.0, 0.0)
    size: Point = (0.0, 0.0, 0.0)
    holds: bool = False
    """Whether things can be put on or into it."""
    states: dict[str, str] = field(default_factory=dict)

    @property
    def closed(self) -> bool:
        """Whether nobody can see what is in it."""
        return self.states.get("isOpen") == "false"

    @property
    def hides(self) -> bool:
        """Whether it can be closed."""
        return "isOpen" in self.states

    @property
    def hollow(self) -> bool:
        """Whether things are in it, and it can't be closed."""
        return not self.hides and household().kind(self.category).relation == "in"

    @property
    def preposition(self) -> str:
        """How things are with it, and people say it: in what can be closed or is hollow, else on it."""
        return "in" if self.hides or self.hollow else "on"

    @property
    def noun(self) -> str:
        """What people call it."""
        return household().kind(self.category).noun

    @property
    def sliceable(self) -> bool:
        """Whether it can be cut into slices; an egg is cracked."""
        return household().slices.get(self.category, "").endswith("Sliced")

    def usual(self, surfaces: list[Thing]) -> list[Thing]:
        """Return where such things usually are, of the places that there are; all, where none is."""
        kinds = household().kind(self.category).places
        return [one for one in surfaces if one.category in kinds] or surfaces

    def node(self, stamp: float) -> Node:
        """Return it as perception reports it."""
        return Node(self.id, Layer.OBJECT, self.category, parent=area(self.room), position=self.position,
                    size=self.size, movable=self.movable, receptacle=self.place, relation=self.relation,
                    states=dict(self.states), last_seen=stamp)  # fmt: skip


@dataclass
class Home:
    """Rooms and what is in them."""

    name: str
    rooms: dict[str, Node]
    things: dict[str, Thing]
    edges: tuple[Edge, ...] = ()
    floors: tuple[Node, ...] = ()
    """The lowest first."""

    @property
    def kinds(self) -> dict[str, str]:
        """Names of the rooms → their kinds."""
        return {name: room.category for name, room in self.rooms.items()}

    def on_floor(self, level: int) -> list[str]:
        """Return the names of the rooms on a floor, counted from the lowest."""
        return [name for name, room in self.rooms.items() if room.parent == self.floors[level].id]

    def inside(self, place: str) -> list[Thing]:
        """Return what is on or in something."""
        return [thing for thing in self.things.values() if thing.place == place]

    def visible(self, room: str) -> list[Thing]:
        """Return what can be seen in a room."""
        return [thing for thing in self.things.values() if thing.room == room and not self.hidden(thing)]

    def hidden(self, thing: Thing) -> bool:
        """Whether it is in something that is closed."""
        return thing.place in self.things and thing.relation == "in" and self.things[thing.place].closed

    def put(self, thing: Thing, place: Thing) -> None:
        """Put a thing somewhere."""
        thing.place, thing.relation, thing.room = place.id, place.preposition, place.room
        x, y, z = place.position
        thing.position = (x, y, z + place.size[2] / 2)

    def leave(self, thing: Thing) -> None:
        """Let a thing leave the home."""
        thing.place = thing.relation = thing.room = ""

    def cut(self, whole: Thing) -> list[Thing]:
        """Let a thing become slices, and return those."""
        category = household().slices[whole.category]
        names = [f"{whole.id}|{category}_{number}" for number in range(SLICES[whole.category])]
        pieces = [replace(whole, id=name, category=category, states={}) for name in names]
        self.things |= {piece.id: piece for piece in pieces}
        self.leave(whole)
        return pieces

    def nodes(self, room: str, stamp: float) -> tuple[Node, ...]:
        """Return a room with its floor and area, as they are seen."""
        one = self.rooms[room]
        at = Node(area(room), Layer.AREA, "Area", area(room), parent=room, position=one.position, last_seen=stamp)
        floor = next(floor for floor in self.floors if floor.id == one.parent)
        return tuple(replace(node, last_seen=stamp) for node in (floor, one, at))


def area(room: str) -> str:
    """Return the id of a room's area."""
    return f"area {room}"


def plain(room: str) -> str:
    """Return what a room is called: "guest room"."""
    return room.replace("_", " ")


def make_home(number: int, rng: random.Random) -> Home:
    """Return a home: the recorded ones in turn, each with other things."""
    names = home_names()
    scene = load_home(names[number % len(names)])
    height = scene.storey_height
    rooms = {}
    for room in scene.rooms:
        (left, front), (right, back) = room.low, room.high
        rooms[room.name] = Node(
            room.name, Layer.ROOM, room.kind, room.name, parent=f"floor_{room.storey}",
            position=((left + right) / 2, (front + back) / 2, room.storey * height),
            size=(right - left, back - front, 2.5),
        )  # fmt: skip
    floors = tuple(
        Node(f"floor_{at}", Layer.FLOOR, "Floor", f"floor {at}", position=(0.0, 0.0, at * height))
        for at in sorted({room.storey for room in scene.rooms})
    )
    edges = tuple(Edge(Relation.REACHABLE, area(a), area(b), 4.0) for a, b in itertools.pairwise(rooms))
    home = Home(f"{scene.name}-{number}", rooms, {}, edges, floors)
    things = [_thing(one) for one in scene.objects
              if one.category not in _NOT_ASKED and not one.category.startswith("Shower")]  # fmt: skip
    count = Counter[tuple[str, str]]()
    for thing in things:
        count[thing.room, thing.category] += 1
        if not thing.movable and count[thing.room, thing.category] <= 1 + (thing.category in _REPEATED):
            home.things[thing.id] = thing
    surfaces = [one for one in home.things.values() if one.holds]

    def settle(thing: Thing) -> None:
        """Put a thing where it was recorded, or else where such things usually are."""
        place = home.things.get(thing.place)
        home.things[thing.id] = thing
        home.put(thing, place if place is not None and place.holds else rng.choice(thing.usual(surfaces)))

    movable = [one for one in things if one.movable]
    rng.shuffle(movable)
    for thing in movable[:THINGS]:
        settle(thing)
    for kind in (one for kinds in SEVERAL for one in rng.sample(kinds, 2)):
        for thing in [one for one in movable if one.category == kind][:1]:
            for copy in range(rng.randrange(1, 3)):
                settle(replace(thing, id=f"{thing.id}|{copy + 2}", place="", states=dict(thing.states)))
    for thing in home.things.values():
        if "isToggled" in thing.states:
            thing.states["isToggled"] = rng.choice(("true", "false"))
        if thing.movable and "isDirty" in thing.states:
            thing.states["isDirty"] = rng.choice(("true", "false"))
    return home


def _thing(spec: ObjectSpec) -> Thing:
    movable = "pickupable" in spec.affordances
    states = {name: str(value).lower() for name, value in spec.states.items() if name in _SEEN_STATES}
    return Thing(spec.id, spec.category, spec.room, movable, spec.parent if movable else "",
                 position=spec.box.center, size=spec.box.size, states=states,
                 holds="receptacle" in spec.affordances and not movable)  # fmt: skip
