# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A question in the names and labels that things have here, of people or a detector: "couch", sofa."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from karma_language.answers.gaps import not_seen
from karma_language.reading import Kind, Question
from karma_language.things import Thing, Where
from karma_language.told.habits.nouns import normal
from karma_language.vocabulary import household
from karma_memory.ask.home import Home, room_name
from karma_memory.scene import Layer, Node
from karma_memory.scene_graph.graph import SceneGraph


def in_own_labels(question: Question, graph: SceneGraph, home: Home) -> Question:
    """Return a question with the names and labels that things have in a home, of which `graph` tells."""
    own = [label for label in graph.categories if label not in household().kinds]
    names = _Names(normal(question.quote), _names_in(question.quote, graph), own, home)
    things = {"thing": question.thing, "besides": question.besides}
    update: dict[str, object] = {name: thing and names.named(thing) for name, thing in things.items()}
    return question.model_copy(update={**update, "place": names.placed(question.place)})


_OF_OWNERS = frozenset(("favorite", "favourite", "own", "usual"))
"""What a thing is to its owner alone: where else is said which it is, that needs not be seen."""


def which(thing: Thing, graph: SceneGraph) -> tuple[str, ...]:
    """Return the ids of the things that somebody speaks of; () where it may be one or another.

    Nor is it sure where words tell what nobody can see: the blue mug may be another than the only one that is known.
    """
    home = Home(graph)
    seen = tuple(word for word in thing.attributes if word not in _OF_OWNERS)  # "my FAVORITE mug is the one over there"
    thing = thing.model_copy(update={"attributes": seen}) if thing.place is not None else thing
    meant = in_own_labels(Question(quote=thing.text, kind=Kind.WHERE, thing=thing), graph, home).thing
    if meant is None or not_seen(meant):
        return ()
    found = home.current(meant)
    return tuple(one.node.id for one in found) if thing.plural or len(found) == 1 else ()


def _names_in(said: str, graph: SceneGraph) -> dict[tuple[str, ...], list[Node]]:
    """Return the names of several words that a text has, the longest first, and what things and rooms are called so."""
    text, found = said.casefold(), dict[tuple[str, ...], list[Node]]()
    gone = (belief.node for belief in graph.lost())
    for node in itertools.chain(*map(graph.nodes, (Layer.ROOM, Layer.OBJECT)), gone):
        name = room_name(node) if node.layer is Layer.ROOM else node.name
        if " " in name and name.casefold() in text:
            found.setdefault(normal(name), []).append(node)
    return dict(sorted(found.items(), key=lambda one: -len(one[0])))


@dataclass(frozen=True)
class _Names:
    """What a question's words name here."""

    said: tuple[str, ...]
    """All its words."""
    known: Mapping[tuple[str, ...], Sequence[Node]]
    """Name → what is called so, the longest name first."""
    labels: Sequence[str]
    """Categories of things here that are none of the household's."""
    home: Home

    def named(self, thing: Thing) -> Thing:
        """Return a thing with the labels among its categories that it has here: first its very name, last its kind."""
        thing = self._meant(thing)
        said, meant = normal(thing.text), {*thing.categories}
        same = tuple(one for one in self.labels if normal(one) == said)
        if not same and (room := self.home.as_room(thing)) is not thing:
            return room
        nouns = ((one, household().noun(one)) for one in self.labels)
        also = (one for one, noun in nouns if noun is not None and meant & {*noun.categories})
        kinds = () if same and thing.plural else (*thing.categories, *also)  # "glasses", where something is called so
        categories = tuple(dict.fromkeys((*same, *kinds)))
        return thing.model_copy(update={"categories": categories, "place": self.placed(thing.place)})

    def placed(self, where: Where | None) -> Where | None:
        """Return a place whose thing has the labels of the home."""
        return where and where.model_copy(update={"thing": self.named(where.thing)})

    def _meant(self, thing: Thing) -> Thing:
        """Return a thing as what is called here as the words have it: "iPhone 15 charger", where an iPhone was read."""
        read = normal(thing.text)
        for name, nodes in self.known.items():
            if read and (name == read or (_has(name, read) and not _has(_without(self.said, name), read))):
                return _named(thing, name, nodes)
        return thing


def _named(thing: Thing, name: tuple[str, ...], nodes: Sequence[Node]) -> Thing:
    """Return a thing as one of those that have a name, without what the name says already."""
    kinds = dict.fromkeys(node.category or node.name for node in nodes if node.layer is Layer.OBJECT)
    room = room_name(nodes[0]) if thing.room or not kinds else ""
    same = normal(thing.text) == name
    within = thing.place is not None and _has(name, normal(thing.place.thing.text))
    return thing.model_copy(
        update={
            "text": room or nodes[0].name,
            "room": room,
            "categories": () if room else (*kinds, *(one for one in thing.categories if same and one not in kinds)),
            "loosely": thing.loosely if same and not room else (),
            "attributes": tuple(word for word in thing.attributes if not _has(name, normal(word))),
            "owner": "" if _has(name, normal(thing.owner)) else thing.owner,
            "number": thing.number if same else 0,
            "place": None if within else thing.place,
        }
    )


def _has(words: tuple[str, ...], some: tuple[str, ...]) -> bool:
    """Whether some words, at least one, are among others, one after the other."""
    return bool(some) and any(words[at : at + len(some)] == some for at in range(len(words)))


def _without(words: tuple[str, ...], name: tuple[str, ...]) -> tuple[str, ...]:
    """Return words without a name, wherever they have it; a gap is left there."""
    for at in range(len(words)):
        if words[at : at + len(name)] == name:
            return (*words[:at], "", *_without(words[at + len(name) :], name))
    return words
