# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import functools
import json
from dataclasses import replace

import numpy as np
import pytest
from raycast import pose, room, shoot, thing

from karma_perception.pipeline import PerceptionPipeline, PipelineOptions
from karma_perception.places.grid import GridOptions
from karma_perception.places.place import PlaceOptions
from karma_perception.saved_map import whole_file as files
from karma_perception.saved_map.file import MapFileError, SavedMap, encode_map, read_map, write_map
from karma_perception.stream import GraphStream

OPTIONS = PipelineOptions()
TABLE = thing("DiningTable", (3.0, 1.5, 0.4), (1.0, 1.4, 0.8))
APPLE = thing("Apple", (2.8, 1.4, 0.85), (0.1, 0.1, 0.1), movable=True)
MUG = thing("Mug", (3.2, 1.8, 0.85), (0.1, 0.1, 0.1), movable=True)
HOME = room(0, 0, 5, 3, door="east")


def look(pipeline, world, begin, *, identified=True, scene="home", views=6):
    for i in range(views):
        camera = pose(1.5 + 0.1 * i, 1.5, 120 / views * i - 60)
        pipeline.update(shoot(world, camera, stamp=begin + 0.2 * i, scene=scene, identified=identified))


def a_map(*, identified=True):
    pipeline = PerceptionPipeline(OPTIONS)
    look(pipeline, [*HOME, TABLE, APPLE, MUG], 100.0, identified=identified)
    return pipeline


@functools.cache
def the_map():
    """Return the bytes of one that was saved after update 7."""
    return encode_map(SavedMap(a_map().state(), 7), OPTIONS)


@pytest.fixture
def path(tmp_path):
    return write_map(the_map(), tmp_path / "home.map")


def saved(pipeline, path, sequence=7):
    return write_map(encode_map(SavedMap(pipeline.state(), sequence), OPTIONS), path)


def resumed(path):
    pipeline = PerceptionPipeline(OPTIONS)
    pipeline.resume(read_map(path, OPTIONS).state)
    return pipeline


@pytest.mark.parametrize("identified", [True, False])
def test_a_robot_that_is_restarted_goes_on_as_if_it_had_never_stopped(tmp_path, identified):
    before = a_map(identified=identified)
    after = resumed(saved(before, tmp_path / "home.map"))
    assert after.graph() == before.graph()
    assert {n: len(o.voxels) for n, o in after.objects.items()} == {n: len(o.voxels) for n, o in before.objects.items()}
    moved = thing("Apple", (3.3, 1.0, 0.85), (0.1, 0.1, 0.1), movable=True)
    for pipeline in (before, after):
        look(pipeline, [*HOME, TABLE, moved, MUG], 200.0, identified=identified)
    assert after.graph() == before.graph()
    assert sum(o.category == "Apple" for o in after.objects.values()) == 1


def test_a_map_whose_frontiers_were_asked_for_is_saved_and_has_them_again(tmp_path):
    before = a_map()
    assert before.frontiers()
    after = resumed(saved(before, tmp_path / "home.map"))
    for pipeline in (before, after):
        look(pipeline, [*HOME, TABLE, APPLE, MUG], 200.0, views=1)
    assert after.frontiers() == before.frontiers() != ()


def test_an_identity_that_was_lost_before_the_restart_is_found_after_it(tmp_path):
    pipeline = a_map(identified=False)
    (name,) = (n for n, o in pipeline.objects.items() if o.category == "Apple")
    look(pipeline, [*HOME, TABLE, MUG], 200.0, identified=False, views=12)
    assert name not in pipeline.objects
    pipeline = resumed(saved(pipeline, tmp_path / "home.map"))
    back = thing("Apple", (3.3, 1.0, 0.85), (0.1, 0.1, 0.1), movable=True)
    look(pipeline, [*HOME, TABLE, back, MUG], 300.0, identified=False)
    assert [n for n, o in pipeline.objects.items() if o.category == "Apple"] == [name]


