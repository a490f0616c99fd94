# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The peer does what it says: it joins what overlaps, and keeps apart what does not."""

import numpy as np
import pytest

from karma_eval.perception.plain_mapper import PlainMapper
from karma_perception.frames.camera import Frame, Intrinsics, Label
from karma_perception.objects.detection import InstanceImageDetector
from karma_perception.objects.point_clouds import Open3DError, open3d


@pytest.fixture
def mapper() -> PlainMapper:
    try:
        open3d()
    except Open3DError as error:
        pytest.skip(str(error))
    return PlainMapper(InstanceImageDetector())


def frame(stamp: float, *columns: int, category: str = "Mug") -> Frame:
    """A camera at the origin that looks along z at a wall 2 m away with squares of 0.4 m from these columns on."""
    instances = np.zeros((240, 320), np.uint16)
    for value, column in enumerate(columns, start=1):
        instances[100:132, column : column + 32] = value
    return Frame(
        stamp=stamp,
        scene="wall",
        depth=np.full((240, 320), 2.0, np.float32),
        intrinsics=Intrinsics(320, 240, 160.0, 160.0, 160.0, 120.0),
        camera_pose=np.eye(4),
        instances=instances,
        labels={v: Label(category, movable=True) for v in range(1, len(columns) + 1)},
    )


def test_views_that_overlap_are_one_object_and_others_are_not(mapper: PlainMapper) -> None:
    for stamp, columns in ((1.0, (40, 200)), (2.0, (44, 200))):
        mapper.update(frame(stamp, *columns))
    nodes = sorted(mapper.graph().nodes.values(), key=lambda n: n.center[0])
    assert [n.category for n in nodes] == ["Mug", "Mug"]
    # Columns 40 to 75 and 200 to 231, of 160 pixels to the metre at 1 m, so of 1.25 cm at 2 m.
    assert nodes[0].center[0] == pytest.approx((57.5 - 160) / 80, abs=0.02)
    assert nodes[1].center[0] == pytest.approx((215.5 - 160) / 80, abs=0.02)


def test_what_was_seen_once_does_not_count_and_another_class_is_another_thing(mapper: PlainMapper) -> None:
    mapper.update(frame(1.0, 40))
    assert not mapper.graph().nodes
    mapper.update(frame(2.0, 40, category="Cup"))
    assert not mapper.graph().nodes
    mapper.update(frame(3.0, 40))
    assert [n.category for n in mapper.graph().nodes.values()] == ["Mug"]
