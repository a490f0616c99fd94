# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How fast and how large the memory is, beside the memory that a user would otherwise take."""
