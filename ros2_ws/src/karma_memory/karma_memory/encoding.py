# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Canonical JSON of events: the same event always gives the same bytes, and decoding gives the same event.

Fields that hold their default are left out; keys are sorted; pictures are named by their sha256, not embedded.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from karma_memory.events import Event, EventKind, Image, SkillCall, SkillOutcome, SkillTarget
from karma_memory.scene import Edge, InvalidEventError, Node

Json = dict[str, Any]
"""A JSON object."""
Part = TypeVar("Part")
"""An event, or a dataclass that one is made of."""

PARSED_APART = 3
"""Depth of a stored state down to which `loads` parses it piece by piece: that of one scene, one statement."""
_LARGE = frozenset({"nodes", "edges", "removed_edges", "image"})
"""Fields of an event that a bare one lacks."""
_PARTS = (Event, Node, Edge, Image, SkillCall, SkillOutcome, SkillTarget)
_PLAIN = frozenset({str, float, int, bool})
_DECODER = json.JSONDecoder()


def dumps(value: object) -> str:
    """Return canonical JSON: sorted keys, no spaces, shortest form of each number, no NaN.

    A value that is no JSON becomes some when it is its turn: by a method `to_json`, or by its fields.
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
    return dumps(to_json(event))


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


def event_from_json(data: Mapping[str, Any]) -> Event:
    """Return the event of a JSON object. InvalidEventError."""
    try:
        return from_json(Event, data)
    except (KeyError, TypeError, AttributeError) as error:
        raise InvalidEventError(f"not the JSON of an event: {type(error).__name__} {error}") from error


def to_json(value: Any) -> Any:
    """Return an event or a part of one as JSON: of a dataclass the fields that don't hold their default."""
    kind: Any = type(value)
    if kind is tuple:
        return [item if type(item) in _PLAIN else to_json(item) for item in value]
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, Mapping):
        return dict(value)
    data = {}
    for name, default in _fields(kind):
        if (item := getattr(value, name)) != default:
            data[name] = item if type(item) in _PLAIN else to_json(item)
    return data


def from_json(kind: type[Part], data: Any) -> Part:
    """Return the event, or part of one, that `to_json` returned as `data`; what is no field of it is passed over.

    KeyError, TypeError or AttributeError where it is none.
    """
    reader: Callable[[Any], Part] = _reader(kind)  # type: ignore[arg-type]  # types can be hashed
    return reader(data)


@cache
def _fields(kind: type) -> list[tuple[str, object]]:
    """Return the fields of a dataclass that are written, and with which value each is not."""
    usual = {
        field.name: field.default if field.default_factory is MISSING else field.default_factory()
        for field in fields(kind)
    }
    if kind is Node:
        usual["position"] = MISSING  # it is always written
    if kind is Image:
        del usual["data"]  # they are stored apart
    return list(usual.items())


@cache
def _reader(kind: Any) -> Callable[[Any], Any]:
    """Return what makes a value of this type of its JSON."""
    if get_origin(kind) is tuple:
        item = _reader(get_args(kind)[0])  # all are of one type
        return tuple if item is _as_it_is else lambda items: tuple([item(one) for one in items])
    if isinstance(kind, UnionType):  # with None, which is not written
        return _reader(get_args(kind)[0])
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind.__getitem__
    if kind is bool:
        return bool
    if not is_dataclass(kind):
        return _as_it_is
    readers = {name: _reader(of) for name, of in get_type_hints(kind).items()}
    make: Any = kind
    return lambda data: make(**{name: readers[name](item) for name, item in data.items() if name in readers})


def _as_it_is(value: Any) -> Any:
    return value


def _as_json(value: Any) -> Any:
    """Return as JSON what the encoder doesn't know: by its method `to_json`; an event's part; else all its fields."""
    if hasattr(value, "to_json"):
        return value.to_json()
    return to_json(value) if isinstance(value, (*_PARTS, Mapping)) else vars(value)


_CANONICAL = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=_as_json
)
