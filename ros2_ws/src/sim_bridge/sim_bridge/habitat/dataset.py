# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A household scene as a Habitat scene dataset: a stage, an object file for each object, and their places.

Furniture is rigid: what opens is written as it is now, and written again when that changes (`write_object`). The
navmesh is not written: Habitat computes it from the stage and the furniture when it loads the scene.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sim_bridge.backend import Point
from sim_bridge.habitat.frames import to_habitat
from sim_bridge.habitat.meshes import box_part, write_glb
from sim_bridge.habitat.spot import spot_urdf
from sim_bridge.household.furnishing import Furnishing, furnish
from sim_bridge.household.model import ObjectState, Scene
from sim_bridge.household.palette import CEILING, STEP, WALL, color_of
from sim_bridge.household.structure import structure
from sim_bridge.household.world import World

AGENT_RADIUS = 0.09
"""Metres; the recorded rooms' free cells come this near to the furniture, so no wider body gets everywhere."""

DATASET = "karma.scene_dataset_config.json"
SPOT = "spot.urdf"
_MANIFEST = "karma.json"
_FORMAT = 1


class DatasetError(ValueError):
    """A folder is no dataset of this project's, or not of this version."""


@dataclass(frozen=True)
class Manifest:
    """What a dataset of ours says about itself."""

    scene: str
    """Name of the household scene, and of the scene instance."""
    templates: dict[str, str]
    """Object id → name of its object file, one for each object."""
    semantic_ids: dict[str, int]
    """Object id → semantic id, from 1 up; the stage and everything else has 0."""


def export(scene: Scene, folder: Path) -> Manifest:
    """Write a scene's dataset to a folder, with a Spot of primitives beside it.

    What something closed hides is written like the rest: the furniture around it hides it.
    """
    for name in ("stages", "objects", "scenes", "urdf"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    world, furnishing = World(scene), furnish(scene)
    _write_stage(scene, world, furnishing, folder / "stages")
    templates: dict[str, str] = {}
    semantic_ids: dict[str, int] = {}
    instances = []
    for spec in scene.objects:
        if spec.category == "Floor":
            continue
        semantic_ids[spec.id] = len(semantic_ids) + 1
        templates[spec.id] = template_name(spec.category, semantic_ids[spec.id])
        state = world.object_state(spec.id)
        write_object(
            folder / "objects",
            templates[spec.id],
            furnishing,
            state,
            world.boxes[spec.id].center,
            semantic_ids[spec.id],
        )
        instances.append(
            {
                "template_name": templates[spec.id],
                "translation": _rounded(to_habitat(world.boxes[spec.id].center)),
                "rotation": [1, 0, 0, 0],
                "motion_type": "KINEMATIC" if spec.movable else "STATIC",
                "translation_origin": "asset_local",
            }
        )
    (folder / "urdf" / SPOT).write_text(spot_urdf(), encoding="utf-8")
    instance = {
        "stage_instance": {"template_name": scene.name},
        "object_instances": instances,
        "default_lighting": "",
        "user_defined": {},
    }
    _write_json(folder / "scenes" / f"{scene.name}.scene_instance.json", instance)
    parts = {"stages": "stages", "objects": "objects", "scene_instances": "scenes"}
    config: dict[str, Any] = {key: {"paths": {".json": [name]}} for key, name in parts.items()}
    config["articulated_objects"] = {"paths": {".urdf": ["urdf"]}}
    _write_json(folder / DATASET, config)
    manifest = Manifest(scene.name, templates, semantic_ids)
    _write_json(folder / _MANIFEST, {"format": _FORMAT, **asdict(manifest)})
    return manifest


def read_manifest(folder: Path) -> Manifest:
    """Read what a dataset of ours says about itself. DatasetError where there is none, or one of another version."""
    try:
        read = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise DatasetError(f"{folder} is no dataset that ./karma export wrote: {error}") from error
    if not isinstance(read, dict) or read.get("format") != _FORMAT:
        raise DatasetError(f"{folder} was written by another version: export it again")
    scene, templates, semantic_ids = (read.get(name) for name in ("scene", "templates", "semantic_ids"))
    if not (isinstance(scene, str) and isinstance(templates, dict) and isinstance(semantic_ids, dict)):
        raise DatasetError(f"{folder} is damaged ({_MANIFEST}): export it again")
    return Manifest(scene, templates, semantic_ids)


def template_name(category: str, number: int) -> str:
    """Return a name for an object file; one number names one file."""
    return f"{re.sub(r'[^A-Za-z0-9]+', '_', category)}_{number:04d}"


def write_object(
    folder: Path, template: str, furnishing: Furnishing, state: ObjectState, middle: Point, semantic_id: int = 0
) -> Path:
    """Write an object as it is now, its origin in the middle of its box (map frame); return its object file."""
    parts = furnishing.shape(state)
    write_glb(folder / f"{template}.glb", [(p, color_of(state.category)) for p in parts], middle)
    config = {
        "render_asset": f"{template}.glb",
        "collision_asset": f"{template}.glb",
        "semantic_id": semantic_id,
        "shader_type": "phong",
        "mass": 1.0,
        "COM": [0, 0, 0],
        "join_collision_meshes": state.movable,
        "user_defined": {"karma_id": state.id, "category": state.category},
    }
    path = folder / f"{template}.object_config.json"
    _write_json(path, config)
    return path


def _write_stage(scene: Scene, world: World, furnishing: Furnishing, folder: Path) -> None:
    around = structure(scene)
    parts = [
        (box_part(box), color)
        for boxes, color in ((around.walls, WALL), (around.steps, STEP), (around.ceilings, CEILING))
        for box in boxes
    ]
    for spec in scene.objects:
        if spec.category == "Floor":
            color = color_of(spec.category)
            parts += [(p, color) for p in furnishing.shape(world.object_state(spec.id))]
    write_glb(folder / f"{scene.name}.glb", parts, (0.0, 0.0, 0.0))
    config = {
        "render_asset": f"{scene.name}.glb",
        "collision_asset": f"{scene.name}.glb",
        "up": [0, 1, 0],
        "front": [0, 0, -1],
        "shader_type": "phong",
    }
    _write_json(folder / f"{scene.name}.stage_config.json", config)


def _rounded(point: Any) -> list[float]:
    return [round(float(v), 5) for v in point]


def _write_json(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
