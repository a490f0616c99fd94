# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Trials that older versions recorded, with other definitions of messages, are read, and settings for them still taken.

golden/README.md says which code wrote the files.
"""

from __future__ import annotations

import json
import lzma
import shutil
from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")

from karma.node_parameters import read_parameters
from karma.replay import trial as module
from karma.replay.trial import DEFINITIONS, TrialError, load_trial
from karma_interfaces.msg import Result
from planner_node.ros.exchanges import definitions_before

OLD = "6c80380c2e6d9080"
"""Digest of the definitions of then."""


GOLDEN = Path(__file__).resolve().parent / "golden"


@pytest.fixture
def bag(tmp_path: Path) -> Path:
    folder = tmp_path / "bag"
    shutil.copytree(GOLDEN / "trial-7d187150", folder)
    (folder / "bag.mcap").write_bytes(lzma.decompress((folder / "bag.mcap.xz").read_bytes()))
    return folder


def test_what_was_asked_answered_and_done_in_an_older_trial_is_known(bag: Path) -> None:
    trial = load_trial(bag)
    (instructed,) = trial.instructions
    assert (instructed.goal.instruction, instructed.goal.user) == ("Open the fridge.", "ann")
    assert instructed.result.result.code == Result.SUCCESS
    skills = [e.response.outcome for e in trial.exchanges if e.name == "execute_skill"]
    assert [outcome.call.skill for outcome in skills] == ["Explore", "GoToObject", "OpenObject"]
    assert skills[2].call.target.id.startswith("Fridge|")
    assert not skills[2].position, "outcomes did not say yet where the robot is"
    assert trial.parameters["planner"]["llm"] == "offline"
    assert (trial.events, trial.notes) == (16, ())


def test_a_trial_is_read_by_the_definitions_beside_it(bag: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = definitions_before()[OLD]
    monkeypatch.setattr(module, "definitions_before", dict)
    with pytest.raises(TrialError, match=f"digest {OLD}.*use the karma_interfaces of that version"):
        load_trial(bag)
    (bag / DEFINITIONS).write_text(json.dumps({"digest": OLD, "definitions": recorded}))
    assert len(load_trial(bag).exchanges) == 25
    (bag / DEFINITIONS).write_text(json.dumps({"digest": OLD, "definitions": {"srv/Recall.srv": "no definition"}}))
    with pytest.raises(TrialError, match="damaged"):
        load_trial(bag)


def test_every_parameter_of_an_older_version_can_be_set() -> None:
    config = Path(__file__).resolve().parents[1] / "config"
    lines = (GOLDEN / "parameters-0.1.0.txt").read_text().splitlines()
    chosen = read_parameters(lines, config)
    assert chosen["memory_server"]["snapshot_period"] == 300.0
    assert sum(map(len, chosen.values())) == len(lines)
