# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Object nodes of a profile and the things of the scene graph that they stand for.

Who says "Put the cup in the cabinet. It is my favorite cup." means the cup that the robot then puts there. What the
robot handled is tied to the object nodes of what was told where the names fit; of a pattern, everything that it put
somewhere and that the person spoke of belongs to it, in the order of doing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache, lru_cache

from karma_language.told.habits.nouns import LONGEST_NAME, Relation, normal, relation
from karma_language.told.habits.references import thing
from karma_language.told.habits.wording import TEXTS_KEPT, KnowledgeType
from karma_language.vocabulary.categories import Vocabulary
from karma_language.vocabulary.terms import words
from karma_memory.profile.graph import INSTANCE, Node, NodeType, ProfileGraph
from karma_memory.profile.handled import Handled, Trace

_FITS = {Relation.SAME: 2, Relation.KIND: 1}


def tie(graph: ProfileGraph, knowledge: str, trace: Trace) -> bool:
    """Tie a piece of knowledge to what was handled for the instruction that told it; return whether that is new."""
    node = graph.node(knowledge)
    things = list(trace.things.values())
    objects = [one for one in graph.expand([knowledge])[0] if one.type is NodeType.OBJECT]
    if node.subtype == KnowledgeType.USER_PATTERN.value:
        put = [one for one in things if one.place and is_spoken_of(one.category, node.told_in)]
        pairs = _pairs(objects, put)
        rest = [one for one in put if one not in [handled for _, handled in pairs]]
        mine = put
    else:
        places = [Handled(name, category) for name, category in trace.places.items() if category]
        pairs = _pairs(objects, [*things, *(one for one in places if one.id not in trace.things)])
        mine, rest = [handled for _, handled in pairs], []
    handled = tuple((one.id, one.place, *((one.category, one.looks) if one.looks else ())) for one in mine)
    if not handled or handled == node.handled:
        return False
    graph.replace(replace(node, handled=handled))
    for one, what in pairs:
        _bind(graph, knowledge, one, what)
    for what in rest:
        name = " ".join(words(what.category))
        new = graph.add(
            graph.owner(knowledge), NodeType.OBJECT, name=name, granularity=INSTANCE, instance=what.id, scene=node.scene
        )
        graph.join(knowledge, new.id)
    return True


def is_spoken_of(category: str, text: str) -> bool:
    """Whether a text names a thing of this category."""
    if category in _categories(text):
        return True
    name = " ".join(words(category))
    said = normal(text)
    spans = (said[at : at + n] for n in range(1, LONGEST_NAME + 1) for at in range(len(said) - n + 1))
    return bool(name) and any(relation(" ".join(span), name) in _FITS for span in spans)


def _pairs(objects: Sequence[Node], things: Sequence[Handled]) -> list[tuple[Node, Handled]]:
    """Pair object nodes with things whose names fit, the best fit first; a plural takes all that fit as well.

    What is left when all others are paired belongs together, unless the name is that of another category.
    """
    found: list[tuple[Node, Handled]] = []
    free = list(things)
    for node in objects:
        fits = {one.id: _fit(node, one) for one in free}
        best = max(fits.values(), default=0)
        taken = [one for one in free if best and fits[one.id] == best]
        taken = taken if normal(node.name) != tuple(words(node.name)) else taken[:1]
        found += [(node, one) for one in taken]
        free = [one for one in free if one not in taken]
    left = [node for node in objects if node not in [paired for paired, _ in found]]
    moved = [one for one in free if one.place]
    one = len(left) == len(moved) == 1 and normal(left[0].name) == tuple(words(left[0].name))  # "the toys" are several
    if one and not _categories(left[0].name):
        found.append((left[0], moved[0]))
    order = {one.id: at for at, one in enumerate(things)}
    return sorted(found, key=lambda pair: order[pair[1].id])


def _fit(node: Node, what: Handled) -> int:
    """Return how well the name of an object node fits a thing: 2 exactly, 1 more generally or specially, 0 not."""
    if what.category in _categories(node.name):
        return 2
    return _FITS.get(relation(thing(node.name).noun, " ".join(words(what.category))), 0)


@lru_cache(TEXTS_KEPT)
def _categories(text: str) -> frozenset[str]:
    """Return the categories of the scene graph that a text names."""
    return frozenset(category for mention in _vocabulary().mentions(text) for category in mention.categories)


@cache
def _vocabulary() -> Vocabulary:
    return Vocabulary()


def _bind(graph: ProfileGraph, knowledge: str, node: Node, what: Handled) -> None:
    """Let an object node stand for a thing; where it stands for another one, a node of its own does, for this."""
    node = graph.node(node.id)
    if node.instance in ("", what.id):
        graph.replace(replace(node, instance=what.id, granularity=INSTANCE))
        return
    attributes = {name: getattr(node, name) for name in ("name", "description", "attributes", "scene")}
    own = graph.add(graph.owner(knowledge), NodeType.OBJECT, granularity=INSTANCE, instance=what.id, **attributes)
    for parent in _within(graph, knowledge, graph.parents(node.id)):
        graph.disjoin(parent, node.id)
        graph.join(parent, own.id)


def _within(graph: ProfileGraph, knowledge: str, nodes: Iterable[Node]) -> list[str]:
    """Return the ids of those nodes that are the knowledge or one of its patterns."""
    mine = {knowledge, *(pattern.id for pattern in graph.children(knowledge, NodeType.PATTERN))}
    return [node.id for node in nodes if node.id in mine]
