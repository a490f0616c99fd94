# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The memory as tools of a language model: one description of each, for every form of function calling and for MCP.

A result is text, as short as it can be, with the ids that other tools take. An error says what to do otherwise.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from karma_language.phrases.times import time_said
from karma_language.reading import Kind, Question
from karma_language.things import Span
from karma_language.vocabulary.skill_words import where_is
from karma_memory.home_memory import HomeMemory
from karma_memory.journal import JournalError
from karma_memory.journal.group_commit import BusyError
from karma_memory.projection import EditError
from karma_memory.recall.prompt import one_line
from karma_memory.recall.query import Query
from karma_memory.scene import InvalidEventError, Layer
from karma_memory.scene_graph.called import called
from karma_memory.scene_graph.text import describe_in
from karma_memory.state.history import PastUnknownError
from karma_memory.state.live import UnknownRecordError
from karma_memory.tool_results import LINES, around, at, in_room, line, listed

Schema = dict[str, Any]
"""A JSON object."""

KINDS = (
    *("long_term", "short_term", "episodic", "told", "facts", "preferences", "profile"),
    *("rule", "owner", "guideline", "trajectory", "working"),
)
"""Kinds of memory that can be recalled; those of the second line only by name."""


class ToolError(ValueError):
    """A tool was called in a way that makes no sense; the message tells the model what to do otherwise."""


class Tool(BaseModel):
    """What all tools have; the docstring and the fields of one are what the model reads."""

    model_config = ConfigDict(extra="forbid", strict=True, str_strip_whitespace=True)

    writes: ClassVar[bool] = False
    """Whether it changes what is remembered."""

    def _result(self, memory: HomeMemory) -> str:
        raise NotImplementedError


class _Personal(Tool):
    user: str = Field("", max_length=256, description="For whom you ask: their own memories count, too")


SomeTool = TypeVar("SomeTool", bound=Tool)


class Ask(_Personal):
    """Answer a question about the home in a sentence: where, when, how many, what was done and why, who said what."""

    question: str = Field(max_length=1000, description="In English, with the names of things: Where are Ann's keys?")
    at: str = Field("", max_length=100, description="As it was known then: 2026-11-28T17:30, or two hours ago")

    def _result(self, memory: HomeMemory) -> str:
        return memory.ask(self.question, user=self.user, at=_time("at", self.at, time.time())).text


class Recall(_Personal):
    """Find memories by words and meaning: things, tasks, what people said. One line each: id, then text, best first."""

    query: str = Field(max_length=1000)
    kinds: list[str] = Field(
        [], max_length=10, description="Only these: long_term (things), episodic (tasks), told, facts, preferences"
    )
    limit: int = Field(5, ge=1, le=LINES)

    def _result(self, memory: HomeMemory) -> str:
        return _recalled(memory, self.query, self.kinds, self.user, self.limit) or "nothing is remembered of that"


class WhereIs(_Personal):
    """Say where a thing is, or was last, with its id and place in metres (map frame)."""

    thing: str = Field(max_length=256, description="Its name or id: mug")

    def _result(self, memory: HomeMemory) -> str:
        found = memory.find_all(self.thing)
        name = found[0].name or found[0].label if len(found) == 1 else self.thing
        answer = memory.ask(where_is(name), user=self.user).text
        ids = "; ".join(f"{node.id}{at(node)}" for node in found[:LINES])
        return f"{answer} {'id' if len(found) == 1 else 'ids'}: {ids}" if found else answer


class LookBack(_Personal):
    """Say what was done and said in a stretch of time."""

    since: str = Field(max_length=100, description="2026-11-28T17:30, or yesterday")
    until: str = Field("", max_length=100, description="The same; empty: now")

    def _result(self, memory: HomeMemory) -> str:
        return _in_time(memory, Kind.HAPPENED, self.since, self.until, self.user)


class WhatChanged(LookBack):
    """Say which things are elsewhere or otherwise than before a stretch of time."""

    def _result(self, memory: HomeMemory) -> str:
        return _in_time(memory, Kind.CHANGED, self.since, self.until, self.user)


class Nearby(Tool):
    """List the things in a room, on a piece of furniture or around a thing. One line each: id, then what is known."""

    place: str = Field("", max_length=256, description="Name or id of a room or thing; empty: list the rooms")
    radius: float = Field(1.0, gt=0.0, le=100.0, description="Metres around a thing")

    def _result(self, memory: HomeMemory) -> str:
        graph = memory.scene_graph()
        if graph is None:
            raise ToolError("nothing was seen yet")
        if not self.place:
            rooms = [f"{room.id}: {room.name or room.label}" for room in graph.nodes(Layer.ROOM)]
            return listed(rooms) or "no room is known; give the name of a thing"
        room, thing = (called(graph, self.place, layer) for layer in (Layer.ROOM, Layer.OBJECT))
        if room is None and thing is None:
            raise ToolError(f"no room or thing called {self.place!r} is known; nearby without place lists the rooms")
        near = in_room(graph, room) if room is not None else around(graph, thing, self.radius) if thing else ()
        return listed(f"{node.id}: {describe_in(graph, node)}" for node in near) or "nothing is known there"


