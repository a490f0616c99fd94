# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures of single things: which one shows what is believed, what they change, and where they go."""

import math
import random
from dataclasses import replace

import pytest
from test_erasure import contents
from world import APPLE, COUNTER, FRIDGE, SCENE, event, home, outcome, seen

from karma_memory import EventKind, Image, InvalidEventError, Memory, SkillTarget
from karma_memory.encoding import decode_event, encode_event
from karma_memory.privacy.consent import Consent
from karma_memory.scene_graph import pictures
from karma_memory.users.erasure import Erased, forget_user

OPEN = replace(FRIDGE, states={"isOpen": "true"})
IN_FRIDGE = replace(APPLE, position=(0.0, 1.0, 1.1), receptacle="Fridge|1", relation="in", parent="node_1")


def jpeg(number):
    return Image.of("jpeg", b"\xff\xd8\xff" + random.Random(number).randbytes(600) + b"\xff\xd9")


def view(node, stamp, number, **fields):
    """Picture a node as it is then."""
    return seen(node, stamp=stamp, target=node.id, image=jpeg(number), **fields)


def at(node, stamp):
    return replace(node, last_seen=stamp)


def shown(memory, words="where is the apple?", **options):
    """Return which picture answers a question, and when it was taken."""
    asked = memory.ask(words, **{"now": 100.0, "scene": SCENE, **options})
    assert asked.answered.known
    if asked.picture is None:
        return None
    number = next(i for i in range(100) if jpeg(i) == asked.picture)
    assert memory.image(asked.picture.sha256) == jpeg(number).data
    return number, asked.taken


def test_an_answer_shows_the_thing_as_it_is_and_of_the_past_as_it_was(store):
    with store.memory() as memory:
        memory.remember([home(), view(APPLE, 2.0, 1), view(COUNTER, 2.0, 2)])
        assert shown(memory) == (1, 2.0)
        memory.remember([seen(at(IN_FRIDGE, 20.0), stamp=20.0)])
        assert shown(memory) is None  # it has not been pictured in the fridge
        memory.remember([view(at(IN_FRIDGE, 21.0), 21.0, 3)])
        assert shown(memory) == (3, 21.0)
        assert shown(memory, at=10.0) == (1, 2.0)
        memory.remember([seen(at(APPLE, 60.0), stamp=60.0)])
        assert shown(memory) is None  # it is back where it was, which the first picture does not show


def test_a_better_picture_takes_the_place_of_the_one_before_and_a_better_estimate_of_the_place_keeps_it(store):
    with store.memory() as memory:
        memory.remember([home(), view(APPLE, 2.0, 1), view(APPLE, 3.0, 2)])
        assert shown(memory) == (2, 3.0)
        x, y, z = APPLE.position
        memory.remember([seen(replace(APPLE, position=(x + 0.1, y, z), last_seen=50.0), stamp=50.0)])
        assert shown(memory) == (2, 3.0)


def test_a_picture_shows_a_state(store):
    with store.memory() as memory:
        memory.remember([home(), view(FRIDGE, 2.0, 1)])
        assert shown(memory, "where is the fridge?") == (1, 2.0)
        memory.remember([seen(at(OPEN, 5.0), stamp=5.0)])
        assert shown(memory, "where is the fridge?") is None


def test_a_picture_may_be_a_moment_older_than_the_news_of_what_it_shows(store):
    with store.memory() as memory:
        memory.remember([home(), seen(at(IN_FRIDGE, 20.0), stamp=20.0), view(at(IN_FRIDGE, 19.0), 19.0, 1)])
        assert shown(memory) == (1, 19.0)


def test_a_picture_tells_nothing_new_about_where_things_are(store):
    with store.memory() as memory:
        memory.remember([home(), seen(stamp=5.0, removed=(APPLE.id,))])
        before = memory.scene_graph(SCENE).snapshot().beliefs
        memory.remember([view(at(APPLE, 6.0), 6.0, 1), view(at(OPEN, 6.0), 6.0, 2)])
        assert memory.scene_graph(SCENE).snapshot().beliefs == before


