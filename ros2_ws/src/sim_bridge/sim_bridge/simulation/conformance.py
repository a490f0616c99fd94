# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the simulators declare about themselves (`sim_bridge.conformance`)."""

from __future__ import annotations

from collections.abc import Mapping

from sim_bridge.conformance.subject import Feature, Subject
from sim_bridge.factory import BackendOptions, open_backend


def subject(options: BackendOptions) -> Subject:
    """Return the simulator that the options open."""
    lacks: Mapping[Feature | str, str] = {}
    if not options.pictures:
        lacks = {Feature.PICTURES: "it was opened without pictures"}
    return Subject(
        name=options.backend,
        open=lambda: open_backend(options),
        scene=options.scene,
        other_scene="FloorPlan201",
        lacks=lacks,
    )
