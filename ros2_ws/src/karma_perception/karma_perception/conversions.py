# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""ROS messages to the library's types and back."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping
from typing import Any

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import KeyValue
from geometry_msgs.msg import Point, Pose, PoseStamped, Quaternion, Vector3
from nav_msgs.msg import MapMetaData, OccupancyGrid
from sensor_msgs.msg import CameraInfo, CompressedImage, Image
from std_msgs.msg import ColorRGBA, Header
from visualization_msgs.msg import Marker as MarkerMsg
from visualization_msgs.msg import MarkerArray

from karma_interfaces.msg import Frontier as FrontierMsg
from karma_interfaces.msg import InstanceLabels, MemoryEvent, SceneEdge, SceneNode
from karma_interfaces.msg import SceneGraph as SceneGraphMsg
from karma_perception.frames.camera import FloatArray, Frame, FrameError
from karma_perception.frames.sensor_messages import (
    to_depth,
    to_instances,
    to_intrinsics,
    to_labels,
    to_matrix,
    to_rgb,
    to_seconds,
)
from karma_perception.markers import Marker, MarkerKey, Shape
from karma_perception.places.floor_plan import Occupancy
from karma_perception.places.frontiers import Frontier
from karma_perception.scene_graph import Edge, EdgeKey, EdgeType, Layer, Node, SceneGraph
from karma_perception.stream import Update
from karma_perception.views.chooser import View

_SHAPES = {
    Shape.BOX: MarkerMsg.CUBE,
    Shape.BALL: MarkerMsg.SPHERE,
    Shape.TEXT: MarkerMsg.TEXT_VIEW_FACING,
    Shape.LINES: MarkerMsg.LINE_LIST,
}


