# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from karma_perception.objects.voxels import VoxelSet, trimmed_bounds

coordinates = st.floats(-100, 100, width=32)


def points(most=200):
    return st.integers(1, most).flatmap(lambda n: arrays(np.float64, (n, 3), elements=coordinates))


@settings(deadline=None)
@given(points())
def test_bounds_stay_within_the_points(cloud):
    voxels = VoxelSet(0.05, 1000)
    voxels.insert(cloud)
    low, high = voxels.bounds(0.0)
    assert np.all(low >= cloud.min(axis=0) - 1e-9)
    assert np.all(high <= cloud.max(axis=0) + 1e-9)
    assert np.all(low <= cloud.min(axis=0) + 0.05)
    assert np.all(high >= cloud.max(axis=0) - 0.05)


@settings(deadline=None)
@given(st.lists(points(50), min_size=1, max_size=6), st.integers(1, 40))
def test_there_are_never_more_voxels_than_the_capacity(clouds, capacity):
    voxels = VoxelSet(0.02, capacity)
    for cloud in clouds:
        voxels.insert(cloud)
        assert 1 <= len(voxels) <= capacity


def test_many_views_of_one_point_are_one_voxel_at_their_mean():
    voxels = VoxelSet(0.1, 10)
    voxels.insert(np.array([[0.01, 0.01, 0.01]]))
    voxels.insert(np.array([[0.03, 0.01, 0.01]]))
    np.testing.assert_allclose(voxels.points, [[0.02, 0.01, 0.01]])


def test_removed_voxels_no_longer_count():
    voxels = VoxelSet(0.1, 10)
    voxels.insert(np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]))
    voxels.remove(voxels.points[:, 0] > 0.5)
    np.testing.assert_allclose(voxels.points, [[0.0, 0.0, 0.0]])


def test_trimming_takes_the_extremes_of_every_axis():
    cloud = np.repeat(np.linspace(0.0, 0.99, 100)[:, None], 3, axis=1)
    low, high = trimmed_bounds(cloud, 0.05)
    np.testing.assert_allclose(low, 0.05)
    np.testing.assert_allclose(high, 0.94)


def test_an_empty_set_has_no_bounds():
    with pytest.raises(ValueError, match="empty"):
        VoxelSet(0.1, 10).bounds(0.0)


@pytest.mark.parametrize(("size", "capacity"), [(0.0, 10), (-1.0, 10), (float("nan"), 10), (0.1, 0)])
def test_a_set_without_size_or_room_is_refused(size, capacity):
    with pytest.raises(ValueError, match="voxel set"):
        VoxelSet(size, capacity)


def test_a_voxel_knows_the_nearest_distance_it_was_measured_from():
    voxels = VoxelSet(0.1, 10)
    voxels.insert(np.array([[0.05, 0.05, 0.05], [0.95, 0.05, 0.05]]), np.array([4.0, 3.0]))
    voxels.insert(np.array([[0.05, 0.05, 0.05]]), np.array([2.0]))
    assert voxels.ranges.tolist() == [2.0, 3.0]
    voxels.remove(voxels.ranges > 2.5)
    assert voxels.points.tolist() == [[0.05, 0.05, 0.05]]
