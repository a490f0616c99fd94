# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Questions about the home and its past: the evidence for an answer, from the memories' own indices."""

from karma_memory.ask.evidence import collect

__all__ = ["collect"]
