# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Where KARMA is set up: which ROS 2 it uses, and the virtual environment that goes with it."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bootstrap.progress import SetupError

SUPPORTED_DISTRIBUTIONS = ("jazzy", "kilted")
WHEELS_DISTRIBUTION = "kilted"
WHEELS_GUARD = "_ROS_WHEELS_BOOTSTRAP_COMPLETE"
"""Set where LD_LIBRARY_PATH already leads to the libraries in the wheels; without it Python starts itself twice."""

NOTE = "ros.json"

THIS_PYTHON = os.path.realpath(sys.executable)
"""Without the link of the virtual environment that it may have been started through, and that may be deleted."""

UNUSABLE = re.compile(r"[^A-Za-z0-9/._+@=~-]")
"""What a checkout's path must not have: a script's first line ends at a space, and CMake fails on what is not ASCII."""

PROBE = """
import json, os, sys
import rclpy
print(json.dumps({"path": sys.path, "libraries": os.environ.get("LD_LIBRARY_PATH", "")}))
"""


@dataclass(frozen=True)
class InstalledRos:
    """A ROS 2 that the user has sourced."""

    distribution: str
    prefixes: tuple[str, ...]
    python: str
    """The Python that imports its rclpy."""
    python_path: tuple[str, ...]
    libraries: str

    @property
    def identity(self) -> str:
        """What a virtual environment is made for: not the user's own packages and overlays, which come and go."""
        return f"{self.distribution} {next(filter(_has_rclpy, self.prefixes), '')} {self.python}"


