# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the household simulator needs of a machine (`sim_bridge.examination`)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import metadata

from sim_bridge.factory import BackendOptions
from sim_bridge.findings import Finding
from sim_bridge.household.gl import RenderingUnavailableError, import_mujoco
from sim_bridge.household.recorded import RecordingsMissingError, floor_plans, recording

_RECORDED = "FloorPlan1"
"""One of the recorded rooms, all of which come in the same packages."""


def checks(options: BackendOptions) -> Iterator[Finding]:
    """Look for the recorded rooms and, where pictures are wanted, for a renderer that works."""
    try:
        recording(_RECORDED)
        versions = " and ".join(f"{name} {metadata.version(name)}" for name in ("procthor", "alfworld"))
        yield Finding("recorded rooms", "works", f"{len(floor_plans())} from {versions}", essential=True)
    except RecordingsMissingError as error:
        yield Finding("recorded rooms", "missing", str(error), essential=True)
    if not options.pictures:
        return
    try:
        mujoco = import_mujoco()
    except RenderingUnavailableError as error:
        yield Finding("rendering", "missing", str(error), essential=True)
    else:
        text = f"MuJoCo {mujoco.__version__}, MUJOCO_GL={os.environ.get('MUJOCO_GL')}"
        yield Finding("rendering", "works", text, essential=True)
