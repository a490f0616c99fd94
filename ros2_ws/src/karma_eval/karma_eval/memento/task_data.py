# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""MEMENTO's files as values, apart from each other what the robot, the house and the judge may know."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from karma_eval.cache.household import models_of

USER = "resident"
"""Whom the robot works for; the data names nobody."""
STAGES = {
    "acquisition": "memory_acquisition_stage.json",
    "single": "single_memory_utilization_stage.json",
    "joint": "joint_memory_utilization_stage.json",
}
"""Stage → file; stages in the order in which they are lived through."""

_EPISODE = re.compile(r"episode_([^_]+)_")
_FURNITURE = re.compile(r"^Furniture:\n(?P<rooms>(?:[^\n]+\n)+)", re.MULTILINE)
_ACTION = re.compile(r"^(?P<skill>[A-Z]\w+)\[(?P<arguments>.*)\]\s*$")
_LISTED = re.compile(r"^(?:Objects: )?(?P<object>\w+_\d+): (?P<furniture>\w+_\d+) in (?P<room>\w+_\d+)\s*$")


class MementoError(ValueError):
    """The files are not MEMENTO's; the message says which and why."""


@dataclass(frozen=True)
class Instruction:
    """All that a robot is told of an episode."""

    episode: str
    scene: str
    stage: str
    text: str


@dataclass(frozen=True)
class Thing:
    """A small object of an episode, as the house has it."""

    name: str
    """`category_i`, i being its place in `rigid_objs`."""
    handle: str
    category: str
    """With underscores, as the data has it."""
    caption: str
    """What describing it tells; empty where the data has none."""
    receptacle: str
    """Handle of the furniture it starts on."""


@dataclass(frozen=True)
class Truth:
    """The judge's side of an episode."""

    propositions: tuple[Mapping[str, Any], ...]
    dependencies: tuple[Mapping[str, Any], ...]
    constraints: tuple[Mapping[str, Any], ...]
    kind: str
    """object_semantics, user_pattern, or for joint memories the kinds that are joined."""
    gold: tuple[str, ...]
    """Acquisition episodes that it needs to remember."""


@dataclass(frozen=True)
class GoldTrace:
    """What a gold trace says of places: where objects were first seen, and where they were put, in order."""

    starts: Mapping[str, str]
    """Object → furniture, before anything was picked up."""
    placements: tuple[tuple[str, str], ...]
    """(object, furniture) of every placement that succeeded."""


@dataclass(frozen=True)
class Episode:
    """One episode, its three sides apart."""

    instruction: Instruction
    things: tuple[Thing, ...]
    truth: Truth


@dataclass(frozen=True)
class Memento:
    """The data set: episodes of each stage, and per scene the rooms with their furniture."""

    stages: Mapping[str, tuple[Episode, ...]]
    rooms: Mapping[str, Mapping[str, tuple[str, ...]]]
    """Scene → room → furniture (its floor among it)."""
    traces: Mapping[str, GoldTrace]
    """Acquisition episode → its gold trace."""


def first(data: Memento, scenes: int) -> Memento:
    """Return the episodes of the first scenes, of all for 0."""
    if not scenes:
        return data
    names = list(data.rooms)[:scenes]
    stages = {stage: tuple(e for e in some if e.instruction.scene in names) for stage, some in data.stages.items()}
    return replace(data, stages=stages, rooms={name: data.rooms[name] for name in names})


