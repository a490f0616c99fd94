# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Plans for what is carried: take it, put it, and know what is in the gripper."""

from __future__ import annotations

import re
from collections.abc import Callable

from planner_node.exploring import Exploring
from planner_node.finding import Finding
from planner_node.ground import Grounding
from planner_node.skills import Code, Node, Outcome, SkillCall, SkillTable, Target
from planner_node.steps import GoalFailed, Step, Steps
from planner_node.understand.goals import ObjectRef
from planner_node.vocabulary.lexicon import Lexicon
from planner_node.world import World

_SURFACES = (
    *("CounterTop", "DiningTable", "CoffeeTable", "SideTable", "Desk", "Dresser", "TVStand", "Shelf"),
    *("Bed", "Sofa", "ArmChair", "Floor"),
)
_HOLDS = re.compile(r"the gripper holds (?P<id>.+?): ")
"""How sim_bridge refuses to take a second thing."""
_MOST_DESTINATIONS = 12
_MOST_SURFACES = 8


class Handling(Finding):
    """Takes single objects and puts them somewhere."""

    def __init__(
        self,
        world: World,
        lexicon: Lexicon,
        exploring: Exploring,
        table: SkillTable,
        grounding: Grounding,
        ask_memory: Callable[[str], None],
    ) -> None:
        super().__init__(world, lexicon, exploring, table, grounding, ask_memory)
        self._left = ""
        """Where the object picked up last was."""

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
