# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Follow a stream of scene-graph deltas: notice gaps, and let through only what really changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from karma_memory.events import MAX_NODES, check_nodes, check_tuple
from karma_memory.scene import Edge, Layer, Node, Relation, check_id, check_stamp, distance
from karma_memory.scene_graph.beliefs import MOVED, differs, is_older, is_stale, seen_at
from karma_memory.scene_graph.graph import SceneGraph
from karma_memory.scene_graph.shared_places import Reported, SharedPlaces
from karma_memory.scene_graph.superseded import superseded

SURER = 0.1
"""Change of confidence that is worth remembering."""
LONGER = 0.1
"""Metres; change of a driving distance that is worth remembering."""
ELSEWHERE = 0.25
"""Metres; the publisher and the memory agree on where an object is when they differ by less."""


@dataclass(frozen=True)
class GraphUpdate:
    """A delta of a scene graph, or all of it; see karma_interfaces/SceneGraph. InvalidEventError when malformed."""

    scene: str
    sequence: int
    stamp: float
    full: bool = False
    nodes: tuple[Node, ...] = ()
    removed: tuple[str, ...] = ()
    edges: tuple[Edge, ...] = ()
    removed_edges: tuple[Edge, ...] = ()

    def __post_init__(self) -> None:
        check_id("scene", self.scene, empty=True)
        check_stamp("stamp", self.stamp)
        check_nodes("nodes", self.nodes)
        for node_id in check_tuple("removed", self.removed, MAX_NODES):
            check_id("removed id", node_id)
        for name in ("edges", "removed_edges"):
            check_tuple(name, getattr(self, name), MAX_NODES, Edge)


class GapError(LookupError):
    """An update is missing: the full graph is needed."""


class SceneFollower:
    """Keeps track of one publisher of scene graphs.

    A publisher that starts again (sequence 1, or a full graph with a lower sequence) knows less than the memory: what
    it doesn't list is then kept, except for the areas of a room that it lists areas of, and for what it maps anew
    (`superseded`). Areas, rooms and floors that another publisher reports are kept in any case.
    """

    def __init__(self, refresh: float, places: SharedPlaces | None = None) -> None:
        """`refresh`: seconds after which a movable object that is still where it was is worth remembering again.

        `places`: what all publishers of the same scenes report; None where there is only this one.
        """
        self.refresh = refresh
        self._places = places or SharedPlaces()
        self._scene: str | None = None
        self._sequence = 0
        self._skipped = range(0)
        """Sequences of deltas that the last full graph made superfluous."""
        self._published: dict[str, Node] = {}

    @property
    def scene(self) -> str:
        """Scene of the last update, "" before the first."""
        return self._scene or ""

    def shared(self, update: GraphUpdate, known: SceneGraph) -> GraphUpdate:
        """Return an update with the ids that all publishers share for places, for a memory that knows `known`."""
        if self._is_superfluous(update):
            return update
        if self._begins(update):
            self._places.begin(self, update.scene)
        said = Reported(update.nodes, update.removed, update.edges, update.removed_edges)
        return replace(update, **vars(self._places.translate(self, said, known, full=update.full)))

    def news(self, update: GraphUpdate, known: SceneGraph) -> Reported:
        """Return what is new in a `shared` update to a memory that knows `known`. GapError when one before is missing.

        Changes nothing: call `accept` when the news are remembered.
        """
        if self._is_superfluous(update):
            return Reported()
        begins = self._begins(update)
        if not update.full and begins and update.sequence != 1:
            raise GapError(f"the first update of scene {update.scene!r} has sequence {update.sequence}")
        if not update.full and not begins and update.sequence != self._sequence + 1:
            raise GapError(f"update {update.sequence} of scene {update.scene!r} came after {self._sequence}")
        published = {} if begins else self._published
        missing = dict.fromkeys((*_missing(update, known, published), *self._superseded(update, known, published)))
        return Reported(
            tuple(node for node in update.nodes if self._is_news(node, update.stamp, known.node(node.id))),
            tuple(
                item
                for item in missing
                if _is_gone(item, update.stamp, known, published.get(item))
                and not self._places.is_reported_by_others(self, item)
            ),
            tuple(edge for edge in update.edges if _is_new_edge(edge, known)),
            tuple(edge for edge in update.removed_edges if known.connected(edge) is not None),
        )

    def _superseded(self, update: GraphUpdate, known: SceneGraph, published: Mapping[str, Node]) -> list[str]:
        """Return the places of an earlier map where an update reports others."""
        if all(node.layer is Layer.OBJECT for node in update.nodes):
            return []
        now = _published_after(published, update)
        places = (node.id for layer in (Layer.ROOM, Layer.AREA) for node in known.nodes(layer))
        elsewhere = {place for place in places if self._places.is_reported_by_others(self, place)}
        return superseded(now.values(), known, now.keys() | elsewhere)

    def accept(self, update: GraphUpdate) -> None:
        """Go on after a `shared` update, whose news are remembered."""
        if self._is_superfluous(update):
            return
        if self._begins(update):
            self._scene, self._sequence, self._skipped, self._published = update.scene, 0, range(0), {}
        if update.full:
            self._skipped = range(self._sequence + 1, update.sequence + 1)
        self._published = _published_after(self._published, update)
        self._sequence = update.sequence

    def _begins(self, update: GraphUpdate) -> bool:
        """Whether the publisher starts, or starts again, with `update`."""
        if update.full:
            return update.scene != self._scene or update.sequence <= 1 or not 0 < self._sequence <= update.sequence
        return update.scene != self._scene or (update.sequence == 1 and self._sequence != 0)

    def _is_superfluous(self, update: GraphUpdate) -> bool:
        return not update.full and update.sequence in self._skipped and not self._begins(update)

    def _is_news(self, node: Node, stamp: float, known: Node | None) -> bool:
        if known is None:
            return True
        node = seen_at(node, stamp)
        if is_stale(known, node, stamp):
            return False
        if any(all(abs(h - k) > MOVED for k in known.support_heights) for h in node.support_heights):
            return True
        if differs(known, node) or abs(known.confidence - node.confidence) > SURER:
            return True
        return node.movable and node.last_seen >= known.last_seen + self.refresh


