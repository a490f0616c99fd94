# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How much pip has to download and to unpack, and how far it is."""

from __future__ import annotations

import re
import time
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ARCHIVES = (".whl", ".tar.gz", ".zip")
MB = 1_000_000
HEADER = "# {download} MB to download, {installed} MB on disk where they were resolved.\n"
WRITTEN = re.compile(r"^# (\d+) MB to download, (\d+) MB on disk", re.MULTILINE)


@dataclass(frozen=True)
class Size:
    """Of Python packages, in bytes."""

    download: int
    installed: int

    def as_header(self) -> str:
        """Return the line of a lock file that says it."""
        return HEADER.format(download=round(self.download / MB), installed=round(self.installed / MB))


def size_of(locks: Iterable[Path]) -> Size:
    """Return what lock files say of themselves; 0 where they say nothing."""
    found = [WRITTEN.search(lock.read_text(encoding="utf-8")) for lock in locks]
    download, installed = (sum(int(match[group]) for match in found if match) * MB for group in (1, 2))
    return Size(download, installed)


def size_of_archives(folder: Path) -> Size:
    """Return the size of what pip has downloaded into a folder. A source archive counts as it is."""
    archives = _archives(folder)
    installed = 0
    for archive in archives:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as opened:
                installed += sum(member.file_size for member in opened.infolist())
        else:
            installed += archive.stat().st_size
    return Size(sum(archive.stat().st_size for archive in archives), installed)


class Downloads:
    """Says how far a pip is that downloads and unpacks packages: a meter for `Progress.run`."""

    def __init__(self, folder: Path, venv: Path, total: int, count: int) -> None:
        """`folder`: where pip unpacks; `total`: bytes that it will download, 0 if unknown; `count`: packages."""
        self._folder = folder
        self._venv = venv
        self._total = total
        self._count = count
        self._before = len(self._installed())
        self._start = time.monotonic()

    def __call__(self, line: str) -> str:
        """Return how far it is; `line`: the last that pip printed."""
        if line.startswith(("Installing collected packages", "Attempting uninstall", "Successfully")):
            return f"unpacking, {len(self._installed()) - self._before} of {self._count} packages"
        done = sum(_size(archive) for archive in _archives(self._folder))
        if not done:
            return ""
        if done >= self._total:
            return f"{done // MB} MB downloaded"
        left = (time.monotonic() - self._start) * (self._total - done) / done
        return f"{done // MB} of about {self._total // MB} MB downloaded, {in_words(left)} left"

    def _installed(self) -> list[Path]:
        return list(self._venv.glob("lib/python3*/site-packages/*.dist-info"))


def in_words(seconds: float) -> str:
    """Return a duration as people say it."""
    return f"{round(seconds)} s" if seconds < 90 else f"{round(seconds / 60)} min"


def _archives(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.name.endswith(ARCHIVES)]


def _size(archive: Path) -> int:
    try:
        return archive.stat().st_size
    except FileNotFoundError:
        return 0  # pip has just moved it