@dataclass(frozen=True)
class Place:
    """One checkout with one ROS 2. The virtual environment is also the ament prefix the workspace is installed to."""

    root: Path
    ros: InstalledRos | None
    """None: ROS 2 from wheels, inside the virtual environment."""

    @property
    def venv(self) -> Path:
        """The virtual environment: one for the wheels, one per installed distribution."""
        return self.root / (".venv" if self.ros is None else f".venv-{self.ros.distribution}")

    @property
    def python(self) -> Path:
        """The Python of the virtual environment."""
        return self.venv / "bin" / "python"

    @property
    def base_python(self) -> str:
        """The Python that the virtual environment is made with."""
        return THIS_PYTHON if self.ros is None else self.ros.python

    @property
    def identity(self) -> str:
        """What the virtual environment is made for; another one needs another."""
        return f"{self.root}\n{self.base_python}\n{self.ros and self.ros.identity}"

    @property
    def state(self) -> Path:
        """Where the set-up notes what it has done."""
        return self.venv / "karma-setup"

    @property
    def sources(self) -> Path:
        """The packages of the workspace."""
        return self.root / "ros2_ws" / "src"

    @property
    def interfaces(self) -> Path:
        """Packages with interfaces of others, for where the distribution lacks them."""
        return self.root / "bootstrap" / "interfaces"

    @property
    def description(self) -> str:
        """One line for people."""
        if self.ros is None:
            return f"ROS 2 {WHEELS_DISTRIBUTION} from wheels, in {self.venv}"
        return f"ROS 2 {self.ros.distribution} as installed, Python packages in {self.venv}"

    def build_environment(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Return the environment for building and for running: this ROS 2 and nothing of another one."""
        result = dict(environment)
        for name in ("PYTHONHOME", "COLCON_PREFIX_PATH", WHEELS_GUARD):
            result.pop(name, None)
        prefixes = _entries(environment, "AMENT_PREFIX_PATH")
        if self.ros is None:
            foreign = list(filter(_has_rclpy, prefixes))
            for name in ("PYTHONPATH", "LD_LIBRARY_PATH", "CMAKE_PREFIX_PATH", "PATH"):
                kept = [entry for entry in _entries(environment, name) if not _below(entry, foreign)]
                result[name] = os.pathsep.join(kept)
            prefixes = [prefix for prefix in prefixes if prefix not in foreign]
            result["ROS_DISTRO"] = WHEELS_DISTRIBUTION
            result["LD_LIBRARY_PATH"] = _joined(self.wheel_libraries(), result["LD_LIBRARY_PATH"])
            result[WHEELS_GUARD] = "1"
        else:
            result["LD_LIBRARY_PATH"] = self.ros.libraries
        result.setdefault("CMAKE_GENERATOR", "Ninja")
        own = str(self.venv)
        result["VIRTUAL_ENV"] = own
        result["PATH"] = _joined([str(self.venv / "bin")], result.get("PATH", ""))
        result["AMENT_PREFIX_PATH"] = _joined([own], os.pathsep.join(prefixes))
        result["CMAKE_PREFIX_PATH"] = _joined([own], result.get("CMAKE_PREFIX_PATH", ""))
        for name in ("PYTHONPATH", "LD_LIBRARY_PATH"):
            if not result.get(name):
                result.pop(name, None)
        return result

    def command_environment(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Return the environment of the command line."""
        result = self.build_environment(environment)
        result["KARMA_ROOT"] = str(self.root)
        result["KARMA_ROS"] = "wheels" if self.ros is None else "installed"
        return result

    def wheel_libraries(self) -> list[str]:
        """Return the folders with the shared libraries that the ROS wheels bring."""
        return [str(self.venv / "lib"), *map(str, sorted(self.venv.glob("lib/python3*/site-packages/ros_*.libs")))]


def check_path(root: Path) -> None:
    """SetupError when programs in this checkout could not be started for what its path has in it."""
    found = "".join(sorted(set(UNUSABLE.findall(str(root)))))
    if found:
        raise SetupError(
            f"KARMA can't be set up in {shlex.quote(str(root))}: scripts and CMake can't cope with {found!r} there.\n"
            "  Move the checkout to a path of a-z, A-Z, 0-9 and ._+@=~- only, "
            f"such as {UNUSABLE.sub('_', str(root))}, and run the same command there."
        )


def find_place(root: Path, environment: Mapping[str, str]) -> Place:
    """Use the ROS 2 that is sourced, if it is one we know and its rclpy works; else the wheels."""
    distribution = environment.get("ROS_DISTRO", "")
    own = [str(root / ".venv"), *(str(root / f".venv-{name}") for name in SUPPORTED_DISTRIBUTIONS)]
    prefixes = tuple(prefix for prefix in _entries(environment, "AMENT_PREFIX_PATH") if prefix not in own)
    if distribution not in SUPPORTED_DISTRIBUTIONS:
        return Place(root, None)
    if not any(map(_has_rclpy, prefixes)):
        return Place(root, None)
    python = _python_outside(own, environment)
    if python is None:
        return Place(root, None)
    note = root / f".venv-{distribution}" / "karma-setup" / NOTE
    answer = _noted(note, _question(prefixes, python, environment)) or _ask(python, environment)
    if answer is None:
        print(
            f"karma: ROS 2 {distribution} is sourced, but {python} cannot import its rclpy; using the wheels",
            file=sys.stderr,
        )
        return Place(root, None)
    return Place(
        root, InstalledRos(distribution, prefixes, python, tuple(answer["path"]), libraries=answer["libraries"])
    )


def note_ros(place: Place, environment: Mapping[str, str]) -> None:
    """Note what an installed ROS 2 answered, so that later commands need not ask.

    Who may not write there reads it, or asks each time.
    """
    if place.ros is None or not os.access(place.state, os.W_OK):
        return
    question = _question(place.ros.prefixes, place.ros.python, environment)
    answer = {"path": place.ros.python_path, "libraries": place.ros.libraries}
    note = place.state / NOTE
    if _noted(note, question) is None:
        # As a whole: another command may be reading it, or writing it, too.
        whole = note.with_name(f".{NOTE}.{os.getpid()}")
        whole.write_text(json.dumps({"question": question, "answer": answer}), encoding="utf-8")
        whole.replace(note)


def _question(prefixes: tuple[str, ...], python: str, environment: Mapping[str, str]) -> dict[str, Any]:
    return {"prefixes": list(prefixes), "python": python, "PYTHONPATH": environment.get("PYTHONPATH", "")}


def _noted(note: Path, question: dict[str, Any]) -> dict[str, Any] | None:
    """Return what was answered to the same question before."""
    try:
        known = json.loads(note.read_text(encoding="utf-8"))
        return dict(known["answer"]) if known["question"] == question else None
    except (OSError, ValueError, KeyError):
        return None


def _ask(python: str, environment: Mapping[str, str]) -> dict[str, Any] | None:
    """Ask the Python about its rclpy."""
    done = subprocess.run([python, "-c", PROBE], env=dict(environment), capture_output=True, text=True, check=False)
    return dict(json.loads(done.stdout)) if done.returncode == 0 else None


def _python_outside(own: list[str], environment: Mapping[str, str]) -> str | None:
    path = [entry for entry in _entries(environment, "PATH") if not _below(entry, own)]
    return shutil.which("python3", path=os.pathsep.join(path))


def _has_rclpy(prefix: str) -> bool:
    return (Path(prefix) / "share" / "rclpy").is_dir()


def _entries(environment: Mapping[str, str], name: str) -> list[str]:
    return [entry for entry in environment.get(name, "").split(os.pathsep) if entry]


def _joined(first: list[str], rest: str) -> str:
    entries = [*first, *(entry for entry in rest.split(os.pathsep) if entry)]
    return os.pathsep.join(dict.fromkeys(entries))


def _below(entry: str, folders: list[str]) -> bool:
    return any(Path(entry).is_relative_to(folder) for folder in folders)
