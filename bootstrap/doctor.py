# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma doctor` before the set-up: what is there, and what the set-up would bring. Changes nothing."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Iterator, Sequence

from bootstrap import debian
from bootstrap.downloads import MB, size_of
from bootstrap.place import WHEELS_DISTRIBUTION, Place, check_path
from bootstrap.progress import SetupError
from bootstrap.steps import base_locks, check_owner, due, wanted_packages


def describe(place: Place) -> Iterator[str]:
    """Yield the report line by line, each as soon as it is known."""
    steps = due(place)
    made = "is out of date" if os.path.exists(place.python) else "is not set up yet"
    yield f"KARMA in {place.root} {made}. ./karma setup does it, and so does every command that needs it."
    yield _line(True, "Python", f"{platform.python_version()} at {place.base_python}")
    if place.ros is not None:
        yield _line(True, "ROS 2", f"{place.ros.distribution}, as it is sourced")
    else:
        yield _line(False, "ROS 2", f"none is sourced that will do; {WHEELS_DISTRIBUTION} is among the Python packages")
    try:
        check_path(place.root)
        check_owner(place, steps)
    except SetupError as error:
        yield _line(False, "checkout", str(error))
    locks = base_locks(place)
    if "packages" in steps:
        size = size_of(locks)
        yield _line(
            False,
            "Python packages",
            f"to be installed: {len(wanted_packages(place, locks))}, {size.download // MB} MB to download, "
            f"{size.installed // MB} MB in {place.venv}",
        )
        free = shutil.disk_usage(place.root).free
        yield _line(free > size.download + size.installed, "disk", f"{free // MB} MB are free")
    builds = [step.removeprefix("package-") for step in steps if step.startswith("package-")]
    if builds:
        yield _line(False, "workspace", f"to be built: {', '.join(builds)}")
    missing = [need for need in debian.needs(place.base_python) if not need.present()]
    if missing:
        names = [need.package for need in missing]
        yield _line(False, "system", f"missing: {' '.join(names)}{_size_of_packages(names)}")
        if problem := debian.why_not():
            yield _line(False, "system", problem)
    else:
        yield _line(True, "system", "every Debian package that is needed is there")
    yield "Everything else is examined once it is set up."


def _line(there: bool, subject: str, text: str) -> str:
    return f" {'✓' if there else '-'} {subject}: {text}"


def _size_of_packages(names: Sequence[str]) -> str:
    """Say how much apt-get would download; nothing where it has no package lists."""
    command = ["apt-get", "-qq", "--no-install-recommends", "--print-uris", "install", *names]
    try:
        done = subprocess.run(
            command, env=os.environ | {"LC_ALL": "C.UTF-8"}, capture_output=True, text=True, check=False
        )
        sizes = [int(line.split()[2]) for line in done.stdout.splitlines()]
    except (OSError, ValueError, IndexError):
        return ""
    return f" ({len(sizes)} packages, {sum(sizes) // MB} MB to download)" if sizes else ""
