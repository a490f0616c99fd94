# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is kept of the page: pictures, and recordings that play from a file."""

from __future__ import annotations

import base64
import io
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest
import viser
import zstandard
from browser import DRAWN, HOSTS, ONLY_THE_SCENE, ROOT, SCENE, OpenPage, covered, screenshot
from builtin_interfaces.msg import Time
from PIL import Image

from karma_interfaces.msg import InstructionStatus, PlannerState, Result
from karma_perception.scene_graph import Layer, Node, SceneGraph
from karma_ros.client import GraphError
from karma_view.known import CameraView, Known, Live
from karma_view.page import Page
from karma_view.scene.recording import LINE, MOST, Bounds, Recorder, RecordingError, caption

if TYPE_CHECKING:
    from playwright.sync_api import Page as Tab

HOSTILE = "</script><img src=x onerror='document.title=\"run\"'> {1+1} **mug**"
STAMP = 1_750_000_000.0  # 2025-06-15 15:06:40 UTC


class FakeRobot:
    """Hears nothing."""

    def __init__(self) -> None:
        self.looking = False

    def look(self) -> None:
        self.looking = True

    def look_away(self) -> None:
        self.looking = False

    def __getattr__(self, asked: str) -> Callable[..., Any]:
        def fail(*_: Any, **__: Any) -> None:
            raise GraphError("there is no graph")

        return fail


def mug(x: float) -> Node:
    return Node(
        "Mug/1", Layer.OBJECT, HOSTILE, "", "room", (x, 0.0, 0.9), (0.4, 0.4, 0.4), movable=True, receptacle="table"
    )


def home(x: float) -> SceneGraph:
    """Return a home with a thing at `x`."""
    nodes = (
        Node("floor", Layer.FLOOR, "Floor", "", "", (0, 0, 0), (1, 1, 1)),
        Node("room", Layer.ROOM, "Kitchen", HOSTILE, "floor", (0.0, 0.0, 1.2), (6.0, 5.0, 2.4)),
        Node("table", Layer.OBJECT, "Table", "", "room", (0.0, 0.0, 0.4), (4.0, 1.0, 0.7)),
        mug(x),
    )
    return SceneGraph("home", STAMP, {node.id: node for node in nodes})


def doing(step: str, **more: Any) -> PlannerState:
    status = InstructionStatus(instruction=f"bring a mug {HOSTILE}", user="Ana", step=step, **more)
    return PlannerState(stamp=Time(sec=int(STAMP)), instruction=[status])


class Looked(Page):
    """A page whose insides a test sees."""

    live: Live
    robot: FakeRobot

    @property
    def recorded_by(self) -> list[Any]:
        return self._server._websock_server._record_handles

    @property
    def recorder(self) -> Any:
        return self._recorder

    @property
    def recorded_s(self) -> float:
        return sum(recording.seconds for recording in self._recorder._running)

    @property
    def is_drawn(self) -> bool:
        """Whether the home is drawn as it is known last."""
        return self._home._graph is self.live.known.graph


@pytest.fixture
def page() -> Iterator[Looked]:
    live, robot = Live(), FakeRobot()
    page = Looked(robot, live, host=HOSTS[0], port=0)  # type: ignore[arg-type]
    page.live, page.robot = live, robot
    live.learn(graph=home(-1.5), planner=doing("goes to the table"), stamp=STAMP)
    yield page
    page.close()


def decoded(html: str) -> dict[str, Any]:
    """Return what a recording holds: durationSeconds, messages (seconds, message), and buffers."""
    packed = base64.b64decode(re.search(r'__VISER_EMBED_DATA__="([A-Za-z0-9+/=]*)"', html)[1])
    inner = zstandard.ZstdDecompressor().decompress(packed[8:], int.from_bytes(packed[:8], "little"))
    length = int.from_bytes(inner[:8], "little")
    held = msgspec.msgpack.decode(inner[8 : 8 + length])
    at, held["buffers"] = 8 + length, []
    for size in held["binaryBufferLengths"]:
        at += -at % 8
        held["buffers"].append(inner[at : at + size])
        at += size
    return held


