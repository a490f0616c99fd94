# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which of some facts have the object that was said."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from karma_memory.facts.entities import Entities
from karma_memory.facts.extraction import SPEAKER, Mention
from karma_memory.facts.fact import Fact
from karma_memory.facts.schema import stem_set
from karma_memory.facts.times import Moment


def called(entities: Entities, facts: Sequence[Fact], name: str) -> Fact | None:
    """Return the last of some facts whose object is called so."""
    asked = stem_set(name)
    found = [
        f
        for f in facts
        if asked and (asked <= (have := stem_set(entities.nodes[f.tail].name)) or (have and have <= asked))
    ]
    return found[-1] if found else None


def having(
    entities: Entities, facts: Sequence[Fact], said: str | Mention | Moment, node_of: Callable[[Mention], str | None]
) -> list[Fact]:
    """Return the facts that have an object: a string is called alike; of a mention and a time, all must be in it."""
    if isinstance(said, str):
        named = called(entities, facts, said)
        return [f for f in facts if named is not None and f.tail == named.tail]
    if isinstance(said, Mention) and (said.steps or said.base == SPEAKER):
        node = node_of(said)
        return [f for f in facts if f.tail == node]
    return [f for f in facts if _is_called(entities.nodes[f.tail].name, said)]


def _is_called(name: str, said: Mention | Moment) -> bool:
    if isinstance(said, Mention):
        return bool(asked := stem_set(said.base)) and asked <= stem_set(name)
    return name.startswith(said.text) or (said.yearless and name.endswith(said.yearly.removeprefix("-")))
