# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Scene graphs as the JSON of Spark-DSG (MIT-SPARK/Spark-DSG 1.1: what Hydra and Khronos write), and back.

Objects are its layer 2, areas its places (3), rooms 4; a floor is written as a building (5), for which Spark-DSG has a
layer and for a floor it has none, and a building is read as a floor. Ways between areas are weighted edges between
places. What its attributes can't say (what rests on what, states, confidence) is in each node's `metadata` under
"karma", so that a graph of ours comes back as it was; histories of beliefs are not written.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from karma_language.vocabulary.categories import Vocabulary
from karma_memory.encoding import from_json, to_json
from karma_memory.scene import MAX_STAMP, Edge, InvalidEventError, Layer, Node, Point, Relation, clip, distance
from karma_memory.scene_graph.follower import GraphUpdate
from karma_memory.scene_graph.graph import SceneGraph

VERSION = (1, 1, 3)
"""Of the format that is written; 1.x is read, and files from before it had a version."""
HEADER = "SPARK_DSG_header"
_HAS_PART = "has_part"
"""PART_OF from the second node of an edge to the first: edges have no direction there."""
OWN = "karma"
"""Key of what only KARMA says in a node's metadata."""
LAYERS = {Layer.OBJECT: 2, Layer.AREA: 3, Layer.ROOM: 4, Layer.FLOOR: 5}
NAMES = {"OBJECTS": 2, "AGENTS": 2, "PLACES": 3, "ROOMS": 4, "BUILDINGS": 5}
SYMBOLS = {Layer.OBJECT: "O", Layer.AREA: "p", Layer.ROOM: "R", Layer.FLOOR: "B"}
"""First byte of a node's id; the other seven number the nodes."""
TYPES = {
    Layer.OBJECT: "ObjectNodeAttributes",
    Layer.AREA: "PlaceNodeAttributes",
    Layer.ROOM: "RoomNodeAttributes",
    Layer.FLOOR: "SemanticNodeAttributes",
}
NO_LABEL = 2**32 - 1
INDEX_BITS = 56

_LAYER_OF = {number: layer for layer, number in LAYERS.items()}
_NO_ROTATION = (0.0, 0.0, 0.0, 1.0)

Json = dict[str, Any]


class SparkDsgError(ValueError):
    """The data is no scene graph of Spark-DSG; the message names the place and what is expected there."""


def to_spark_dsg(graph: SceneGraph) -> Json:
    """Return what is believed now as a JSON object that Spark-DSG loads.

    Edges between layers are containment there, so that other edges between layers are left out.
    """
    nodes = sorted(graph.nodes(), key=lambda node: (LAYERS[node.layer], node.id))
    categories = sorted({node.category for node in nodes if node.layer is Layer.OBJECT})
    labels = {category: number for number, category in enumerate(categories)}
    symbols: dict[str, int] = {}
    for layer in Layer:
        of_layer = (node for node in nodes if node.layer is layer)
        symbols.update((node.id, _symbol(layer, number)) for number, node in enumerate(of_layer))
    return {
        HEADER: {"project_name": "karma", "version": dict(zip(("major", "minor", "patch"), VERSION, strict=True))},
        "directed": False,
        "multigraph": False,
        "layer_keys": [{"layer": number, "partition": 0} for number in sorted(LAYERS.values())],
        "layer_names": {name: {"layer": number, "partition": 0} for name, number in NAMES.items()},
        "metadata": {"scene": graph.scene, "labelspaces": {"_l2p0": [[labels[name], name] for name in categories]}},
        "nodes": [
            {
                "id": symbols[node.id],
                "layer": LAYERS[node.layer],
                "partition": 0,
                "attributes": _attributes(node, labels.get(node.category, NO_LABEL)),
            }
            for node in nodes
        ],
        "edges": list(_edges_to_json(graph, nodes, symbols)),
    }


