# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import dataclasses

import numpy as np
import pytest
from raycast import pose, room, shoot, thing

from karma_perception.frames.camera import FrameError
from karma_perception.objects.detection import InstanceImageDetector

WORLD = [*room(0, 0, 4, 3), thing("Mug", (3, 1.5, 0.5), (0.1, 0.1, 0.1), movable=True)]


def test_the_instance_image_is_taken_as_it_is():
    frame = shoot(WORLD, pose(2, 1.5, 0))
    found = InstanceImageDetector().detect(frame)
    np.testing.assert_array_equal(found.mask, frame.instances)
    assert [label.category for label in found.instances.values()] == ["Mug"]
    assert found.identified


def test_a_frame_without_an_instance_image_is_refused_with_advice():
    frame = dataclasses.replace(shoot(WORLD, pose(2, 1.5, 0)), instances=None)
    with pytest.raises(FrameError, match="publish one"):
        InstanceImageDetector().detect(frame)
