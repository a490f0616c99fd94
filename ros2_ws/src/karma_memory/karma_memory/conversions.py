# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""ROS messages to the library's types and back. What a message can't mean raises InvalidEventError."""

from __future__ import annotations

import math
from typing import Any

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import KeyValue
from geometry_msgs.msg import Point as PointMsg
from geometry_msgs.msg import Pose, Quaternion, Vector3
from sensor_msgs.msg import CompressedImage
from std_msgs.msg import Header

from karma_interfaces.msg import (
    MemoryEvent,
    SceneEdge,
    SceneNode,
)
from karma_interfaces.msg import Result as ResultMsg
from karma_interfaces.msg import SceneGraph as SceneGraphMsg
from karma_interfaces.msg import SkillCall as SkillCallMsg
from karma_interfaces.msg import SkillOutcome as SkillOutcomeMsg
from karma_interfaces.msg import SkillTarget as SkillTargetMsg
from karma_memory.events import OWN_KINDS, Code, Event, EventKind, Image, SkillCall, SkillOutcome, SkillTarget
from karma_memory.scene import Edge, InvalidEventError, Layer, Node, Point, check_range
from karma_memory.scene_graph.follower import GraphUpdate
from karma_memory.scene_graph.graph import SceneGraph

FRAME = "map"
"""The frame of all positions (docs/architecture.md)."""


def to_seconds(stamp: Time) -> float:
    """Return a stamp in seconds."""
    return float(stamp.sec) + float(stamp.nanosec) * 1e-9


