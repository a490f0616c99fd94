# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Short-term memory (KARMA, section 3.4): few units about what was just used, behind a replacement policy (3.6)."""

from karma_memory.short_term.adaptive import AdaptiveWTinyLfu
from karma_memory.short_term.fifo import Fifo, FifoMerge
from karma_memory.short_term.lfu import Lfu
from karma_memory.short_term.lru import Lru
from karma_memory.short_term.policy import POLICIES, PolicySettings, ReplacementPolicy, make_policy
from karma_memory.short_term.segments import Segment, Segments
from karma_memory.short_term.sketch import FrequencySketch
from karma_memory.short_term.tinylfu import WTinyLfu
from karma_memory.short_term.unit import MemoryUnit

__all__ = [
    "POLICIES",
    "AdaptiveWTinyLfu",
    "Fifo",
    "FifoMerge",
    "FrequencySketch",
    "Lfu",
    "Lru",
    "MemoryUnit",
    "PolicySettings",
    "ReplacementPolicy",
    "Segment",
    "Segments",
    "WTinyLfu",
    "make_policy",
]
