# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Watches a running graph for the pictures: the best camera frame, and short-term memory once a second."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import Image

from karma.demo.pictures import CameraFrame, MemorySample
from karma_interfaces.msg import InstanceLabels
from karma_interfaces.srv import Recall
from karma_ros.client import GraphClient, GraphError

SAMPLE_PERIOD_S = 1.0
MOST_UNITS = 100
MOST_PENDING = 4
"""Views whose messages have not all come: on a busy machine those of two views come mixed."""


class Recorder:
    """Collects while it is open; what it collected is read afterwards."""

    def __init__(self, client: GraphClient) -> None:
        self.samples: list[MemorySample] = []
        self.frame: CameraFrame | None = None
        self._client = client
        self._start = time.monotonic()
        self._pending: dict[tuple[int, int], dict[str, Any]] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._sample, name="short_term_sampler", daemon=True)
        # Best effort: a frame more or less changes no picture, and the recorder must not slow the camera down.
        qos = QoSProfile(depth=2, reliability=ReliabilityPolicy.BEST_EFFORT)
        for topic, message_type in (
            ("camera/color/image_raw", Image),
            ("camera/instances", Image),
            ("camera/instance_labels", InstanceLabels),
        ):
            client.node.create_subscription(message_type, topic, lambda m, t=topic: self._collect(t, m), qos)

    def __enter__(self) -> Recorder:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(timeout=5.0)

    @property
    def now(self) -> float:
        """Seconds since the recorder was made."""
        return time.monotonic() - self._start

    def _collect(self, topic: str, message: Any) -> None:
        stamp = (message.header.stamp.sec, message.header.stamp.nanosec)
        view = self._pending.setdefault(stamp, {})
        view[topic] = message
        if len(self._pending) > MOST_PENDING:
            del self._pending[next(iter(self._pending))]
        if len(view) < 3:
            return
        self._pending.pop(stamp, None)
        color, instances = view["camera/color/image_raw"], view["camera/instances"]
        labels = view["camera/instance_labels"]
        frame = CameraFrame(
            rgb=np.frombuffer(color.data, np.uint8).reshape(color.height, color.width, 3),
            instances=np.frombuffer(instances.data, np.uint16).reshape(instances.height, instances.width),
            categories={label.value: label.category for label in labels.labels if label.movable},
        )
        if self.frame is None or frame.interest > self.frame.interest:
            self.frame = frame

    def _sample(self) -> None:
        request = Recall.Request(kinds=["short_term"], limit=MOST_UNITS)
        while not self._stop.wait(SAMPLE_PERIOD_S):
            try:
                response = self._client.call(Recall, "memory/recall", request, timeout=5.0)
            except GraphError:
                continue  # The server is down or restarting: a gap in the picture says so.
            units = tuple(recollection.object[0].id for recollection in response.recollections if recollection.object)
            self.samples.append(MemorySample(time=self.now, units=units))
