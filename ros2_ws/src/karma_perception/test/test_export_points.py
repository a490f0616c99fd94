# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import csv
from copy import copy

import numpy as np
import pytest
from raycast import pose, room, shoot, thing

from karma_perception.export import write_mesh, write_ply
from karma_perception.objects.point_clouds import Open3DError, open3d
from karma_perception.objects.voxels import VoxelSet
from karma_perception.pipeline import PerceptionPipeline

TABLE = thing("DiningTable", (3.0, 1.5, 0.4), (1.0, 1.4, 0.8))
APPLE = thing("Apple", (2.8, 1.4, 0.85), (0.1, 0.1, 0.1), movable=True)


@pytest.fixture(scope="module")
def objects():
    try:
        open3d()
    except Open3DError as error:
        pytest.skip(str(error))
    pipeline = PerceptionPipeline()
    pipeline.update(shoot([*room(0, 0, 5, 3), TABLE, APPLE], pose(1.5, 1.5, 0.0), stamp=1.0))
    return pipeline.objects


def test_a_cloud_has_every_point_with_the_colour_and_number_of_its_object(objects, tmp_path):
    cloud = open3d().t.io.read_point_cloud(str(write_ply(objects.values(), tmp_path / "objects.ply")))
    numbers = cloud.point["object"].numpy().ravel()
    with (tmp_path / "objects.csv").open() as file:
        table = {row["id"]: row for row in csv.DictReader(file)}
    assert table.keys() == {TABLE.id, APPLE.id}
    for o in objects.values():
        row = table[o.id]
        own = numbers == int(row["object"])
        assert int(row["points"]) == own.sum() == len(o.voxels)
        assert np.allclose(cloud.point.positions.numpy()[own], o.voxels.points, atol=1e-5)
        color = [int(row[c]) for c in ("red", "green", "blue")]
        assert np.all(cloud.point.colors.numpy()[own] == color)
        assert row["class"] == o.category
        assert [float(row[f"{axis}_m"]) for axis in "xyz"] == pytest.approx(o.center.tolist(), abs=1e-4)
    assert {f.name for f in tmp_path.iterdir()} == {"objects.ply", "objects.csv"}


def test_hulls_have_the_volume_of_what_was_seen(objects, tmp_path):
    mesh = open3d().io.read_triangle_mesh(str(write_mesh([objects[TABLE.id]], tmp_path / "hull.ply")))
    assert mesh.get_volume() == pytest.approx(TABLE_SEEN, rel=0.25)
    assert mesh.has_vertex_colors()
    both = open3d().io.read_triangle_mesh(str(write_mesh(objects.values(), tmp_path / "hulls.ply")))
    assert len(both.triangles) > len(mesh.triangles)


TABLE_SEEN = 1.0 * 1.4 * 0.8 / 2
"""Cubic metres: the near side and the top were seen, and their hull is a wedge, half the box."""


@pytest.mark.parametrize(
    ("across", "along", "volume"), [(5, 1, 0.08 * 0.08 * 1e-4), (5, 2, 0.08 * 0.08 * 0.02), (1, 1, 0.18 * 1e-4 * 1e-4)]
)
def test_the_hull_of_a_flat_thing_is_written_without_a_warning(tmp_path, objects, capfd, across, along, volume):
    grid = np.stack(np.meshgrid(np.arange(10 if across == 1 else 5), np.arange(across), np.arange(along)), -1)
    points = 0.02 * grid.reshape(-1, 3) + 1.01
    flat = copy(objects[TABLE.id])
    flat.voxels = VoxelSet(0.02, 1000)
    flat.voxels.insert(points)
    mesh = open3d().io.read_triangle_mesh(str(write_mesh([flat], tmp_path / "hull.ply")))
    assert mesh.get_volume() == pytest.approx(volume, rel=0.05)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("write", [write_ply, write_mesh])
def test_an_empty_map_has_no_points_to_write(tmp_path, objects, write):
    with pytest.raises(ValueError, match="no object"):
        write([], tmp_path / "none.ply")
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there_is_named(objects, tmp_path):
    with pytest.raises(OSError, match="nowhere"):
        write_ply(objects.values(), tmp_path / "nowhere" / "objects.ply")
