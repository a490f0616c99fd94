# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the simulators have in common: the skills, as far as they are the same, and the robot that they move."""
