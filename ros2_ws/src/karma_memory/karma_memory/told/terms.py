# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What callers say of things, times and deeds, in the terms of the memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from karma_language.vocabulary.skill_words import GIVEN, HELD, PUT, Deed, relation_of
from karma_language.vocabulary.states import STATES
from karma_memory.events import SkillTarget
from karma_memory.scene import InvalidEventError, Layer, Node, Point, check_id, check_point


def seconds(moment: float | datetime) -> float:
    """Return a time in seconds."""
    return moment.timestamp() if isinstance(moment, datetime) else moment


def name_in(what: str, name: str) -> str:
    """Return a name in one form. InvalidEventError where nothing is left of it."""
    return check_id(what, " ".join(check_id(what, name).split()))


def point(what: str, values: Sequence[float]) -> Point:
    """Return three numbers as a point; arrays and vectors of other libraries are sequences, too."""
    return check_point(what, getattr(values, "tolist", lambda: values)())


def states(state: str | Iterable[str]) -> dict[str, str]:
    """Return the scene graph's terms for states in words. InvalidEventError for others."""
    words = [state] if isinstance(state, str) or not isinstance(state, Iterable) else [*state]
    if unknown := [word for word in words if word not in STATES]:
        raise InvalidEventError(f"no state is called {unknown[0]!r}; there are: {', '.join(STATES)}")
    return {STATES[word][0]: STATES[word][1] for word in words}


def check_apart(thing: Node, holder: Node) -> None:
    """Raise InvalidEventError where a thing is to be on or in itself."""
    if thing.id == holder.id:
        raise InvalidEventError(f"{thing.name or thing.id!r} can't be on or inside itself")


def after(act: Deed, thing: Node, holder: Node | None) -> Node:
    """Return a thing as it is after something was done with it."""
    if act.after in STATES:
        what, value, _ = STATES[act.after]
        return replace(thing, states={**thing.states, what: value})
    if act.after == HELD:
        return replace(thing, receptacle="", relation="held")
    if act.after not in (PUT, GIVEN):
        return thing
    if holder is None:
        return replace(thing, receptacle="", relation="")
    if holder.layer is Layer.ROOM:
        return replace(thing, receptacle="", relation="", parent=holder.id)
    relation = act.relation or relation_of(holder.label)
    return replace(thing, receptacle=holder.id, relation=relation, parent=holder.parent, position=holder.position)


def target(node: Node | None) -> SkillTarget:
    """Return what a skill was called with; empty for nothing."""
    return SkillTarget() if node is None else SkillTarget(node.id, node.category, node.position)
