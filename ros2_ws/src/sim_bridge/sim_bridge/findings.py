# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What an examination of a machine finds; `./karma doctor` shows it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Verdict = Literal["works", "missing", "broken"]


@dataclass(frozen=True)
class Finding:
    """One line of the report."""

    subject: str
    verdict: Verdict
    text: str
    essential: bool = False
    """Whether nothing works without it."""

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return asdict(self)
