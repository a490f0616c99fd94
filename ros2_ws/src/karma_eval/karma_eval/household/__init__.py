# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The whole robot in one process: the household simulator, the real memory, and the planner between them."""
