# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The scene graph as the page hears it: nothing missed, nothing twice, nothing after nobody looks."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus

from karma_interfaces.msg import PlannerState, Result, SceneGraph, SceneNode
from karma_interfaces.srv import GetSceneGraph
from karma_ros.client import GraphError
from karma_view.known import Live
from karma_view.ros.hearing import Hearing
from karma_view.ros.transcript import Transcript


class Node:
    def __init__(self) -> None:
        self.present = {"scene_graph", "planner/state", "memory/short_term"}
        self.hears: dict[str, Any] = {}
        """By topic, what is called with its messages: an error there would end the thread that hears all topics."""

    def create_subscription(self, kind: Any, topic: str, callback: Any, qos: Any) -> str:
        self.hears[topic] = callback
        return topic

    def destroy_subscription(self, subscription: str) -> None: ...

    def get_namespace(self) -> str:
        return "/robot1"

    def resolve_topic_name(self, topic: str) -> str:
        return topic

    def count_publishers(self, topic: str) -> int:
        return topic in self.present


class Client:
    """A graph whose perception answers when it is let."""

    def __init__(self) -> None:
        self.node = Node()
        self.full = SceneGraph()
        self.asked = 0
        self.may_answer = threading.Event()
        self.may_answer.set()

    def call(self, kind: Any, name: str, request: Any, *, timeout: float) -> Any:
        self.asked += 1
        if not self.may_answer.wait(timeout):
            raise GraphError("no answer")
        return GetSceneGraph.Response(result=Result(code=Result.SUCCESS), graph=self.full)


def update(sequence: int, *names: str, full: bool = False) -> SceneGraph:
    nodes = [SceneNode(id=name, layer=SceneNode.FLOOR) for name in names]
    return SceneGraph(sequence=sequence, full=full, nodes=nodes)


def known(live: Live) -> set[str]:
    return set(live.known.graph.nodes)


def eventually(done: Any) -> None:
    until = time.monotonic() + 10.0
    while not done():
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.fixture
def client() -> Client:
    return Client()


@pytest.fixture
def live() -> Live:
    return Live()


def test_updates_follow_on_the_whole_graph(client: Client, live: Live) -> None:
    client.full = update(5, "a", full=True)
    hearing = Hearing(client, live, Transcript())  # type: ignore[arg-type]
    eventually(lambda: known(live) == {"a"})
    hearing._on_graph(update(5, "twice"))
    hearing._on_graph(update(6, "b"))
    assert known(live) == {"a", "b"}
    assert client.asked == 1
    hearing.close()


@pytest.mark.parametrize("sequence", [8, 1], ids=["some were lost", "perception was restarted"])
def test_what_was_missed_is_asked_for(client: Client, live: Live, sequence: int) -> None:
    client.full = update(5, "a", full=True)
    hearing = Hearing(client, live, Transcript())  # type: ignore[arg-type]
    eventually(lambda: known(live) == {"a"})
    client.full = update(sequence, "a", "b", full=True)
    hearing._on_graph(update(sequence, "b"))
    eventually(lambda: known(live) == {"a", "b"})
    assert client.asked == 2
    hearing.close()


def test_updates_that_come_before_the_whole_graph_go_on_from_it(client: Client, live: Live) -> None:
    client.may_answer.clear()
    hearing = Hearing(client, live, Transcript())  # type: ignore[arg-type]
    eventually(lambda: client.asked == 1)
    for sequence in (4, 5, 6, 7):
        hearing._on_graph(update(sequence, f"n{sequence}"))
    client.full = update(5, "whole", full=True)
    client.may_answer.set()
    eventually(lambda: known(live) == {"whole", "n6", "n7"})
    hearing._on_graph(update(8, "n8"))
    assert known(live) == {"whole", "n6", "n7", "n8"}
    assert client.asked == 1
    hearing.close()


def test_who_looks_away_waits_for_nobody_and_hears_nothing_more(client: Client, live: Live) -> None:
    client.may_answer.clear()
    client.full = update(5, "late", full=True)
    hearing = Hearing(client, live, Transcript())  # type: ignore[arg-type]
    eventually(lambda: client.asked == 1)
    began = time.monotonic()
    hearing.close()
    assert time.monotonic() - began < 5.0  # the answer would take fifteen seconds
    client.may_answer.set()
    hearing._on_graph(update(6, "later", full=True))
    hearing._on_planner(PlannerState(waiting=["something"]))
    time.sleep(0.1)
    assert not known(live)
    assert live.known.planner is None


def test_who_is_absent_is_told_and_heard_when_they_come(client: Client, live: Live) -> None:
    client.node.present.clear()
    client.full = update(1, "a", full=True)
    hearing = Hearing(client, live, Transcript())  # type: ignore[arg-type]
    eventually(lambda: "isn't running" in live.known.trouble)
    client.node.present |= {"scene_graph", "memory/short_term"}
    eventually(lambda: known(live) == {"a"} and live.known.trouble == "Not running now: planner.")
    hearing.close()


def test_what_a_node_says_is_wrong_with_it_is_told_until_it_is_not(client: Client, live: Live) -> None:
    def says(level: bytes, message: str, *names: str) -> None:
        status = [DiagnosticStatus(level=level, name=name, message=message) for name in names]
        client.node.hears["/diagnostics"](DiagnosticArray(status=status))

    hearing = Hearing(client, live, Transcript())  # type: ignore[arg-type]
    says(DiagnosticStatus.OK, "active", "robot1/lifecycle_manager: memory_server")
    others = "robot2/memory_server: memory", "memory_server: memory", "robot1/driver: temperature"
    says(DiagnosticStatus.ERROR, "no room; free some space", "robot1/memory_server: memory", *others)
    eventually(lambda: live.known.trouble == "error: memory_server: no room; free some space")
    says(DiagnosticStatus.OK, "5 events", "robot1/memory_server: memory")
    eventually(lambda: not live.known.trouble)
    hearing.close()


def test_a_perception_that_fails_is_told_and_asked_again(client: Client, live: Live) -> None:
    def fails(*_: Any, **__: Any) -> Any:
        raise GraphError("it did not answer")

    answers, client.call = client.call, fails  # type: ignore[method-assign]
    hearing = Hearing(client, live, Transcript())  # type: ignore[arg-type]
    eventually(lambda: live.known.trouble == "it did not answer")
    client.full = update(1, "a", full=True)
    client.call = answers  # type: ignore[method-assign]
    eventually(lambda: known(live) == {"a"} and not live.known.trouble)
    hearing.close()


def test_garbage_is_told_and_not_taken_and_what_comes_after_it_is(
    client: Client, live: Live, caplog: pytest.LogCaptureFixture
) -> None:
    client.full = update(5, "a", full=True)
    client.full.nodes[0].layer = 9
    hearing = Hearing(client, live, Transcript())  # type: ignore[arg-type]
    eventually(lambda: "9 is not a valid Layer" in live.known.trouble)
    client.full = update(5, "a", full=True)
    eventually(lambda: known(live) == {"a"})
    garbage = update(6, "garbage")
    garbage.nodes[0].layer = 9
    client.node.hears["scene_graph"](garbage)
    assert "scene_graph" in caplog.text
    client.full = update(7, "a", "b", "c", full=True)
    client.node.hears["scene_graph"](update(7, "c"))
    eventually(lambda: known(live) == {"a", "b", "c"})
    restarted = update(1, "d", full=True)
    restarted.nodes[0].layer = 9
    client.full = update(1, "d", full=True)
    client.node.hears["scene_graph"](restarted)
    eventually(lambda: known(live) == {"d"})
    hearing.close()