def from_spark_dsg(data: object, *, scene: str = "", stamp: float = 0.0) -> GraphUpdate:
    """Return the scene graph of Spark-DSG's JSON as an update for Memory.observe_graph. SparkDsgError when malformed.

    `scene`: its name, the file's own by default; `stamp`: seconds, for nodes that don't say when they were seen.
    Agents, the mesh, and layers other than objects, places, rooms and buildings are no part of KARMA's graph and left
    out.
    """
    try:
        return _read(data, scene, stamp)
    except SparkDsgError:
        raise
    except (ValueError, TypeError, AttributeError, KeyError, OverflowError) as error:
        raise SparkDsgError(f"not the JSON of a Spark-DSG scene graph: {error}") from error


def _read(data: object, scene: str, stamp: float) -> GraphUpdate:
    _check_version(data)
    metadata = data.get("metadata") or {} if isinstance(data, Mapping) else {}
    labels = _labels(metadata)
    nodes: dict[int, Node] = {}
    skipped: set[int] = set()
    for number, item in enumerate(_get(data, "nodes", list, "the file")):
        where = f"nodes[{number}]"
        symbol, layer = _get(item, "id", int, where), _get(item, "layer", int, where)
        attributes = _get(item, "attributes", Mapping, where)
        if symbol in nodes or symbol in skipped:
            raise SparkDsgError(f"{where}: the id {symbol} is taken; each node needs its own")
        if layer not in _LAYER_OF or item.get("partition") or attributes.get("type") == "AgentNodeAttributes":
            skipped.add(symbol)
        else:
            nodes[symbol] = _node(attributes, symbol, _LAYER_OF[layer], labels, f"{where}.attributes")
    parents: dict[int, int] = {}
    edges: list[Edge] = []
    for number, item in enumerate(_get(data, "edges", list, "the file")):
        where = f"edges[{number}]"
        ends = (_get(item, "source", int, where), _get(item, "target", int, where))
        for end in ends:
            if end not in nodes and end not in skipped:
                raise SparkDsgError(f"{where}: there is no node {end}")
        if skipped.isdisjoint(ends):
            child, parent = sorted(ends, key=lambda end: -nodes[end].layer)
            if nodes[child].layer is nodes[parent].layer:
                edges += _edges(_get(item, "info", Mapping, where), nodes[ends[0]], nodes[ends[1]], where)
            elif child not in parents or nodes[parent].layer > nodes[parents[child]].layer:
                parents[child] = parent
    return GraphUpdate(
        scene or str(metadata.get("scene", "")),
        1,
        stamp,
        full=True,
        nodes=tuple(_with_parent(node, nodes.get(parents.get(symbol, -1))) for symbol, node in nodes.items()),
        edges=tuple(edges),
    )


def _symbol(layer: Layer, number: int) -> int:
    return ord(SYMBOLS[layer]) << INDEX_BITS | number


def _attributes(node: Node, label: int) -> Json:
    """Return the attributes of a node; those that Spark-DSG insists on have its own defaults."""
    box = "INVALID" if not any(node.size) else "AABB" if node.orientation == _NO_ROTATION else "OBB"
    attributes: Json = {
        "type": TYPES[node.layer],
        "metadata": {OWN: to_json(node)},
        "position": list(node.position),
        "last_update_time_ns": round(node.last_seen * 1e9),
        "is_active": False,
        "is_predicted": False,
        "name": node.name or node.label,
        "color": {"r": 0, "g": 0, "b": 0, "a": 255},
        "bounding_box": {
            "type": box,
            "dimensions": list(node.size),
            "world_P_center": list(node.position),
            "world_R_center": _quaternion(node),
        },
        "semantic_label": label,
        "semantic_feature": {"rows": 0, "cols": 0, "data": None},
    }
    if node.layer is Layer.OBJECT:
        attributes |= {"mesh_connections": [], "registered": False, "world_R_object": _quaternion(node)}
    elif node.layer is Layer.AREA:
        numbers = ("distance", "num_basis_points", "num_frontier_voxels")
        lists = ("voxblox_mesh_connections", "pcl_mesh_connections", "mesh_vertex_labels", "deformation_connections")
        attributes |= dict.fromkeys(numbers, 0) | {name: [] for name in lists}
        attributes |= dict.fromkeys(("active_frontier", "anti_frontier", "need_cleanup"), False)
        attributes |= {"real_place": True, "frontier_scale": [0.0, 0.0, 0.0], "orientation": _quaternion(node)}
    elif node.layer is Layer.ROOM:
        attributes["semantic_class_probabilities"] = {}
    return attributes


