# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A small data set with MEMENTO's layout: one home, things told of once and asked for later."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOMS = {
    "living_room_1": ["floor_living_room_1", "couch_1", "table_2", "table_3"],
    "kitchen_1": ["floor_kitchen_1", "counter_4", "cabinet_5"],
    "bedroom_1": ["floor_bedroom_1", "table_6", "bed_7"],
}
HANDLES = {
    "h_couch_:0000": "couch_1",
    "h_table_:0000": "table_2",
    "h_table_:0001": "table_3",
    "h_counter_:0000": "counter_4",
}
THINGS = {
    "red_mug": ("cup", "A red mug with a white handle.", "h_counter_:0000"),
    "blue_mug": ("cup", "A plain blue mug.", "h_counter_:0000"),
    "bear": ("stuffed_toy", "A brown bear with a green scarf.", "h_couch_:0000"),
    "lamp": ("lamp", "A tall lamp with a yellow shade.", "h_table_:0000"),
}


def on_top(thing: str, *handles: str) -> dict[str, Any]:
    """Return a proposition."""
    args = {"object_handles": [f"{thing}_:0000"], "receptacle_handles": list(handles), "number": 1}
    return {"function_name": "is_on_top", "args": {**args, "is_same_receptacle": False}}


def next_to(thing: str, other: str) -> dict[str, Any]:
    """Return a proposition."""
    args = {"entity_handles_a": [f"{thing}_:0000"], "entity_handles_b": [f"{other}_:0000"], "number": 1}
    return {"function_name": "is_next_to", "args": args}


def episode(
    name: str,
    text: str,
    propositions: list[dict[str, Any]],
    *,
    kind: str,
    related: str | list[str],
    edges: list[list[int]] | None = None,
) -> dict[str, Any]:
    """Return an episode with all things in the home."""
    described = [{"id": model, "category": c, "caption": text_} for model, (c, text_, _) in THINGS.items()]
    last = list(range(len(propositions)))
    return {
        "episode_id": name,
        "scene_id": "home",
        "rigid_objs": [[f"{model}.object_config.json", []] for model in THINGS],
        "name_to_receptacle": {f"{model}_:0000": f"{place}|mesh" for model, (_, _, place) in THINGS.items()},
        "instruction": text,
        "evaluation_propositions": propositions,
        "evaluation_proposition_dependencies": [],
        "evaluation_constraints": [
            {"type": "TemporalConstraint", "args": {"dag_edges": edges or [], "n_propositions": len(last)}},
            {"type": "TerminalSatisfactionConstraint", "args": {"proposition_indices": last, "n_propositions": None}},
        ],
        "metadata": {
            "episode_type": kind,
            "related_episode_id": related,
            "target_objects": described,
            "distractors": [],
        },
    }


GIFT = [on_top("red_mug", "h_table_:0000", "h_table_:0001")]
NIGHT = [on_top("lamp", "h_couch_:0000"), on_top("bear", "h_couch_:0000"), next_to("lamp", "bear")]
LATER = [{**p, "args": dict(p["args"])} for p in NIGHT]
EPISODES = {
    "memory_acquisition_stage": [
        episode(
            "1",
            "Move the cup from the kitchen counter to the living room table. The cup is red with a white handle. The "
            "cup is a gift from my uncle.",
            GIFT,
            kind="object_semantics",
            related="11",
        ),
        episode(
            "2",
            "Move the lamp and stuffed toy to the couch. Place them next to each other. They belong there, the lamp "
            "beside the stuffed toy, for telling stories at night.",
            NIGHT,
            kind="user_pattern",
            related="12",
        ),
    ],
    "single_memory_utilization_stage": [
        episode(
            "11",
            "Could you bring my uncle's gift to the living room table?",
            GIFT,
            kind="object_semantics",
            related="1",
        ),
        episode("12", "Can you get everything ready for story night?", NIGHT, kind="user_pattern", related="2"),
    ],
    "joint_memory_utilization_stage": [
        episode(
            "21",
            "Could you bring my uncle's gift to the living room table? After that, can you get everything ready for "
            "story night?",
            [*GIFT, *LATER],
            kind="combined",
            related=["1", "2"],
            edges=[[0, 1]],
        )
    ],
}
DONE = "Result: Successful execution!"
TRACES = {
    "1": [
        "Objects: cup_0: counter_4 in kitchen_1",
        "cup_1: counter_4 in kitchen_1",
        "Pick[cup_0]",
        DONE,
        "Place[cup_0, on, table_2, None, None]",
        DONE,
    ],
    "2": [
        "Objects: lamp_3: table_2 in living_room_1",
        "stuffed_toy_2: couch_1 in living_room_1",
        "Pick[lamp_3]",
        DONE,
        "Place[lamp_3, on, couch_1, None, None]",
        DONE,
    ],
}


def write(folder: Path) -> Path:
    """Write the data set and return its folder."""
    datasets, gold = folder / "data" / "datasets", folder / "data" / "memory" / "gold_memory"
    datasets.mkdir(parents=True)
    for name, episodes in EPISODES.items():
        (datasets / f"{name}.json").write_text(json.dumps({"config": None, "episodes": episodes}), encoding="utf-8")
    furniture = "\n".join(f"{room}: {', '.join(names)}" for room, names in ROOMS.items())
    for sort in ("prompts", "traces"):
        (gold / sort / "0").mkdir(parents=True)
    for name, lines in TRACES.items():
        prompt = f"Task: ...\n\nFurniture:\n{furniture}\n\nObjects:\nNo objects found yet\n"
        (gold / "prompts" / "0" / f"prompt-episode_{name}_0-0.txt").write_text(prompt, encoding="utf-8")
        (gold / "traces" / "0" / f"trace-episode_{name}_0-0.txt").write_text("\n".join(lines), encoding="utf-8")
    return folder
