# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import dataclasses

from hypothesis import given
from hypothesis import strategies as st

from karma_perception.scene_graph import Layer, Node, SceneGraph, Tolerance, apply
from karma_perception.stream import GraphStream

MUG = Node("Mug|1", Layer.OBJECT, "Mug", "mug", "", (0.0, 0.0, 0.0), (0.1, 0.1, 0.1))


def graph(*xs, scene="home", stamp=0.0):
    nodes = [dataclasses.replace(MUG, id=f"Mug|{i}", center=(x, 0.0, 0.0)) for i, x in enumerate(xs)]
    return SceneGraph(scene, stamp, {n.id: n for n in nodes})


def test_the_first_update_is_full_and_has_number_one():
    update = GraphStream().advance(graph(1.0), epoch=1)
    assert (update.sequence, update.full, len(update.delta.nodes)) == (1, True, 1)


def test_updates_are_numbered_without_gaps_and_nothing_new_takes_no_number():
    stream = GraphStream()
    updates = [stream.advance(graph(x), epoch=1) for x in (1.0, 1.0, 2.0, 2.001, 3.0)]
    assert [u and u.sequence for u in updates] == [1, None, 2, None, 3]


def test_it_is_told_now_and_then_that_nothing_has_changed():
    stream = GraphStream(Tolerance(age=0.5))
    updates = [stream.advance(graph(1.0, stamp=stamp), epoch=1) for stamp in (1.0, 1.4, 1.6, 2.0, 2.2, 1.0)]
    assert [u and u.sequence for u in updates] == [1, None, 2, None, 3, 4]
    assert [(u.delta.stamp, u.delta.nodes) for u in updates[2::2]] == [(1.6, ()), (2.2, ())]


def test_a_new_epoch_starts_over():
    stream = GraphStream()
    stream.advance(graph(1.0), epoch=1)
    stream.advance(graph(2.0), epoch=1)
    update = stream.advance(graph(5.0, scene="other"), epoch=2)
    assert (update.sequence, update.full, update.scene) == (1, True, "other")


def test_small_changes_add_up_to_a_large_one():
    stream = GraphStream()
    told = [stream.advance(graph(0.005 * i), epoch=1) for i in range(9)]
    assert sum(u is not None for u in told[1:]) == 1


def test_a_latecomer_gets_everything_under_the_last_number():
    stream = GraphStream()
    assert stream.full().sequence == 0
    stream.advance(graph(1.0), epoch=1)
    stream.advance(graph(1.0, 2.0), epoch=1)
    full = stream.full()
    assert (full.sequence, full.full, {n.id for n in full.delta.nodes}) == (2, True, {"Mug|0", "Mug|1"})


@given(st.lists(st.lists(st.integers(0, 5), max_size=4), min_size=1, max_size=8))
def test_who_follows_all_updates_knows_the_graph(steps):
    stream = GraphStream(Tolerance(length=0.0, angle=0.0, confidence=0.0, age=0.0))
    known = SceneGraph("home")
    for step in steps:
        update = stream.advance(graph(*[float(x) for x in step]), epoch=1)
        if update is not None:
            known = apply(update.delta, SceneGraph("home") if update.full else known)
        assert known == graph(*[float(x) for x in step])
