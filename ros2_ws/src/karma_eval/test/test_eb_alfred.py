# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""EB-ALFRED: the files, the judge, a life, and what is made of it. The tasks are made up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from karma_eval.eb_alfred import measure
from karma_eval.eb_alfred.command import command
from karma_eval.eb_alfred.errors import kind
from karma_eval.eb_alfred.judge import judge
from karma_eval.eb_alfred.life import ABLATIONS, lived
from karma_eval.eb_alfred.measure import Done, Settings, figures, not_answered, planned, readers
from karma_eval.eb_alfred.report import checks, known_before, untold
from karma_eval.eb_alfred.tasks import DataError, PddlGoal, files, load
from karma_language.vocabulary import household
from planner_node.understand.hearing import Hearing
from sim_bridge.household.backend import HouseholdBackend

ROOM = "FloorPlan1"
KEPT = ("Apple", "Mug", "Fork", "Knife", "Bowl", "Plate")


def pose(name: str) -> dict[str, Any]:
    category, x, y, z = name.split("|")[:4]
    return {
        "objectName": f"{category}_1a2b",
        "position": {"x": float(x), "y": float(y), "z": float(z)},
        "rotation": {"x": 0, "y": 0, "z": 0},
    }


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with two made-up tasks in upstream's form."""
    folder = tmp_path_factory.mktemp("eb_alfred")
    world = HouseholdBackend(ROOM).world
    names = [next(iter(world.of_category(category))) for category in KEPT]
    trial = {
        "scene": {
            "floor_plan": ROOM,
            "dirty_and_empty": True,
            "init_action": {"x": 0.0, "z": 0.0},
            "object_poses": [pose(name) for name in names],
            "object_toggles": [],
        },
        "pddl_params": {
            "mrecep_target": "",
            "object_sliced": False,
            "object_target": "Mug",
            "parent_target": "Fridge",
            "toggle_target": "",
        },
    }
    place = folder / "json_2.1.0" / "own-task" / "trial_1" / "pp"
    place.mkdir(parents=True)
    (place / "ann_0.json").write_text(json.dumps(trial), encoding="utf-8")
    entries = [
        {
            "repeat_idx": 0,
            "full_scene_name": "own-task/trial_1",
            "task type": "pick_and_place_simple",
            "task description": text,
        }
        for text in ("stow the mug in the refrigerator", "sing a song about mugs")
    ]
    (folder / "splits").mkdir()
    (folder / "splits" / "base.json").write_text(json.dumps(entries), encoding="utf-8")
    return folder


def test_tasks_are_rooms_with_their_things_put_as_the_file_says(data: Path) -> None:
    task, _ = load(data)["base"]
    assert (task.floor_plan, task.goal.thing, task.goal.place) == (ROOM, "Mug", "Fridge")
    world = HouseholdBackend(task.scene()).world
    assert sorted(spec.category for spec in world.specs.values() if spec.movable) == sorted(KEPT)
    assert world.is_(next(iter(world.of_category("Mug"))), "isDirty")


def test_a_folder_without_the_files_is_refused_with_what_it_lacks(data: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"splits/base\.json"):
        load(tmp_path)
    (tmp_path / "splits").mkdir()
    (tmp_path / "splits" / "base.json").write_text((data / "splits" / "base.json").read_text(), encoding="utf-8")
    with pytest.raises(DataError, match=r"ann_0\.json is missing"):
        load(tmp_path)
    (tmp_path / "splits" / "base.json").write_text("{", encoding="utf-8")
    with pytest.raises(DataError, match="no JSON"):
        load(tmp_path)
    failed = CliRunner().invoke(command, ["--data", str(tmp_path), "--out", str(tmp_path / "out")])
    assert failed.exit_code == 1
    assert "no JSON" in failed.output


def goal(kind: str, thing: str, place: str = "", vessel: str = "", lamp: str = "") -> PddlGoal:
    return PddlGoal(kind, thing, place, vessel, lamp)


