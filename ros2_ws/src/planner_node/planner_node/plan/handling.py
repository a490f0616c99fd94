# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Plans that bring the robot to an object: where it is believed to be, else where it may be (KARMA, figure 8).

And what is in its gripper, and where to put that: what task planning can't know without looking.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial

from karma_language.vocabulary.lexicon import Lexicon
from planner_node.ground.names import Grounding
from planner_node.plan.exploring import Exploring
from planner_node.plan.operating import Operating
from planner_node.plan.search import ordered_areas
from planner_node.plan.seeking import UNCHANGED, Seeking, Tried
from planner_node.plan.steps import GoalFailed, Step, Steps
from planner_node.plan.task_planning.physics import household_physics
from planner_node.plan.task_planning.solving import Solver, solve
from planner_node.skills import Code, Outcome, SkillCall, SkillTable, Target
from planner_node.status import Following
from planner_node.understand.goals import ObjectRef
from planner_node.understand.looks import SURE, is_called_so, likeness, looks_of, tells_looks
from planner_node.world import SEEN, Belief, World, across

_BESIDE = 0.5
"""Metres; what is so near to where one looks is looked at, too."""

_THERE = 0.05
"""Added to the likeness of what is where the thing is said to be."""

_HOLDS = re.compile(r"the gripper holds (?P<id>.+?): ")
"""How sim_bridge refuses to take a second thing."""


