# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest

from karma_perception.objects.mapped_object import MappedObject
from karma_perception.objects.oriented_boxes import OrientedBoxes, upright_turn
from karma_perception.objects.voxels import VoxelSet

TRIM = 0.005


def seen(size, yaw, camera, *, center=(2.0, 1.0, 0.5), noise=0.003, seed=1):
    """Return points on the sides of an upright box that a camera at (x, y, z) sees, thinned to voxels of 2 cm."""
    chance = np.random.default_rng(seed)
    c, s = math.cos(yaw), math.sin(yaw)
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    parts = []
    for axis in range(3):
        for sign in (-1, 1):
            normal = sign * turn[:, axis]
            middle = np.array(center) + normal * size[axis] / 2
            if normal @ (np.array(camera) - middle) <= 0.1 or (axis == 2 and sign < 0):
                continue
            others = [a for a in range(3) if a != axis]
            count = int(size[others[0]] * size[others[1]] / 2e-4)
            spread = chance.uniform(-0.5, 0.5, (count, 2)) * [size[a] for a in others]
            parts.append(middle + spread @ turn[:, others].T + chance.normal(0, noise, (count, 1)) * normal)
    voxels = VoxelSet(0.02, 1500)
    voxels.insert(np.concatenate(parts))
    return voxels


def thing(voxels, name="Sofa_1"):
    low, high = voxels.bounds(TRIM)
    return MappedObject(name, "Sofa", False, voxels, low, high, 0.0, 1.0, False)


def off(found, true):
    """Return the angle between two turns; a box looks the same after a quarter turn."""
    return abs((found - true + math.pi / 4) % (math.pi / 2) - math.pi / 4)


@pytest.mark.parametrize("size", [(1.5, 0.5, 2.0), (1.9, 0.9, 0.5), (0.7, 0.5, 0.8)])
@pytest.mark.parametrize("degrees", [20, 33, 45, 60, 70])
def test_a_turned_box_has_its_turn_and_extents_from_any_side(size, degrees):
    judged = 0
    for bearing in np.arange(0.0, 2 * math.pi, 0.7):
        camera = (2.0 + 3.0 * math.cos(bearing), 1.0 + 3.0 * math.sin(bearing), 1.1)
        o = thing(seen(size, math.radians(degrees), camera, center=(2.0, 1.0, size[2] / 2)))
        (box,) = OrientedBoxes(TRIM).of({o.id: o}).values()
        assert -math.pi / 4 <= box.yaw <= math.pi / 4
        if sides(camera, degrees) == 2:
            judged += 1
            assert off(box.yaw, math.radians(degrees)) < math.radians(6)
            assert sorted(box.size[:2]) == pytest.approx(sorted(size[:2]), abs=0.1)
            assert box.center == pytest.approx([2.0, 1.0, size[2] / 2], abs=0.06)
    assert judged >= 3


def sides(camera, degrees):
    """Return how many sides are well in view: of a single one, what is behind is not known."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    x, y = camera[0] - 2.0, camera[1] - 1.0
    return (abs(c * x + s * y) > 1.5) + (abs(-s * x + c * y) > 1.5)


@pytest.mark.parametrize("bearing", range(0, 360, 40))
@pytest.mark.parametrize("size", [(1.6, 0.8, 0.8), (0.6, 0.6, 1.8), (0.1, 0.1, 0.12)])
def test_what_stands_along_the_axes_keeps_the_box_it_had(size, bearing):
    angle = math.radians(bearing)
    o = thing(seen(size, 0.0, (2.0 + 3 * math.cos(angle), 1.0 + 3 * math.sin(angle), 1.3), center=(2, 1, size[2] / 2)))
    (box,) = OrientedBoxes(TRIM).of({o.id: o}).values()
    assert box.yaw == 0.0
    assert np.array_equal(box.center, o.center)
    assert np.array_equal(box.size, o.size)


def test_round_things_and_few_points_have_no_turn():
    angles = np.random.default_rng(1).uniform(0, 2 * math.pi, 900)
    drum = np.stack([0.4 * np.cos(angles), 0.4 * np.sin(angles), np.linspace(0, 1, 900)], axis=1)
    assert upright_turn(drum, TRIM) == 0.0
    turned = seen((1.0, 0.5, 0.8), 0.5, (5.0, 1.0, 1.1)).points
    assert upright_turn(turned, TRIM) == pytest.approx(0.5, abs=0.05)
    assert upright_turn(turned[:40], TRIM) == 0.0


def test_a_turn_is_determined_anew_only_when_the_object_has_changed(monkeypatch):
    asked = []
    real = upright_turn
    monkeypatch.setattr(
        "karma_perception.objects.oriented_boxes.upright_turn",
        lambda *a, **k: asked.append(k["turned"]) or real(*a, **k),
    )
    o = thing(seen((1.0, 0.5, 0.8), 0.5, (5.0, 1.0, 1.1)))
    boxes = OrientedBoxes(TRIM)
    first = boxes.of({o.id: o})[o.id]
    o.voxels.insert(o.voxels.points[:10] + 0.001)
    assert boxes.of({o.id: o})[o.id].yaw == first.yaw
    assert asked == [False]
    o.voxels.insert(o.voxels.points + np.array([0.0, 0.0, 0.3]))
    o.low, o.high = o.voxels.bounds(TRIM)
    boxes.of({o.id: o})
    assert asked == [False, True]


def test_what_is_held_is_not_turned():
    o = thing(seen((1.0, 0.5, 0.8), 0.5, (5.0, 1.0, 1.1)))
    o.held = True
    assert OrientedBoxes(TRIM).of({o.id: o})[o.id].yaw == 0.0
