# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import json
from pathlib import Path

import memento_files
from click.testing import CliRunner

from karma_eval.cache.traces import read_trace
from karma_eval.memento.command import command
from karma_eval.memento.report import SINGLE, say_noise, say_retrieval
from karma_eval.memento.retrieval import Answer, Question
from karma_eval.report import Report


def test_a_folder_without_the_data_is_refused_with_what_is_missing(tmp_path):
    result = CliRunner().invoke(command, ["--data", str(tmp_path / "nowhere"), "--out", str(tmp_path / "out")])
    assert result.exit_code == 1
    assert "memory_acquisition_stage.json" in result.output


def test_the_report_names_what_was_not_found_first_and_the_papers_figures(tmp_path):
    answers = [Answer(Question("bring my cup", "s", ("a",), "k"), ("b", "a"))]
    report = Report("MEMENTO")
    say_retrieval(report, {SINGLE: answers}, {})
    say_noise(report, {"node_reference": []}, {"node_reference": 100.0})
    text = report.write(tmp_path).read_text()
    assert "rank 2: bring my cup" in text
    assert "| paper, embedding | 201 |  | 13.9 | 3.5 |" in text
    assert "Everything is taken" in text


def test_the_command_writes_figures_a_report_and_the_household_trace(tmp_path: Path) -> None:
    data = memento_files.write(tmp_path / "data")
    out, file = tmp_path / "out", tmp_path / "f.json"
    arguments = ["--data", str(data), "--out", str(out), "--json", str(file), "--embedding", "lexical"]
    outcome = CliRunner().invoke(command, arguments)
    assert outcome.exit_code == 0, outcome.output
    found = json.loads(file.read_text())
    assert found.keys() >= {"planner", "retrieval", "propositions", "acquisition", "single", "joint", "profile_noise"}
    assert found["retrieval"]["n"] == 2
    assert found["single"]["sr"] == 100.0
    assert "Furniture of all places is known" in (out / "report.md").read_text()
    keys = read_trace(out / "household.trace").keys
    assert len(set(keys)) == 4
    assert keys[:4] == ("home/red_mug_:0000", "home/blue_mug_:0000", "home/red_mug_:0000", "home/red_mug_:0000")
