# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Ask: questions about simulated days in homes, with answers computed from what the robot could know."""
