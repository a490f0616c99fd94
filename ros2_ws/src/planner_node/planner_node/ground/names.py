# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Names in the goals to objects in the world."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import replace

from karma_language.answers.speech import form_of_be, is_plural, whose
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.vocabulary.states import FLOOR
from planner_node.guidance import Guidance
from planner_node.skills import Node, Point
from planner_node.understand.goals import ALL, Goal, ObjectRef
from planner_node.understand.reference import Before
from planner_node.world import SEEN, Belief, World

BASINS = {"Sink": "SinkBasin", "Bathtub": "BathtubBasin"}
"""Furniture → its basin. What is on the furniture itself, on its rim, is not in it."""
_BESIDE = 1.0
"""Metres within which something stands beside another."""
_LOW = 0.5
"""Metres below which the middle is of what lies on the floor."""
SEVERAL = 2
"""Things that a plural speaks of, at least."""


def unclear_owner(goals: Iterable[Goal], grounding: Grounding) -> str:
    """Return a question about a thing that is somebody's where there are several like it, "" for none.

    Nobody told whose each of them is, or memory would have named it.
    """
    for goal in goals:
        for ref in goal.refs:
            if ref.owner and not ref.id and len(grounding.candidates(ref)) > max(ref.count, 1):
                theirs = f"{form_of_be(1 + is_plural(ref.noun))} {whose(ref.owner)}"
                return f"I don't know which {ref.noun} {theirs}. Which do you mean?"
    return ""


