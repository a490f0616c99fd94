# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Plans that bring the robot to an object: where it is believed to be, else where it may be (KARMA, figure 8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from karma_language.vocabulary.lexicon import Lexicon
from planner_node.ground.names import Grounding
from planner_node.plan.exploring import Exploring
from planner_node.plan.likelihood import by_rate, probabilities
from planner_node.plan.operating import Operating
from planner_node.plan.search import (
    LOOK,
    PEEK,
    is_likely,
    is_mapped,
    likely_closed,
    likely_open,
    ordered_areas,
    usually_inside,
    worth_opening_before_looking_around,
)
from planner_node.plan.steps import GoalFailed, Step, Steps
from planner_node.plan.task_planning.solving import Solver, solve
from planner_node.skills import Code, Outcome, Point, SkillCall, SkillTable, Target
from planner_node.status import Following
from planner_node.understand.expectations import Expectation
from planner_node.understand.goals import ObjectRef
from planner_node.understand.looks import SURE, is_called_so, likeness, looks_of, tells_looks
from planner_node.world import SEEN, Belief, World, across

_MOST_UNLIKELY = 6
"""Closed receptacles of other kinds that are looked into for one thing, after the likely ones."""
_FEW = 2
"""So many closed receptacles of the likeliest kind are looked into before looking around: a fridge, no cabinets."""

_NOTICED = 0.95
"""Probability that a thing in the open would have been noticed when the room was mapped."""

_UNCHANGED = 4 * 3600.0
"""Seconds for which a room stays as it was seen: people move things."""

_BESIDE = 0.5
"""Metres; what is so near to where one looks is looked at, too."""

_THERE = 0.05
"""Added to the likeness of what is where the thing is said to be."""

_Tried = set[tuple[str, Point | None]]
"""Objects, and where each was believed to be, that were gone to in vain."""


def _where(belief: Belief) -> tuple[str, Point | None]:
    return belief.id, belief.node.position


