# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`colcon build && colcon test` as people with a workspace of their own run them: copies, not links, in another prefix.

karma_interfaces takes minutes to compile. The set-up has compiled it with colcon, too, and it is used from there; here
it is configured as people do that, without the set-up's options, which is all that differs.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from declarations import ROOT, python_packages

pytestmark = pytest.mark.slow

NAMES = [package.name for package in python_packages()]
INTERFACES = ROOT / "ros2_ws" / "src" / "karma_interfaces"
TIMEOUT_S = 600.0


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All Python packages, built."""
    folder = tmp_path_factory.mktemp("workspace")
    colcon(folder, "build", "--install-base", str(folder / "install"), "--packages-select", *NAMES)
    return folder


def colcon(folder: Path, verb: str, *arguments: str) -> str:
    """Run colcon on the sources with everything that it writes below a folder; return what it printed."""
    paths = ["--base-paths", str(ROOT / "ros2_ws" / "src"), "--build-base", str(folder / "build")]
    command = [sys.executable, "-m", "colcon", "--log-base", str(folder / "log"), verb]
    command += arguments if verb == "test-result" else [*paths, "--executor", "sequential", *arguments]
    prefixes = os.pathsep.join((sys.prefix, os.environ.get("AMENT_PREFIX_PATH", "")))
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"AMENT_PREFIX_PATH": prefixes, "CMAKE_GENERATOR": "Ninja"},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("name", NAMES)
def test_everything_that_a_package_consists_of_is_installed(name: str, workspace: Path) -> None:
    package, installed = ROOT / "ros2_ws" / "src" / name, workspace / "install" / name
    (modules,) = installed.glob(f"lib/python3*/site-packages/{name}")
    assert _files(package / name) == _files(modules)
    shared = installed / "share" / name
    assert (shared / "package.xml").read_text() == (package / "package.xml").read_text()
    for folder in ("config", "launch", "rviz", "urdf"):
        assert _files(package / folder) == _files(shared / folder)
    assert (installed / "share" / "ament_index" / "resource_index" / "packages" / name).is_file()
    nodes = {file.stem for file in (package / name).rglob("*_node.py")}
    scripts = {file.name for file in (installed / "lib" / name).glob("*")}
    assert len(scripts) == len(nodes)


def _files(folder: Path) -> set[str]:
    names = (file.relative_to(folder) for file in folder.rglob("*") if file.is_file())
    return {str(name) for name in names if "__pycache__" not in name.parts}


def test_the_interfaces_are_configured_without_the_options_of_the_set_up(tmp_path: Path) -> None:
    chosen = ("--packages-select", INTERFACES.name, "--cmake-target", "help")  # which only lists what would be built
    colcon(tmp_path, "build", "--install-base", str(tmp_path / "install"), *chosen)
    planned = (tmp_path / "build" / INTERFACES.name / "build.ninja").read_text(encoding="utf-8")
    for kind in ("msg", "srv", "action"):
        for file in (INTERFACES / kind).glob(f"*.{kind}"):
            name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", file.stem).lower()
            assert f"rosidl_generator_py/{INTERFACES.name}/{kind}/_{name}.py" in planned, file


def test_colcon_runs_the_tests_of_a_package(workspace: Path) -> None:
    tested = ("--install-base", str(workspace / "install"), "--packages-select", "sim_bridge")
    colcon(workspace, "test", *tested, "--pytest-args", "test/test_pacing.py", "test/test_skills.py")
    told = colcon(workspace, "test-result", "--test-result-base", str(workspace / "build"), "--all")
    assert "0 errors, 0 failures" in told
    assert "Summary: 0 tests" not in told
