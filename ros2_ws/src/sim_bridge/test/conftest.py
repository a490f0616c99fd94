# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Lets the tests import what they share (a robot without ROS) by name."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
