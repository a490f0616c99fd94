# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What may put right a skill that failed for a reason nobody foresaw: to be tried out when it is tried again.

Candidates are single calls from the robot's own skill table, likeliest first: what brings about a precondition of the
skill that failed; what its message speaks of; then whatever else can be done to the thing itself, and to things that
the message names. Nothing irreversible is tried out, and nothing that undoes the last candidate but one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from planner_node.skills import Code, Outcome, SkillCall, SkillSpec, SkillTable, Target
from planner_node.vocabulary.lexicon import Lexicon, split_camel
from planner_node.world import World

REPAIRABLE = (Code.PRECONDITION_FAILURE, Code.EXECUTION_FAILURE)
"""Results after which something can be tried."""
_MOST = 6
"""Candidates for one failure."""
_AFFORDANCES = {"toggleable": "toggle", "openable": "open", "sliceable": "slice", "breakable": "break"}
_NO_MANIPULATION = frozenset({"visible", "reachable", "near", "located"})
"""Effects that change nothing about a thing."""


def repairs(failed: Outcome, table: SkillTable, world: World, lexicon: Lexicon) -> Iterator[SkillCall]:
    """Yield calls that may make the failed call work, likeliest first; at most six, none where nothing can be tried."""
    if failed.code not in REPAIRABLE or failed.call.skill not in table:
        return
    wanted = {_literal(text) for text in table[failed.call.skill].preconditions}
    said = set(_words(failed.message))
    ranked: list[tuple[tuple[int, int], SkillCall]] = []
    for nearness, target in enumerate(_things(failed, world)):
        for spec in table.values():
            if not _manipulates(spec) or spec.name == failed.call.skill or not _fits(spec, target, world, lexicon):
                continue
            brings = nearness == 0 and bool(wanted & {_literal(text) for text in spec.effects})
            spoken = bool(said & set(_words(f"{split_camel(spec.name)} {' '.join(spec.effects)}")))
            ranked.append(((0 if brings else 1 if spoken else 2, nearness), SkillCall(spec.name, target)))
    ranked.sort(key=lambda item: item[0])
    yield from [call for _, call in ranked][:_MOST]


def _things(failed: Outcome, world: World) -> list[Target]:
    """Return the thing that the skill was about, and those that its message names."""
    own = failed.call.subject
    named = [b for b in world if b.id in failed.message and b.id not in (own.id, world.held)]
    return [own, *(Target(b.id, b.node.category, b.node.position) for b in named)]


def _manipulates(spec: SkillSpec) -> bool:
    """Whether a skill changes a thing, by nothing but that thing, and can be undone."""
    needed = [p.name for p in spec.parameters if p.required]
    changes = {_literal(text).removeprefix("not ") for text in spec.effects} - _NO_MANIPULATION
    return needed == ["target"] and bool(changes) and not spec.irreversible and not spec.needs_hand_full


def _fits(spec: SkillSpec, target: Target, world: World, lexicon: Lexicon) -> bool:
    """Whether a thing is of the sort that a skill takes, and as the skill wants it, as far as that is known."""
    belief = world.get(target.id)
    category = belief.node.category if belief is not None else target.category
    if spec.needs_hand_empty and world.held:
        return False
    for text in spec.preconditions:
        literal = _literal(text)
        if literal == "pickupable" and not lexicon.can(category, "pickup"):
            return False
        if literal in _AFFORDANCES and category in lexicon.kinds and not lexicon.can(category, _AFFORDANCES[literal]):
            return False
        if literal in ("closed", "not closed") and world.is_open(target.id) is (literal == "closed"):
            return False
        if literal in ("toggled", "not toggled") and world.is_on(target.id) is (literal == "not toggled"):
            return False
    return True


def _literal(text: str) -> str:
    """Return a literal without its arguments: "not closed" for "not closed(target)"."""
    return text.partition("(")[0].strip()


def _words(text: str) -> Iterator[str]:
    """Yield the stems of the words that say something."""
    for word in re.findall(r"[a-z]{4,}", text.lower()):
        yield word.removeprefix("un")[:5]
