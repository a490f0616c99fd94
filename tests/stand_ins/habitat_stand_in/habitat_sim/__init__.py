# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Stand-in for habitat-sim: only what the worker uses, answered by casting rays into the files of the dataset.

It shows that dataset, frames, protocol and skills fit together. It does not show that habitat-sim loads or draws
anything: no line of habitat-sim is in it. It refuses what habitat-sim's bindings refuse.
"""

from habitat_sim import nav as nav
from habitat_sim import physics as physics
from habitat_sim import simulator as simulator
from habitat_sim.simulator import AgentConfiguration as AgentConfiguration
from habitat_sim.simulator import CameraSensorSpec as CameraSensorSpec
from habitat_sim.simulator import Configuration as Configuration
from habitat_sim.simulator import Simulator as Simulator
from habitat_sim.simulator import SimulatorConfiguration as SimulatorConfiguration

__version__ = "0.3.3"
built_with_bullet = True
cuda_enabled = False
