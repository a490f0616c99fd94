# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the household's robot brings to the skills that all simulators have (`sim_bridge.simulation.behaviours`)."""

from __future__ import annotations

from sim_bridge.household import approaching, handling
from sim_bridge.household.agent import Agent
from sim_bridge.simulation.behaviours import Behaviours

BEHAVIOURS = Behaviours[Agent](
    approach=approaching.approach,
    navigate=approaching.navigate,
    pick_up=handling.pick_up,
    put=handling.put,
    set_open=handling.set_open,
    switch=handling.switch,
    slice_object=handling.slice_object,
    break_object=handling.break_object,
    throw=handling.throw,
)
