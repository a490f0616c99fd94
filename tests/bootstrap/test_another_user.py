# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A checkout that root has set up on an installed ROS 2, as in the desktop image, and another user uses."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bootstrap import place as places
from bootstrap import steps
from bootstrap.place import find_place, note_ros

sys.path.insert(0, str(Path(__file__).resolve().parent))

from test_place import sourced

ROOT = Path(places.__file__).parents[1]
NOBODY = 65534


def run_as_nobody(command: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        env=environment,
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def nobodys_python() -> str:
    """A Python that will do and that everybody may run."""
    if os.geteuid() != 0:
        pytest.skip("only root can be another user")
    suits = "import ctypes, json, sys; sys.exit(sys.version_info[:2] < (3, 11))"
    for python in (os.path.realpath(sys.executable), "/usr/bin/python3", "/usr/local/bin/python3"):
        with suppress(OSError):
            if run_as_nobody([python, "-I", "-c", suits], {}).returncode == 0:
                return python
    pytest.skip("no Python 3.11 that another user may run")


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that everybody may read; pytest's own are root's alone."""
    folder = Path(tempfile.mkdtemp(prefix="karma-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def environment(folder: Path) -> dict[str, str]:
    return sourced(folder, "jazzy")


@pytest.fixture
def checkout(folder: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Set up by root; tools are not run, and what runs the command line says what it was told to run."""
    root = folder / "checkout"
    shutil.copytree(ROOT / "bootstrap", root / "bootstrap", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "requirements").mkdir()
    (root / "requirements" / "packages.lock").write_text("numpy==2.4.6\n")

    def make_venv(place: places.Place, _: object) -> None:
        place.state.mkdir(parents=True, exist_ok=True)
        place.python.parent.mkdir(exist_ok=True)
        place.python.write_text('#!/bin/sh\necho "ran $*"\n')
        place.python.chmod(0o755)

    monkeypatch.setattr(steps, "_make_venv", make_venv)
    monkeypatch.setattr(steps, "_install_packages", lambda *_: None)
    steps.set_up(find_place(root, environment))
    return root


def as_nobody(
    python: str, checkout: Path, *arguments: str, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run ./karma as another user. Nothing in the checkout may change."""
    before = {path: path.lstat().st_mtime_ns for path in checkout.rglob("*")}
    done = run_as_nobody([python, "-I", "-S", str(checkout / "bootstrap"), *arguments], environment)
    assert {path: path.lstat().st_mtime_ns for path in checkout.rglob("*")} == before
    return done


def test_what_the_installation_answered_to_root_is_not_asked_again(
    nobodys_python: str, checkout: Path, environment: dict[str, str]
) -> None:
    note_ros(find_place(checkout, environment), environment)
    (Path(environment["PATH"].partition(":")[0]) / "python3").write_text("#!/bin/sh\nexit 1\n")
    done = as_nobody(nobodys_python, checkout, "health", environment=environment)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ran -P -m karma.command health\n", "")


@pytest.mark.parametrize("own", [{}, {"PYTHONPATH": "/home/ann/overlay"}], ids=["the same", "an overlay of their own"])
def test_what_root_has_set_up_another_user_uses(
    nobodys_python: str, checkout: Path, environment: dict[str, str], own: dict[str, str]
) -> None:
    done = as_nobody(nobodys_python, checkout, "health", environment=environment | own)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ran -P -m karma.command health\n", "")


@pytest.mark.parametrize(("command", "missing"), [("up", "packages"), ("bench", "packages, peers")])
def test_what_is_missing_is_told_with_who_can_bring_it(
    nobodys_python: str, checkout: Path, environment: dict[str, str], command: str, missing: str
) -> None:
    for name in ("packages", "bench"):
        (checkout / "requirements" / f"{name}.lock").write_text("scipy==1.0\n")
    done = as_nobody(nobodys_python, checkout, command, environment=environment)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert f"{checkout} is not all set up ({missing})" in line
    assert "Run the same command once as root" in line


def test_a_python_that_is_roots_alone_is_told(
    nobodys_python: str, folder: Path, checkout: Path, environment: dict[str, str]
) -> None:
    (folder / "roots").mkdir(mode=0o700)
    python = checkout / ".venv-jazzy" / "bin" / "python"
    python.unlink()
    python.symlink_to(folder / "roots" / "python3")
    (checkout / "requirements" / "packages.lock").write_text("scipy==1.0\n")
    done = as_nobody(nobodys_python, checkout, "up", environment=environment)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert f"was made with {folder}/roots" in line
    assert "which you may not run" in line
    report = as_nobody(nobodys_python, checkout, "doctor", environment=environment)
    assert "which you may not run" in report.stdout
    assert "Permission denied" not in report.stdout + report.stderr
