# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The scenes that Habitat can be asked for, and what the skills need to know of each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sim_bridge.backend import BackendUnavailableError, Point
from sim_bridge.factory import BackendOptions
from sim_bridge.habitat.client import HabitatClient, LoadedScene
from sim_bridge.habitat.dataset import AGENT_RADIUS, DATASET, SPOT, export, read_manifest
from sim_bridge.habitat.episodes import checked_dataset, read_episode, scene_alone, with_dataset
from sim_bridge.habitat.foreign import SPOT_RADIUS, foreign_scene
from sim_bridge.habitat.spot import spot_urdf
from sim_bridge.household.model import CELL, Scene
from sim_bridge.household.scenes import load_scene
from sim_bridge.household.structure import floor_height

_NEAR = 0.12
"""Metres from a cell's middle within which the navmesh must come."""

_ABOVE = 0.4
"""Metres by which the navmesh may lie above or below the floor."""


@dataclass(frozen=True)
class LoadedHome:
    """A scene that Habitat has loaded, as the skills need it."""

    name: str
    """As it was asked for."""
    scene: Scene
    numbers: Mapping[str, int]
    """Object id → Habitat's number."""
    forms: Path | None
    """Where objects are written that change their form; None where Habitat's own joints move."""


def open_scene(
    name: str, options: BackendOptions, habitat: HabitatClient, folder: Path, view: Mapping[str, Any]
) -> LoadedHome:
    """Load a scene; `folder` is for what is written for it; `view`: see `HabitatClient.load`.

    KeyError for an unknown name, BackendUnavailableError for one that can't be loaded here.
    """
    if options.habitat_episodes or options.habitat_dataset:
        return _open_foreign(name, options, habitat, folder, view)
    return _open_household(load_scene(name), options, habitat, folder / name, view)


def _open_household(
    scene: Scene, options: BackendOptions, habitat: HabitatClient, folder: Path, view: Mapping[str, Any]
) -> LoadedHome:
    manifest = read_manifest(folder) if folder.exists() else export(scene, folder)
    loaded = habitat.load(
        episode=scene_alone(scene.name, folder / DATASET),
        spot=_path(options.habitat_spot) or folder / "urdf" / SPOT,
        agent_radius=AGENT_RADIUS,
        view=view,
    )
    numbers = numbered(scene, loaded, manifest.templates)
    forms = folder / "forms"
    forms.mkdir(exist_ok=True)
    return LoadedHome(scene.name, drivable(scene, habitat), numbers, forms)


def _open_foreign(
    name: str, options: BackendOptions, habitat: HabitatClient, folder: Path, view: Mapping[str, Any]
) -> LoadedHome:
    episodes, dataset = _path(options.habitat_episodes), _path(options.habitat_dataset)
    if episodes is not None:
        episode = with_dataset(read_episode(episodes, name), episodes, dataset)
    else:
        episode = scene_alone(name, checked_dataset(dataset or Path()))
    spot = _path(options.habitat_spot)
    if spot is None:
        spot = folder / SPOT
        spot.write_text(spot_urdf(), encoding="utf-8")
    loaded = habitat.load(episode=episode, spot=spot, agent_radius=SPOT_RADIUS, view=view)
    scene, numbers = foreign_scene(name, loaded, habitat, _path(options.habitat_objects))
    return LoadedHome(name, scene, numbers, None)


def _path(file: str) -> Path | None:
    return Path(file).expanduser() if file else None


def numbered(scene: Scene, loaded: LoadedScene, templates: Mapping[str, str]) -> dict[str, int]:
    """Return Habitat's number of each object that was written for it; `templates`: object id → its object file's name.

    BackendUnavailableError where Habitat didn't load one.
    """
    of_template = {o.template: o.number for o in loaded.objects}
    missing = [name for name, template in templates.items() if template not in of_template]
    if missing:
        raise BackendUnavailableError(
            f"habitat loaded {len(loaded.objects)} objects of {scene.name}, but not {', '.join(missing[:5])}"
            f"{' and others' if len(missing) > 5 else ''}"
        )
    return {name: of_template[template] for name, template in templates.items()}


def drivable(scene: Scene, habitat: HabitatClient) -> Scene:
    """Return a scene whose free cells are those that Habitat's navmesh reaches from its start; stairs stay.

    BackendUnavailableError where it reaches none.
    """
    stairs = {cell for doorway in scene.doorways if doorway.stairs for cell in doorway.cells}
    cells = [cell for cell in scene.free if cell not in stairs]
    points = np.array([_floor_point(scene, cell) for cell in cells])
    found = habitat.snap(points, _floor_point(scene, scene.start))
    away = np.hypot(*(found - points)[:, :2].T)
    near = (away <= _NEAR) & (np.abs(found - points)[:, 2] <= _ABOVE)
    free = {cell: scene.free[cell] for cell, good in zip(cells, near.tolist(), strict=True) if good}
    if not free:
        raise BackendUnavailableError(f"habitat's navmesh reaches no free place of {scene.name}")
    start = min(free, key=lambda c: (c[2] != scene.start[2], math.dist(c[:2], scene.start[:2]), c))
    return replace(scene, free=free | {cell: scene.free[cell] for cell in stairs}, start=start)


def _floor_point(scene: Scene, cell: tuple[int, int, int]) -> Point:
    return cell[0] * CELL, cell[1] * CELL, floor_height(scene, cell[2])
