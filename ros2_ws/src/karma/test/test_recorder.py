# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the demonstration's recorder makes of camera messages, whatever their order."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("rclpy")

from builtin_interfaces.msg import Time
from sensor_msgs.msg import Image
from std_msgs.msg import Header

from karma.demo.recorder import Recorder
from karma_interfaces.msg import InstanceLabel, InstanceLabels

TOPICS = ("camera/color/image_raw", "camera/instances", "camera/instance_labels")


def message(topic: str, second: int) -> Any:
    """A view of one movable thing, one pixel for each second of its stamp."""
    header = Header(stamp=Time(sec=second))
    if topic == "camera/color/image_raw":
        return Image(header=header, width=8, height=1, data=bytes(24))
    if topic == "camera/instances":
        return Image(header=header, width=8, height=1, data=bytes([1, 0] * second + [0, 0] * (8 - second)))
    return InstanceLabels(header=header, labels=[InstanceLabel(value=1, category="Apple", movable=True)])


@pytest.fixture
def recorder() -> Recorder:
    return Recorder(SimpleNamespace(node=SimpleNamespace(create_subscription=lambda *_: None)))


@pytest.mark.parametrize("mixed", [False, True])
def test_messages_of_one_stamp_are_a_view_though_those_of_two_come_mixed(recorder: Recorder, mixed: bool) -> None:
    order = [(topic, second) for second in (1, 2) for topic in TOPICS]
    for topic, second in sorted(order, key=lambda item: item[0]) if mixed else order:
        recorder._collect(topic, message(topic, second))
    assert recorder.frame is not None
    assert recorder.frame.categories == {1: "Apple"}
    assert not recorder._pending


def test_views_that_are_never_complete_are_given_up(recorder: Recorder) -> None:
    for second in range(1, 8):
        recorder._collect(TOPICS[0], message(TOPICS[0], second))
    assert len(recorder._pending) == 4
    assert recorder.frame is None
