# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""ALFRED's human instructions with their PDDL goals (EB-ALFRED's files): is the same understood?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from planner_node.understand.goals import Goal, ObjectRef, Predicate


@dataclass(frozen=True)
class Episode:
    """One instruction and what it asks for, as the benchmark says."""

    split: str
    text: str
    kind: str
    thing: str
    place: str
    vessel: str
    lamp: str
    sliced: bool


def episodes(data: Path) -> Iterator[Episode]:
    for file in sorted((data / "splits").glob("*.json")):
        for entry in json.loads(file.read_text()):
            trial = data / "json_2.1.0" / entry["full_scene_name"] / "pp" / f"ann_{entry['repeat_idx']}.json"
            goal = json.loads(trial.read_text())["pddl_params"]
            yield Episode(
                file.stem,
                entry["task description"],
                entry["task type"],
                goal["object_target"],
                goal["parent_target"],
                goal["mrecep_target"],
                goal["toggle_target"],
                bool(goal["object_sliced"]),
            )


_DONE_TO = {
    "pick_clean_then_place_in_recep": "clean",
    "pick_heat_then_place_in_recep": "hot",
    "pick_cool_then_place_in_recep": "cold",
}
_DOING = {Predicate.CLEAN: "clean", Predicate.HEAT: "hot", Predicate.COOL: "cold", Predicate.SLICE: "sliced"}


def means(goals: tuple[Goal, ...], episode: Episode) -> bool:
    """Whether reaching the goals reaches the benchmark's goal, and no other object is asked for first."""
    states: dict[int, set[str]] = {}
    for goal in goals:
        if goal.object is not None:
            states.setdefault(goal.object.entity, set()).update(goal.object.states)
            if goal.predicate in _DOING:
                states[goal.object.entity].add(_DOING[goal.predicate])

    def fits(ref: ObjectRef | None, category: str) -> bool:
        return ref is not None and category in (*ref.categories, *ref.loosely)

    def has(ref: ObjectRef) -> bool:
        wanted = {_DONE_TO[episode.kind]} if episode.kind in _DONE_TO else set()
        return (wanted | ({"sliced"} if episode.sliced else set())) <= states[ref.entity]

    placed = [g for g in goals if g.predicate is Predicate.PLACE and g.destination is not None]
    if episode.kind == "look_at_obj_in_light":
        examined = any(
            g.predicate is Predicate.EXAMINE and fits(g.object, episode.thing) and fits(g.destination, episode.lamp)
            for g in goals
        )
        in_hand = any(g.predicate in (Predicate.HOLD, Predicate.BRING) and fits(g.object, episode.thing) for g in goals)
        lit = any(g.predicate is Predicate.SWITCH_ON and fits(g.object, episode.lamp) for g in goals)
        return examined or (in_hand and lit)
    if episode.vessel:
        inside = any(
            fits(g.object, episode.thing) and fits(g.destination, episode.vessel) and has(g.object)
            for g in placed
            if g.object
        )
        moved = any(fits(g.object, episode.vessel) and fits(g.destination, episode.place) for g in placed)
        return inside and moved
    at_place = [
        g
        for g in placed
        if fits(g.object, episode.thing) and fits(g.destination, episode.place) and g.object and has(g.object)
    ]
    if episode.kind == "pick_two_obj_and_place":
        return sum(g.object.count if g.object and g.object.count else 2 for g in at_place) >= 2
    return bool(at_place)
