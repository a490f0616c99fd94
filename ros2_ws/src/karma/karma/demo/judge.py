# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether what was asked for is so: the simulator's truth, not what the robot says of itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Fact:
    """Something that must be true of one object at least."""

    categories: tuple[str, ...]
    """Any of these will do."""
    place: str = ""
    """Category of what it is in or on; empty: anywhere."""
    held: bool = False
    states: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        parts = [" or ".join(self.categories)]
        parts += [f"at a {self.place}"] if self.place else []
        parts += ["in the gripper"] if self.held else []
        parts += [f"{name}={value}" for name, value in self.states.items()]
        return " ".join(parts)


def missing(facts: Iterable[Fact], nodes: Sequence[Any]) -> list[Fact]:
    """Return the facts that hold for none of the objects, given as karma_interfaces/SceneNode."""
    categories = {node.id: node.category for node in nodes}

    def holds(fact: Fact, node: Any) -> bool:
        states = {state.key: state.value for state in node.states}
        return (
            node.category in fact.categories
            and (not fact.place or categories.get(node.receptacle) == fact.place)
            and (not fact.held or node.relation == "held")
            and fact.states.items() <= states.items()
        )

    return [fact for fact in facts if not any(holds(fact, node) for node in nodes)]
