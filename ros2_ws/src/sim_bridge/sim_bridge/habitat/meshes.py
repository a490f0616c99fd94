# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The household's primitives as GLB files in Habitat's frame."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import trimesh
from trimesh.visual import TextureVisuals
from trimesh.visual.material import PBRMaterial

from sim_bridge.backend import Point
from sim_bridge.habitat.frames import to_habitat
from sim_bridge.household.model import Box
from sim_bridge.household.palette import Color
from sim_bridge.household.primitives import Primitive

_SIDES = 24
_ROUNDNESS = 3


def write_glb(path: Path, parts: Iterable[tuple[Primitive, Color]], origin: Point) -> None:
    """Write primitives (map frame) with their colours as one file whose origin is `origin` (map frame)."""
    of_color: dict[tuple[int, ...], list[trimesh.Trimesh]] = defaultdict(list)
    for part, color in parts:
        shade = tuple(round(255 * min(1.0, part.tone * c)) for c in color)
        of_color[shade].append(_mesh(part, origin))
    scene = trimesh.Scene()
    for i, (shade, meshes) in enumerate(of_color.items()):
        mesh = trimesh.util.concatenate(meshes)
        mesh.visual = TextureVisuals(
            material=PBRMaterial(baseColorFactor=[*shade, 255], metallicFactor=0.0, roughnessFactor=0.9)
        )
        scene.add_geometry(mesh, node_name=f"part_{i}", geom_name=f"part_{i}")
    path.write_bytes(trimesh.exchange.gltf.export_glb(scene, include_normals=True))


def box_part(box: Box) -> Primitive:
    """Return a box as a primitive."""
    x, y, z = box.size
    return Primitive("box", box.center, (x / 2, y / 2, z / 2))


def _mesh(part: Primitive, origin: Point) -> Any:
    """Return a primitive as a mesh in Habitat's frame, with a normal for each face's own corners."""
    if part.kind == "box":
        mesh = trimesh.creation.box(extents=(2.0, 2.0, 2.0))
    elif part.kind == "cylinder":
        mesh = trimesh.creation.cylinder(radius=1.0, height=2.0, sections=_SIDES)
    else:
        mesh = trimesh.creation.icosphere(subdivisions=_ROUNDNESS, radius=1.0)
    c, s = np.cos(part.yaw), np.sin(part.yaw)
    corners = mesh.vertices * np.array(part.half)
    corners = corners @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    mesh.vertices = to_habitat(corners + np.array(part.center) - np.array(origin))
    mesh.unmerge_vertices()
    return mesh