def from_seconds(seconds: float | None) -> Time:
    """Return seconds as a stamp; None is zero."""
    whole = math.floor(seconds or 0.0)
    nanoseconds = round(((seconds or 0.0) - whole) * 1e9)
    return Time(sec=whole + nanoseconds // 10**9, nanosec=nanoseconds % 10**9)


def filled(kind: Any, value: object, /, **others: Any) -> Any:
    """Return a message of a class, with what `value` has of the same names in its fields, and with `others`."""
    names = [name for name in kind.get_fields_and_field_types() if name not in others]
    return kind(**{name: getattr(value, name) for name in names if hasattr(value, name)}, **others)


def to_point(message: PointMsg | Vector3) -> Point:
    """Return a point or vector."""
    return (message.x, message.y, message.z)


def to_node(message: SceneNode) -> Node:
    """Return a node."""
    q = message.pose.orientation
    return Node(
        id=message.id,
        layer=Layer(check_layer(message.layer)),
        category=message.category,
        name=message.name,
        parent=message.parent,
        position=to_point(message.pose.position),
        orientation=(q.x, q.y, q.z, q.w),
        size=to_point(message.size),
        movable=message.movable,
        receptacle=message.receptacle,
        relation=message.relation,
        support_heights=tuple(map(_single, message.support_heights)),
        states={state.key: state.value for state in message.states},
        confidence=_single(message.confidence),
        last_seen=to_seconds(message.last_seen),
    )


def check_layer(layer: int) -> int:
    """Refuse a layer that doesn't exist."""
    return int(check_range("layer of a node", int(layer), min(Layer), max(Layer)))


def from_node(node: Node) -> SceneNode:
    """Return a node as a message."""
    x, y, z, w = node.orientation
    message: SceneNode = filled(
        SceneNode,
        node,
        layer=int(node.layer),
        pose=Pose(position=from_point(node.position), orientation=Quaternion(x=x, y=y, z=z, w=w)),
        size=Vector3(x=node.size[0], y=node.size[1], z=node.size[2]),
        states=[KeyValue(key=key, value=value) for key, value in sorted(node.states.items())],
        last_seen=from_seconds(node.last_seen),
    )
    return message


def to_edge(message: SceneEdge) -> Edge:
    """Return an edge."""
    return Edge(message.type, message.source, message.target, _single(message.weight))


def from_edge(edge: Edge) -> SceneEdge:
    """Return an edge as a message."""
    return SceneEdge(type=int(edge.type), source=edge.source, target=edge.target, weight=edge.weight)


def to_update(message: SceneGraphMsg) -> GraphUpdate:
    """Return a scene-graph delta, or the full graph."""
    return GraphUpdate(
        scene=message.scene,
        sequence=int(message.sequence),
        stamp=to_seconds(message.header.stamp),
        full=message.full,
        nodes=tuple(map(to_node, message.nodes)),
        removed=tuple(message.removed_nodes),
        edges=tuple(map(to_edge, message.edges)),
        removed_edges=tuple(map(to_edge, message.removed_edges)),
    )


def from_graph(graph: SceneGraph, sequence: int) -> SceneGraphMsg:
    """Return a whole graph as a message; its stamp is that of the newest observation in it."""
    nodes = list(graph.nodes())
    newest = max((node.last_seen for node in nodes), default=0.0)
    return SceneGraphMsg(
        header=Header(stamp=from_seconds(newest), frame_id=FRAME),
        scene=graph.scene,
        sequence=sequence,
        full=True,
        nodes=[from_node(node) for node in nodes],
        edges=[from_edge(edge) for edge in graph.edges()],
    )


def to_event(message: MemoryEvent, *, event_id: str, stamp: float, scene: str) -> Event:
    """Return an event. `event_id`, `stamp` and `scene` stand in for what the message leaves empty."""
    if message.kind in OWN_KINDS:
        raise InvalidEventError(f"events of kind {message.kind} are made by the memory itself")
    return Event(
        id=message.id or event_id,
        kind=message.kind,
        stamp=to_seconds(message.stamp) or stamp,
        robot=message.robot,
        user=message.user,
        scene=message.scene or (scene if message.kind in _PLACED else ""),
        episode=message.episode,
        text=message.text,
        target=message.target,
        nodes=tuple(map(to_node, message.nodes)),
        removed=tuple(message.removed),
        edges=tuple(map(to_edge, message.edges)),
        removed_edges=tuple(map(to_edge, message.removed_edges)),
        outcome=to_outcome(message.outcome[0]) if message.outcome else None,
        code=Code(_check_code(message.result)),
        message=message.result.message,
        image=Image.of(message.image[0].format, bytes(message.image[0].data)) if message.image else None,
        goals=tuple(message.goals),
        retry_of=message.retry_of,
        used=tuple(message.used),
    )


def from_event(event: Event) -> MemoryEvent:
    """Return an event as a message; its picture, where it has one, with its bytes. None of OWN_KINDS."""
    message: MemoryEvent = filled(
        MemoryEvent,
        event,
        stamp=from_seconds(event.stamp),
        kind=int(event.kind),
        nodes=[from_node(node) for node in event.nodes],
        edges=[from_edge(edge) for edge in event.edges],
        removed_edges=[from_edge(edge) for edge in event.removed_edges],
        outcome=[from_outcome(event.outcome)] if event.outcome is not None else [],
        result=result(event.code, event.message),
        image=[],
    )
    if event.image is not None:
        message.image = [CompressedImage(header=Header(stamp=message.stamp), format=event.image.format)]
        message.image[0].data.frombytes(event.image.data)
    return message


_PLACED = (EventKind.OBSERVATION, EventKind.SKILL_OUTCOME, EventKind.EPISODE_START, EventKind.EPISODE_END)
"""Kinds of events that happen in a scene; what people say may hold everywhere."""


def to_outcome(message: SkillOutcomeMsg) -> SkillOutcome:
    """Return what a skill did."""
    call = message.call
    return SkillOutcome(
        call=SkillCall(
            skill=call.skill,
            target=_to_target(call.target),
            receptacle=_to_target(call.receptacle),
            relation=call.relation,
            positions=tuple(map(to_point, call.positions)),
            duration=_single(call.duration),
        ),
        code=Code(_check_code(message.result)),
        message=message.result.message,
        seen=tuple(map(to_node, message.seen)),
        explore_steps=int(message.explore_steps),
        duration=_single(message.duration),
        distance=_single(message.distance),
        position=next(map(to_point, message.position), None),
        stamp=to_seconds(message.stamp),
    )


def from_outcome(outcome: SkillOutcome) -> SkillOutcomeMsg:
    """Return what a skill did as a message."""
    message: SkillOutcomeMsg = filled(
        SkillOutcomeMsg,
        outcome,
        call=from_call(outcome.call),
        result=result(outcome.code, outcome.message),
        seen=[from_node(node) for node in outcome.seen],
        position=[from_point(outcome.position)] if outcome.position is not None else [],
        stamp=from_seconds(outcome.stamp),
    )
    return message


def result(code: Code = Code.SUCCESS, message: str = "") -> ResultMsg:
    """Return a result."""
    return ResultMsg(code=int(code), message=message)


def _check_code(message: ResultMsg) -> int:
    return int(check_range("result code", int(message.code), min(Code), max(Code)))


def from_call(call: SkillCall) -> SkillCallMsg:
    """Return the call of a skill as a message."""
    return SkillCallMsg(
        skill=call.skill,
        target=_from_target(call.target),
        receptacle=_from_target(call.receptacle),
        relation=call.relation,
        positions=[from_point(point) for point in call.positions],
        duration=call.duration,
    )


def _to_target(message: Any) -> SkillTarget:
    return SkillTarget(message.id, message.category, to_point(message.position) if message.has_position else None)


def _from_target(target: SkillTarget) -> SkillTargetMsg:
    message = SkillTargetMsg(id=target.id, category=target.category, has_position=target.position is not None)
    if target.position is not None:
        message.position = from_point(target.position)
    return message


def from_point(point: Point) -> PointMsg:
    """Return a point as a message, metres in `map`."""
    return PointMsg(x=point[0], y=point[1], z=point[2])


def _single(value: float) -> float:
    """Return a float32 as the shortest decimal that stands for it, not as the double next to it."""
    return float(f"{value:.7g}")
