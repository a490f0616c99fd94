# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Frames of an event as an observation."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from sim_bridge.ai2thor.frames import Camera
from sim_bridge.ai2thor.things import Thing
from sim_bridge.backend import Located, Pose2D
from sim_bridge.simulation.senses import SensorNoise


def thing(name: str) -> Thing:
    category = name.partition("|")[0]
    return Thing((0, 0, 0), (1, 1, 1), name, category, True, False, False, True, False, {}, ())


@pytest.fixture
def event() -> SimpleNamespace:
    frame = np.zeros((2, 3, 3), np.uint8)
    frame[0, 0], frame[0, 1:], frame[1] = (1, 2, 3), (250, 0, 7), (9, 9, 9)
    return SimpleNamespace(
        frame=np.full((2, 3, 3), 128, np.uint8)[::-1],
        depth_frame=np.array([[1.0, np.inf, np.nan], [2.0, 19.0, 3.0]], np.float32),
        instance_segmentation_frame=frame,
        object_id_to_color={"Mug|1": (1, 2, 3), "Cup|2": (250, 0, 7), "Cup": (40, 40, 40), "Gone|3": (9, 9, 9)},
        metadata={"fov": 90.0},
    )


def observe(event: SimpleNamespace, **noise: float):
    camera = Camera(10.0, SensorNoise(**noise), seed=1)
    here = Located(Pose2D(0, 0, 0), np.eye(4))
    return camera.observe(event, here, {n: thing(n) for n in ("Mug|1", "Cup|2")}, stamp=1.5, held="Mug|1")


def test_instances_are_numbered_and_what_is_no_object_is_background(event: SimpleNamespace) -> None:
    seen = observe(event)
    assert {label.id for label in seen.labels.values()} == {"Mug|1", "Cup|2"}
    (mug,) = (value for value, label in seen.labels.items() if label.id == "Mug|1")
    (cup,) = set(seen.labels) - {mug}
    assert seen.instances.tolist() == [[mug, cup, cup], [0, 0, 0]]
    assert seen.instances.dtype == np.uint16


def test_depth_is_none_where_it_is_not_finite_or_too_far(event: SimpleNamespace) -> None:
    assert observe(event).depth.tolist() == [[1.0, 0.0, 0.0], [2.0, 0.0, 3.0]]


def test_an_overlooked_instance_is_neither_in_the_picture_nor_in_the_labels(event: SimpleNamespace) -> None:
    seen = observe(event, missed_instances=1.0)
    assert not seen.labels
    assert not seen.instances.any()


def test_an_event_without_frames_is_no_observation(event: SimpleNamespace) -> None:
    event.frame = None
    with pytest.raises(RuntimeError, match="publish_images"):
        observe(event)
