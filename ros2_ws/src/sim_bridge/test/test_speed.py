# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from sim_bridge.household.speed import measure_steps


def test_speed_counts_every_step() -> None:
    speed = measure_steps("FloorPlan401", skills=10)
    assert speed.skills == 10
    assert speed.steps > 10
    assert speed.steps_per_second > 0
