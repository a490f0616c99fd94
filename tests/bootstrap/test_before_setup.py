# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What ./karma answers on a machine that has only Python, where nothing is set up."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bootstrap import written_help
from bootstrap.place import Place
from bootstrap.steps import _stamp, _steps
from karma.command.help_page import help_page

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    """What of a fresh clone this needs."""
    return clone(tmp_path / "checkout")


def clone(folder: Path) -> Path:
    """Copy what ./karma is made of before the set-up."""
    ignored = shutil.ignore_patterns("__pycache__")
    for name in ("bootstrap", "requirements"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    shutil.copy(ROOT / "karma", folder)
    package = folder / "ros2_ws" / "src" / "thing"
    package.mkdir(parents=True)
    (package / "package.xml").touch()
    return folder


def run(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ./karma; nothing may have been made by that."""
    before = files(checkout)
    programs = checkout.parent / "bin"
    programs.mkdir(exist_ok=True)
    (programs / "python3").unlink(missing_ok=True)
    (programs / "python3").symlink_to(os.path.realpath(sys.executable))
    environment = {"PATH": f"{programs}:/usr/sbin:/usr/bin:/sbin:/bin"}
    done = subprocess.run(
        [checkout / "karma", *arguments], env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert files(checkout) == before
    return done


def files(checkout: Path) -> list[Path]:
    """Return everything in a checkout but what Python keeps for itself."""
    return sorted(path for path in checkout.rglob("*") if "__pycache__" not in path.parts)


def test_the_help_for_before_the_setup_is_what_the_command_line_prints() -> None:
    written = written_help.FILE.read_text(encoding="utf-8")
    assert written == help_page(), f"write it anew: {written_help.PROMPT[2:]}shell python -m karma.command.help_page"


@pytest.mark.parametrize(
    ("arguments", "answered"),
    [
        ([], "--help"),
        (["-h"], "--help"),
        (["--help", "up"], "--help"),
        (["--version"], "--version"),
        (["up", "--help"], "up --help"),
        (["up", "--scene", "home1", "-h"], "up --help"),
        (["memory", "show", "--help"], "memory show --help"),
        (["memory", "--help"], "memory --help"),
        (["test", "--help"], "test --help"),
        (["do", "bring me an apple"], ""),
        (["do", "--", "--help"], ""),
        (["shell", "--help"], "shell --help"),
        (["shell", "python", "--help"], ""),
        (["nonsense", "--help"], ""),
    ],
)
def test_a_question_for_help_is_known(arguments: Sequence[str], answered: str) -> None:
    assert written_help.written_help(arguments) == (written_help._written()[answered] if answered else None)


@pytest.mark.parametrize("arguments", [["--help"], ["up", "--help"], ["test", "--help"], ["--version"]])
def test_help_and_version_need_no_setup(fresh: Path, arguments: list[str]) -> None:
    done = run(fresh, *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() == written_help.written_help(arguments)


def test_the_help_of_a_command_that_needs_more_than_others_sets_up_nothing_more(fresh: Path) -> None:
    place = Place(fresh, None)
    place.python.parent.mkdir(parents=True)
    place.python.write_text(f'#!/bin/sh\n[ "$2" = -m ] && echo "$@" && exit\nexec {place.base_python} "$@"\n')
    place.python.chmod(0o755)
    place.state.mkdir()
    for step in _steps(place):
        _stamp(place, step.name).write_text(step.key)
    done = run(fresh, "test", "--help")
    assert (done.returncode, done.stdout, done.stderr) == (0, "-P -m karma.command test --help\n", "")


def test_a_command_that_is_none_is_refused_before_a_setup(fresh: Path) -> None:
    done = run(fresh, "nonsense")
    assert (done.returncode, done.stderr) == (
        2,
        "karma: there is no command 'nonsense'; ./karma --help lists them\n",
    )


def test_doctor_says_what_the_setup_would_do_and_does_nothing(fresh: Path) -> None:
    done = run(fresh, "doctor", "--backend", "household")
    assert done.returncode == 1
    assert f"KARMA in {fresh} is not set up yet. ./karma setup" in done.stdout
    assert "MB to download" in done.stdout
    assert "MB are free" in done.stdout
    assert "to be built: thing" in done.stdout


@pytest.mark.parametrize(("name", "command"), [("my karma", "setup"), ("kärma", "up"), ('a;"b"', "test")])
def test_a_path_that_programs_cannot_cope_with_is_refused_before_anything_is_installed(
    tmp_path: Path, name: str, command: str
) -> None:
    checkout = clone(tmp_path / name)
    done = run(checkout, command)
    assert done.returncode == 1
    assert "can't be set up in" in done.stderr
    assert name in done.stderr
    assert "Move the checkout" in done.stderr
    assert "Traceback" not in done.stderr
    assert run(checkout, "up", "--help").returncode == 0
    assert "can't be set up in" in run(checkout, "doctor").stdout


STAND_INS = {
    "whole": '#!/bin/sh\nexec {python} "$@"\n',
    "minimal": '#!/bin/sh\ncase "$*" in *ctypes*) echo "No module named \'ctypes\'" >&2; exit 1;; esac\necho 3.11.2\n',
    "old": '#!/bin/sh\ncase "$*" in *ctypes*) exit 1;; esac\necho 3.10.12\n',
    "root": "#!/bin/sh\necho 0\n",
    "user": "#!/bin/sh\necho 1000\n",
    "offline": "#!/bin/sh\ncase $1 in update) echo \"W: Failed to fetch x: Temporary failure resolving 'y'\";; "
    "*) echo 'E: Unable to locate package python3'; exit 100;; esac\n",
    "works": "#!/bin/sh\nln -sf python3.whole {folder}/python3\n",
    "refuses": "#!/bin/sh\necho 'sudo: a password is required'; exit 1\n",
}


@pytest.mark.parametrize(
    ("programs", "told"),
    [
        ({}, "there is no python3 that works, and this system has no apt-get"),
        ({"python3": "minimal"}, "python3 is 3.11.2 without its standard library, and this system has no apt-get"),
        ({"python3": "old", "apt-get": "works"}, "python3 is 3.10.12. Install another beside it"),
        ({"python3": "minimal", "apt-get": "works", "id": "user"}, "you are not root and there is no sudo"),
        ({"apt-get": "works", "id": "user", "sudo": "refuses"}, "sudo: a password is required"),
        ({"apt-get": "offline", "id": "root"}, "W: Failed to fetch x: Temporary failure resolving 'y'"),
    ],
)
def test_a_system_without_a_python_that_will_do_is_told_in_one_line(
    fresh: Path, programs: dict[str, str], told: str
) -> None:
    done = with_programs(fresh, programs)
    assert done.returncode == 1
    (line,) = [line for line in done.stderr.splitlines() if "; installing the" not in line]
    assert line.startswith("karma: needs Python 3.11, 3.12 or 3.13; ")
    assert told in line


def test_a_python_without_its_standard_library_is_completed(fresh: Path) -> None:
    done = with_programs(fresh, {"python3": "minimal", "apt-get": "works", "id": "root"})
    assert (done.returncode, done.stdout) == (0, f"{written_help.written_help(['--version'])}\n")
    assert "installing the Debian packages python3 and python3-venv" in done.stderr


def with_programs(checkout: Path, programs: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run ./karma --version where PATH has nothing but these, what the script itself needs, and Python elsewhere."""
    folder = checkout.parent / "programs"
    folder.mkdir()
    for name in ("dirname", "grep", "id", "ln", "readlink", "sh", "tail"):
        if name not in programs:
            (folder / name).symlink_to(str(shutil.which(name)))
    for name, kind in (programs | {"python3.whole": "whole"}).items():
        text = STAND_INS[kind].replace("{python}", os.path.realpath(sys.executable)).replace("{folder}", str(folder))
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    return subprocess.run(
        [checkout / "karma", "--version"], env={"PATH": str(folder)}, capture_output=True, text=True, check=False
    )