class Preferences(_Personal):
    """List what a person prefers and is used to, and what is forbidden at home. One line each: id, then text."""

    about: str = Field("", max_length=1000, description="What for: breakfast")

    def _result(self, memory: HomeMemory) -> str:
        known = _recalled(memory, self.about, ("preferences", "profile"), self.user, LINES)
        return _together(_forbidden(memory, self.about), known) or "nothing is known of that"


class Guidelines(_Personal):
    """List what was learned from earlier tasks of this kind: what to do and what to avoid, and what is forbidden."""

    task: str = Field(max_length=1000, description="The instruction that you are about to carry out")

    def _result(self, memory: HomeMemory) -> str:
        learned = _recalled(memory, self.task, ("guideline",), self.user, 10)
        return _together(_forbidden(memory, self.task), learned) or "nothing was learned for that yet"


class Remember(_Personal):
    """Remember what a person said, in their words. It can be asked for at once."""

    words: str = Field(max_length=4000, description="The blue mug is mine.")
    writes: ClassVar[bool] = True

    def _result(self, memory: HomeMemory) -> str:
        record = memory.tell(self.words, user=self.user)
        return f"remembered as {record}" if record else f"not kept: {self.user} does not want to be remembered"


class RecordSighting(Tool):
    """Remember where a thing is that your own camera sees."""

    thing: str = Field(max_length=256, description="mug")
    id: str = Field("", max_length=256, description="Its id, where there are several of that name")
    on: str = Field("", max_length=256, description="What it is on: kitchen table")
    inside: str = Field("", max_length=256, description="What it is in: fridge")
    room: str = Field("", max_length=256)
    at: list[float] | None = Field(None, min_length=3, max_length=3, description="x, y, z, metres, map frame")
    state: list[str] = Field([], max_length=10, description="open, closed, on, off, dirty, clean, full, empty, …")
    gone: bool = Field(False, description="It is not there any more")
    writes: ClassVar[bool] = True

    def _result(self, memory: HomeMemory) -> str:
        if self.gone:
            memory.gone(self.id or self.thing)
            return f"remembered: no {self.id or self.thing} any more"
        seen = memory.see(
            self.thing, on=self.on, inside=self.inside, room=self.room, at=self.at, state=self.state, id=self.id
        )
        return f"remembered as {seen}"


class RecordAction(_Personal):
    """Remember what you did yourself, and whether it worked. It moves nothing."""

    action: str = Field(max_length=256, description="put, pick up, open, close, switch on, or a skill's name")
    thing: str = Field("", max_length=256, description="Its name or id")
    place: str = Field("", max_length=256, description="Where it was put, or to whom it was given")
    succeeded: bool = True
    message: str = Field("", max_length=1000, description="Why it failed")
    writes: ClassVar[bool] = True

    def _result(self, memory: HomeMemory) -> str:
        memory.did(self.action, self.thing, self.place, succeeded=self.succeeded, message=self.message, user=self.user)
        return "remembered"


class Forget(_Personal):
    """Forget one memory: it is not answered with any more. Only what the person told, and what is nobody's own."""

    id: str = Field(max_length=1024, description="As recall lists it: told:…")
    writes: ClassVar[bool] = True

    def _result(self, memory: HomeMemory) -> str:
        if not self.user:
            raise ToolError("say in user who wants that forgotten")
        return f"forgotten: {memory.forget([self.id], user=self.user)}"


TOOLS: Mapping[str, type[Tool]] = {
    "ask": Ask,
    "recall": Recall,
    "where_is": WhereIs,
    "look_back": LookBack,
    "what_changed": WhatChanged,
    "nearby": Nearby,
    "preferences": Preferences,
    "guidelines": Guidelines,
    "remember": Remember,
    "record_sighting": RecordSighting,
    "record_action": RecordAction,
    "forget": Forget,
}


def parameters(tool: type[Tool], user: str | None = None) -> Schema:
    """Return the JSON Schema of a tool's arguments; where the user is known, it is none of them."""
    schema = tool.model_json_schema()
    properties = {
        name: {key: value for key, value in field.items() if key not in ("title", "maxLength", "maxItems", "minItems")}
        for name, field in schema.get("properties", {}).items()
        if name != "user" or user is None
    }
    return {
        "type": "object",
        "properties": properties,
        "required": schema.get("required", []),
        "additionalProperties": False,
    }


