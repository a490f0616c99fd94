# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from karma_perception.objects.mapped_object import MappedObject
from karma_perception.objects.seen_space import SeenSpace
from karma_perception.objects.succession import Successions
from karma_perception.objects.voxels import VoxelSet


def mug(name, x, born, *, size=0.1, confirmed=None, turned_up=True, misses=0, confidence=1.0):
    center = np.array([x, 0.0, 0.8])
    return MappedObject(
        id=name,
        category="Mug",
        movable=True,
        voxels=VoxelSet(0.02, 10),
        low=center - size / 2,
        high=center + size / 2,
        last_seen=born,
        confidence=confidence,
        identified=False,
        misses=misses,
        stay=name,
        turned_up=turned_up,
        confirmed=born if confirmed is None else confirmed,
        born=born,
        sightings=20,
    )


def test_what_turned_up_where_nothing_had_been_is_it_rather_than_what_was_discovered():
    s = Successions()
    s.lose(mug("Mug_1", 0.0, born=0.0))
    discovered = mug("Mug_2", 3.0, born=50.0, size=0.11, turned_up=False)
    turned_up = mug("Mug_3", 6.0, born=90.0, size=0.08)
    changes = s.changes([discovered, turned_up])
    assert changes.names == {"Mug_3": "Mug_1"}


def test_what_was_there_already_when_the_other_was_last_seen_is_not_it():
    s = Successions()
    s.lose(mug("Mug_1", 0.0, born=0.0, confirmed=60.0))
    assert not s.changes([mug("Mug_2", 3.0, born=50.0)]).names


def test_what_was_there_while_the_other_seemed_to_be_there_still_is_it_only_if_it_turned_up():
    for turned_up, names in ((False, {}), (True, {"Mug_2": "Mug_1"})):
        s = Successions()
        gone = mug("Mug_1", 0.0, born=0.0, confirmed=40.0)
        gone.last_seen = 60.0
        s.lose(gone)
        assert s.changes([mug("Mug_2", 3.0, born=50.0, turned_up=turned_up)]).names == names


def test_what_was_moved_twice_keeps_its_first_identity():
    s = Successions()
    s.lose(mug("Mug_1", 0.0, born=0.0))
    second = mug("Mug_2", 3.0, born=50.0)
    assert s.changes([second]).names == {"Mug_2": "Mug_1"}
    second.id = "Mug_1"
    s.lose(second)
    assert s.changes([mug("Mug_3", 6.0, born=90.0)]).names == {"Mug_3": "Mug_1"}


def test_the_surer_it_is_that_a_place_is_empty_the_less_alike_need_the_other_be():
    new = mug("Mug_2", 3.0, born=50.0, size=0.12)
    for confidence, emptied in ((0.95, set()), (0.65, {"Mug_1"})):
        known = mug("Mug_1", 0.0, born=0.0, misses=1, confidence=confidence)
        assert Successions().changes([known, new]).emptied == emptied


def test_an_identity_is_kept_though_the_stay_that_it_is_from_is_given_up():
    s = Successions()
    s.lose(mug("Mug_1", 0.0, born=0.0))
    heir = mug("Mug_2", 3.0, born=50.0)
    assert s.changes([heir]).names == {"Mug_2": "Mug_1"}
    heir.id = "Mug_1"
    for i in range(500):
        other = mug(f"Cup_{i}", 0.0, born=0.0)
        other.category = "Cup"
        s.lose(other)
    assert not s.changes([heir]).names


def test_what_is_remembered_of_things_that_are_no_more_is_forgotten():
    s = Successions()
    for i in range(450):
        gone = mug("Mug_0", 0.0, born=0.0)
        gone.category, gone.stay = f"Kind_{i}", f"Kind_{i}_1"
        s.lose(gone)
        heir = mug("Mug_0", 3.0, born=10.0)
        heir.category, heir.stay = gone.category, f"Kind_{i}_2"
        s.changes([heir])
    assert len(s._ended) == 200
    assert len(s._before) <= 400


def test_an_heir_that_the_detector_misses_keeps_its_identity():
    s = Successions()
    s.lose(mug("Mug_1", 0.0, born=0.0))
    heir = mug("Mug_2", 3.0, born=50.0)
    assert s.changes([heir]).names == {"Mug_2": "Mug_1"}
    heir.id, heir.misses, heir.confidence = "Mug_1", 1, 0.8
    assert not s.changes([heir]).names


