# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from karma.command.__main__ import DONE_BY_BOOTSTRAP, SUMMARIES, main
from karma.command.conversation import chosen


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


@pytest.mark.parametrize("name", [name for name in SUMMARIES if name not in DONE_BY_BOOTSTRAP])
def test_every_subcommand_explains_itself(name: str) -> None:
    result = invoke(name, "--help")
    assert result.exit_code == 0, result.output
    assert f"{name} " in result.output


@pytest.mark.parametrize(
    "arguments",
    [
        ("view",),
        ("eval", "memento", "--data", "x", "--json", "f"),
        ("eval", "pahf"),
        ("eval", "eb-alfred"),
        ("eval", "karma"),
        ("eval", "emg"),
        ("bench", "perception", "--json", "x"),
        ("bench", "sim"),
    ],
)
def test_what_a_later_version_brings_says_so_with_a_status_of_its_own(arguments: tuple[str, ...]) -> None:
    result = invoke(*arguments)
    assert result.exit_code == 3
    assert "not part of this version yet" in result.output


def test_up_refuses_a_backend_of_a_later_version() -> None:
    result = invoke("up", "--backend", "habitat")
    assert result.exit_code == 2
    assert "'habitat' is not part of this version yet" in result.output


@pytest.mark.parametrize("domain", ["-1", "233", "kitchen", "1.5"])
def test_up_refuses_a_domain_that_is_none(domain: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", domain)
    monkeypatch.setenv("KARMA_ROOT", str(tmp_path))
    result = invoke("up")
    assert result.exit_code == 2
    assert "ROS_DOMAIN_ID must be a number from 0 to 232" in result.output


@pytest.mark.parametrize("arguments", [("doctor",), ("do", "look around"), ("demo", "--headless")])
def test_a_report_that_cannot_be_written_is_refused_before_the_work(arguments: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = invoke(*arguments, "--json", str(tmp_path / "file" / "out.json"))
    assert result.exit_code == 1
    assert "can't be made" in result.output


@pytest.mark.ros
def test_do_without_a_graph_says_how_to_start_one(monkeypatch: pytest.MonkeyPatch) -> None:
    from karma.supervision import claim_domain

    with claim_domain(None) as domain:
        monkeypatch.setenv("ROS_DOMAIN_ID", str(domain))
        result = invoke("do", "bring me an apple")
    assert result.exit_code == 1
    assert "./karma up" in result.output


@pytest.mark.parametrize(
    ("typed", "meant"), [("2", "the mug"), (" 1 ", "the cup"), ("3", "3"), ("the bowl", "the bowl")]
)
def test_number_of_a_choice_stands_for_the_choice(typed: str, meant: str) -> None:
    assert chosen(typed, ["the cup", "the mug"]) == meant


def test_doctor_reports_what_it_found_as_json(tmp_path: Path) -> None:
    file = tmp_path / "doctor.json"
    invoke("doctor", "--json", str(file))
    findings = {item["subject"]: item for item in json.loads(file.read_text())}
    assert findings["Python"]["verdict"] == "works"
    assert {"ROS 2", "rendering", "Ollama", "tf2_msgs", "GPU"} <= set(findings)
