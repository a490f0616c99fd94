# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a viewer of the page gets: where they look from, what they choose, what they hide."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from viewing import AbsentRobot

from karma_perception.scene_graph import Layer, Node, SceneGraph
from karma_view.known import Known, Live, Pose
from karma_view.measuring.viewer import CAMERA, Viewer
from karma_view.page import Page
from karma_view.scene.recording import Bounds, RecordingError
from karma_view.scene.viewpoint import STARTS
from karma_view.session import Session

ROOM = Node("room", Layer.ROOM, "Kitchen", "kitchen", "floor", (0, 0, 1), (4, 4, 2))
MUG = Node("mug", Layer.OBJECT, "Mug", "", "room", (0.0, 0.0, 1.0), (0.1, 0.1, 0.1), True)
GRAPH = SceneGraph(nodes={node.id: node for node in (ROOM, MUG)})


@pytest.fixture
def live() -> Live:
    return Live()


@pytest.fixture
def page(live: Live) -> Iterator[Page]:
    page = Page(AbsentRobot(), live, port=0)
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


def until(done: Callable[[], object]) -> None:
    deadline = time.monotonic() + 20.0
    while not done():
        assert time.monotonic() < deadline, "that never came about"
        time.sleep(0.01)


def flown(viewer: Viewer, session: Session, begin: Callable[[], object]) -> list[tuple[Any, Any]]:
    """Return where the camera is put by a flight that something begins, up to its end."""
    view = session._viewpoint
    flights = view._flights
    begin()
    until(lambda: view._flights > flights and not (view._follow is not None and view._follow.is_alive()))
    messages = []
    for message in viewer.messages(20.0):
        messages.append(message)
        if message["type"] == "SetCameraLookAtMessage" and np.allclose(put(messages)[-1], view._poses[-1]):
            return put(messages)
    raise AssertionError("it did not come to its end")


def grown(by: float) -> SceneGraph:
    """Return the home with another room, `by` metres away."""
    more = replace(ROOM, id=f"room/{by}", center=(by, 0.0, 1.0))
    return replace(GRAPH, nodes=dict(GRAPH.nodes) | {more.id: more})


def put(messages: list[dict[str, Any]]) -> list[tuple[Any, Any]]:
    """Return where messages put the camera: positions and look-ats."""
    of = {kind: [m for m in messages if m["type"] == f"SetCamera{kind}Message"] for kind in ("Position", "LookAt")}
    assert len(of["Position"]) == len(of["LookAt"])
    return [(p["position"], at["look_at"]) for p, at in zip(of["Position"], of["LookAt"], strict=True)]


def is_at(viewer: Viewer, position: Any, look_at: Any, **more: Any) -> None:
    """Say as a browser does where its camera is."""
    viewer.send(CAMERA | {"position": position, "look_at": look_at, **more})


def test_the_camera_shows_the_home_as_it_grows_until_the_viewer_moves_it(live: Live, page: Page) -> None:
    with Viewer(page.port) as viewer:
        heard(viewer, "GuiTabGroupMessage")
        live.learn(graph=GRAPH)
        (first,) = put(heard(viewer, "SetCameraLookAtMessage"))
        (session,) = page._sessions.values()
        is_at(viewer, CAMERA["position"], first[1])  # a browser may take one after the other
        is_at(viewer, *first)
        live.learn(graph=grown(0.1))
        assert not put(heard(viewer, "BoxMessage")), "not for so little"
        first = flown(viewer, session, lambda: live.learn(graph=grown(0.3)))[-1]  # a part would lie under the panels
        is_at(viewer, *first)
        assert flown(viewer, session, lambda: is_at(viewer, *first, image_width=900))
        flight = flown(viewer, session, lambda: live.learn(graph=grown(20.0)))
        assert len(flight) > 5, "eased"
        assert flight[-1][0][2] > 2 * first[0][2], "from far enough for all of it"
        for pose in flight[::5]:
            is_at(viewer, *pose, image_width=900)
        assert not session._viewpoint._elsewhere
        is_at(viewer, (9.0, 9.0, 9.0), flight[-1][1], image_width=900)
        until(lambda: session._viewpoint._elsewhere)
        live.learn(graph=grown(60.0))
        assert not put(heard(viewer, "BoxMessage")), "the viewer's own"