def test_the_judge_counts_alfreds_conditions() -> None:
    backend = HouseholdBackend(ROOM)
    world = backend.world

    def share(wanted: PddlGoal) -> float:
        return judge(world, wanted).met

    simple = goal("pick_and_place_simple", "Apple", "Fridge")
    washed = goal("pick_clean_then_place_in_recep", "Apple", "Fridge")
    stacked = goal("pick_and_place_with_movable_recep", "Fork", "DiningTable", vessel="Plate")
    assert [share(simple), share(washed)] == [0.0, 0.0]
    backend.move_object("Apple", "Fridge")
    (apple,) = world.of_category("Apple")
    assert judge(world, simple).success
    assert share(washed) == pytest.approx(1 / 3)
    world.washed.add(apple)
    assert judge(world, washed).success
    sliced = goal("pick_cool_then_place_in_recep", "AppleSliced", "Fridge")
    assert share(sliced) == 0.0
    assert len(judge(world, sliced).conditions) == 4
    assert len(judge(world, stacked).conditions) == 3
    with pytest.raises(ValueError, match="juggle"):
        judge(world, goal("juggle", "Apple"))


def test_two_must_be_in_the_same_place() -> None:
    backend = HouseholdBackend("FloorPlan402")
    two = goal("pick_two_obj_and_place", "SprayBottle", "Toilet")
    names = list(backend.world.of_category("SprayBottle"))
    found = [judge(backend.world, two).met]
    for name in names[:2]:
        backend.move_object(name, "Toilet")
        found.append(judge(backend.world, two).met)
    assert found[: len(names) + 1] == [0.0, 0.5, 1.0][: len(names) + 1]


def test_looking_at_something_in_the_light_needs_it_in_the_hand_and_the_lamp_on() -> None:
    world = HouseholdBackend("FloorPlan301").world
    look = goal("look_at_obj_in_light", "Book", lamp="DeskLamp")
    (lamp,) = world.of_category("DeskLamp")
    world.set_state(lamp, "isToggled", False)
    assert judge(world, look).met == 0.0
    world.set_state(lamp, "isToggled", True)
    assert judge(world, look).met == 0.5


def test_a_life_counts_the_first_attempt_and_tries_again_only_where_it_may(data: Path) -> None:
    tasks = load(data)["base"]
    lexicon = household()
    for name, attempts in (("none", 1), ("full", 1 + ABLATIONS["full"].retries)):
        done, odd = lived(tasks, ABLATIONS[name], Hearing(lexicon), lexicon, "lexical")
        assert done.first.verdict.success, done.first.report.message
        assert 0 < done.first.env_steps < 30
        assert not odd.first.verdict.success
        assert len(odd.attempts) == attempts


