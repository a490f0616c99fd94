# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from click.testing import CliRunner

from karma_eval.memento.command import command
from karma_eval.memento.report import noise_section, retrieval_section
from karma_eval.memento.retrieval import Answer, Question, figures


def test_a_folder_without_the_data_is_refused_with_what_is_missing(tmp_path):
    result = CliRunner().invoke(command, ["--data", str(tmp_path / "nowhere"), "--out", str(tmp_path / "out")])
    assert result.exit_code == 1
    assert "memory_acquisition_stage.json" in result.output


def test_the_report_names_what_was_not_found_first_and_the_papers_figures():
    answers = [Answer(Question("bring my cup", "s", ("a",), "k"), ("b", "a"))]
    text = retrieval_section({"single": figures(answers)}, {}, answers)
    assert "rank 2: bring my cup" in text
    assert "| paper, embedding | 201 |  | 13.9 | 3.5 |" in text
    assert "Everything is taken" in noise_section({"node_reference": []}, {"node_reference": 100.0})
