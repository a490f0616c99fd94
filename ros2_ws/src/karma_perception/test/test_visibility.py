# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
from raycast import pose, room, shoot, thing

from karma_perception.objects.visibility import FrameVisibility

NONE = np.array([-1], dtype=np.intp)


def look(world, point, yaw=0.0, label=NONE):
    frame = shoot(world, pose(1, 1.5, yaw, pitch_deg=10))
    return FrameVisibility(frame, frame.instances).test(np.array([point]), label, np.array([0.05]))


def test_a_point_in_the_air_before_a_wall_is_seen_through():
    view = look(room(0, 0, 4, 3), (3.0, 1.5, 0.9))
    assert view.in_view.all()
    assert view.seen_through.all()


def test_a_point_on_a_surface_is_in_view_and_not_seen_through():
    view = look(room(0, 0, 4, 3), (4.0, 1.5, 0.9))
    assert view.in_view.all()
    assert not view.seen_through.any()


def test_a_point_behind_furniture_is_hidden():
    world = [*room(0, 0, 4, 3), thing("Fridge", (2.5, 1.5, 0.9), (0.6, 0.9, 1.8))]
    assert not look(world, (3.5, 1.5, 0.9)).in_view.any()


def test_a_point_behind_the_camera_or_beside_the_view_is_not_in_view():
    assert not look(room(0, 0, 4, 3), (0.2, 1.5, 0.9)).in_view.any()
    assert not look(room(0, 0, 4, 3), (3.0, 1.5, 0.9), yaw=180).in_view.any()


def test_a_point_keeps_its_label_when_a_pixel_around_it_has_it():
    mug = thing("Mug", (2.0, 1.5, 0.9), (0.2, 0.2, 0.2), movable=True)
    world = [*room(0, 0, 4, 3), mug]
    own = np.array([len(world)], dtype=np.intp)
    assert not look(world, (1.9, 1.5, 0.9), label=own).relabelled.any()
    assert look(world, (1.9, 1.5, 0.9)).relabelled.all()


def test_only_spheres_that_touch_the_field_of_view_may_be_seen():
    frame = shoot(room(0, 0, 4, 3), pose(1, 1.5, 0, pitch_deg=0))
    centers = np.array([[3.0, 1.5, 1.1], [-3.0, 1.5, 1.1], [1.0, 20.0, 1.1]])
    found = FrameVisibility(frame, frame.instances).may_see(centers, np.full(3, 0.2))
    np.testing.assert_array_equal(found, [True, False, False])