class Finding(Operating):
    """Finds single objects. `ask_memory` is called with the name of a thing before it is looked for."""

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
        self._ask_memory = ask_memory
        self.solver = solver
        self.following = following or Following()
        self._asked: set[str] = set()
        self._explored: set[tuple[str, ...]] = set()
        self._described: set[str] = set()
        """Things of which the robot was asked what they look like."""
        self._is_blind = not tells_looks(table)
        self.gets_to_know = False
        """Whether to see what the things look like that are handled, because something is told of them."""
        self._searched: dict[str, None] = {}
        """Receptacles and furniture that were looked on or in, in order."""
        self._unlikely: Counter[str] = Counter()
        """Closed receptacles looked into though such things seldom are there, by what was looked for."""
        self.looked_into = 0
        """Receptacles opened to look inside: they count as exploration steps."""

    def reach(self, ref: ObjectRef, index: int = 0, avoid: frozenset[str] = frozenset()) -> Steps[str]:
        """Bring the robot to where the object can be handled; return its id, chosen for good.

        GoalFailed when it is not found.
        """
        if ref.looks and not (ref.id or self.grounding.bound(ref, index)):
            yield from self._choose_by_looks(ref, index, avoid)
        tried: _Tried = set()
        last, strange = "", False
        instead: list[str] = []  # said of what is taken in the end
        if ref.place is not None and not self._known_there(ref, index):
            yield from self._look_in(ref, lambda: self._known_there(ref, index))
        while True:
            there = False
            for belief in self.grounding.candidates(ref, index):
                if belief.id in avoid or _where(belief) in tried or self.world.get(belief.id) is None:
                    continue
                if belief.id == self.world.held:
                    self.notes += instead
                    self.grounding.bind(ref, index, belief.id)
                    return belief.id
                if tried and self._is_said_elsewhere(belief, ref, index):
                    there = yield from self._look_in(ref, partial(self._known_there, ref, index))
                    if there:
                        break
                tried.add(_where(belief))
                name, last = yield from self._approach(belief, last)
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
            found = there or (yield from self._look_for(ref, index, tried, avoid))
            if not found and self.grounding.insists_on(ref):
                self.grounding.given_up.add(ref.id)
                instead.append(f"I did not find that {ref.noun}; another had to do.")
                self._explored.clear()
            elif not found and ref.loosely and not self.world.of(ref.categories):
                instead.append(f"I found no {ref.noun}, so I took what is also called that.")
                ref = replace(ref, categories=ref.loosely, loosely=())
            elif not found and not strange and (yield from self._choose_what_looks_so(ref, index, avoid)):
                strange = True  # it is called otherwise
            elif not found:
                where = f" in the {ref.room}" if ref.room not in ref.noun else ""
                hint = f" Last: {last}" if last else ""
                raise GoalFailed(Code.NOT_FOUND, f"I found no {ref.noun}{where}. {self._what_was_searched(ref)}{hint}")

    def _get_to_know(self, name: str, ref: ObjectRef) -> Steps[None]:
        """See what a thing looks like that something is told of: it is known again by that."""
        belief = self.world.get(name)
        if belief is None or not self.gets_to_know or self._is_blind or name in self._described:
            return
        if not looks_of(belief.node) and self.lexicon.can(belief.node.category, "pickup"):
            self._described.add(name)
            yield Step(SkillCall("DescribeObject", Target(name)), f"see what the {ref.noun} looks like")

    def _choose_by_looks(self, ref: ObjectRef, index: int, avoid: frozenset[str]) -> Steps[None]:
        """Choose what looks as it is said to: what surely does, else the likest in the home.

        Chooses nothing where nothing fits at all, or the robot can't tell what things look like.
        """
        areas = ordered_areas(self.world, self.lexicon, ref.categories, ref.room, self._probability(ref))
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
            if not looks_of(belief.node) and belief.id not in self._described:
                self._described.add(belief.id)
                yield Step(SkillCall("DescribeObject", Target(belief.id)), f"see whether that is the {ref.noun}")
            now = self.world.get(belief.id)
            looks = looks_of(now.node) if now is not None else ""
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
            if not looks_of(belief.node) and belief.id not in self._described and not self._is_blind:
                self._described.add(belief.id)
                told = yield Step(SkillCall("DescribeObject", Target(belief.id)), f"see which {ref.noun} it is")
                self._is_blind = told.ok and not any(looks_of(node) for node in told.seen)  # it promised too much
            now = self.world.get(belief.id)
            looks = looks_of(now.node) if now is not None else ""
            fits = likeness(ref.looks, looks, f"{ref.noun} {self.lexicon.kind(belief.node.category).noun}")
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

    def _what_was_searched(self, ref: ObjectRef) -> str:
        count = Counter(self._noun_of(name) for name in self._searched)
        nouns = [noun if number == 1 else f"{noun} ({number})" for noun, number in count.items()]
        places = f" and looked on or in: {', '.join(nouns)}" if nouns else ""
        shut = len(self._closed(ref))
        left = f" I left {shut} closed places shut where such things seldom are." if nouns and shut else ""
        return f"I looked around{places}.{left}"

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

        Returns its id, empty when it is not there, and the last complaint.
        """
        closed = yield from self.open_around(belief.id)
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
        outcome = yield self._go_to(belief.node)
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
        old = all(self.world.clock - b.node.last_seen > _UNCHANGED for b in (other, gone))
        rooms = [self.world.room_of(b.node) for b in (other, gone)]
        return old and (len(self.world.rooms) < 2 or (rooms[0] is not None and rooms[0] == rooms[1]))

    def _uncover(self, belief: Belief) -> Steps[str]:
        """Open what is closed where an object is remembered, when nothing said that it is inside."""
        position = belief.node.position
        for holder in self.world:
            size, centre = holder.node.size, holder.node.position
            if position is None or centre is None or not self.world.hides(holder.id) or holder.id in self._searched:
                continue
            if all(abs(position[a] - centre[a]) <= size[a] / 2 + 0.15 for a in (0, 1, 2)):
                self._searched[holder.id] = None
                try:
                    yield from self.open(holder.id)
                except GoalFailed:
                    continue  # what is sought may be elsewhere still
                now = self.world.get(belief.id)
                if now is not None and now.source == SEEN:
                    return belief.id
        return ""

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
        areas = tuple(ordered_areas(self.world, self.lexicon, ref.categories, ref.room, self._probability(ref)))
        portable = any(self.lexicon.can(c, "pickup") for c in ref.categories)
        mapped = is_mapped(self.world, self.lexicon, ref.categories)
        for last in (False, True):  # the areas known so far may not be all there is
            places = () if last and not ref.room else areas
            known = self.world.of(categories)
            wrong = useless | ({b.id for b in known if b.id != ref.id} if self.grounding.insists_on(ref) else set())
            others = any(b.id in wrong or not self.grounding.in_room(b.node, ref) for b in known)
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
        probability = self._probability(ref)
        if probability is not None:
            noticed = _NOTICED if not tried and self._was_looked_over(ref) else 0.0
            return worth_opening_before_looking_around(self.world, closed, probability, seen=noticed)
        first = [b for b in closed if b.node.category in usually_inside(self.lexicon, ref.categories)]
        if not tried and self._was_looked_over(ref):
            return [b for b in closed if is_likely(self.world, self.lexicon, b, ref.categories)]
        return first if len(first) <= _FEW else []

    def _was_looked_over(self, ref: ObjectRef) -> bool:
        """Whether what is sought would have been seen in the open, and can hardly have got there since."""
        return is_mapped(self.world, self.lexicon, ref.categories, _UNCHANGED)

    def _closed(self, ref: ObjectRef) -> list[Belief]:
        """Return the closed receptacles in which the thing may be, what promises most for its way first."""
        closed = likely_closed(self.world, self.lexicon, self.grounding.categories(ref), self._searched)
        closed = [b for b in closed if self.grounding.in_room(b.node, ref)]
        return by_rate(closed, self._likelihood(ref), self.world.position, PEEK)

    def _probability(self, ref: ObjectRef) -> dict[str, float] | None:
        """Return how probably the thing is where, for what was not looked into yet; None where memory does not say."""
        return self._likelihood(ref) if self.world.expected.get(ref.noun) else None

    def _likelihood(self, ref: ObjectRef) -> dict[str, float]:
        """Return how probably the thing is where, for what was not looked into yet."""
        expected = self.world.expected.get(ref.noun)
        found = probabilities(self.world, self.lexicon, self.grounding.categories(ref), expected)
        return {place: p for place, p in found.items() if place not in self._searched}

    def _worth_opening(self, ref: ObjectRef) -> list[Belief]:
        """Return the closed receptacles where the thing usually is, and a few of the others."""
        closed = self._closed(ref)
        told = self.world.expected.get(ref.noun, Expectation()).places
        categories = self.grounding.categories(ref)
        likely = [b for b in closed if b.id in told or is_likely(self.world, self.lexicon, b, categories)]
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
        places = likely_open(self.world, self.lexicon, self.grounding.categories(ref), self._searched)
        for belief in by_rate(places, self._likelihood(ref), self.world.position, LOOK):
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
        category = "" if others else next(iter(self.grounding.categories(ref)), "")
        why = f"look for the {ref.noun}"
        if not places:
            yield from self.exploring.everywhere(category, why, lambda outcome: self._is_found(ref, new, outcome))
            return new()
        outcome = yield Step(SkillCall("Explore", Target(category=category), positions=places), why)
        if outcome.code not in (Code.SUCCESS, Code.NOT_FOUND):
            raise GoalFailed(outcome.code, f"Looking for the {ref.noun} failed: {outcome.message}")
        return new()  # whatever is visible was seen on the way, not only the first meaning of the word

    def _is_found(self, ref: ObjectRef, new: Callable[[], bool], outcome: Outcome) -> bool:
        """Whether looking around has shown what is sought; a robot that only drives leaves it to memory to know."""
        if not outcome.seen and outcome.call.skill != "Explore":
            self._ask_memory(ref.noun)
        return new()

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
        if not any(receptacle in self.world.around(b.id) for b in self.grounding.candidates(ref)):
            yield from self.close_again(receptacle)