def _published_after(published: Mapping[str, Node], update: GraphUpdate) -> dict[str, Node]:
    """Return what a publisher that had `published` these has after an update."""
    kept = {} if update.full else dict(published)
    for node_id in update.removed:
        kept.pop(node_id, None)
    return {**kept, **{node.id: node for node in update.nodes}}


def _missing(update: GraphUpdate, known: SceneGraph, published: Mapping[str, Node]) -> Iterable[str]:
    """Return the nodes that are no longer in the graph of a publisher that had `published` these."""
    if not update.full:
        return update.removed
    listed = {node.id for node in update.nodes}
    if published:
        return [node_id for node_id in published if node_id not in listed]
    rooms = {node.parent for node in update.nodes if node.layer is Layer.AREA}
    return [area.id for area in known.nodes(Layer.AREA) if area.parent in rooms and area.id not in listed]


def _is_gone(node_id: str, stamp: float, known: SceneGraph, published: Node | None) -> bool:
    """Whether a node that the publisher removed at `stamp` is where it was `published`, as far as the memory knows.

    An object that a skill has moved meanwhile is only gone from its old place, what is in something that is closed is
    only out of view, and what another robot has seen since is there.
    """
    node = known.node(node_id)
    if node is None or _is_shut_in(node, known) or is_older(stamp, node, stamp):
        return False
    if published is None or node.layer is not Layer.OBJECT:
        return True
    moved = distance(node.position, published.position) > ELSEWHERE or node.relation == "held"
    return not (moved and node.last_seen >= published.last_seen)


def _is_shut_in(node: Node, known: SceneGraph) -> bool:
    holder = known.node(node.receptacle) if node.relation == "in" else None
    return holder is not None and dict(holder.states).get("isOpen") == "false"


def _is_new_edge(edge: Edge, known: SceneGraph) -> bool:
    present = known.connected(edge)
    if present is None:
        return True
    return edge.type is Relation.REACHABLE and abs(present.weight - edge.weight) > LONGER
