# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Long-term memory as a projection: one scene graph per scene, fed by observations and skill outcomes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from karma_language.vocabulary.categories import Mention
from karma_language.vocabulary.terms import asks_inside, asks_where, split_camel_case, words
from karma_memory.events import Code, Event, EventKind, Image
from karma_memory.projection import EditError
from karma_memory.recall.index import HybridIndex, Match, Search
from karma_memory.recall.query import Likely, Query, Record, visible
from karma_memory.scene import Layer, Node
from karma_memory.scene_graph.beliefs import DOUBT, Belief, refutes, seen_at
from karma_memory.scene_graph.graph import SceneGraph
from karma_memory.scene_graph.graph_state import GraphState
from karma_memory.scene_graph.habits import LikelyPlace, likely_places
from karma_memory.scene_graph.pictures import Picture
from karma_memory.scene_graph.queries import contents, where_is
from karma_memory.scene_graph.text import describe, describe_in, room_name

KIND = "long_term"
ROOMS_KEPT = 4096
"""Rooms whose names need not be made again for each object in them."""
LIKELY_PLACES = 3
"""Most places and most lost objects that answer where something is that isn't known to be anywhere.

A question to this memory alone gets as many as it asks for.
"""


class LongTermMemory:
    """KARMA's long-term memory (section 3.3), for any number of scenes."""

    kind = KIND

    def __init__(self, index: HybridIndex) -> None:
        self._index = index
        self._graphs: dict[str, SceneGraph] = {}
        self._current = ""
        self.newest = 0.0
        """When something was observed last, seconds."""

    @property
    def current_scene(self) -> str:
        """Scene of the newest observation."""
        return self._current

    @property
    def scenes(self) -> list[str]:
        """Names of the scenes that are known."""
        return sorted(self._graphs)

    def graph(self, scene: str) -> SceneGraph | None:
        """Return the graph of a scene, or None when nothing is known of it."""
        return self._graphs.get(scene)

    def observe(self, event: Event) -> None:
        """Update beliefs from what was seen, from how objects are after a skill, and from an object not being found."""
        if event.kind is EventKind.EDIT:
            self._edit(event)
        if event.kind not in (EventKind.OBSERVATION, EventKind.SKILL_OUTCOME):
            return
        if event.pictured is not None:
            self._take_picture(event, event.pictured)
            return
        if not (event.nodes or event.removed or event.edges or event.removed_edges or event.outcome):
            return
        self._current, self.newest = event.scene, event.stamp
        graph = self._graphs.get(event.scene)
        if graph is None:
            graph = self._graphs[event.scene] = SceneGraph(event.scene)
        self._observe_nodes(graph, event)
        for node_id in event.removed:
            graph.vanish(node_id, event.stamp)
        for edge in event.edges:
            graph.connect(edge)
        for edge in event.removed_edges:
            graph.disconnect(edge)
        self._refute(graph, event)
        self._update_records(graph)

    def recall(self, query: Query, search: Search) -> Iterator[Match]:
        """Add what a question is about: contents ("what is in the fridge"), likely places ("where is the mug")."""
        graph = self._graphs.get(query.scene or self._current)
        if graph is None:
            return
        asked = set(words(query.text))
        if asks_inside(asked):
            yield from self._contents(graph, search)
        if asks_where(asked):
            for mention in search.mentions:
                if any(map(self._index.vocabulary.is_movable, mention.categories)):
                    yield from self._likely(graph, mention, query)

    def _contents(self, graph: SceneGraph, search: Search) -> Iterator[Match]:
        """Yield what is in or on the objects that the query names."""
        for category in sorted(search.categories):
            for holder in graph.of_category(category):
                for item in contents(graph, holder.id):
                    record = self._index.records[record_id(graph.scene, item.id)]
                    if search.accept(record):
                        why = f"{item.relation or 'on'} the {holder.label}, which the query names"
                        yield Match(record, item.confidence, f"{why}, confidence {item.confidence:.2f}")

    def _likely(self, graph: SceneGraph, mention: Mention, query: Query) -> Iterator[Match]:
        """Yield where something may be that isn't known to be anywhere, and where such things were that are gone."""
        sightings = [
            sighting
            for category in sorted(mention.categories)
            for sighting in where_is(graph, category, near=query.near, lost=True)
        ]
        if any(sighting.likelihood > DOUBT for sighting in sightings):
            return
        others = [other for scene, other in sorted(self._graphs.items()) if scene != graph.scene]
        places = likely_places(graph, mention.categories, others=others)
        gone = (sighting.belief for sighting in sightings if sighting.belief.valid_until is not None)
        for matches in (
            (_match_of_place(graph, mention.phrase, place) for place in places),
            (_match_of_lost(graph, belief) for belief in gone),
        ):
            fitting = (match for match in matches if self._fits(match.record, query))
            yield from itertools.islice(fitting, query.limit if query.kinds == {KIND} else LIKELY_PLACES)

    def _fits(self, record: Record, query: Query) -> bool:
        """Whether a record that isn't in the index fits the query's filters."""
        return visible(record, query) and (not query.room or query.room.casefold() in record.rooms)

    def before(self, scene: str, node_id: str, event_id: str) -> Node | None:
        """Return what was believed of a node before the event `event_id`, which was observed last."""
        graph = self._graphs.get(scene)
        beliefs = graph.history(node_id) if graph else []
        if beliefs and beliefs[-1].source == event_id:
            beliefs.pop()
        return beliefs[-1].node if beliefs else None

    def picture_of(self, scene: str, node_id: str) -> Picture | None:
        """Return a picture that shows a node as it is believed to be now, None for none."""
        graph = self._graphs.get(scene)
        belief = graph.belief(node_id) if graph is not None else None
        return graph.picture(belief) if graph is not None and belief is not None else None

    def pictures(self) -> Iterator[Picture]:
        """Yield all pictures that are known."""
        return itertools.chain.from_iterable(graph.pictures for graph in self._graphs.values())

    def in_room(self, record: Record, room: str) -> bool:
        """Whether the object of a record is now in the room called `room` (id, name or category, in any case)."""
        graph = self._graphs.get(record.scene)
        if graph is None or record.node is None:
            return False
        return room.casefold() in _rooms(graph, graph.node(record.node.id) or record.node)

    def check_edit(self, record_id: str, text: str) -> None:
        """Allow forgetting only: what an object is and where follows from observations."""
        if text:
            raise EditError(
                "what is known of an object follows from what the robot sees; forget it, or tell a fact instead"
            )

    def counts(self) -> dict[Layer, int]:
        """Return the number of nodes per layer, over all scenes."""
        return {layer: sum(graph.count(layer) for graph in self._graphs.values()) for layer in Layer}

    def snapshot(self) -> dict[str, Any]:
        """Return the state; see Projection."""
        return {
            "current": self._current,
            "newest": self.newest,
            "graphs": [graph.snapshot() for graph in self._graphs.values()],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state."""
        self._current, self.newest = str(state["current"]), float(state.get("newest", 0.0))
        for item in state["graphs"]:
            graph = SceneGraph.restore(GraphState.from_json(item))
            self._graphs[graph.scene] = graph
            self._update_records(graph)

    def _observe_nodes(self, graph: SceneGraph, event: Event) -> None:
        """Take in nodes, structure before objects and furniture before what rests on it."""
        seen = (
            {node.id: seen_at(node, event.outcome.stamp or event.stamp) for node in event.outcome.seen}
            if event.outcome
            else {}
        )
        seen.update((node.id, node) for node in event.nodes)
        for node in sorted(seen.values(), key=lambda node: (node.layer, node.movable)):
            graph.observe(node, event.stamp, event.id)
            if node.layer is Layer.OBJECT:
                self._index.vocabulary.learn(node.category, node.movable)

    def _take_picture(self, event: Event, node: Node) -> None:
        """Note how a node looked: that tells nothing new about where it is, or how."""
        graph = self._graphs.get(event.scene)
        if graph is not None and event.image is not None:
            image = Image(event.image.format, event.image.sha256)
            graph.pictures.add(node.id, Picture(image, event.stamp, event.id, node.position, node.states))

    def _refute(self, graph: SceneGraph, event: Event) -> None:
        """Drop the belief in an object that was not found where it should be; only doubt it where it may be hidden."""
        if event.outcome is None or event.outcome.code is not Code.NOT_FOUND:
            return
        told = {node.id for node in event.nodes}
        target = event.outcome.call.target
        meant = graph.node(target.id) if target.id else None
        suspects = graph.of_category(target.category) if meant is None else [meant]
        for node in suspects:
            if node.layer is not Layer.OBJECT or node.id in told or not refutes(event.outcome, node):
                continue
            if node.movable and node.relation != "in":
                graph.vanish(node.id, event.stamp)
            else:
                graph.doubt(node.id, DOUBT)

    def _edit(self, event: Event) -> None:
        """Forget an object or room whose record is the target."""
        record = self._index.records.get(event.target)
        if record is not None and record.kind == KIND and record.node is not None and not event.text:
            graph = self._graphs[record.scene]
            graph.vanish(record.node.id, event.stamp)
            graph.pictures.forget(record.node.id)
            self._update_records(graph)

    def _update_records(self, graph: SceneGraph) -> None:
        """Let the index hold what the graph says now."""
        for node_id in graph.take_changed():
            record = _record_of(graph, node_id)
            if record is None:
                self._index.discard(record_id(graph.scene, node_id))
            else:
                self._index.put(record)


def _record_of(graph: SceneGraph, node_id: str) -> Record | None:
    """Return the record of a room or an object, None for what is gone. Areas and floors are in the prompt anyway."""
    belief = graph.belief(node_id)
    if belief is None or belief.node.layer not in (Layer.ROOM, Layer.OBJECT):
        return None
    node, room = belief.node, graph.room_of(belief.node)
    text = describe_in(graph, node) if node.layer is Layer.OBJECT else f"{node.name or node.label} is a room"
    return Record(
        id=record_id(graph.scene, node.id),
        kind=KIND,
        text=text,
        label=split_camel_case(node.label).lower(),
        source=belief.source,
        valid_from=belief.valid_from,
        scene=graph.scene,
        node=node,
        rooms=_names(room),
        confidence=node.confidence,
    )


def record_id(scene: str, node_id: str) -> str:
    """Return the id of the recollection of a node."""
    return f"{KIND}:{scene}/{node_id}"


def _match_of_place(graph: SceneGraph, phrase: str, place: LikelyPlace) -> Match:
    """Return a place where what a query calls `phrase` may be. It is valid while the newest belief that it was was."""
    node, fact = place.node, place.evidence or graph.belief(place.node.id)
    how = "in" if node.layer is not Layer.OBJECT else (place.evidence and place.evidence.node.relation) or "on"
    where = describe(node, room=room_name(graph, node))
    record = Record(
        id=f"{KIND}:{graph.scene}/{phrase}@{node.id}",
        kind=KIND,
        text=f"{phrase} is probably {how} the {where} (probability {place.probability:.2f})",
        label=phrase,
        source=fact.source if fact else "",
        valid_from=fact.valid_from if fact else 0.0,
        valid_until=fact.valid_until if fact else None,
        scene=graph.scene,
        node=node,
        rooms=_rooms(graph, node),
        confidence=place.probability,
        likely=Likely(place.probability, place.sightings),
    )
    seen = f"seen there {place.times}×" if place.times else "other things are, here or elsewhere"
    return Match(record, place.probability, f"likely place, probability {place.probability:.2f}: {seen}")


def _match_of_lost(graph: SceneGraph, belief: Belief) -> Match:
    """Return an object that is gone, where it was last."""
    node = belief.node
    record = Record(
        id=record_id(graph.scene, node.id),
        kind=KIND,
        text=f"{describe_in(graph, node)}, until {belief.valid_until:.0f} s; gone since then",
        label=split_camel_case(node.label).lower(),
        source=belief.source,
        valid_from=belief.valid_from,
        valid_until=belief.valid_until,
        scene=graph.scene,
        node=node,
        rooms=_rooms(graph, node),
        confidence=0.0,
    )
    return Match(record, 0.0, f"named in the query, gone since {belief.valid_until:.0f} s")


def _rooms(graph: SceneGraph, node: Node) -> tuple[str, ...]:
    """Return what the room of a node is called, in lower case."""
    return _names(graph.room_of(node))


def _names(room: Node | None) -> tuple[str, ...]:
    """Return what a room is called, in lower case."""
    return () if room is None else _in_lower_case(room.id, room.name, room.category)


@lru_cache(ROOMS_KEPT)
def _in_lower_case(*names: str) -> tuple[str, ...]:
    return tuple(name.casefold() for name in names if name)
