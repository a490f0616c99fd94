# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import logging
import subprocess
import sys

import numpy as np
import pytest

from karma_perception.objects import point_clouds
from karma_perception.objects.point_clouds import Open3DError, open3d, statistical_outliers


@pytest.fixture
def with_open3d():
    try:
        return open3d()
    except Open3DError as error:
        pytest.skip(str(error))


@pytest.fixture
def without_open3d(monkeypatch):
    def missing(name):
        raise ModuleNotFoundError(f"No module named {name!r}")

    monkeypatch.setattr(point_clouds.importlib, "import_module", missing)
    caches = (point_clouds.open3d, point_clouds._open3d_or_none)
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


def a_face_with_strays():
    """Return a face of 20 x 20 points, 2 cm apart, and four points 0.2 m and more behind it."""
    across = np.stack(np.meshgrid(np.arange(20) * 0.02, np.arange(20) * 0.02), axis=-1).reshape(-1, 2)
    face = np.concatenate((np.ones((400, 1)), across), axis=1)
    strays = np.array([[1.2, 0.1, 0.1], [1.4, 0.3, 0.1], [1.5, 0.2, 0.3], [1.3, 0.0, 0.4]])
    return np.concatenate((face, strays))


def test_points_that_stand_off_are_found_and_no_others(with_open3d):
    gone = statistical_outliers(a_face_with_strays(), 2.0)
    assert np.flatnonzero(gone).tolist() == [400, 401, 402, 403]


def test_few_points_have_no_outliers():
    assert not statistical_outliers(a_face_with_strays()[-10:], 2.0).any()


def test_without_open3d_nothing_is_dropped_and_it_is_said_once(without_open3d, caplog):
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            assert not statistical_outliers(a_face_with_strays(), 2.0).any()
    assert len(caplog.records) == 1
    assert "./karma setup" in caplog.text


def test_without_open3d_the_error_says_what_to_do(without_open3d):
    with pytest.raises(Open3DError, match=r"\./karma setup"):
        open3d()


def test_nothing_loads_open3d_before_it_is_needed():
    code = "import sys, karma_perception.pipeline, karma_perception.export; print('open3d.pybind' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False"


def test_the_whole_package_can_still_be_imported_afterwards(with_open3d):
    assert "open3d" not in sys.modules or hasattr(sys.modules["open3d"], "__version__")
