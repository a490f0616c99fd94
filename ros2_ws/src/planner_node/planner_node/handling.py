# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The building blocks of plans: go to, look for, take, put, open, switch.

Each is a generator that yields steps and is sent their outcomes, so that what comes next depends on what happened.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import TypeVar

from planner_node.ground import Grounding
from planner_node.search import is_likely, is_mapped, likely_closed, likely_open, ordered_areas, usually_inside
from planner_node.skills import Code, Node, Outcome, Point, SkillCall, SkillTable, Target
from planner_node.understand.goals import ObjectRef
from planner_node.vocabulary.lexicon import Lexicon, split_camel
from planner_node.world import SEEN, Belief, World

_T = TypeVar("_T")

_SURFACES = (
    *("CounterTop", "DiningTable", "CoffeeTable", "SideTable", "Desk", "Dresser", "TVStand", "Shelf"),
    *("Bed", "Sofa", "ArmChair", "Floor"),
)
_HOLDS = re.compile(r"the gripper holds (?P<id>.+?): ")
"""How sim_bridge refuses to take a second thing."""
_MOST_DESTINATIONS = 12
_MOST_SURFACES = 8
_MOST_UNLIKELY = 6
"""Closed receptacles of other kinds that are looked into for one thing, after the likely ones."""
_FEW = 2
"""So many closed receptacles of the likeliest kind are looked into before looking around: a fridge, no cabinets."""


@dataclass(frozen=True)
class Step:
    """A skill to be run now, and in one sentence why."""

    call: SkillCall
    text: str


Steps = Generator[Step, Outcome, _T]


_Tried = set[tuple[str, Point | None]]
"""Objects, and where each was believed to be, that were gone to in vain."""


def _where(belief: Belief) -> tuple[str, Point | None]:
    return belief.id, belief.node.position