def load(folder: Path) -> Memento:
    """Read MEMENTO from a folder with upstream's layout. MementoError where a file is missing or not as upstream's."""
    raw: dict[str, list[dict[str, Any]]] = {}
    try:
        for stage, name in STAGES.items():
            file = folder / "data" / "datasets" / name
            raw[stage] = json.loads(file.read_text(encoding="utf-8"))["episodes"]
        gold = folder / "data" / "memory" / "gold_memory"
        prompts = {episode: file.read_text(encoding="utf-8") for episode, file in _files(gold / "prompts")}
        traces = {episode: _trace(file.read_text(encoding="utf-8")) for episode, file in _files(gold / "traces")}
        kinds = _kinds(raw, traces)
        stages = {
            stage: tuple(_episode(stage, data, kinds, raw) for data in episodes) for stage, episodes in raw.items()
        }
        rooms = {
            str(data["scene_id"]): _rooms(prompts[str(data["episode_id"])])
            for data in raw["acquisition"]
            if str(data["episode_id"]) in prompts
        }
    except OSError as error:
        raise MementoError(f"{error.filename} can't be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, SyntaxError, IndexError) as error:
        raise MementoError(f"the files below {folder} are not as MEMENTO's: {error!r}") from error
    return Memento(stages, rooms, traces)


def _files(folder: Path) -> list[tuple[str, Path]]:
    """Return (episode, file), a later run of an episode after an earlier one."""
    found = [(match[1], file) for file in sorted(folder.glob("*/*.txt")) if (match := _EPISODE.search(file.name))]
    if not found:
        raise MementoError(f"{folder} has no prompt or trace of an episode")
    return found


def _rooms(prompt: str) -> dict[str, tuple[str, ...]]:
    match = _FURNITURE.search(prompt)
    if match is None:
        raise MementoError("a prompt has no block `Furniture:`")
    lines = (line.partition(":") for line in match["rooms"].splitlines() if ":" in line)
    return {room.strip(): tuple(name.strip() for name in rest.split(",")) for room, _, rest in lines}


def _trace(text: str) -> GoldTrace:
    starts: dict[str, str] = {}
    placements: list[tuple[str, str]] = []
    touched: set[str] = set()
    pending: tuple[str, str] | None = None
    for line in text.splitlines():
        if action := _ACTION.match(line):
            arguments = [part.strip() for part in action["arguments"].split(",")]
            if action["skill"] == "Pick":
                touched.add(arguments[0])
            pending = (arguments[0], arguments[2]) if action["skill"] == "Place" and len(arguments) > 2 else None
        elif line.startswith("Result:"):
            if pending is not None and "Successful" in line:
                placements.append(pending)
            pending = None
        elif (listed := _LISTED.match(line)) and listed["object"] not in touched:
            starts.setdefault(listed["object"], listed["furniture"])
    return GoldTrace(starts, tuple(placements))


def _described(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    metadata = data["metadata"]
    found: list[Mapping[str, Any]] = []
    for key in ("target_objects", "distractors"):
        for item in metadata.get(key) or ():
            found += item if isinstance(item, list) else [item]
    return found


def _kinds(raw: Mapping[str, list[dict[str, Any]]], traces: Mapping[str, GoldTrace]) -> dict[str, tuple[str, str]]:
    """Return model → (category, caption): from the metadata of all episodes, else the category from the traces."""
    kinds: dict[str, tuple[str, str]] = {}
    for data in raw["acquisition"]:
        models = models_of(data["rigid_objs"])
        trace = traces.get(str(data["episode_id"]))
        for name in trace.starts if trace else ():
            category, _, index = name.rpartition("_")
            if int(index) < len(models):
                kinds.setdefault(models[int(index)], (category, ""))
    for episodes in raw.values():
        for data in episodes:
            for item in _described(data):
                kinds[str(item["id"])] = (str(item["category"]), str(item.get("caption") or ""))
    return kinds


def _episode(
    stage: str, data: Mapping[str, Any], kinds: Mapping[str, tuple[str, str]], raw: Mapping[str, list[dict[str, Any]]]
) -> Episode:
    models = models_of(data["rigid_objs"])
    handles = list(data["name_to_receptacle"].items())
    if len(handles) != len(models):
        raise MementoError(f"episode {data['episode_id']} has {len(models)} objects and {len(handles)} places")
    captioned = {str(item["id"]) for item in _described(data)}
    things = []
    for index, (model, (handle, receptacle)) in enumerate(zip(models, handles, strict=True)):
        category, caption = kinds.get(model, ("object", ""))
        things.append(
            Thing(
                f"{category}_{index}",
                handle,
                category,
                caption if model in captioned else "",
                str(receptacle).partition("|")[0],
            )
        )
    metadata = data["metadata"]
    related = metadata.get("related_episode_id")
    gold = tuple(map(str, related)) if isinstance(related, list) else (str(related),)
    if stage == "acquisition":
        gold = (str(data["episode_id"]),)
    kind = str(metadata["episode_type"])
    if stage == "joint":
        kind = "+".join(sorted({_kind_of(episode, raw) for episode in gold}))
    truth = Truth(
        tuple(data["evaluation_propositions"]),
        tuple(data["evaluation_proposition_dependencies"]),
        tuple(data["evaluation_constraints"]),
        kind,
        gold,
    )
    told = Instruction(str(data["episode_id"]), str(data["scene_id"]), stage, str(data["instruction"]))
    return Episode(told, tuple(things), truth)


def _kind_of(episode: str, raw: Mapping[str, list[dict[str, Any]]]) -> str:
    for data in raw["acquisition"]:
        if str(data["episode_id"]) == episode:
            return str(data["metadata"]["episode_type"])
    return "unknown"
