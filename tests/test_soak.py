# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A day of the soak, with the real graph."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("rclpy")

pytestmark = pytest.mark.ros


def test_nothing_is_lost_in_a_day_with_faults_and_each_outage_is_told(tmp_path: Path) -> None:
    out = tmp_path / "soak.json"
    command = [sys.executable, "-m", "karma.command", "bench", "soak", "--scene", "FloorPlan1", "--days", "1"]
    done = subprocess.run([*command, "--faults", "3", "--seed", "2", "--json", out], check=False)
    report = json.loads(out.read_text())
    assert done.returncode == 1, "one day shows no slope"
    assert (report["trouble"], report["faults"], report["lost"], report["untold"]) == ("", 3, 0, 0), report[
        "each_fault"
    ]
    assert report["acknowledged"] > 0
    assert report["nights"][0]["events"] > 0
