# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The scene graph of one scene: nodes, containment, what rests on what, reachability, and how beliefs changed."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Collection, Hashable, Iterable, Iterator
from dataclasses import replace

from karma_memory.scene import Edge, Layer, Node, Point, Relation, distance
from karma_memory.scene_graph.beliefs import MOVED, Belief, differs, how_it_rests, is_stale, seen_at
from karma_memory.scene_graph.containment import Containment
from karma_memory.scene_graph.graph_state import GraphState, in_order
from karma_memory.scene_graph.links import Links
from karma_memory.scene_graph.pictures import Picture, Pictures

_HOW = {"on": Relation.ON, "in": Relation.IN, "part": Relation.PART_OF}
KEPT_BELIEFS = 32
"""Ended beliefs per node that stay at hand; the journal has all."""
KEPT_LOST = 1000
"""Nodes that are gone whose beliefs stay at hand: those that went last."""


class SceneGraph:
    """What is believed about one scene now, and what was before. Incremental: nodes come, change and go one by one.

    Not thread-safe. Ids of nodes that are mentioned before they were seen (a parent, a receptacle) are allowed.
    """

    def __init__(self, scene: str) -> None:
        self.scene = scene
        self._beliefs: dict[str, Belief] = {}
        self._ended: dict[str, deque[Belief]] = {}
        self._lost: set[str] = set()
        """Nodes that are gone, of those in `_ended`."""
        self._changed: set[str] = set()
        """Nodes that began, ended or changed since `take_changed`."""
        self._places_changed = False
        """Whether areas or rooms are among them."""
        self.answers: dict[Hashable, object] = {}
        """What others found out about the nodes; it is forgotten when one changes."""
        self._by_category: dict[str, set[str]] = {}
        """Category → objects."""
        self._once: dict[str, set[str]] = {}
        """Category → nodes with an ended belief that says so, or that did before such beliefs were dropped."""
        self._by_layer: dict[Layer, dict[str, None]] = {layer: {} for layer in Layer}
        self._hierarchy = Containment()
        """Parent → child; the parent need not be known."""
        self._supports = Containment()
        """Receptacle → object, "on" or "in"; the receptacle need not be known."""
        self._parts = Containment()
        """Whole → part; neither need be known."""
        self._reachability = Links()
        """Area — area."""
        self._near = Links()
        self.pictures = Pictures()

    def __contains__(self, node_id: str) -> bool:
        return node_id in self._beliefs

    def __len__(self) -> int:
        return len(self._beliefs)

    def node(self, node_id: str) -> Node | None:
        """Return what is believed about a node, or None when it is not known or gone."""
        return belief.node if (belief := self._beliefs.get(node_id)) else None

    def nodes(self, layer: Layer | None = None) -> Iterator[Node]:
        """Yield the nodes of a layer (None: all)."""
        for node_id in self._beliefs if layer is None else self._by_layer[layer]:
            yield self._beliefs[node_id].node

    def count(self, layer: Layer) -> int:
        """Return the number of nodes of a layer."""
        return len(self._by_layer[layer])

    def take_changed(self) -> list[str]:
        """Return, once, the ids of the nodes that changed, and of those whose place is told by their names.

        These are what rests on a changed node, what it contains, and, where areas or rooms changed, what has no known
        parent: text.describe_in and room_of are the same as before for all other objects.
        """
        changed = self._changed | self._hierarchy.within(self._changed)
        for node_id in self._changed:
            changed.update(self._supports.items(node_id))
        if self._places_changed:
            changed.update(node.id for node in self.nodes(Layer.OBJECT) if node.parent not in self._beliefs)
        self._changed.clear()
        self._places_changed = False
        return sorted(changed)

    @property
    def categories(self) -> Collection[str]:
        """Categories of the objects."""
        return self._by_category.keys()

    def of_category(self, category: str) -> list[Node]:
        """Return the objects of a category."""
        return [self._beliefs[node_id].node for node_id in sorted(self._by_category.get(category, ()))]

    def belief(self, node_id: str) -> Belief | None:
        """Return the current belief about a node."""
        return self._beliefs.get(node_id)

    def history(self, node_id: str) -> list[Belief]:
        """Return what was and is believed about a node, oldest first."""
        current = self._beliefs.get(node_id)
        return [*self._ended.get(node_id, ()), *([current] if current else [])]

    def picture(self, belief: Belief) -> Picture | None:
        """Return the newest picture that shows what is or was believed, None for none."""
        return self.pictures.showing(belief, self.history(belief.node.id))

    def beliefs(self, categories: Collection[str]) -> Iterator[Belief]:
        """Yield what was and is believed about objects of these categories, node by node, oldest first."""
        ids = (index.get(category, ()) for category in categories for index in (self._by_category, self._once))
        for node_id in sorted(set(itertools.chain.from_iterable(ids))):
            for belief in self.history(node_id):
                if belief.node.layer is Layer.OBJECT and belief.node.category in categories:
                    yield belief

    def ended(self) -> Iterator[Belief]:
        """Yield what was believed and is not any more, node by node, oldest first."""
        return itertools.chain.from_iterable(self._ended.values())

    def altered(self) -> Iterator[Node]:
        """Yield the objects that were found otherwise than before, as they are now."""
        nodes = (self._beliefs[name].node for name in self._ended if name in self._beliefs)
        return (node for node in nodes if node.layer is Layer.OBJECT)

    def holding(self) -> dict[str, int]:
        """Return the ids of all nodes on or in which something rests, and how many things."""
        return {node_id: len(items) for node_id, items in self._supports.holding() if node_id in self}

    def lost(self) -> Iterator[Belief]:
        """Yield the last belief about each of the last KEPT_LOST nodes that are gone, by id."""
        return (self._ended[node_id][-1] for node_id in sorted(self._lost))

    def children(self, node_id: str) -> list[Node]:
        """Return the nodes one layer down."""
        return self._known(self._hierarchy.items(node_id))

    def labels_in(self, node_id: str) -> set[str]:
        """Return what the objects one layer down are called."""
        beliefs = (self._beliefs[child] for child in self._hierarchy.items(node_id) if child in self._beliefs)
        return {belief.node.label for belief in beliefs if belief.node.layer is Layer.OBJECT}

    def supported(self, node_id: str) -> list[tuple[Node, str]]:
        """Return the objects that rest on or in this one, each with "on" or "in"."""
        items = self._supports.items(node_id)
        return [(node, items[node.id]) for node in self._known(items)]

    def adjacent(self, node_id: str) -> list[Node]:
        """Return the areas to which one can drive from this one."""
        return self._known(self._reachability.of(node_id))

    def roads(self, node_id: str) -> list[tuple[str, float]]:
        """Return the ids of the areas to which one can drive from this one, and the metres to each."""
        metres = self._reachability.of(node_id)
        return [(area.id, float(metres[area.id])) for area in self.adjacent(node_id)]

    def edges(self) -> Iterator[Edge]:
        """Yield the edges between known nodes: REACHABLE, ON, IN, PART_OF, NEAR."""
        yield from self._between_known(Relation.REACHABLE)
        for forest in (self._supports, self._parts):
            pairs = ((holder, *item) for holder, items in forest.holding() for item in items.items())
            for holder, item, how in sorted(pairs):
                if holder in self._beliefs and item in self._beliefs:
                    gap = distance(self._beliefs[holder].node.position, self._beliefs[item].node.position)
                    yield Edge(_HOW[how], item, holder, gap)
        yield from self._between_known(Relation.NEAR)

    def parts(self, node_id: str) -> list[Node]:
        """Return the known parts of an object: the drawers of a dresser."""
        return self._known(self._parts.items(node_id))

    def connected(self, edge: Edge) -> Edge | None:
        """Return the edge of the same type between the same nodes, or None when there is none."""
        if edge.type in (Relation.REACHABLE, Relation.NEAR):
            metres = self._links(edge.type).metres(edge.source, edge.target)
            return None if metres is None else Edge(edge.type, edge.source, edge.target, metres)
        if edge.type is Relation.PART_OF:
            return edge if self._parts.holder(edge.source) == edge.target else None
        known, relation = self.node(edge.source), "in" if edge.type is Relation.IN else "on"
        rests = known is not None and (known.receptacle, how_it_rests(known)) == (edge.target, relation)
        return edge if rests else None

    def room_of(self, node: Node) -> Node | None:
        """Return the room that contains a node; for an object whose area is not known, that of the nearest area."""
        current: Node | None = node
        for _ in Layer:
            if current is None or current.layer <= Layer.ROOM:
                break
            parent = self.node(current.parent)
            current = self._nearest_area(node.position) if parent is None and current is node else parent
        return current if current is not None and current.layer is Layer.ROOM else None

    def room_at(self, position: Point) -> Node | None:
        """Return the room of the area that is nearest to a position (metres, map frame); None where none is known."""
        return self.room_of(area) if (area := self._nearest_area(position)) is not None else None

    def observe(self, node: Node, stamp: float, source: str) -> bool:
        """Take in what was seen of a node; return whether a new belief began. What is older than the known is ignored.

        A changed node ends the old belief. An object that comes without a parent gets the area where it is.
        """
        node = seen_at(node, stamp)
        known = self._beliefs.get(node.id)
        if known is not None and is_stale(known.node, node, stamp):
            return False
        if node.layer is Layer.OBJECT and not node.parent:
            node = replace(node, parent=self._place(node, known.node if known else None))
        if known is not None and not differs(known.node, node):
            refreshed = replace(
                known.node,
                last_seen=node.last_seen,
                confidence=node.confidence,
                parent=node.parent,
                support_heights=node.support_heights or known.node.support_heights,
            )
            self._correct(known, refreshed)
            self._link_parent(refreshed)
            return False
        if known is not None:
            self._end(known, stamp)
        self._begin(Belief(node, stamp, source))
        return True

    def vanish(self, node_id: str, stamp: float) -> bool:
        """End the belief about a node that is gone; return whether it was known."""
        if (known := self._beliefs.pop(node_id, None)) is None:
            return False
        self._end(known, stamp)
        self._lose(node_id)
        self._reachability.remove_node(node_id)
        self._near.remove_node(node_id)
        self._hierarchy.remove(node_id)
        self._supports.remove(node_id)
        self._parts.remove(node_id)
        return True

    def doubt(self, node_id: str, factor: float) -> bool:
        """Multiply the confidence in a belief by `factor`; return whether the node is known."""
        if (known := self._beliefs.get(node_id)) is None:
            return False
        self._correct(known, replace(known.node, confidence=known.node.confidence * factor))
        return True

    def connect(self, edge: Edge) -> None:
        """Add or change an edge. ON and IN say what an object rests on where its node doesn't."""
        if edge.type in (Relation.REACHABLE, Relation.NEAR):
            self._links(edge.type).put([(edge.source, edge.target, edge.weight)])
        elif edge.type is Relation.PART_OF:
            self._parts.put(edge.source, edge.target, "part")
        else:
            known = self._beliefs.get(edge.source)
            if known is not None and not known.node.relation:
                node = replace(known.node, receptacle=edge.target, relation="in" if edge.type is Relation.IN else "on")
                self._correct(known, node)
                self._link_support(node)

    def disconnect(self, edge: Edge) -> None:
        """Take an edge away, if it is there."""
        if edge.type in (Relation.REACHABLE, Relation.NEAR):
            self._links(edge.type).remove(edge.source, edge.target)
            return
        if edge.type is Relation.PART_OF:
            if self._parts.holder(edge.source) == edge.target:
                self._parts.remove(edge.source)
            return
        known = self._beliefs.get(edge.source)
        if known is not None and known.node.receptacle == edge.target:
            node = replace(known.node, receptacle="", relation="")
            self._correct(known, node)
            self._link_support(node)

    def snapshot(self) -> GraphState:
        """Return the state, which stays as it is; in a millisecond or two for ten thousand nodes."""
        return GraphState(
            self.scene,
            tuple(self._beliefs.values()),
            {node_id: tuple(ended) for node_id, ended in self._ended.items()},
            self._reachability.all(),
            self._near.all(),
            {part: whole for whole, parts in self._parts.holding() for part in parts},
            self.pictures.snapshot(),
        )

    @classmethod
    def restore(cls, state: GraphState) -> SceneGraph:
        """Return the graph whose state this is."""
        graph = cls(state.scene)
        for node_id, ended in state.ended.items():
            graph._ended[node_id] = deque(ended, maxlen=KEPT_BELIEFS)
            for belief in ended:
                graph._once.setdefault(belief.node.category, set()).add(node_id)
        graph._lost = set(graph._ended)
        for belief in state.beliefs:
            graph._begin(belief)
        graph._reachability.put(state.reachable)
        graph._near.put(state.near)
        for part, whole in state.parts.items():
            graph._parts.put(part, whole, "part")
        graph.pictures.restore(state.pictures)
        return graph

    def _links(self, relation: Relation) -> Links:
        return self._reachability if relation is Relation.REACHABLE else self._near

    def _between_known(self, relation: Relation) -> Iterator[Edge]:
        return (
            edge
            for edge in in_order(relation, self._links(relation).all())
            if edge.source in self._beliefs and edge.target in self._beliefs
        )

    def _known(self, node_ids: Iterable[str]) -> list[Node]:
        """Return those of the nodes that are known, by id."""
        return [self._beliefs[node_id].node for node_id in sorted(node_ids) if node_id in self._beliefs]

    def _nearest_area(self, position: Point) -> Node | None:
        """Return the nearest area, of those in the room around a position where its walls are known."""

        def apart(area: Node) -> tuple[bool, float, str]:
            room = self.node(area.parent)
            return room is None or not _around(room, position), distance(area.position, position), area.id

        return min(self.nodes(Layer.AREA), key=apart, default=None)

    def _place(self, node: Node, known: Node | None) -> str:
        """Return an area for an object: its receptacle's, its old one where it didn't move, the nearest."""
        receptacle = self.node(node.receptacle)
        if receptacle is not None and receptacle.parent:
            return receptacle.parent
        if known is not None and known.parent and distance(known.position, node.position) <= MOVED:
            return known.parent
        area = self._nearest_area(node.position)
        return area.id if area else ""

    def _begin(self, belief: Belief) -> None:
        node = belief.node
        self._beliefs[node.id] = belief
        self._note_change(node)
        self._lost.discard(node.id)
        self._by_layer[node.layer][node.id] = None
        if node.layer is Layer.OBJECT:
            self._by_category.setdefault(node.category, set()).add(node.id)
        self._link_parent(node)
        self._link_support(node)

    def _end(self, belief: Belief, stamp: float) -> None:
        ended = self._ended.setdefault(belief.node.id, deque(maxlen=KEPT_BELIEFS))
        ended.append(belief.closed(stamp))
        self._once.setdefault(belief.node.category, set()).add(belief.node.id)
        self._note_change(belief.node)
        self._unindex(belief.node)

    def _lose(self, node_id: str) -> None:
        """Note that a node is gone; drop what was believed of the one that has been gone longest, if there are many."""
        self._lost.add(node_id)
        if len(self._lost) > KEPT_LOST:
            longest = min(self._lost, key=lambda gone: (self._ended[gone][-1].valid_until or 0.0, gone))
            self._lost.remove(longest)
            for belief in self._ended.pop(longest):
                self._once[belief.node.category].discard(longest)

    def _correct(self, belief: Belief, node: Node) -> None:
        """Go on believing, of `node` as it is now."""
        self._beliefs[node.id] = replace(belief, node=node)
        self._note_change(node)

    def _note_change(self, node: Node) -> None:
        self.answers.clear()
        self._changed.add(node.id)
        self._places_changed = self._places_changed or node.layer is not Layer.OBJECT

    def _unindex(self, node: Node) -> None:
        self._by_category.get(node.category, set()).discard(node.id)
        self._by_layer[node.layer].pop(node.id, None)

    def _link_parent(self, node: Node) -> None:
        if node.parent:
            self._hierarchy.put(node.id, node.parent)
        else:
            self._hierarchy.remove(node.id)

    def _link_support(self, node: Node) -> None:
        if node.layer is Layer.OBJECT and node.receptacle and (relation := how_it_rests(node)):
            self._supports.put(node.id, node.receptacle, relation)
        else:
            self._supports.remove(node.id)


def _around(room: Node, position: Point) -> bool:
    """Whether a position is between the walls of a room, as far as its size is known."""
    return any(room.size) and all(abs(position[axis] - room.position[axis]) <= room.size[axis] / 2 for axis in (0, 1))
