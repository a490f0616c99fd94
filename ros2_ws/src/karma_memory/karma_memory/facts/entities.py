# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Whom and what a user means: names, "my sister", "she", "the dentist appointment", in that user's own graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from karma_language.told.facts.english import gender_of_role
from karma_language.told.facts.extraction import SPEAKER, Mention
from karma_language.told.facts.relations import is_event, phrase_key, role_of, stem_set
from karma_memory.facts.fact import USER_NODE, Node

REMEMBERED = 8
"""Entities that a pronoun can mean: the last ones that were spoken of."""


class Entities:
    """The nodes of one user's graph. Not thread-safe."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {USER_NODE: Node(USER_NODE, "user", person=True)}
        self._by_name: dict[str, str] = {}
        """phrase_key of a name → node."""
        self._owned: dict[str, list[str]] = {}
        """Node → nodes that are known as something of it."""
        self.spoken_of: list[str] = []
        """The last entities, the most recent first."""

    def named(self, name: str) -> str | None:
        """Return the node of a name, also for the first name of a person."""
        key = phrase_key(name)
        return self._by_name.get(key)

    def owned(self, owner: str, label: str) -> str | None:
        """Return what is known as `label` of a node: all words of the shorter label are in the longer one."""
        asked = stem_set(label)
        best: tuple[int, int, str] | None = None
        for place, node_id in enumerate(self._owned.get(owner, ())):
            have = stem_set(self.nodes[node_id].label)
            if asked and (asked <= have or (have <= asked and len(have) > 1)):
                rank = (-abs(len(asked) - len(have)), place, node_id)
                best = rank if best is None or rank > best else best
        return None if best is None else best[2]

    def children(self, owner: str) -> list[str]:
        """Return the nodes that are known as something of a node."""
        return list(self._owned.get(owner, ()))

    def value(self, name: str, *, person: bool = False, gender: str = "") -> str:
        """Return the node of a value or a name; a new one if there is none."""
        node_id = self.named(name)
        if node_id is None:
            return self.add(
                Node(_free_id(phrase_key(name) or name.lower(), self.nodes), name, person=person, gender=gender)
            )
        if person and not self.nodes[node_id].person:
            self.nodes[node_id] = replace(self.nodes[node_id], person=True, gender=gender)
        return node_id

    def placeholder(self, owner: str, label: str) -> str:
        """Make a node for something of which only is known whose it is."""
        name = label if owner == USER_NODE else f"{self.nodes[owner].name}'s {label}"
        node_id = _free_id(f"{owner}/{phrase_key(label)}", self.nodes)
        return self.add(
            Node(
                node_id,
                name,
                owner,
                label,
                person=role_of(label) is not None and not is_event(label),
                gender=gender_of_role(label),
            )
        )

    def add(self, node: Node) -> str:
        """Take in a node."""
        self.nodes[node.id] = node
        if node.owner:
            self._owned.setdefault(node.owner, []).append(node.id)
        else:
            self._learn(node)
        return node.id

    def bind(self, node_id: str, name: str) -> None:
        """Let what was known as somebody's sister have a name."""
        self.nodes[node_id] = replace(self.nodes[node_id], name=name)
        self._learn(self.nodes[node_id])

    def speak_of(self, node_ids: Iterable[str]) -> None:
        """Note what a sentence was about, the subject first."""
        new = [node_id for node_id in dict.fromkeys(node_ids) if node_id != USER_NODE]
        self.spoken_of = [*new, *(node_id for node_id in self.spoken_of if node_id not in new)][:REMEMBERED]

    def base(self, mention: Mention) -> str | None:
        """Return the node that a mention starts from, None for a pronoun that means nothing and for an unknown name."""
        if mention.base == SPEAKER:
            return USER_NODE
        if mention.pronoun:
            known = ((name, self.nodes[name]) for name in self.spoken_of)
            return next((name for name, node in known if mention.may_be(node.person, node.gender)), None)
        return self.named(mention.base)

    def names(self) -> Mapping[str, str]:
        """Return the names that are known, spelled one way, and their nodes."""
        return self._by_name

    def restore(self, nodes: Iterable[Node], names: Mapping[str, str], spoken_of: Iterable[str]) -> None:
        """Take over nodes."""
        for node in nodes:
            self.add(node)
        self._by_name = dict(names)
        self.spoken_of = list(spoken_of)

    def _learn(self, node: Node) -> None:
        if node.id == USER_NODE:
            return
        self._by_name.setdefault(phrase_key(node.name), node.id)
        first = phrase_key(node.name).split(" ")[0]
        if node.person and first:
            self._by_name.setdefault(first, node.id)


def _free_id(wanted: str, taken: Mapping[str, Node]) -> str:
    node_id, number = wanted, 2
    while node_id in taken:
        node_id, number = f"{wanted}#{number}", number + 1
    return node_id
