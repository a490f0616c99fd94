# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The Python that has Habitat: which one it is, the environment that it needs, and what its errors mean."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from sim_bridge.backend import BackendUnavailableError

PYTHON_VARIABLE = "KARMA_HABITAT_PYTHON"
"""Environment variable that names the interpreter that has habitat-sim."""

_NOT_PASSED_ON = frozenset(("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "VIRTUAL_ENV", "AMENT_PREFIX_PATH"))

_KNOWN = (
    (
        r"unable to find (CUDA|EGL)|EGL device|eglInitialize|WindowlessContext|GL::Context|lib(EGL|GL|OpenGL)\b.*\.so",
        "habitat-sim found no OpenGL for pictures: it needs EGL (Debian: libegl1 libegl-mesa0 libgl1-mesa-dri) and a "
        "build with --headless",
    ),
    (
        r"mutable default .* for field",
        "a habitat-lab from before 2026-02 runs on Python 3.9 or 3.10 only: install habitat-lab==0.3.320260507",
    ),
    (
        r"compiled using NumPy 1|numpy\.core\.multiarray failed|numpy\.dtype size changed|_ARRAY_API not found",
        "it has another numpy than habitat-sim was built for: install numpy==1.26.4 there",
    ),
    (
        r"has no attribute '_?(get_)?sensors?'",
        "habitat-lab and habitat-sim don't fit together: build habitat-sim from the tag v0.3.4 for habitat-lab "
        "0.3.320260507, or v0.3.3 for habitat-lab v0.3.3",
    ),
    (r"not downloaded locally", "a data set that the scene needs is not on this machine"),
    (r"Template not found", "the episode names an object that no dataset and no additional_obj_config_paths has"),
)


def find_python(given: str = "") -> str:
    """Return the interpreter that has habitat-sim: `given`, or what the environment names.

    BackendUnavailableError without one.
    """
    named = given or os.environ.get(PYTHON_VARIABLE, "")
    if not named:
        raise BackendUnavailableError(
            "the habitat backend runs in the Python that has habitat-sim and habitat-lab: name that interpreter with "
            f"the parameter habitat_python or in {PYTHON_VARIABLE} (docs/habitat.md says how to install them)"
        )
    found = shutil.which(os.path.expanduser(named))
    if found is None:
        raise BackendUnavailableError(f"{named!r} is no program: name the Python that has habitat-sim")
    # An environment's Python is a link, which must not be followed.
    return os.path.abspath(found)


def worker_environment(ours: Mapping[str, str]) -> dict[str, str]:
    """Return the worker's environment: without what leads another Python to this one's packages and libraries."""
    kept = {k: v for k, v in ours.items() if k not in _NOT_PASSED_ON and not k.startswith("_ROS_WHEELS")}
    libraries = kept.pop("LD_LIBRARY_PATH", "").split(os.pathsep)
    libraries = [path for path in libraries if path and not path.startswith(sys.prefix)]
    if libraries:
        kept["LD_LIBRARY_PATH"] = os.pathsep.join(libraries)
    kept["PYTHONPATH"] = str(Path(__file__).parent / "child")
    kept.setdefault("MAGNUM_LOG", "default")
    kept.setdefault("HABITAT_SIM_LOG", "error")
    return kept


def explained(message: str) -> str:
    """Return what habitat said, after what it means where that is known."""
    for pattern, meaning in _KNOWN:
        if re.search(pattern, message, re.IGNORECASE):
            return f"{meaning}. It said: {message}"
    return message
