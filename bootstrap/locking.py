# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Resolution of requirements/*.in into exact versions: `./karma lock`."""

from __future__ import annotations

import json
import os
import re
import tempfile
from pathlib import Path

from bootstrap.downloads import size_of_archives
from bootstrap.place import Place
from bootstrap.progress import Progress

UNUSED = frozenset({"opencv-python"})
"""What AI2-THOR's client declares to need, 188 MB of it, for a viewer that KARMA does not open."""

HEADER = "# Exact versions, made by `./karma lock` from {sources}. Installed with --no-deps.\n"


def write_locks(place: Place) -> None:
    """Write packages.lock, and what only some need: ros.lock (the ROS wheels), bench.lock, tests.lock, ai2thor.lock."""
    folder = place.root / "requirements"
    progress = Progress(place.root / "out" / "log" / "lock.log")
    python = _resolve(place, progress, [folder / "packages.in"])
    alone = folder / "without-dependencies.in"
    markers = _markers(alone.read_text(encoding="utf-8"))
    data = {
        name: version + markers.get(name, "")
        for name, version in _resolve(place, progress, [alone], "--no-deps").items()
    }
    both = _resolve(place, progress, [folder / "packages.in", folder / "ros.in"])
    clash = {name for name, version in python.items() if both[name] != version}
    python.update({name: both[name] for name in clash})
    _write(folder / "packages.lock", python | data, "packages.in and without-dependencies.in")
    _write(folder / "ros.lock", {name: both[name] for name in both.keys() - python.keys()}, "ros.in")
    bench = folder / "bench.in"
    peers = _resolve(place, progress, [bench], f"--constraint={folder / 'packages.lock'}")
    markers = _markers(bench.read_text(encoding="utf-8"))
    new = {name: peers[name] + markers.get(name, "") for name in peers.keys() - python.keys() - data.keys()}
    _write(folder / "bench.lock", new, "bench.in")
    # Not constrained: its way to private downloads wants an older python-dateutil than we have, and KARMA uses none.
    client = _resolve(place, progress, [folder / "ai2thor.in"])
    new = {name: client[name] for name in client.keys() - both.keys() - data.keys() - UNUSED}
    _write(folder / "ai2thor.lock", new, "ai2thor.in")
    _write(folder / "tests.lock", _resolve(place, progress, [folder / "tests.in"], "--no-deps"), "tests.in")
    for lock in sorted(folder.glob("*.lock")):
        _write_size(place, progress, lock)


def _write_size(place: Place, progress: Progress, lock: Path) -> None:
    """Write below a lock file's header how much is to be downloaded and installed."""
    with tempfile.TemporaryDirectory() as folder:
        wheels = Path(folder) / "wheels"
        pip = [str(place.python), "-m", "pip", "download", "--no-deps", f"--dest={wheels}", f"--requirement={lock}"]
        environment = place.build_environment(os.environ) | {"TMPDIR": folder}
        progress.run(f"measuring {lock.name}", pip, environment=environment)
        size = size_of_archives(wheels)
    header, _, versions = lock.read_text(encoding="utf-8").partition("\n")
    lock.write_text(f"{header}\n{size.as_header()}{versions}", encoding="utf-8")


def _resolve(place: Place, progress: Progress, files: list[Path], *options: str) -> dict[str, str]:
    """Let pip resolve requirement files; return version by normalised name."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        pip = [str(place.python), "-m", "pip", "install", "--dry-run", "--ignore-installed", *options]
        progress.run(
            f"resolving {', '.join(file.name for file in files)}",
            [*pip, f"--report={report}", *(f"--requirement={file}" for file in files)],
            # Where pip unpacks: one that is ended leaves it all.
            environment=place.build_environment(os.environ) | {"TMPDIR": folder},
        )
        found = json.loads(report.read_text(encoding="utf-8"))["install"]
    return {_normalised(item["metadata"]["name"]): item["metadata"]["version"] for item in found}


def _markers(requirements: str) -> dict[str, str]:
    """Return name → environment marker, with its semicolon, of the pinned requirements that have one (PEP 508)."""
    pinned = re.findall(r"^([\w.-]+)==[^;\n]+(;.*)$", requirements, re.MULTILINE)
    return {_normalised(name): marker for name, marker in pinned}


def _write(file: Path, versions: dict[str, str], sources: str) -> None:
    lines = [f"{name}=={version}\n" for name, version in sorted(versions.items())]
    file.write_text(HEADER.format(sources=sources) + "".join(lines), encoding="utf-8")


def _normalised(name: str) -> str:
    """Return a project's name as PEP 503 normalises it."""
    return re.sub(r"[-_.]+", "-", name).lower()
