# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The hierarchical knowledge graph of users (MEMENTO, section 6.2; nodes of table 8, edges of table 7).

User → knowledge → patterns, objects, locations. Objects and locations are canonical: one node for each, shared by all
knowledge of its user through edges.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from itertools import count
from typing import Any

from karma_language.told.habits.wording import KnowledgeType


class NodeType(Enum):
    """What a node stands for."""

    USER = "user"
    KNOWLEDGE = "knowledge"
    PATTERN = "pattern"
    OBJECT = "object"
    LOCATION = "location"


class EdgeType(Enum):
    """What an edge means."""

    HIERARCHICAL = "Hierarchical"
    TEMPORAL = "Temporal"


INSTANCE, CATEGORY = "instance", "category"
"""Granularity of an object node: one thing that was described, or any of its name."""

RELATIONS: Mapping[tuple[NodeType, NodeType], tuple[EdgeType, str]] = {
    (NodeType.USER, NodeType.KNOWLEDGE): (EdgeType.HIERARCHICAL, "refers_to"),
    (NodeType.KNOWLEDGE, NodeType.PATTERN): (EdgeType.HIERARCHICAL, "entails"),
    (NodeType.PATTERN, NodeType.OBJECT): (EdgeType.HIERARCHICAL, "target"),
    (NodeType.PATTERN, NodeType.LOCATION): (EdgeType.HIERARCHICAL, "target"),
    (NodeType.KNOWLEDGE, NodeType.OBJECT): (EdgeType.HIERARCHICAL, "composed_of"),
    (NodeType.PATTERN, NodeType.PATTERN): (EdgeType.TEMPORAL, "before"),
}
"""Table 7: which nodes may be joined, and how."""


class SchemaError(ValueError):
    """An edge or node that the schema does not have; the message says which."""


@dataclass(frozen=True)
class Node:
    """A node of table 8; the attributes that its type doesn't have are empty."""

    id: str
    type: NodeType
    name: str = ""
    """Of users, patterns, objects and locations."""
    subtype: str = ""
    """Of knowledge: object_semantics or user_pattern."""
    category: str = ""
    """Of knowledge: ownership, preference, history, group or routine (tables 5 and 6)."""
    alias: str = ""
    description: str = ""
    args: tuple[str, ...] = ()
    """Of patterns."""
    granularity: str = ""
    """Of objects."""
    attributes: tuple[str, ...] = ()
    instance: str = ""
    """Of objects: id in the scene graph of the thing that it stands for, where the robot has handled it."""
    expression: str = ""
    """Of locations: as it was said."""
    told_in: str = ""
    """Of knowledge: the whole instruction that told it, by which it is found again."""
    scene: str = ""
    """Of knowledge, objects and locations: where they are, or it was told."""
    source: str = ""
    """Of knowledge: id of the event that told it."""
    valid_from: float = 0.0
    """Of knowledge: seconds, the robot's clock."""
    handled: tuple[tuple[str, ...], ...] = ()
    """Of knowledge, what was handled when it was told, in order: its id in the scene graph, that of where it was put;
    and, where that was seen, its category and what it looks like."""

    def to_json(self) -> dict[str, Any]:
        """Return what the node has, as figures 12 and 13 write it."""
        data = {key: value for key, value in asdict(self).items() if value not in ("", (), 0.0)}
        return {**data, "type": self.type.value}


@dataclass(frozen=True)
class Edge:
    """An edge of table 7."""

    source: str
    target: str
    type: EdgeType
    relation: str

    def to_json(self) -> dict[str, str]:
        """Return the edge as table 7 writes it."""
        return {"source": self.source, "target": self.target, "type": self.type.value, "relation": self.relation}