def definitions(form: str, *, user: str | None = None, names: Collection[str] | None = None) -> list[Schema]:
    """Return the definitions of tools in the form of "openai" or "anthropic"; see HomeMemory.tools."""
    if form not in ("openai", "anthropic"):
        raise ValueError(f"there is no form {form!r} of tool definitions; choose openai or anthropic")
    made: list[Schema] = []
    for name in TOOLS if names is None else names:
        tool = _named(name)
        about = {"name": name, "description": tool.__doc__ or ""}
        arguments = parameters(tool, user)
        if form == "openai":
            made.append({"type": "function", "function": {**about, "parameters": arguments}})
        else:
            made.append({**about, "input_schema": arguments})
    return made


def run(memory: HomeMemory, name: str, arguments: Mapping[str, object] | str, *, user: str | None = None) -> str:
    """Do what a model calls and return its result; see HomeMemory.call."""
    tool = checked(name, _named(name), arguments, user=user)
    try:
        return tool._result(memory)
    except ToolError:
        raise
    except (InvalidEventError, EditError, UnknownRecordError, PastUnknownError) as error:
        raise ToolError(f"{name}: {error}") from error
    except BusyError as error:
        raise ToolError(f"{name}: the memory is busy; call again in a second") from error
    except JournalError as error:
        raise ToolError(f"{name}: the memory can't be reached: {error}. Tell the user") from error


def checked(
    name: str, tool: type[SomeTool], arguments: Mapping[str, object] | str, *, user: str | None = None
) -> SomeTool:
    """Return a tool with its arguments; `user`: as for `run`. ToolError for arguments that it can't have."""
    given = _given(name, arguments)
    if user is not None:
        if "user" in given:
            raise ToolError("you speak for one person here: leave user out")
        given = {**given, "user": user} if "user" in tool.model_fields else given
    try:
        return tool.model_validate(given)
    except ValidationError as error:
        raise ToolError(f"{name}: {'; '.join(map(_fault, error.errors()))}") from error


def _named(name: str) -> type[Tool]:
    tool = TOOLS.get(name) if isinstance(name, str) else None
    if tool is None:
        raise ToolError(f"there is no tool {one_line(str(name), 80)!r}; there are {', '.join(TOOLS)}")
    return tool


def _given(name: str, arguments: object) -> dict[str, Any]:
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}")
        except (ValueError, RecursionError) as error:
            raise ToolError(f"{name}: the arguments are no JSON; give one object") from error
    if not isinstance(arguments, Mapping) or not all(isinstance(key, str) for key in arguments):
        raise ToolError(f"{name}: the arguments must be one JSON object")
    return dict(arguments)


def _fault(error: Any) -> str:
    """Return what is wrong with one argument; what was given is not repeated at length."""
    where = ".".join(str(part) for part in error["loc"]) or "arguments"
    if error["type"] == "extra_forbidden":
        return f"there is no argument {one_line(where, 80)!r}"
    return f"{one_line(where, 80)}: {error['msg']}"


def _time(what: str, said: str, now: float, *, end: bool = False) -> float | None:
    """Return the time that an argument says, seconds, where it begins or where it ends; None for an empty one."""
    if not said:
        return None
    span = time_said(said, now)
    moments = (span.at, *((span.until, span.since) if end else (span.since, span.until))) if span is not None else ()
    moment = next((one for one in moments if one is not None), None)
    if moment is None:
        raise ToolError(f"{what}: {said!r} is no time; give one like 2026-11-28T17:30, or two hours ago")
    return moment


def _in_time(memory: HomeMemory, kind: Kind, since: str, until: str, user: str) -> str:
    now = time.time()
    begin, end = _time("since", since, now), _time("until", until or "now", now, end=True)
    if begin is None:
        raise ToolError("since: say from when on, like yesterday")
    if end is not None and end < begin:
        raise ToolError("until is before since; exchange them")
    span = Span(text="", since=begin, until=end)
    return memory.ask(kind.value, user=user, question=Question(quote=kind.value, kind=kind, time=span)).text


def _recalled(memory: HomeMemory, words: str, kinds: Sequence[str], user: str, limit: int) -> str:
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        raise ToolError(f"kinds: there is no {one_line(unknown[0], 80)!r}; there are {', '.join(KINDS)}")
    query = Query(words, user=user, kinds=frozenset(kinds), limit=limit, now=time.time())
    lines = {one.record.text: line(one) for one in reversed(memory.recall(query).recollections)}
    return listed(reversed(lines.values()))  # what two memories say in the same words, once


def _forbidden(memory: HomeMemory, words: str) -> str:
    """Return what anybody forbids, in lines; asked for nobody, who asks is told what they forbade themselves, too."""
    query = Query(words, kinds=frozenset({"rule"}), limit=LINES, now=time.time())
    return listed(f"forbidden: {one_line(one.record.text, 200)}" for one in memory.recall(query).recollections)


def _together(*parts: str) -> str:
    return "\n".join(filter(None, parts))
