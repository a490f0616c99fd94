# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Where commands leave what they write, on machines where they may not write everywhere."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from karma.command.checkout import output_folder
from karma.command.log_folder import new_log_folder
from karma.environment import may_write

NOBODYS = "/dev/null"
"""Nobody can make files in it, not even root."""


def test_output_goes_where_this_user_may_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setenv("KARMA_ROOT", str(tmp_path))
    assert output_folder() == tmp_path / "out"
    monkeypatch.setenv("KARMA_ROOT", NOBODYS)
    assert output_folder() == tmp_path / "home" / ".local" / "state" / "karma"
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert output_folder() == tmp_path / "state" / "karma"
    folder = new_log_folder("up")
    assert folder.is_dir()
    assert folder.parent == tmp_path / "state" / "karma" / "log"
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", NOBODYS)
    assert output_folder() == tmp_path / "temporary" / f"karma-{os.getuid()}"


def test_a_folder_that_can_be_made_may_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert may_write(tmp_path)
    assert may_write(tmp_path / "not" / "there")
    assert not may_write(tmp_path / "file" / "below")


def test_a_command_talks_to_ros_with_a_home_that_is_read_only(tmp_path: Path) -> None:
    pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")
    code = (
        "from karma.environment import prepare_environment\n"
        "prepare_environment()\n"
        "import rclpy.logging\n"
        "rclpy.init()\n"
        "rclpy.logging.get_logger('x').info('said')\n"
    )
    environment = {name: value for name, value in os.environ.items() if name not in ("ROS_HOME", "ROS_LOG_DIR")}
    environment |= {"HOME": NOBODYS, "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert list((tmp_path / f"karma-{os.getuid()}" / "ros").iterdir())