def places(held: dict[str, Any]) -> list[tuple[float, float]]:
    """Return when the thing was where: (seconds, x)."""
    found = []
    for when, message in held["messages"]:
        if "/things/" in message.get("name", ""):
            positions = message.get("updates", message.get("props", {})).get("batched_positions")
            if positions is not None:
                data = held["buffers"][positions["__binary_index"]]
                found.append((when, float(np.frombuffer(data, np.float32)[0])))
    return found


def named(held: dict[str, Any]) -> list[tuple[float, dict[str, Any]]]:
    return [(when, message) for when, message in held["messages"] if "name" in message]


def captions(held: dict[str, Any]) -> list[str]:
    drawn = [message for _, message in named(held) if message["name"] == "/recorded/caption"]
    texts = [message.get("updates", message.get("props", {})).get("text", "") for message in drawn]
    return [text for text in texts if text]


@pytest.fixture
def record_a_movement(page: Looked, tmp_path: Path, eventually: Callable[..., bool]) -> Callable[..., Path]:
    """Record from -1.5 to 1.5 without a viewer."""

    def record(name: str = "recording.html") -> Path:
        file, stop = tmp_path / name, threading.Event()
        thread = threading.Thread(target=page.record_to, args=(file,), kwargs={"stop": stop})
        thread.start()
        assert eventually(lambda: page.is_drawn and page.recorded_s > 1.5)
        page.live.learn(graph=home(1.5), planner=doing("", ended=True, result=Result(code=Result.SUCCESS)))
        assert eventually(lambda: page.is_drawn)
        moved_at = page.recorded_s
        assert eventually(lambda: page.recorded_s > moved_at + 1.5)
        stop.set()
        thread.join()
        return file

    return record


def test_recording_without_a_viewer_holds_a_movement_and_what_was_done(
    page: Looked, record_a_movement: Callable[..., Path]
) -> None:
    html = record_a_movement().read_text()
    held = decoded(html)
    assert not page.robot.looking
    assert page.recorded_by == []
    (_, first), *_, (later, last) = places(held)
    assert (first, last) == (-1.5, 1.5)
    assert 1.0 < later < held["durationSeconds"] < 60.0
    said = captions(held)
    assert said[0].splitlines()[0] == "2025-06-15 15:06:40"
    assert "goes to the table" in said[0]
    assert said[-1].splitlines()[-1] == "SUCCESS"
    assert any(message["name"].startswith("/recorded/labels/") for _, message in named(held))
    assert any(message["type"] == "SetCameraPositionMessage" for _, message in held["messages"])
    assert any(m["type"] == "SetSceneNodeVisibilityMessage" and m["name"] == "/recorded" for _, m in held["messages"])


FRAMES = """() => new Promise(done => {
  let left = 4;
  const next = () => left-- ? requestAnimationFrame(next) : done();
  next();
})"""
"""Waits until a page has drawn what it knows now, however long it takes to draw."""


def seek(tab: Tab, seconds: float) -> np.ndarray[Any, Any]:
    """Go to a time of a recording that plays, and return what is seen when it moves no more."""
    shown = tab.locator("input").first
    while shown.input_value() != f"{seconds:.1f}":  # while it plays, the time is overwritten
        shown.fill(f"{seconds:.1f}")
        shown.press("Enter")
        tab.wait_for_timeout(200)
    tab.evaluate(FRAMES)
    before = scene(tab)
    while True:
        tab.evaluate(FRAMES)
        now = scene(tab)
        if not differing(before, now):
            return now
        before = now


def scene(tab: Tab) -> np.ndarray[Any, Any]:
    """Return the mean colours of patches of 8 x 8 pixels: browsers draw the same text a pixel higher or lower."""
    shot = tab.screenshot(style=ONLY_THE_SCENE, clip=tab.locator(SCENE).bounding_box())
    return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB").reduce(8), np.int16)


