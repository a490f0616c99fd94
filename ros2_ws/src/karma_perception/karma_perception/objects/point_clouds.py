# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Open3D's compiled core, loaded when it is first needed, and what perception does with it while it runs."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import logging
import sys
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from karma_perception.frames.camera import FloatArray

_LOG = logging.getLogger(__name__)

_NEIGHBOURS = 12
"""Points whose distance tells whether a point stands off."""


class Open3DError(RuntimeError):
    """Open3D cannot be loaded, or could not do what it was asked to; the message says why."""


@functools.cache
def open3d() -> ModuleType:
    """Return Open3D's compiled core (`core`, `geometry`, `io`, `t`, `utility`). `Open3DError` where it is missing.

    ``import open3d`` runs a file that also imports web servers and plots (dash, plotly, flask: 300 MB that we need
    nothing of). What is compiled is complete without them, so it is loaded past that file.
    """
    found = None if "open3d" in sys.modules else importlib.util.find_spec("open3d")
    if found is not None and found.submodule_search_locations:
        package = ModuleType("open3d")
        package.__path__ = list(found.submodule_search_locations)
        sys.modules["open3d"] = package
    try:
        core = importlib.import_module("open3d.pybind")
    except ImportError as error:
        raise Open3DError(
            f"Open3D cannot be loaded: {error}; `./karma setup` installs it, `./karma doctor` says what it lacks"
        ) from error
    finally:
        if found is not None:
            sys.modules.pop("open3d", None)  # so that whoever wants all of it can still import it
    core.utility.set_verbosity_level(core.utility.VerbosityLevel.Error)
    return core


def statistical_outliers(points: FloatArray, ratio: float) -> NDArray[np.bool_]:
    """Return which points, (n,), are farther from their neighbours than the mean and `ratio` standard deviations.

    `points`: (n, 3), metres. None of fewer than 20 points, and none where Open3D is missing, which is told once.
    """
    outliers = np.zeros(len(points), dtype=bool)
    if len(points) < 20:
        return outliers
    o3d = _open3d_or_none()
    if o3d is not None:
        cloud = o3d.geometry.PointCloud(o3d.utility.Vector3dVector(points))
        _, kept = cloud.remove_statistical_outlier(_NEIGHBOURS, ratio)
        outliers[:] = True
        outliers[np.asarray(kept, dtype=np.intp)] = False
    return outliers


@functools.cache
def _open3d_or_none() -> ModuleType | None:
    try:
        return open3d()
    except Open3DError as error:
        _LOG.warning("points beside and behind things are not taken out of them: %s", error)
        return None
