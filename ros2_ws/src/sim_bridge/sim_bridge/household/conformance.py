# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the household simulator declares about itself (`sim_bridge.conformance`)."""

from __future__ import annotations

from collections.abc import Mapping

from sim_bridge.conformance.subject import Feature, Subject
from sim_bridge.factory import BackendOptions, open_backend


def subject(options: BackendOptions) -> Subject:
    """Return the simulator as the options open it, in FloorPlan1 unless they name another scene than the default."""
    lacks: Mapping[Feature | str, str] = {}
    if not options.pictures:
        lacks = {Feature.PICTURES: "it was opened without pictures"}
    return Subject(
        name="household",
        open=lambda: open_backend(options),
        scene=options.scene,
        other_scene="FloorPlan201",
        lacks=lacks,
    )