def _quaternion(node: Node) -> Json:
    return dict(zip("xyzw", node.orientation, strict=True))


def _edges_to_json(graph: SceneGraph, nodes: Iterable[Node], symbols: Mapping[str, int]) -> Iterable[Json]:
    """Yield containment, then one edge for each two nodes of a layer that are related, with all their relations."""
    for node in nodes:
        parent = graph.node(node.parent)
        if parent is not None and LAYERS[parent.layer] > LAYERS[node.layer]:
            yield _edge(symbols[parent.id], symbols[node.id], 1.0, {}, weighted=False)
    related: dict[tuple[int, int], dict[str, float]] = {}
    for edge in graph.edges():
        source, target = graph.node(edge.source), graph.node(edge.target)
        if source is not None and target is not None and source.layer is target.layer and source.id != target.id:
            ends = sorted((symbols[source.id], symbols[target.id]))
            turned = edge.type is Relation.PART_OF and symbols[source.id] != ends[0]
            related.setdefault((ends[0], ends[1]), {})[_HAS_PART if turned else edge.type.name.lower()] = edge.weight
    for (first, second), relations in sorted(related.items()):
        yield _edge(first, second, next(iter(relations.values())), relations, weighted=True)


def _edge(source: int, target: int, weight: float, metadata: Mapping[str, float], *, weighted: bool) -> Json:
    info = {"type": "EdgeAttributes", "metadata": dict(metadata), "weighted": weighted, "weight": weight}
    return {"source": source, "target": target, "info": info}


def _check_version(data: object) -> None:
    if isinstance(data, Mapping) and HEADER in data:
        version = _get(_get(data, HEADER, Mapping, "the file"), "version", Mapping, HEADER)
        major = _get(version, "major", int, f"{HEADER}.version")
        if major > VERSION[0]:
            raise SparkDsgError(f"the file has format {major}.x of Spark-DSG; up to {VERSION[0]}.x can be read")


def _labels(metadata: object) -> dict[tuple[int, int], str]:
    """Return (layer, semantic label) → name, as far as the file tells."""
    labels: dict[tuple[int, int], str] = {}
    spaces = metadata.get("labelspaces") or {} if isinstance(metadata, Mapping) else {}
    for layer in LAYERS.values():
        for pair in spaces.get(f"_l{layer}p0", []):
            if not (isinstance(pair, list) and len(pair) == 2):
                raise SparkDsgError(f"metadata.labelspaces._l{layer}p0 must hold pairs of label and name")
            labels[layer, pair[0]] = str(pair[1])
    return labels


def _node(
    attributes: Mapping[str, Any], symbol: int, layer: Layer, labels: Mapping[tuple[int, int], str], where: str
) -> Node:
    """Return the node that KARMA wrote, or what the attributes of another writer say."""
    own = (attributes.get("metadata") or {}).get(OWN)
    try:
        return from_json(Node, own) if own is not None else _foreign_node(attributes, symbol, layer, labels, where)
    except (InvalidEventError, KeyError, TypeError, AttributeError) as error:
        raise SparkDsgError(f"{where}: {error}") from error


