# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""User-profile memory: how it is updated and asked (MEMENTO, appendix D.1, algorithms 1 and 2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import takewhile
from typing import TypeVar

from karma_language.reading import Move, Telling, Told
from karma_language.told.habits.denial import takes_back
from karma_language.told.habits.knowledge import described
from karma_language.told.habits.placing import with_rooms
from karma_language.told.habits.references import place, thing
from karma_language.told.habits.wording import KnowledgeType
from karma_memory.profile.graph import CATEGORY, INSTANCE, Node, NodeType, ProfileGraph
from karma_memory.profile.identity import MATCH, Identity
from karma_memory.profile.knowledge import Candidate, Comparison, meaning
from karma_memory.profile.likeness import Lexicon
from karma_memory.profile.retrieval import EpisodeRetriever, PastEpisode, RetrievedEpisode
from karma_memory.recall.embedder import Embedder

KINDS = {Telling.MEANING: KnowledgeType.OBJECT_SEMANTICS, Telling.HABIT: KnowledgeType.USER_PATTERN}
"""What is told that profiles keep."""
TELLING = {kind: telling for telling, kind in KINDS.items()}
CANDIDATES = 10
"""Knowledge nodes that are shown to the step that decides."""
Called = TypeVar("Called", Node, Candidate)
"""What has an alias."""


class Operation(Enum):
    """What became of something told (algorithm 1, step 5)."""

    ADD = "add"
    UPDATE = "update"


@dataclass(frozen=True)
class Change:
    """One operation on the graph."""

    operation: Operation
    node: str
    """The knowledge node that is there now."""
    replaced: str = ""
    """The one that was there before."""


@dataclass(frozen=True)
class Mention:
    """A thing or place that an instruction speaks of."""

    text: str
    type: NodeType
    node: str
    """The node that it means; empty where the graph has none."""


