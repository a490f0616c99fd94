# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Whose things are, as a projection: who told it means the same thing for good, wherever it is put since.

What somebody of the household told counts for all of it: "mine" of Ann's is Ann's to Tom. Their words stay theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from karma_language.answers.speech import of_user
from karma_language.reading import Telling, Told
from karma_language.things import Thing
from karma_memory.events import Event, EventKind
from karma_memory.privacy.consent import Consents
from karma_memory.privacy.household import Household
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
    """ME, or a name or a noun: "Tom", "sister"; "" where it is told that it is not whose it was said to be."""
    thing: Thing
    """As it was spoken of."""
    scene: str
    since: float
    """Seconds, the robot's clock."""
    ids: tuple[str, ...] = ()
    """What was meant, in the scene graph; empty where that was not sure."""
    awaited: bool = False
    """Whether no such thing has been seen yet: the first one is meant, if it is where it was said to be."""

    @property
    def words(self) -> str:
        """Id of the recollection of the words."""
        return statement(self.source)


class OwnerMemory(Understanding):
    """Whose things are, as people told it. It ends with the words that told it; a guest's count for nobody else."""

    kind = KIND
    of_nobody = True  # in a home of one, nobody says who they are

    def __init__(self, long_term: LongTermMemory, consents: Consents, household: Household) -> None:
        """`long_term`: says which things are spoken of."""
        self._long_term = long_term
        self._consents = consents
        self._household = household
        self._told: dict[str, tuple[Owned, ...]] = {}
        """What words told, by the event that said them."""
        self._awaited: dict[str, set[str]] = {}
        """Of words about things that were not seen yet, the categories."""

    def of(self, user: str, scene: str) -> dict[str, Owned]:
        """Return whose the things of a scene are to a user, as they told it last, else as others did: id → that."""
        told: dict[tuple[str, str], Owned] = {}
        for one in sorted(self._known_to(user), key=lambda one: one.since):
            if one.scene == scene:
                told |= {(name, one.user): one for name in one.ids or self._only(one)}
        known = [(name, one) for (name, _), one in told.items() if one.owner]  # whoever takes it back takes back theirs
        return dict(sorted(known, key=lambda found: (found[1].user == user, found[1].since)))

    def observe(self, event: Event) -> None:
        """Take in what is forgotten, and things that were spoken of before they were seen."""
        kind, _, source = event.target.partition(":")
        if event.kind is EventKind.EDIT and kind == KIND:
            self._drop(source)
        if event.nodes and self._awaited:
            seen = {node.category for node in event.nodes}
            for source in [one for one, kinds in self._awaited.items() if kinds & seen]:
                self._put(source, [self._bound(one) if one.awaited else one for one in self._told.get(source, ())])

    def hear(self, words: Event, told: Sequence[Told]) -> None:
        """Take in whose things words say are."""
        scene = words.scene or self._long_term.current_scene
        owned = [
            Owned(words.id, words.text, words.user, self._owner(one, words.user), one.about[0], scene, words.stamp)
            for one in told
            if one.kind is Telling.OWNER and one.about
        ]
        if owned:
            self._put(words.id, [self._bound(one) for one in owned])

    def unhear(self, words: Event) -> None:
        """Take back what words told: they are read anew."""
        self._drop(words.id)

    def recall(self, query: Query, search: Search) -> Iterable[Match]:
        """Return of each thing of the scene that has an owner who that is."""
        scene = query.scene or self._long_term.current_scene
        graph = self._long_term.graph(scene)
        for name, one in self.of(query.user, scene).items():
            node = graph.node(name) if graph is not None else None
            category = node.category if node is not None else ""
            spoken = one.thing.text if one.text else ""
            about = Knowledge(KIND, one.owner, one.text, (spoken,), (name,), ("",), (category,), ("",))
            record = self._record(one, name)
            if not one.text:
                record = replace(record, label=record.text, source="", user="")
            yield Match(replace(record, knowledge=about), 1.0, _WHY)

    def records(self) -> list[Record]:
        """Return all that is kept, each as its user's."""
        return [self._record(one) for told in self._told.values() for one in told]

    def check_told(self, text: str, told: Sequence[Told]) -> None:
        """Refuse a text that says of nothing whose it is. EditError."""
        if not any(one.kind is Telling.OWNER for one in told):
            raise EditError(f"{text!r} does not say whose a thing is; say it like 'the laptop on the desk is mine'")

    def resting_on(self, source: str) -> list[str]:
        """Return the ids of the records that rest on an event; see Personal."""
        return [record_id(source)] if source in self._told else []

    def snapshot(self) -> dict[str, Any]:
        """Return the state; see Projection."""
        told = [_to_json(one) for told in self._told.values() for one in told]
        return {"told": told} if told else {}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state."""
        told: dict[str, list[Owned]] = {}
        for item in state["told"]:
            one = Owned(**{**item, "thing": Thing.model_validate(item["thing"]), "ids": tuple(item["ids"])})
            told.setdefault(one.source, []).append(one)
        for source, owned in told.items():
            self._put(source, owned)

    def _known_to(self, user: str) -> Iterable[Owned]:
        """Yield what a user told, and what others did, as the user would say it and without their words."""
        for one in (one for told in self._told.values() for one in told):
            if one.user == user:
                yield one
                continue
            known = one.owner != ME or one.user  # of nobody in particular nobody knows who "me" is
            if known and self._household.counts(one.user) and self._consents.agrees(one.user, unless_asked=True):
                yield replace(one, owner=of_user(one.owner, one.user, user), text="")

    @staticmethod
    def _owner(told: Told, user: str) -> str:
        owner = told.of[-1] if told.of else ""
        return ME if owner.casefold() == user.casefold() and user else owner

    @staticmethod
    def _record(one: Owned, name: str = "") -> Record:
        owner = one.owner or "nobody who is known"
        return Record(
            f"{record_id(one.source)}#{name}" if name else record_id(one.source),
            KIND,
            f"{name or one.thing.text}: {owner}",
            one.text,
            one.source,
            one.since,
            user=one.user,
            scene=one.scene,
        )

    def _put(self, source: str, owned: Sequence[Owned]) -> None:
        self._told[source] = tuple(owned)
        awaited = {kind for one in owned if one.awaited for kind in one.thing.categories}
        self._awaited.pop(source, None)
        if awaited:
            self._awaited[source] = awaited

    def _drop(self, source: str) -> None:
        self._told.pop(source, None)
        self._awaited.pop(source, None)

    def _bound(self, one: Owned) -> Owned:
        """Return words with the things that they mean, where that is sure."""
        from karma_memory.ask.own_names import which  # what reads English, 0.1 s: with the first words

        graph = self._long_term.graph(one.scene)
        known = graph is not None and any(graph.of_category(kind) for kind in one.thing.categories)
        ids = which(one.thing, graph) if graph is not None and known else ()
        if one.thing.other and not ids and graph is not None:  # than those whose owner is known
            kinds, named = one.thing.categories, self.of(one.user, one.scene)
            left = [node.id for kind in kinds for node in graph.of_category(kind) if node.id not in named]
            ids = tuple(left) if len(left) == 1 else ()
        return replace(one, ids=ids, awaited=not known)

    def _only(self, one: Owned) -> tuple[str, ...]:
        """Return the only thing of its kind that is known, which words may mean as long as it is."""
        graph = self._long_term.graph(one.scene)
        kinds = one.thing.categories if graph is not None and not one.thing.plural else ()
        found = [node.id for kind in kinds for node in graph.of_category(kind)] if graph is not None else []
        return tuple(found) if len(found) == 1 else ()


def record_id(source: str) -> str:
    """Return the id of the recollection of whose things words say are."""
    return f"{KIND}:{source}"


def _to_json(one: Owned) -> Mapping[str, Any]:
    return {**vars(one), "thing": one.thing.model_dump(mode="json", exclude_defaults=True)}
