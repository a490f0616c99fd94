# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The judge of a sequence: looks at the simulator's truth, and at what can be judged at all.

A sequence's goals name what must be true after one or another of its instructions, so some of them can't hold at the
end: a tomato is washed in the sink and ends on a plate. A goal counts as reached when it held after some skill and
nothing of the sequence asks for the contrary; where a thing is to end, it must be at the end, and lamps must be as
asked then. All goals of one thing must be reached by the same thing: to wash one apple and serve another is a failure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from karma_eval.karma import naming
from karma_eval.karma.literals import Literal, Relation
from karma_eval.karma.tasks import Task
from karma_language.vocabulary import household
from sim_bridge.household.world import World

_IN_PASSING = frozenset({"Faucet", "ShowerHead", "Microwave", "StoveBurner", "StoveKnob", "Toaster", "CoffeeMachine"})
"""What is switched on to do something, and off again."""
_AFFORDANCES = {
    Relation.SWITCHED_ON: "toggleable",
    Relation.SWITCHED_OFF: "toggleable",
    Relation.HELD: "pickupable",
}
_NEEDED = {
    "sliced": "sliceable",
    "open": "openable",
    "closed": "openable",
    "broken": "breakable",
    "filled": "canFillWithLiquid",
    "empty": "canFillWithLiquid",
    "dirty": "dirtyable",
}


def problems(task: Task, world: World) -> tuple[str, ...]:
    """Return why a task can't be judged in a scene as it is at its start, in sentences; empty when it can."""
    found = list(task.problems)
    for literal in task.goals:
        found += _problem(literal, world)
        found += _contradiction(literal, task.instructions)
    return tuple(dict.fromkeys(found))


def _problem(literal: Literal, world: World) -> Iterator[str]:
    """Yield what the scene lacks for a goal."""
    present = {spec.category for spec in world.specs.values()}
    for name in (literal.thing, literal.place):
        if not name:
            continue
        categories = naming.categories_of(name)
        if not categories:
            yield f"{literal}: I know of no {name!r}"
        elif not present & _wholes(categories):
            yield f"{literal}: there is no {name} in {world.scene.name}"
    if literal.place:
        if not _some(world, literal.place, lambda n: world.can(n, "receptacle")):
            yield f"{literal}: nothing can be put on or in a {literal.place}"
        if literal.thing and not _some(world, literal.thing, lambda n: world.specs[n].movable):
            yield f"{literal}: a {literal.thing} can't be carried"
    needed = _NEEDED.get(literal.state, "") if literal.state else _AFFORDANCES.get(literal.relation, "")
    if needed and literal.thing and not _some(world, literal.thing, lambda n: world.can(n, needed)):
        yield f"{literal}: a {literal.thing} of this simulator can't be so"


def _contradiction(literal: Literal, instructions: Sequence[str]) -> Iterator[str]:
    """Yield a goal on another thing than the instructions speak of.

    Only where the words leave no doubt: the thing is never spoken of, or wherever the place is named, another thing is
    named to go there, and neither this one nor a vague word is, nor is this one said to go to that other.
    """
    things = naming.categories_of(literal.thing) if literal.thing else ()
    if not things or not any(map(naming.portable, things)) or not instructions:
        return
    text = " . ".join(instructions)
    if not naming.speaks_of(text, things) and not naming.is_vague(text):
        yield f"{literal}: the instruction speaks of no {literal.thing}"
        return
    if literal.relation not in (Relation.ON, Relation.INSIDE) or literal.count == 0:
        return
    places = naming.categories_of(literal.place)
    there = [one for one in instructions if naming.names(one, places)]
    named = {mention.words for one in there for mention in naming.mentions(one)}
    own = [one for one in instructions if naming.speaks_of(one, things)]
    beside = any("there" in one.casefold() or named & {m.words for m in naming.mentions(one)} for one in own)
    if there and not beside and all(_of_others(one, things, places) for one in there):
        yield f"{literal}: the instruction puts something else there: {there[0]!r}"


def _of_others(text: str, things: Iterable[str], places: Iterable[str]) -> bool:
    """Whether a text speaks of other portable things only."""
    if naming.is_vague(text) or naming.speaks_of(text, things):
        return False
    return naming.names_another(text, things, places)


