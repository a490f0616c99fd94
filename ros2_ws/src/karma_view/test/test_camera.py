# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math
from types import SimpleNamespace as Message
from typing import Any

import numpy as np
import pytest

from karma_perception.frames.camera import FrameError, Label
from karma_view.known import CameraView
from karma_view.ros import camera
from karma_view.ros.camera import CameraWatch, named

HEIGHT, WIDTH = 120, 160


def image(kind: str, stamp: int, encoding: str = "rgb8") -> Message:
    pixels = np.zeros(
        (HEIGHT, WIDTH, 3) if kind == "color" else (HEIGHT, WIDTH), np.uint8 if kind == "color" else "<u2"
    )
    if kind == "instances":
        pixels[40:80, 50:90] = 7
    return Message(
        header=Message(stamp=Message(sec=stamp, nanosec=0), frame_id="camera"),
        encoding=encoding if kind == "color" else "16UC1",
        height=HEIGHT,
        width=WIDTH,
        step=pixels.nbytes // HEIGHT,
        is_bigendian=False,
        data=pixels.tobytes(),
    )


def labels(stamp: int) -> Message:
    mug = Message(value=7, id="", category="Mug", score=1.0, movable=True, states=[])
    return Message(header=Message(stamp=Message(sec=stamp, nanosec=0)), labels=[mug])


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[CameraView]:
    monkeypatch.setattr(camera, "PERIOD_S", 0.0)
    return []


def test_a_picture_is_made_of_the_messages_of_one_stamp(shown: list[CameraView]) -> None:
    watch = CameraWatch(shown.append)
    watch.take("instances", image("instances", 1))
    watch.take("color", image("color", 1))
    watch.take("labels", labels(2))
    assert shown == []
    watch.take("labels", labels(1))
    assert [view.stamp for view in shown] == [1.0]
    assert shown[0].image[40, 60].any(), "the mug's box is drawn"
    assert not shown[0].image[100, 100].any()


def test_a_camera_without_instances_shows_the_plain_picture(shown: list[CameraView]) -> None:
    watch = CameraWatch(shown.append)
    for stamp in range(1, 4 + camera.MOST_PENDING):
        watch.take("color", image("color", stamp))
    assert [view.stamp for view in shown] == [1.0, 2.0, 3.0]
    assert not shown[0].image.any()
    assert shown[0].position is None


def test_field_of_view_and_pose_are_the_camera_s(shown: list[CameraView]) -> None:
    watch = CameraWatch(shown.append)
    watch.take("info", Message(width=WIDTH, height=HEIGHT, k=[60.0, 0, 80.0, 0, 60.0, 60.0, 0, 0, 1]))
    pose = Message(position=Message(x=1.0, y=2.0, z=3.0), orientation=Message(x=0.0, y=0.0, z=0.6, w=0.8))
    watch.take("pose", Message(pose=pose))
    for kind, message in (("color", image("color", 1)), ("instances", image("instances", 1)), ("labels", labels(1))):
        watch.take(kind, message)
    assert shown[0].fov == pytest.approx(math.pi / 2)
    assert (shown[0].position, shown[0].wxyz) == ((1.0, 2.0, 3.0), (0.8, 0.0, 0.0, 0.6))


def test_pictures_are_no_more_often_than_people_see(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[CameraView] = []
    watch = CameraWatch(shown.append)
    monkeypatch.setattr(camera, "PERIOD_S", 1000.0)
    for stamp in range(1, 20):
        watch.take("color", image("color", stamp))
    assert len(shown) == 1


def test_what_is_no_picture_is_not_shown(shown: list[CameraView], caplog: pytest.LogCaptureFixture) -> None:
    watch = CameraWatch(shown.append)
    for stamp in range(1, 3 + camera.MOST_PENDING):
        watch.take("color", image("color", stamp, encoding="<script>"))
    assert shown == []
    assert "no picture" in caplog.text


def draw(*values: tuple[int, tuple[slice, slice], str, bool]) -> tuple[Any, list[tuple[int, ...]]]:
    instances, known = np.zeros((HEIGHT, WIDTH), np.uint16), {}
    for value, place, category, movable in values:
        instances[place] = value
        known[value] = Label(category, "", 1.0, movable, {})
    picture = named(np.zeros((HEIGHT, WIDTH, 3), np.uint8), instances, known)
    return picture, [tuple(color) for color in np.unique(picture.reshape(-1, 3), axis=0)]


def test_what_is_hardly_seen_has_no_name() -> None:
    assert not draw((1, np.s_[0:5, 0:5], "Mug", True))[0].any()


def test_furniture_has_a_name_and_no_box() -> None:
    picture, _ = draw((1, np.s_[40:100, 40:100], "Fridge", False))
    assert picture.any()
    assert not picture[99, 40:100].any()
    assert draw((1, np.s_[40:100, 40:100], "Mug", True))[0][99, 40:100].any()


def test_a_thing_is_named_before_the_furniture_that_it_is_on() -> None:
    both, _ = draw((1, np.s_[40:119, 10:150], "Fridge", False), (2, np.s_[42:100, 12:100], "Mug", True))
    alone, _ = draw((2, np.s_[42:100, 12:100], "Mug", True))
    assert (both == alone).all(), "the fridge's name would be over the mug's"


def test_sizes_must_fit() -> None:
    with pytest.raises(FrameError, match="pixels"):
        named(np.zeros((4, 4, 3), np.uint8), np.zeros((4, 5), np.uint16), {})
