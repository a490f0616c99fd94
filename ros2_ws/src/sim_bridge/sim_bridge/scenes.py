# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The backends, and the scene of each that is opened when none is named."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

DEFAULT_SCENES: Mapping[str, str] = MappingProxyType(
    {"household": "home1", "ai2thor": "FloorPlan1", "habitat": "home1", "robot": "home"}
)
"""Backend → scene; of a robot, the name of the place that it is in."""

BACKENDS = tuple(DEFAULT_SCENES)

DEFAULT_SCENES_TOLD = ", ".join(f"{scene} ({backend})" for backend, scene in DEFAULT_SCENES.items())
"""The same for a person to read."""
