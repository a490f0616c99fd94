# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Texts that functions of this package, and of the one that reads for it, keep the answers for."""

from __future__ import annotations

import sys
from functools import _lru_cache_wrapper

_PACKAGES = (__name__.partition(".")[0], "karma_language")


def clear_caches() -> None:
    """Let every bounded cache of these packages' functions forget its texts; the unbounded ones hold tables."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] not in _PACKAGES:
            continue
        for value in list(vars(module).values()):
            if isinstance(value, _lru_cache_wrapper) and value.cache_parameters()["maxsize"] is not None:
                value.cache_clear()
