# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Every example runs by itself and prints what its docstring says that it prints; "…" there stands for anything."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from karma_memory.tools import TOOLS

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
HEAD = "It prints:\n"


def own() -> list[Path]:
    """Return the examples that say what they print; the others have tests of their own."""
    return [file for file in sorted(EXAMPLES.glob("*.py")) if HEAD in docstring(file)]


def docstring(file: Path) -> str:
    return ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""


def promised(file: Path) -> str:
    """Return the pattern of what an example says that it prints."""
    said = docstring(file).partition(HEAD)[2].splitlines()
    return "\n".join(re.escape(line.removeprefix("    ")).replace("…", ".+") for line in said)


@pytest.mark.parametrize("hour", [4, 8, 16])
@pytest.mark.parametrize("example", own(), ids=lambda file: file.stem)
def test_an_example_prints_what_it_says_whatever_the_hour(example: Path, hour: int, tmp_path: Path) -> None:
    west = (time.gmtime().tm_hour - hour + 11) % 24 - 11  # what was seen before midnight is told otherwise
    there = {**os.environ, "TZ": f"Etc/GMT{west:+d}"}
    done = subprocess.run(
        [sys.executable, str(example)], cwd=tmp_path, capture_output=True, text=True, check=False, env=there
    )
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(promised(example), done.stdout.rstrip("\n")), done.stdout
    assert "Traceback" not in done.stderr


def test_the_quick_start_is_ten_lines_and_is_an_example() -> None:
    code = (EXAMPLES / "quick_start.py").read_text(encoding="utf-8").split('"""')[2]
    assert len([line for line in code.splitlines() if line.strip()]) <= 10
    assert EXAMPLES / "quick_start.py" in own()


def test_the_pages_have_the_quick_start_each_example_and_each_tool() -> None:
    page = (EXAMPLES.parent / "docs" / "library.md").read_text(encoding="utf-8")
    start = (EXAMPLES / "quick_start.py").read_text(encoding="utf-8")
    for text in (page, (EXAMPLES.parent / "README.md").read_text(encoding="utf-8")):
        assert f"```python\n{start[start.index('from karma_memory') :]}```" in text
    assert textwrap.indent(docstring(EXAMPLES / "quick_start.py").partition(HEAD)[2].strip(), "    ") in page
    examples = re.findall(r"`(\w+\.py)`", page.partition("| example |")[2].partition("\n\n")[0])
    assert {file.name for file in EXAMPLES.glob("*.py")} == {"quick_start.py", *examples}
    tools = page.partition("| tool |")[2].partition("\n\n")[0]
    assert set(TOOLS) == {name for line in tools.splitlines() for name in re.findall(r"`(\w+)`", line.split("|")[1])}


def test_what_is_promised_is_compared() -> None:
    assert re.fullmatch(promised(EXAMPLES / "quick_start.py"), "The mug is in the sink.") is None
