# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The objects that a household robot handles, one after the other, from MEMENTO's episodes."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

from karma_eval.cache.traces import Trace, TraceError

EPISODES = "data/datasets/memory_acquisition_stage.json"
TRACES = "data/memory/gold_memory/traces"

_ACTION = re.compile(r"^\w+\[(?P<arguments>.*)\]\s*$")
_LISTED = re.compile(r"^(?:Objects: )?(?P<name>\w+_\d+): ", re.MULTILINE)


def household_trace(memento: Path) -> Trace:
    """Return one access for every object that an action names, from the gold traces of all episodes with one.

    Scenes come in the order in which the data set first names them, and a scene's episodes in the data set's order. An
    object is `category_i` in a trace, i being its place in the episode's `rigid_objs`; its key is `scene/handle:n`, the
    n-th of the handle's objects there, so that it is the same in all episodes. TraceError where files are not as
    upstream's.
    """
    file = memento / EPISODES
    try:
        episodes = json.loads(file.read_text(encoding="utf-8"))["episodes"]
        gold = _gold(memento / TRACES)
        scenes: dict[str, list[str]] = {}
        for episode in episodes:
            accesses = scenes.setdefault(str(episode["scene_id"]), [])
            if str(episode["episode_id"]) in gold:
                text = gold[str(episode["episode_id"])].read_text(encoding="utf-8")
                handles = _handles(models_of(episode["rigid_objs"]))
                accesses += [_key(str(episode["scene_id"]), handles, name) for name in accessed(text)]
    except OSError as error:
        raise TraceError(f"{error.filename} can't be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, SyntaxError, IndexError) as error:
        raise TraceError(f"{file} and the traces beside it are not as MEMENTO's: {error!r}") from error
    keys = tuple(key for accesses in scenes.values() for key in accesses)
    if not keys:
        raise TraceError(f"{memento / TRACES} has no trace of an episode in {file}")
    return Trace("household", keys)


def accessed(text: str) -> list[str]:
    """Return the objects that the actions of a trace name; what is not in its lists of objects is furniture."""
    objects = set(_LISTED.findall(text))
    arguments = (match["arguments"] for line in text.splitlines() if (match := _ACTION.match(line)))
    return [name for names in arguments for name in map(str.strip, names.split(",")) if name in objects]


def write_trace(trace: Trace, file: Path) -> None:
    """Write a trace as text, one key a line."""
    file.write_text("".join(f"{key}\n" for key in trace.keys), encoding="utf-8")


def _gold(folder: Path) -> dict[str, Path]:
    """Return the traces by episode; upstream's names are trace-episode_ID_RUN-0.txt, in a folder a seed."""
    files = sorted(folder.glob("*/trace-episode_*.txt"), reverse=True)
    return {file.name.removeprefix("trace-episode_").split("_")[0]: file for file in files}


def models_of(rigid_objects: Any) -> list[str]:
    """Return the model of each object; the data set has the list as it is or as the text of a Python literal."""
    listed = ast.literal_eval(rigid_objects) if isinstance(rigid_objects, str) else rigid_objects
    return [str(name).removesuffix(".object_config.json") for name, *_ in listed]


def _handles(models: list[str]) -> list[str]:
    """Return a handle for each object: its model, and how many of that come before it."""
    return [f"{model}:{models[:place].count(model)}" for place, model in enumerate(models)]


def _key(scene: str, handles: list[str], name: str) -> str:
    return f"{scene}/{handles[int(name.rpartition('_')[2])]}"
