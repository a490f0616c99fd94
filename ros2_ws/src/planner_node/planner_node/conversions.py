# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Between ROS messages and the planner's types."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, fields

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import KeyValue
from geometry_msgs.msg import Point as PointMsg
from geometry_msgs.msg import Pose, Quaternion, Vector3

from karma_interfaces.msg import Frontier as FrontierMsg
from karma_interfaces.msg import Guideline as GuidelineMsg
from karma_interfaces.msg import MemoryEvent, Result, SceneNode, SkillOutcome
from karma_interfaces.msg import Recollection as RecollectionMsg
from karma_interfaces.msg import SceneGraph as SceneGraphMsg
from karma_interfaces.msg import SkillCall as SkillCallMsg
from karma_interfaces.msg import SkillSpec as SkillSpecMsg
from karma_interfaces.msg import SkillTarget as SkillTargetMsg
from planner_node.memory import Advice, Event, Guideline, Handled, Knowledge, Likely, Recollection, SceneGraph, Task
from planner_node.plan.exploring import Area, Frontier
from planner_node.skills import Code, Node, Outcome, Point, SkillCall, SkillParameter, SkillSpec, Target

_LAYERS = {SceneNode.FLOOR: "floor", SceneNode.ROOM: "room", SceneNode.AREA: "area", SceneNode.OBJECT: "object"}
_LAYER_CODES = {name: code for code, name in _LAYERS.items()}


def code_from(result: Result) -> Code:
    """Return the code of a result; INTERNAL_ERROR for one that is not defined."""
    try:
        return Code(result.code)
    except ValueError:
        return Code.INTERNAL_ERROR


def result_to(code: Code, message: str = "") -> Result:
    """Return the message of a result code and its text."""
    return Result(code=int(code), message=message)


def seconds_from(stamp: Time) -> float:
    """Return a stamp in seconds."""
    return float(stamp.sec) + float(stamp.nanosec) * 1e-9


