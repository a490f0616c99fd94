# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Episodes by file."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from sim_bridge.backend import BackendUnavailableError
from sim_bridge.habitat.episodes import UnknownEpisodeError, read_episode, with_dataset

EPISODE: dict[str, Any] = {
    "episode_id": "12",
    "scene_id": "flat",
    "scene_dataset_config": "data/flats/flats.scene_dataset_config.json",
    "additional_obj_config_paths": ["data/objects"],
    "rigid_objs": [["mug.object_config.json", [[1, 0, 0, 1], [0, 1, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]]]],
    "name_to_receptacle": {"mug_:0000": "table|x"},
    "instruction": "Bring the mug.",
    "evaluation_propositions": [{"function_name": "is_on_top"}],
    "object_states": {},
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder as habitat's downloads have it."""
    (tmp_path / "data" / "flats").mkdir(parents=True)
    (tmp_path / "data" / "objects").mkdir()
    (tmp_path / "data" / "episodes").mkdir()
    (tmp_path / "data" / "flats" / "flats.scene_dataset_config.json").write_text("{}")
    return tmp_path / "data"


def written(folder: Path, *episodes: dict[str, Any], name: str = "some.json.gz") -> Path:
    path = folder / name
    text = json.dumps({"config": None, "episodes": episodes}).encode()
    path.write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    return path


@pytest.mark.parametrize("name", ["some.json.gz", "some.json"])
def test_an_episode_of_partnr_is_read_with_its_paths_found(data: Path, name: str) -> None:
    file = written(data / "episodes", EPISODE, name=name)
    episode = with_dataset(read_episode(file, "12"), file, None)
    assert episode["scene_id"] == "flat"
    assert episode["scene_dataset_config"] == str(data / "flats" / "flats.scene_dataset_config.json")
    assert episode["additional_obj_config_paths"] == [str(data / "objects")]
    assert episode["rigid_objs"] == EPISODE["rigid_objs"]
    assert episode["info"] == {"object_labels": {}}
    assert not episode["name_to_receptacle"], "habitat-lab would look for that place"
    assert not {"instruction", "evaluation_propositions", "object_states"} & set(episode), "habitat-lab refuses them"


def test_an_unknown_episode_is_told_those_there_are(data: Path) -> None:
    with pytest.raises(UnknownEpisodeError, match="no episode '13': it has 1, such as 12"):
        read_episode(written(data, EPISODE), "13")


def test_what_is_not_on_this_machine_is_named(data: Path) -> None:
    far = written(data, EPISODE | {"scene_dataset_config": "data/hssd/hssd.scene_dataset_config.json"})
    with pytest.raises(BackendUnavailableError, match=r"needs data/hssd/.*download.*habitat_dataset"):
        with_dataset(read_episode(far, "12"), far, None)
    with pytest.raises(BackendUnavailableError, match=r"needs data/ycb, which"):
        read_episode(written(data, EPISODE | {"additional_obj_config_paths": ["data/ycb"]}), "12")


NO_LIST = b'{"episodes": [{"scene_id": "a", "additional_obj_config_paths": 1.5}]}'


@pytest.mark.parametrize(
    "content",
    [b"", b"\x1f\x8bno", b"[1]", b'{"episodes": {}}', b'{"episodes": [1]}', b"\xff", b"[" * 100_000, NO_LIST],
    ids=["empty", "no gzip", "list", "object", "number", "no text", "deep", "folders"],
)
def test_what_is_no_file_of_episodes_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.json.gz").write_bytes(content)
    with pytest.raises(BackendUnavailableError, match=r"bad\.json\.gz"):
        read_episode(tmp_path / "bad.json.gz", "0")
    with pytest.raises(BackendUnavailableError, match="can't be read"):
        read_episode(tmp_path / "none.json.gz", "0")


def test_an_episode_needs_a_scene(data: Path) -> None:
    with pytest.raises(BackendUnavailableError, match="names no scene"):
        read_episode(written(data, EPISODE | {"scene_id": ""}), "12")


def test_the_dataset_is_the_one_chosen_or_the_episodes(data: Path) -> None:
    scene = {"scene_id": "data/hssd/scenes/flat.scene_instance.json"}
    file = written(data, EPISODE | scene | {"scene_dataset_config": "data/hssd/hssd.scene_dataset_config.json"})
    episode = read_episode(file, "12")
    other = data / "other.scene_dataset_config.json"
    with pytest.raises(BackendUnavailableError, match="no scene dataset"):
        with_dataset(episode, file, other)
    other.write_text("{}")
    loaded = with_dataset(episode, file, other)
    assert loaded["scene_dataset_config"] == str(other)
    assert loaded["scene_id"] == "flat", "wherever the episode's own dataset would have it"
    with pytest.raises(BackendUnavailableError, match="habitat_dataset"):
        with_dataset(episode | {"scene_dataset_config": ""}, file, None)
