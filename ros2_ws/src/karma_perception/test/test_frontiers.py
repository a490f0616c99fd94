# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from raycast import EYE, pose, room, shoot, thing

from karma_perception.frames.camera import Intrinsics
from karma_perception.objects.detection import InstanceImageDetector
from karma_perception.objects.instances import ExtractionOptions, observe_objects
from karma_perception.places.frontiers import driving_distances, find_borders
from karma_perception.places.places import PlaceMap

SMALL = Intrinsics(160, 120, 80.0, 80.0, 79.5, 59.5)
HOME = [
    *room(0, 0, 4, 3, door="east"),
    *[s for s in room(4.1, 0, 8, 3) if not (s.low[0] < 4.05 and s.high[2] > 0.1 and s.high[0] < 4.2)],
    thing("Sofa", (6.5, 0.5, 0.4), (1.8, 0.8, 0.8)),
]


def look_around(places, world, x, y, *, eye=EYE):
    for yaw in range(0, 360, 60):
        frame = shoot(world, pose(x, y, yaw, eye=eye), intrinsics=SMALL)
        seen = observe_objects(frame, InstanceImageDetector().detect(frame), ExtractionOptions())
        places.integrate(frame, seen.points, seen.structure)
    places.refresh()


def drive(places, world, here, there):
    """Take pictures on the way, so that the path is known."""
    steps = math.ceil(math.dist(here, there) / 0.6)
    for k in range(1, steps):
        x, y = (a + (b - a) * k / steps for a, b in zip(here, there, strict=True))
        frame = shoot(world, pose(x, y, 0), intrinsics=SMALL)
        seen = observe_objects(frame, InstanceImageDetector().detect(frame), ExtractionOptions())
        places.integrate(frame, seen.points, seen.structure)


def grids(rows):
    """Return free, blocked and standable of a drawing: . free, o free and standable, # blocked, blank unknown."""
    cells = np.array([list(row) for row in rows])
    return np.isin(cells, (".", "o")), cells == "#", cells == "o"


def borders(rows, **options):
    free, blocked, standable = grids(rows)
    return find_borders(free, blocked, standable, resolution=0.1, radius=options.pop("radius", 0.1), **options)


def test_where_seen_floor_ends_at_the_unknown_is_a_frontier_and_one_looks_into_it():
    (border,) = borders(["##########", "#ooooo....", "#ooooo....", "#ooooo....", "#ooooo....", "##########"])
    assert border.length == pytest.approx(0.4)
    assert border.middle[1] == 9
    assert border.stand in {(1, 5), (2, 5), (3, 5), (4, 5)}
    assert border.heading == pytest.approx(math.pi / 2, abs=0.5)  # along the second axis


def test_a_room_with_walls_all_around_has_no_frontier():
    assert borders(["########", "#oooooo#", "#oooooo#", "#oooooo#", "########"]) == ()


def test_a_gap_that_the_robot_does_not_fit_through_is_no_frontier():
    rows = ["##########", "#ooooo####", "#ooooo....", "#ooooo####", "##########"]
    assert borders(rows) == ()
    wide = ["#" * 10, *["#ooooo...."] * 5, "#" * 10]
    assert len(borders(wide, radius=0.2)) == 1
    assert borders(wide, radius=0.4) == ()


def test_a_shadow_within_what_was_seen_is_no_frontier():
    rows = [list("#" * 14), *(list("#oooooooooooo#") for _ in range(12)), list("#" * 14)]
    for i in range(5, 9):
        rows[i][5:9] = "    "  # 0.16 m²
    assert borders(["".join(r) for r in rows]) == ()
    for i in range(4, 10):
        rows[i][4:10] = "      "  # 0.36 m²
    assert borders(["".join(r) for r in rows]) != ()


def test_floor_that_is_seen_but_not_connected_to_where_the_robot_can_be_is_no_frontier():
    assert borders(["#######     ", "#ooooo##....", "#ooooo##....", "#ooooo##....", "#######...."[:12].ljust(12)]) == ()


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_one_looks_from_where_the_robot_can_stand_at_free_floor_beside_the_unknown(seed):
    chance = np.random.default_rng(seed)
    cells = np.repeat(np.repeat(chance.choice(list("o.# "), (6, 6)), 4, axis=0), 4, axis=1)
    free, blocked, standable = grids(["".join(row) for row in cells])
    found = find_borders(free, blocked, standable, resolution=0.1, radius=0.2)
    unknown = np.pad(~(free | blocked), 1, constant_values=True)
    for border in found:
        i, j = border.middle
        assert standable[border.stand]
        assert free[border.middle]
        assert unknown[i : i + 3, j + 1].any() or unknown[i + 1, j : j + 3].any()
    if not unknown[1:-1, 1:-1].any() and not (free[0].any() | free[-1].any() | free[:, 0].any() | free[:, -1].any()):
        assert found == ()


def test_driving_goes_around_walls_and_over_stairs():
    below = np.ones((10, 10), bool)
    below[5, :9] = False
    above = np.ones((4, 4), bool)
    foot, head = np.array([0.95, 0.05, 0.0]), np.array([0.05, 0.05, 3.0])
    fields = driving_distances(
        (0, np.array([0.05, 0.05])), {0: below, 1: above}, {0: (0, 0), 1: (0, 0)}, [(0, foot, 1, head)], 0.1
    )
    around = 2 * math.hypot(4, 8) * 0.1  # a little less than along the grid
    assert around <= fields[0][9, 0] <= 2.2
    climbed = float(np.linalg.norm(foot - head))
    assert fields[1][0, 0] == pytest.approx(fields[0][9, 0] + climbed)
    assert fields[1][3, 0] == pytest.approx(fields[1][0, 0] + 0.3)
    assert 1 not in driving_distances((0, np.zeros(2)), {0: below, 1: above}, {0: (0, 0), 1: (0, 0)}, [], 0.1)


def test_one_room_after_the_other_is_explored_until_no_frontier_is_left():
    places, here, looks = PlaceMap(), (0.8, 1.5), 0
    look_around(places, HOME, *here)
    first = places.frontiers()
    assert min(abs(f.middle[0] - 4.0) for f in first) < 0.6  # the door
    looked = []
    while frontiers := [f for f in places.frontiers() if all(math.dist(f.middle, m) > 0.5 for m in looked)]:
        nearest = frontiers[0]
        looks += 1
        assert looks < 12
        assert nearest.distance <= min(f.distance for f in frontiers)
        looked.append(nearest.middle)
        drive(places, HOME, here, nearest.position[:2])
        here = nearest.position[:2]
        look_around(places, HOME, *here)
    assert len(places.rooms) == 2
    covered = max(a.center[0] for a in places.areas)
    assert covered > 7.0


def test_frontiers_of_another_storey_are_as_far_as_the_stairs_and_the_way_beyond():
    places = PlaceMap()
    upstairs = room(0, 0, 9, 3, floor=3.0)
    for x in (2.5, 1.9, 1.5):
        look_around(places, upstairs, x, 1.5, eye=3.0 + EYE)
    before = {f.position[2]: f for f in places.frontiers()}
    for x in (1.5, 2.1, 2.5):
        look_around(places, room(0, 0, 4, 3), x, 1.5)
    (frontier,) = [f for f in places.frontiers() if f.position[2] > 2.0]
    assert 3.0 in {round(z, 1) for z in before}
    assert frontier.distance > 3.0 + 1.0  # down the stairs, and to the end of what was seen
    assert [f.distance for f in places.frontiers()] == sorted(f.distance for f in places.frontiers())


def test_before_the_first_frame_there_is_no_frontier():
    assert PlaceMap().frontiers() == ()
