# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Whose things are, as a projection: who told it means the same thing for good, wherever it is put since."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from karma_language.reading import Telling, Told
from karma_language.things import Thing
from karma_memory.events import Event, EventKind
from karma_memory.projection import EditError, Understanding
from karma_memory.recall.index import Match, Search
from karma_memory.recall.query import Knowledge, Query, Record
from karma_memory.scene_graph.long_term import LongTermMemory
from karma_memory.told.statements import record_id as statement

KIND = "owner"
ME = "me"
"""The owner of what is the speaker's own."""
_WHY = "told"


@dataclass(frozen=True)
class Owned:
    """Things that somebody said are somebody's."""

    source: str
    """Id of the event that said it."""
    text: str
    """The words."""
    user: str
    """Who said it."""
    owner: str
    """ME, or a name or a noun in lower case: "tom", "sister"."""
    thing: Thing
    """As it was spoken of."""
    scene: str
    since: float
    """Seconds, the robot's clock."""
    ids: tuple[str, ...] = ()
    """What was meant, in the scene graph; empty while it is not known which."""

    @property
    def words(self) -> str:
        """Id of the recollection of the words."""
        return statement(self.source)


class OwnerMemory(Understanding):
    """Whose things are, for each user by what they told themselves. It ends with the words that told it."""

    kind = KIND
    of_nobody = True  # in a home of one, nobody says who they are

    def __init__(self, long_term: LongTermMemory) -> None:
        """`long_term`: says which things are spoken of."""
        self._long_term = long_term
        self._told: dict[str, tuple[Owned, ...]] = {}
        """What words told, by the event that said them."""

    def of(self, user: str, scene: str) -> dict[str, Owned]:
        """Return of the things of a scene what their owner is, as a user told it last: id → that."""
        found: dict[str, Owned] = {}
        for one in sorted(self._of_user(user), key=lambda one: one.since):
            if one.scene == scene:
                found.update(dict.fromkeys(one.ids or self._meant(one), one))
        return found

    def observe(self, event: Event) -> None:
        """Take in what is forgotten."""
        kind, _, source = event.target.partition(":")
        if event.kind is EventKind.EDIT and kind == KIND:
            self._told.pop(source, None)

    def hear(self, words: Event, told: Sequence[Told]) -> None:
        """Take in whose things words say are."""
        scene = words.scene or self._long_term.current_scene
        owned = [
            Owned(words.id, words.text, words.user, self._owner(one, words.user), one.about[0], scene, words.stamp)
            for one in told
            if one.kind is Telling.OWNER and one.of and one.about
        ]
        if owned:
            self._told[words.id] = tuple(replace(one, ids=self._meant(one, sure=True)) for one in owned)

    def unhear(self, words: Event) -> None:
        """Take back what words told: they are read anew."""
        self._told.pop(words.id, None)

    def recall(self, query: Query, search: Search) -> Iterable[Match]:
        """Return of each thing of the scene that has an owner who that is."""
        scene = query.scene or self._long_term.current_scene
        graph = self._long_term.graph(scene)
        for name, one in self.of(query.user, scene).items():
            node = graph.node(name) if graph is not None else None
            category = node.category if node is not None else ""
            about = Knowledge(KIND, one.owner, one.text, (one.thing.text,), (name,), ("",), (category,), ("",))
            record = self._record(one, f"{record_id(one.source)}#{name}")
            yield Match(replace(record, knowledge=about), 1.0, _WHY)

    def records(self) -> list[Record]:
        """Return all that is kept, each as its user's."""
        return [self._record(one, record_id(one.source)) for told in self._told.values() for one in told]

    def check_told(self, text: str, told: Sequence[Told]) -> None:
        """Refuse a text that says of nothing whose it is. EditError."""
        if not any(one.kind is Telling.OWNER for one in told):
            raise EditError(f"{text!r} does not say whose a thing is; say it like 'the laptop on the desk is mine'")

    def resting_on(self, source: str) -> list[str]:
        """Return the ids of the records that rest on an event; see Personal."""
        return [record_id(source)] if source in self._told else []

    def snapshot(self) -> dict[str, Any]:
        """Return the state; see Projection."""
        return {"told": [_to_json(one) for told in self._told.values() for one in told]}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state."""
        for item in state["told"]:
            one = Owned(**{**item, "thing": Thing.model_validate(item["thing"]), "ids": tuple(item["ids"])})
            self._told[one.source] = (*self._told.get(one.source, ()), one)

    def _of_user(self, user: str) -> Iterable[Owned]:
        return (one for told in self._told.values() for one in told if one.user == user)

    @staticmethod
    def _owner(told: Told, user: str) -> str:
        owner = told.of[0].casefold()
        return ME if owner == user.casefold() else owner

    @staticmethod
    def _record(one: Owned, name: str) -> Record:
        return Record(name, KIND, one.text, one.text, one.source, one.since, user=one.user, scene=one.scene)

    def _meant(self, one: Owned, *, sure: bool = False) -> tuple[str, ...]:
        """Return the ids of the things that words mean as things are now; () where that is not sure."""
        from karma_memory.ask.own_names import which  # what reads English, 0.1 s: with the first words

        graph = self._long_term.graph(one.scene)
        return which(one.thing, graph, sure=sure) if graph is not None else ()


def record_id(source: str) -> str:
    """Return the id of the recollection of whose things words say are."""
    return f"{KIND}:{source}"


def _to_json(one: Owned) -> Mapping[str, Any]:
    return {**vars(one), "thing": one.thing.model_dump(mode="json", exclude_defaults=True)}
