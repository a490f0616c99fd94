# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A robot without a graph, which answers what the panels of memories ask, and messages made by hand."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from karma_interfaces.msg import (
    Guideline,
    MemoryEvent,
    Recollection,
    SceneNode,
    ShortTermEviction,
    ShortTermMemory,
    ShortTermUnit,
)
from karma_interfaces.srv import BrowseMemory, GetEvents
from karma_ros.client import GraphError
from karma_view.ros.robot import to_time


def unit(category: str, *, segment: str = "window", frequency: int = 1, stamp: float = 100.0) -> ShortTermUnit:
    """Return a unit of short-term memory."""
    return ShortTermUnit(
        id=f"short_term:flat/{category}",
        scene="flat",
        object=SceneNode(id=category, category=category, layer=SceneNode.OBJECT, movable=True),
        text=f"{category} is on the Table, in kitchen 1",
        segment=segment,
        frequency=frequency,
        stamp=to_time(stamp),
    )


def short_term(
    *units: ShortTermUnit,
    policy: str = "w_tinylfu_adaptive",
    capacity: int = 6,
    window: int = 2,
    lookups: int = 0,
    hits: int = 0,
    evicted: Sequence[tuple[str, float]] = (),
) -> ShortTermMemory:
    """Return short-term memory; `evicted`: categories and when they had to go, seconds."""
    return ShortTermMemory(
        stamp=to_time(200.0),
        policy=policy,
        capacity=capacity,
        window=window,
        lookups=lookups,
        hits=hits,
        evictions=len(evicted),
        units=list(units),
        evicted=[
            ShortTermEviction(id=f"short_term:flat/{category}", category=category, stamp=to_time(stamp))
            for category, stamp in evicted
        ],
    )


def record(
    kind: str, rests_on: str, text: str, /, *, user: str = "", since: float = 50.0, **fields: Any
) -> Recollection:
    """Return a recollection, which rests on the event `rests_on`."""
    return Recollection(
        kind=kind,
        id=f"{kind}:{rests_on}",
        text=text,
        score=1.0,
        source=rests_on,
        valid_from=to_time(since),
        why=[f"{user}'s own"] if user else [],
        **fields,
    )


def guideline(name: str, text: str, confidence: float) -> Recollection:
    """Return a guideline that was learned for everybody."""
    return record("guideline", name, text, guideline=[Guideline(text=text, confidence=confidence, uses=4, successes=3)])


class RememberingRobot:
    """Holds recollections by user ("": everybody's) and does with them what the memory server does."""

    def __init__(self, **memories: list[Recollection]) -> None:
        self.memories = {user.removeprefix("_"): list(records) for user, records in memories.items()}
        self.told: list[MemoryEvent] = []
        self.browsed: list[dict[str, Any]] = []
        """What was asked for."""
        self.forgotten: list[tuple[str, str]] = []
        self.trouble = ""
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.at_once = 0
        """Most questions that were asked at the same time."""
        self._asking = 0

    def look(self) -> None:
        """Have nothing to hear."""

    def look_away(self) -> None:
        """Have heard nothing."""

    def browse(
        self, *, user: str = "", kinds: Sequence[str] = (), at: float = 0.0, offset: int = 0, limit: int = 0
    ) -> Any:
        """As Robot.browse."""
        self.browsed.append({"user": user, "kinds": tuple(kinds), "at": at, "offset": offset, "limit": limit})
        self._asking += 1
        self.at_once = max(self.at_once, self._asking)
        try:
            assert self.may_answer.wait(10.0)
            if self.trouble:
                raise GraphError(self.trouble)
            seen = [*self.memories.get("", []), *(self.memories.get(user, []) if user else [])]
            held = sorted((one for one in seen if one.kind in kinds), key=lambda one: one.kind)
            return BrowseMemory.Response(
                recollections=held[offset : offset + limit],
                total=len(held),
                users=sorted(name for name in self.memories if name),
            )
        finally:
            self._asking -= 1

    def events(self, *, since: float = 0.0, until: float = 0.0, limit: int = 0, **_: Any) -> Any:
        """As Robot.events."""
        times = [(event, event.stamp.sec + event.stamp.nanosec * 1e-9) for event in self.told]
        found = [event for event, time in times if since <= time and (not until or time <= until)]
        return GetEvents.Response(events=found[:limit])

    def forget(self, record: str, *, user: str = "") -> None:
        """As Robot.forget."""
        self.forgotten.append((record, user))
        for records in self.memories.values():
            records[:] = [one for one in records if one.id != record]

    def edit(self, record: str, text: str, *, user: str = "") -> None:
        """As Robot.edit."""
        if record.startswith("guideline:"):
            raise GraphError("a guideline can be forgotten, not rewritten")
        for records in self.memories.values():
            for one in records:
                if one.id == record:
                    one.text = text


class Viewer:
    """A session in which only the panel under test is there; `gui` is that of a server or of a client."""

    def __init__(self, gui: Any, robot: RememberingRobot) -> None:
        self.client = SimpleNamespace(gui=gui)
        self.robot = robot
        self.user = ""
        self.at = 0.0
        self.said: list[tuple[str, str]] = []
        self.gone_to: list[str] = []

    def say(self, title: str, text: str, *, failed: bool = False) -> None:
        """As Session.say."""
        self.said.append((title, text))

    def go_to(self, name: str) -> None:
        """As Session.go_to."""
        self.gone_to.append(name)

    def attempt(self, what: str, do: Any, *, often: bool = False) -> bool:
        """As Session.attempt."""
        try:
            do()
        except GraphError as error:
            self.say(what, str(error), failed=True)
            return False
        return True


def click(button: Any) -> None:
    """Press a button as a browser does."""
    for callback in button._impl.update_cb:
        callback(SimpleNamespace(target=button))
