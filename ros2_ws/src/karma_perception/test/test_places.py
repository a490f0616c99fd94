# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from raycast import EYE, pose, room, shoot, thing

from karma_perception.frames.camera import Intrinsics
from karma_perception.objects.detection import InstanceImageDetector
from karma_perception.objects.instances import ExtractionOptions, observe_objects
from karma_perception.places.place import PlaceOptions
from karma_perception.places.places import PlaceMap

SMALL = Intrinsics(160, 120, 80.0, 80.0, 79.5, 59.5)

HOME = [
    *room(0, 0, 4, 3, door="east"),
    *[s for s in room(4.1, 0, 8, 3) if not (s.low[0] < 4.05 and s.high[2] > 0.1 and s.high[0] < 4.2)],
    thing("Sofa", (6.5, 0.5, 0.4), (1.8, 0.8, 0.8)),
]


def explore(places, world, spots, *, eye=EYE):
    for x, y in spots:
        for yaw in range(0, 360, 60):
            frame = shoot(world, pose(x, y, yaw, eye=eye), intrinsics=SMALL)
            seen = observe_objects(frame, InstanceImageDetector().detect(frame), ExtractionOptions())
            places.integrate(frame, seen.points, seen.structure)
    places.refresh()
    return places


ALONG = [(0.8, 1.5), (1.5, 1.5), (2.2, 1.5), (2.9, 1.5), (3.5, 1.5), (4.1, 1.5), (4.7, 1.5), (5.4, 1.5), (6.0, 1.8)]


@pytest.fixture(scope="module")
def home():
    return explore(PlaceMap(), HOME, ALONG)


def test_a_door_makes_two_rooms_and_every_area_belongs_to_one(home):
    assert len(home.rooms) == 2
    assert {a.room for a in home.areas} == {r.id for r in home.rooms}
    for area in home.areas:
        west = min(home.rooms, key=lambda r: r.low[0])
        if abs(area.center[0] - 4.05) > 0.3:
            assert (area.room == west.id) == (area.center[0] < 4.05)


def test_rooms_are_as_large_as_they_are(home):
    west = min(home.rooms, key=lambda r: r.low[0])
    assert (*west.low, *west.high) == pytest.approx((0.0, 0.0, 4.0, 3.0), abs=0.25)


def test_areas_stand_on_free_floor_evenly(home):
    centers = np.array([a.center for a in home.areas])
    assert np.all((centers[:, :2] > 0.15) & (centers[:, :2] < (7.85, 2.85)))
    np.testing.assert_allclose(centers[:, 2], 0.0, atol=0.02)
    gaps = np.linalg.norm(centers[:, None] - centers[None], axis=2) + 9 * np.eye(len(centers))
    assert np.all(gaps.min(axis=1) < 1.8)
    assert np.all(gaps.min(axis=1) > 0.3)


def test_one_can_drive_between_all_areas_through_the_door(home):
    reached = {home.areas[0].id}
    while more := {p.b for p in home.passages if p.a in reached} | {p.a for p in home.passages if p.b in reached}:
        if more <= reached:
            break
        reached |= more
    assert reached == {a.id for a in home.areas}


def test_an_edge_is_as_long_as_the_way(home):
    at = {a.id: np.array(a.center) for a in home.areas}
    for p in home.passages:
        assert p.distance >= np.linalg.norm(at[p.a] - at[p.b]) - 1e-6
        assert p.distance < 4.0


def test_an_object_belongs_to_the_area_on_its_side_of_the_wall(home):
    room_of = {a.id: a.room for a in home.areas}
    west, east = sorted(home.rooms, key=lambda r: r.low[0])
    for x, expected in ((3.8, west), (4.3, east)):
        low, high = np.array([x - 0.1, 2.6, 0.5]), np.array([x + 0.1, 2.8, 0.7])
        assert room_of[home.area_of(low, high)] == expected.id