@pytest.mark.parametrize("placed_after", [1, 2])
def test_where_a_browser_starts_is_not_where_the_viewer_went(
    placed_after: int, live: Live, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(CAMERA, "position", STARTS[0][0])
    with Viewer(page.port) as viewer:
        heard(viewer, "GuiTabGroupMessage")
        (session,) = page._sessions.values()
        view, told = session._viewpoint, []
        session.client.camera.on_update(lambda camera: told.append(view._heard(camera)))

        def tells(*pose: Any) -> None:
            before = len(told)
            is_at(viewer, *pose)
            until(lambda: len(told) > before)

        for start in STARTS[1:placed_after]:
            tells(*start)
        live.learn(graph=GRAPH)
        (first,) = put(heard(viewer, "SetCameraLookAtMessage"))
        for start in STARTS[placed_after - 1 :]:
            tells(*start)
        tells(STARTS[-1][0], first[1])
        tells(*first)
        tells(*STARTS[-1])  # a slow one tells of it even now
        assert flown(viewer, session, lambda: live.learn(graph=grown(20.0))), "followed"


def test_who_moves_before_the_browser_is_where_it_was_put_is_left_there(live: Live, page: Page) -> None:
    live.learn(graph=GRAPH)
    with Viewer(page.port) as viewer:
        heard(viewer, "SetCameraLookAtMessage")
        (session,) = page._sessions.values()
        is_at(viewer, (9.0, 9.0, 9.0), (0.0, 0.0, 0.0))
        until(lambda: session._viewpoint._elsewhere)


def test_the_whole_home_is_shown_again_when_asked_for(live: Live, page: Page) -> None:
    live.learn(graph=GRAPH)
    with Viewer(page.port) as viewer:
        (first,) = put(heard(viewer, "SetCameraLookAtMessage"))
        session = page._sessions[min(page._sessions)]
        session.go_to("mug")
        live.learn(graph=grown(20.0))
        heard(viewer, "BoxMessage")
        assert flown(viewer, session, session.show_home)[-1][0][2] > 2 * first[0][2]
        assert flown(viewer, session, lambda: live.learn(graph=grown(60.0))), "and followed"


@pytest.mark.parametrize(
    ("size", "folded"), [((1280, 800), 0), ((1100, 768), 0), ((1024, 768), 2), ((1640, 2360), 2), ((1170, 2532), 2)]
)
def test_panels_are_folded_where_they_would_cover_the_home(
    size: tuple[int, int], folded: int, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    for side, length in zip(("image_width", "image_height"), size, strict=True):
        monkeypatch.setitem(CAMERA, side, length)
    with Viewer(page.port) as viewer:
        placed = [m for m in heard(viewer, "GuiTabGroupMessage") if m["type"] == "GuiSetPanelCollapsedMessage"]
    assert sum(message["collapsed"] for message in placed) == folded


def test_a_click_chooses_for_who_clicked(live: Live, page: Page) -> None:
    live.learn(graph=GRAPH)
    with Viewer(page.port) as viewer, Viewer(page.port) as other:
        name = next(m["name"] for m in heard(viewer, "BatchedMeshesMessage") if m["type"] == "BatchedMeshesMessage")
        heard(other, "BatchedMeshesMessage")
        ray = {"ray_origin": (0.0, 0.0, 9.0), "ray_direction": (0.0, 0.0, -1.0), "screen_pos": (0.5, 0.5)}
        viewer.send({"type": "SceneNodeClickMessage", "name": name, "instance_index": 0, "modifier": None, **ray})
        assert any(message.get("name") == "/selection/mark" for message in viewer.messages(20.0))
        assert not any(message.get("name") == "/selection/mark" for message in other.messages(0.5))


def test_a_layer_is_hidden_for_one_viewer_alone(live: Live, page: Page) -> None:
    def visible(each: Viewer, seconds: float) -> Iterator[bool]:
        for message in each.messages(seconds):
            if message["type"] == "SetSceneNodeVisibilityMessage" and message["name"] == "/now/things":
                yield from [message["visible"]] if message["owner"] else []

    with Viewer(page.port) as viewer:
        heard(viewer, "GuiTabGroupMessage")
        (session,) = page._sessions.values()
        with Viewer(page.port) as other:
            heard(other, "GuiTabGroupMessage")
            session.covers.show("/now/things", False)
            assert False in visible(viewer, 20.0)
            session.covers.show("/now/things", True)
            assert True in visible(viewer, 20.0)
            session.covers.show("/now/things", False)
            assert False in visible(viewer, 20.0)
            assert list(visible(other, 0.5)) == []


def test_a_viewer_who_leaves_at_once_leaves_nothing_behind(page: Page) -> None:
    for _ in range(5):
        Viewer(page.port).close()
    until(lambda: not page._sessions and not page._watched)


def test_a_known_home_is_recorded_whatever_else_is_missing(live: Live, page: Page, tmp_path: Path) -> None:
    live.learn(graph=GRAPH, trouble="Not running now: planner.")
    recording = page.record_to(tmp_path / "known.html", stop=threading.Event(), bounds=Bounds(seconds=0.5))
    assert recording.full
    assert (tmp_path / "known.html").stat().st_size


def test_an_unknown_home_is_not_recorded(
    live: Live, page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("karma_view.page.HOME_S", 0.1)
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
        assert any("dirty" in str(message) for message in viewer.messages(20.0))
        live.learn(graph=replace(GRAPH, nodes={"room": ROOM}))
        assert any(
            message["type"] == "RemoveSceneNodeMessage" and message["name"].startswith("/labels/")
            for message in viewer.messages(20.0)
        )


def test_what_is_written_and_marked_is_where_it_is_drawn_also_while_now_is_compared_with_then(
    live: Live, page: Page
) -> None:
    moved, then = replace(MUG, center=(1.5, 1.5, 0.3)), replace(MUG, center=(-1.5, -1.5, 0.3))
    live.learn(graph=replace(GRAPH, nodes={"room": ROOM, "mug": moved}), pose=Pose((1.0, -1.5, 0.0), 0.0))
    with Viewer(page.port) as viewer:
        heard(viewer, "LabelMessage")
        session = page._sessions[min(page._sessions)]
        session.choose("mug")
        for compared, mug in ((False, then), (True, moved)):
            session._time._compare.value = compared
            session.then = Known(stamp=9.0, graph=replace(GRAPH, nodes={"room": ROOM, "mug": then}))
            # The robot is drawn with the home of now.
            expected = (mug, mug.center[:2], compared)
            until, shown = time.monotonic() + 10.0, None
            while shown != expected:
                assert time.monotonic() < until, shown
                time.sleep(0.05)
                written = dict(session.labels._handles)
                shown = session.selection.node, "mug" in written and written["mug"][0].position[:2], "" in written
