# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Plans that look for an object where it may be: on and in furniture, and all around (KARMA, figure 8)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable

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
from planner_node.skills import Code, Outcome, Point, SkillCall, Target
from planner_node.understand.expectations import Expectation
from planner_node.understand.goals import ObjectRef
from planner_node.world import Belief

_MOST_UNLIKELY = 6
"""Closed receptacles of other kinds that are looked into for one thing, after the likely ones."""
_FEW = 2
"""So many closed receptacles of the likeliest kind are looked into before looking around: a fridge, no cabinets."""
_NOTICED = 0.95
"""Probability that a thing in the open would have been noticed when the room was mapped."""
UNCHANGED = 4 * 3600.0
"""Seconds for which a room stays as it was seen: people move things."""


class Tried:
    """What was gone to in vain, by where it was believed to be. Seen again, it is worth one more try, and no third."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, Point | None], float] = {}

    def __bool__(self) -> bool:
        return bool(self._seen)

    def __contains__(self, belief: Belief) -> bool:
        return belief.node.last_seen <= self._seen.get((belief.id, belief.node.position), -math.inf)

    @property
    def names(self) -> set[str]:
        """Ids of what was gone to."""
        return {name for name, _ in self._seen}

    def add(self, belief: Belief, now: Belief | None) -> None:
        """Note an object that was gone to; `now`: what is believed of it after that."""
        where = belief.id, belief.node.position
        seen = now.node.last_seen if now is not None else belief.node.last_seen
        self._seen[where] = math.inf if where in self._seen else seen


class Seeking:
    """Looks for things of which nothing is known that will do, nowhere twice.

    `ask_memory` is called with the name of a thing before it is looked for.
    """

    def __init__(
        self, operating: Operating, exploring: Exploring, grounding: Grounding, ask_memory: Callable[[str], None]
    ) -> None:
        self._operating = operating
        self._world = operating.world
        self._lexicon = operating.lexicon
        self._exploring = exploring
        self._grounding = grounding
        self._ask_memory = ask_memory
        self._asked: set[str] = set()
        self._explored: set[tuple[str, ...]] = set()
        self.searched: dict[str, None] = {}
        """Receptacles and furniture that were looked on or in, in order."""
        self._unlikely: Counter[str] = Counter()
        """Closed receptacles looked into though such things seldom are there, by what was looked for."""
        self.looked_into = 0
        """Receptacles opened to look inside: they count as exploration steps."""

    def look_around_again(self) -> None:
        """Forget where was looked around: another thing will do now."""
        self._explored.clear()

    def told(self, ref: ObjectRef) -> str:
        """Say where something was looked for."""
        count = Counter(self._operating.noun_of(name) for name in self.searched)
        nouns = [noun if number == 1 else f"{noun} ({number})" for noun, number in count.items()]
        places = f" and looked on or in: {', '.join(nouns)}" if nouns else ""
        shut = len(self._closed(ref))
        left = f" I left {shut} closed places shut where such things seldom are." if nouns and shut else ""
        return f"I looked around{places}.{left}"

    def look_for(self, ref: ObjectRef, index: int, tried: Tried, avoid: frozenset[str]) -> Steps[bool]:
        """Ask memory, explore, open what is closed; return whether there is a new candidate."""
        categories = self._grounding.categories(ref)

        def new() -> bool:
            found = self._grounding.candidates(ref, index)
            return any(b.id not in avoid and b not in tried for b in found)

        if ref.noun not in self._asked:
            self._asked.add(ref.noun)
            self._ask_memory(ref.noun)
            if new():
                return True
        if ref.place is not None and (yield from self.look_in(ref, new)):
            return True
        if (yield from self._look_inside(ref, new, self._worth_opening_first(ref, tried))):
            return True
        useless = avoid | self._grounding.all_bound() | tried.names
        areas = tuple(ordered_areas(self._world, self._lexicon, ref.categories, ref.room, self.probability(ref)))
        portable = self._lexicon.any_can(ref.categories, "pickup")
        mapped = is_mapped(self._world, self._lexicon, ref.categories)
        for last in (False, True):  # the areas known so far may not be all there is
            places = () if last and not ref.room else areas
            known = self._world.of(categories)
            wrong = useless | ({b.id for b in known if b.id != ref.id} if self._grounding.insists_on(ref) else set())
            others = any(b.id in wrong or not self._grounding.in_room(b.node, ref) for b in known)
            if (yield from self._explore(ref, new, places, others)):
                return True
            if portable and (mapped or last):
                if (yield from self._look_inside(ref, new, self._worth_opening(ref))):
                    return True
                if (yield from self._look_closely(ref, new)):
                    return True
        return False

    def _worth_opening_first(self, ref: ObjectRef, tried: Tried) -> list[Belief]:
        """Return the closed receptacles to look into before looking around.

        Those where the thing usually is, when they are few, as the one fridge is. And, where the room that the thing
        usually is in was explored before, every likely one: in the open it would have been seen.
        """
        if ref.place is not None:
            return []
        closed = self._closed(ref)
        probability = self.probability(ref)
        if probability is not None:
            noticed = _NOTICED if not tried and self._was_looked_over(ref) else 0.0
            return worth_opening_before_looking_around(self._world, closed, probability, seen=noticed)
        first = [b for b in closed if b.node.category in usually_inside(self._lexicon, ref.categories)]
        if not tried and self._was_looked_over(ref):
            return [b for b in closed if is_likely(self._world, self._lexicon, b, ref.categories)]
        return first if len(first) <= _FEW else []

    def _was_looked_over(self, ref: ObjectRef) -> bool:
        """Whether what is sought would have been seen in the open, and can hardly have got there since."""
        return is_mapped(self._world, self._lexicon, ref.categories, UNCHANGED)

    def _closed(self, ref: ObjectRef) -> list[Belief]:
        """Return the closed receptacles in which the thing may be, what promises most for its way first."""
        closed = likely_closed(self._world, self._lexicon, self._grounding.categories(ref), self.searched)
        closed = [b for b in closed if self._grounding.in_room(b.node, ref)]
        return by_rate(closed, self._likelihood(ref), self._world.position, PEEK)

    def probability(self, ref: ObjectRef) -> dict[str, float] | None:
        """Return how probably the thing is where, for what was not looked into yet; None where memory does not say."""
        return self._likelihood(ref) if self._world.expected.get(ref.noun) else None

    def _likelihood(self, ref: ObjectRef) -> dict[str, float]:
        """Return how probably the thing is where, for what was not looked into yet."""
        expected = self._world.expected.get(ref.noun)
        found = probabilities(self._world, self._lexicon, self._grounding.categories(ref), expected)
        return {place: p for place, p in found.items() if place not in self.searched}

    def _worth_opening(self, ref: ObjectRef) -> list[Belief]:
        """Return the closed receptacles where the thing usually is, and a few of the others."""
        closed = self._closed(ref)
        told = self._world.expected.get(ref.noun, Expectation()).places
        categories = self._grounding.categories(ref)
        likely = [b for b in closed if b.id in told or is_likely(self._world, self._lexicon, b, categories)]
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
        places = likely_open(self._world, self._lexicon, self._grounding.categories(ref), self.searched)
        for belief in by_rate(places, self._likelihood(ref), self._world.position, LOOK):
            if not self._grounding.in_room(belief.node, ref):
                continue
            self.searched[belief.id] = None
            yield self._operating.going_to(belief.node)
            if new():
                return True
        return False

    def look_in(self, ref: ObjectRef, new: Callable[[], bool]) -> Steps[bool]:
        """Look where the object is said to be."""
        assert ref.place is not None
        for belief in self._grounding.candidates(ref.place):
            if belief.id in self.searched:
                continue
            self.searched[belief.id] = None
            if self._world.hides(belief.id):
                yield from self._peek(belief.id, ref)
            else:
                yield self._operating.going_to(belief.node)
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
        category = "" if others else next(iter(self._grounding.categories(ref)), "")
        why = f"look for the {ref.noun}"
        if not places:
            yield from self._exploring.everywhere(category, why, lambda outcome: self._is_found(ref, new, outcome))
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
        self.searched[receptacle] = None
        belief = self._world.get(receptacle)
        if belief is None:
            return
        try:
            yield from self._operating.open(
                receptacle, f"look for the {ref.noun} in the {self._operating.noun_of(receptacle)}"
            )
        except GoalFailed:
            return  # one that can't be opened is not worth more than a try
        self.looked_into += 1
        if not any(receptacle in self._world.around(b.id) for b in self._grounding.candidates(ref)):
            yield from self._operating.close_again(receptacle)
