# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Canonical JSON of events: the same event always gives the same bytes, and decoding gives the same event.

Fields that hold their default are left out; keys are sorted; pictures are named by their sha256, not embedded.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from operator import methodcaller
from typing import Any

from karma_memory.events import Code, Event, EventKind, Image, SkillCall, SkillOutcome, SkillTarget
from karma_memory.scene import NO_STATES, ORIGIN, UPRIGHT, Edge, InvalidEventError, Layer, Node, Relation

Json = dict[str, Any]
"""A JSON object."""

PARSED_APART = 3
"""Depth of a stored state down to which `loads` parses it piece by piece: that of one scene, one statement."""
_LARGE = frozenset({"nodes", "edges", "removed_edges", "image"})
"""Fields of an event that a bare one lacks."""
_DECODER = json.JSONDecoder()
_CANONICAL = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=methodcaller("to_json")
)


def dumps(value: object) -> str:
    """Return canonical JSON: sorted keys, no spaces, shortest form of each number, no NaN.

    A value that is no JSON says by a method `to_json` what it is in it, when it is its turn.
    """
    return _CANONICAL.encode(value)


def loads(text: str) -> Any:
    """Return what `dumps` wrote, however large: other threads go on meanwhile. ValueError for anything else.

    json.loads is one call into C: at 100,000 records nobody else would get the interpreter for half a second.
    """
    value, end = _parse(text, 0, PARSED_APART)
    if end != len(text):
        raise ValueError(f"something follows the JSON at character {end}")
    return value


def _parse(text: str, start: int, depth: int) -> tuple[Any, int]:
    """Return the value that begins at `start`, and where it ends; containers down to `depth` are parsed here."""
    first = text[start : start + 1]
    if not depth or first not in ("[", "{") or text[start + 1 : start + 2] in ("]", "}"):
        return _DECODER.raw_decode(text, start)
    items: list[Any] = []
    place = start
    while text[place : place + 1] not in ("]", "}"):
        if place > start and text[place : place + 1] != ",":
            raise ValueError(f"not the JSON of a state, at character {place}")
        key = None
        place += 1
        if first == "{":
            key, place = _DECODER.raw_decode(text, place)
            place += 1
        value, place = _parse(text, place, depth - 1)
        items.append(value if first == "[" else (key, value))
    return (items if first == "[" else dict(items)), place + 1


def encode_event(event: Event) -> str:
    """Return the canonical JSON of an event."""
    return dumps(event_to_json(event))


def decode_event(text: str, *, bare: bool = False) -> Event:
    """Return the event that `encode_event` wrote; `bare`: without nodes, edges and picture, which is quicker.

    InvalidEventError for anything else.
    """
    try:
        data = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise InvalidEventError(f"not the JSON of an event: {error}") from error
    if not isinstance(data, dict):
        raise InvalidEventError(f"the JSON of an event is an object, got {type(data).__name__}")
    if bare:
        data = {name: value for name, value in data.items() if name not in _LARGE}
        if isinstance(outcome := data.get("outcome"), dict):
            data["outcome"] = {**outcome, "seen": ()}
        if data.get("kind") == EventKind.OBSERVATION.name:
            data.pop("target", None)  # of what there is a picture; it comes with that alone
    return event_from_json(data)


def event_to_json(event: Event) -> Json:
    """Return an event as a JSON object."""
    data: Json = {"id": event.id, "kind": event.kind.name, "stamp": event.stamp}
    for name in ("robot", "user", "scene", "episode", "text", "target", "message", "retry_of"):
        if value := getattr(event, name):
            data[name] = value
    if event.nodes:
        data["nodes"] = [node_to_json(node) for node in event.nodes]
    if event.edges:
        data["edges"] = [edge_to_json(edge) for edge in event.edges]
    if event.removed_edges:
        data["removed_edges"] = [edge_to_json(edge) for edge in event.removed_edges]
    if event.removed:
        data["removed"] = list(event.removed)
    for name in ("accessed", "goals", "used"):
        if items := getattr(event, name):
            data[name] = list(items)
    if event.outcome is not None:
        data["outcome"] = _outcome_to_json(event.outcome)
    if event.code is not Code.UNSET:
        data["code"] = event.code.name
    if event.image is not None:
        data["image"] = {"format": event.image.format, "sha256": event.image.sha256}
    return data


