# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the page says of the past is what the memory knew as it happened: the page's questions, answered by a memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("karma_interfaces.msg", reason="karma_interfaces is not built")
pytest.importorskip("rclpy", reason="needs ROS")

from karma_interfaces.msg import Result
from karma_interfaces.srv import GetSceneGraph
from karma_memory import Code, Event, EventKind, Layer, Memory, Node, SkillCall, SkillOutcome, conversions
from karma_memory.ros.browsing_services import BrowsingServices
from karma_view.known import Live
from karma_view.ros.history import History
from karma_view.ros.robot import Robot
from karma_view.text import seconds

WHOLE = (
    Node("floor", Layer.FLOOR, "Floor"),
    Node("kitchen", Layer.ROOM, "Kitchen", name="kitchen 1", parent="floor"),
    Node("area", Layer.AREA, "Area", name="area", parent="kitchen"),
)


class Answers:
    """Stands in for the ROS graph: what is asked goes straight to a memory's services."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._handlers: dict[str, Any] = {}
        BrowsingServices(lambda kind, name, handler: self._handlers.update({name: handler}), lambda: 0.0)
        self._handlers["memory/get_scene_graph"] = self._graph

    def call(self, kind: Any, name: str, request: Any, *, timeout: float) -> Any:
        response = kind.Response(result=Result(code=Result.SUCCESS))
        self._handlers[name](self._memory, request, response)
        return response

    def _graph(self, memory: Memory, request: Any, response: GetSceneGraph.Response) -> None:
        graph = memory.scene_graph(request.scene, at=conversions.to_seconds(request.at) or None)
        if graph is None:
            response.result.code = Result.NOT_FOUND
        else:
            response.graph = conversions.from_graph(graph, memory.last_sequence)


@contextmanager
def memory() -> Iterator[Memory]:
    with tempfile.TemporaryDirectory() as folder, Memory(Path(folder) / "journal.db", embedder="lexical") as memory:
        yield memory


def thing(name: str, x: float, stamp: float) -> Node:
    return Node(
        name, Layer.OBJECT, name.partition("|")[0], parent="area", position=(x, 0.0, 1.0), last_seen=stamp, movable=True
    )


@st.composite
def journals(draw: Any) -> list[Event]:
    events, stamp, episode = [], 1000.0, ""
    for number in range(draw(st.integers(1, 12))):
        stamp += draw(st.sampled_from([0.0, 0.123456789, 1.0, 3600.0]))
        stamp = conversions.to_seconds(conversions.from_seconds(stamp))  # the robot's clock counts nanoseconds
        kind = draw(st.sampled_from(["seen", "skill", "start", "end", "told"]))
        name = draw(st.sampled_from(["Apple|1", "Cup|1", "Pan|1"]))
        nodes = (*WHOLE, thing(name, draw(st.sampled_from([0.0, 1.0, 2.0])), stamp))
        common: dict[str, Any] = {"id": f"event{number}", "stamp": stamp, "text": f"text {number}"}
        if kind == "seen":
            events.append(Event(kind=EventKind.OBSERVATION, scene="home", nodes=nodes, **common))
        elif kind == "told":
            events.append(Event(kind=EventKind.TOLD, **common))
        elif kind == "start":
            episode = f"episode{number}"
            events.append(Event(kind=EventKind.EPISODE_START, episode=episode, **common))
        elif kind == "skill":
            done = SkillOutcome(SkillCall("PickupObject"), Code.SUCCESS, stamp=stamp)
            events.append(
                Event(kind=EventKind.SKILL_OUTCOME, scene="home", episode=episode, nodes=nodes, outcome=done, **common)
            )
        elif episode:
            events.append(Event(kind=EventKind.EPISODE_END, episode=episode, code=Code.SUCCESS, **common))
    return events


def places(graph: Any) -> dict[str, Any]:
    return {node.id: node.center for node in graph.nodes.values()}


@settings(max_examples=25, deadline=None)
@given(journals())
def test_what_is_said_of_the_time_of_each_event_is_what_the_memory_knew_then(events: list[Event]) -> None:
    with memory() as remembering:
        answers = Answers(remembering)
        robot = Robot(answers, Live())  # type: ignore[arg-type]
        knew = {}
        for event in events:
            remembering.remember([event])
            units = robot.short_term_at(0.0).units
            knew[event.stamp] = places(robot.graph_at(0.0)), [(unit.id, seconds(unit.stamp)) for unit in units]
        history = History(robot)
        span = history.span()
        assert (span is None) == (not events)
        position = span.first if span is not None else 1
        found = 0
        while (happened := history.at(position)) is not None:
            found += 1
            position = happened.position + 1
            known = history.known(happened.stamp)
            assert known is not None
            graph, units = knew[happened.stamp]
            assert places(known.graph) == graph
            assert [(unit.id, seconds(unit.stamp)) for unit in known.short_term.units] == units
            told = [event for event in events if event.stamp <= happened.stamp and event.episode]
            statuses = known.planner.instruction
            assert [status.id for status in statuses] == [event.episode for event in told[-1:]]
            for status in statuses:
                own = [event for event in told if event.episode == status.id]
                assert status.instruction == own[0].text
                assert len(status.done) == sum(event.kind is EventKind.SKILL_OUTCOME for event in own)
                assert status.ended == any(event.kind is EventKind.EPISODE_END for event in own)
        assert found == len(events)
