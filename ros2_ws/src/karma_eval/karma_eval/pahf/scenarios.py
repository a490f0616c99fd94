# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The scenarios of PAHF in the layout of its authors, cut into what the robot sees and what only the judge knows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FETCHED = "pick-up"
"""`user_intent_location` of a thing that is to be brought."""
FILES = {
    "phase1": "original_scenarios_A.json",
    "phase2": "original_scenarios_B.json",
    "phase3": "evolved_scenarios_A.json",
    "phase4": "evolved_scenarios_B.json",
}
FOLDERS = (Path("data/embodied/scenarios"), Path("embodied/scenarios"), Path("scenarios"), Path())


class ScenarioError(ValueError):
    """The data are not what they should be; the message says where and what."""


@dataclass(frozen=True)
class Instruction:
    """What the robot sees and hears."""

    user: str
    task: str
    scene: tuple[str, ...]
    """Names of the things and places that are there."""


@dataclass(frozen=True)
class Intent:
    """What the user wants. For the judge and the scripted user only."""

    thing: str
    place: str
    """"" where the thing is to be brought."""


@dataclass(frozen=True)
class Scenario:
    """One task of one user."""

    instruction: Instruction
    intent: Intent


def load(folder: Path) -> dict[str, list[Scenario]]:
    """Return phase → scenarios. ScenarioError for what is missing or malformed."""
    for below in FOLDERS:
        if all((folder / below / name).is_file() for name in FILES.values()):
            return {phase: _read(folder / below / name) for phase, name in FILES.items()}
    raise ScenarioError(f"{folder} does not have {', '.join(FILES.values())}, nor has {FOLDERS[0]} below it")


def users(scenarios: Sequence[Scenario]) -> list[str]:
    """Return the users in the order in which they come."""
    return list(dict.fromkeys(scenario.instruction.user for scenario in scenarios))


def _read(file: Path) -> list[Scenario]:
    try:
        items = json.loads(file.read_text(encoding="utf-8"))
        return [_scenario(item) for item in items]
    except (ValueError, KeyError, TypeError) as error:
        raise ScenarioError(f"{file} is not a list of scenarios: {type(error).__name__}: {error}") from error


def _scenario(item: dict[str, Any]) -> Scenario:
    """Return a scenario. Its index, its description of the scene as a sentence, and its context tag are left out."""
    user, task, scene = item["user"], item["task"], item["scene_objects"]
    thing, place = item["user_intent_object"], item["user_intent_location"]
    if not all(isinstance(text, str) for text in (user, task, thing, place, *scene)):
        raise TypeError("user, task, scene_objects and the intent must be texts")
    return Scenario(Instruction(user, task, tuple(scene)), Intent(thing, "" if place == FETCHED else place))