def event_from_json(data: Mapping[str, Any]) -> Event:
    """Return the event of a JSON object."""
    try:
        return Event(
            id=data["id"],
            kind=EventKind[data["kind"]],
            stamp=data["stamp"],
            robot=data.get("robot", ""),
            user=data.get("user", ""),
            scene=data.get("scene", ""),
            episode=data.get("episode", ""),
            text=data.get("text", ""),
            target=data.get("target", ""),
            nodes=tuple(node_from_json(item) for item in data.get("nodes", ())),
            removed=tuple(data.get("removed", ())),
            edges=tuple(edge_from_json(item) for item in data.get("edges", ())),
            removed_edges=tuple(edge_from_json(item) for item in data.get("removed_edges", ())),
            outcome=_outcome_from_json(data["outcome"]) if "outcome" in data else None,
            code=Code[data.get("code", "UNSET")],
            message=data.get("message", ""),
            image=Image(**data["image"]) if "image" in data else None,
            accessed=tuple(data.get("accessed", ())),
            goals=tuple(data.get("goals", ())),
            retry_of=data.get("retry_of", ""),
            used=tuple(data.get("used", ())),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise InvalidEventError(f"not the JSON of an event: {type(error).__name__} {error}") from error


def node_to_json(node: Node) -> Json:
    """Return a scene-graph node as a JSON object."""
    data: Json = {"id": node.id, "layer": node.layer.name, "position": list(node.position)}
    for name in ("category", "name", "parent", "receptacle", "relation"):
        if value := getattr(node, name):
            data[name] = value
    if node.orientation != UPRIGHT:
        data["orientation"] = list(node.orientation)
    if any(node.size):
        data["size"] = list(node.size)
    if node.movable:
        data["movable"] = True
    if node.support_heights:
        data["support_heights"] = list(node.support_heights)
    if node.states:
        data["states"] = dict(node.states)
    if node.confidence != 1.0:
        data["confidence"] = node.confidence
    if node.last_seen:
        data["last_seen"] = node.last_seen
    return data


def node_from_json(data: Mapping[str, Any]) -> Node:
    """Return the scene-graph node of a JSON object. KeyError or TypeError where it is none."""
    return Node(
        id=data["id"],
        layer=Layer[data["layer"]],
        category=data.get("category", ""),
        name=data.get("name", ""),
        parent=data.get("parent", ""),
        position=tuple(data["position"]),
        orientation=tuple(data.get("orientation", UPRIGHT)),
        size=tuple(data.get("size", ORIGIN)),
        movable=bool(data.get("movable", False)),
        receptacle=data.get("receptacle", ""),
        relation=data.get("relation", ""),
        support_heights=tuple(data.get("support_heights", ())),
        states=data.get("states", NO_STATES),
        confidence=data.get("confidence", 1.0),
        last_seen=data.get("last_seen", 0.0),
    )


def edge_to_json(edge: Edge) -> Json:
    """Return an edge as a JSON object."""
    data: Json = {"type": edge.type.name, "source": edge.source, "target": edge.target}
    if edge.weight:
        data["weight"] = edge.weight
    return data


def edge_from_json(data: Mapping[str, Any]) -> Edge:
    """Return the edge of a JSON object. KeyError or TypeError where it is none."""
    return Edge(Relation[data["type"]], data["source"], data["target"], data.get("weight", 0.0))


def _target_to_json(target: SkillTarget) -> Json:
    data: Json = {}
    if target.id:
        data["id"] = target.id
    if target.category:
        data["category"] = target.category
    if target.position is not None:
        data["position"] = list(target.position)
    return data


def _target_from_json(data: Mapping[str, Any]) -> SkillTarget:
    position = tuple(data["position"]) if "position" in data else None
    return SkillTarget(data.get("id", ""), data.get("category", ""), position)


def call_to_json(call: SkillCall) -> Json:
    """Return a skill call as a JSON object."""
    data: Json = {"skill": call.skill}
    for name in ("target", "receptacle"):
        if target := _target_to_json(getattr(call, name)):
            data[name] = target
    if call.relation:
        data["relation"] = call.relation
    if call.positions:
        data["positions"] = [list(point) for point in call.positions]
    if call.duration:
        data["duration"] = call.duration
    return data


def call_from_json(data: Mapping[str, Any]) -> SkillCall:
    """Return the skill call of a JSON object. KeyError or TypeError where it is none."""
    return SkillCall(
        skill=data["skill"],
        target=_target_from_json(data.get("target", {})),
        receptacle=_target_from_json(data.get("receptacle", {})),
        relation=data.get("relation", ""),
        positions=tuple(tuple(point) for point in data.get("positions", ())),
        duration=data.get("duration", 0.0),
    )


def _outcome_to_json(outcome: SkillOutcome) -> Json:
    data: Json = {"call": call_to_json(outcome.call), "code": outcome.code.name}
    for name in ("message", "explore_steps", "duration", "distance", "stamp"):
        if value := getattr(outcome, name):
            data[name] = value
    if outcome.position is not None:
        data["position"] = list(outcome.position)
    if outcome.seen:
        data["seen"] = [node_to_json(node) for node in outcome.seen]
    return data


def _outcome_from_json(data: Mapping[str, Any]) -> SkillOutcome:
    return SkillOutcome(
        call=call_from_json(data["call"]),
        code=Code[data["code"]],
        message=data.get("message", ""),
        seen=tuple(node_from_json(item) for item in data.get("seen", ())),
        explore_steps=data.get("explore_steps", 0),
        duration=data.get("duration", 0.0),
        distance=data.get("distance", 0.0),
        position=tuple(data["position"]) if "position" in data else None,
        stamp=data.get("stamp", 0.0),
    )
