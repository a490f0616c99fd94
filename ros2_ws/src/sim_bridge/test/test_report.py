# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from pathlib import Path

import pytest

from sim_bridge.household import report
from sim_bridge.household.speed import measure_steps


def test_the_table_and_the_figures_agree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "report.json"
    assert report.main(["--scene", "FloorPlan401", "--scene", "FloorPlan1", "--json", str(file)]) == 0
    figures = json.loads(file.read_text())
    assert [f["scene"] for f in figures] == ["FloorPlan401", "FloorPlan1"]
    assert all(f["reachable"] >= report.REQUIRED and f["connected"] == 1.0 for f in figures)
    assert figures[1]["cells"] == 129  # recorded positions of FloorPlan1
    out = capsys.readouterr().out
    assert "2 of 2 scenes" in out
    assert "FloorPlan401" in out


def test_pictures_show_what_lines_of_sight_promise_in_scenes_where_they_once_did_not(tmp_path: Path) -> None:
    """Sinks (4, 14, 22), shelves (319), a tub and a can (410), a bed (311), a screen (205), a bowl (317)."""
    pytest.importorskip("mujoco")
    file = tmp_path / "report.json"
    names = [f"FloorPlan{n}" for n in (4, 14, 22, 205, 311, 317, 319, 410)] + ["home4"]
    arguments = [a for name in names for a in ("--scene", name)]
    assert report.main([*arguments, "--rendered", "--json", str(file)]) == 0
    assert all(f["pictured"] >= report.REQUIRED for f in json.loads(file.read_text()))


def test_a_scene_that_falls_short_is_named_and_fails_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(report, "accessible", lambda *_: False)
    assert report.main(["--scene", "FloorPlan401"]) == 1
    out = capsys.readouterr().out
    assert "0 of 1 scenes" in out
    assert "short: " in out


def test_an_unknown_scene_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as error:
        report.main(["--scene", "FloorPlan31"])
    assert error.value.code == 2
    assert "no scene FloorPlan31" in capsys.readouterr().err


def test_speed_counts_every_step() -> None:
    speed = measure_steps("FloorPlan401", skills=10)
    assert speed.skills == 10
    assert speed.steps > 10
    assert speed.steps_per_second > 0