@pytest.mark.parametrize(
    "make",
    [
        lambda: view(replace(APPLE, id="Unknown|1"), 2.0, 1),
        lambda: view(APPLE, 2.0, 1, scene="elsewhere"),
        lambda: view(APPLE, math.nan, 1),
        lambda: view(APPLE, 2.0, 1, removed=("Fridge|1",)),
        lambda: seen(APPLE, FRIDGE, target=APPLE.id, image=jpeg(1)),
        lambda: seen(APPLE, target="Fridge|1", image=jpeg(1)),
        lambda: seen(APPLE, target=APPLE.id),
        lambda: seen(APPLE, target=APPLE.id, image=Image.of("jpeg", jpeg(1).data[:-2])),
        lambda: seen(APPLE, target=APPLE.id, image=Image.of("jpeg", b"\xff\xd8\xff" + bytes(10_000_000) + b"\xff\xd9")),
    ],
)
def test_what_is_no_picture_of_a_known_thing_changes_nothing(store, make):
    with store.memory() as memory:
        memory.remember([home(), view(APPLE, 1.5, 7)])
        last, state = memory.last_sequence, memory._state.snapshot()
        with pytest.raises(InvalidEventError):
            memory.remember([make()])
        assert (memory.last_sequence, memory._state.snapshot()) == (last, state)
        assert store.execute("SELECT count(*) FROM images") == [(1,)]
        assert shown(memory) == (7, 1.5)


def test_a_unit_of_short_term_memory_shows_the_thing_as_it_is(store):
    def unit(memory):
        (unit,) = memory.units()
        return unit.image

    with store.memory() as memory:
        memory.remember([home(), view(APPLE, 2.0, 1), outcome("PickupObject", at(APPLE, 3.0), stamp=3.0)])
        assert unit(memory) == jpeg(1)
        memory.remember([view(at(APPLE, 4.0), 4.0, 2)])
        assert unit(memory) == jpeg(2)
        sliced = replace(APPLE, states={"isSliced": "true"}, last_seen=5.0)
        memory.remember([seen(sliced, stamp=5.0)])
        assert unit(memory) is None
        memory.remember([view(replace(sliced, last_seen=6.0), 6.0, 3)])
        assert unit(memory) == jpeg(3)


def test_it_is_the_same_after_a_restart_a_snapshot_a_compaction_and_a_copy(store, elsewhere, tmp_path):
    with store.memory() as memory:
        memory.remember([home(), view(APPLE, 2.0, 1), view(COUNTER, 2.0, 2)])
        memory.remember([seen(at(OPEN, 5.0), stamp=5.0), view(at(OPEN, 6.0), 6.0, 3)])
        lived = memory._state.snapshot()
        memory.upkeep.snapshot()
    for prepare in (
        lambda memory: memory.upkeep.snapshot(),
        lambda memory: memory.upkeep.compact(50.0),
        lambda memory: None,
    ):
        with store.memory() as memory:
            assert memory._state.snapshot() == lived
            assert [shown(memory), shown(memory, "where is the fridge?")] == [(1, 2.0), (3, 6.0)]
            prepare(memory)
            memory.upkeep.export(tmp_path / "out", overwrite=True)
        from portable_files import imported  # the fixtures of the journal's own tests

        with elsewhere.journal() as target:
            imported(tmp_path / "out", target)
        with elsewhere.memory() as copy:
            assert [shown(copy), shown(copy, "where is the fridge?")] == [(1, 2.0), (3, 6.0)]


def test_a_picture_whose_bytes_gave_way_is_not_shown_any_more_and_breaks_nothing(store):
    with store.memory(image_bytes=len(jpeg(1).data)) as memory:
        memory.remember([home(), view(APPLE, 2.0, 1)])
        memory.remember([view(COUNTER, 3.0, 2)])
        asked = memory.ask("where is the apple?", now=9.0, scene=SCENE)
        assert asked.answered.known
        assert memory.image(asked.picture.sha256) is None


