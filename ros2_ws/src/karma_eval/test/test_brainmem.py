# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Every part of BrainMem costs something when it is switched off: trials in the simulator with the real memory."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest
from click.testing import CliRunner

from karma_eval.brainmem.command import chosen, command
from karma_eval.brainmem.home import DAY, Home, lived
from karma_eval.brainmem.trials import PARTS, trials
from karma_eval.household.memory import opened
from karma_memory.working.memory import FADES
from planner_node.skills import Code
from sim_bridge.household.backend import HouseholdBackend

BEDROOM = "FloorPlan301"


@pytest.mark.parametrize(
    ("part", "scene", "most"), [("working", BEDROOM, 6), ("avoid", "FloorPlan2", 1), ("before", "FloorPlan1", 1)]
)
def test_with_the_part_it_succeeds_and_without_it_fails(part: str, scene: str, most: int) -> None:
    found = list(islice(trials(scene, (part,), 0), most))
    assert found
    for trial in found:
        on, off = (lived(scene, trial.live, without, trial.refusal) for without in ((), {PARTS[part]}))
        assert (trial.kind, on.success, off.success) == (trial.kind, True, False)


def test_what_was_asked_for_is_its_users_own_and_out_of_mind_in_another_scene_and_after_a_while() -> None:
    with opened(embedder="lexical") as memory:
        home = Home(BEDROOM, memory, ())
        assert home.say("Pick up the alarm clock.", "ann").code is Code.SUCCESS
        for user in ("bob", ""):
            assert home.say("Put it on the bed.", user).code is Code.NOT_UNDERSTOOD
        home.robot.began += FADES + 1.0
        assert home.say("Put it on the bed.", "ann").code is Code.NOT_UNDERSTOOD
        assert home.say("Put the alarm clock on the bed.", "ann").code is Code.SUCCESS  # it still holds it
        elsewhere = Home("FloorPlan302", memory, ())
        elsewhere.robot.began = home.robot.clock
        assert elsewhere.say("Put it back.", "ann").code is Code.NOT_UNDERSTOOD


def test_after_a_restart_the_robot_knows_what_it_holds() -> None:
    """By working memory alone; what is picked up then needs an empty hand."""
    with opened(embedder="lexical") as memory:
        home = Home(BEDROOM, memory, ("short_term",))
        home.say("Pick up the alarm clock.")
        home.start()
        report = home.say("Pick up the book.")
        assert report.code is Code.SUCCESS
        assert all(outcome.ok for outcome in report.outcomes)
        assert report.outcomes[0].call.skill == "DescribeObject"


def test_a_day_later_everything_is_where_it_was() -> None:
    with opened(embedder="lexical") as memory:
        home = Home(BEDROOM, memory, ())
        before = dict(HouseholdBackend(BEDROOM).world.parents)
        began = home.robot.clock
        home.say("Pick up the book.")
        assert dict(home.world.parents) != before
        home.next_day()
        assert dict(home.world.parents) == before
        assert home.robot.clock >= began + DAY


def test_the_rooms_are_of_all_kinds() -> None:
    names = chosen(8, 0)
    assert len(set(names)) == 8
    assert {int(name.removeprefix("FloorPlan")) // 100 for name in names} == {0, 2, 3, 4}


def test_the_command_prints_and_writes_the_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karma_eval.brainmem.command.chosen", lambda count, seed: ["FloorPlan1"])
    ran = CliRunner().invoke(command, ["--part", "before", "--json", str(tmp_path / "figures.json")])
    assert ran.exit_code == 0, ran.output
    report = json.loads((tmp_path / "figures.json").read_text())
    assert report["parts"]["before"]["trials"] == len(report["trials"]) == 1
    assert (report["parts"]["before"]["on"], report["parts"]["before"]["off"]) == (100.0, 0.0)
    assert report["parts"]["working"]["on"] is None
