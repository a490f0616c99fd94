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

from karma_perception.objects.association import Candidate
from karma_perception.objects.grasp import Grasp
from karma_perception.objects.mapped_object import MappedObject
from karma_perception.objects.mapping import ObjectMap
from karma_perception.objects.seen_space import SeenSpace
from karma_perception.objects.succession import Stay, Successions
from karma_perception.objects.tracking import Tracker
from karma_perception.objects.voxels import VoxelSet
from karma_perception.pipeline import MapState, PerceptionPipeline, PipelineOptions
from karma_perception.places.areas import Anchor
from karma_perception.places.grid import GridOptions, StoreyGrid
from karma_perception.places.place import Area, Passage, PlaceOptions, Room
from karma_perception.places.places import Level, PlaceMap
from karma_perception.saved_map.archive import ArchiveError, Codec
from karma_perception.saved_map.versions import STEPS, VERSION, Step
from karma_perception.saved_map.whole_file import whole_file

FORMAT = "karma-map"
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

    `MapFileError` for one that is damaged, no map, of a newer version, or made with another grid; OSError for one that
    can't be read.
    """
    content = _Content.read(Path(path))
    if content.made_with != _made_with(options):
        raise MapFileError(
            f"{path} was made with {content.made_with}, the parameters say {_made_with(options)}; "
            "set them as they were, or remove the file to start anew"
        )
    return content.decode(options)


def open_map(path: Path | str) -> PerceptionPipeline:
    """Return a pipeline with the map in a file, to look at, whatever grid it was made with. Errors as of `read_map`."""
    content = _Content.read(Path(path))
    grid, spacing = content.made_with["grid_size"], content.made_with["area_spacing"]
    options = PipelineOptions(places=PlaceOptions(grid=GridOptions(resolution=grid), area_spacing=spacing))
    pipeline = PerceptionPipeline(options)
    pipeline.resume(content.decode(options).state)
    return pipeline


@dataclass(frozen=True)
class _Content:
    """A file whose checksum is right."""

    path: Path
    version: int
    scene: str
    made_with: dict[str, float]
    map: Any
    arrays: list[np.ndarray[Any, Any]]

    @classmethod
    def read(cls, path: Path) -> _Content:
        data = path.read_bytes()
        header = _header(data, path)
        payload = data[data.index(b"\n") + 1 :]
        version = header["version"]
        if not isinstance(version, int) or version not in STEPS:
            raise MapFileError(
                f"{path} has version {str(version)[:20]}, this karma_perception knows up to {VERSION}: update KARMA, "
                "or name another file"
            )
        if hashlib.sha256(payload).hexdigest() != header["sha256"]:
            raise MapFileError(f"{path} is damaged: its checksum is wrong; take a copy of it, or remove it")
        try:
            with np.load(io.BytesIO(payload), allow_pickle=False) as members:
                content = json.loads(members["json"].tobytes())
                arrays = [members[f"a{number}"] for number in range(len(members.files) - 1)]
            made_with = {name: float(content["made_with"][name]) for name in ("grid_size", "area_spacing")}
            return cls(path, version, header["scene"], made_with, content["map"], arrays)
        except (ValueError, TypeError, KeyError, zipfile.BadZipFile) as error:
            raise MapFileError(f"{path} cannot be used: {error}") from error

    def decode(self, options: PipelineOptions) -> SavedMap:
        try:
            known = _codec(options, STEPS[self.version]).decode(self.map, self.arrays)
            saved = SavedMap(sequence=known.pop("sequence"), state=MapState(**known))
        except (ArchiveError, TypeError, KeyError, AttributeError) as error:
            raise MapFileError(f"{self.path} cannot be used: {error}") from error
        if saved.state.scene != self.scene:
            raise MapFileError(f"{self.path} is damaged: it says that its scene is {self.scene!r}, but it is another")
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


def _codec(options: PipelineOptions, step: Step | None = None) -> Codec:
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
            SeenSpace(),
            PlaceMap(options.places),
            Level(0, 0.0, options.places.grid),
            StoreyGrid(0.0, options.places.grid),
        ],
        values=(Anchor, Area, Candidate, Passage, Room, Stay),
        step=step,
    )