class Handling(Operating):
    """Finds single objects, and knows what is in the gripper.

    `ask_memory` is called with the name of a thing before it is looked for.
    """

    def __init__(
        self,
        world: World,
        lexicon: Lexicon,
        exploring: Exploring,
        table: SkillTable,
        grounding: Grounding,
        ask_memory: Callable[[str], None],
        solver: Solver = solve,
        following: Following | None = None,
    ) -> None:
        """`solver` finds the plans by which things are brought about; `following` is told of them."""
        super().__init__(world, lexicon, table)
        self.exploring = exploring
        self.grounding = grounding
        self.seeking = Seeking(self, exploring, grounding, ask_memory)
        self.solver = solver
        self.following = following or Following()
        self._described: set[str] = set()
        """Things of which the robot was asked what they look like."""
        self._is_blind = not tells_looks(table)
        self.gets_to_know = False
        """Whether to see what the things look like that are handled, because something is told of them."""

    def reach(self, ref: ObjectRef, index: int = 0, avoid: frozenset[str] = frozenset()) -> Steps[str]:
        """Bring the robot to where the object can be handled; return its id, chosen for good.

        GoalFailed when it is not found.
        """
        if ref.looks and not (ref.id or self.grounding.bound(ref, index)):
            yield from self._choose_by_looks(ref, index, avoid)
        tried = Tried()
        last, strange = "", False
        instead: list[str] = []  # said of what is taken in the end
        if ref.place is not None and not self._known_there(ref, index):
            yield from self.seeking.look_in(ref, lambda: self._known_there(ref, index))
        while True:
            there = False
            for belief in self.grounding.candidates(ref, index):
                if belief.id in avoid or belief in tried or self.world.get(belief.id) is None:
                    continue
                if belief.id == self.world.held:
                    self.notes += instead
                    self.grounding.bind(ref, index, belief.id)
                    return belief.id
                if tried and self._is_said_elsewhere(belief, ref, index):
                    there = yield from self.seeking.look_in(ref, partial(self._known_there, ref, index))
                    if there:
                        break
                name, last = yield from self._approach(belief, last)
                tried.add(belief, self.world.get(belief.id))
                if name and self.grounding.is_sibling(ref, index, name):
                    self.world.forget(belief.id)  # there is another one of those that were chosen already
                    continue
                if name and name not in avoid:
                    self.notes += instead
                    self._say_which(ref, index, name, avoid)
                    self.grounding.bind(ref, index, name)
                    yield from self._get_to_know(name, ref)
                    return name
            if self.grounding.insists_on(ref) and ref.looks and not self._is_blind:
                self.grounding.given_up.add(ref.id)  # it may be elsewhere, under another id
                yield from self._choose_by_looks(ref, index, avoid)
                if self.grounding.bound(ref, index):
                    continue
            found = there or (yield from self.seeking.look_for(ref, index, tried, avoid))
            if not found and self.grounding.insists_on(ref):
                self.grounding.given_up.add(ref.id)
                instead.append(f"I did not find that {ref.noun}; another had to do.")
                self.seeking.look_around_again()
            elif not found and ref.loosely and not self.world.of(ref.categories):
                instead.append(f"I found no {ref.noun}, so I took what is also called that.")
                ref = replace(ref, categories=ref.loosely, loosely=())
            elif not found and not strange and (yield from self._choose_what_looks_so(ref, index, avoid)):
                strange = True  # it is called otherwise
            elif not found:
                where = f" in the {ref.room}" if ref.room not in ref.noun else ""
                hint = f" Last: {last}" if last else ""
                raise GoalFailed(Code.NOT_FOUND, f"I found no {ref.noun}{where}. {self.seeking.told(ref)}{hint}")

    def _get_to_know(self, name: str, ref: ObjectRef) -> Steps[None]:
        """See what a thing looks like that something is told of: it is known again by that."""
        belief = self.world.get(name)
        if belief is not None and self.gets_to_know and self.lexicon.can(belief.node.category, "pickup"):
            yield from self._look_at(belief, f"see what the {ref.noun} looks like")

    def _look_at(self, belief: Belief, why: str) -> Steps[Outcome | None]:
        """See what a thing looks like; None where that is known, was seen before, or can't be told."""
        if looks_of(belief.node) or belief.id in self._described or self._is_blind:
            return None
        self._described.add(belief.id)
        return (yield Step(SkillCall("DescribeObject", Target(belief.id)), why))

    def _looks_now(self, name: str) -> str:
        now = self.world.get(name)
        return looks_of(now.node) if now is not None else ""

    def _choose_by_looks(self, ref: ObjectRef, index: int, avoid: frozenset[str]) -> Steps[None]:
        """Choose what looks as it is said to: what surely does, else the likest in the home.

        Chooses nothing where nothing fits at all, or the robot can't tell what things look like.
        """
        areas = ordered_areas(self.world, self.lexicon, ref.categories, ref.room, self.seeking.probability(ref))
        best: tuple[float, str] = (0.0, "")
        for area in (None, *areas):
            if area is not None:
                yield Step(SkillCall("Explore", positions=(area,)), f"look for the {ref.noun}")
            best = yield from self._likest(ref, index, avoid)
            if best[0] >= SURE or self._is_blind:
                break
        if not areas and best[0] < SURE and not self._is_blind:  # a home that was not mapped
            yield from self.exploring.everywhere("", f"look for the {ref.noun}", lambda outcome: False)
            best = yield from self._likest(ref, index, avoid)
        if best[1]:
            self.grounding.bind(ref, index, best[1])
        elif self._described and not self._is_blind:
            self.notes.append(f"I saw no {ref.noun} that looks as you said; I went by the other words.")

    def _choose_what_looks_so(self, ref: ObjectRef, index: int, avoid: frozenset[str]) -> Steps[bool]:
        """Choose the thing in view, of whatever kind, that surely looks as one is said to that is called otherwise."""
        if not ref.looks or self._is_blind:
            return False
        best: tuple[float, str] = (0.0, "")
        for belief in [b for b in self.world if b.source == SEEN and self.lexicon.can(b.node.category, "pickup")]:
            if belief.id in avoid | self.grounding.all_bound():
                continue
            yield from self._look_at(belief, f"see whether that is the {ref.noun}")
            looks = self._looks_now(belief.id)
            if is_called_so(ref.noun, looks):
                best = max(best, (likeness(ref.looks, looks, ""), belief.id))
        if best[0] < SURE:
            return False
        self.notes.append(f"I found no {ref.noun} by that name; the {self.noun_of(best[1])} looks as you said.")
        self.grounding.bind(ref, index, best[1])
        return True

    def _likest(self, ref: ObjectRef, index: int, avoid: frozenset[str]) -> Steps[tuple[float, str]]:
        """Return how well the thing in view fits that fits best, and its id; 0 and "" where nothing fits."""
        found: list[tuple[float, str]] = []
        taken = avoid | self.grounding.all_bound()
        for belief in self.grounding.candidates(ref, index):
            if belief.source != SEEN or belief.id in taken:
                continue
            if (told := (yield from self._look_at(belief, f"see which {ref.noun} it is"))) is not None:
                self._is_blind = told.ok and not any(looks_of(node) for node in told.seen)  # it promised too much
            noun = f"{ref.noun} {self.lexicon.kind(belief.node.category).noun}"
            fits = likeness(ref.looks, self._looks_now(belief.id), noun)
            there = ref.place is not None and self.grounding.is_at(belief.id, ref.place)
            found.append((fits + (_THERE if there and fits else 0.0), belief.id))
        return max(found, key=lambda one: one[0], default=(0.0, "")) if any(fits for fits, _ in found) else (0.0, "")

    def approach(self, name: str) -> Steps[None]:
        """Bring the robot to where something known can be handled. GoalFailed when that can't be done.

        What is only remembered, or was seen to be gone, is forgotten then: it can be looked for.
        """
        belief = self.world.get(name)
        if belief is None:
            raise GoalFailed(Code.NOT_FOUND, f"I don't know any more where the {self.noun_of(name)} is.")
        if not self.drives or name == self.world.at:
            return
        reached, why = yield from self._approach(belief, "")
        if reached == name:
            return
        now = self.world.get(name)
        if now is not None and (now.source != SEEN or not why):
            self.world.forget(name)
        raise GoalFailed(Code.NOT_FOUND, why or f"The {self._noun(belief.node)} is not there any more.")

    def _known_there(self, ref: ObjectRef, index: int) -> bool:
        """Whether what is meant is chosen, or is known where it is said to be."""
        assert ref.place is not None
        there = [b for b in self.grounding.candidates(ref, index)[:1] if self.grounding.is_at(b.id, ref.place)]
        return bool(there or self.grounding.bound(ref, index))

    def _is_said_elsewhere(self, belief: Belief, ref: ObjectRef, index: int) -> bool:
        """Whether something is not where what is meant is said to be; nothing is, once it is chosen."""
        return ref.place is not None and not (
            self.grounding.bound(ref, index) or self.grounding.is_at(belief.id, ref.place)
        )

    def _say_which(self, ref: ObjectRef, index: int, name: str, avoid: frozenset[str]) -> None:
        """Note which one was taken where a person spoke of one piece of furniture and there are several."""
        category = self.world.category_of(name)
        if ref.place is not None and not self.grounding.bound(ref, index) and not self.grounding.is_at(name, ref.place):
            self.notes.append(f"I can't tell that the {ref.noun} I took is the one at the {ref.place.noun}.")
        told_apart = ref.place is not None or ref.id or self.grounding.bound(ref, index)
        if not ref.definite or ref.count != 1 or told_apart or self.lexicon.can(category, "pickup"):
            return
        known = self.grounding.candidates(ref, index)
        alike = [b for b in known if b.node.category == category and b.id not in avoid]
        if len(alike) > 1:
            noun = self.lexicon.kind(category).noun
            self.notes.append(f"There is more than one {noun}, {len(alike)} that I know of: I took the nearest.")

    def _approach(self, belief: Belief, last: str) -> Steps[tuple[str, str]]:
        """Go to where an object is believed to be.

        Returns its id, empty when it is not there, and the last complaint. A robot that goes there as it acts only
        opens what is around it.
        """
        closed = yield from self.open_around(belief.id)
        if not self.drives:
            return belief.id, last
        if closed:
            now = self.world.get(belief.id)
            if now is None or now.source != SEEN:
                self.world.forget(belief.id)
                return "", f"the {self._noun(belief.node)} is not in {closed} any more"
            return belief.id, last
        if self.world.at and self.world.at in (belief.id, belief.node.receptacle) and belief.source == SEEN:
            small = self.world.at == belief.id or self.lexicon.can(
                self.world.category_of(belief.node.receptacle), "open"
            )
            if small:
                return belief.id, last
        outcome = yield self.going_to(belief.node)
        if outcome.ok:
            name = outcome.reached
            if name != belief.id and belief.source != SEEN:
                self.world.forget(belief.id)
            return name, last
        if outcome.code is Code.NOT_FOUND:
            self.world.forget(belief.id)
            for other in self.world.of((belief.node.category,)):
                if other.source == SEEN:
                    continue
                beside = across(other.node.position, belief.node.position) <= _BESIDE  # it would have been seen
                if beside or self._is_as_doubtful(other, belief):
                    self.world.forget(other.id)
        elif outcome.code is Code.PRECONDITION_FAILURE:
            name = yield from self._uncover(belief)
            if name:
                return name, last
        return "", outcome.message

    def _is_as_doubtful(self, other: Belief, gone: Belief) -> bool:
        """Whether a thing was last seen as long ago as one that is gone, in the same room.

        People have been there since: looking around once shows more than going wherever such things were.
        """
        old = all(self.world.clock - b.node.last_seen > UNCHANGED for b in (other, gone))
        rooms = [self.world.room_of(b.node) for b in (other, gone)]
        return old and (len(self.world.rooms) < 2 or (rooms[0] is not None and rooms[0] == rooms[1]))

    def _uncover(self, belief: Belief) -> Steps[str]:
        """Open what is closed where an object is remembered, when nothing said that it is inside."""
        position = belief.node.position
        for holder in self.world:
            size, centre = holder.node.size, holder.node.position
            if (
                position is None
                or centre is None
                or not self.world.hides(holder.id)
                or holder.id in self.seeking.searched
            ):
                continue
            if all(abs(position[a] - centre[a]) <= size[a] / 2 + 0.15 for a in (0, 1, 2)):
                self.seeking.searched[holder.id] = None
                try:
                    yield from self.open(holder.id)
                except GoalFailed:
                    continue  # what is sought may be elsewhere still
                now = self.world.get(belief.id)
                if now is not None and now.source == SEEN:
                    return belief.id
        return ""

    # The gripper

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

    def finds_gripper_full(self, refused: Outcome) -> Steps[bool]:
        """Whether a skill was refused because of something in the gripper that was not known to be there."""
        found = _HOLDS.search(refused.message)
        if refused.code is not Code.PRECONDITION_FAILURE or found is None or self.world.held:
            return False
        if "DescribeObject" in self.table:
            yield from self._feel(found["id"], "see what I hold")
        else:
            self.world.held = found["id"]
        return bool(self.world.held)

    def look_for_surface(self, avoid: Collection[str]) -> Steps[bool]:
        """Look for something to put things on, in view first; return whether there is any but those to be avoided."""
        for skill in ("FindReceptacle", "Explore"):
            if skill in self.table:
                yield Step(SkillCall(skill), "look for a surface to put it on")
            if any(
                b.id not in avoid and not self.world.hides(b.id) for b in self.world.of(household_physics().surfaces)
            ):
                return True
        return False