class Judge:
    """Follows the world through a sequence. Call `look` after every skill."""

    def __init__(self, goals: Sequence[Literal], world: World) -> None:
        self._goals = tuple(goals)
        self._world = world
        self._categories = {name: world.category(name) for name in world}
        self._roots = frozenset(world)
        self._ever: dict[Literal, set[str]] = defaultdict(set)
        self._now: dict[Literal, set[str]] = defaultdict(set)
        self.handled: dict[str, None] = {}
        """Ids of what the robot had in its gripper or sliced so far, as they were called at the start."""
        self.look()

    def look(self, *, ended: bool = False) -> None:
        """Take notice of how the world is now; what is to be held counts when an instruction has ended."""
        if self._world.held:
            for name in (self._world.held, *self._world.contents(self._world.held)):
                self.handled[self.root(name)] = None
        self.handled.update(dict.fromkeys(sorted(self._world.gone & self._roots)))
        for literal in self._goals:
            if literal.relation is Relation.HELD and not ended:
                continue
            now = {self.root(name) for name in self._holding(literal)}
            self._now[literal] = now
            self._ever[literal] |= now

    def category(self, root: str) -> str:
        """Return the category that a thing had at the start."""
        return self._categories[root]

    def root(self, name: str) -> str:
        """Return what a thing was at the start: a slice was the whole."""
        while name not in self._roots and "|" in name:
            name = name.rpartition("|")[0]
        return name

    def missing(self) -> tuple[Literal, ...]:
        """Return the goals that were not reached."""
        lacking: dict[Literal, None] = {}
        groups: dict[str, list[Literal]] = defaultdict(list)
        for literal in self._goals:
            if literal.count == 1 and literal.thing:
                groups[",".join(naming.categories_of(literal.thing))].append(literal)
            elif not self._counted(literal):
                lacking[literal] = None
        for group in groups.values():
            lacking.update(dict.fromkeys(self._unreached(group)))
        return tuple(literal for literal in self._goals if literal in lacking)

    def _unreached(self, group: Sequence[Literal]) -> list[Literal]:
        """Return the goals of one thing that the one that comes closest does not reach."""
        placements = [literal for literal in group if literal.place]
        taken = any(literal.relation is Relation.HELD for literal in group)
        candidates = sorted({name for literal in group for name in self._ever[literal]})
        best = list(group)
        for name in candidates:
            left = [literal for literal in group if not self._reached(literal, name, group)]
            if len(placements) > 1 and not taken and not any(name in self._now[literal] for literal in placements):
                left = list(dict.fromkeys([*left, placements[-1]]))
            best = min(best, left, key=len)
        if best and len(placements) > 1 and placements == list(group) and self._apart(placements):
            return []
        return best

    def _reached(self, literal: Literal, name: str, group: Sequence[Literal]) -> bool:
        """Whether a thing is, or was, as a goal asks, and is still where that must last."""
        return name in (self._now if self._must_last(literal, group) else self._ever)[literal]

    def _must_last(self, literal: Literal, group: Sequence[Literal]) -> bool:
        if literal.place:
            taken = any(other.relation is Relation.HELD for other in group)
            return not taken and sum(bool(other.place) for other in group) == 1
        if literal.relation in (Relation.SWITCHED_ON, Relation.SWITCHED_OFF):
            both = {other.relation for other in group} >= {Relation.SWITCHED_ON, Relation.SWITCHED_OFF}
            return not both and not _IN_PASSING & set(naming.categories_of(literal.thing))
        return literal.state in ("open", "closed") and not {"open", "closed"} <= {other.state for other in group}

    def _apart(self, placements: Sequence[Literal]) -> bool:
        """Whether there is another thing of the kind in every place, at the end."""
        taken: set[str] = set()
        for literal in placements:
            free = sorted(self._now[literal] - taken)
            if not free:
                return False
            taken.add(free[0])
        return True

    def _counted(self, literal: Literal) -> bool:
        """Whether as many things as asked for are so at the end; of an unnamed thing, whether one that was handled is.

        None, for a goal that something must not be so.
        """
        now = self._now[literal]
        if not literal.thing:
            now = now & set(self.handled)
        if literal.count == 0:
            return not now
        return len(now) >= literal.count

    def _holding(self, literal: Literal) -> Iterator[str]:
        """Yield the things for which a goal holds now."""
        world = self._world
        wanted = set(naming.categories_of(literal.thing)) if literal.thing else None
        places = set(naming.categories_of(literal.place)) if literal.place else set()
        for name in world:
            if wanted is not None and world.category(name) not in wanted:
                continue
            match literal.relation:
                case Relation.ON | Relation.INSIDE:
                    holds = any(world.category(holder) in places for holder in world.ancestors(name))
                case Relation.HELD:
                    holds = world.held == name
                case Relation.SWITCHED_ON:
                    holds = world.is_(name, "isToggled")
                case Relation.SWITCHED_OFF:
                    holds = world.can(name, "toggleable") and not world.is_(name, "isToggled")
                case Relation.STATE:
                    holds = self._is(name, literal.state)
            if holds:
                yield name

    def _is(self, name: str, state: str) -> bool:
        world = self._world
        match state:
            case "clean":
                return name in world.washed
            case "dirty":
                return world.is_(name, "isDirty")
            case "sliced":
                return name not in self._roots and self.root(name) in world.gone
            case "hot":
                return name in world.heated
            case "cooked":
                return name in world.heated or world.is_(name, "isCooked")
            case "cold":
                return name in world.cooled
            case "filled":
                return world.is_(name, "isFilledWithLiquid")
            case "empty":
                return world.can(name, "canFillWithLiquid") and not world.is_(name, "isFilledWithLiquid")
            case "open":
                return world.is_(name, "isOpen")
            case "closed":
                return world.can(name, "openable") and not world.is_(name, "isOpen")
            case "broken":
                return world.is_(name, "isBroken") or (name not in self._roots and self.root(name) in world.gone)
            case _:
                raise ValueError(f"no state {state!r}")


def _wholes(categories: Iterable[str]) -> set[str]:
    """Return the categories, and for slices those of what they are cut from."""
    kinds = household().kinds
    return {*categories, *(kinds[c].whole for c in categories if c in kinds and kinds[c].whole)}


def _some(world: World, name: str, holds: Callable[[str], bool]) -> bool:
    """Whether something that a name means is so; true where there is nothing of it: that is another problem."""
    wanted = _wholes(naming.categories_of(name))
    found = [one for one in world if world.category(one) in wanted]
    return not found or any(map(holds, found))
