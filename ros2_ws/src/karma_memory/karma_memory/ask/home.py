# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the scene graph says of things and places, now or at a time: where they are, how they are, what is with them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from karma_language.answers.evidence import Sighting
from karma_language.things import Relation, Thing, Where
from karma_language.told.habits.nouns import normal
from karma_language.told.quoting import may_be_one, same_owner
from karma_language.vocabulary import household
from karma_language.vocabulary.lexicon import called_room
from karma_language.vocabulary.states import FLOOR, STATES
from karma_language.vocabulary.word_meanings import Sort, level_in, means, speaks_of, storey
from karma_memory.ask.directions import is_so
from karma_memory.scene import Layer, Node, distance
from karma_memory.scene_graph.beliefs import Belief
from karma_memory.scene_graph.graph import SceneGraph
from karma_memory.scene_graph.long_term import record_id
from karma_memory.scene_graph.queries import path_between
from karma_memory.told.owners import ME, Owned

_LOW = 0.5
"""Metres below which what nothing holds lies on the floor."""
_LEVEL = 0.05
"""Metres between things at the same height."""
_NOBODYS: Mapping[str, Owned] = MappingProxyType({})
NEAR = 1.0
"""Metres between the middles of two things that are near each other."""


class Home:
    """One scene's graph, asked in a question's terms: as it is believed to be now, or was at a time."""

    def __init__(
        self, graph: SceneGraph, at: float | None = None, *, here: str = "", owners: Mapping[str, Owned] = _NOBODYS
    ) -> None:
        """`at`: seconds; None for now. `here`: id of the robot's room, "" where unknown. `owners`: of things, by id."""
        self._graph = graph
        self._at = at
        self._here = here
        self.owners = owners

    def category(self, name: str) -> str:
        """Return the category of a thing, by its id; of what is not known, the name itself."""
        known = self._graph.history(name)
        return known[-1].node.category or known[-1].node.name if known else name

    def floors(self) -> list[Node]:
        """Return the floors, the lowest first."""
        return sorted(self._graph.nodes(Layer.FLOOR), key=lambda floor: floor.position[2])

    def rooms(self, thing: Thing | None = None) -> list[Node]:
        """Return the rooms that are meant, by their name or kind or their floor; None means all."""
        rooms = list(self._graph.nodes(Layer.ROOM))
        thing = self.as_room(thing) if thing is not None else None
        if thing is not None and thing.floor:
            floors = [floor.id for floor in self.floors()]
            here = self.here()
            level = storey(thing.floor, len(floors), floors.index(here.parent) if here and here.parent in floors else 0)
            return [room for room in rooms if level is not None and room.parent == floors[level]]
        if thing is None or means(thing.text, Sort.ROOM):
            return rooms if thing is None or not thing.owner else []  # whose a room is, nobody can see
        if not thing.plural and (
            same := [room for room in rooms if thing.room and normal(room_name(room)) == normal(thing.text)]
        ):
            return same
        called = [room for room in rooms if thing.room and household().is_called(room_name(room), thing.room)]
        kind = household().room(thing.room)  # the bedroom, and not the guest room, which is one, too
        return called or [room for room in rooms if thing.room and (kind or thing.room) in (room.category, room.name)]

    def as_room(self, thing: Thing) -> Thing:
        """Return a thing that is called as a room is here, and nothing else: the "hall", the "workshop"."""
        name = thing.text.lower()
        if thing.room or not name or any(self._of(thing.categories)):
            return thing
        if all(room_name(room).lower() != name for room in self._graph.nodes(Layer.ROOM)):
            return thing
        return thing.model_copy(update={"room": name, "categories": (), "loosely": ()})

    def within_rooms(self, name: str, rooms: Iterable[Node]) -> bool:
        """Whether an id is one of some rooms, or of something in them."""
        ids, node = {room.id for room in rooms}, self._graph.node(name)
        return name in ids or (node is not None and self.room_id(node) in ids)

    def rooms_of(self, thing: Thing) -> list[Node]:
        """Return the rooms that are meant, or those in which things are."""
        found = (self._room(belief.node) for belief in self.current(thing)) if thing.categories else ()
        return [room for room in found if room is not None] or self.rooms(thing)

    def floors_of(self, thing: Thing) -> tuple[str, ...]:
        """Return the names of the floors on which things or rooms that are meant are, each once."""
        names = {floor.id: floor.name for floor in self.floors()}
        found = (names[room.parent] for room in self.rooms_of(thing) if room.parent in names)
        return tuple(dict.fromkeys(found)) if thing.categories or thing.room else ()

    def current(self, thing: Thing, *, loosely: bool = True) -> list[Belief]:
        """Return what is believed about the things that are meant, seen last first.

        Of several meanings the likeliest counts of which anything is known; `loosely`: what people also call so, too.
        """
        for categories in self._meanings(thing, loosely=loosely):
            found = [belief for belief in self._of(categories) if self._fits(belief.node, thing)]
            if not found and not thing.plural:
                found = self._of(filter(None, map(household().slices.get, categories)))
            if found or any(belief.valid_until is not None for belief in self._graph.beliefs({*categories})):
                return sorted(self._meant(found, thing), key=lambda one: (-one.node.last_seen, one.node.id))
        return []

    def _meant(self, found: list[Belief], thing: Thing) -> list[Belief]:
        """Return those of several that their name, a room in it ("kitchen counter") or a height ("top shelf") says."""
        if known := [one for one in found if thing.id and one.node.id == thing.id]:
            return known
        name = normal(thing.text)
        found = [one for one in found if len(name) > 1 and _called(one.node, name)] or found
        rooms = {room.id for room in self._graph.nodes(Layer.ROOM) if thing.text.startswith(f"{room_name(room)} ")}
        found = [one for one in found if self.room_id(one.node) in rooms] or found
        found = self._owned(found, thing)
        sign = {"top": 1.0, "bottom": -1.0}.get(level_in(" ".join(thing.attributes)))
        if not found or sign is None:
            return found
        best = max(sign * one.node.position[2] for one in found)
        return [one for one in found if sign * one.node.position[2] > best - _LEVEL]

    def _owned(self, found: list[Belief], thing: Thing) -> list[Belief]:
        """Return those of several that are whose the words say; where nobody told, those that are nobody else's."""
        if not thing.owner or not self.owners:
            return found
        told = [(one, self.owners.get(one.node.id)) for one in found]
        theirs = [one for one, owned in told if owned is not None and same_owner(owned.owner, thing.owner)]
        maybe = [one for one, owned in told if owned is None or may_be_one(owned.owner, thing.owner)]
        others = [one for one, owned in told if owned is not None and not owned.text and thing.owner == ME]
        return theirs or maybe or others  # to who calls it theirs, what others said is less

    def past(self, thing: Thing) -> list[Belief]:
        """Return what was believed about the things that are meant and does not hold any more, the newest first."""
        for categories in self._meanings(thing, loosely=True):
            before = math.inf if self._at is None else self._at
            beliefs = [one for one in self._graph.beliefs(categories) if one.valid_from <= before]
            ended = [belief for belief in self._meant(beliefs, thing) if belief.valid_until is not None]
            if beliefs:
                return sorted(ended, key=lambda belief: -(belief.valid_until or 0.0))
        return []

    def known(self, thing: Thing) -> bool:
        """Whether such a thing was ever seen."""
        return any(self.current(thing)) or any(self.past(thing))

    def _of(self, categories: Iterable[str]) -> list[Belief]:
        """Return what is believed about the things of some categories."""
        if self._at is not None:
            return [belief for belief in self._graph.beliefs({*categories}) if self._held(belief)]
        nodes = (node for category in categories for node in self._graph.of_category(category))
        return [belief for node in nodes if (belief := self._graph.belief(node.id)) is not None]

    def _held(self, belief: Belief) -> bool:
        """Whether something was believed at the scene's time."""
        assert self._at is not None
        return belief.valid_from <= self._at and (belief.valid_until is None or self._at < belief.valid_until)

    def _everything(self) -> Iterator[Node]:
        """Yield all things."""
        if self._at is None:
            yield from self._graph.nodes(Layer.OBJECT)
            return
        current = (self._graph.belief(node.id) for node in self._graph.nodes(Layer.OBJECT))
        ended = (belief for belief in self._graph.ended() if belief.node.layer is Layer.OBJECT)
        for belief in itertools.chain(ended, current):
            if belief is not None and self._held(belief):
                yield belief.node

    def with_state(self, flag: str, where: Where | None) -> list[Node]:
        """Return all things, or those at a place, of which a state is known."""
        nodes = self._everything() if where is None else self.with_place(where)[1]
        return [node for node in nodes if flag in node.states]

    def with_place(self, where: Where) -> tuple[list[Node], list[Node]]:
        """Return the places that are meant, and what is there."""
        meant = self.as_room(where.thing)
        if meant.floor or meant.is_room:
            rooms = self.rooms(where.thing)
            return rooms, self.inside(rooms)
        places = [belief.node for belief in self.current(where.thing)]
        if FLOOR in where.thing.categories:
            return self.rooms(), [node for node in self._everything() if node.movable and self._lies_free(node)]
        kinds = {place.category for place in places}
        basins = [one for one in where.thing.categories if any(one != kind and _of_one(one, kind) for kind in kinds)]
        places += [belief.node for belief in self._of(basins) if self._fits(belief.node, where.thing)]
        match where.relation:
            case Relation.ON | Relation.IN:
                found = self._supported(places)
            case Relation.NEAR:
                found = [node for node in self._everything() if node.movable and self._is_near(node, places)]
            case relation:
                found = [node for place in places for node in self._beside(place, relation)]
        return places, list({node.id: node for node in found}.values())

    def _lies_free(self, node: Node) -> bool:
        """Whether nothing holds a thing but the floor."""
        place = self._graph.node(node.receptacle) if node.receptacle else None
        held = node.relation == "held" or (place is not None and place.category != FLOOR)
        return not held and node.position[2] < _LOW

    def unopened(self) -> list[Node]:
        """Return the places into which nobody has looked."""
        return [node for node in self._everything() if not node.movable and not self.looked_into(node)]

    def began(self) -> float:
        """Return when a room of the scene was first seen, 0.0 for never, seconds."""
        rooms = (self._graph.history(room.id)[0].valid_from for room in self._graph.nodes(Layer.ROOM))
        return min(rooms, default=0.0)

    def here(self) -> Node | None:
        """Return the room where the robot is; None where that is not known."""
        return self._graph.node(self._here) if self._here else None

    def inside(self, rooms: Iterable[Node]) -> list[Node]:
        """Return what is in rooms."""
        ids = {room.id for room in rooms}
        ids |= {area.id for area in self._graph.nodes(Layer.AREA) if area.parent in ids}
        return [
            node
            for node in self._everything()
            if node.parent in ids or (node.parent not in self._graph and self.room_id(node) in ids)
        ]

    def _supported(self, places: Iterable[Node]) -> list[Node]:
        """Return what is on or in some things, directly."""
        ids = {place.id for place in places}
        current = [node for name in sorted(ids) for node, _ in self._graph.supported(name)]
        if self._at is None:
            return current
        then = itertools.chain(self._graph.ended(), (self._graph.belief(node.id) for node in current))
        held = (belief.node for belief in then if belief is not None and self._held(belief))
        return sorted((node for node in held if node.receptacle in ids), key=lambda node: node.id)

    def _beside(self, place: Node, relation: Relation) -> list[Node]:
        """Return what is under, above, left of, right of, behind or in front of something, near it."""
        room = self._graph.room_of(place)
        found = (node for node in self._everything() if node.id != place.id and node.receptacle != place.id)
        found = (node for node in found if node.is_placed and place.is_placed)
        return [node for node in found if self._share_room(node, place) and is_so(relation, node, place, room)]

    def _is_near(self, node: Node, places: Iterable[Node]) -> bool:
        """Whether a thing is near one of several others, and behind no wall."""
        others = (place for place in places if place.id != node.id and self._share_room(node, place))
        others = (place for place in others if node.is_placed and place.is_placed)
        return any(distance(node.position, other.position) <= NEAR for other in others)

    def _share_room(self, one: Node, other: Node) -> bool:
        """Whether two things may be in one room."""
        rooms = {self.room_id(one), self.room_id(other)} - {""}
        return len(rooms) < 2

    def within(self, nodes: Iterable[Node]) -> list[Node]:
        """Return things and what is on or in them, and so on: the bowl, and the egg in it."""
        found = {node.id: node for node in nodes}
        new = list(found.values())
        while new:
            new = [inner for inner in self._supported(new) if inner.id not in found]
            found |= {inner.id: inner for inner in new}
        return list(found.values())

    def looked_into(self, place: Node) -> bool:
        """Whether what is in a place was in view: it holds something, is open, or can't be closed."""
        if "isOpen" not in place.states:
            return True
        if self._supported([place]):
            return True
        opened = (belief for belief in self._graph.history(place.id) if belief.node.states.get("isOpen") == "true")
        return any(self._at is None or belief.valid_from <= self._at for belief in opened)

    def is_in(self, node: Node, where: Where) -> bool:
        """Whether a thing is at a place."""
        return node.id in {other.id for other in self.with_place(where)[1]}

    def sighting(self, belief: Belief) -> Sighting:
        """Return a belief as evidence."""
        node = belief.node
        place = self._graph.node(node.receptacle) if node.receptacle else None
        room = self._room(node)
        held = node.relation == "held"
        picture = self._graph.picture(belief)
        return Sighting(
            object_id=node.id,
            category=node.category or node.name,
            name=_own_name(node),
            seen=max(node.last_seen, belief.valid_from),
            since=belief.valid_from,
            owner=self.owners[node.id].owner if node.id in self.owners else "",
            until=belief.valid_until,
            place=(_own_name(place) or place.label) if place is not None else "",
            place_id=node.receptacle,
            relation="held" if held else node.relation,
            room=room_name(room) if room is not None else "",
            states={**node.states, **({"isSliced": "true"} if household().kind(node.category).whole else {})},
            record=record_id(self._graph.scene, node.id),
            image=picture.image.sha256 if picture is not None else "",
        )

    def sightings_of(self, name: str) -> tuple[Sighting, ...]:
        """Return the current belief about a thing as evidence, by its id."""
        belief = self._graph.belief(name)
        return (self.sighting(belief),) if belief is not None else ()

    def sightings(self, nodes: Iterable[Node]) -> tuple[Sighting, ...]:
        """Return the current beliefs about nodes as evidence."""
        beliefs = (
            self._graph.belief(node.id)
            if self._at is None
            else next(filter(self._held, self._graph.history(node.id)), None)
            for node in nodes
        )
        return tuple(self.sighting(belief) for belief in beliefs if belief is not None)

    def room_id(self, node: Node) -> str:
        """Return the id of a thing's room, "" where it is not known."""
        room = self._room(node)
        return room.id if room is not None else ""

    def _room(self, node: Node) -> Node | None:
        """Return the room of what holds a thing, else its own: a book is in the room of its desk."""
        place = self._graph.node(node.receptacle) if node.receptacle else None
        return self._graph.room_of(place or node)

    def way(self, origin: Node, goal: Node) -> tuple[str, ...]:
        """Return the rooms, and stairs, on the way between two rooms, both included; empty where none is known."""
        starts, goals = (
            [area.id for area in self._graph.nodes(Layer.AREA) if area.parent == room.id] for room in (origin, goal)
        )
        ways = [way for start in starts for end in goals if (way := path_between(self._graph, start, end)) is not None]
        areas = min(ways, key=lambda way: way[1])[0] if ways else []
        rooms = [room for area in areas if (room := self._graph.room_of(area)) is not None]
        names: list[str] = []
        for before, room in zip((None, *rooms), rooms, strict=False):
            climbs = before is not None and before.parent != room.parent  # to another floor
            names += ["stairs", room_name(room)] if climbs else [room_name(room)]
        return tuple(name for name, _ in itertools.groupby(names))

    def _meanings(self, thing: Thing, *, loosely: bool) -> Iterator[tuple[str, ...]]:
        """Yield the categories that a thing may be of, the likeliest first; what nobody named, by its own name."""
        pieces = tuple(filter(None, map(household().slices.get, thing.categories)))
        if pieces and ("sliced" in thing.attributes or speaks_of(thing.text, Sort.PORTION)):
            yield pieces
        if thing.categories:
            if thing.plural or not loosely:
                yield thing.categories
            else:
                yield from ((category,) for category in thing.categories)
        elif thing.text:
            called = {node.category for node in self._graph.nodes(Layer.OBJECT) if _called(node, normal(thing.text))}
            called = called or self._of_kind(normal(thing.text))
            if called:
                yield tuple(sorted(called))
        if loosely and thing.loosely:
            yield thing.loosely

    def _of_kind(self, words: tuple[str, ...]) -> set[str]:
        """Return the only category whose name ends so, none where it is not the only one: "machine", of coffee."""
        kinds = {node.category for node in self._graph.nodes(Layer.OBJECT) if _ends_so(node.category, words)}
        return kinds if len(kinds) == 1 else set()

    def _fits(self, node: Node, thing: Thing) -> bool:
        """Whether a thing is in the room, at the place and in the state that the words say."""
        if thing.room and (room := self._graph.room_of(node)) is not None and room not in self.rooms(thing):
            return False
        if thing.place is not None and not self.is_in(node, thing.place):
            return False
        said = (STATES[word] for word in thing.attributes if word in STATES)
        return all(node.states.get(flag, value) == value for flag, value, _ in said)


def _of_one(first: str, second: str) -> bool:
    """Whether two categories name parts of one piece of furniture: Sink and SinkBasin."""
    return first.startswith(second) or second.startswith(first)


def room_name(room: Node) -> str:
    """Return what people call a room: "guest room"."""
    return called_room(room.name, room.category)


def _own_name(node: Node) -> str:
    """Return what people call a thing by more than its kind: "red mug", "iPhone 15 charger"; "" for nothing more."""
    own = " " in node.name and normal(node.name) != normal(node.category)
    return node.name if own else ""


def _ends_so(category: str, words: tuple[str, ...]) -> bool:
    return bool(words) and normal(category)[-len(words) :] == words


def _called(node: Node, words: tuple[str, ...]) -> bool:
    """Whether a thing is called so: by its category's or its own name, one or several."""
    return words in {normal(name) for name in (node.category, node.name) if name}