def test_the_command_writes_figures_and_report_and_goes_on_where_it_was(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["--data", str(data), "--out", str(tmp_path), "--ablation", "none", "--embedding", "lexical"]
    file = tmp_path / "figures.json"
    for _ in range(2):
        run = CliRunner().invoke(command, [*arguments, "--jobs", "1", "--json", str(file)])
        assert run.exit_code == 0, run.output
        found = json.loads(file.read_text(encoding="utf-8"))
        assert found["planner"] == "offline"
        assert found["ablations"]["none"]["average"]["sr"] == 50.0
        assert found["ablations"]["none"]["splits"]["base"]["n"] == 2
        (kept,) = (tmp_path / "lives").glob("*.json")
        rows = json.loads(kept.read_text(encoding="utf-8"))
        assert [row["success"] for row in rows].count(True) == 1
    report = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "sing a song about mugs" in report
    assert "| none | 1.0 | 1.0 | 1.0 |" in report
    monkeypatch.setattr(measure, "fingerprint", lambda packages, files: "of another version")
    assert CliRunner().invoke(command, [*arguments, "--jobs", "1"]).exit_code == 0
    assert len(list((tmp_path / "lives").glob("*.json"))) == 2  # it lived anew


def test_what_is_kept_is_that_of_its_data(data: Path) -> None:
    splits, *trials = files(data)
    assert splits.name == "base.json"
    assert {file.name for file in trials} == {"ann_0.json"}


def done(**fields: Any) -> Done:
    usual: dict[str, Any] = {
        "split": "base", "number": 0, "instruction": "x", "floor_plan": ROOM, "success": False,
        "conditions": (("a", False), ("b", True)), "env_steps": 3, "plan_steps": 1, "code": "SUCCESS", "message": "",
        "goals": ("place(a, b)",), "skills": (), "recalled": (), "attempts": 1, "solved_later": False,
    }  # fmt: skip
    return Done(**{**usual, **fields})


def test_questions_that_a_model_left_are_counted_over_all_lives() -> None:
    assert not_answered({"none": [[done(unanswered=1), done()]], "full": [[done(unanswered=2)], [done()]]}) == 3


def test_it_is_said_who_read_how_many_and_how_long_that_took() -> None:
    lives = {"none": [[done(reader="rules", seconds=1.0), done(reader="m:1b", seconds=5.0)], [done(reader="rules")]]}
    assert readers(lives) == {"m:1b": {"share": 33.3, "seconds": 5.0}, "rules": {"share": 66.7, "seconds": 0.5}}


def test_errors_have_brainmems_classes() -> None:
    assert kind(done()) == "ended too early"
    assert kind(done(conditions=(("a", False), ("b", False)))) == "taken for something else"
    assert kind(done(goals=(), code="NOT_UNDERSTOOD")) == "not understood"
    assert kind(done(code="TIMEOUT")) == "out of steps"
    assert kind(done(code="NOT_FOUND")) == "not found"
    assert kind(done(code="EXECUTION_FAILURE", message="I am going round in circles")) == "going round in circles"
    assert kind(done(code="REFUSED")) == "invalid action"


def test_figures_are_means_over_splits_then_orders_and_what_does_not_live_runs_once() -> None:
    settings = Settings(Path("x"), ("none", "full"), orders=3)
    assert [(run.ablation, run.order) for run in planned(settings)] == [("none", 0), *(("full", i) for i in range(3))]
    one = [done(success=True), done(), done(), done(split="spatial", success=True)]
    other = [done(), done(), done(), done(split="spatial", success=True)]
    found = figures({"full": [one, other], "none": [other]})
    assert found["full"]["orders"]["sr"] == pytest.approx([100 * (1 / 3 + 1) / 2, 50.0])
    assert found["full"]["average"]["sr"] == pytest.approx(175 / 3)
    assert found["full"]["average"]["gc"] == 50.0
    assert not checks(found)["full memory: 75 % or more"]


def test_what_memory_adds_is_told_task_by_task_with_its_interval() -> None:
    plain = [done(number=n, success=n == 0, skills=("Pick(a): SUCCESS", "Put(b): NOT_FOUND (gone)")) for n in range(4)]
    found = figures({"none": [plain], "full": [[done(number=n, success=n < 3) for n in range(4)]]})
    assert found["none"]["added"] == {"points": 0.0, "interval": 0.0, "n": 4}
    assert found["full"]["added"] == {"points": 50.0, "interval": pytest.approx(56.6, abs=0.1), "n": 4}
    assert (found["none"]["failed_skills"], found["full"]["failed_skills"]) == (50.0, 0.0)
    assert figures({"full": [plain]})["full"]["added"] == {}


def test_what_failed_is_counted_by_whether_it_was_right_before_in_the_same_room() -> None:
    other = (("c", False),)
    life = [
        done(),  # the first of its kind
        done(),  # met, but never right
        done(floor_plan="elsewhere", success=True),
        done(solved_later=True),
        done(conditions=(("b", False), ("a", False))),  # the same goal, right in the end before
        done(conditions=other),
        done(success=True),
    ]
    assert known_before(life) == {"failed": 5, "met before": 3, "right before": 1}


def test_one_order_tells_nothing_of_the_spread() -> None:
    full = {"average": {"sr": 80.0}, "orders": {"sr": [80.0], "std": 0.0}}
    assert not [what for what in checks({"full": full}) if "spread" in what]
    assert "spread" in untold({"full": full})[0]
    full["orders"] = {"sr": [80.0, 81.0], "std": 0.7}
    assert checks({"full": full})["its spread over orders: 2 points or less"]
    assert not untold({"full": full})
