# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""One change of a graph of facts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from karma_memory.facts.fact import Fact


class Operation(Enum):
    """What an edit did."""

    INSERTED = "inserted"
    CONFIRMED = "confirmed"
    REPLACED = "replaced"
    DELETED = "deleted"


@dataclass(frozen=True)
class Edit:
    """One change of the graph."""

    operation: Operation
    fact: Fact
    """The fact that came, was confirmed, or went."""
    replaced: Fact | None = None
