# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures are kept up to a number of bytes; which of them is a function of what happened."""

import pytest
from world import outcome, seen, thing, told

from karma_memory import CorruptJournalError, Image

SIZE = 100
"""Bytes of each picture."""


def picture(i):
    return Image.of("jpeg", bytes([i]) * SIZE)


def see(memory, i, **fields):
    memory.remember([seen(thing("Wall|1", movable=False), stamp=float(i), image=picture(i), **fields)])


def held(memory, numbers):
    return [i for i in numbers if memory.image(picture(i).sha256) is not None]


def test_the_least_recently_remembered_lose_their_bytes_first(store):
    with store.memory(image_bytes=3 * SIZE) as memory:
        for i in (1, 2, 3):
            see(memory, i)
        assert held(memory, range(1, 4)) == [1, 2, 3]
        see(memory, 1)  # remembered again
        see(memory, 4)
        assert held(memory, range(1, 5)) == [1, 3, 4]
        see(memory, 5)
        assert held(memory, range(1, 6)) == [1, 4, 5]
        assert store.execute("SELECT count(*) FROM images") == [(3,)]


def test_pictures_of_memory_units_go_last(store):
    with store.memory(image_bytes=3 * SIZE) as memory:
        memory.remember([outcome("PutObject", thing("Bread|1"), stamp=1.0, image=picture(1))])
        for i in range(2, 7):
            see(memory, i)
        assert held(memory, range(1, 7)) == [1, 5, 6]
        memory.forget(["short_term:home1/Bread|1"], stamp=8.0)
        see(memory, 7)
        assert held(memory, range(1, 8)) == [5, 6, 7]


def test_the_bound_holds_though_every_picture_belongs_to_a_unit(store):
    with store.memory(image_bytes=2 * SIZE) as memory:
        for i in (1, 2, 3):
            memory.remember([outcome("PutObject", thing(f"Mug|{i}"), stamp=float(i), image=picture(i))])
        assert held(memory, range(1, 4)) == [2, 3]
        assert memory.units()[0].image == picture(1)  # known, though its bytes are gone


def test_pictures_that_nothing_named_for_long_are_dropped_and_what_they_showed_stays_known(store):
    with store.memory() as memory:
        memory.remember([outcome("PutObject", thing("Mug|1"), stamp=1.0, image=picture(1))])
        for i in (2, 3, 4, 5):
            see(memory, i)
        memory.remember([seen(thing("Wall|1", movable=False), stamp=6.0, image=picture(2))])
        assert memory.upkeep.drop_pictures(4.0) == 3
        assert held(memory, range(1, 6)) == [2, 5]
        assert memory.units()[0].image == picture(1)  # known, though its bytes are gone
        assert memory.upkeep.drop_pictures(4.0) == 0
        see(memory, 3)
        assert held(memory, range(1, 6)) == [2, 3, 5]
    with store.journal() as journal:
        journal.verify()


def test_of_many_pictures_only_those_that_give_way_are_looked_at(store, monkeypatch):
    with store.memory(image_bytes=250 * SIZE) as memory:
        memory.remember([seen(thing("Wall|1", movable=False), stamp=float(i), image=picture(i)) for i in range(250)])
        looked_at = []

        def noted(transaction):
            for held_picture in everything(transaction):
                looked_at.append(held_picture)
                yield held_picture

        with memory._journal.transaction() as transaction:
            everything = type(transaction)._held_images
        monkeypatch.setattr(type(transaction), "_held_images", noted)
        see(memory, 250)
        assert [looked[:2] for looked in looked_at] == [(picture(0).sha256, SIZE)]
        see(memory, 251)
        assert held(memory, range(252)) == list(range(2, 252))


def test_a_picture_that_lost_its_bytes_comes_back_with_them_and_events_may_name_it_without(store):
    with store.memory(image_bytes=SIZE) as memory:
        see(memory, 1)
        see(memory, 2)
        memory.remember([told("the first", image=Image("jpeg", picture(1).sha256))])
        assert held(memory, (1, 2)) == [2]
        see(memory, 1)
        assert held(memory, (1, 2)) == [1]


def test_the_state_does_not_depend_on_which_bytes_are_left(store):
    with store.memory(image_bytes=SIZE) as memory:
        for i in (1, 2, 3):
            memory.remember([outcome("PutObject", thing(f"Mug|{i}"), stamp=float(i), image=picture(i))])
        lived = memory._state.snapshot()
    with store.memory(image_bytes=10 * SIZE) as memory:
        assert memory._state.snapshot() == lived


def test_a_smaller_bound_holds_from_the_start(store):
    with store.memory() as memory:
        for i in (1, 2, 3):
            see(memory, i)
    with store.memory(image_bytes=SIZE) as memory:
        assert held(memory, (1, 2, 3)) == [3]


def test_a_picture_that_should_be_there_and_is_not_is_damage(store):
    with store.memory() as memory:
        see(memory, 1)
        store.execute("DELETE FROM images")
        with pytest.raises(CorruptJournalError, match="missing"):
            memory.image(picture(1).sha256)
