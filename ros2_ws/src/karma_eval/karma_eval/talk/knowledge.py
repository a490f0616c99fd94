# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the robot can know: each thing as it was when it was last in view."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from karma_eval.household.conversions import node_from
from karma_eval.household.robot import as_node
from karma_eval.household.survey import Survey
from karma_memory import Layer
from planner_node.skills import Node, Outcome
from sim_bridge.household.world import GRIPPER, World


@dataclass(frozen=True)
class Change:
    """A thing was found otherwise than before."""

    name: str
    stamp: float
    """Seconds, the robot's clock, when that was seen."""


_SWITCHING = ("SwitchOn", "SwitchOff", "ToggleOn", "ToggleOff")


class Knowledge:
    """Follows what the robot sees. It knows no more than pictures and its own hand can show."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._seen: dict[str, Node] = {}
        self._looked_into: set[str] = set()
        self.changes: list[Change] = []
        self._put = ""
        """Where something was put last."""

    def explored(self, survey: Survey) -> None:
        """Take in what exploring the home showed."""
        self.see(node_from(node) for node in survey.nodes if node.layer is Layer.OBJECT)

    def watch(self, outcome: Outcome) -> None:
        """Take in what a skill showed and did. What it opened it has looked into."""
        self.see(outcome.seen)
        if outcome.ok and outcome.call.receptacle:
            self._put = outcome.call.receptacle.id
        if outcome.ok and outcome.call.skill in _SWITCHING and self._put in self._seen:
            for name in self._world.contents(self._put):  # it sees the cup under the tap
                self._see(_node(self._world, name, outcome.stamp))
        held = self._world.held
        for name in (held, *self._world.contents(held)) if held else ():
            self._see(_node(self._world, name, outcome.stamp))
        for name in [*self._seen]:
            if name in self._world.gone:
                del self._seen[name]
                self.changes.append(Change(name, outcome.stamp))

    def see(self, nodes: Iterable[Node]) -> None:
        """Take in things as they were seen."""
        for node in nodes:
            self._see(node)

    def _see(self, node: Node) -> None:
        before = self._seen.get(node.id)
        if before is not None and (before.receptacle, before.states) != (node.receptacle, node.states):
            self.changes.append(Change(node.id, node.last_seen))
        self._seen[node.id] = node
        if node.receptacle:
            self._looked_into.add(node.receptacle)
        if node.states.get("isOpen") == "true":
            self._looked_into.add(node.id)

    def of(self, categories: Iterable[str]) -> Iterator[Node]:
        """Yield the things of some categories, as they were last seen."""
        wanted = frozenset(categories)
        for node in self._seen.values():
            if node.category in wanted:
                yield node

    def places(self, categories: Iterable[str]) -> tuple[str, ...]:
        """Return the ids of places of some categories that were seen, themselves or what lies there: the floor is."""
        wanted = frozenset(categories)
        named = (name for node in self._seen.values() for name in (node.id, node.receptacle))
        known = (name for name in named if name in self._world.specs and self._world.category(name) in wanted)
        return tuple(dict.fromkeys(known))

    def inside(self, name: str) -> tuple[Node, ...]:
        """Return what was last seen on or in something, directly."""
        return tuple(node for node in self._seen.values() if node.receptacle == name)

    def looked_into(self, name: str) -> bool:
        """Whether the robot has seen what is on or in something; in what is never closed it has when it saw it."""
        return name in self._looked_into or not self._world.can(name, "openable")

    def holders(self, node: Node) -> Iterator[Node]:
        """Yield what holds a thing, the nearest first."""
        passed = {node.id}
        while node.receptacle in self._seen and node.receptacle not in passed:
            node = self._seen[node.receptacle]
            passed.add(node.id)
            yield node


def _node(world: World, name: str, stamp: float) -> Node:
    node = as_node(world.describe(name), stamp)
    return replace(node, receptacle=GRIPPER) if world.parents[name] == GRIPPER else node
