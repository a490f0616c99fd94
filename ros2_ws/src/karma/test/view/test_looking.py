# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a viewer of the page gets: where they look from, what they choose, what they hide."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from karma.view.known import Live
from karma.view.measuring.viewer import Viewer
from karma.view.page import Page
from karma.view.recording import Bounds, RecordingError
from karma_perception.scene_graph import Layer, Node, SceneGraph

ROOM = Node("room", Layer.ROOM, "Kitchen", "kitchen", "floor", (0, 0, 1), (4, 4, 2))
MUG = Node("mug", Layer.OBJECT, "Mug", "", "room", (0.0, 0.0, 1.0), (0.1, 0.1, 0.1), True)
GRAPH = SceneGraph(nodes={node.id: node for node in (ROOM, MUG)})


class FakeRobot:
    def look(self) -> None: ...

    def look_away(self) -> None: ...

    def can_move(self) -> bool:
        return False


@pytest.fixture
def live() -> Live:
    return Live()


@pytest.fixture
def page(live: Live) -> Iterator[Page]:
    page = Page(FakeRobot(), live, port=0)  # type: ignore[arg-type]
    yield page
    page.close()


def heard(viewer: Viewer, kind: str) -> list[dict[str, Any]]:
    """Return what comes until the first message of a kind has come, and in the second after it."""
    messages = []
    for message in viewer.messages(20.0):
        messages.append(message)
        if message["type"] == kind:
            return [*messages, *viewer.messages(1.0)]
    raise AssertionError(f"no {kind} in 20 s")


def test_the_camera_is_set_when_there_are_rooms_and_then_left_alone(live: Live, page: Page) -> None:
    with Viewer(page.port) as viewer:
        heard(viewer, "GuiTabGroupMessage")
        live.learn(graph=GRAPH)
        messages = heard(viewer, "SetCameraLookAtMessage")
        assert "SetCameraPositionMessage" in {message["type"] for message in messages}
        bigger = replace(ROOM, id="room/2", center=(20.0, 0.0, 1.0))
        live.learn(graph=replace(GRAPH, nodes=dict(GRAPH.nodes) | {bigger.id: bigger}))
        assert "SetCameraPositionMessage" not in {message["type"] for message in heard(viewer, "BoxMessage")}


def test_a_click_chooses_for_who_clicked(live: Live, page: Page) -> None:
    live.learn(graph=GRAPH)
    with Viewer(page.port) as viewer, Viewer(page.port) as other:
        name = next(m["name"] for m in heard(viewer, "BatchedMeshesMessage") if m["type"] == "BatchedMeshesMessage")
        heard(other, "BatchedMeshesMessage")
        ray = {"ray_origin": (0.0, 0.0, 9.0), "ray_direction": (0.0, 0.0, -1.0), "screen_pos": (0.5, 0.5)}
        viewer.send({"type": "SceneNodeClickMessage", "name": name, "instance_index": 0, "modifier": None, **ray})
        assert any(message.get("name") == "/selection/mark" for message in viewer.messages(3.0))
        assert not any(message.get("name") == "/selection/mark" for message in other.messages(0.5))


def test_a_layer_is_hidden_for_one_viewer_alone(live: Live, page: Page) -> None:
    with Viewer(page.port) as viewer, Viewer(page.port) as other:
        for each in (viewer, other):
            heard(each, "GuiTabGroupMessage")
        session = page._sessions[min(page._sessions)]
        session.show("/now/things", False)
        session.show("/now/things", True)
        session.show("/now/things", False)
        first, second = (
            [
                message["visible"]
                for message in each.messages(2.0)
                if message["type"] == "SetSceneNodeVisibilityMessage"
                and message["name"] == "/now/things"
                and message["owner"]
            ]
            for each in (viewer, other)
        )
        assert sorted((first[-1:], second[-1:])) == [[], [False]]


def test_a_viewer_who_leaves_at_once_leaves_nothing_behind(page: Page) -> None:
    for _ in range(5):
        Viewer(page.port).close()
    until = time.monotonic() + 20.0
    while (page._watched or page._sessions) and time.monotonic() < until:
        time.sleep(0.05)
    assert not page._sessions
    assert not page._watched


def test_a_known_home_is_recorded_whatever_else_is_missing(live: Live, page: Page, tmp_path: Path) -> None:
    live.learn(graph=GRAPH, trouble="Not running now: planner.")
    recording = page.record_to(tmp_path / "known.html", stop=threading.Event(), bounds=Bounds(seconds=0.5))
    assert recording.full
    assert (tmp_path / "known.html").stat().st_size


def test_an_unknown_home_is_not_recorded(
    live: Live, page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("karma.view.page.HOME_S", 0.1)
    live.learn(trouble="Not running now: scene_graph.")
    with pytest.raises(RecordingError, match="scene_graph"):
        page.record_to(tmp_path / "unknown.html", stop=threading.Event())
    assert not (tmp_path / "unknown.html").exists()


def test_who_goes_away_while_another_thread_waits_for_messages_gets_no_more(page: Page) -> None:
    failed: list[BaseException] = []

    def wait() -> None:
        try:
            list(viewer.messages(20.0))
        except Exception as error:  # noqa: BLE001 - whatever it is, it would be a traceback
            failed.append(error)

    with Viewer(page.port) as viewer:
        waiting = threading.Thread(target=wait)
        waiting.start()
        time.sleep(0.5)
    waiting.join(10.0)
    assert not waiting.is_alive()
    assert failed == []


def test_what_is_written_follows_what_it_is_about_at_once(live: Live, page: Page) -> None:
    mug = replace(MUG, center=(1.5, 1.5, 0.3))  # not where the room's name is written
    live.learn(graph=replace(GRAPH, nodes={"room": ROOM, "mug": mug}))
    with Viewer(page.port) as viewer:
        heard(viewer, "LabelMessage")
        session = page._sessions[min(page._sessions)]
        session.labels._next = time.monotonic() + 3600.0  # no new choice of labels is made
        opened = replace(mug, states={"isDirty": "true"})
        live.learn(graph=replace(GRAPH, nodes={"room": ROOM, "mug": opened}))
        assert any("dirty" in str(message) for message in viewer.messages(5.0))
        live.learn(graph=replace(GRAPH, nodes={"room": ROOM}))
        assert any(
            message["type"] == "RemoveSceneNodeMessage" and message["name"].startswith("/labels/")
            for message in viewer.messages(5.0)
        )
