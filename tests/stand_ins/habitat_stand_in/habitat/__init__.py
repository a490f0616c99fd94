# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Stand-in for habitat-lab: the configuration's overrides, an environment with one robot, its cameras."""

from habitat.environment import Env as Env
from habitat.environment import get_config as get_config

__version__ = "0.3.3"
