# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the Habitat backend declares about itself (`sim_bridge.conformance`)."""

from __future__ import annotations

from sim_bridge.conformance.subject import Subject, Tolerances
from sim_bridge.factory import BackendOptions, open_backend


def subject(options: BackendOptions) -> Subject:
    """Return Habitat as the options open it, in one of the household's scenes."""
    return Subject(
        name="habitat",
        open=lambda: open_backend(options),
        scene=options.scene,
        other_scene="FloorPlan201",
        tolerances=Tolerances(),
    )