def test_a_place_is_known_from_the_smallest_distance_from_which_anything_around_it_was_seen():
    space = SeenSpace()
    low, high = np.array([0.9, 0.9, 0.8]), np.array([1.1, 1.1, 1.0])
    assert space.seen_from(low, high) == np.inf
    table = np.array([(x, y, 0.79) for x in np.arange(0.5, 1.5, 0.1) for y in np.arange(0.5, 1.5, 0.1)])
    for distance in (3.0, 2.0, 4.0):
        space.note(table, np.full(len(table), distance))
    assert space.seen_from(low, high) == pytest.approx(2.0)
    assert space.seen_from(low + 5.0, high + 5.0) == np.inf


def test_what_turns_up_was_taken_from_a_cupboard_that_may_be_shut_if_nothing_else_has_gone():
    shut_in, new = mug("Mug_1", 0.0, born=0.0), mug("Mug_2", 3.0, born=1000.0)
    changes = Successions().changes([shut_in, new], hidden={"Mug_1"})
    assert changes.emptied == {"Mug_1"}
    assert changes.names == {"Mug_2": "Mug_1"}


def test_what_was_seen_in_its_cupboard_a_moment_ago_is_not_taken_for_what_turns_up():
    shut_in, new = mug("Mug_1", 0.0, born=0.0), mug("Mug_2", 3.0, born=500.0)
    assert not Successions().changes([shut_in, new], hidden={"Mug_1"}).emptied


def test_what_is_only_discovered_was_not_taken_from_a_cupboard():
    shut_in, new = mug("Mug_1", 0.0, born=0.0), mug("Mug_2", 3.0, born=1000.0, turned_up=False)
    changes = Successions().changes([shut_in, new], hidden={"Mug_1"})
    assert not changes.emptied
    assert not changes.names


def test_what_was_seen_in_its_cupboard_since_was_not_taken_out():
    shut_in, new = mug("Mug_1", 0.0, born=0.0), mug("Mug_2", 3.0, born=1000.0)
    shut_in.last_seen = 1001.0
    assert not Successions().changes([shut_in, new], hidden={"Mug_1"}).emptied


def test_nothing_is_taken_from_a_cupboard_while_another_may_have_left_its_place_in_the_open():
    s = Successions()
    shut_in, in_the_open, new = mug("Mug_1", 0.0, born=0.0), mug("Mug_2", 1.0, born=0.0), mug("Mug_3", 3.0, born=1000.0)
    assert not s.changes([shut_in, in_the_open, new], hidden={"Mug_1"}).emptied
    in_the_open.last_seen = 1001.0
    assert s.changes([shut_in, in_the_open, new], hidden={"Mug_1"}).emptied == {"Mug_1"}


def test_what_was_withdrawn_from_its_cupboard_returns_when_something_else_turns_out_to_have_moved():
    s = Successions()
    shut_in, new = mug("Mug_1", 0.0, born=0.0), mug("Mug_2", 3.0, born=1000.0)
    s.changes([shut_in, new], hidden={"Mug_1"})
    new.id = "Mug_1"
    assert not s.changes([new]).returned
    s.shift_time(5.0)
    new.shift_time(5.0)
    s.lose(mug("Mug_9", 6.0, born=10.0, turned_up=False))
    changes = s.changes([new])
    assert changes.returned == [shut_in]
    assert (shut_in.id, shut_in.last_seen) == ("Mug_1", 5.0)
    assert changes.names == {"Mug_1": "Mug_9"}
    new.id = "Mug_9"
    again = s.changes([shut_in, new], hidden={"Mug_1"})
    assert not again.emptied
    assert not again.names


def test_no_more_is_kept_of_what_was_withdrawn_than_of_what_ended():
    s = Successions()
    for i in range(250):
        shut_in, new = mug("Mug_1", 0.0, born=0.0), mug("Mug_2", 3.0, born=1000.0)
        for o, k in ((shut_in, 1), (new, 2)):
            o.category, o.id, o.stay = f"Kind_{i}", f"Kind_{i}_{k}", f"Kind_{i}_{k}"
        assert s.changes([shut_in, new], hidden={shut_in.id}).emptied
    assert len(s._ended) == len(s._withdrawn) == 200
