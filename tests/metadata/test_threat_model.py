# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What docs/security.md says to hold, a test holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
HELD = [
    line for line in PAGE.partition("## What holds")[2].partition("\n## ")[0].splitlines() if line.startswith("| ")
][1:]
OWN = ("the same test", "the famil")
"""How a line names the test of another one."""


def test_the_table_is_read() -> None:
    assert len(HELD) >= 15


@pytest.mark.parametrize("line", HELD)
def test_what_holds_names_tests_that_there_are(line: str) -> None:
    cell = line.split("|")[-2]
    named = re.findall(r"`(test_\w+)`", cell)
    assert named or any(words in cell for words in OWN)
    files = [*ROOT.glob("ros2_ws/src/*/test/**/test_*.py"), *ROOT.glob("tests/**/test_*.py")]
    tests = {name for file in files for name in re.findall(r"^def (test_\w+)", file.read_text("utf-8"), re.MULTILINE)}
    assert set(named) <= tests
