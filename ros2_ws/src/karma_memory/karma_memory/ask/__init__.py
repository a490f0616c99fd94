# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Questions about the home, its past and what people told: evidence from the memories' own indices, and an answer."""

from karma_memory.ask.answering import Asked, SearchNeededError, answer, together
from karma_memory.ask.evidence import collect

__all__ = ["Asked", "SearchNeededError", "answer", "collect", "together"]
