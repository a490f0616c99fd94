# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The demonstration as a person runs it, on the Habitat that KARMA_HABITAT_PYTHON names.

KARMA_HABITAT_PYTHON=/path/to/python ./karma test tests/test_habitat_demo.py -m habitat
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from sim_bridge.habitat.interpreter import PYTHON_VARIABLE

ROOT = Path(__file__).resolve().parents[1]

pytestmark = [
    *(pytest.mark.ros, pytest.mark.slow, pytest.mark.habitat),
    pytest.mark.skipif(
        not os.environ.get(PYTHON_VARIABLE), reason=f"{PYTHON_VARIABLE} names no interpreter that has habitat-sim"
    ),
]


def test_the_demo_succeeds_and_looks_less_often_with_memory(tmp_path: Path) -> None:
    file, log = tmp_path / "report.json", tmp_path / "demo.log"
    command = [str(ROOT / "karma"), "demo", "--backend", "habitat", "--headless"]
    command += ["--set", "sim_bridge.image_width=320", "--set", "sim_bridge.image_height=240"]
    with log.open("wb") as output:
        status = subprocess.run(
            [*command, "--json", str(file), "--out", str(tmp_path / "out")],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            check=False,
        ).returncode
    assert status == 0, log.read_text()
    summary = json.loads(file.read_text())["summary"]
    assert (summary["backend"], summary["succeeded"]) == ("habitat", summary["instructions"])
    assert summary["explore_steps"] < summary["explore_steps_without_memory"]