def differing(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> float:
    """Return what part of the patches is different, 0..1."""
    return float((np.abs(one - other).max(axis=2) > 32).mean())


@pytest.mark.slow
def test_saved_file_plays_from_the_disk_and_what_people_wrote_is_text(
    record_a_movement: Callable[..., Path], open_page: OpenPage, eventually: Callable[..., bool]
) -> None:
    file = record_a_movement()
    *_, (moved, _) = places(decoded(file.read_text()))
    tab = open_page(file.as_uri())
    tab.locator(SCENE).wait_for()
    assert eventually(lambda: covered(tab) > DRAWN)
    before, after = seek(tab, 0.5), seek(tab, moved + 0.5)
    screenshot(tab, "test_recording")
    assert differing(before, after) > DRAWN
    assert differing(before, seek(tab, 0.5)) < differing(before, after) / 2
    assert tab.title() != "run"
    assert tab.locator("img").count() == 0


@pytest.mark.slow
def test_viewer_saves_pictures_and_a_recording_and_another_one_does_not_disturb_it(
    page: Looked, open_large_page: OpenPage, eventually: Callable[..., bool], tmp_path: Path
) -> None:
    tab, other = (open_large_page(f"http://{HOSTS[0]}:{page.port}") for _ in range(2))
    for one in (tab, other):
        one.get_by_role("tab", name="Export").click()
    page.live.learn(
        camera=CameraView(np.full((48, 64, 3), (200, 30, 30), np.uint8), STAMP, 1.0, (0, 0, 1), (1, 0, 0, 0))
    )

    assert eventually(lambda: all(session._export._camera for session in page._sessions.values()))
    with tab.expect_download() as camera:
        tab.get_by_role("button", name="Save the camera's picture").click()
    kept = Image.open(camera.value.path())
    assert (kept.format, kept.size, kept.getpixel((5, 5))) == ("PNG", (64, 48), (200, 30, 30))

    with tab.expect_download() as view:
        tab.get_by_role("button", name="Save the 3D view").click()
    kept = Image.open(view.value.path())
    assert kept.format == "PNG"
    assert kept.width > kept.height > 500
    assert len(kept.getcolors(1_000_000)) > 10
    view.value.save_as(ROOT / "out" / "view" / "test_export_view.png")

    for one in (tab, other):
        one.get_by_role("button", name="Record", exact=True).click()
    assert eventually(lambda: len(page.recorded_by) == 2)
    other.get_by_role("button", name="Discard").click()
    assert eventually(lambda: len(page.recorded_by) == 1)
    page.live.learn(graph=home(1.5))
    tab.get_by_text("MB before compression").wait_for()
    screenshot(tab, "test_export")
    with tab.expect_download() as recording:
        tab.get_by_role("button", name="Save", exact=True).click()
    assert recording.value.suggested_filename.endswith("-recording.html")
    held = decoded(Path(recording.value.path()).read_text())
    assert [x for _, x in places(held)] == [-1.5, 1.5]
    assert page.recorded_by == []

    other.get_by_role("button", name="Record", exact=True).click()
    assert eventually(lambda: len(page.recorded_by) == 1)
    other.close()
    assert eventually(lambda: page.recorded_by == [] and not page.recorder._running)


def recorded(server: viser.ViserServer) -> list[Any]:
    return server._websock_server._record_handles


def names(html: str) -> set[str]:
    return {message.get("name", "") for _, message in decoded(html)["messages"]}


@pytest.fixture
def server() -> Iterator[viser.ViserServer]:
    server = viser.ViserServer(host=HOSTS[0], port=0, verbose=False)
    yield server
    server.stop()


def test_recordings_are_each_their_own_and_leave_nothing_behind(server: viser.ViserServer) -> None:
    recorder = Recorder(server)
    one = recorder.start()
    server.scene.add_frame("/a")
    other = recorder.start()
    server.scene.add_frame("/b")
    kept = one.save()
    assert len(recorded(server)) == 1
    server.scene.add_frame("/c")
    assert {"/a", "/b"} <= names(kept)
    assert "/c" not in names(kept)
    assert {"/a", "/b", "/c"} <= names(other.save())
    dropped = recorder.start()
    dropped.discard()
    dropped.discard()
    assert recorded(server) == []
    assert not recorder._running
    for ended in (one, dropped):
        with pytest.raises(RecordingError, match="begin another"):
            ended.save()
    last = recorder.start()
    assert "/recorded/caption" in names(last.save())


def test_viewers_do_not_see_what_is_for_recordings(server: viser.ViserServer) -> None:
    def shown() -> list[Any]:
        return [m for m in server._websock_server._broadcast_buffer.message_from_id.values() if "/recorded" in str(m)]

    recorder = Recorder(server)
    assert shown() == []
    recording = recorder.start()
    recorder.update(Known(stamp=STAMP))
    visible = {m.name: m.visible for m in shown() if type(m).__name__ == "SetSceneNodeVisibilityMessage"}
    assert visible["/recorded"] is False
    held = decoded(recording.save())["messages"]
    shown_there = [
        m["visible"] for _, m in held if m["type"] == "SetSceneNodeVisibilityMessage" and m["name"] == "/recorded"
    ]
    assert shown_there[-1] is True
    assert {type(m).__name__ for m in shown()} == {"RemoveSceneNodeMessage"}


def test_recording_ends_by_itself_when_it_is_long(server: viser.ViserServer, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr("karma_view.scene.recording.time", SimpleNamespace(monotonic=lambda: clock[0]))
    recorder = Recorder(server)
    recording = recorder.start(bounds=Bounds(seconds=0.2))
    clock[0] += 0.1
    recorder.update(Known())
    assert not recording.full
    clock[0] += 0.2
    recorder.update(Known())
    assert "0.2 seconds" in recording.full
    assert recorded(server) == []
    server.scene.add_frame("/late")
    kept = recording.save()
    assert "/late" not in names(kept)
    assert decoded(kept)["durationSeconds"] == pytest.approx(0.2)


def test_recording_ends_by_itself_when_it_is_large(server: viser.ViserServer) -> None:
    recorder = Recorder(server)
    recording = recorder.start(bounds=Bounds(size=1_000_000))
    for number in range(3):
        server.scene.add_point_cloud(
            "/points", np.full((40_000, 3), number, np.float32), (0, 0, 0), precision="float32"
        )
        recorder.update(Known())
    assert "1 MB" in recording.full
    assert 1_000_000 <= recording.size < 1_600_000
    assert recorded(server) == []
    recording.discard()


def test_no_more_recordings_than_memory_allows(server: viser.ViserServer) -> None:
    recorder = Recorder(server)
    running = [recorder.start() for _ in range(MOST)]
    with pytest.raises(RecordingError, match="save or discard"):
        recorder.start()
    running[0].discard()
    recorder.start()
    recorder.close()
    assert recorded(server) == []


def test_caption_is_bounded_and_printable() -> None:
    status = InstructionStatus(
        instruction="bring\x00\n\u202ethe " + "mug " * 10_000, user="Ana\n" * 100, step="x" * 10_000
    )
    lines = caption(Known(stamp=STAMP, planner=PlannerState(instruction=[status]))).split("\n")
    assert len(lines) == 5
    assert all(len(line) <= LINE and line.isprintable() for line in lines)
    assert caption(Known()) == ""


def test_what_cannot_be_recorded_leaves_no_file(page: Looked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karma_view.page.HOME_S", 0.5)
    there, file = tmp_path / "there.html", tmp_path / "new.html"
    there.write_text("kept")
    with pytest.raises(FileExistsError):
        page.record_to(there, stop=threading.Event())
    assert there.read_text() == "kept"
    page.live.learn(graph=SceneGraph(), trouble="no service answers: start the graph")
    with pytest.raises(RecordingError, match="start the graph"):
        page.record_to(file, stop=threading.Event())
    assert not file.exists()
    assert not page.robot.looking
