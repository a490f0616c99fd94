# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What each part of BrainMem is worth to the planner: made-up trials with the part and without it."""
