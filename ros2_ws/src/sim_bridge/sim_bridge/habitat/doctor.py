# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the Habitat backend needs of a machine (`sim_bridge.examination`)."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from sim_bridge.backend import BackendUnavailableError
from sim_bridge.factory import BackendOptions
from sim_bridge.findings import Finding
from sim_bridge.habitat.client import HabitatClient, find_python


def checks(options: BackendOptions) -> Iterator[Finding]:
    """Look for the interpreter, and for habitat-sim and habitat-lab in it."""
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
        found = client.versions
        client.close()
    text = f"{found['habitat_sim']} with habitat-lab {found['habitat_lab']} on Python {found['python']}"
    yield Finding("habitat-sim", "works", text, essential=True)
