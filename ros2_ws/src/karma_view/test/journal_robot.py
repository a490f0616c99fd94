# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A robot whose memory is a list of events: it answers about the past as the real one, and notes how it is asked."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

from karma_interfaces.msg import MemoryEvent, Recollection, Result, ShortTermMemory, SkillCall, SkillOutcome
from karma_perception.scene_graph import Layer, Node, SceneGraph
from karma_ros.client import GraphError
from karma_view.ros.robot import to_time
from karma_view.text import seconds

ROOM = Node("kitchen", Layer.ROOM, "Kitchen", "kitchen 1", "floor", (0.0, 0.0, 1.0), (4.0, 4.0, 2.0))
AREA = Node("area", Layer.AREA, "Area", "area 1", "kitchen", (0.0, 0.0, 0.0), (1.0, 1.0, 1.0))


def thing(name: str, x: float, **fields: Any) -> Node:
    return Node(name, Layer.OBJECT, name.split("|")[0], name, "area", (x, 0.0, 1.0), (0.1, 0.1, 0.1), True, **fields)


@dataclass
class Entry:
    position: int
    event: Any
    nodes: tuple[Node, ...] = ()


class JournalRobot:
    """Has the methods of karma_view.ros.robot.Robot that ask about the past."""

    def __init__(self, entries: Sequence[Entry] = ()) -> None:
        self.entries = list(entries)
        self.horizon = 0.0
        self.error = ""
        """What the memory says to everything; empty: it answers."""
        self.open = threading.Event()
        """The past is told while this is set."""
        self.open.set()
        self.asked: list[tuple[str, float]] = []
        """About the past: what, and the time."""
        self.told = 0
        """Events that were told."""
        self.most_at_once = 0
        self.most_events = 0
        """That were told in one answer."""
        self._asking = 0
        self._lock = threading.Lock()

    @contextmanager
    def _answering(self) -> Iterator[None]:
        with self._lock:
            self._asking += 1
            self.most_at_once = max(self.most_at_once, self._asking)
        try:
            if self.error:
                raise GraphError(self.error)
            yield
        finally:
            with self._lock:
                self._asking -= 1

    def events(
        self,
        *,
        since: float = 0.0,
        until: float = 0.0,
        after: int = 0,
        kinds: Sequence[int] = (),
        newest: bool = False,
        limit: int = 0,
    ) -> Any:
        assert 1 <= limit <= 5000, "the memory refuses that"
        with self._answering():
            entries = self.entries if newest else self.entries[_index(self.entries, after) :]
            found = []
            for entry in reversed(entries) if newest else entries:
                stamp = seconds(entry.event.stamp)
                if entry.position > after and since <= stamp <= (until or 1e12):
                    if not kinds or entry.event.kind in kinds:
                        found.append(entry)
                    if len(found) == limit:
                        break
            if newest:
                found.reverse()
            self.told += len(found)
            self.most_events = max(self.most_events, len(found))
            full = len(found) == limit
            return SimpleNamespace(
                events=[entry.event for entry in found],
                sequences=[entry.position for entry in found],
                last_sequence=found[-1].position
                if full and not newest
                else self.entries[-1].position
                if entries
                else 0,
                since=to_time(self.horizon or seconds(self.entries[0].event.stamp) if self.entries else 0.0),
                until=to_time(max((seconds(entry.event.stamp) for entry in self.entries), default=0.0)),
            )

    def graph_at(self, at: float) -> SceneGraph:
        self.asked.append(("graph", at))
        with self._answering():
            assert self.open.wait(10.0)
            if at < self.horizon:
                raise GraphError("what was known then is not known any more")
            graph = SceneGraph()
            for entry in self.entries:
                if seconds(entry.event.stamp) <= at:
                    graph = applied(graph, entry)
            return graph

    def short_term_at(self, at: float) -> Any:
        self.asked.append(("short_term", at))
        with self._answering():
            return ShortTermMemory(stamp=to_time(at), lookups=sum(seconds(e.event.stamp) <= at for e in self.entries))

    def browse(self, *, user: str, kinds: Sequence[str], at: float, limit: int) -> Any:
        self.asked.append(("browse", at))
        with self._answering():
            texts = ("tea", "cup") if user != "ben" else ("tea",)
            held = [Recollection(kind="told", id=f"told:{name}", text=f"the {name}") for name in texts]
            return SimpleNamespace(recollections=[one for one in held if one.kind in kinds])


def _index(entries: Sequence[Entry], after: int) -> int:
    low, high = 0, len(entries)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if entries[middle].position <= after else (low, middle)
    return low


def applied(graph: SceneGraph, entry: Entry) -> SceneGraph:
    nodes = {**graph.nodes, **{node.id: node for node in entry.nodes}}
    for gone in entry.event.removed:
        nodes.pop(gone, None)
    return replace(graph, nodes=nodes)


def happened(position: int, stamp: float, kind: int, *nodes: Node, code: int = Result.SUCCESS, **fields: Any) -> Entry:
    event = MemoryEvent(stamp=to_time(stamp), kind=kind, **fields)
    if kind == MemoryEvent.SKILL_OUTCOME:
        event.outcome = [SkillOutcome(call=SkillCall(skill=event.text), result=Result(code=code), stamp=event.stamp)]
    elif kind == MemoryEvent.EPISODE_END:
        event.result = Result(code=code)
    return Entry(position, event, nodes)
