# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Between the planner's types and the memory's: what ROS messages carry between the two nodes."""

from __future__ import annotations

import math

from karma_memory import events as memory
from karma_memory import guideline as memory_guideline
from karma_memory import scene
from karma_memory.recall import query
from karma_memory.scene_graph import graph as memory_graph
from planner_node.memory import (
    Advice,
    Event,
    EventKind,
    Guideline,
    Handled,
    Knowledge,
    Likely,
    Recollection,
    SceneGraph,
    Task,
)
from planner_node.skills import Node, Outcome, Point, SkillCall, Target

PLACED = (EventKind.SKILL_OUTCOME, EventKind.EPISODE_START, EventKind.EPISODE_END)
"""Kinds of events that happen in a scene; what people say may hold everywhere."""


def node_from(node: scene.Node) -> Node:
    """Return a node of the memory as the planner knows it: its extents along the axes of the map."""
    fields = {name: value for name, value in vars(node).items() if name not in ("orientation", "support_heights")}
    fields |= {"layer": node.layer.name.lower(), "size": _extents(node), "states": dict(node.states)}
    return Node(**fields)


def node_to(node: Node) -> scene.Node:
    """Return a node of the planner as the memory knows it; at the origin when its position is unknown."""
    fields = {
        **vars(node),
        "layer": scene.Layer[node.layer.upper()],
        "name": node.name or node.category,
        "position": node.position or scene.ORIGIN,
        "last_seen": _stamp(node.last_seen),
    }
    return scene.Node(**fields)


def graph_from(graph: memory_graph.SceneGraph) -> SceneGraph:
    """Return a scene graph of the memory as the planner knows it."""
    return SceneGraph(graph.scene, tuple(map(node_from, graph.nodes())))


def recollection_from(recollection: query.Recollection) -> Recollection:
    """Return a recollection as the planner knows it, with all that its kind says."""
    record = recollection.record
    return Recollection(
        record.kind,
        record.id,
        record.text,
        recollection.score,
        recollection.why,
        record.source,
        record.valid_from,
        record.valid_until or 0.0,
        node_from(record.node) if record.node else None,
        knowledge_from(record.knowledge) if record.knowledge else None,
        guideline_from(record.guideline) if record.guideline else None,
        task=Task(**vars(record.task)) if record.task else None,
        likely=Likely(**vars(record.likely)) if record.likely else None,
        handled=Handled(record.handled.robot, tuple(map(call_from, record.handled.calls))) if record.handled else None,
    )


def guideline_from(guideline: memory_guideline.Guideline) -> Guideline:
    """Return a guideline as the planner knows it."""
    fields = {
        **vars(guideline),
        "advice": Advice(guideline.advice.value),
        "steps": tuple(map(call_from, guideline.steps)),
    }
    return Guideline(**fields)


def knowledge_from(knowledge: query.Knowledge) -> Knowledge:
    """Return what a person told of their things; places and ids that are not known are empty."""
    return Knowledge(knowledge.subtype, knowledge.name, knowledge.told).about(
        knowledge.objects,
        knowledge.object_ids,
        knowledge.place_ids,
        knowledge.object_categories,
        knowledge.object_looks,
    )


def event_to(event: Event, *, scene: str, now: float) -> memory.Event:
    """Return an event for the memory. `scene` and `now` (seconds) stand in for what the event leaves empty.

    InvalidEventError for what makes no sense.
    """
    fields = {
        **vars(event),
        "kind": memory.EventKind[event.kind.value],
        "stamp": _stamp(event.stamp) or now,
        "scene": event.scene or (scene if event.kind in PLACED else ""),
        "nodes": tuple(map(node_to, event.nodes)),
        "outcome": outcome_to(event.outcome) if event.outcome else None,
        "code": memory.Code(int(event.code)),
    }
    return memory.Event(**fields)


def outcome_to(outcome: Outcome) -> memory.SkillOutcome:
    """Return what a skill did, for the memory."""
    fields = {name: value for name, value in vars(outcome).items() if name != "stopped_by_others"}
    fields |= {
        "call": call_to(outcome.call),
        "code": memory.Code(int(outcome.code)),
        "seen": tuple(map(node_to, outcome.seen)),
        "stamp": _stamp(outcome.stamp),
    }
    return memory.SkillOutcome(**fields)


def call_to(call: SkillCall) -> memory.SkillCall:
    """Return a skill call for the memory."""
    target, receptacle = (memory.SkillTarget(**vars(one)) for one in (call.target, call.receptacle))
    return memory.SkillCall(**{**vars(call), "target": target, "receptacle": receptacle})


def call_from(call: memory.SkillCall) -> SkillCall:
    """Return a skill call of the memory as the planner knows it."""
    target, receptacle = (Target(**vars(one)) for one in (call.target, call.receptacle))
    return SkillCall(**{**vars(call), "target": target, "receptacle": receptacle})


def _stamp(seconds: float) -> float:
    """Return a stamp; 0, which means none, for what a ROS message can't say."""
    return seconds if math.isfinite(seconds) and 0.0 <= seconds <= scene.MAX_STAMP else 0.0


def _extents(node: scene.Node) -> Point:
    """Return the extents along the map's axes of a box that stands upright and may be turned about z."""
    _, _, z, w = node.orientation
    yaw = 2.0 * math.atan2(z, w)
    c, s = abs(math.cos(yaw)), abs(math.sin(yaw))
    x, y, height = node.size
    return (c * x + s * y, s * x + c * y, height)
