# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The scenes one can load: each recorded floor plan as a scene of one room, and homes of several."""

from __future__ import annotations

import difflib

from sim_bridge.household.homes import home_names, load_home
from sim_bridge.household.model import Scene
from sim_bridge.household.recorded import floor_plans
from sim_bridge.household.rooms import room_scene


def scene_names() -> tuple[str, ...]:
    """Return every name that `load_scene` knows."""
    return floor_plans() + home_names()


def load_scene(name: str) -> Scene:
    """Load a floor plan ("FloorPlan1") or a home ("home1").

    KeyError with the closest names for an unknown one; RecordingsMissingError when the recordings are not installed.
    """
    require_scene(name)
    return load_home(name) if name in home_names() else room_scene(name)


def require_scene(name: str, *, homes: bool = True) -> None:
    """KeyError with the closest names unless `load_scene` knows the scene; without `homes`, as a floor plan."""
    names = scene_names() if homes else floor_plans()
    if name in names:
        return
    close = difflib.get_close_matches(name, names, n=3)
    known = ", ".join(("FloorPlan1-30, 201-230, 301-330, 401-430", *(home_names() if homes else ())))
    raise KeyError(f"no scene {name!r}: " + (f"did you mean {' or '.join(close)}?" if close else f"they are {known}"))
