# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""EB-ALFRED's tasks in the household simulator, with BrainMem's memories (`./karma eval eb-alfred`)."""
