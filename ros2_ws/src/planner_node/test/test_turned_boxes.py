# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import math

import pytest

pytest.importorskip("karma_interfaces.msg", reason="karma_interfaces is not built here")

from geometry_msgs.msg import Pose, Quaternion, Vector3

from karma_interfaces.msg import SceneNode
from planner_node.conversions import node_from


@pytest.mark.parametrize(
    ("yaw", "extents"), [(0.0, (2.0, 1.0, 0.8)), (math.pi / 2, (1.0, 2.0, 0.8)), (-math.pi / 4, (2.1213, 2.1213, 0.8))]
)
def test_the_planner_knows_the_extents_of_a_turned_box_along_the_axes(yaw, extents):
    pose = Pose(orientation=Quaternion(z=math.sin(yaw / 2), w=math.cos(yaw / 2)))
    message = SceneNode(id="Sofa_1", layer=SceneNode.OBJECT, pose=pose, size=Vector3(x=2.0, y=1.0, z=0.8))
    assert node_from(message).size == pytest.approx(extents, abs=1e-3)