def _foreign_node(
    attributes: Mapping[str, Any], symbol: int, layer: Layer, labels: Mapping[tuple[int, int], str], where: str
) -> Node:
    key, index = chr(symbol >> INDEX_BITS), symbol & (1 << INDEX_BITS) - 1
    name = str(attributes.get("name", ""))
    name = "" if name == f"{key}({index})" else name  # what Hydra writes for want of a name
    label = labels.get((LAYERS[layer], attributes.get("semantic_label", NO_LABEL)), "")
    category = label or (name if layer is Layer.OBJECT else layer.name.capitalize())
    seen = _get(attributes, "last_update_time_ns", int, where) * 1e-9
    rotation = attributes.get("world_R_object") or dict(zip("xyzw", _NO_ROTATION, strict=True))
    return Node(
        id=f"{category}|{key}{index}" if layer is Layer.OBJECT and category else f"{key}{index}",
        layer=layer,
        category=category,
        name=f"{key}{index}" if layer is Layer.AREA else name,
        position=_vector(attributes, "position", where),
        orientation=tuple(_get(rotation, axis, (int, float), f"{where}.world_R_object") for axis in "xyzw"),
        size=_size(attributes.get("bounding_box") or {}, f"{where}.bounding_box"),
        movable=layer is Layer.OBJECT and _is_movable(category),
        last_seen=seen if 0 < seen <= MAX_STAMP else 0.0,  # old files hold times that were never set
    )


def _is_movable(category: str) -> bool:
    """Whether a thing of that name can be carried, as far as the household's vocabulary tells."""
    vocabulary = Vocabulary()
    categories = [name for mention in vocabulary.mentions(category) for name in mention.categories]
    return all(map(vocabulary.is_movable, categories))


def _size(box: Mapping[str, Any], where: str) -> Point:
    if box.get("type") in (None, "INVALID"):
        return (0.0, 0.0, 0.0)
    if "dimensions" in box:
        return _vector(box, "dimensions", where)
    low, high = _vector(box, "min", where), _vector(box, "max", where)
    return (high[0] - low[0], high[1] - low[1], high[2] - low[2])


def _edges(info: Mapping[str, Any], first: Node, second: Node, where: str) -> list[Edge]:
    """Return the relations of two nodes of a layer. What rests on what is said by KARMA's nodes themselves."""
    said = info.get("metadata") or {}
    relations = {relation: said[relation.name.lower()] for relation in Relation if relation.name.lower() in said}
    if _HAS_PART in said:
        return [Edge(Relation.PART_OF, second.id, first.id, said[_HAS_PART]), *_kept(relations, first, second)]
    if not relations:
        weight = _get(info, "weight", (int, float), f"{where}.info") if info.get("weighted") else math.nan
        gap = distance(first.position, second.position)
        relations = {
            Relation.NEAR if first.layer is Layer.OBJECT else Relation.REACHABLE: gap if math.isnan(weight) else weight
        }
    return _kept(relations, first, second)


def _kept(relations: Mapping[Relation, float], first: Node, second: Node) -> list[Edge]:
    return [
        Edge(relation, first.id, second.id, weight)
        for relation, weight in relations.items()
        if relation not in (Relation.ON, Relation.IN)
    ]


def _with_parent(node: Node, parent: Node | None) -> Node:
    return node if parent is None or node.parent else replace(node, parent=parent.id)


def _vector(record: Mapping[str, Any], key: str, where: str) -> Point:
    values = _get(record, key, list, where)
    if len(values) != 3 or not all(isinstance(value, (int, float)) for value in values):
        raise SparkDsgError(f"{where}.{key} must be three numbers, got {clip(values)}")
    return (values[0], values[1], values[2])


def _get(record: object, key: str, kind: Any, where: str) -> Any:
    """Return record[key], which must be of a kind. SparkDsgError otherwise."""
    if not isinstance(record, Mapping):
        raise SparkDsgError(f"{where} must be a JSON object, got {type(record).__name__}")
    if key not in record:
        raise SparkDsgError(f"{where} has no {key!r}; is this the JSON of a Spark-DSG scene graph?")
    if not isinstance(record[key], kind) or isinstance(record[key], bool):
        raise SparkDsgError(f"{where}: {key!r} has the wrong type, got {clip(record[key])}")
    return record[key]