def test_ids_stay_as_exploration_goes_on():
    places = explore(PlaceMap(), HOME, ALONG[:3])
    rooms = {r.id for r in places.rooms}
    areas = {a.id: a.center for a in places.areas}
    explore(places, HOME, ALONG[3:])
    assert rooms <= {r.id for r in places.rooms}
    after = {a.id: a.center for a in places.areas}
    assert len(set(areas) & set(after)) >= 0.8 * len(areas)


def test_standing_still_and_looking_around_is_enough_for_areas():
    places = explore(PlaceMap(), room(0, 0, 4, 3), [(2.0, 1.5)])
    assert len(places.areas) >= 4
    assert len(places.rooms) == 1


def test_a_single_frame_gives_a_place():
    places = PlaceMap()
    frame = shoot(room(0, 0, 4, 3), pose(2, 1.5, 0))
    seen = observe_objects(frame, InstanceImageDetector().detect(frame), ExtractionOptions())
    places.integrate(frame, seen.points, seen.structure)
    places.refresh()
    assert places.areas
    assert places.area_of(np.array([3.0, 1.5, 0.5]), np.array([3.1, 1.6, 0.6])) in {a.id for a in places.areas}


def test_two_storeys_are_two_floors_joined_by_the_stairs_that_were_climbed():
    places = explore(PlaceMap(), room(0, 0, 4, 3), [(1.5, 1.5), (2.5, 1.5)])
    explore(places, room(0, 0, 4, 3, floor=3.0), [(2.5, 1.5), (1.5, 1.5)], eye=3.0 + EYE)
    assert [round(s.height, 1) for s in places.storeys] == [0.0, 3.0]
    storey_of = {a.id: a.storey for a in places.areas}
    stairs = [p for p in places.passages if storey_of[p.a] != storey_of[p.b]]
    assert len(stairs) == 1
    upstairs = places.area_of(np.array([2.0, 1.5, 3.4]), np.array([2.1, 1.6, 3.5]))
    assert storey_of[upstairs] == 1


def test_the_floor_is_found_where_the_camera_is_mounted_a_little_otherwise():
    places = explore(PlaceMap(PlaceOptions(camera_height=EYE - 0.1)), room(0, 0, 4, 3), [(2.0, 1.5)])
    assert places.storeys[0].height == pytest.approx(0.0, abs=0.02)


def test_nothing_changes_when_nothing_new_is_seen(home):
    assert not home.refresh()


def test_before_the_first_frame_there_is_no_place():
    places = PlaceMap()
    assert not places.refresh()
    assert places.area_of(np.zeros(3), np.ones(3)) == ""
    assert (places.areas, places.rooms, places.storeys, places.passages) == ((), (), (), ())


def test_stairs_are_no_storey_of_their_own():
    places = explore(PlaceMap(), room(0, 0, 4, 3), [(1.5, 1.5), (2.5, 1.5)])
    upstairs = room(0, 0, 4, 3, floor=3.0)
    for step in (1.2, 1.7, 2.2):
        tread = [*upstairs, thing("", (2.5, 1.5, step - 0.1), (0.8, 0.4, 0.2), name="")]
        explore(places, tread, [(2.5, 1.5)], eye=step + EYE)
    explore(places, upstairs, [(2.5, 1.5), (1.5, 1.5)], eye=3.0 + EYE)
    assert [round(s.height, 1) for s in places.storeys] == [0.0, 3.0]


def test_rooms_are_numbered_without_gaps_however_exploration_went():
    places = PlaceMap()
    for spot in ALONG:
        explore(places, HOME, [spot])
    assert sorted(r.number for r in places.rooms) == [1, 2]


def test_a_pose_that_is_refused_leaves_no_stairs_and_no_storey():
    places = explore(PlaceMap(), room(0, 0, 4, 3), [(1.5, 1.5), (2.5, 1.5)])
    explore(places, room(0, 0, 4, 3, floor=3.0), [(2.5, 1.5), (1.5, 1.5)], eye=3.0 + EYE)
    before = places.passages
    with pytest.raises(ValueError, match="pose"):
        explore(places, room(900, 0, 904, 3), [(902, 1.5)])
    places.refresh()
    assert places.passages == before
