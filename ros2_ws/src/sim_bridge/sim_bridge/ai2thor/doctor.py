# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What AI2-THOR needs of a machine (`sim_bridge.examination`)."""

from __future__ import annotations

import ctypes.util
import os
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from sim_bridge.ai2thor.launching import INSTALL, drawing_platform, require_program
from sim_bridge.backend import BackendUnavailableError
from sim_bridge.factory import BackendOptions
from sim_bridge.findings import Finding


def checks(options: BackendOptions) -> Iterator[Finding]:
    """Look for the client, for a build, and for what the build draws on."""
    try:
        yield Finding("AI2-THOR's client", "works", f"ai2thor {metadata.version('ai2thor')}", essential=True)
    except metadata.PackageNotFoundError:
        yield Finding("AI2-THOR's client", "missing", INSTALL, essential=True)
    yield _build(options)
    if options.pictures:
        yield _drawing(options)


def _build(options: BackendOptions) -> Finding:
    if options.ai2thor_executable:
        try:
            require_program(options.ai2thor_executable)
        except BackendUnavailableError as error:
            return Finding("build", "missing", str(error), essential=True)
        return Finding("build", "works", options.ai2thor_executable, essential=True)
    builds = sorted(p.name for p in Path("~/.ai2thor/releases").expanduser().glob("thor-*"))
    if builds:
        return Finding("build", "works", f"downloaded: {', '.join(builds)}")
    return Finding(
        "build", "missing", "none is here yet: the first start downloads one (about 1 GB), or name a local one"
    )


def _drawing(options: BackendOptions) -> Finding:
    vulkan = ctypes.util.find_library("vulkan")
    text = f"display {os.environ.get('DISPLAY') or 'none'}, Vulkan {vulkan or 'none'}"
    local = bool(options.ai2thor_executable)
    try:
        platform = drawing_platform(options.ai2thor_platform, local=local)
    except BackendUnavailableError as error:
        return Finding("drawing", "missing", str(error), essential=True)
    if platform == "CloudRendering" and not vulkan and not local:
        return Finding("drawing", "missing", f"{text}: CloudRendering needs it: apt install libvulkan1", essential=True)
    return Finding("drawing", "works", text + ("; what a local build needs shows when it starts" if local else ""))
