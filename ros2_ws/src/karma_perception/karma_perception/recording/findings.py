# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What was wrong with a recording: each problem once, with its topic, how often it came and what was done."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass
class Finding:
    """One kind of problem on one topic."""

    topic: str
    problem: str
    action: str
    """What was done about it."""
    count: int = 0
    first: float = 0.0
    """Seconds into the recording at which it came first."""
    example: str = ""
    """What the first one said, where that tells more."""

    def __str__(self) -> str:
        times = "once" if self.count == 1 else f"{self.count} times"
        example = f" ({self.example})" if self.example else ""
        return f"{self.topic}: {self.problem}, {times}, first at {self.first:.1f} s{example}: {self.action}"

    def as_values(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        return {
            "topic": self.topic,
            "problem": self.problem,
            "count": self.count,
            "first_s": round(self.first, 3),
            "example": self.example,
            "action": self.action,
        }


class Findings:
    """The problems of one recording, in the order in which they came up."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], Finding] = {}
        self.start = 0
        """Nanoseconds at which the recording begins; times are told from there."""

    def note(
        self, topic: str, problem: str, action: str, *, at: int | None = None, example: str = "", count: int = 1
    ) -> None:
        """Count a problem; `at`: when its message was received, nanoseconds (None: the beginning)."""
        seconds = 0.0 if at is None else max(0.0, (at - self.start) * 1e-9)
        found = self._found.setdefault((topic, problem), Finding(topic, problem, action, 0, seconds, example[:300]))
        found.count += count

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._found.values())

    def __len__(self) -> int:
        return len(self._found)