class Grounding:
    """Which objects the references of one instruction mean. Bound as they are chosen, by entity."""

    def __init__(
        self, world: World, lexicon: Lexicon, before: Before | None = None, guidance: Guidance | None = None
    ) -> None:
        """`before`: what was dealt with in earlier instructions. `guidance`: what was learned of such as this one."""
        self._world = world
        self._guidance = guidance or Guidance()
        self.goal: Goal | None = None
        """What is being done."""
        self._dealt_with = {call.target.id for call in before.handled} if before is not None else set()
        self._last = {ref.id for ref in before.themes if ref.id} if before is not None else set()
        self._lexicon = lexicon
        self._bound: dict[int, list[str]] = {}
        self._preferred: dict[tuple[int, int], str] = {}
        """What references that only a state tells apart were last taken for: the choice doesn't waver on the way."""
        self._heading: dict[tuple[int, int], Point] = {}
        """Where what a reference means is to go: of things alike the one with the shortest way there is taken."""
        self._sources: dict[int, set[str]] = {}
        """Where things are that are to go to another such place, by the entity of that place."""
        self.used: dict[str, None] = {}
        """Ids of recollections that a choice rested on, in order."""
        self.given_up: set[str] = set()
        """Ids that references name, of things that were looked for in vain: another of their kind will do."""

    def bound(self, ref: ObjectRef, index: int = 0) -> str:
        """Return the id chosen for the index-th object of a reference, empty when none is yet."""
        ids = self._bound.get(ref.entity, [])
        return ids[index] if index < len(ids) else ""

    def bind(self, ref: ObjectRef, index: int, node_id: str) -> None:
        """Choose an object for good."""
        ids = self._bound.setdefault(ref.entity, [])
        ids.extend([""] * (index + 1 - len(ids)))
        ids[index] = node_id
        belief = self._world.get(node_id)
        if belief is not None and belief.recollection:
            self.used[belief.recollection] = None

    def moves_from(self, place: ObjectRef, sources: Iterable[str]) -> None:
        """Note where a thing is that is to go to another place: "a different table"."""
        self._sources.setdefault(place.entity, set()).update(sources)

    def heads_for(self, ref: ObjectRef, index: int, position: Point | None) -> None:
        """Note where a thing is to be taken; None where that is not known."""
        if position is not None:
            self._heading[ref.entity, index] = position

    def meant(self) -> dict[int, str]:
        """Return for each entity the category of the thing that was chosen first for it."""
        first = {entity: self._world.get(ids[0]) for entity, ids in self._bound.items() if entity and ids and ids[0]}
        return {entity: belief.node.category for entity, belief in first.items() if belief is not None}

    def all_bound(self) -> set[str]:
        """Return every id chosen for anything."""
        return {name for ids in self._bound.values() for name in ids if name}

    def all_bound_of(self, ref: ObjectRef) -> list[str]:
        """Return the ids chosen for a reference, in order."""
        return [name for name in self._bound.get(ref.entity, []) if name]

    def count_bound(self, ref: ObjectRef) -> int:
        """Return how many objects were chosen for a reference."""
        return len(self.all_bound_of(ref))

    def is_sibling(self, ref: ObjectRef, index: int, node_id: str) -> bool:
        """Whether an object is chosen for another place of the same reference: "two apples" are two."""
        return any(name == node_id for i, name in enumerate(self._bound.get(ref.entity, [])) if i != index)

    def replace(self, old: str, new: Iterable[str]) -> None:
        """Let `new` stand for what `old` was: its slices."""
        pieces = list(new)
        for ids in self._bound.values():
            for index, node_id in enumerate(ids):
                if node_id == old and pieces:
                    ids[index] = pieces[0]

    def categories(self, ref: ObjectRef) -> tuple[str, ...]:
        """Return the categories to look for: slices too, before the whole where slices are asked for."""
        slices = [self._lexicon.slices[c] for c in ref.categories if c in self._lexicon.slices]
        whole = list(ref.categories)
        return tuple([*slices, *whole] if "sliced" in ref.states else [*whole, *slices])

    def candidates(self, ref: ObjectRef, index: int = 0) -> list[Belief]:
        """Return the known objects that a reference may mean, best first.

        First what is already chosen for it; then what has the states asked for, is where it is said to be, is the
        likeliest meaning of the word, is surely there, is near or on the way to where it is to go; among equals, none
        that was found not to do. Of what only a state tells apart ("the cold food"), what was the nearest at first.
        Never what another object of the same reference is.
        """
        chosen = self.bound(ref, index)
        siblings = {i for i in self._bound.get(ref.entity, []) if i and i != chosen}
        taken = {i for entity, ids in self._bound.items() if entity != ref.entity for i in ids}
        one_for_all = ref.entity in self._sources and (ref.count == 1 or ref.definite)  # "THE other shelves"
        set_apart = set() if one_for_all else taken | self._last
        order = {category: rank for rank, category in enumerate(self.categories(ref))}
        known = [*self._world.of(order), *self._less_likely_there(ref, order)]
        bound = self._world.get(chosen)
        if bound is not None and bound.node.category not in order:
            known.append(bound)  # it is called otherwise
        found = [b for b in known if b.id not in siblings and not (ref.other and b.id in set_apart)]
        elsewhere = [b for b in found if b.id not in self._sources.get(ref.entity, ())]
        found = elsewhere or found  # where there is only one such place, that is meant
        if ref.id:
            named = [b for b in found if b.id == ref.id]
            found = named if named or self.insists_on(ref) else found
        found = [b for b in found if b.id == chosen or (self.in_room(b.node, ref) and not self._excepted(b, ref))]
        if ref.count == ALL and ref.place is not None:  # "everything on the table" is nothing that is elsewhere
            found = [b for b in found if b.id == chosen or self.is_at(b.id, ref.place)]
        by_state, which = len(ref.categories) > 1 and bool(ref.states), (ref.entity, index)
        alike = self._kind_of_several(ref, index, found)
        end = self._heading.get(which)

        standing = {b.id: self._guidance.standing(self.goal, b.node) for b in found}

        def rank(belief: Belief, *, learned: bool = True) -> tuple[float, ...]:
            node = belief.node
            missing = sum(not self._world.has(node.id, state) for state in ref.states)
            misplaced = ref.place is not None and not self._at(node, ref.place)
            return (
                node.id != chosen,
                bool(ref.room) and not self._world.is_in(node, ref.room),
                missing,
                misplaced,
                self._apart(node, ref),
                standing[node.id][0] if learned else 0,
                node.id in taken and not ref.states,
                ref.other and node.id in self._dealt_with,
                node.id != self._world.held,
                bool(alike) and node.category != alike,
                node.id != self._preferred.get(which) if by_state else order.get(node.category, len(order)),
                belief.source != SEEN and node.confidence < 0.5,
                bool(self._world.closed_around(node.id)),
                self._unusual(node, ref),
                self._world.distance(node) + (math.dist(node.position, end) if node.position and end else 0.0),
            )

        ranked = sorted(found, key=rank)
        if any(how for how, _ in standing.values()):
            plain, best = min(found, key=lambda belief: rank(belief, learned=False)).id, ranked[0].id
            if plain != best or standing[best][0] > 0:
                self._guidance.follow(standing[plain][1] or standing[best][1], in_vain=plain == best)
        if by_state and ranked:
            self._preferred[which] = ranked[0].id
        return ranked

    def _unusual(self, node: Node, ref: ObjectRef) -> int:
        """Return how unusual a room is for furniture of a name of its own: a "dining table" is in the dining room."""
        if ref.topic and self._world.is_in(node, ref.topic):
            return -2
        words = ref.noun.lower().split()
        noun = self._lexicon.noun(ref.noun)
        if len(words) < 2 or noun is None or ref.room or not self._lexicon.kind(node.category).either:
            return 0
        if words[0] in self._world.room_name(node).split():
            return -1
        usual = self._lexicon.kind(noun.categories[0]).rooms
        kind = self._world.room_kind(node)
        return usual.index(kind) if kind in usual else len(usual)

    def is_near(self, node: Node, ref: ObjectRef) -> bool:
        """Whether a node stands beside what a reference is said to stand beside."""
        return self._apart(node, ref) <= _BESIDE

    def _apart(self, node: Node, ref: ObjectRef) -> float:
        """Return how far a node is from what a reference is said to stand beside, metres; 0 where that is nothing."""
        if ref.near is None:
            return 0.0
        marks = (mark.node for mark in self._world.of(ref.near.categories) if mark.id != node.id)
        return min((node.gap(mark) for mark in marks), default=math.inf)

    def standing(self, belief: Belief) -> int:
        """Return how what was learned of such instructions speaks for a thing."""
        return self._guidance.standing(self.goal, belief.node)[0]

    def _excepted(self, belief: Belief, ref: ObjectRef) -> bool:
        """Whether a thing is one of those that "all but these" leaves out."""
        return any(
            belief.node.category in one.categories
            and one.id in ("", belief.id)
            and (one.place is None or self.is_at(belief.id, one.place))
            and self.in_room(belief.node, one)
            and all(self._world.has(belief.id, state) for state in one.states)
            for one in ref.but
        )

    def _kind_of_several(self, ref: ObjectRef, index: int, found: Collection[Belief]) -> str:
        """Return the category that "two bottles" both are: the first one's, or the likeliest of which enough are known.

        Empty where one alone is spoken of, or where it makes no difference.
        """
        if ref.count == 1 or len(ref.categories) < 2 or ref.states:
            return ""
        if index and (first := self._world.get(self.bound(ref))) is not None:
            return first.node.category
        known = Counter(belief.node.category for belief in found)
        enough = (category for category in self.categories(ref) if known[category] >= (ref.count or SEVERAL))
        return next(enough, "")

    def are_enough_alike(self, ref: ObjectRef) -> bool:
        """Whether as many of one kind are known as are spoken of, where several kinds may be meant."""
        return len(ref.categories) < 2 or bool(ref.states or self._kind_of_several(ref, 0, self.candidates(ref)))

    def _less_likely_there(self, ref: ObjectRef, likely: Collection[str]) -> list[Belief]:
        """Return what a description may mean, too, and is where the thing is said to be.

        "Something to read from the bench" is the map that lies there, though a book is likelier elsewhere.
        """
        if ref.place is None or ref.margin == 1.0:
            return []
        others = [category for category in ref.loosely if category not in likely]
        return [belief for belief in self._world.of(others) if self._at(belief.node, ref.place)]

    def insists_on(self, ref: ObjectRef) -> bool:
        """Whether only the thing that a reference names will do: it was known, and was not looked for in vain yet."""
        return bool(ref.id) and ref.id not in self.given_up and self._world.has_known(ref.id)

    def in_room(self, node: Node, ref: ObjectRef) -> bool:
        """Whether a node may be in the room that a reference names, if it names one."""
        return not ref.room or self._world.is_in(node, ref.room) is not False

    def wherever(self, goal: Goal) -> list[Goal]:
        """Return a goal for each place where its thing may be, and with the room of its destination, where known."""
        ref, to = goal.object, goal.destination
        if to is not None and not to.room and (known := self.candidates(to)):
            goal = replace(goal, destination=replace(to, room=self._world.room_name(known[0].node)))
        if ref is None or ref.place is not None:
            return [goal]
        holders = (self._holder(one.node) for one in self.candidates(ref))
        places = {(one.category, self._world.room_name(one)) for one in holders if one is not None}
        found = (ObjectRef((kind,), kind, room=room) for kind, room in sorted(places))
        return [replace(goal, object=replace(ref, place=place)) for place in found] or [goal]

    def _holder(self, node: Node) -> Node | None:
        """Return what a thing is in or on: the floor, which need not be known, where it lies low and on nothing else.

        None where nobody knows.
        """
        holder = self._world.get(node.receptacle)
        if holder is not None:
            return holder.node
        low = node.position is not None and node.position[2] < _LOW and node.relation != "held"
        free = low and self._lexicon.can(node.category, "pickup")
        return replace(node, id=node.receptacle, category=FLOOR) if free else None

    def _at(self, node: Node, place: ObjectRef) -> bool:
        holder = self._holder(node)
        return holder is not None and holder.category in place.categories and self.in_room(holder, place)

    def is_at(self, node_id: str, place: ObjectRef) -> bool:
        """Whether an object is known to be on or in what `place` means."""
        belief = self._world.get(node_id)
        if belief is None or belief.node.relation == "held":
            return False
        chosen = self.bound(place) or (place.id if self.insists_on(place) else "")
        if chosen:
            return belief.node.receptacle == chosen
        holder = self._holder(belief.node)
        if holder is None or BASINS.get(holder.category, "") in place.categories:
            return False
        return holder.id not in self._sources.get(place.entity, ()) and self._at(belief.node, place)
