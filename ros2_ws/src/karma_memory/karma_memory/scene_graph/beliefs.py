# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What was believed about a node, and when; what counts as a change, and what is too old to count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from karma_memory.encoding import Json, from_json, to_json
from karma_memory.events import Code, SkillOutcome
from karma_memory.scene import Layer, Node, distance

MOVED = 0.05
"""Metres; a node that shifts less has not moved."""
CLOCK_RESTART = 60.0
"""Seconds. News that is older than what is known is stale, unless it was sent so much earlier: then the clock was set
back (a simulator started again), and the order of arrival counts."""

DOUBT = 0.5
"""Factor on the confidence in an object that was not found but may be hidden where it is believed to be."""

LOOKING_SKILLS = frozenset({"Explore", "FindObject", "FindReceptacle", "FindRoom", "DescribeObject"})
"""Skills that look around; that they don't find an object says little about one place."""
SAME_PLACE = 0.5
"""Metres; a skill that was given a position and found nothing there speaks about objects this near to it."""


@dataclass(frozen=True)
class Belief:
    """What was believed about one node for a while."""

    node: Node
    valid_from: float
    """Seconds, the robot's clock."""
    source: str
    """Id of the event it rests on."""
    valid_until: float | None = None
    """None while it is believed."""

    def closed(self, stamp: float) -> Belief:
        """Return this belief, ended at `stamp`."""
        return replace(self, valid_until=stamp)

    def to_json(self) -> Json:
        """Return the belief as a JSON object."""
        data: Json = {"node": to_json(self.node), "from": self.valid_from, "source": self.source}
        if self.valid_until is not None:
            data["until"] = self.valid_until
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Belief:
        """Return the belief of a JSON object. KeyError or TypeError where it is none."""
        return cls(from_json(Node, data["node"]), data["from"], data["source"], data.get("until"))


def seen_at(node: Node, stamp: float) -> Node:
    """Return `node` with `stamp` as the time of its observation, where it tells none itself."""
    return node if node.last_seen > 0 else replace(node, last_seen=stamp)


def is_stale(known: Node, news: Node, stamp: float) -> bool:
    """Whether `news`, sent at `stamp`, was seen before what is known: by another robot, or as a skill's outcome."""
    return is_older(news.last_seen, known, stamp)


def is_older(seen: float, known: Node, stamp: float) -> bool:
    """Whether something that was sent at `stamp` was `seen` (seconds) before a node that is known."""
    return seen < known.last_seen and known.last_seen - CLOCK_RESTART < max(seen, stamp)


def differs(known: Node, news: Node) -> bool:
    """Whether `news` says something else than `known`, apart from when it was seen and how sure it is."""
    return (
        distance(known.position, news.position) > MOVED
        or distance(known.size, news.size) > MOVED
        or (known.relation, known.receptacle, known.states) != (news.relation, news.receptacle, news.states)
        or (known.category, known.name, known.movable) != (news.category, news.name, news.movable)
        or (known.parent != news.parent and news.layer is not Layer.OBJECT)
        or (known.parent != news.parent and distance(known.position, news.position) > 0)
        or known.layer is not news.layer
    )


def refutes(outcome: SkillOutcome, node: Node) -> bool:
    """Whether a skill went to where `node` is believed to be and did not find it."""
    target = outcome.call.target
    if outcome.code is not Code.NOT_FOUND or outcome.call.skill in LOOKING_SKILLS:
        return False
    if any(seen.id == node.id for seen in outcome.seen):
        return False
    if target.id:
        return target.id == node.id
    return (
        target.position is not None
        and target.category == node.category
        and distance(target.position, node.position) <= SAME_PLACE
    )


def how_it_rests(node: Node) -> str:
    """Return how an object rests on its receptacle, "on" unless it says "in"; "" for one that is held."""
    return "" if node.relation == "held" else node.relation or "on"
