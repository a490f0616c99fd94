# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the planner believes of the world: remembered, or seen by the skills of this instruction."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from karma_language.vocabulary.lexicon import Lexicon, called_room
from planner_node.skills import Node, Outcome, Point
from planner_node.understand.expectations import Expectation

LOOKS = "looks"
"""State of a node that says in words what the object looks like, where a robot can tell."""
SEEN = "seen"
"""`Belief.source` of what a skill of this instruction has shown."""

WATER_REACH = 1.0
"""Metres, horizontally, between a tap and the middle of the basin below it."""

_SAME = 0.3
"""Metres between two sightings of one object under different ids."""

_FADES = {"temperature": 900.0, "washed": 4 * 3600.0}
"""Seconds after which a state that is remembered is not believed any more: what was heated is cold again, what was
washed may have been used."""

_DEEPEST = 5
"""Receptacles in one another that are looked through: what was misremembered may be in itself."""

_BASINS = ("SinkBasin", "Sink", "BathtubBasin", "Bathtub")
_LIDLESS = frozenset({"Toilet", "Laptop", "Book", "Kettle", "Blinds", "ShowerDoor", "ShowerCurtain"})


@dataclass(frozen=True)
class Belief:
    """An object as the planner believes it to be."""

    node: Node
    source: str
    """SEEN, or the kind of memory it comes from."""
    recollection: str = ""
    """Id of the recollection it rests on, if it does."""

    @property
    def id(self) -> str:
        """Scene-graph id."""
        return self.node.id