@pytest.mark.parametrize("begin", [5.0, 1e6])
def test_the_clock_may_be_anything_after_a_restart(path, begin):
    pipeline = resumed(path)
    known = set(pipeline.graph().nodes)
    look(pipeline, [*HOME, TABLE, APPLE, MUG], begin)
    graph = pipeline.graph()
    assert {n for n in known if "|" in n} <= set(graph.nodes)
    assert graph.stamp == pytest.approx(begin + 1.0)
    assert all(0.0 <= n.last_seen <= graph.stamp for n in graph.nodes.values())


def test_another_scene_begins_a_new_map_after_a_restart_too(path):
    pipeline = resumed(path)
    look(pipeline, [*HOME, TABLE], 200.0, scene="office")
    assert set(pipeline.objects) == {TABLE.id}


def test_updates_go_on_with_the_next_number_and_everything(path):
    loaded = read_map(path, OPTIONS)
    pipeline, stream = PerceptionPipeline(OPTIONS), GraphStream()
    pipeline.resume(loaded.state)
    stream.resume(loaded.sequence)
    update = stream.advance(pipeline.graph(), pipeline.epoch)
    assert (update.sequence, update.full, len(update.delta.nodes)) == (8, True, len(pipeline.graph().nodes))
    look(pipeline, [*HOME, TABLE], 200.0, views=12)
    assert stream.advance(pipeline.graph(), pipeline.epoch).sequence == 9


def test_every_damaged_byte_is_noticed(path):
    whole = path.read_bytes()
    chance = np.random.default_rng(1)
    for place in [*range(whole.index(b"\n") + 3), *chance.integers(0, len(whole), 30).tolist()]:
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x01]) + whole[place + 1 :])
        with pytest.raises(MapFileError, match=r"home\.map"):
            read_map(path, OPTIONS)
    for length in (0, 10, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(MapFileError):
            read_map(path, OPTIONS)


@pytest.mark.parametrize("data", [b"", b"\n", b"{}\n", b"[]\n", b'{"format": "other"}\n', b"PK\x03\x04", b"x" * 9999])
def test_a_foreign_file_is_refused_and_never_replaced(tmp_path, data):
    path = tmp_path / "home.map"
    path.write_bytes(data)
    with pytest.raises(MapFileError, match="no map of KARMA"):
        read_map(path, OPTIONS)
    with pytest.raises(MapFileError, match="no map of KARMA"):
        write_map(the_map(), path)
    assert path.read_bytes() == data


def test_a_map_of_a_newer_version_or_another_grid_is_refused(path):
    other = replace(OPTIONS, places=PlaceOptions(grid=GridOptions(resolution=0.05)))
    with pytest.raises(MapFileError, match=r"grid_size.*0\.05"):
        read_map(path, other)
    header, _, payload = path.read_bytes().partition(b"\n")
    path.write_bytes(json.dumps({**json.loads(header), "version": 3}).encode() + b"\n" + payload)
    with pytest.raises(MapFileError, match="version 3, this karma_perception knows up to 2: update KARMA"):
        read_map(path, OPTIONS)


def test_the_map_of_another_scene_is_not_replaced(path):
    office = PerceptionPipeline(OPTIONS)
    look(office, [*HOME, TABLE], 100.0, scene="office", views=1)
    with pytest.raises(MapFileError, match="scene 'home'"):
        saved(office, path)
    assert read_map(path, OPTIONS).state.scene == "home"
    office.scene = "home"
    saved(office, path, sequence=8)
    assert read_map(path, OPTIONS).sequence == 8


def test_a_write_that_fails_leaves_the_old_map(path, monkeypatch):

    def full(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        write_map(the_map(), path)
    assert [f.name for f in path.parent.iterdir()] == ["home.map"]
    assert read_map(path, OPTIONS).sequence == 7
