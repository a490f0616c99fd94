# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What fuzzing an interface came to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

Progress = Callable[[str, int, int], None]
"""Is told the interface, the cases done and all of them."""


@dataclass
class Tally:
    """The cases of one interface."""

    name: str
    cases: int = 0
    refused: int = 0
    """Of which were refused, in order; the rest was made sense of."""
    faults: list[str] = field(default_factory=list)
    """What broke, and by which case."""
