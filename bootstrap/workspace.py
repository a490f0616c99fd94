# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The packages of the workspace: which have to be built again, and building them with colcon."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from pathlib import Path

from bootstrap.place import Place
from bootstrap.progress import Progress

BUILD_FILES = ("CMakeLists.txt", "package.xml", "setup.cfg", "setup.py")
IGNORED_FOLDERS = ("__pycache__", "build", "test")
CHANGELOG = "CHANGELOG.rst"


def packages(place: Place) -> list[Path]:
    """Return the folders of the workspace's packages."""
    return sorted(file.parent for file in place.sources.glob("*/package.xml"))


def missing_interfaces(place: Place) -> list[Path]:
    """Return the folders of the interface packages of others that the wheels lack; a ROS installation has its own."""
    return sorted(file.parent for file in place.interfaces.glob("*/package.xml")) if place.ros is None else []


def build_key(package: Path) -> str:
    """Return a digest of all that a build depends on.

    Python packages are installed as links, so only their build files and the names of what they install count; what
    is in a module or a parameter file takes effect without a build. Interfaces are compiled, so all of them counts but
    for the changelog.
    """
    compiled = (package / "CMakeLists.txt").is_file()
    digest = hashlib.sha256()
    for file in sorted(_files(package)):
        name = file.relative_to(package).as_posix()
        if compiled or name in BUILD_FILES:
            digest.update(f"{name}\0".encode() + file.read_bytes() + b"\0")
        elif not name.startswith(f"{package.name}/"):
            digest.update(f"{name}\0".encode())
    return digest.hexdigest()


def build(place: Place, names: Iterable[str], progress: Progress, sources: Path | None = None) -> None:
    """Build and install packages as links, into the virtual environment. `sources`: other than the workspace's."""
    names = list(names)
    for name in names:
        _remove_dangling_links(place.state / "build" / name)
        _remove_dangling_links(place.venv / "share" / name)
    cmake = [
        "-DBUILD_TESTING=OFF",
        "-DCMAKE_BUILD_TYPE=",
        f"-DPython3_EXECUTABLE={place.python}",
    ]
    colcon = [str(place.python), "-m", "colcon", f"--log-base={place.state / 'log'}", "build"]
    options = [
        f"--base-paths={sources or place.sources}",
        f"--build-base={place.state / 'build'}",
        f"--install-base={place.venv}",
        "--merge-install",
        "--symlink-install",
        "--executor=sequential",
    ]
    command = [*colcon, *options, "--packages-select", *names, "--cmake-args", *cmake]
    environment = place.command_environment(os.environ)
    progress.run(f"workspace ({', '.join(names)})", command, environment=environment, meter=how_far)
    _link(place)


def how_far(line: str) -> str:
    """Return how far a compilation is; `line`: the last that ninja printed."""
    found = re.match(r"\[(\d+)/(\d+)\]", line)
    return f"{found[1]} of {found[2]} files compiled" if found else ""


def _remove_dangling_links(folder: Path) -> None:
    """Forget files that a package no longer has: setuptools would try to install them."""
    for path in folder.rglob("*"):
        if path.is_symlink() and not path.exists():
            path.unlink()


def _link(place: Place) -> None:
    """Put the linked Python packages on the virtual environment's path, so that nobody needs to source anything."""
    site = next(place.venv.glob("lib/python3*/site-packages"))
    folders = [place.state / "build" / package.name for package in packages(place) if (package / "setup.py").is_file()]
    (site / "karma_workspace.pth").write_text("".join(f"{folder}\n" for folder in folders), encoding="utf-8")


def _files(package: Path) -> Iterable[Path]:
    for folder, folders, files in os.walk(package):
        folders[:] = [name for name in folders if name not in IGNORED_FOLDERS and not name.endswith(".egg-info")]
        names = (name for name in files if not name.startswith(".") and not name.endswith(".pyc") and name != CHANGELOG)
        yield from (Path(folder) / name for name in names)
