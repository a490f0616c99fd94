# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Masks from boxes, judged by what a ray caster knows."""

import numpy as np
import pytest
from raycast import pose, room, shoot, thing

from karma_perception.detectors.foreground import foreground

ROOM = room(0, 0, 5, 3)


def masks(world, camera, name, noise=0.0):
    """Return depth, box and the true mask in it of a thing."""
    frame = shoot(world, camera)
    (value,) = [v for v, label in frame.labels.items() if label.id == name]
    rows, columns = np.nonzero(frame.instances == value)
    box = (int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1)
    depth = frame.depth
    if noise:
        depth = depth + (noise * np.random.default_rng(3).normal(size=depth.shape) * depth**2).astype(np.float32)
    return depth, box, (frame.instances == value)[box[1] : box[3], box[0] : box[2]]


def overlap(a, b):
    return np.count_nonzero(a & b) / np.count_nonzero(a | b)


@pytest.mark.parametrize("noise", [0.0, 0.0015])
def test_thing_on_a_table_is_told_from_the_table_and_the_wall(noise):
    table, mug = (
        thing("DiningTable", (3.0, 1.5, 0.4), (1.0, 1.4, 0.8)),
        thing("Mug", (2.8, 1.4, 0.86), (0.1, 0.1, 0.12)),
    )
    depth, box, true = masks([*ROOM, table, mug], pose(1.5, 1.5, 0), mug.id, noise)
    left, top, right, bottom = box
    box = (left - 4, top - 4, right + 4, bottom + 4)  # detectors are not exact
    assert overlap(foreground(depth, box), np.pad(true, 4)) > 0.75


def test_what_is_seen_through_a_thing_is_not_the_thing():
    legs = [thing("Chair", (2.5, y, 0.35), (0.06, 0.06, 0.7), name="chair") for y in (1.2, 1.5, 1.8)]
    bar = thing("Chair", (2.5, 1.5, 0.73), (0.06, 0.7, 0.06), name="chair")
    frame = shoot([*ROOM, *legs, bar], pose(0.8, 1.5, 0, pitch_deg=20))
    true = np.isin(frame.instances, [v for v, label in frame.labels.items() if label.id == "chair"])
    rows, columns = np.nonzero(true)
    box = (int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1)
    true = true[box[1] : box[3], box[0] : box[2]]
    assert true.mean() < 0.5, "most of the box shows the background"
    assert overlap(foreground(frame.depth, box), true) > 0.8


def test_picture_flat_on_a_wall_keeps_its_pixels():
    painting = thing("Painting", (4.995, 1.5, 1.3), (0.01, 0.8, 0.5))
    depth, box, true = masks([*ROOM, painting], pose(2.5, 1.5, 0, pitch_deg=0), painting.id)
    assert overlap(foreground(depth, box), true) > 0.9


def test_something_small_before_a_thing_is_not_the_thing():
    sofa = thing("Sofa", (4.0, 1.5, 0.4), (0.8, 2.0, 0.8))
    vase = thing("Vase", (2.2, 1.9, 0.9), (0.1, 0.1, 0.3))
    depth, box, true = masks([*ROOM, sofa, vase], pose(1.0, 1.5, 0), sofa.id)
    mask = foreground(depth, box)
    assert np.count_nonzero(mask & ~true) < 0.05 * np.count_nonzero(mask)
    assert overlap(mask, true) > 0.8


def test_without_depth_there_is_no_mask():
    depth = np.zeros((240, 320), np.float32)
    depth[:100] = np.nan
    assert not foreground(depth, (10, 10, 100, 200)).any()


def test_box_of_a_pixel_and_box_of_the_whole_image_are_boxes():
    depth = np.full((240, 320), 2.0, np.float32)
    assert foreground(depth, (5, 5, 6, 6)).shape == (1, 1)
    assert foreground(depth, (0, 0, 320, 240)).mean() > 0.99


@pytest.mark.filterwarnings("error")
def test_garbage_in_depth_is_no_part_of_a_mask():
    random = np.random.default_rng(0)
    for garbage in (np.nan, np.inf, -np.inf, 0.0, -1.0, 1e-38, 3e38):
        for share in (0.05, 0.5, 0.99):
            depth = random.uniform(0.3, 8.0, (60, 80)).astype(np.float32)
            depth[random.random(depth.shape) < share] = garbage
            mask = foreground(depth, (10, 5, 70, 50))
            shown = depth[5:50, 10:70][mask]
            assert np.all(np.isfinite(shown))
            assert np.all(shown > 0)
