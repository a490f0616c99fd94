# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which objects a skill used, of all that its outcome mentions."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from karma_memory.events import SkillOutcome
from karma_memory.scene import Node
from karma_memory.scene_graph.beliefs import LOOKING_SKILLS

REVEALING_SKILLS = frozenset({"OpenObject", "CloseObject", "GoToObject", "Navigate", "Wait"})
"""Skills whose outcome may mention objects that only came into view."""
LOOKS = LOOKING_SKILLS | REVEALING_SKILLS
"""Skills that show the robot something."""


def used_objects(
    outcome: SkillOutcome, nodes: Iterable[Node], previous: Callable[[str], Node | None]
) -> dict[str, None]:
    """Return the ids of the objects that the robot used or was after, in the order of `nodes`.

    `nodes`: all objects that the outcome mentions, as they are afterwards; `previous`: what was believed of one before.
    A skill that only looks was after what the call names, by id or, without one, the first of the category.
    One that may bring things into view used that, what is held, and what changed its state or what it rests on.
    Any other skill used all that its outcome mentions.
    """
    nodes = list(nodes)
    skill = outcome.call.skill
    if skill not in LOOKS:
        return dict.fromkeys(node.id for node in nodes)
    used = _named(outcome, nodes)
    if skill in REVEALING_SKILLS:
        for node in nodes:
            before = previous(node.id)
            if node.relation == "held" or (before is not None and _altered(before, node)):
                used[node.id] = None
    return used


def _named(outcome: SkillOutcome, nodes: list[Node]) -> dict[str, None]:
    named: dict[str, None] = {}
    for target in (outcome.call.target, outcome.call.receptacle):
        fitting = (node for node in nodes if (node.id == target.id if target.id else node.category == target.category))
        if (first := next(fitting, None)) is not None:
            named[first.id] = None
    return named


def _altered(before: Node, after: Node) -> bool:
    return (before.receptacle, before.relation, before.states) != (after.receptacle, after.relation, after.states)
