# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which of some facts have the object that was said."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from karma_language.reading import Told
from karma_language.told.facts.extraction import SPEAKER, Mention
from karma_language.told.facts.relations import LISTS, stem_set
from karma_memory.facts.entities import Entities
from karma_memory.facts.fact import Fact
from karma_memory.facts.moments import name_of


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
    entities: Entities, facts: Sequence[Fact], gone: Told, node_of: Callable[[Mention], str | None]
) -> list[Fact]:
    """Return the facts that have the object of a retraction.

    Of a relation that was said, or of what is to do or to buy, one that is called alike is meant; else all of its
    words must be in the object's name.
    """
    if gone.when is not None:
        said, yearly = name_of(gone.when), name_of(gone.when, yearly=True).removeprefix("-")
        names = [(f, entities.nodes[f.tail].name) for f in facts]
        return [f for f, name in names if name.startswith(said) or (gone.yearly and name.endswith(yearly))]
    said_path = Mention.of_path(gone.value)
    if said_path.steps or said_path.base == SPEAKER:
        node = node_of(said_path)
        return [f for f in facts if f.tail == node]
    if gone.relation in ("", *LISTS):
        named = called(entities, facts, said_path.base)
        return [f for f in facts if named is not None and f.tail == named.tail]
    asked = stem_set(said_path.base)
    return [f for f in facts if asked and asked <= stem_set(entities.nodes[f.tail].name)]
