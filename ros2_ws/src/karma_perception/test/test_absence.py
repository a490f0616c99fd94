# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from karma_perception.frames.camera import Label
from karma_perception.objects.absence import Absence, Cupboards, absence
from karma_perception.objects.detection import Detections
from karma_perception.objects.mapped_object import MappedObject
from karma_perception.objects.visibility import Visibility
from karma_perception.objects.voxels import VoxelSet

MUG, TABLE = 1, 2
DETECTED = Detections(
    np.zeros((2, 2), np.uint16), {MUG: Label("Mug", movable=True), TABLE: Label("DiningTable")}, identified=False
)


def thing(category, center, size, *, movable=False, **states):
    center, half = np.array(center, float), np.array(size, float) / 2
    return MappedObject(
        id=f"{category}_1",
        category=category,
        movable=movable,
        voxels=VoxelSet(0.02, 10),
        low=center - half,
        high=center + half,
        last_seen=0.0,
        confidence=1.0,
        identified=False,
        states=states,
    )


KNOWN = thing("Mug", (1.0, 0.0, 0.8), (0.1, 0.1, 0.1), movable=True)


def view(*points):
    """A view of ten points for each of `points`: (in view, seen through, what it shows, metres beyond)."""
    rows = [p for p in points for _ in range(10)]
    return Visibility(
        in_view=np.array([p[0] for p in rows], bool),
        seen_through=np.array([p[1] for p in rows], bool),
        relabelled=np.zeros(len(rows), bool),
        shows=np.array([p[2] for p in rows], np.int32),
        beyond=np.array([p[3] for p in rows], float),
    )


THROUGH = (True, True, -1, 0.5)
BEHIND = (True, False, TABLE, 0.03)
BEFORE = (False, False, TABLE, -0.03)
FAR_BEFORE = (False, False, -1, -0.4)
OWN = (True, False, MUG, 0.0)


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ((THROUGH, THROUGH, OWN), Absence(True, True)),
        ((OWN, OWN, OWN), None),
        ((BEHIND, BEHIND, OWN), None),
        ((BEHIND, BEHIND, BEHIND), Absence(False, True)),
        ((BEHIND, BEHIND, BEHIND, OWN), Absence(False, True)),
        ((BEFORE, BEFORE, BEFORE), None),
        ((FAR_BEFORE, FAR_BEFORE, FAR_BEFORE), None),
        ((BEHIND, BEHIND, FAR_BEFORE), Absence(False, True)),
        ((BEHIND, FAR_BEFORE, FAR_BEFORE), None),
        ((BEHIND, BEHIND, BEFORE), Absence(False, False)),
        ((BEHIND, BEHIND, BEFORE, FAR_BEFORE, FAR_BEFORE), None),
    ],
)
def test_what_is_seen_in_its_place_says_whether_a_thing_is_there(points, expected):
    assert absence(KNOWN, view(*points), DETECTED) == expected


def test_where_nobody_says_whether_a_cupboard_is_shut_it_hides_what_nothing_is_seen_behind():
    cupboards = Cupboards([thing("Cabinet", (1.0, 0.0, 0.8), (0.5, 0.5, 0.5))])
    assert cupboards.contents([KNOWN]) == {"Mug_1"}
    assert cupboards.hide(KNOWN, Absence(seen_through=False, behind=False))
    assert not cupboards.hide(KNOWN, Absence(seen_through=False, behind=True))
    assert not cupboards.hide(KNOWN, Absence(seen_through=True, behind=True))


def test_what_is_known_to_be_shut_hides_what_is_in_it_whatever_is_seen():
    shut = thing("Fridge", (1.0, 0.0, 0.8), (0.5, 0.5, 0.5), isOpen="false")
    opened = thing("Fridge", (1.0, 0.0, 0.8), (0.5, 0.5, 0.5), isOpen="true")
    assert Cupboards([shut]).hide(KNOWN, Absence(seen_through=True, behind=True))
    assert not Cupboards([opened]).hide(KNOWN, Absence(seen_through=False, behind=False))
    assert not Cupboards([opened]).contents([KNOWN])


def test_nothing_hides_itself():
    for box in (thing("Box", (1.0, 0.0, 0.8), (0.1, 0.1, 0.1), movable=True, **s) for s in ({}, {"isOpen": "false"})):
        assert not Cupboards([box]).contents([box])
        assert not Cupboards([box]).hide(box, Absence(seen_through=False, behind=False))


def test_what_is_no_container_hides_nothing_though_it_can_be_shut():
    book = thing("Book", (1.0, 0.0, 0.8), (0.5, 0.5, 0.5), movable=True, isOpen="false")
    assert not Cupboards([book]).hide(KNOWN, Absence(seen_through=True, behind=True))


def test_a_cupboard_beside_it_hides_nothing():
    for cupboards in (Cupboards([thing("Cabinet", (2.0, 0.0, 0.8), (0.5, 0.5, 0.5))]), Cupboards([])):
        assert not cupboards.contents([KNOWN])
        assert not cupboards.contents([])
        assert not cupboards.hide(KNOWN, Absence(seen_through=False, behind=False))
