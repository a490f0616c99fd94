# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""User profiles as a projection of the journal: what people told of their things and habits, in the common recall."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from karma_language.reading import Told
from karma_memory.events import Event, EventKind
from karma_memory.profile.graph import Node, NodeType
from karma_memory.profile.handled import Trace, Traces
from karma_memory.profile.memory import KINDS, UserProfiles
from karma_memory.profile.ties import tie
from karma_memory.projection import EditError, Understanding
from karma_memory.recall.index import HybridIndex, Match, Search
from karma_memory.recall.query import PARALLEL, Knowledge, Query, Record

KIND = "profile"


class ProfileMemory(Understanding):
    """Every user's profile, of that user alone; words of nobody in particular tell nothing of anybody.

    That knowledge was told again in words of other meaning is found outside (Paraphrases), and comes as an EDIT of the
    older one whose `message` is the id of the newer one's record.
    """

    kind = KIND

    def __init__(self, index: HybridIndex) -> None:
        self._index = index
        self.profiles = UserProfiles(None)
        self._traces = Traces()

    def observe(self, event: Event) -> None:
        """Take in edits, and which things the robot handles for what was told."""
        if event.kind is EventKind.EDIT:
            self._edit(event)
        elif not event.user:
            return
        elif event.kind is EventKind.EPISODE_START:
            self._traces.begin(event)
        elif event.kind is EventKind.SKILL_OUTCOME and (trace := self._traces.of(event)) and trace.take_in(event):
            self._tie(trace)

    def hear(self, words: Event, told: Sequence[Told]) -> None:
        """Take in what words tell of things and habits.

        A remark of an instruction that is told as well, for the facts in it, was taken in with the instruction. Words
        that point back, and those that judge, are about what was done before.
        """
        of = self._traces.of(words)
        if words.kind is EventKind.EPISODE_START:
            learned = self._tell(words, told, words.text, words.scene)
            if of is not None:
                of.told += learned
                self._tie(of)
            return
        if words.kind is EventKind.TOLD and of and words.text.rstrip(" .") in of.instruction.replace("’", "'"):
            return
        points_back = words.kind is EventKind.FEEDBACK or any(one.of_it for one in told)
        trace = self._traces.before(words) if points_back else None
        if trace is None:
            self._tell(words, told, words.text, words.scene)
            return
        trace.told += self._tell(words, told, f"{trace.instruction} {words.text}", trace.scene)
        self._tie(trace)

    def asked_before(self, words: Event) -> str:
        """Return what the user who says something had asked for last; "" for nothing."""
        trace = self._traces.before(words)
        return trace.instruction if trace is not None else ""

    def unhear(self, words: Event) -> None:
        """Take back what words told: they are read anew."""
        gone = self.profiles.graph.told_by(words.id)
        for knowledge in gone:
            self._index.discard(record_id(knowledge))
            self.profiles.remove(knowledge)
        if gone:
            self.profiles.graph.remove_unused(words.user)

    def recall(self, query: Query, search: Search) -> Iterable[Match]:
        """Return the knowledge that shares words with the query, several requests taking turns."""
        if not query.user or not query.text.strip():
            return []
        scenes = [query.scene] if query.scene else sorted({record.scene for record in self._records(query.user)})
        return [
            Match(record, found.score, "; ".join((f"profile {found.score:.2f}", *found.why)))
            for scene in scenes
            for found in self.profiles.find(query.user, query.text, scene=scene, limit=query.limit)
            if found.said
            and (record := self._index.records.get(record_id(found.episode.id))) is not None
            and search.accept(record)
        ]

    def check_told(self, text: str, told: Sequence[Told]) -> None:
        """Refuse a text that tells nothing of a person's things or habits. EditError."""
        if not any(one.kind in KINDS for one in told):
            raise EditError("say it as a statement about yourself, such as: I usually … or: The lamp is my favorite")

    def snapshot(self) -> dict[str, Any]:
        """Return the state; see Projection."""
        return {**self.profiles.snapshot(), "traces": self._traces.snapshot()}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state."""
        self.profiles.restore(state)
        self._traces.restore(state.get("traces", {}))
        for node in self.profiles.graph.nodes(NodeType.KNOWLEDGE):
            self._put_one(node)

    def resting_on(self, source: str) -> list[str]:
        """Return the ids of the records that rest on an event; see Personal."""
        return [record_id(node_id) for node_id in self.profiles.graph.told_by(source)]

    def _records(self, user: str) -> list[Record]:
        nodes = self.profiles.graph.of_user(user, NodeType.KNOWLEDGE)
        return [self._index.records[record_id(node.id)] for node in nodes]

    def _tell(self, words: Event, told: Sequence[Told], told_in: str, scene: str) -> list[str]:
        """Take in what words tell; return the ids of the knowledge that is new."""
        user = words.user
        for gone in self.profiles.take_back(user, told, scene=scene, before=words.stamp):
            self._index.discard(record_id(gone))
        changes = self.profiles.hear(user, told, told_in=told_in, scene=scene, source=words.id, stamp=words.stamp)
        for change in changes:
            if change.replaced:
                self._index.discard(record_id(change.replaced))
        for change in changes:
            if change.node in self.profiles.graph:
                self._put(change.node)
        return [change.node for change in changes]

    def _tie(self, trace: Trace) -> None:
        """Tie what was told of an instruction to what was handled for it."""
        trace.told = [knowledge for knowledge in trace.told if knowledge in self.profiles.graph]
        for knowledge in trace.told:
            if tie(self.profiles.graph, knowledge, trace):
                self._put(knowledge)

    def _put(self, knowledge: str) -> None:
        """Write the records of knowledge, and of what is about the same objects, which may be known better now."""
        for shared in self.profiles.graph.sharing(knowledge):
            self._put_one(self.profiles.graph.node(shared))

    def _put_one(self, node: Node) -> None:
        self._index.put(
            Record(
                id=record_id(node.id),
                kind=KIND,
                text=self.profiles.text(node.id),
                label=f"{node.alias}: {node.description}",
                source=node.source,
                valid_from=node.valid_from,
                user=self.profiles.graph.owner(node.id),
                scene=node.scene,
                knowledge=self._knowledge(node),
            )
        )

    def _knowledge(self, node: Node) -> Knowledge:
        """Return what was told as the planner needs it: the things that were handled first, in order."""
        objects = [one for one in self.profiles.graph.expand([node.id])[0] if one.type is NodeType.OBJECT]
        names = {one.instance: one.name for one in reversed(objects)}
        things = [(names.get(thing, ""), thing, *rest, "", "")[:5] for thing, *rest in node.handled]
        known = {thing for thing, *_ in node.handled}
        told = (one for one in objects if not one.instance or one.instance not in known)
        things += [(one.name, one.instance, "", "", "") for one in told]
        return Knowledge(
            subtype=node.subtype,
            name=node.alias,
            told=node.told_in or node.description,
            **{field: tuple(thing[at] for thing in things) for at, field in enumerate(PARALLEL)},
        )

    def _edit(self, event: Event) -> None:
        kind, _, knowledge = event.target.partition(":")
        self._traces.forget(knowledge)
        if kind != KIND or knowledge not in self.profiles.graph:
            return
        user = self.profiles.graph.owner(knowledge)
        self._index.discard(event.target)
        newer = event.message.partition(":")[2]
        if newer != knowledge and newer in self.profiles.graph and self.profiles.graph.owner(newer) == user:
            self.profiles.absorb(knowledge, newer)
            self._put(newer)
        else:
            self.profiles.remove(knowledge)
        self.profiles.graph.remove_unused(user)


def record_id(knowledge: str) -> str:
    """Return the id of the recollection of a piece of knowledge."""
    return f"{KIND}:{knowledge}"
