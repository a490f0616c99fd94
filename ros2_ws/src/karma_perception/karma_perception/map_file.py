# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The mapper's state in one file, so that a robot that is restarted goes on with its map.

One line of JSON (format, version, scene, checksum of the rest), then NumPy's .npz with everything that the map knows:
objects with their points, ids, what was moved, the grids of all floors, rooms and areas.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from karma_perception.areas import Anchor
from karma_perception.association import Candidate
from karma_perception.grasp import Grasp
from karma_perception.grid import StoreyGrid
from karma_perception.map_archive import ArchiveError, Codec
from karma_perception.mapped_object import MappedObject
from karma_perception.mapping import ObjectMap
from karma_perception.pipeline import MapState, PipelineOptions
from karma_perception.places import Area, Level, Passage, PlaceMap, Room
from karma_perception.succession import Departed, Successions
from karma_perception.tracking import Tracker
from karma_perception.voxels import VoxelSet
from karma_perception.whole_file import whole_file

FORMAT = "karma-map"
VERSION = 1
"""Grows with every change that makes older files unreadable."""

_LONGEST_HEADER = 4096


class MapFileError(ValueError):
    """The file holds no map that can be used here, or must not be replaced; the message says why and what to do."""


@dataclass(frozen=True)
class SavedMap:
    """What a map file holds."""

    state: MapState
    sequence: int
    """Of the last update of the scene graph that was published before it was saved."""


def encode_map(saved: SavedMap, options: PipelineOptions) -> bytes:
    """Return a map as the bytes of a file; `options`: those of its pipeline."""
    data, arrays = _codec(options).encode({"sequence": saved.sequence, **vars(saved.state)})
    body = io.BytesIO()
    text = json.dumps({"map": data, "made_with": _made_with(options)}).encode()
    members = {f"a{number}": array for number, array in enumerate(arrays)}
    np.savez(body, allow_pickle=False, json=np.frombuffer(text, np.uint8), **members)
    payload = body.getvalue()
    header = {
        "format": FORMAT,
        "version": VERSION,
        "scene": saved.state.scene,
        "sha256": hashlib.sha256(payload).hexdigest(),
    }
    return json.dumps(header).encode() + b"\n" + payload


def write_map(data: bytes, path: Path | str) -> Path:
    """Write what `encode_map` returned, as a whole or not at all; return the path.

    `MapFileError` rather than replace a file that is no map, or the map of another scene; OSError where nothing can be
    written.
    """
    target = Path(path)
    scene = _header(data, target)["scene"]
    if target.exists():
        with target.open("rb") as file:
            there = _header(file.read(_LONGEST_HEADER), target)["scene"]
        if there != scene:
            raise MapFileError(f"{target} holds the map of scene {there!r}; save that of {scene!r} somewhere else")
    with whole_file(target) as part:
        part.write_bytes(data)
    return target


def read_map(path: Path | str, options: PipelineOptions) -> SavedMap:
    """Return the map in a file, for a pipeline with `options`.

    `MapFileError` for one that is damaged, no map, of another version, or made with another grid; OSError for one that
    can't be read.
    """
    target = Path(path)
    data = target.read_bytes()
    header = _header(data, target)
    payload = data[data.index(b"\n") + 1 :]
    if header["version"] != VERSION:
        raise MapFileError(f"{target} has version {str(header['version'])[:20]}; version {VERSION} can be read")
    if hashlib.sha256(payload).hexdigest() != header["sha256"]:
        raise MapFileError(f"{target} is damaged: its checksum is wrong; take a copy of it, or remove it to start anew")
    try:
        with np.load(io.BytesIO(payload), allow_pickle=False) as members:
            content: Any = json.loads(members["json"].tobytes())
            arrays = [members[f"a{number}"] for number in range(len(members.files) - 1)]
        if content["made_with"] != _made_with(options):
            raise MapFileError(
                f"{target} was made with {content['made_with']}, the parameters say {_made_with(options)}; "
                "set them as they were, or remove the file to start anew"
            )
        known = _codec(options).decode(content["map"], arrays)
        saved = SavedMap(sequence=known.pop("sequence"), state=MapState(**known))
        if saved.state.scene != header["scene"]:
            raise MapFileError(
                f"{target} is damaged: it is of scene {saved.state.scene!r}, and says {header['scene']!r}"
            )
    except (ArchiveError, ValueError, TypeError, KeyError, zipfile.BadZipFile) as error:
        if isinstance(error, MapFileError):
            raise
        raise MapFileError(f"{target} cannot be used: {error}") from error
    return saved


def _header(data: bytes, path: Path) -> dict[str, Any]:
    line, newline, _ = data[:_LONGEST_HEADER].partition(b"\n")
    try:
        header = json.loads(line) if newline else None
    except (ValueError, RecursionError):
        header = None
    if (
        not isinstance(header, dict)
        or header.get("format") != FORMAT
        or not {"version", "scene", "sha256"} <= set(header)
    ):
        raise MapFileError(f"{path} is no map of KARMA")
    return header


def _made_with(options: PipelineOptions) -> dict[str, float]:
    """Return the options that the numbers of cells and lattice squares depend on."""
    return {"grid_size": options.places.grid.resolution, "area_spacing": options.places.area_spacing}


def _codec(options: PipelineOptions) -> Codec:
    voxels = VoxelSet(options.mapping.voxel_size, options.mapping.max_voxels)
    nothing = np.zeros(3)
    return Codec(
        [
            ObjectMap(options.mapping),
            MappedObject("", "", False, voxels, nothing, nothing, 0.0, 0.0, False),
            voxels,
            Tracker(),
            Grasp(),
            Successions(),
            Grasp(),
            PlaceMap(options.places),
            Level(0, 0.0, options.places.grid),
            StoreyGrid(0.0, options.places.grid),
        ],
        values=(Anchor, Area, Candidate, Departed, Passage, Room),
    )
