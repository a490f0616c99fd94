# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the Habitat backend needs of a machine (`sim_bridge.examination`)."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sim_bridge.backend import BackendUnavailableError
from sim_bridge.factory import BackendOptions
from sim_bridge.findings import Finding
from sim_bridge.habitat.client import HabitatClient
from sim_bridge.habitat.interpreter import find_python


def checks(options: BackendOptions) -> Iterator[Finding]:
    """Look for the interpreter, for habitat-sim and habitat-lab in it, and have it draw an empty scene."""
    try:
        python = find_python(options.habitat_python)
    except BackendUnavailableError as error:
        yield Finding("interpreter", "missing", str(error), essential=True)
        return
    yield Finding("interpreter", "works", python, essential=True)
    with tempfile.TemporaryDirectory(prefix="karma_habitat_") as folder:
        try:
            client = HabitatClient(python, Path(folder))
        except BackendUnavailableError as error:
            yield Finding("habitat-sim", "missing", str(error), essential=True)
            return
        try:
            yield Finding("habitat-sim", "works", _versions(client.versions), essential=True)
            yield _drawing(client)
        finally:
            client.close()


def _versions(found: Mapping[str, Any]) -> str:
    built = "with CUDA" if found["cuda"] else "without CUDA"
    age = "2026-02 or later" if found["public_sensors"] else "from before 2026-02"
    return (
        f"{found['habitat_sim']} ({age}, with Bullet, {built}), habitat-lab {found['habitat_lab']}, "
        f"Python {found['python']}, numpy {found['numpy']}"
    )


def _drawing(client: HabitatClient) -> Finding:
    began = time.monotonic()
    try:
        renderer = client.probe()
    except BackendUnavailableError as error:
        return Finding("OpenGL", "broken", str(error), essential=True)
    text = f"draws in {time.monotonic() - began:.1f} s, the start of habitat-sim included"
    return Finding("OpenGL", "works", f"{renderer or 'a renderer that it does not name'}, {text}", essential=True)