class World:
    """Objects, rooms and areas, and what is in the gripper."""

    def __init__(self, lexicon: Lexicon) -> None:
        """Begin knowing nothing."""
        self._lexicon = lexicon
        self._beliefs: dict[str, Belief] = {}
        self._refuted: set[tuple[str, Point | None]] = set()
        self.rooms: dict[str, Node] = {}
        self.areas: dict[str, Node] = {}
        self.held = ""
        """Id of the object in the gripper."""
        self.at = ""
        """Id of the object that the robot drove to last."""
        self.position: Point | None = None
        """Of the robot, as far as that can be told from where it drove."""
        self.clock = 0.0
        """Stamp of the newest outcome, seconds."""
        self.changed: dict[str, None] = {}
        """Ids of the objects that the last outcome showed or changed, in order."""
        self.expected: dict[str, Expectation] = {}
        """What a thing is called → where memory says that it probably is."""
        self.taken_from: dict[str, tuple[str, str]] = {}
        """Id of what was taken → id of what it was in or on when it was taken first, "" where that is not known, and
        "on", "in" or "near"."""
        self.gone: dict[str, None] = {}
        """Ids of the objects that the last outcome did away with: what was sliced."""

    def __iter__(self) -> Iterator[Belief]:
        return iter(list(self._beliefs.values()))

    def get(self, node_id: str) -> Belief | None:
        """Return what is believed of one object."""
        return self._beliefs.get(node_id)

    def of(self, categories: Iterable[str]) -> list[Belief]:
        """Return the objects of these categories."""
        wanted = set(categories)
        return [b for b in self._beliefs.values() if b.node.category in wanted]

    def contents(self, receptacle: str) -> list[Belief]:
        """Return what is believed to be on or in a receptacle."""
        return [b for b in self._beliefs.values() if b.node.receptacle == receptacle and b.node.relation != "held"]

    def believe(self, node: Node, source: str, recollection: str = "") -> None:
        """Take over what a memory says, unless something has been seen since."""
        if node.layer == "room":
            self.rooms[node.id] = node
        elif node.layer == "area":
            self.areas[node.id] = node
        elif node.layer == "object":
            known = self._beliefs.get(node.id)
            if (node.id, node.position) in self._refuted:
                return
            if known is not None and (known.source == SEEN or known.node.last_seen > node.last_seen):
                return
            states = node.states if known is None else {**known.node.states, **node.states}
            age = self.clock - node.last_seen
            lasting = {name: value for name, value in states.items() if age <= _FADES.get(name, math.inf)}
            self._beliefs[node.id] = Belief(replace(node, states=lasting), source, recollection)

    def forget(self, node_id: str) -> None:
        """Drop a belief that turned out to be wrong; the memory is not believed again that the object is there."""
        belief = self._beliefs.pop(node_id, None)
        if belief is not None:
            self._refuted.add((node_id, belief.node.position))

    def category_of(self, node_id: str) -> str:
        """Return what kind of thing an object is, "" for one that is not known."""
        belief = self._beliefs.get(node_id)
        return belief.node.category if belief is not None else ""

    def has_known(self, node_id: str) -> bool:
        """Whether an object is known, or was until it was not where it was believed to be."""
        return node_id in self._beliefs or any(name == node_id for name, _ in self._refuted)

    def remembered_held(self) -> str:
        """Return the id of what memory has last seen in the gripper, empty when that is nothing."""
        held = [b.node for b in self._beliefs.values() if b.node.relation == "held"]
        return max(held, key=lambda node: node.last_seen).id if held else ""

    def is_open(self, node_id: str) -> bool | None:
        """Whether something is open; None when that is not known."""
        return self._flag(node_id, "isOpen")

    def is_on(self, node_id: str) -> bool | None:
        """Whether something is switched on; None when that is not known."""
        return self._flag(node_id, "isToggled")

    def hides(self, node_id: str) -> bool:
        """Whether a receptacle may hide what it holds: it can be closed, and is not known to be open."""
        belief = self._beliefs.get(node_id)
        if belief is None or belief.node.category in _LIDLESS:
            return False
        category = belief.node.category
        return self._lexicon.can(category, "open") and self._lexicon.can(category, "hold") and not self.is_open(node_id)

    def around(self, node_id: str) -> Iterator[str]:
        """Yield the receptacles that hold an object, the nearest first, a few at most."""
        belief = self._beliefs.get(node_id)
        for _ in range(_DEEPEST):
            if belief is None or not belief.node.receptacle:
                return
            yield belief.node.receptacle
            belief = self._beliefs.get(belief.node.receptacle)

    def closed_around(self, node_id: str) -> str:
        """Return the receptacle that hides an object, the outermost of several, or an empty string."""
        hiding = [holder for holder in self.around(node_id) if self.hides(holder)]
        return hiding[-1] if hiding else ""

    def has(self, node_id: str, state: str) -> bool:
        """Whether an object is known to be clean, dirty, hot, cold, sliced, filled, open, on or broken.

        What merely does not look dirty does not count as clean: only what was washed does.
        """
        belief = self._beliefs.get(node_id)
        if belief is None:
            return False
        node, states = belief.node, belief.node.states
        if state == "clean":
            return states.get("washed") == "true"
        if state == "sliced":
            return node.category in self._lexicon.slices.values() or states.get("isSliced") == "true"
        key, value = {
            "dirty": ("isDirty", "true"),
            "hot": ("temperature", "Hot"),
            "cold": ("temperature", "Cold"),
            "filled": ("isFilledWithLiquid", "true"),
            "open": ("isOpen", "true"),
            "on": ("isToggled", "true"),
            "broken": ("isBroken", "true"),
        }[state]
        return states.get(key) == value

    def room_of(self, node: Node) -> Node | None:
        """Return the room that a node is in, as far as that is known."""
        parent, depth = node.parent, 0
        while parent and depth < 4:
            if parent in self.rooms:
                return self.rooms[parent]
            parent, depth = self.areas[parent].parent if parent in self.areas else "", depth + 1
        if (named := self.rooms.get(node.id.partition("/")[0])) is not None:
            return named
        return next((room for room in self.rooms.values() if _inside(node.position, room)), None)

    def room_name(self, node: Node) -> str:
        """Return what the room is called that a node is in, empty when that is not known."""
        if (room := self.room_of(node)) is not None:
            return _room_name(room)
        name = node.id.partition("/")[0].rstrip("0123456789_").replace("_", " ")
        return name if "/" in node.id and self._lexicon.room(name) else ""  # a home's ids begin with their room

    def room_kind(self, node: Node) -> str:
        """Return the kind of room that a node is in, empty when that is not known."""
        room = self.room_of(node)
        return room.category if room is not None and room.category else self._lexicon.room(self.room_name(node))

    def rooms_called(self, name: str) -> list[Node]:
        """Return the rooms that are called so, or else those of the kind that the name is for."""
        called = [room for room in self.rooms.values() if self._lexicon.is_called(_room_name(room), name)]
        return called or [room for room in self.rooms.values() if room.category == self._lexicon.room(name)]

    def is_in(self, node: Node, name: str) -> bool | None:
        """Whether a node is in a room that is called so, or, without one, of that kind; None where nothing tells."""
        own, kind, is_called = self.room_name(node), self.room_kind(node), self._lexicon.is_called
        if is_called(own, name):
            return True
        called = any(is_called(_room_name(room), name) for room in self.rooms.values())
        return not called and kind == self._lexicon.room(name) if kind else None

    def distance(self, node: Node) -> float:
        """Return the distance in metres from the robot, straight; 0 when either position is unknown."""
        if self.position is None or node.position is None:
            return 0.0
        return math.dist(self.position, node.position)

    def apply(self, outcome: Outcome) -> None:
        """Take over what a skill has shown and done."""
        self.changed = {}
        self.gone = {}
        self.clock = max(self.clock, outcome.stamp)
        if outcome.ok and outcome.call.skill in ("PickupObject", "Pick"):
            target = outcome.call.target.id or (outcome.seen[0].id if outcome.seen else "")
            known = self._beliefs.get(target)
            self.taken_from.setdefault(target, (known.node.receptacle, known.node.relation) if known else ("", ""))
        for node in outcome.seen:
            self._see(node, outcome.stamp)
        if outcome.ok:
            self._effects(outcome)
        held = [node.id for node in outcome.seen if node.relation == "held" and node.layer == "object"]
        if held:
            self.held = held[0]

    def _see(self, node: Node, stamp: float) -> None:
        if node.layer != "object":
            self.believe(node, SEEN)
            return
        known = self._beliefs.get(node.id)
        if known is None and node.position is not None:
            known = self._same_under_other_id(node)
        states = dict(node.states)
        if known is not None:
            before = dict(known.node.states)
            if known.id != node.id:
                before.pop(LOOKS, None)  # what stands where another stood may be another
            states = {**before, **states}
            if states.get("isDirty") == "true":
                states.pop("washed", None)
        parent = node.parent or self._parent_of(node, known)
        if known is not None and known.id != node.id:
            del self._beliefs[known.id]
        seen = replace(node, states=states, parent=parent, last_seen=stamp or node.last_seen)
        self._beliefs[node.id] = Belief(seen, SEEN, known.recollection if known else "")
        self.changed[node.id] = None

    def _parent_of(self, node: Node, known: Belief | None) -> str:
        """Return where an object is of which a skill tells no area: where what holds it is, or where it was."""
        if node.receptacle in self._beliefs:
            return self._beliefs[node.receptacle].node.parent
        stays = known is not None and across(known.node.position, node.position) < _SAME and node.relation != "held"
        return known.node.parent if known is not None and stays else ""

    def _same_under_other_id(self, node: Node) -> Belief | None:
        """Return the remembered object that is this one: another source of ids may have named it."""
        assert node.position is not None
        for belief in self.of((node.category,)):
            position = belief.node.position
            if belief.source != SEEN and position is not None and math.dist(position, node.position) < _SAME:
                return belief
        return None

    def _effects(self, outcome: Outcome) -> None:
        call = outcome.call
        first = outcome.seen[0].id if outcome.seen else ""
        target = call.target.id or first
        if call.skill == "GoToObject":
            self.at = outcome.reached
        elif call.skill in ("Pick", "Place"):
            self.at = first or call.target.id
        elif call.skill in ("Explore", "Navigate", "ThrowObject"):
            self.at = ""
        if call.skill in ("GoToObject", "Navigate"):
            belief = self._beliefs.get(self.at)
            self.position = (belief.node.position if belief else None) or call.target.position or self.position
        if call.skill in ("PickupObject", "Pick"):
            self.held = target
            self._change(target, receptacle="", relation="held", parent="")
        elif call.skill in ("PutObject", "Place"):
            self._put(call.receptacle.id, call.relation)
        elif call.skill == "ThrowObject":
            self._change(self.held, receptacle="", relation="")
            self.held = ""
        elif call.skill in ("OpenObject", "CloseObject"):
            self._state(target, isOpen="true" if call.skill == "OpenObject" else "false")
        elif call.skill in ("ToggleOn", "SwitchOn", "ToggleOff", "SwitchOff"):
            self._switched(target, call.skill.endswith("On"))
        elif call.skill == "SliceObject":
            self._state(self.held, washed="false")  # what has cut something is to be washed again
            self._divided(target, outcome)
        elif call.skill == "BreakObject":
            if any(node.id != target for node in outcome.seen):
                self._divided(target, outcome)
            else:
                self._state(target, isBroken="true")

    def _put(self, receptacle: str, relation: str) -> None:
        held, self.held = self.held, ""
        belief, holder = self._beliefs.get(held), self._beliefs.get(receptacle)
        if belief is None:
            return
        if belief.node.relation == "held":  # the skill did not show where it is now
            where = holder.node.receptacle if holder and relation == "near" else receptacle
            kind = self._beliefs[where].node.category if where in self._beliefs else ""
            self._change(
                held,
                receptacle=where,
                relation=self._lexicon.kind(kind).relation if kind else "",
                position=holder.node.position if holder else None,
                parent=holder.node.parent if holder else "",
            )
        where = self._beliefs[held].node.receptacle
        if where in self._beliefs and self._beliefs[where].node.category == "Fridge":
            self._state(held, temperature="Cold")

    def _switched(self, target: str, on: bool) -> None:
        self._state(target, isToggled="true" if on else "false")
        belief = self._beliefs.get(target)
        if not on or belief is None:
            return
        if belief.node.category in ("Microwave", "Toaster"):
            for inside in self.contents(target):
                cooked = {"isCooked": "true"} if "isCooked" in inside.node.states else {}  # known of what can be cooked
                self._state(inside.id, temperature="Hot", **cooked)
        elif belief.node.category in ("Faucet", "ShowerHead"):
            for basin in self.of(_BASINS):
                if across(basin.node.position, belief.node.position) <= WATER_REACH:
                    for inside in self.contents(basin.id):
                        self._wash(inside)

    def _wash(self, belief: Belief) -> None:
        self._state(belief.id, isDirty="false", washed="true")
        if self._lexicon.can(belief.node.category, "fill"):
            self._state(belief.id, isFilledWithLiquid="true")

    def _divided(self, target: str, outcome: Outcome) -> None:
        """Let the pieces take the place and the washed state of the whole."""
        whole = self._beliefs.pop(target, None)
        self.changed.pop(target, None)
        self.gone[target] = None
        for node in outcome.seen:
            if whole is not None and node.id in self._beliefs and whole.node.states.get("washed") == "true":
                self._state(node.id, washed="true", isDirty="false")

    def _state(self, node_id: str, **states: str) -> None:
        if (belief := self._beliefs.get(node_id)) is not None:
            self._change(node_id, states={**belief.node.states, **states})

    def _change(self, node_id: str, **fields: object) -> None:
        belief = self._beliefs.get(node_id)
        if belief is not None:
            node = replace(belief.node, **fields)  # type: ignore[arg-type]
            self._beliefs[node_id] = replace(belief, node=node)
            self.changed[node_id] = None

    def _flag(self, node_id: str, key: str) -> bool | None:
        belief = self._beliefs.get(node_id)
        value = belief.node.states.get(key) if belief else None
        return None if value is None else value == "true"


def across(a: Point | None, b: Point | None) -> float:
    """Return the horizontal distance of two points in metres; infinite when either is unknown."""
    return math.inf if a is None or b is None else math.hypot(a[0] - b[0], a[1] - b[1])


def _room_name(room: Node) -> str:
    return called_room(room.name, room.category)


def _inside(point: Point | None, room: Node) -> bool:
    if point is None or room.position is None or not all(room.size[:2]):
        return False
    flat = all(abs(point[a] - room.position[a]) <= room.size[a] / 2 + 0.1 for a in (0, 1))
    return flat and abs(point[2] - room.position[2]) <= max(room.size[2], 2.5)
