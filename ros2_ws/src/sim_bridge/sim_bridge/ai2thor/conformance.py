# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What AI2-THOR declares about itself (`sim_bridge.conformance`)."""

from __future__ import annotations

from collections.abc import Mapping

from sim_bridge.conformance.subject import Feature, Subject
from sim_bridge.factory import BackendOptions, open_backend


def subject(options: BackendOptions) -> Subject:
    """Return AI2-THOR as the options open it."""
    lacks: Mapping[Feature | str, str] = {}
    if not options.pictures:
        lacks = {Feature.PICTURES: "it was opened without pictures"}
    return Subject(
        name="ai2thor",
        open=lambda: open_backend(options),
        scene=options.scene,
        other_scene="FloorPlan201",
        lacks=lacks,
    )
