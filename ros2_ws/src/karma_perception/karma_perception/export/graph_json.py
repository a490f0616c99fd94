# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The scene graph as one JSON file; what is read back equals what was written. docs/perception.md describes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, ValidationError

from karma_perception.saved_map.whole_file import whole_file
from karma_perception.scene_graph import Edge, EdgeType, Layer, Node, SceneGraph, Vector

FORMAT: Final = "karma-scene-graph"
VERSION: Final = 1
"""Grows with every change that an older reader would not understand."""


class GraphFileError(ValueError):
    """The file holds no scene graph that can be read; the message says what is wrong where."""


LayerName = Annotated[
    Layer,
    BeforeValidator(lambda v: Layer[v.upper()] if isinstance(v, str) and v.upper() in Layer.__members__ else v),
    PlainSerializer(lambda v: v.name.lower()),
]
EdgeName = Annotated[
    EdgeType,
    BeforeValidator(lambda v: EdgeType[v.upper()] if isinstance(v, str) and v.upper() in EdgeType.__members__ else v),
    PlainSerializer(lambda v: v.name.lower()),
]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class _Box(_Part):
    """Upright in the map frame."""

    center: Vector
    """Metres."""
    size: Vector
    """Full extents along its own axes, metres."""
    yaw: float
    """Radians by which it is turned about z."""
    volume: float
    """Cubic metres."""


class _Node(_Part):
    id: str
    layer: LayerName
    category: str
    name: str
    parent: str
    """Id of the node one layer up, "" for a floor."""
    box: _Box
    movable: bool
    receptacle: str
    """Id of the object that holds it, or ""."""
    relation: str = Field(pattern="^(on|in|held)?$")
    states: dict[str, str]
    confidence: float = Field(ge=0.0, le=1.0)
    last_seen: float
    """Seconds."""
    support_heights: tuple[float, ...] = ()
    """Heights (z) of the surfaces that hold things, metres; the first files don't say."""


class _Edge(_Part):
    type: EdgeName
    source: str
    target: str
    weight: float
    """Metres: of driving for "reachable", between the centres for others."""


class _Document(_Part):
    format: Literal["karma-scene-graph"]
    version: Literal[1]
    frame: str
    """Frame of all positions (REP-105); x forward, y left, z up (REP-103)."""
    scene: str
    stamp: float
    """Seconds; the newest observation in it."""
    nodes: tuple[_Node, ...]
    edges: tuple[_Edge, ...]


def write_json(graph: SceneGraph, path: Path | str, *, frame: str = "map") -> Path:
    """Write a scene graph as a whole or not at all; return the path. OSError where nothing can be written."""
    document = _Document(
        format=FORMAT,
        version=VERSION,
        frame=frame,
        scene=graph.scene,
        stamp=graph.stamp,
        nodes=tuple(map(_from_node, graph.nodes.values())),
        edges=tuple(map(_from_edge, graph.edges.values())),
    )
    with whole_file(Path(path)) as part:
        part.write_text(document.model_dump_json(indent=1) + "\n", encoding="utf-8")
    return Path(path)


def read_json(path: Path | str) -> SceneGraph:
    """Return the scene graph in a file of `write_json`.

    `GraphFileError` for one of another kind or version, or whose nodes and edges don't fit together; OSError for one
    that can't be read.
    """
    try:
        data: Any = json.loads(Path(path).read_bytes())
    except (ValueError, RecursionError) as error:
        raise GraphFileError(f"{path} is no JSON: {error}") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise GraphFileError(f'{path} is no scene graph of KARMA: it does not say "format": "{FORMAT}"')
    if data.get("version") != VERSION:
        found = str(data.get("version"))[:20]
        raise GraphFileError(f"{path} has version {found}, this karma_perception knows {VERSION}: update KARMA")
    try:
        return _to_graph(_Document.model_validate(data))
    except ValidationError as error:
        first = error.errors()[0]
        raise GraphFileError(f"{path}, {'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    except ValueError as error:
        raise GraphFileError(f"{path}: {error}") from error


def _to_graph(document: _Document) -> SceneGraph:
    """Return the graph; ValueError when its parts don't fit together."""
    nodes = {n.id: _to_node(n) for n in document.nodes}
    edges = {e.key: e for e in (Edge(e.type, e.source, e.target, e.weight) for e in document.edges)}
    if len(nodes) < len(document.nodes) or len(edges) < len(document.edges):
        raise ValueError("a node or an edge is listed twice")
    graph = SceneGraph(document.scene, document.stamp, nodes, edges)
    graph.check()
    return graph


def _from_edge(edge: Edge) -> _Edge:
    return _Edge(**vars(edge))


def _from_node(node: Node) -> _Node:
    box = _Box(center=node.center, size=node.size, yaw=node.yaw, volume=node.volume)
    return _Node(box=box, **{name: getattr(node, name) for name in _Node.model_fields if name != "box"})


def _to_node(n: _Node) -> Node:
    said = {name: value for name, value in n if name != "box"}
    return Node(center=n.box.center, size=n.box.size, yaw=n.box.yaw, **said)
