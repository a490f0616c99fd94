# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`colcon build && colcon test` in a workspace of one's own, with the packages in its `src`; copies are installed.

karma_interfaces takes minutes to compile. The set-up has compiled it with colcon, too, and it is used from there; here
it is configured as people do that, without the set-up's options, which is all that differs.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from declarations import ROOT, python_packages, workspace

pytestmark = pytest.mark.slow

NAMES = [package.name for package in python_packages()]
INTERFACES = ROOT / "ros2_ws" / "src" / "karma_interfaces"
TIMEOUT_S = 600.0


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with all Python packages, built."""
    folder = with_sources(tmp_path_factory.mktemp("workspace"))
    colcon(folder, "build", "--executor", "sequential", "--packages-select", *NAMES)
    return folder


def with_sources(folder: Path) -> Path:
    (folder / "src").mkdir()
    for package in workspace():
        (folder / "src" / package.name).symlink_to(package)
    return folder


def colcon(folder: Path, *arguments: str) -> str:
    """Run colcon in a workspace; return what it printed."""
    return run(folder, [sys.executable, "-m", "colcon", *arguments])


def run(folder: Path, command: list[str]) -> str:
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
    return done.stdout


@pytest.mark.parametrize("name", NAMES)
def test_everything_that_a_package_consists_of_is_installed(name: str, built: Path) -> None:
    package, installed = ROOT / "ros2_ws" / "src" / name, built / "install" / name
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
    only_lists_what_would_be_built = ("--cmake-target", "help")
    colcon(with_sources(tmp_path), "build", "--packages-select", INTERFACES.name, *only_lists_what_would_be_built)
    planned = (tmp_path / "build" / INTERFACES.name / "build.ninja").read_text(encoding="utf-8")
    for kind in ("msg", "srv", "action"):
        for file in (INTERFACES / kind).glob(f"*.{kind}"):
            name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", file.stem).lower()
            assert f"rosidl_generator_py/{INTERFACES.name}/{kind}/_{name}.py" in planned, file


def test_who_sources_the_workspace_has_its_packages(built: Path) -> None:
    ask = (
        "import importlib, json, sys; from ament_index_python import get_package_prefix as prefix;"
        "print(json.dumps({name: [importlib.import_module(name).__file__, prefix(name)] for name in sys.argv[1:]}))"
    )
    told = json.loads(
        run(built, ["bash", "-c", '. install/setup.bash && "$@"', "bash", sys.executable, "-c", ask, *NAMES])
    )
    for name in NAMES:
        module, prefix = map(Path, told[name])
        assert prefix == built / "install" / name
        assert module.is_relative_to(prefix)


def test_colcon_runs_the_tests_of_a_package(built: Path) -> None:
    colcon(
        built, "test", "--packages-select", "sim_bridge", "--pytest-args", "test/test_pacing.py", "test/test_skills.py"
    )
    told = colcon(built, "test-result", "--test-result-base", "build", "--all")
    assert "0 errors, 0 failures" in told
    assert "Summary: 0 tests" not in told
