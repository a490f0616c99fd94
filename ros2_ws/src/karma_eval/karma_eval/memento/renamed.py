# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""MEMENTO with other names for what has its name by chance: scenes, episodes, objects, handles, numbers.

What furniture and rooms are called stays: a bedroom is where a robot expects a bed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from karma_eval.memento.task_data import Episode, GoldTrace, Memento, Thing
from karma_eval.renaming import Renaming


def renaming(data: Memento, seed: int, *, invented: bool = False) -> Renaming:
    """Return new names for the objects of the data. Words that furniture and rooms are called by stay."""
    episodes = [episode for stage in data.stages.values() for episode in stage]
    categories = {thing.category for episode in episodes for thing in episode.things}
    places = {name for rooms in data.rooms.values() for room, names in rooms.items() for name in (room, *names)}
    return Renaming(categories, seed, kept=places, invented=invented)


def renamed(data: Memento, new: Renaming) -> Memento:
    """Return the same data with other names."""
    stages = {stage: tuple(_episode(episode, new) for episode in episodes) for stage, episodes in data.stages.items()}
    rooms = {
        new.id(scene): {_number(room): tuple(map(_number, names)) for room, names in there.items()}
        for scene, there in data.rooms.items()
    }
    return Memento(stages, rooms, {new.id(episode): _trace(trace, new) for episode, trace in data.traces.items()})


def _episode(episode: Episode, new: Renaming) -> Episode:
    told, truth = episode.instruction, episode.truth
    return replace(
        episode,
        instruction=replace(told, episode=new.id(told.episode), scene=new.id(told.scene), text=new.text(told.text)),
        things=tuple(_thing(thing, new) for thing in episode.things),
        truth=replace(
            truth,
            propositions=tuple(_handles(proposition, new) for proposition in truth.propositions),
            gold=tuple(map(new.id, truth.gold)),
        ),
    )


def _thing(thing: Thing, new: Renaming) -> Thing:
    return Thing(
        new.name(thing.name),
        new.id(thing.handle),
        new.name(thing.category),
        new.text(thing.caption),
        new.id(thing.receptacle),
    )


def _trace(trace: GoldTrace, new: Renaming) -> GoldTrace:
    starts = {new.name(thing): _number(place) for thing, place in trace.starts.items()}
    return GoldTrace(starts, tuple((new.name(thing), _number(place)) for thing, place in trace.placements))


def _handles(value: Any, new: Renaming) -> Any:
    """Return a proposition with other handles; they are known by the ":" of their number."""
    if isinstance(value, dict):
        return {key: _handles(item, new) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_handles(item, new) for item in value]
    return new.id(value) if isinstance(value, str) and "_:" in value else value


def _number(name: str) -> str:
    """Return a piece of furniture, or a room, with another number."""
    sort, _, digits = name.rpartition("_")
    return f"{sort}_{int(digits) + 300}"
