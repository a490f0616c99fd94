# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The household trace, on a small data set in MEMENTO's layout and on MEMENTO itself."""

import json
import os
from pathlib import Path

import pytest

from karma_eval.cache.household import accessed, household_trace, write_trace
from karma_eval.cache.measure import policy_hits
from karma_eval.cache.opt import optimal_hits
from karma_eval.cache.traces import TraceError, read_trace

DATA = os.environ.get("KARMA_DATA", "")

TRACE = """Task: Put the cup_3 away.
Thought: I will look at cup_1.
Explore[kitchen_1]
Assigned!
Result: Successful execution!
Objects: cup_1: table_2 in kitchen_1
book_0: shelf_4 in kitchen_1
DescribeObjectTool[cup_1]
Pick[cup_1]
Navigate[shelf_4]
Place[cup_1, on, shelf_4, next_to, book_0]
Done[]
Assigned!
"""


def memento(folder, episodes, traces):
    (folder / "data/datasets").mkdir(parents=True)
    (folder / "data/datasets/memory_acquisition_stage.json").write_text(json.dumps({"episodes": episodes}))
    gold = folder / "data/memory/gold_memory/traces/0"
    gold.mkdir(parents=True)
    for name, text in traces.items():
        (gold / f"trace-episode_{name}_2-0.txt").write_text(text)
    return folder


def episode(number, scene, *handles):
    return {
        "episode_id": str(number),
        "scene_id": scene,
        "rigid_objs": repr([[f"{handle}.object_config.json", [[1.0]]] for handle in handles]),
    }


def test_an_access_is_an_object_that_an_action_names():
    assert accessed(TRACE) == ["cup_1", "cup_1", "cup_1", "book_0"]


def test_scenes_follow_one_another_and_an_object_keeps_its_key_in_all_episodes(tmp_path):
    look = "Objects: mug_{0}: table_1 in kitchen_1\nPick[mug_{0}]\n"
    folder = memento(
        tmp_path,
        [episode(1, "A", "Mug", "Jug"), episode(2, "B", "Mug"), episode(3, "A", "Jug", "Mug"), episode(4, "A", "Pan")],
        {"1": look.format(0), "2": look.format(0), "3": look.format(1)},
    )
    assert household_trace(folder).keys == ("A/Mug:0", "A/Mug:0", "B/Mug:0")


def test_two_objects_of_one_handle_are_two(tmp_path):
    folder = memento(tmp_path, [episode(1, "A", "Book", "Cup", "Cup")], {"1": TRACE.replace("cup_1", "cup_2")})
    assert household_trace(folder).keys == ("A/Cup:1", "A/Cup:1", "A/Cup:1", "A/Book:0")


def test_the_trace_can_be_written_and_read(tmp_path):
    folder = memento(tmp_path, [episode(1, "A", "Book", "Cup")], {"1": TRACE})
    trace = household_trace(folder)
    write_trace(trace, tmp_path / "household.txt")
    assert read_trace(tmp_path / "household.txt") == trace


@pytest.mark.parametrize(
    ("episodes", "reason"),
    [
        ([{"episode_id": "1"}], "scene_id"),
        ([episode(1, "A", "Book")], "not as MEMENTO's"),  # cup_1 is no object of the episode
        ([{**episode(1, "A"), "rigid_objs": "__import__('os')"}], "not as MEMENTO's"),
        ([episode(7, "A", "Book", "Cup")], "no trace of an episode"),
    ],
)
def test_files_that_are_not_as_mementos_are_refused_with_the_reason(tmp_path, episodes, reason):
    with pytest.raises(TraceError, match=reason):
        household_trace(memento(tmp_path, episodes, {"1": TRACE}))


def test_a_folder_without_mementos_files_is_refused(tmp_path):
    with pytest.raises(TraceError, match="No such file"):
        household_trace(tmp_path)


@pytest.mark.skipif(not DATA, reason="KARMA_DATA does not name the folder with traces/ and memento/")
@pytest.mark.parametrize("capacity", [4, 8, 10, 12, 16, 24, 32, 64])
def test_on_household_accesses_the_adaptive_policy_is_at_most_a_point_below_lru_and_near_the_optimum(capacity):
    keys = household_trace(Path(DATA) / "memento").keys
    adaptive = policy_hits("w_tinylfu_adaptive", 1.0, keys, capacity)
    best = max(policy_hits(name, 1.0, keys, capacity) for name in ("lru", "lfu"))
    assert adaptive >= best - 0.01 * len(keys)
    if capacity == 16:
        assert adaptive >= 0.92 * optimal_hits(keys, 16)