def stamp_to(seconds: float) -> Time:
    """Return a stamp; zero for what is not finite or out of range."""
    if not math.isfinite(seconds) or not 0.0 <= seconds < 2**31:
        return Time()
    nanoseconds = round(seconds * 1e9)
    return Time(sec=nanoseconds // 10**9, nanosec=nanoseconds % 10**9)


def point_from(point: PointMsg) -> Point | None:
    """Return a point, None when a coordinate is not finite."""
    xyz = (float(point.x), float(point.y), float(point.z))
    return xyz if all(math.isfinite(c) for c in xyz) else None


def point_to(point: Point) -> PointMsg:
    """Return the message of a point."""
    x, y, z = point
    return PointMsg(x=float(x), y=float(y), z=float(z))


def spec_from(message: SkillSpecMsg) -> SkillSpec:
    """Return a row of the skill table."""
    return SkillSpec(
        message.name,
        message.description,
        tuple(SkillParameter(p.name, p.type, p.required, tuple(p.choices), p.description) for p in message.parameters),
        tuple(message.preconditions),
        tuple(message.effects),
        bool(message.irreversible),
    )


def call_to(call: SkillCall) -> SkillCallMsg:
    """Return the message of a skill call."""
    return SkillCallMsg(
        skill=call.skill,
        target=_target_to(call.target),
        receptacle=_target_to(call.receptacle),
        relation=call.relation,
        positions=[point_to(p) for p in call.positions],
        duration=float(call.duration),
    )


def call_from(message: SkillCallMsg) -> SkillCall:
    """Return a skill call. Positions of which a coordinate is not finite are left out."""
    return SkillCall(
        message.skill,
        _target_from(message.target),
        _target_from(message.receptacle),
        message.relation,
        tuple(point for point in map(point_from, message.positions) if point is not None),
        float(message.duration),
    )


def outcome_from(message: SkillOutcome, call: SkillCall) -> Outcome:
    """Return the outcome of `call`."""
    return Outcome(
        call,
        code_from(message.result),
        message.result.message,
        tuple(node_from(node) for node in message.seen),
        message.explore_steps,
        float(message.duration),
        float(message.distance),
        seconds_from(message.stamp),
        next(map(point_from, message.position), None),
    )


def outcome_to(outcome: Outcome) -> SkillOutcome:
    """Return the message of an outcome."""
    return SkillOutcome(
        call=call_to(outcome.call),
        result=result_to(outcome.code, outcome.message),
        seen=[node_to(node) for node in outcome.seen],
        explore_steps=outcome.explore_steps,
        duration=float(outcome.duration),
        distance=float(outcome.distance),
        position=[point_to(outcome.position)] if outcome.position is not None else [],
        stamp=stamp_to(outcome.stamp),
    )


def node_from(message: SceneNode) -> Node:
    """Return a node of the scene graph."""
    return Node(
        id=message.id,
        category=message.category,
        layer=_LAYERS.get(message.layer, "object"),
        name=message.name,
        parent=message.parent,
        position=point_from(message.pose.position),
        size=_extents(message),
        movable=message.movable,
        receptacle=message.receptacle,
        relation=message.relation,
        states={state.key: state.value for state in message.states},
        confidence=float(message.confidence),
        last_seen=seconds_from(message.last_seen),
    )


def _extents(message: SceneNode) -> Point:
    """Return the extents along the map's axes of a node's box, which stands upright and may be turned about z."""
    q = message.pose.orientation
    yaw = 2.0 * math.atan2(q.z, q.w)
    c, s = abs(math.cos(yaw)), abs(math.sin(yaw))
    x, y = float(message.size.x), float(message.size.y)
    return (c * x + s * y, s * x + c * y, float(message.size.z))


def node_to(node: Node) -> SceneNode:
    """Return the message of a node; at the origin when its position is unknown."""
    x, y, z = map(float, node.size)
    return SceneNode(
        id=node.id,
        layer=_LAYER_CODES[node.layer],
        category=node.category,
        name=node.name or node.category,
        parent=node.parent,
        pose=Pose(position=point_to(node.position or (0.0, 0.0, 0.0)), orientation=Quaternion(w=1.0)),
        size=Vector3(x=x, y=y, z=z),
        movable=node.movable,
        receptacle=node.receptacle,
        relation=node.relation,
        states=[KeyValue(key=key, value=value) for key, value in node.states.items()],
        confidence=float(node.confidence),
        last_seen=stamp_to(node.last_seen),
    )


def frontiers_from(messages: Iterable[FrontierMsg]) -> tuple[Frontier, ...]:
    """Return frontiers, without those of which a coordinate is not finite."""
    ends = ((point_from(message.pose.position), point_from(message.middle), message.room) for message in messages)
    return tuple(Frontier(position, middle, room) for position, middle, room in ends if position and middle)


def areas_from(message: SceneGraphMsg) -> tuple[Area, ...]:
    """Return the areas of a full scene graph."""
    nodes = (node for node in map(node_from, message.nodes) if node.layer == "area")
    return tuple(Area(node.position, node.parent) for node in nodes if node.position is not None)


def graph_from(message: SceneGraphMsg) -> SceneGraph:
    """Return a full scene graph."""
    return SceneGraph(message.scene, tuple(node_from(node) for node in message.nodes))


def recollection_from(message: RecollectionMsg) -> Recollection:
    """Return a recollection."""
    return Recollection(
        message.kind,
        message.id,
        message.text,
        float(message.score),
        tuple(message.why),
        message.source,
        seconds_from(message.valid_from),
        seconds_from(message.valid_until),
        node_from(message.object[0]) if message.object else None,
        _knowledge_from(message) if message.subtype else None,
        _guideline_from(message.guideline[0]) if message.guideline else None,
        Likely(float(message.probability), float(message.sightings)) if message.probability else None,
        Task(message.instruction, tuple(message.goals), message.succeeded) if message.instruction else None,
        Handled(message.robot, tuple(map(call_from, message.handled))) if message.handled else None,
    )


def _knowledge_from(message: RecollectionMsg) -> Knowledge:
    return Knowledge(message.subtype, message.name, message.told).about(
        message.objects,
        message.object_ids,
        message.place_ids,
        message.object_categories,
        message.object_looks,
    )


def _guideline_from(message: GuidelineMsg) -> Guideline:
    told = {field.name: getattr(message, field.name) for field in fields(Guideline)}
    steps = tuple(map(call_from, message.steps))
    return Guideline(
        **{**told, "advice": Advice(message.advice), "steps": steps, "task_types": tuple(message.task_types)}
    )


def _guideline_to(guideline: Guideline) -> GuidelineMsg:
    steps = [call_to(step) for step in guideline.steps]
    task_types = list(guideline.task_types)
    return GuidelineMsg(
        **{**vars(guideline), "advice": guideline.advice.value, "steps": steps, "task_types": task_types}
    )


def recollection_to(recollection: Recollection) -> RecollectionMsg:
    """Return the message of a recollection."""
    return RecollectionMsg(
        kind=recollection.kind,
        id=recollection.id,
        text=recollection.text,
        score=float(recollection.score),
        why=list(recollection.why),
        source=recollection.source,
        valid_from=stamp_to(recollection.valid_from),
        valid_until=stamp_to(recollection.valid_until),
        object=[node_to(recollection.object)] if recollection.object else [],
        guideline=[_guideline_to(recollection.guideline)] if recollection.guideline else [],
        instruction=recollection.task.instruction if recollection.task else "",
        goals=list(recollection.task.goals) if recollection.task else [],
        succeeded=recollection.task.succeeded if recollection.task else False,
        robot=recollection.handled.robot if recollection.handled else "",
        handled=[call_to(call) for call in recollection.handled.calls] if recollection.handled else [],
        probability=float(recollection.likely.probability) if recollection.likely else 0.0,
        sightings=float(recollection.likely.sightings) if recollection.likely else 0.0,
        **(asdict(recollection.knowledge) if recollection.knowledge else {}),
    )


def event_to(event: Event, robot: str) -> MemoryEvent:
    """Return the message of an event of the robot with this namespace."""
    return MemoryEvent(
        id=event.id,
        stamp=stamp_to(event.stamp),
        kind=getattr(MemoryEvent, event.kind.value),
        robot=robot,
        user=event.user,
        scene=event.scene,
        episode=event.episode,
        text=event.text,
        target=event.target,
        nodes=[node_to(node) for node in event.nodes],
        removed=list(event.removed),
        outcome=[outcome_to(event.outcome)] if event.outcome else [],
        result=result_to(event.code, event.message),
        goals=list(event.goals),
        retry_of=event.retry_of,
        used=list(event.used),
    )


def _target_from(message: SkillTargetMsg) -> Target:
    return Target(message.id, message.category, point_from(message.position) if message.has_position else None)


def _target_to(target: Target) -> SkillTargetMsg:
    return SkillTargetMsg(
        id=target.id,
        category=target.category,
        has_position=target.position is not None,
        position=point_to(target.position or (0.0, 0.0, 0.0)),
    )
