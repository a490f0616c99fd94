# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The benchmark of exploring in one small room, with small pictures."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from karma_eval.exploring import command as module
from karma_eval.exploring.command import command
from karma_eval.exploring.measure import run_scene
from karma_eval.perception.stage import Options
from sim_bridge.household.gl import RenderingUnavailableError
from sim_bridge.household.renderer import HouseholdRenderer


@pytest.fixture(scope="module", autouse=True)
def _rendering() -> None:
    try:
        HouseholdRenderer(width=16, height=12).close()
    except RenderingUnavailableError as error:
        pytest.skip(str(error))


def test_a_room_is_explored_frontier_by_frontier_and_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "run_scene", lambda name, _, on: run_scene(name, Options(width=320, height=240), on))
    file = tmp_path / "exploring.json"
    run = CliRunner().invoke(command, ["--scene", "FloorPlan415", "--json", str(file)], catch_exceptions=False)
    assert run.exit_code == 0, run.output
    report = json.loads(file.read_text())
    (row,) = report["by_scene"]
    assert row["frontiers"]["looks"] <= row["own"]["looks"]
    assert row["frontiers"]["cells"] >= 0.9
    assert report["visible_found"] >= 0.8
    assert row["relations"]["things"] >= 5
    assert 0.8 <= report["receptacle"] <= report["receptacle_or_its_part"]


def test_a_scene_that_does_not_exist_is_refused() -> None:
    run = CliRunner().invoke(command, ["--scene", "FloorPlan999"])
    assert run.exit_code == 2
    assert "FloorPlan999" in run.output
