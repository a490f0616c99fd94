# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A MEMENTO house as the planner's robot: its rooms side by side on a map, its skills those of the bridge's table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from karma_eval.household.skills import skill_table
from karma_eval.memento.house import House, Result
from karma_language.arranging.places import kind
from karma_language.vocabulary.lexicon import Lexicon
from planner_node.skills import Code, Node, Outcome, Point, SkillCall, SkillTable
from planner_node.understand.looks import DESCRIBED
from planner_node.world import LOOKS

OFFERED = ("Explore", "GoToObject", "PickupObject", "PutObject", "OpenObject", "CloseObject", "DescribeObject")
"""The skills that MEMENTO's robot has (appendix C.1), by their names in the bridge's table."""
_WIDTH = 20.0
"""Metres from room to room. The data does not say what stands where in a room: all of it is in the middle."""
FLOOR = "Floor"
_PLAIN = frozenset(
    ("kitchen", "hallway", "porch", "garage", "office", "closet", "entryway", "outdoor", "lounge", "bath", "bed")
)
"""Rooms that nobody calls a room."""


class HouseRobot:
    """Carries out skills in a house. Everything in a room that was explored is seen; each skill takes a second."""

    def __init__(self, house: House, lexicon: Lexicon, watch: Callable[[], None], began: float) -> None:
        """`watch` is called after every skill; `began`: seconds on the robot's clock."""
        self._house = house
        self._lexicon = lexicon
        self._watch = watch
        self._tag = f"@{began:.0f}"
        self.clock = began
        self._rooms = list(house.rooms)
        self._where: dict[str, Point] = {
            name: (number * _WIDTH + 1.0, 0.0, 0.5)
            for number, names in enumerate(house.rooms.values())
            for name in names
        }
        self._here = next(iter(self._where.values()))

    def skills(self) -> SkillTable:
        """Return the skills as the bridge advertises them."""
        table = skill_table()
        offered = [table[name] for name in OFFERED]
        return SkillTable(
            [replace(s, effects=(*s.effects, DESCRIBED)) if s.name == "DescribeObject" else s for s in offered]
        )

    def map(self) -> list[Node]:
        """Return what is known of the house beforehand: rooms, a place to look from in each, and furniture."""
        nodes = []
        for number, (room, names) in enumerate(self._house.rooms.items()):
            size = (_WIDTH - 1.0, _WIDTH - 1.0, 2.5)
            middle = (number * _WIDTH + 1.0, 0.0, 1.0)
            nodes.append(Node(room, room_kind(room, self._lexicon), "room", room_names(room)[0], "", middle, size))
            nodes.append(Node(f"area {room}", "Area", "area", parent=room, position=middle))
            nodes += [self._furniture(name, room) for name in names]
        return nodes

    def execute(self, call: SkillCall, on_feedback: Callable[[str], None], cancelled: Callable[[], bool]) -> Outcome:
        """Run one skill; see planner_node.skills.Robot."""
        on_feedback(str(call))
        code, message, seen = getattr(self, f"_{call.skill}")(call)
        self.clock += 1.0
        steps = int(call.skill == "Explore")
        self._watch()
        return Outcome(call, code, message, tuple(seen), steps, 1.0, 0.0, self.clock, self._here)

    # skills

    def _Explore(self, call: SkillCall) -> tuple[Code, str, Sequence[Node]]:  # noqa: N802 - the skill's name
        rooms = [self._rooms[int(x // _WIDTH)] for x, _, _ in call.positions] or self._rooms
        seen: list[Node] = []
        for room in rooms:
            self._house.explore(room)
            self._here = self._where[self._house.rooms[room][0]]
            here = self._seen(room)
            seen += here
            wanted = call.target
            if wanted and any(one.id == wanted.id if wanted.id else one.category == wanted.category for one in here):
                return Code.SUCCESS, "", seen
        return (Code.NOT_FOUND, f"no {call.target} is in view", seen) if call.target else (Code.SUCCESS, "", seen)

    def _GoToObject(self, call: SkillCall) -> tuple[Code, str, Sequence[Node]]:  # noqa: N802
        name = self._name(call.target.id)
        done = self._house.navigate(name)
        code, message, seen = self._ended(done, name, Code.NOT_FOUND)
        self._here = next((one.position for one in seen if one.position is not None), self._here)
        return code, message, seen

    def _DescribeObject(self, call: SkillCall) -> tuple[Code, str, Sequence[Node]]:  # noqa: N802
        name = self._name(call.target.id)
        told = self._house.describe(name)
        code, message, seen = self._ended(told, name, Code.NOT_FOUND)
        return code, message, [replace(one, states={**one.states, LOOKS: told.message}) for one in seen]

    def _PickupObject(self, call: SkillCall) -> tuple[Code, str, Sequence[Node]]:  # noqa: N802
        name = self._name(call.target.id)
        return self._ended(self._house.pick(name), name)

    def _OpenObject(self, call: SkillCall) -> tuple[Code, str, Sequence[Node]]:  # noqa: N802
        return self._ended(self._house.open(call.target.id), call.target.id)

    def _CloseObject(self, call: SkillCall) -> tuple[Code, str, Sequence[Node]]:  # noqa: N802
        return self._ended(self._house.close(call.target.id), call.target.id)

    def _PutObject(self, call: SkillCall) -> tuple[Code, str, Sequence[Node]]:  # noqa: N802
        held, place, beside = self._house.held, self._name(call.receptacle.id), ""
        if not held:
            return Code.PRECONDITION_FAILURE, "nothing is held", ()
        there = next((one.furniture for one in self._house.seen() if one.name == place), "")
        if there:
            place, beside = there, place
        elif call.relation == "near":
            room = next(room for room, names in self._house.rooms.items() if place in names)
            beside, place = place, next(name for name in self._house.rooms[room] if name.startswith("floor_"))
        inside = call.relation == "in" and not place.startswith("floor_")
        if beside and self._house.is_within(beside):
            inside = True
        done = self._house.place(held, "within" if inside else "on", place, beside)
        return self._ended(done, held)

    # what is seen

    def _ended(
        self, result: Result, name: str, failed: Code = Code.EXECUTION_FAILURE
    ) -> tuple[Code, str, Sequence[Node]]:
        nodes = [self._node(name)] if result.done else []
        return (Code.SUCCESS if result.done else failed), result.message, nodes

    def _seen(self, room: str) -> list[Node]:
        return [self._node(one.name) for one in self._house.seen() if one.room == room]

    def _node(self, name: str) -> Node:
        one = next((one for one in self._house.seen() if one.name == name), None)
        if one is None:
            room = next(room for room, names in self._house.rooms.items() if name in names)
            return self._furniture(name, room)
        held = name == self._house.held
        return Node(
            name + self._tag,
            label(one.category, self._lexicon),
            parent="" if held else one.room,
            position=self._here if held else self._where[one.furniture],
            size=(0.1, 0.1, 0.1),
            movable=True,
            receptacle=one.furniture,
            relation="held" if held else "on",
            last_seen=self.clock,
        )

    def _furniture(self, name: str, room: str) -> Node:
        floor = name.startswith("floor_")
        category = FLOOR if floor else label(kind(name), self._lexicon)
        states = {"isOpen": "true" if self._house.is_open(name) else "false"}
        return Node(
            name, category, parent=room, position=self._where[name], size=(1.0, 1.0, 1.0), states=states,
            last_seen=self.clock,
        )  # fmt: skip

    def _name(self, node: str) -> str:
        return node.removesuffix(self._tag)


def label(name: str, lexicon: Lexicon) -> str:
    """Return a kind of thing in the form of the household's categories: "PencilCase" for "pencil_case"."""
    camel = "".join(word.capitalize() for word in name.split("_"))
    words = name.replace("_", " ")
    noun = lexicon.noun(words)
    best = noun.categories[0] if noun is not None and not noun.generic else ""
    return best if best and words == lexicon.kind(best).noun else camel


def room_names(room: str) -> tuple[str, ...]:
    """Return what people call a room, likeliest first: "tv room" and "tv" for "tv_1"."""
    words = kind(room).replace("_", " ")
    joined = words.removesuffix("room").strip()
    several = words.endswith(" room") or joined in _PLAIN
    names = (words, f"{joined}room", f"{joined} room") if several else (f"{joined} room", words, f"{joined}room")
    return tuple(dict.fromkeys(names))


def room_kind(room: str, lexicon: Lexicon) -> str:
    """Return the kind of a room in the vocabulary's terms, its own name where that has none."""
    words = kind(room).replace("_", " ")
    return lexicon.room(words) or lexicon.room(f"{words} room") or words
