# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Semantic memory (BrainMem, section 3.2.3): what was learned of how to do things."""