def to_time(seconds: float) -> Time:
    """Return seconds as a stamp; ValueError when it doesn't fit one."""
    if not 0.0 <= seconds < 2**31:
        raise ValueError(f"{seconds} s is not a stamp")
    whole = math.floor(seconds)
    nanoseconds = round((seconds - whole) * 1e9)
    return Time(sec=whole + nanoseconds // 1_000_000_000, nanosec=nanoseconds % 1_000_000_000)


def data_size(message: Any) -> int:
    """Return the bytes of a message's pixels; 0 for one that is no image."""
    return len(message.data) if isinstance(message, Image) else 0


def to_frame(
    *,
    color: Image,
    depth: Image,
    info: CameraInfo,
    pose: PoseStamped | FloatArray,
    map_frame: str,
    instances: Image | None = None,
    labels: InstanceLabels | None = None,
    scene: str = "",
) -> Frame:
    """Return the frame that messages of one stamp make.

    `pose`: of the optical frame; (4, 4) where it is known already. `scene`: its name, where no labels tell it.
    `FrameError` when a message is garbage, or its pose is not in `map_frame`.
    """
    if isinstance(pose, PoseStamped) and pose.header.frame_id != map_frame:
        raise FrameError(f"the camera pose is in the frame {pose.header.frame_id[:64]!r}, expected {map_frame!r}")
    return Frame(
        stamp=to_seconds(depth.header.stamp),
        scene=scene if labels is None else labels.scene,
        depth=to_depth(depth),
        intrinsics=to_intrinsics(info),
        camera_pose=to_matrix(pose.pose) if isinstance(pose, PoseStamped) else pose,
        rgb=to_rgb(color),
        instances=None if instances is None else to_instances(instances),
        labels={} if labels is None else to_labels(labels),
        held="" if labels is None else labels.held,
        resets=0 if labels is None else int(labels.resets),
    )


def from_update(update: Update, frame_id: str) -> SceneGraphMsg:
    """Return an update as a message."""
    delta = update.delta
    return SceneGraphMsg(
        header=Header(stamp=to_time(delta.stamp), frame_id=frame_id),
        scene=update.scene,
        sequence=update.sequence,
        full=update.full,
        nodes=[from_node(n) for n in delta.nodes],
        removed_nodes=list(delta.removed_nodes),
        edges=[from_edge(e) for e in delta.edges],
        removed_edges=[SceneEdge(type=int(t), source=a, target=b) for t, a, b in delta.removed_edges],
    )


def from_node(node: Node) -> SceneNode:
    """Return a node as a message."""
    return SceneNode(
        id=node.id,
        layer=int(node.layer),
        category=node.category,
        name=node.name,
        parent=node.parent,
        pose=Pose(position=_point(node.center), orientation=_turned(node.yaw)),
        size=_vector(node.size),
        movable=node.movable,
        receptacle=node.receptacle,
        relation=node.relation,
        support_heights=node.support_heights,
        states=[KeyValue(key=k, value=v) for k, v in sorted(node.states.items())],
        confidence=node.confidence,
        last_seen=to_time(node.last_seen),
    )


def from_view(view: View, scene: str, robot: str) -> MemoryEvent:
    """Return a picture of an object as what the memory is told."""
    stamp = to_time(view.stamp)
    picture = CompressedImage(header=Header(stamp=stamp), format="jpeg", data=array("B", view.jpeg))
    return MemoryEvent(
        stamp=stamp,
        kind=MemoryEvent.OBSERVATION,
        robot=robot,
        scene=scene,
        target=view.node.id,
        nodes=[from_node(view.node)],
        image=[picture],
    )


def to_node(message: SceneNode) -> Node:
    """Return a message as a node."""
    p, q, s = message.pose.position, message.pose.orientation, message.size
    return Node(
        id=message.id,
        layer=Layer(message.layer),
        category=message.category,
        name=message.name,
        parent=message.parent,
        center=(p.x, p.y, p.z),
        size=(s.x, s.y, s.z),
        movable=message.movable,
        receptacle=message.receptacle,
        relation=message.relation,
        support_heights=tuple(message.support_heights),
        states={kv.key: kv.value for kv in message.states},
        confidence=message.confidence,
        last_seen=to_seconds(message.last_seen),
        yaw=2.0 * math.atan2(q.z, q.w),
    )


def from_edge(edge: Edge) -> SceneEdge:
    """Return an edge as a message."""
    return SceneEdge(type=int(edge.type), source=edge.source, target=edge.target, weight=edge.weight)


def to_edge(message: SceneEdge) -> Edge:
    """Return a message as an edge."""
    return Edge(EdgeType(message.type), message.source, message.target, message.weight)


def apply_message(message: SceneGraphMsg, known: SceneGraph) -> SceneGraph:
    """Return what a subscriber that knew `known` knows after a message."""
    nodes = {} if message.full else dict(known.nodes)
    edges: dict[EdgeKey, Edge] = {} if message.full else dict(known.edges)
    for name in message.removed_nodes:
        nodes.pop(name, None)
    for gone in message.removed_edges:
        edges.pop((EdgeType(gone.type), gone.source, gone.target), None)
    nodes.update((m.id, to_node(m)) for m in message.nodes)
    edges.update((e.key, e) for e in map(to_edge, message.edges))
    return SceneGraph(message.scene, to_seconds(message.header.stamp), nodes, edges)


def from_frontier(frontier: Frontier) -> FrontierMsg:
    """Return a frontier as a message."""
    turn = Quaternion(z=math.sin(frontier.heading / 2), w=math.cos(frontier.heading / 2))
    return FrontierMsg(
        pose=Pose(position=_point(frontier.position), orientation=turn),
        middle=_point(frontier.middle),
        size=frontier.size,
        distance=frontier.distance,
        room=frontier.room,
    )


def from_occupancy(occupancy: Occupancy, header: Header) -> OccupancyGrid:
    """Return what is known of a floor as a message; its rows are along x."""
    width, height = occupancy.cells.shape
    info = MapMetaData(
        map_load_time=header.stamp,
        resolution=occupancy.resolution,
        width=width,
        height=height,
        origin=Pose(position=_point(occupancy.origin)),
    )
    return OccupancyGrid(header=header, info=info, data=array("b", occupancy.cells.T.tobytes()))


def from_markers(
    changed: Mapping[MarkerKey, Marker], gone: Iterable[MarkerKey], header: Header, *, clear: bool = False
) -> MarkerArray:
    """Return markers to show and to delete as a message; `clear` deletes everything first."""
    markers = [MarkerMsg(header=header, action=MarkerMsg.DELETEALL)] if clear else []
    markers += [MarkerMsg(header=header, ns=ns, id=number, action=MarkerMsg.DELETE) for ns, number in gone]
    for (namespace, number), m in changed.items():
        r, g, b, a = m.color
        markers.append(
            MarkerMsg(
                header=header,
                ns=namespace,
                id=number,
                type=_SHAPES[m.shape],
                action=MarkerMsg.ADD,
                pose=Pose(position=_point(m.center), orientation=_turned(m.yaw)),
                scale=_vector(m.size),
                color=ColorRGBA(r=r, g=g, b=b, a=a),
                points=[_point(p) for p in m.points],
                text=m.text,
            )
        )
    return MarkerArray(markers=markers)


def _turned(yaw: float) -> Quaternion:
    """Return the orientation of what stands upright and is turned about z by `yaw` radians."""
    return Quaternion(z=math.sin(yaw / 2), w=math.cos(yaw / 2))


def _point(values: tuple[float, float, float]) -> Point:
    return Point(x=values[0], y=values[1], z=values[2])


def _vector(values: tuple[float, float, float]) -> Vector3:
    return Vector3(x=values[0], y=values[1], z=values[2])
