# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The page in browsers, as people use it: the whole graph, the real page, and what has come of it in the home."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")

from browser import DRAWN, OpenPage, covered, screenshot
from viewer import WHEN_KILLED, Server, Viewer

from karma.client import GraphClient
from karma.result_codes import code_name
from karma_interfaces.action import ExecuteInstruction
from karma_interfaces.msg import MemoryEvent
from karma_interfaces.srv import BrowseMemory, GetEvents, GetSceneGraph

pytestmark = [pytest.mark.ros, pytest.mark.slow]

Eventually = Callable[..., bool]
Look = Callable[..., Viewer]

HOSTILE = (
    "<script>document.title='ran'</script> <img src='/ran.png' onerror=\"document.title='ran'\"> "
    "{{7*7}} {1+1} **bold** [here](http://example.org)"
)
TABS = ("Talk", "Plan", "Short-term", "People", "Find & layers", "Export")


def instruct(client: GraphClient, text: str, **more: Any) -> Any:
    goal = ExecuteInstruction.Goal(instruction=text, **more)
    return client.run_action(ExecuteInstruction, "execute_instruction", goal, timeout=300.0, connect_timeout=60.0)


def place_of(client: GraphClient, category: str) -> str:
    """Return the category of what a thing is in or on, as it is in the simulator; empty: nothing."""
    nodes = client.call(GetSceneGraph, "sim/ground_truth", GetSceneGraph.Request()).graph.nodes
    (thing,) = (node for node in nodes if node.category == category)
    return next((node.category for node in nodes if node.id == thing.receptacle), "")


def remembered(client: GraphClient, user: str) -> list[str]:
    """Return all that the memory holds of somebody."""
    request = BrowseMemory.Request(user=user, limit=1000)
    return [record.text for record in client.call(BrowseMemory, "memory/browse", request).recollections if record.user]


def position(client: GraphClient, instruction: str) -> int:
    """Return the position in the journal at which an instruction ended."""
    request = GetEvents.Request(kinds=[MemoryEvent.EPISODE_START, MemoryEvent.EPISODE_END], limit=5000)
    told = client.call(GetEvents, "memory/get_events", request)
    (episode,) = (event.episode for event in told.events if event.text == instruction)
    events = zip(told.events, told.sequences, strict=True)
    return next(at for event, at in events if event.episode == episode and event.kind == MemoryEvent.EPISODE_END)


@pytest.fixture(scope="module")
def server(graph: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The page of a home that the robot has looked at."""
    with GraphClient(name="karma_test_explorer", domain_id=graph.domain_id) as client:
        assert code_name(instruct(client, "Explore the home.").result) == "SUCCESS"
    server = Server(graph.domain_id, tmp_path_factory.mktemp("view"))
    try:
        server.start()
        yield server
    finally:
        server.stop()


@pytest.fixture
def look(server: Server, open_page: OpenPage) -> Look:
    """Open the page: `look(allowed=())`."""
    return lambda **options: Viewer(open_page(server.address, **options))


def test_the_home_is_shown_in_3d(look: Look, eventually: Eventually) -> None:
    viewer = look()
    assert eventually(lambda: covered(viewer.page) > DRAWN)


def test_what_is_typed_is_done(look: Look, client: GraphClient) -> None:
    viewer = look()
    viewer.says("Put the apple in the fridge.")
    viewer.hears("Put the apple in the fridge.", "SUCCESS")
    viewer.tab("Plan")
    viewer.sees("PutObject")
    assert place_of(client, "Apple") == "Fridge"


@pytest.mark.parametrize("by", ["button", "field"])
def test_a_question_is_answered_on_the_page(by: str, look: Look, client: GraphClient) -> None:
    viewer = look()
    viewer.is_(f"ann-{by}")
    viewer.says("Bring me some fruit.")
    viewer.sees("Which would you like")
    if by == "button":
        viewer.press("tomato")
    else:
        viewer.enter("In words", "The apple, please.")
    viewer.sees("SUCCESS")
    assert True


def test_what_is_forgotten_on_the_page_is_gone_from_memory(
    look: Look, client: GraphClient, eventually: Eventually
) -> None:
    viewer = look()
    viewer.is_("cleo")
    viewer.says("My mother's birthday is on 12 May.")
    viewer.hears("My mother's birthday", "I will remember that.")
    viewer.tab("People")
    viewer.choose("Show", "Facts")
    assert [text for text in remembered(client, "cleo") if "12 May" in text]
    viewer.sees("12 May")
