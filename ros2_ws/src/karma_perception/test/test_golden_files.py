# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Maps of every form since the first are gone on with, and graphs read; golden/README.md says which code wrote them.

Where the test of the present version fails, a class that is saved has changed: see karma_perception.saved_map.versions.
"""

import json
import lzma
from pathlib import Path

import pytest
from golden.write_map import APPLE, HOME, MUG, OPTIONS, look

from karma_perception.export.graph_json import read_json
from karma_perception.pipeline import PerceptionPipeline
from karma_perception.saved_map.file import SavedMap, encode_map, open_map, read_map
from karma_perception.saved_map.versions import VERSION

FOLDER = Path(__file__).resolve().parent / "golden"
MAPS = sorted(FOLDER.glob("map-*.xz"))
FIRST = "map-1-8c99057f"


@pytest.fixture(params=MAPS, ids=lambda path: path.stem)
def golden(request):
    return request.param


def unpacked(golden, tmp_path):
    path = tmp_path / "home.map"
    path.write_bytes(lzma.decompress(golden.read_bytes()))
    return path


def resumed(path):
    pipeline = PerceptionPipeline(OPTIONS)
    pipeline.resume(read_map(path, OPTIONS).state)
    return pipeline


def test_there_is_one_of_every_version():
    assert {int(path.stem.split("-")[1]) for path in MAPS} == set(range(1, VERSION + 1))


def test_what_an_older_map_knows_is_known(golden, tmp_path):
    path = unpacked(golden, tmp_path)
    saved, pipeline = read_map(path, OPTIONS), open_map(path)
    assert saved.sequence == 7
    assert sorted(pipeline.graph().nodes) == ["Mug_1", "SideTable_1", "area_1", "floor_0", "room_1"]
    mug = pipeline.objects["Mug_1"]
    assert mug.center == pytest.approx((2.0, 1.08, 0.65), abs=0.05)
    assert 200.0 <= mug.last_seen <= 202.2


def test_a_robot_goes_on_with_an_older_map(golden, tmp_path):
    pipeline = resumed(unpacked(golden, tmp_path))
    pipeline.frontiers()
    look(pipeline, [*HOME, APPLE, MUG], 300.0, 12)
    names = {o.category: o.id for o in pipeline.objects.values()}
    assert (names["Mug"], names["SideTable"]) == ("Mug_1", "SideTable_1")
    # What is gone has its name again when it turns up, but in the first form, which kept that otherwise.
    assert (names["Apple"] == "Apple_1") == (golden.stem != FIRST)


def test_an_older_map_is_saved_in_the_present_form(golden, tmp_path):
    path = unpacked(golden, tmp_path)
    saved = read_map(path, OPTIONS)
    path.write_bytes(encode_map(SavedMap(saved.state, 8), OPTIONS))
    assert json.loads(path.read_bytes().partition(b"\n")[0])["version"] == VERSION
    assert resumed(path).graph() == open_map(path).graph()
    assert read_map(path, OPTIONS).sequence == 8


def test_an_older_graph_is_read():
    graph = read_json(FOLDER / "graph-1-1ec5a35a.json")
    assert sorted(graph.nodes) == ["Mug_1", "SideTable_1", "area_1", "floor_0", "room_1"]
    assert graph.nodes["SideTable_1"].support_heights == ()
