# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Working memory (BrainMem, section 3.2.1): what the robot is doing."""
