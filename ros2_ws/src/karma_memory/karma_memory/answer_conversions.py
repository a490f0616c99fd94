# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Questions to the memory and its answers, as ROS messages and back. What can't be meant raises InvalidEventError."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError
from sensor_msgs.msg import CompressedImage
from std_msgs.msg import Header

from karma_interfaces.msg import Guideline as GuidelineMsg
from karma_interfaces.msg import (
    MemoryStats,
    ShortTermEviction,
    ShortTermMemory,
    ShortTermUnit,
)
from karma_interfaces.msg import Recollection as RecollectionMsg
from karma_interfaces.msg import Reminder as ReminderMsg
from karma_interfaces.srv import Recall
from karma_language.reading import Question
from karma_memory.ask import Asked
from karma_memory.browsing.events import USUAL_EVENTS, EventQuery
from karma_memory.browsing.records import USUAL_LIMIT
from karma_memory.conversions import filled, from_call, from_node, from_point, from_seconds, to_point, to_seconds
from karma_memory.event_memory import Stats
from karma_memory.guideline import Guideline
from karma_memory.recall.query import Query, Recollection, Record
from karma_memory.scene import MAX_STAMP, ORIGIN, InvalidEventError
from karma_memory.short_term.memory import Contents, record_id
from karma_memory.users.facts import Due


def to_query(request: Any, *, limit: int, token_budget: int, now: float) -> Query:
    """Return the question of a Recall request; `limit` and `token_budget` are the server's defaults; `now`: seconds."""
    at = to_seconds(request.at)
    return Query(
        text=request.query,
        user=request.user,
        scene=request.scene,
        kinds=frozenset(request.kinds),
        room=request.room,
        near=to_point(request.near) if request.has_near else None,
        radius=float(request.radius) if request.has_near else math.inf,
        at=at or None,
        now=now,
        since=to_seconds(request.since) or None,
        until=to_seconds(request.until) or None,
        limit=int(request.limit) or limit,
        token_budget=int(request.token_budget) or token_budget,
    )


def from_query(query: Query) -> Recall.Request:
    """Return a question as a request of memory/recall; the server has a time of its own for `now`."""
    return Recall.Request(
        query=query.text,
        user=query.user,
        scene=query.scene,
        kinds=sorted(query.kinds),
        room=query.room,
        has_near=query.near is not None,
        near=from_point(query.near or ORIGIN),
        radius=query.radius if query.near is not None else 0.0,
        at=from_seconds(query.at),
        since=from_seconds(query.since),
        until=from_seconds(query.until),
        limit=query.limit,
        token_budget=query.token_budget,
    )


def to_question(text: str) -> Question | None:
    """Return the question of a Recall request, None for none. Raises InvalidEventError for what is no question."""
    try:
        return Question.model_validate_json(text) if text else None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise InvalidEventError(f"the reading is no question: {first['msg']}") from error


def to_browse_query(request: Any, *, now: float) -> Query:
    """Return what a BrowseMemory request asks for, apart from its offset; `now`: seconds."""
    return Query(
        "",
        user=request.user,
        kinds=frozenset(request.kinds),
        at=to_seconds(request.at) or None,
        now=now,
        limit=int(request.limit) or USUAL_LIMIT,
    )


def to_event_query(request: Any) -> EventQuery:
    """Return what a GetEvents request asks for."""
    return EventQuery(
        since=to_seconds(request.since),
        until=to_seconds(request.until) or MAX_STAMP,
        after=int(request.after),
        kinds=frozenset(request.kinds),
        user=request.user,
        newest=request.newest,
        whole=request.whole,
        limit=int(request.limit) or USUAL_EVENTS,
    )


def fill_answer(response: Any, asked: Asked, picture: bytes | None) -> None:
    """Fill in an Ask response; `picture`: the bytes of `asked.picture`, None where they are gone."""
    answered = asked.answered
    response.answer, response.known, response.look = answered.text, answered.known, list(answered.look)
    response.age = -1.0 if answered.age is None else answered.age
    response.evidence = from_recollections(asked.evidence)
    response.sequence = asked.sequence
    if asked.picture is not None and picture is not None:
        message = CompressedImage(header=Header(stamp=from_seconds(asked.taken)), format=asked.picture.format)
        message.data.frombytes(picture)
        response.picture = [message]


def from_recollections(recollections: Iterable[Recollection]) -> list[RecollectionMsg]:
    """Return recollections as messages."""
    return [_from_recollection(found.record, found) for found in recollections]


def _from_recollection(record: Record, found: Recollection) -> RecollectionMsg:
    known: dict[str, Any] = {}
    for part in (record.knowledge, record.task, record.likely):
        known |= vars(part) if part else {}
    message: RecollectionMsg = filled(
        RecollectionMsg,
        record,
        **known,
        score=found.score,
        why=list(found.why),
        valid_from=from_seconds(record.valid_from),
        valid_until=from_seconds(record.valid_until),
        object=[from_node(record.node)] if record.node else [],
        robot=record.handled.robot if record.handled else "",
        handled=[from_call(call) for call in record.handled.calls] if record.handled else [],
        guideline=[_from_guideline(record.guideline)] if record.guideline else [],
    )
    return message


def to_recollections(messages: Iterable[RecollectionMsg]) -> tuple[Recollection, ...]:
    """Return recollections, as far as people and prompts are told of them."""
    return tuple(
        Recollection(
            Record(one.id, one.kind, one.text, one.text, one.source, to_seconds(one.valid_from)),
            one.score,
            tuple(one.why),
        )
        for one in messages
    )


def from_reminder(reminder: Due) -> ReminderMsg:
    """Return something to come as a message."""
    (evidence,) = from_recollections([reminder.evidence])
    return ReminderMsg(what=reminder.what, when=reminder.when, due=from_seconds(reminder.due), evidence=evidence)


def from_stats(stats: Stats) -> MemoryStats:
    """Return the statistics as a message."""
    nodes = {f"{layer.name.lower()}s": count for layer, count in stats.nodes.items()}
    message: MemoryStats = filled(MemoryStats, stats, **nodes)
    return message


def from_short_term(contents: Contents, stamp: float) -> ShortTermMemory:
    """Return short-term memory as a message; `stamp`: the time that it is about, seconds."""
    units = [
        filled(
            ShortTermUnit,
            unit,
            id=record_id(unit.scene, unit.node.id),
            object=from_node(unit.node),
            stamp=from_seconds(unit.time),
        )
        for unit in contents.units
    ]
    evicted = [filled(ShortTermEviction, item, stamp=from_seconds(item.stamp)) for item in contents.evicted]
    message: ShortTermMemory = filled(
        ShortTermMemory,
        contents,
        stamp=from_seconds(stamp),
        policy=contents.settings.policy,
        capacity=contents.settings.capacity,
        units=units,
        evicted=evicted,
    )
    return message


def _from_guideline(guideline: Guideline) -> GuidelineMsg:
    steps = [from_call(step) for step in guideline.steps]
    message: GuidelineMsg = filled(GuidelineMsg, guideline, advice=guideline.advice.value, steps=steps)
    return message
