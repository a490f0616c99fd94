# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a result that is kept rests on: the files of KARMA's packages, and those of the data."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path


def fingerprint(packages: Sequence[str], data: Iterable[Path] = ()) -> str:
    """Return a name that changes with the files of installed packages, and with data files.

    Raises ModuleNotFoundError for a package that is not installed, OSError for a file that can't be read.
    """
    digest = hashlib.sha256()
    files = [found for package in packages for found in _of_package(package)]
    files += [(str(file), file) for file in sorted({file.resolve() for file in data})]
    for name, file in files:
        content = file.read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def _of_package(package: str) -> Iterator[tuple[str, Path]]:
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"there is no package {package}")
    for folder in map(Path, spec.submodule_search_locations):
        for file in sorted(folder.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                yield f"{package}/{file.relative_to(folder)}", file
