# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""EB-ALFRED's tasks as upstream's files say them: an instruction, a room with its things, and the goal.

Files: `splits/SPLIT.json` lists the tasks; `json_2.1.0/SCENE_NAME/pp/ann_N.json` is ALFRED's trial with the floor plan,
the objects' poses and the parameters of its PDDL goal. Nothing but the instruction and the room reaches the agent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from sim_bridge.household.model import CELL, Cell, Scene
from sim_bridge.household.poses import posed, thor_pose
from sim_bridge.household.scenes import load_scene

SPLITS = ("base", "common_sense", "complex_instruction", "long_horizon", "spatial", "visual_appearance")
"""The benchmark's subsets, in the order of the paper's tables."""


class DataError(ValueError):
    """The folder does not hold EB-ALFRED's files; the message says what is missing."""


@dataclass(frozen=True)
class PddlGoal:
    """What the benchmark wants to be true: ALFRED's parameters of the goal. For the judge only."""

    kind: str
    """ALFRED's type of task, such as "pick_heat_then_place_in_recep"."""
    thing: str
    """Type of the object; with "Sliced" at its end, a slice of it."""
    place: str
    """Type of the furniture where it is to be; empty for looking at something."""
    vessel: str
    """Type of what can be carried and is to hold the object; mostly empty."""
    lamp: str
    """Type of the lamp that is to be lit; mostly empty."""


@dataclass(frozen=True)
class Task:
    """One task of a split."""

    split: str
    number: int
    """Its place in the split, from 0."""
    instruction: str
    goal: PddlGoal
    trial: Path

    @cached_property
    def _room(self) -> Mapping[str, Any]:
        room: Mapping[str, Any] = _json(self.trial)["scene"]
        return room

    @property
    def floor_plan(self) -> str:
        """Name of the room."""
        return str(self._room["floor_plan"])

    def scene(self) -> Scene:
        """Return the room with its things, lamps and dirt as the task wants them; the robot where it begins."""
        room = self._room
        poses = [thor_pose(p["objectName"], p["position"], p["rotation"]) for p in room["object_poses"]]
        toggles = {str(t["objectType"]): bool(t["isOn"]) for t in room["object_toggles"]}
        scene = posed(load_scene(self.floor_plan), poses, toggles=toggles, dirty=bool(room["dirty_and_empty"]))
        begin = room["init_action"]
        return replace(scene, start=_nearest(scene, float(begin["x"]), float(begin["z"])))


def load(data: Path) -> dict[str, list[Task]]:
    """Return the tasks by split, in the order of the files. DataError says what the folder lacks."""
    found = {}
    for split in SPLITS:
        file = _split(data, split)
        if file.is_file():
            found[split] = [_task(data, split, number, entry) for number, entry in enumerate(_json(file))]
    if not found:
        raise DataError(f"{data} holds no EB-ALFRED: there is no splits/{SPLITS[0]}.json in it")
    return found


def files(data: Path) -> list[Path]:
    """Return the files that the tasks are read from. DataError as of `load`."""
    trials = [task.trial for tasks in load(data).values() for task in tasks]
    return [*(file for split in SPLITS if (file := _split(data, split)).is_file()), *trials]


def _split(data: Path, split: str) -> Path:
    return data / "splits" / f"{split}.json"


def _task(data: Path, split: str, number: int, entry: Mapping[str, Any]) -> Task:
    trial = data / "json_2.1.0" / str(entry["full_scene_name"]) / "pp" / f"ann_{int(entry['repeat_idx'])}.json"
    if not trial.is_file():
        raise DataError(f"{trial} is missing: task {number} of {split} needs it")
    goal = _json(trial)["pddl_params"]
    thing = str(goal["object_target"])
    if goal["object_sliced"] and not thing.endswith("Sliced"):
        thing += "Sliced"
    parameters = (str(goal[name]) for name in ("parent_target", "mrecep_target", "toggle_target"))
    return Task(
        split,
        number,
        str(entry["task description"]),
        PddlGoal(str(entry["task type"]), thing, *parameters),
        trial,
    )


def _nearest(scene: Scene, x: float, y: float) -> Cell:
    """Return the free cell nearest to a point, metres in the map frame."""
    return min(scene.free, key=lambda cell: ((cell[0] * CELL - x) ** 2 + (cell[1] * CELL - y) ** 2, cell))


def _json(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DataError(f"{file} is no JSON: {error}") from error
