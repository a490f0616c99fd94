# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from dataclasses import replace

import numpy as np
import pytest
from boxes import known

from karma_perception.objects.mapped_object import MappedObject
from karma_perception.objects.relations import place_objects
from karma_perception.objects.supports import SupportHeights
from karma_perception.objects.voxels import VoxelSet


def heights(*objects, book=None):
    by_id = {o.id: o for o in objects}
    return (book or SupportHeights()).of(by_id, place_objects(by_id))


def sheet(x, y, z):
    """Return points, 2 cm apart, of ranges of two axes at one value of the third."""
    axes = [np.arange(*a, 0.02) if isinstance(a, tuple) else np.array([a]) for a in (x, y, z)]
    return np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 3)


def furniture(name, *sheets):
    points = np.concatenate(sheets)
    voxels = VoxelSet(0.02, 20000)
    voxels.insert(points)
    return MappedObject(name, name.split("|")[0], False, voxels, points.min(0), points.max(0), 0.0, 1.0, True)


SHELVES = furniture(
    "ShelvingUnit|1",
    sheet(0.0, (0.0, 1.0), (0.0, 1.6)),  # the back
    *(sheet((0.0, 0.35), (0.0, 1.0), z) for z in (0.3, 0.9, 1.6)),
)
TABLE = furniture("DiningTable|1", sheet((0.0, 1.0), (0.0, 1.0), 0.8), sheet(0.0, (0.0, 1.0), (0.75, 0.8)))


def test_a_table_has_one_surface_and_shelves_have_as_many_as_there_are():
    assert heights(TABLE)["DiningTable|1"] == pytest.approx((0.8,), abs=0.01)
    assert heights(SHELVES)["ShelvingUnit|1"] == pytest.approx((0.3, 0.9, 1.6), abs=0.01)


def test_the_mattress_holds_things_and_the_headboard_does_not():
    bed = furniture("Bed|1", sheet((0.0, 2.0), (0.0, 1.4), 0.55), sheet(2.0, (0.0, 1.4), (0.0, 1.1)))
    assert heights(bed)["Bed|1"] == pytest.approx((0.55,), abs=0.01)


def test_an_upright_face_is_no_surface():
    wardrobe = furniture("Dresser|1", sheet(0.0, (0.0, 1.0), (0.0, 2.0)), sheet((0.0, 0.5), 0.0, (0.0, 2.0)))
    assert heights(wardrobe)["Dresser|1"] == ()


def test_a_surface_that_was_never_seen_is_told_by_what_rests_there():
    fridge = furniture("Fridge|1", sheet(0.0, (0.0, 0.8), (0.0, 1.8)), sheet((0.0, 0.8), (0.0, 0.8), 1.8))
    egg = known("Egg|1", (0.4, 0.4, 1.0), (0.5, 0.5, 1.1))
    assert heights(fridge, egg)["Fridge|1"] == pytest.approx((1.0, 1.8), abs=0.02)
    assert heights(fridge, egg)["Egg|1"] == ()


def test_what_can_be_carried_holds_where_something_is_seen_to_rest():
    tray = known("Plate|1", (0.2, 0.2, 0.8), (0.7, 0.7, 0.82))
    mug = known("Mug|1", (0.4, 0.4, 0.82), (0.5, 0.5, 0.9))
    found = heights(TABLE, tray, mug)
    assert found["Plate|1"] == pytest.approx((0.82,))
    assert found["Mug|1"] == ()


def test_surfaces_are_looked_for_again_once_the_furniture_was_seen_again():
    book = SupportHeights()
    assert heights(TABLE, book=book)["DiningTable|1"] == pytest.approx((0.8,), abs=0.01)
    lowered = replace(TABLE, voxels=SHELVES.voxels)
    assert len(heights(lowered, book=book)["DiningTable|1"]) == 1
    assert len(heights(replace(lowered, last_seen=1.0), book=book)["DiningTable|1"]) > 1
