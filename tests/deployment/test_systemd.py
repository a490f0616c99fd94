# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The unit for systemd."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from configparser import ConfigParser
from pathlib import Path

import pytest
from command_lines import understood

ROOT = Path(__file__).resolve().parents[2]
UNIT = ROOT / "systemd" / "karma.service"
CHECKOUT = "/opt/karma"


def test_the_unit_starts_the_graph_again_and_lets_it_end_in_order() -> None:
    unit = ConfigParser(interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read_string(UNIT.read_text(encoding="utf-8"))
    service = unit["Service"]
    program, *arguments = shlex.split(service["ExecStart"])
    assert program == f"{service['WorkingDirectory']}/karma" == f"{CHECKOUT}/karma"
    understood(arguments)
    assert (service["Restart"], service["KillMode"], service["SuccessExitStatus"]) == ("on-failure", "mixed", "143")


def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    copy = tmp_path / UNIT.name
    copy.write_text(UNIT.read_text(encoding="utf-8").replace(CHECKOUT, str(ROOT)), encoding="utf-8")
    said = subprocess.run(["systemd-analyze", "verify", str(copy)], capture_output=True, text=True, check=False)
    assert (said.returncode, said.stderr) == (0, "")
