# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What has become of the things of a home: where they were before, what was found otherwise, since when it is so."""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from karma_language.answers.evidence import Move
from karma_language.things import Thing, Where
from karma_memory.ask.home import Home
from karma_memory.scene import Node, distance
from karma_memory.scene_graph.beliefs import Belief

_STAYS = 1.0
"""Metres by which a thing may seem to move when it is only seen better."""
_GLIMPSE = 10.0
"""Seconds for which a belief must have held to count for a change."""
_Pair = tuple[Belief, Belief | None]
"""What was believed of a thing before a change and after it; None: it was gone."""


class Scene(Home):
    """A home with its history."""

    def then(self, at: float) -> Scene:
        """Return the scene at a time."""
        return Scene(self._graph, at, here=self._here, owners=self.owners)

    def around(self) -> list[Node]:
        """Return what is in the robot's room; everything while no room is known, or not which is the robot's."""
        room = self.here()
        return [*self._everything()] if room is None else self.inside([room])

    def place_then(self, name: str, at: float) -> str:
        """Return the id of what held a thing at a time, "" where that is not known."""
        held = (one.node for one in self._graph.history(name) if one.valid_from <= at)
        return next((node.receptacle for node in reversed([*held])), "")

    def found_last(self, name: str, since: float, until: float, to: Collection[str]) -> float | None:
        """Return when a thing was found elsewhere in a stretch of time, before it was taken; None for never.

        `to`: the places where it was put then.
        """
        later = (one for one in self._graph.history(name) if since < one.valid_from <= until)
        there = itertools.takewhile(lambda one: one.node.relation != "held" and one.node.receptacle not in to, later)
        found = [one.valid_from for one in there]
        return found[-1] if found else None

    def moves(
        self, since: float, until: float, thing: Thing | None, where: Where | None, *, each: float = 0.0
    ) -> list[Move]:
        """Return what was found otherwise than before, in a stretch of time, the newest first.

        `each`: seconds; of the changes of a thing in so long only the last one counts.
        """
        otherwise = self._found_otherwise(since, until, thing, where)
        if each:
            otherwise = ([*{_found_at(pair) // each: pair for pair in pairs}.values()] for pairs in otherwise)
        found = [pair for pairs in otherwise for pair in pairs]
        return [self._move(*pair) for pair in sorted(found, key=_found_at, reverse=True)]

    def changes(self, since: float, until: float, where: Where | None) -> list[Move]:
        """Return for each thing how it was before a stretch of time and is after it, if otherwise; the newest first."""
        found = sorted(self._found_otherwise(since, until, None, where), key=lambda pairs: -_found_at(pairs[-1]))
        in_all = (self._move(pairs[0][0], self._seen_last(pairs[-1][1])) for pairs in found)
        return [move for move in in_all if move.elsewhere or move.otherwise]

    def _found_otherwise(
        self, since: float, until: float, thing: Thing | None, where: Where | None
    ) -> Iterator[list[_Pair]]:
        """Yield the changes of each thing that had some in a stretch of time, the first first."""
        ids = {belief.node.id for belief in (*self.current(thing), *self.past(thing))} if thing is not None else None
        there = {place.id for place in self.with_place(where)[0]} if where is not None else None
        lost = {one.node.id: one for one in self._graph.lost() if one.node.movable}
        for name in dict.fromkeys((*(node.id for node in self._graph.altered()), *lost)):
            if ids is not None and name not in ids:
                continue
            pairs: list[_Pair] = [
                (before, after)
                for before, after in itertools.pairwise(_within(self._graph.history(name), since, until))
                if since <= after.valid_from <= until and _otherwise(before.node, after.node)
            ]
            pairs += _switched(self._graph.history(name), since, until) if not pairs else []
            gone = lost.get(name)
            if gone is not None and gone.valid_until is not None and since <= gone.valid_until <= until:
                pairs.append((gone, None))
            if there is not None:
                pairs = [
                    pair
                    for pair in pairs
                    if any(one and {self.room_id(one.node), one.node.receptacle, name} & there for one in pair)
                ]
            if pairs:
                yield pairs

    def _seen_last(self, belief: Belief | None) -> Belief | None:
        """Return the current belief about a thing that is where and as it was believed then, else that one."""
        now = self._graph.belief(belief.node.id) if belief is not None else None
        if belief is None or now is None or _otherwise(belief.node, now.node):
            return belief
        return replace(belief, valid_until=None)

    def _move(self, before: Belief, after: Belief | None) -> Move:
        return Move(self.sighting(before), self.sighting(after) if after is not None else None)

    def since(self, belief: Belief, flag: str = "") -> float:
        """Return since when a thing is where it is, or has the state that it has, as far as was seen."""

        def so(one: Belief) -> tuple[str, ...]:
            node = one.node
            return (node.states.get(flag, ""),) if flag else (node.receptacle, node.relation)

        earlier = [one for one in self._graph.history(belief.node.id) if one.valid_from <= belief.valid_from]
        alike = itertools.takewhile(lambda one: so(one) == so(belief), reversed(earlier))
        return min((one.valid_from for one in alike), default=belief.valid_from)

    def mostly(self, name: str) -> Belief | None:
        """Return the last belief about a thing at the place where it was for the longest in all, as far as was seen."""
        lasted: defaultdict[str, float] = defaultdict(float)
        beliefs = [one for one in self._graph.history(name) if one.node.receptacle]
        for one in beliefs:
            end = one.valid_until if one.valid_until is not None else one.node.last_seen
            lasted[one.node.receptacle] += end - one.valid_from
        longest = max(lasted, key=lambda place: lasted[place], default="")
        return next((one for one in reversed(beliefs) if one.node.receptacle == longest), None)


def _within(history: Sequence[Belief], since: float, until: float) -> list[Belief]:
    """Return the beliefs that began in a stretch of time, and the one before; no glimpses, nothing on its way."""
    begin = bisect_left(history, since, key=_began)
    while begin > 0 and history[begin - 1].node.relation == "held":
        begin -= 1
    known = history[max(begin - 1, 0) : bisect_right(history, until, key=_began)]
    return [one for one in known if one is history[-1] or not (one.node.relation == "held" or _glimpsed(one))]


def _switched(history: Sequence[Belief], since: float, until: float) -> list[_Pair]:
    """Return the changes of state of a thing that stays where it is, however short it was seen otherwise."""
    begin = max(bisect_left(history, since, key=_began) - 1, 0)
    return [
        (before, after)
        for before, after in itertools.pairwise(history[begin : bisect_right(history, until, key=_began)])
        if before.node.receptacle == after.node.receptacle and _in_other_state(before.node, after.node)
    ]


def _glimpsed(belief: Belief) -> bool:
    """Whether what was believed was seen better at once: what stands at the edge of the sink, say."""
    return belief.valid_until is not None and belief.valid_until - belief.valid_from < _GLIMPSE


def _began(belief: Belief) -> float:
    return belief.valid_from


def _found_at(pair: _Pair) -> float:
    """Return when a change was found, seconds."""
    before, after = pair
    return after.valid_from if after is not None else before.valid_until or 0.0


def _both_known(before: Node, after: Node) -> bool:
    """Whether it is known what held a thing before and after; what is only seen better is no change."""
    return all(node.receptacle or node.relation == "held" for node in (before, after))


def _otherwise(before: Node, after: Node) -> bool:
    """Whether people would say that a thing has changed: it is elsewhere, or in another state."""
    placed = (before.receptacle, before.relation) != (after.receptacle, after.relation)
    if before.movable and placed and (_both_known(before, after) or distance(before.position, after.position) > _STAYS):
        return True
    return _in_other_state(before, after)


def _in_other_state(before: Node, after: Node) -> bool:
    return any(before.states.get(flag, value) != value for flag, value in after.states.items() if flag != "temperature")