def test_what_is_forgotten_has_no_pictures(store):
    with store.memory() as memory:
        memory.remember([home(), view(APPLE, 2.0, 1)])
        memory.forget([f"long_term:{SCENE}/{APPLE.id}"], stamp=3.0)
        assert list(memory._state.long_term.pictures()) == []


def test_how_many_pictures_are_known_is_bounded(store, monkeypatch):
    monkeypatch.setattr(pictures, "KEPT_PICTURED", 2)
    with store.memory() as memory:
        memory.remember([home()])
        for i in range(20):
            memory.remember([view(replace(APPLE, position=(float(i), 0.0, 1.0)), 2.0 + i, i)])
        assert len(list(memory._state.long_term.pictures())) == pictures.KEPT_PICTURES
        memory.remember([view(node, 30.0, 50 + i) for i, node in enumerate((COUNTER, FRIDGE))])
        assert [picture.stamp for picture in memory._state.long_term.pictures()] == [30.0, 30.0]


def anns(number=1):
    """The robot looks after the apple in the fridge for Ann; then it sees it there, and the counter."""
    go = {"user": "ann", "episode": "e1"}
    return [
        event(EventKind.EPISODE_START, 3.0, text="put the apple into the fridge", **go),
        outcome("PickupObject", at(IN_FRIDGE, 4.0), stamp=4.0, target=SkillTarget(APPLE.id, "Apple"), **go),
        view(at(IN_FRIDGE, 5.0), 5.0, number),
        view(COUNTER, 5.0, 2),
    ]


@pytest.mark.parametrize("compacted", [False, True])
def test_what_is_handled_for_somebody_is_pictured_for_them_and_no_byte_is_left_when_they_are_erased(store, compacted):
    with store.memory() as memory:
        memory.remember([home()])
        for item in anns():
            memory.remember([item])
        assert shown(memory) == (1, 5.0)
        memory.upkeep.snapshot()
        if compacted:
            memory.upkeep.compact(50.0)
    marks = (jpeg(1).data[3:60], jpeg(1).sha256.encode(), bytes.fromhex(jpeg(1).sha256))
    assert any(mark in data for data in contents(store).values() for mark in marks)
    erased = forget_user(store.location, "ann", folder=store.folder)
    assert (erased.pictures, erased.observations) == (1, 1)
    assert not [name for name, data in contents(store).items() for mark in marks if mark in data]
    with store.memory() as memory:
        assert shown(memory) is None
        assert shown(memory, "where is the counter top?") == (2, 5.0)
        assert all(unit.image is None for unit in memory.units())


def test_who_withdrew_their_consent_has_nothing_pictured_that_is_handled_for_them(store):
    with store.memory() as memory:
        memory.remember([home()])
        start, put, apple, counter = anns()
        memory.remember([start, put])
        memory.users.set_consent("ann", Consent(keep=False), 4.5)
        assert memory.remember([apple]).sequences == (0,)
        memory.remember([counter])
        assert shown(memory) is None
        assert store.execute("SELECT count(*) FROM images") == [(1,)]


def test_nobodys_erasure_takes_pictures_of_the_home(store):
    with store.memory() as memory:
        memory.remember([home(), view(APPLE, 2.0, 1)])
    assert forget_user(store.location, "ann", folder=store.folder) == Erased()
    with Memory(store.location, folder=store.folder, embedder="lexical") as memory:
        assert shown(memory) == (1, 2.0)


def test_the_event_of_a_picture_can_be_read_without_it():
    taken = view(APPLE, 100.0, 1)
    bare = decode_event(encode_event(taken), bare=True)
    assert (bare.id, bare.kind, bare.stamp, bare.image) == (taken.id, taken.kind, taken.stamp, None)
