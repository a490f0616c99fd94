# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Profile noise (MEMENTO, appendix E.4.4): knowledge and nodes told again in other words.

The graph is made of the original side of tables 24 and 25, all in one user's profile; then comes the modified side.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from karma_language.reading import Telling, Told
from karma_language.told.habits.commands import moves
from karma_language.told.habits.knowledge import phrase_type
from karma_language.told.habits.placing import with_rooms
from karma_language.told.habits.wording import KnowledgeType
from karma_memory.profile.memory import UserProfiles
from karma_memory.recall.embedder import Embedder

USER, SCENE = "user", "home"


@dataclass(frozen=True)
class Reference:
    """One decision: what was told again, and the node that it was taken for."""

    original: str
    modified: str
    expected: str
    """Node of the original."""
    found: str
    """Node of the modified wording; empty: it would be a new one."""

    @property
    def right(self) -> bool:
        """Whether it was taken for what it is."""
        return self.expected != "" and self.expected == self.found


@cache
def tables() -> dict[str, list[tuple[str, str]]]:
    """Return tables 24 (knowledge_update), 25 (node_reference) and 27 (failures_of_the_paper)."""
    raw = json.loads(resources.files(__package__).joinpath("noise_tables.json").read_text("utf-8"))
    return {name: [(original, modified) for original, modified in rows] for name, rows in raw.items()}


def knowledge_updates(embedder: Embedder | None) -> list[Reference]:
    """Return what becomes of each row of table 24: right is an update of the knowledge that it words anew."""
    found = []
    for original, modified in tables()["knowledge_update"]:
        profiles = UserProfiles(embedder)
        nodes = {
            alias: profiles.learn(USER, _named(alias), scene=SCENE).node for alias, _ in tables()["knowledge_update"]
        }
        change = profiles.learn(USER, _named(modified), scene=SCENE)
        found.append(Reference(original, modified, nodes[original], change.replaced))
    return found


def node_references(embedder: Embedder | None) -> list[Reference]:
    """Return what each thing and place of table 25 is taken for: right is the node of its original."""
    profiles = UserProfiles(embedder)
    for original, _ in tables()["node_reference"]:
        profiles.learn(USER, _told(original), scene=SCENE)
    found = []
    for original, modified in tables()["node_reference"]:
        before, after = (profiles.mentions(USER, _told(text), scene=SCENE) for text in (original, modified))
        pairs = zip(before, after, strict=True)
        found += [Reference(one.text, other.text, one.node, other.node) for one, other in pairs]
    return found


def score(references: Sequence[Reference]) -> float:
    """Return the share that is right, percent."""
    return 100.0 * sum(reference.right for reference in references) / len(references)


def _named(alias: str) -> Told:
    habit = phrase_type(alias) is KnowledgeType.USER_PATTERN
    kind = Telling.HABIT if habit else Telling.MEANING
    return Told(quote=alias, kind=kind, name=alias, sort="routine" if habit else "ownership")


def _told(text: str) -> Told:
    """Return the things and places of a command; of a description, the thing."""
    found = with_rooms(moves(text))
    names = dict.fromkeys(name for move in found for name in move.things) or (text,)
    return _named(text).model_copy(update={"things": tuple(names), "moves": found})
