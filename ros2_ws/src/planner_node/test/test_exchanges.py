# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a recording of the planner can be read with."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("karma_interfaces.msg", reason="karma_interfaces is not built")

from ament_index_python.packages import get_package_share_directory

from planner_node.ros import exchanges
from planner_node.ros.exchanges import interfaces


@pytest.fixture
def share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    copy = tmp_path / "karma_interfaces"
    for kind in ("msg", "srv", "action"):
        shutil.copytree(Path(get_package_share_directory("karma_interfaces")) / kind, copy / kind)
    monkeypatch.setattr(exchanges, "get_package_share_directory", lambda package: str(copy))
    return copy


def digest() -> str:
    return interfaces.__wrapped__()


def append(file: Path, text: str) -> None:
    file.write_text(file.read_text() + text)


def test_comments_and_other_messages_may_change(share: Path) -> None:
    before = digest()
    append(share / "msg" / "SceneNode.msg", "\n# in other words\n")
    append(share / "msg" / "InstanceLabels.msg", "\nstring more\n")
    append(share / "srv" / "SaveMap.srv", "\nstring more\n")
    assert digest() == before


@pytest.mark.parametrize(
    "name", ["srv/Recall.srv", "srv/Ask.srv", "action/ExecuteSkill.action", "msg/SceneNode.msg", "msg/SkillCall.msg"]
)
def test_what_is_exchanged_and_what_is_in_it_may_not(share: Path, name: str) -> None:
    before = digest()
    append(share / name, "\nstring more\n")
    assert digest() != before