class UserProfiles:
    """Profiles of all users, each strictly apart. Not thread-safe; the same calls lead to the same state."""

    def __init__(self, embedder: Embedder | None) -> None:
        """Start empty."""
        self.graph = ProfileGraph()
        self._lexicon = Lexicon(embedder)
        self._identity = Identity(self._lexicon)
        self._comparison = Comparison(self._lexicon)
        self._retriever = EpisodeRetriever(embedder)

    def hear(
        self,
        user: str,
        told: Iterable[Told],
        *,
        told_in: str = "",
        scene: str = "",
        source: str = "",
        stamp: float = 0.0,
    ) -> list[Change]:
        """Take in what somebody told of things and habits (algorithm 1). `told_in`: the whole of what they said."""
        context = {"told_in": told_in, "scene": scene, "source": source, "stamp": stamp}
        return [self.learn(user, one, **context) for one in told if one.kind in KINDS]  # type: ignore[arg-type]

    def learn(
        self, user: str, told: Told, *, told_in: str = "", scene: str = "", source: str = "", stamp: float = 0.0
    ) -> Change:
        """Add knowledge, or replace what it updates (algorithm 1, steps 3 to 5)."""
        known = self.candidates(user, told, scene, before=stamp)
        old = self._comparison.told_again(told, known)
        if old:
            if not told.things and not told.moves:
                told = told.model_copy(update={"things": self._candidate(old, 1.0).things})
            self.remove(old)
        node = self.graph.add(
            user,
            NodeType.KNOWLEDGE,
            subtype=KINDS[told.kind].value,
            category=told.sort,
            alias=told.name,
            description=told.quote,
            told_in=told_in,
            scene=scene,
            source=source,
            valid_from=stamp,
        )
        self.graph.join(self._user(user).id, node.id)
        self._attach(user, node, told)
        self.graph.remove_unused(user)
        self._index(user, node.id)
        return Change(Operation.UPDATE if old else Operation.ADD, node.id, old)

    def take_back(self, user: str, told: Iterable[Told], *, scene: str = "", before: float = math.inf) -> list[str]:
        """Take out what is said not to be so, or no longer, and was told up to `before` (seconds); return their ids."""
        denied = [one for one in told if one.kind is Telling.DENIAL]
        gone = [
            node.id
            for node in (self.graph.of_user(user, NodeType.KNOWLEDGE) if denied else ())
            if (scene == node.scene or "" in (scene, node.scene))
            and node.valid_from <= before
            and any(takes_back(one, node.alias, f"{node.description} {node.told_in}") for one in denied)
        ]
        for knowledge in gone:
            self.remove(knowledge)
        if gone:
            self.graph.remove_unused(user)
        return gone

    def remove(self, knowledge: str) -> None:
        """Take out a knowledge node and its patterns; what other knowledge needs stays."""
        patterns = self.graph.patterns(knowledge)
        self.graph.remove(knowledge)
        for pattern in patterns:
            if all(parent.type is NodeType.PATTERN for parent in self.graph.parents(pattern.id)):
                self.graph.remove(pattern.id)
        self._retriever.discard(knowledge)

    def absorb(self, old: str, newer: str) -> None:
        """Take out knowledge that was told again: what it is about is kept where that wasn't said again."""
        if not self.graph.children(newer):
            for child in self.graph.children(old):
                self.graph.join(newer, child.id)
        self.remove(old)
        self._index(self.graph.owner(newer), newer)

    def find(self, user: str, instruction: str, *, scene: str = "", limit: int = 5) -> list[RetrievedEpisode]:
        """Return what an instruction may need to know, best first; an episode's id is that of its knowledge node.

        That is algorithm 2. The type of knowledge that a request speaks of counts, but doesn't exclude the other: it
        isn't always certain.
        """
        return self._retriever.retrieve(instruction, user=user, scene=scene, limit=limit)

    def text(self, knowledge: str) -> str:
        """Return what a knowledge node means, for a planner's prompt (algorithm 2, step 3)."""
        moves = [pattern.name + " " + " ".join(pattern.args) for pattern in self.graph.patterns(knowledge)]
        return meaning(self.graph.owner(knowledge), self._candidate(knowledge, 1.0), moves)

    def candidates(self, user: str, told: Told, scene: str, *, before: float = math.inf) -> list[Candidate]:
        """Return the knowledge of the same kind in the same scene that is called alike, likest first.

        `before`: of what was told later (seconds) it is no retelling.
        """
        known = self.graph.of_user(user, NodeType.KNOWLEDGE, KINDS[told.kind])
        same = [node for node in known if node.scene == scene and node.valid_from <= before]
        return [self._candidate(node.id, score) for node, score in likest(told.name, same, self._lexicon)]

    def comparable(self, source: str) -> list[tuple[str, Told, list[Candidate]]]:
        """Return what an event told: the node, the knowledge, and what was known of that kind in the scene."""
        found = []
        for node_id in self.graph.told_by(source):
            node, known = self.graph.node(node_id), self._candidate(node_id, 1.0)
            same = self._comparable(self.graph.owner(node_id), KnowledgeType(node.subtype), node.scene)
            before = takewhile(lambda one: self.graph.node(one.node).source != source, same)
            goals = tuple(Move(things=(), goal=goal) for goal in known.places)
            told = Told(quote=known.description, kind=known.kind, name=known.alias, things=known.things, moves=goals)
            found.append((node_id, told, list(before)))
        return found

    def mentions(self, user: str, told: Told, *, scene: str = "") -> list[Mention]:
        """Return which nodes the things and places of an instruction mean. Changes nothing."""
        return self._resolve(user, scene, told)

    def snapshot(self) -> dict[str, object]:
        """Return the state as JSON."""
        return self.graph.snapshot()

    def restore(self, state: dict[str, object]) -> None:
        """Take over a state; nothing may be known yet."""
        self.graph.restore(state)
        for node in self.graph.nodes(NodeType.KNOWLEDGE):
            self._index(self.graph.owner(node.id), node.id)

    def _user(self, user: str) -> Node:
        found = self.graph.of_user(user, NodeType.USER)
        return found[0] if found else self.graph.add(user, NodeType.USER, name=user)

    def _attach(self, user: str, knowledge: Node, told: Told) -> None:
        """Join knowledge with its patterns, objects and locations, each object and location having one node."""
        nodes: dict[tuple[NodeType, str], str] = {}
        for mention in self._resolve(user, knowledge.scene, told):
            known = self._refined(mention) if mention.node else self._new(user, knowledge.scene, mention)
            nodes[mention.type, mention.text] = known.id
        texts = {item.partition(" which is ")[0]: item for item in told.things}
        before: Node | None = None
        for move in with_rooms(told.moves):
            names = " and ".join(move.things)
            args = [names, *(f"from {move.source}",) * bool(move.source)]
            args += [f"{move.relation} {move.goal}"] * bool(move.goal) + [f"next to {move.beside}"] * bool(move.beside)
            pattern = self.graph.add(
                user, NodeType.PATTERN, name="place" if move.relation not in ("", "to") else "move", args=tuple(args)
            )
            self.graph.join(knowledge.id, pattern.id)
            targets = [nodes.get((NodeType.OBJECT, texts.get(name, name))) for name in move.things]
            targets += [nodes.get((NodeType.LOCATION, text)) for text in (move.source, move.goal) if text]
            for target in dict.fromkeys(target for target in targets if target):
                self.graph.join(pattern.id, target)
            if before is not None:
                self.graph.join(before.id, pattern.id)
            before = pattern
        if not told.moves:
            for item in told.things:
                self.graph.join(knowledge.id, nodes[NodeType.OBJECT, item])

    def _resolve(self, user: str, scene: str, told: Told) -> list[Mention]:
        """Find the nodes that things and places mean; two different mentions never mean the same node."""
        places = [text for move in with_rooms(told.moves) for text in (move.source, move.goal) if text]
        found: list[Mention] = []
        for node_type, texts in ((NodeType.OBJECT, told.things), (NodeType.LOCATION, places)):
            known = [node for node in self.graph.of_user(user, node_type) if node.scene == scene]
            found += _assign(node_type, list(dict.fromkeys(texts)), known, self._score)
        return found

    def _score(self, text: str, node: Node) -> float:
        if node.type is NodeType.LOCATION:
            return self._identity.of_places(place(text), place(node.expression))
        one, other = thing(text), thing(described(node.name, node.description))
        return self._identity.of_things(one, other)

    def _refined(self, mention: Mention) -> Node:
        """Add to a thing what is now told of its looks, where nothing was known."""
        node = self.graph.node(mention.node)
        looks = mention.text.partition(" which is ")[2]
        if node.type is NodeType.OBJECT and looks and not node.description:
            attributes = thing(mention.text).attributes
            node = replace(node, description=looks, attributes=attributes, granularity=INSTANCE)
            self.graph.replace(node)
        return node

    def _new(self, user: str, scene: str, mention: Mention) -> Node:
        if mention.type is NodeType.LOCATION:
            where = place(mention.text)
            name = "_".join(filter(None, (where.room.replace(" ", ""), where.furniture.replace(" ", "_"))))
            return self.graph.add(user, NodeType.LOCATION, name=name, expression=mention.text, scene=scene)
        name, _, looks = mention.text.partition(" which is ")
        return self.graph.add(
            user,
            NodeType.OBJECT,
            name=name,
            description=looks,
            granularity=INSTANCE if thing(mention.text).attributes else CATEGORY,
            attributes=thing(mention.text).attributes,
            scene=scene,
        )

    def _comparable(self, user: str, kind: KnowledgeType, scene: str) -> list[Candidate]:
        same = self.graph.of_user(user, NodeType.KNOWLEDGE, kind)
        return [self._candidate(node.id, 0.0) for node in same if node.scene == scene]

    def _candidate(self, knowledge: str, likeness: float) -> Candidate:
        node = self.graph.node(knowledge)
        nodes, _ = self.graph.expand([knowledge])
        things = tuple(described(n.name, n.description) for n in nodes if n.type is NodeType.OBJECT)
        places = tuple(n.expression for n in nodes if n.type is NodeType.LOCATION)
        kind = TELLING[KnowledgeType(node.subtype)]
        return Candidate(knowledge, kind, node.alias, node.description, things, places, likeness)

    def _index(self, user: str, knowledge: str) -> None:
        node = self.graph.node(knowledge)
        candidate = self._candidate(knowledge, 1.0)
        about = ". ".join(filter(None, (", ".join(candidate.things), ", ".join(candidate.places))))
        text = node.told_in or f"{about[:1].upper()}{about[1:]}. {node.description}"
        self._retriever.add(PastEpisode(knowledge, text, user, node.scene))


def likest(alias: str, known: Iterable[Called], lexicon: Lexicon) -> list[tuple[Called, float]]:
    """Return CANDIDATES of what is called most like `alias`, each with that likeness, 0..1, likest first."""
    found = [(one, lexicon.alike(alias, one.alias)) for one in known]
    return sorted(found, key=lambda pair: -pair[1])[:CANDIDATES]


def _assign(
    node_type: NodeType, texts: Sequence[str], known: Iterable[Node], score: Callable[[str, Node], float]
) -> list[Mention]:
    """Match texts and nodes one to one, the surest text first.

    What fits no node well enough, or several of them half, means none.
    """
    known = list(known)
    scores = {text: {node.id: score(text, node) for node in known} for text in texts}
    taken: dict[str, str] = {}
    free = [node.id for node in known]
    for text in sorted(texts, key=lambda text: -max(scores[text].values(), default=0.0)):
        best = max((scores[text][node] for node in free), default=0.0)
        fitting = [node for node in free if scores[text][node] == best]
        if best >= MATCH and (len(fitting) == 1 or best == 1.0):
            taken[text] = fitting[0]
            free.remove(fitting[0])
    return [Mention(text, node_type, taken.get(text, "")) for text in texts]