class GoalFailed(Exception):  # noqa: N818 - an outcome, not a defect
    """A goal can't be reached; the message says why, for a person."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Handling:
    """Plans for single objects. `ask_memory` is called with the name of a thing before it is looked for."""

    def __init__(
        self, world: World, lexicon: Lexicon, table: SkillTable, grounding: Grounding, ask_memory: Callable[[str], None]
    ) -> None:
        self.world = world
        self.lexicon = lexicon
        self.table = table
        self.grounding = grounding
        self._ask_memory = ask_memory
        self._asked: set[str] = set()
        self._explored: set[tuple[str, ...]] = set()
        self._searched: dict[str, None] = {}
        """Receptacles and furniture that were looked on or in, in order."""
        self._unlikely: Counter[str] = Counter()
        """Closed receptacles looked into though such things seldom are there, by what was looked for."""
        self._opened: dict[str, None] = {}
        self._left = ""
        """Where the object picked up last was."""
        self.notes: list[str] = []
        """What a person should know about how a goal was reached."""
        self.looked_into = 0
        """Receptacles opened to look inside: they count as exploration steps."""

    def feel_gripper(self) -> Steps[None]:
        """Make sure that what was held last still is: people take things from robots.

        A planner that was started since then knows of it from memory, which it does not believe unseen.
        """
        if "DescribeObject" not in self.table:
            return
        held = self.world.held or self.world.remembered_held()
        if held:
            yield from self._feel(held, "see whether I still hold what I held")

    def _feel(self, held: str, why: str) -> Steps[None]:
        """Look whether the gripper holds an object."""
        outcome = yield Step(SkillCall("DescribeObject", Target(held)), why)
        self.world.held = held if any(n.id == held and n.relation == "held" for n in outcome.seen) else ""

    def _finds_gripper_full(self, refused: Outcome) -> Steps[bool]:
        """Whether a skill was refused because of something in the gripper that was not known to be there."""
        found = _HOLDS.search(refused.message)
        if refused.code is not Code.PRECONDITION_FAILURE or found is None or self.world.held:
            return False
        if "DescribeObject" in self.table:
            yield from self._feel(found["id"], "see what I hold")
        else:
            self.world.held = found["id"]
        return bool(self.world.held)

    # Finding

    def reach(self, ref: ObjectRef, index: int = 0, avoid: frozenset[str] = frozenset()) -> Steps[str]:
        """Bring the robot to where the object can be handled; return its id, chosen for good.

        GoalFailed when it is not found.
        """
        tried: _Tried = set()
        last = ""
        if ref.place is not None and not self._known_there(ref, index):
            yield from self._look_in(ref, lambda: self._known_there(ref, index))
        while True:
            for belief in self.grounding.candidates(ref, index):
                if belief.id in avoid or _where(belief) in tried or self.world.get(belief.id) is None:
                    continue
                if belief.id == self.world.held:
                    self.grounding.bind(ref, index, belief.id)
                    return belief.id
                tried.add(_where(belief))
                name, last = yield from self._approach(belief, last)
                if name and name not in avoid:
                    self._say_which(ref, index, name)
                    self.grounding.bind(ref, index, name)
                    return name
            found = yield from self._look_for(ref, index, tried, avoid)
            if not found and ref.loosely and not self.world.of(ref.categories):
                self.notes.append(f"I found no {ref.noun}, so I took what is also called that.")
                ref = replace(ref, categories=ref.loosely, loosely=())
            elif not found:
                room = split_camel(ref.room)
                where = f" in the {room}" if room not in ref.noun else ""
                hint = f" Last: {last}" if last else ""
                raise GoalFailed(Code.NOT_FOUND, f"I found no {ref.noun}{where}. {self._what_was_searched(ref)}{hint}")

    def _known_there(self, ref: ObjectRef, index: int) -> bool:
        """Whether what is meant is chosen, or is known where it is said to be."""
        assert ref.place is not None
        there = [b for b in self.grounding.candidates(ref, index)[:1] if self.grounding.is_at(b.id, ref.place)]
        return bool(there or self.grounding.bound(ref, index))

    def _what_was_searched(self, ref: ObjectRef) -> str:
        count = Counter(self._noun_of(name) for name in self._searched)
        nouns = [noun if number == 1 else f"{noun} ({number})" for noun, number in count.items()]
        places = f" and looked on or in: {', '.join(nouns)}" if nouns else ""
        shut = len(self._closed(ref))
        left = f" I left {shut} closed places shut where such things seldom are." if nouns and shut else ""
        return f"I looked around{places}.{left}"

    def _say_which(self, ref: ObjectRef, index: int, name: str) -> None:
        """Note which one was taken where a person spoke of one piece of furniture and there are several."""
        category = self._category(name)
        if ref.place is not None and not self.grounding.bound(ref, index) and not self.grounding.is_at(name, ref.place):
            self.notes.append(f"I can't tell that the {ref.noun} I took is the one at the {ref.place.noun}.")
        told_apart = ref.place is not None or ref.id or self.grounding.bound(ref, index)
        if not ref.definite or ref.count != 1 or told_apart or self.lexicon.can(category, "pickup"):
            return
        alike = [b for b in self.grounding.candidates(ref, index) if b.node.category == category]
        if len(alike) > 1:
            noun = self.lexicon.kind(category).noun
            self.notes.append(f"There is more than one {noun}, {len(alike)} that I know of: I took the nearest.")

    def _approach(self, belief: Belief, last: str) -> Steps[tuple[str, str]]:
        """Go to where an object is believed to be.

        Returns its id, empty when it is not there, and the last complaint.
        """
        closed = self.world.closed_around(belief.id)
        if closed:
            yield from self.open(closed)
            now = self.world.get(belief.id)
            if now is None or now.source != SEEN:
                self.world.forget(belief.id)
                return "", f"the {self._noun(belief.node)} is not in {closed} any more"
            return belief.id, last
        if self.world.at and self.world.at in (belief.id, belief.node.receptacle) and belief.source == SEEN:
            small = self.world.at == belief.id or self.lexicon.can(self._category(belief.node.receptacle), "open")
            if small:
                return belief.id, last
        outcome = yield self._go_to(belief.node)
        if outcome.ok:
            name = outcome.seen[0].id if outcome.seen else belief.id
            if name != belief.id and belief.source != SEEN:
                self.world.forget(belief.id)
            return name, last
        if outcome.code is Code.NOT_FOUND:
            self.world.forget(belief.id)
        elif outcome.code is Code.PRECONDITION_FAILURE:
            name = yield from self._uncover(belief)
            if name:
                return name, last
        return "", outcome.message

    def _uncover(self, belief: Belief) -> Steps[str]:
        """Open what is closed where an object is remembered, when nothing said that it is inside."""
        position = belief.node.position
        for holder in self.world:
            size, centre = holder.node.size, holder.node.position
            if position is None or centre is None or not self.world.hides(holder.id) or holder.id in self._searched:
                continue
            if all(abs(position[a] - centre[a]) <= size[a] / 2 + 0.15 for a in (0, 1, 2)):
                yield from self.open(holder.id)
                self._searched[holder.id] = None
                now = self.world.get(belief.id)
                if now is not None and now.source == SEEN:
                    return belief.id
        return ""

    def _go_to(self, node: Node) -> Step:
        call = SkillCall("GoToObject", Target(node.id, node.category, node.position))
        return Step(call, f"go to the {self._noun(node)}")

    def _look_for(self, ref: ObjectRef, index: int, tried: _Tried, avoid: frozenset[str]) -> Steps[bool]:
        """Ask memory, explore, open what is closed; return whether there is a new candidate."""
        categories = self.grounding.categories(ref)

        def new() -> bool:
            found = self.grounding.candidates(ref, index)
            return any(b.id not in avoid and _where(b) not in tried for b in found)

        if ref.noun not in self._asked:
            self._asked.add(ref.noun)
            self._ask_memory(ref.noun)
            if new():
                return True
        if ref.place is not None and (yield from self._look_in(ref, new)):
            return True
        if (yield from self._look_inside(ref, new, self._worth_opening_first(ref, tried))):
            return True
        useless = avoid | self.grounding.all_bound() | {name for name, _ in tried}
        areas = tuple(ordered_areas(self.world, self.lexicon, ref.categories, ref.room))
        portable = any(self.lexicon.can(c, "pickup") for c in ref.categories)
        mapped = is_mapped(self.world, self.lexicon, ref.categories)
        for last in (False, True):  # the areas known so far may not be all there is
            places = () if last and not ref.room else areas
            known = self.world.of(categories)
            others = any(b.id in useless or not self.grounding.in_room(b.node, ref) for b in known)
            if (yield from self._explore(ref, new, places, others)):
                return True
            if portable and (mapped or last):
                if (yield from self._look_inside(ref, new, self._worth_opening(ref))):
                    return True
                if (yield from self._look_closely(ref, new)):
                    return True
        return False

    def _worth_opening_first(self, ref: ObjectRef, tried: _Tried) -> list[Belief]:
        """Return the closed receptacles to look into before looking around.

        Those where the thing usually is, when they are few, as the one fridge is. And, where the room that the thing
        usually is in was explored before, every likely one: in the open it would have been seen.
        """
        if ref.place is not None:
            return []
        closed = self._closed(ref)
        first = [b for b in closed if b.node.category in usually_inside(self.lexicon, ref.categories)]
        if not tried and is_mapped(self.world, self.lexicon, ref.categories):
            return [b for b in closed if is_likely(self.world, self.lexicon, b, ref.categories)]
        return first if len(first) <= _FEW else []

    def _closed(self, ref: ObjectRef) -> list[Belief]:
        """Return the closed receptacles in which the thing may be, likeliest first."""
        closed = likely_closed(self.world, self.lexicon, self.grounding.categories(ref), self._searched)
        return [b for b in closed if self.grounding.in_room(b.node, ref)]

    def _worth_opening(self, ref: ObjectRef) -> list[Belief]:
        """Return the closed receptacles where the thing usually is, and a few of the others."""
        closed = self._closed(ref)
        likely = [b for b in closed if is_likely(self.world, self.lexicon, b, self.grounding.categories(ref))]
        others = [b for b in closed if b not in likely][: _MOST_UNLIKELY - self._unlikely[ref.noun]]
        self._unlikely[ref.noun] += len(others)
        return [*likely, *others]

    def _look_inside(self, ref: ObjectRef, new: Callable[[], bool], closed: list[Belief]) -> Steps[bool]:
        for belief in closed:
            yield from self._peek(belief.id, ref)
            if new():
                return True
        return False

    def _look_closely(self, ref: ObjectRef, new: Callable[[], bool]) -> Steps[bool]:
        """Go to the furniture that such things usually are on: what is behind something else is not seen from afar."""
        for belief in likely_open(self.world, self.lexicon, self.grounding.categories(ref), self._searched):
            if not self.grounding.in_room(belief.node, ref):
                continue
            self._searched[belief.id] = None
            yield self._go_to(belief.node)
            if new():
                return True
        return False

    def _look_in(self, ref: ObjectRef, new: Callable[[], bool]) -> Steps[bool]:
        """Look where the object is said to be."""
        assert ref.place is not None
        for belief in self.grounding.candidates(ref.place):
            if belief.id in self._searched:
                continue
            self._searched[belief.id] = None
            if self.world.hides(belief.id):
                yield from self._peek(belief.id, ref)
            else:
                yield self._go_to(belief.node)
            if new():
                return True
        return False

    def _explore(self, ref: ObjectRef, new: Callable[[], bool], places: tuple[Point, ...], others: bool) -> Steps[bool]:
        """Look around from these places, or from everywhere when there are none, once for each thing.

        When `others` are known that will not do, the first in view is nothing new: then everything is looked at.
        """
        key = (*ref.categories, ref.room, "others" if others else "", "areas" if places else "")
        if key in self._explored:
            return False
        self._explored.add(key)
        category = "" if others else self.grounding.categories(ref)[0]
        outcome = yield Step(
            SkillCall("Explore", Target(category=category), positions=places), f"look for the {ref.noun}"
        )
        if outcome.code not in (Code.SUCCESS, Code.NOT_FOUND):
            raise GoalFailed(outcome.code, f"Looking for the {ref.noun} failed: {outcome.message}")
        return new()  # whatever is visible was seen on the way, not only the first meaning of the word

    def _peek(self, receptacle: str, ref: ObjectRef) -> Steps[None]:
        """Open a receptacle to look inside; close it again when what is looked for is not there."""
        self._searched[receptacle] = None
        belief = self.world.get(receptacle)
        if belief is None:
            return
        try:
            yield from self.open(receptacle, f"look for the {ref.noun} in the {self._noun(belief.node)}")
        except GoalFailed:
            return  # one that can't be opened is not worth more than a try
        self.looked_into += 1
        if not any(b.node.receptacle == receptacle for b in self.grounding.candidates(ref)):
            yield from self.close_again(receptacle)

    # Handling

    def take(self, ref: ObjectRef, index: int = 0) -> Steps[str]:
        """Get an object into the gripper; return its id."""
        held = self.world.held
        if held and held == self.grounding.bound(ref, index):
            return held
        if held and not self.grounding.bound(ref, index):
            best = self.grounding.candidates(ref, index)
            if best and best[0].id == held:
                self.grounding.bind(ref, index, held)
                return held
        yield from self.empty_hand()
        avoid: set[str] = set()
        complaint = ""
        for _ in range(4):
            try:
                name = yield from self.reach(ref, index, frozenset(avoid))
            except GoalFailed as failure:
                if complaint:
                    raise GoalFailed(Code.EXECUTION_FAILURE, complaint) from failure
                raise
            outcome = yield self._pick_up(name)
            if (yield from self._finds_gripper_full(outcome)):
                return (yield from self.take(ref, index))
            if outcome.code is Code.PRECONDITION_FAILURE or outcome.code is Code.NOT_FOUND:
                belief = self.world.get(name)
                if belief is not None:  # in view, yet not in reach: drive to it and not to what holds it
                    self.world.at = ""
                    outcome = yield self._go_to(belief.node)
                    if outcome.ok:
                        outcome = yield self._pick_up(name)
            if outcome.ok:
                yield from self.close_again(self._opened_around(outcome))
                return name
            complaint = outcome.message
            avoid.add(name)
        raise GoalFailed(Code.EXECUTION_FAILURE, f"I can't pick up the {ref.noun}: {complaint}")

    def _pick_up(self, name: str) -> Step:
        belief = self.world.get(name)
        node = belief.node if belief else Node(name, "")
        self._left = node.receptacle
        return Step(SkillCall("PickupObject", Target(name, node.category)), f"pick up the {self._noun(node)}")

    def _opened_around(self, outcome: Outcome) -> str:
        return self._left if self._left in self._opened else ""

    def put(self, ref: ObjectRef, relation: str = "", avoid: frozenset[str] = frozenset()) -> Steps[str]:
        """Put what is held on or in what `ref` means; return the receptacle's id.

        Tries others when one does not take it.
        """
        held = self.world.held
        refused = set(avoid) | {held}
        complaint = ""
        for _ in range(_MOST_DESTINATIONS):
            try:
                name = yield from self.reach(ref, 0, frozenset(refused))
            except GoalFailed as failure:
                if complaint:
                    raise GoalFailed(
                        Code.EXECUTION_FAILURE, f"The {ref.noun} does not take it: {complaint}"
                    ) from failure
                raise
            outcome = yield from self._put_at(name, relation)
            if outcome.ok:
                yield from self.close_again(name)
                return name
            complaint = outcome.message
            refused.add(name)
            yield from self.close_again(name)
            if outcome.code not in (Code.PRECONDITION_FAILURE, Code.NOT_FOUND, Code.EXECUTION_FAILURE):
                raise GoalFailed(outcome.code, complaint)
        raise GoalFailed(Code.EXECUTION_FAILURE, f"I can't put it on or in the {ref.noun}: {complaint}")

    def _put_at(self, name: str, relation: str) -> Steps[Outcome]:
        if relation != "near" and self.world.hides(name):
            try:
                yield from self.open(name)
            except GoalFailed as failure:
                return Outcome(SkillCall("OpenObject", Target(name)), failure.code, failure.message)
        category = self._category(name)
        if category == "Microwave" and self.world.is_on(name):
            yield from self.switch(name, on=False)
        held = self.world.get(self.world.held)
        what = self._noun(held.node) if held else "it"
        call = SkillCall("PutObject", receptacle=Target(name, category), relation="near" if relation == "near" else "")
        how = relation or self.lexicon.kind(category).relation
        return (yield Step(call, f"put the {what} {how} the {self._noun_of(name)}"))

    def empty_hand(self) -> Steps[None]:
        """Put what is held on the nearest surface that takes it."""
        if not self.world.held:
            return
        near = sorted(
            (b for b in self.world.of(_SURFACES) if not self.world.hides(b.id)),
            key=lambda b: (b.node.category == "Floor", self.world.distance(b.node)),
        )
        complaint = "I know of no surface to put it on"
        floors = [b for b in near if b.node.category == "Floor"]
        for belief in [*[b for b in near if b not in floors][:_MOST_SURFACES], *floors]:
            outcome = yield self._go_to(belief.node)
            if outcome.ok:
                outcome = yield from self._put_at(outcome.seen[0].id if outcome.seen else belief.id, "")
            if outcome.ok:
                return
            complaint = outcome.message
        if not near:
            for skill in ("FindReceptacle", "Explore"):  # what is in view first
                if skill in self.table:
                    yield Step(SkillCall(skill), "look for a surface to put it on")
                if self.world.of(_SURFACES):
                    yield from self.empty_hand()
                    return
        raise GoalFailed(Code.EXECUTION_FAILURE, f"I can't free the gripper: {complaint}")

    def open(self, name: str, why: str = "") -> Steps[None]:
        """Open something known, driving there first."""
        yield from self.stand_at(name)
        if self.world.is_open(name):
            return
        if self._category(name) == "Microwave" and self.world.is_on(name):
            yield from self.switch(name, on=False)
        outcome = yield self._step("OpenObject", name, why or f"open the {self._noun_of(name)}")
        if not outcome.ok and outcome.code is not Code.UNAVAILABLE:
            yield from self.stand_at(name, again=True)
            if self.world.is_open(name):
                return
            outcome = yield self._step("OpenObject", name, f"open the {self._noun_of(name)}")
        if not outcome.ok:
            raise GoalFailed(outcome.code, f"I can't open the {self._noun_of(name)}: {outcome.message}")
        self._opened[name] = None

    def close(self, name: str) -> Steps[None]:
        """Close something known, driving there first."""
        yield from self.stand_at(name)
        self._opened.pop(name, None)
        if self.world.is_open(name) is False:
            return
        outcome = yield self._step("CloseObject", name, f"close the {self._noun_of(name)}")
        if not outcome.ok:
            raise GoalFailed(outcome.code, f"I can't close the {self._noun_of(name)}: {outcome.message}")

    def keep_open(self, name: str) -> None:
        """Do not close something again: a person asked for it to be open."""
        self._opened.pop(name, None)

    def close_again(self, name: str) -> Steps[None]:
        """Close what was opened on the way, if it was. A door that stays open is no failure."""
        if name in self._opened:
            del self._opened[name]
            yield self._step("CloseObject", name, f"close the {self._noun_of(name)}")

    def close_all(self) -> Steps[None]:
        """Close what was opened on the way and is still open, driving there."""
        for name in list(self._opened):
            try:
                yield from self.close(name)
            except GoalFailed as failure:
                self.notes.append(f"I left the {self._noun_of(name)} open: {failure.message}")

    def switch(self, name: str, on: bool) -> Steps[None]:
        """Switch something known on or off, driving there first."""
        yield from self.stand_at(name)
        if self.world.is_on(name) is on:
            return
        if on and self._category(name) == "Microwave" and self.world.is_open(name):
            yield from self.close(name)
        skill = self.table.first("ToggleOn", "SwitchOn") if on else self.table.first("ToggleOff", "SwitchOff")
        word = "on" if on else "off"
        outcome = yield self._step(skill, name, f"switch the {self._noun_of(name)} {word}")
        if not outcome.ok:
            raise GoalFailed(outcome.code, f"I can't switch the {self._noun_of(name)} {word}: {outcome.message}")

    def stand_at(self, name: str, again: bool = False) -> Steps[None]:
        """Drive to something known, unless the robot is there."""
        if name == self.world.at and not again:
            return
        belief = self.world.get(name)
        if belief is None:
            raise GoalFailed(Code.NOT_FOUND, f"I don't know where {name} is.")
        outcome = yield self._go_to(belief.node)
        if not outcome.ok:
            if outcome.code is Code.NOT_FOUND:
                self.world.forget(name)
            raise GoalFailed(outcome.code, f"I can't get to the {self._noun(belief.node)}: {outcome.message}")

    def _step(self, skill: str, name: str, text: str) -> Step:
        return Step(SkillCall(skill, Target(name, self._category(name))), text)

    def _category(self, name: str) -> str:
        belief = self.world.get(name)
        return belief.node.category if belief else ""

    def _noun(self, node: Node) -> str:
        return self.lexicon.kind(node.category).noun if node.category else node.id

    def _noun_of(self, name: str) -> str:
        belief = self.world.get(name)
        return self._noun(belief.node) if belief else name
