# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A short day on small pictures, and what tells a day that is bounded from one that is not."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from karma_eval.perception.day import LIMITS, Day, figures_of, judge
from karma_eval.perception.day_command import command
from karma_eval.perception.perceiver import HIDDEN, Window
from karma_eval.perception.stage import Options
from sim_bridge.household.gl import RenderingUnavailableError
from sim_bridge.household.renderer import HouseholdRenderer


def windows(values: list[float], **others: list[float]) -> list[dict[str, float]]:
    """Windows all of whose figures are `values`, one for each, but for some."""
    return [dict.fromkeys(LIMITS, v) | {k: o[i] for k, o in others.items()} for i, v in enumerate(values)]


def test_the_last_quarter_is_compared_with_the_second() -> None:
    verdicts = judge(windows([50.0, 50.0, 10.0, 10.0, 99.0, 99.0, 11.0, 11.0]))
    assert verdicts["cpu_ms"]["second"] == 10.0
    assert verdicts["cpu_ms"]["ratio"] == pytest.approx(1.1)
    assert all(v["bounded"] for v in verdicts.values())


def test_what_grows_all_day_is_not_bounded_and_what_was_nothing_may_stay_nothing() -> None:
    verdicts = judge(windows([0.0] * 8, rss_mb=[100.0 + 5 * i for i in range(8)]))
    assert verdicts["rss_mb"]["ratio"] == pytest.approx(132.5 / 112.5)
    assert [name for name, v in verdicts.items() if not v["bounded"]] == ["rss_mb"]
    assert not judge(windows([0.0] * 8, edges=[0, 0, 0, 0, 0, 0, 1, 1]))["edges"]["bounded"]


def test_too_few_windows_and_too_short_days_are_refused() -> None:
    with pytest.raises(ValueError, match="at least"):
        judge(windows([1.0] * 7))
    with pytest.raises(ValueError, match="at least 8 windows, so 800 frames"):
        Day("home1", HIDDEN, 799, 100, Options())


def test_figures_of_a_window_by_hand() -> None:
    window = Window((0.01, 0.02, 0.03), (0.1,), (0.004, 0.005, 0.009), 120.0, (1, 2, 3, 4), 5, 600, 7.5)
    figures = figures_of(window)
    assert figures["latency_p50_ms"] == pytest.approx(20.0)
    assert figures["graph_p50_ms"] == pytest.approx(100.0)
    assert figures["cpu_ms"] == pytest.approx(6.0)
    assert (figures["objects"], figures["nodes"], figures["edges"], figures["voxels"]) == (4, 10, 5, 600)
    assert figures_of(Window((0.1,), (), (0.1,), 1.0, (0, 0, 0, 0), 0, 0, 0.0))["graph_p50_ms"] is None


@pytest.mark.slow
def test_a_short_day_leaves_its_windows_a_report_and_a_plot(tmp_path: Path) -> None:
    try:
        HouseholdRenderer(width=16, height=12).close()
    except RenderingUnavailableError as error:
        pytest.skip(str(error))
    file = tmp_path / "day.json"
    options = ["--frames", "80", "--window", "10", "--scene", "FloorPlan405", "--size", "320x240"]
    result = CliRunner().invoke(
        command, [*options, "--json", str(file), "--out", str(tmp_path)], standalone_mode=False, catch_exceptions=False
    )
    report = json.loads(file.read_text())
    assert result.return_value == (0 if report["met"] else 1)
    assert report["verdicts"].keys() == LIMITS.keys()
    assert report["frames"] == 80
    assert report["evening"]["object_f1"] > 0.8
    lines = (tmp_path / "day-FloorPlan405-hidden.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == report["windows"]
    assert [w["frames"] for w in report["windows"]] == list(range(10, 90, 10))
    assert report["windows"][-1]["actions"] > 0
    assert {p.name for p in tmp_path.iterdir()} >= {"day-FloorPlan405-hidden.png", "day-FloorPlan405-hidden-map.png"}
