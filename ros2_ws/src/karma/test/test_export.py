# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import json

import numpy as np
import pytest
from click.testing import CliRunner

pytest.importorskip("karma_interfaces.msg", reason="karma_interfaces is not built here")

from karma.command.export import command
from karma_memory.scene_graph import from_spark_dsg
from karma_perception.export import read_json
from karma_perception.frames.camera import Frame, Intrinsics, Label
from karma_perception.objects.point_clouds import Open3DError, open3d
from karma_perception.pipeline import PerceptionPipeline, PipelineOptions
from karma_perception.places.grid import GridOptions
from karma_perception.places.place import PlaceOptions
from karma_perception.saved_map.file import SavedMap, encode_map, write_map

OPTIONS = PipelineOptions(places=PlaceOptions(grid=GridOptions(resolution=0.2)))
"""Not the default: what is exported need not be what this machine's parameters say."""


@pytest.fixture(scope="module")
def map_file(tmp_path_factory):
    """Save a map of a wall-high box 2 m ahead, and the floor, seen from 1.1 m above it."""
    size = (60, 80)
    rows, columns = np.mgrid[: size[0], : size[1]]
    down = (rows - 29.5) / 40.0
    depth = np.minimum(np.where(down > 0, 1.1 / np.maximum(down, 1e-6), 6.0), 6.0)
    box = (abs(columns - 39.5) < 10) & (rows > 15) & (rows < 50)
    pose = np.array([[0.0, 0.0, 1.0, 0.0], [-1.0, 0.0, 0.0, 0.0], [0.0, -1.0, 0.0, 1.1], [0.0, 0.0, 0.0, 1.0]])
    pipeline = PerceptionPipeline(OPTIONS)
    for stamp in (1.0, 2.0):
        pipeline.update(
            Frame(
                stamp=stamp,
                scene="hall",
                depth=np.where(box, 2.0, depth).astype(np.float32),
                intrinsics=Intrinsics(80, 60, 40.0, 40.0, 39.5, 29.5),
                camera_pose=pose,
                instances=box.astype(np.uint16),
                labels={1: Label("Cabinet", "Cabinet|1")},
            )
        )
    path = tmp_path_factory.mktemp("map") / "hall.map"
    return write_map(encode_map(SavedMap(pipeline.state(), 3), OPTIONS), path)


def export(*arguments):
    return CliRunner().invoke(command, [str(a) for a in arguments])


def test_a_saved_map_is_exported_in_every_format(map_file, tmp_path):
    try:
        open3d()
    except Open3DError as error:
        pytest.skip(str(error))
    done = export("--map", map_file, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    names = {"scene_graph.json", "objects.ply", "objects.csv", "hulls.ply", "spark_dsg.json"}
    assert {f.name for f in (tmp_path / "out").iterdir()} == names
    graph = read_json(tmp_path / "out" / "scene_graph.json")
    assert graph.scene == "hall"
    assert graph.nodes["Cabinet|1"].center[0] == pytest.approx(2.0, abs=0.05)
    spark = from_spark_dsg(json.loads((tmp_path / "out" / "spark_dsg.json").read_text()))
    assert {n.id for n in spark.nodes} == set(graph.nodes)


def test_only_what_is_asked_for_is_written(map_file, tmp_path):
    assert export("--map", map_file, "--out", tmp_path, "--format", "json").exit_code == 0
    assert [f.name for f in tmp_path.iterdir()] == ["scene_graph.json"]


def test_an_unknown_format_and_a_file_that_is_no_map_are_told(map_file, tmp_path):
    unknown = export("--map", map_file, "--out", tmp_path, "--format", "json,obj")
    assert (unknown.exit_code, "'obj' is none of" in unknown.output) == (2, True)
    letter = tmp_path / "letter.txt"
    letter.write_text("dear reader")
    refused = export("--map", letter, "--out", tmp_path)
    assert (refused.exit_code, "no map of KARMA" in refused.output) == (1, True)


def test_a_scene_is_exported_for_habitat(tmp_path):
    done = export("--scene", "FloorPlan401", "--out", tmp_path / "out")
    if "recorded" in done.output:
        pytest.skip(done.output)
    assert done.exit_code == 0, done.output
    assert (tmp_path / "out" / "karma.scene_dataset_config.json").is_file()
    assert export("--scene", "FloorPlan999", "--out", tmp_path / "out").exit_code == 1
    assert "one of them" in export("--scene", "home1", "--map", __file__, "--out", tmp_path).output