class ProfileGraph:
    """Nodes and edges of all users. A node belongs to exactly one user; no edge joins those of two. Not thread-safe."""

    def __init__(self) -> None:
        self._nodes: dict[str, Node] = {}
        self._out: dict[str, dict[str, Edge]] = {}
        self._in: dict[str, dict[str, Edge]] = {}
        self._owner: dict[str, str] = {}
        """Node id → user."""
        self._of_user: dict[str, dict[str, Node]] = {}
        """User → their nodes by id, oldest first."""
        self._told: dict[str, dict[str, None]] = {}
        """Event → ids of the knowledge that it told."""
        self._made: dict[str, int] = {}
        """User → how many nodes without an id of their own were made: the ids of one tell nothing of another."""

    def __len__(self) -> int:
        return len(self._nodes)

    def node(self, node_id: str) -> Node:
        """Return a node. KeyError for an unknown id."""
        return self._nodes[node_id]

    def __contains__(self, node_id: str) -> bool:
        return node_id in self._nodes

    def owner(self, node_id: str) -> str:
        """Return whose node it is. KeyError for an unknown id."""
        return self._owner[node_id]

    def nodes(self, node_type: NodeType) -> list[Node]:
        """Return the nodes of a type of all users, oldest first."""
        return [node for node in self._nodes.values() if node.type is node_type]

    def of_user(self, user: str, node_type: NodeType, subtype: KnowledgeType | None = None) -> list[Node]:
        """Return a user's nodes of a type, oldest first; of knowledge those of a subtype (algorithm 1, step 3)."""
        return [
            node
            for node in self._of_user.get(user, {}).values()
            if node.type is node_type and (subtype is None or node.subtype == subtype.value)
        ]

    def told_by(self, source: str) -> list[str]:
        """Return the ids of the knowledge that an event told, in the order in which it did."""
        return list(self._told.get(source, ()))

    def add(self, user: str, node_type: NodeType, **attributes: Any) -> Node:
        """Make a node of a user, with a new id. Knowledge is called after the event that told it, if there was one."""
        source = attributes.get("source", "") if node_type is NodeType.KNOWLEDGE else ""
        if source:
            node_id = next(name for n in count() if (name := f"{source}#{n}") not in self._nodes)
        else:
            self._made[user] = self._made.get(user, 0) + 1
            node_id = f"{user}/{node_type.value[0]}{self._made[user]}"
        node = Node(node_id, node_type, **attributes)
        self._put(user, node)
        return node

    def replace(self, node: Node) -> None:
        """Give a known node other attributes. KeyError for an unknown id."""
        self._put(self._owner[node.id], node)

    def join(self, source: str, target: str) -> Edge:
        """Add the edge that the schema has between two nodes of one user. SchemaError where it has none."""
        a, b = self._nodes[source], self._nodes[target]
        if self._owner[source] != self._owner[target]:
            raise SchemaError(f"{source} and {target} belong to different users")
        if (a.type, b.type) not in RELATIONS:
            raise SchemaError(f"no edge leads from a {a.type.value} to a {b.type.value}")
        edge = Edge(source, target, *RELATIONS[a.type, b.type])
        self._out[source][target] = self._in[target][source] = edge
        return edge

    def disjoin(self, source: str, target: str) -> None:
        """Take out an edge. KeyError where there is none."""
        del self._out[source][target], self._in[target][source]

    def remove(self, node_id: str) -> None:
        """Take out a node and its edges. KeyError for an unknown id."""
        for target in self._out.pop(node_id):
            del self._in[target][node_id]
        for source in self._in.pop(node_id):
            del self._out[source][node_id]
        node = self._nodes.pop(node_id)
        of_user = self._of_user[self._owner.pop(node_id)]
        del of_user[node_id]
        if node.source:
            del self._told[node.source][node_id]
            if not self._told[node.source]:
                del self._told[node.source]

    def children(self, node_id: str, node_type: NodeType | None = None) -> list[Node]:
        """Return the nodes that a node's edges lead to, in the order in which they were added."""
        found = [self._nodes[target] for target in self._out[node_id]]
        return [node for node in found if node_type is None or node.type is node_type]

    def parents(self, node_id: str) -> list[Node]:
        """Return the nodes whose edges lead to a node."""
        return [self._nodes[source] for source in self._in[node_id]]

    def patterns(self, knowledge: str) -> list[Node]:
        """Return the patterns of a piece of knowledge in their order in time."""
        found = self.children(knowledge, NodeType.PATTERN)
        before = {node.id: {parent.id for parent in self.parents(node.id)} for node in found}
        order: list[Node] = []
        while found:
            done = {node.id for node in order}
            ready = next((n for n in found if not before[n.id] & {m.id for m in found} - done), found[0])
            order.append(ready)
            found.remove(ready)
        return order

    def expand(self, nodes: Iterable[str]) -> tuple[list[Node], list[Edge]]:
        """Return nodes with all that they lead to, and the edges between them (algorithms 1 and 2, `Expand`)."""
        reached: dict[str, None] = {}
        waiting = list(nodes)
        while waiting:
            node = waiting.pop(0)
            if node not in reached:
                reached[node] = None
                waiting += self._out[node]
        edges = [edge for node in reached for edge in self._out[node].values() if edge.target in reached]
        return [self._nodes[node] for node in reached], edges

    def sharing(self, knowledge: str) -> list[str]:
        """Return the ids of the knowledge that is about an object of this knowledge, itself among it."""
        found = {knowledge: None}
        waiting = [node.id for node in self.expand([knowledge])[0] if node.type is NodeType.OBJECT]
        seen = set(waiting)
        while waiting:
            for parent in self.parents(waiting.pop()):
                if parent.type is NodeType.KNOWLEDGE:
                    found[parent.id] = None
                elif parent.id not in seen:
                    seen.add(parent.id)
                    waiting.append(parent.id)
        return list(found)

    def remove_unused(self, user: str) -> None:
        """Take out objects and locations of a user that nothing leads to any more."""
        for node_type in (NodeType.OBJECT, NodeType.LOCATION):
            for node in self.of_user(user, node_type):
                if not self._in[node.id]:
                    self.remove(node.id)

    def snapshot(self) -> dict[str, Any]:
        """Return the state as JSON."""
        return {
            "nodes": [
                {**asdict(node), "type": node.type.value, "user": self._owner[id_]} for id_, node in self._nodes.items()
            ],
            "edges": [[edge.source, edge.target] for edges in self._out.values() for edge in edges.values()],
            "made": dict(self._made),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over a state; the graph must be empty."""
        for item in state["nodes"]:
            data = {**item, "type": NodeType(item["type"])}
            user = data.pop("user")
            data.update({name: tuple(item[name]) for name in ("args", "attributes")})
            self._put(user, Node(**{**data, "handled": tuple(map(tuple, item.get("handled", ())))}))
        for source, target in state["edges"]:
            self.join(source, target)
        self._made = dict(state["made"])

    def _put(self, user: str, node: Node) -> None:
        self._nodes[node.id] = node
        self._owner[node.id] = user
        self._of_user.setdefault(user, {})[node.id] = node
        if node.source:
            self._told.setdefault(node.source, {})[node.id] = None
        self._out.setdefault(node.id, {})
        self._in.setdefault(node.id, {})
