# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Episodes of habitat-lab's rearrangement form by file: those of PARTNR and MEMENTO, ReplicaCAD's and one's own.

What the form doesn't have (instructions, propositions to judge by) is left aside here: the robot's instruction comes
from its user.
"""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path
from typing import Any

from sim_bridge.backend import BackendUnavailableError

_FOLDERS = "additional_obj_config_paths"
_FORM: dict[str, Any] = {
    "episode_id": "0",
    "scene_id": "",
    "scene_dataset_config": "",
    _FOLDERS: [],
    "start_position": [0.0, 0.0, 0.0],
    "start_rotation": [0.0, 0.0, 0.0, 1.0],
    "ao_states": {},
    "rigid_objs": [],
    "targets": {},
    "markers": [],
    "target_receptacles": [],
    "goal_receptacles": [],
    "name_to_receptacle": {},
    "info": {"object_labels": {}},
}
"""What an episode of habitat-lab consists of, and what it is without."""

_LOADED = ("scene_id", "scene_dataset_config", _FOLDERS, "ao_states", "rigid_objs")
"""What of an episode is loaded; the rest are goals, and names of places that habitat-lab would look for."""

_SCENE = ".scene_instance.json"


class UnknownEpisodeError(KeyError):
    """A file has no episode with this id: what a backend raises for an unknown scene."""

    def __str__(self) -> str:
        return str(self.args[0])


def read_episode(path: Path, name: str) -> dict[str, Any]:
    """Return one episode of a .json or .json.gz file by its id, its objects' folders with absolute paths.

    UnknownEpisodeError for an unknown id, BackendUnavailableError for a file that can't be read or names what is not
    there.
    """
    episodes = {str(e.get("episode_id", k)): e for k, e in enumerate(_read(path))}
    if name not in episodes:
        some = ", ".join(list(episodes)[:10])
        raise UnknownEpisodeError(f"{path} has no episode {name!r}: it has {len(episodes)}, such as {some}")
    found = episodes[name]
    if not found.get("scene_id"):
        raise BackendUnavailableError(f"episode {name} of {path} names no scene")
    episode = _FORM | {key: found.get(key) or _FORM[key] for key in _LOADED}
    episode[_FOLDERS] = [str(_located(str(p), path)) for p in episode[_FOLDERS]]
    return episode


def scene_alone(scene: str, dataset: Path) -> dict[str, Any]:
    """Return an episode that is nothing but a scene of a dataset as it is."""
    return _FORM | {"scene_id": scene, "scene_dataset_config": str(dataset)}


def with_dataset(episode: dict[str, Any], file: Path, chosen: Path | None) -> dict[str, Any]:
    """Return an episode of a file with the scene dataset to load: the one chosen, else its own.

    A chosen one has the episode's scene by its name, wherever the episode says that it lies.
    BackendUnavailableError where there is no dataset.
    """
    if chosen is not None:
        scene = Path(str(episode["scene_id"])).name.removesuffix(_SCENE)
        return episode | {"scene_dataset_config": str(checked_dataset(chosen)), "scene_id": scene}
    named = str(episode["scene_dataset_config"])
    if not named:
        raise BackendUnavailableError("the episode names no scene dataset: name it with habitat_dataset")
    return episode | {"scene_dataset_config": str(_located(named, file))}


def checked_dataset(chosen: Path) -> Path:
    """Return a scene dataset's absolute path; BackendUnavailableError where there is none."""
    if not chosen.is_file():
        raise BackendUnavailableError(f"there is no scene dataset {chosen}: habitat_dataset names a file")
    return chosen.absolute()


def _read(path: Path) -> list[dict[str, Any]]:
    try:
        data = path.read_bytes()
        read = json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    except (OSError, EOFError, zlib.error, ValueError, RecursionError) as error:
        raise BackendUnavailableError(f"{path} can't be read as episodes: {error}") from error
    episodes = read.get("episodes") if isinstance(read, dict) else None
    if not isinstance(episodes, list) or not all(isinstance(e, dict) for e in episodes):
        raise BackendUnavailableError(f'{path} has no list of "episodes"')
    if not all(isinstance(e.get(_FOLDERS) or [], list) for e in episodes):
        raise BackendUnavailableError(f'{path} has an episode whose "{_FOLDERS}" is no list')
    return episodes


def _located(name: str, beside: Path) -> Path:
    """Return the absolute path of what an episode names, which is mostly relative to the folder that has `data`."""
    for folder in (Path.cwd(), *beside.absolute().parents):
        if (folder / name).exists():
            return (folder / name).absolute()
    raise BackendUnavailableError(
        f"{beside} needs {name}, which is neither below the working folder nor below a folder around the file: "
        "download its dataset, or name another with habitat_dataset (docs/habitat.md)"
    )
