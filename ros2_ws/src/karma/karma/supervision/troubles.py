# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What nodes say is wrong with them, told once each, and not what comes and goes within moments."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from diagnostic_msgs.msg import DiagnosticStatus

from karma_ros.diagnostics import ERROR
from karma_ros.diagnostics_watch import told

LASTING_S = 5.0
"""A warning is told that lasts so long, or comes again within it; an error at once. Both are over after as long."""


@dataclass
class _Trouble:
    kind: str
    """Its line without numbers, which change."""
    since: float
    last: float
    told: bool = False


class Troubles:
    """Remembers what was told."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """`now` gives the time in seconds."""
        self._now = now
        self._known: dict[str, _Trouble] = {}

    def news(self, troubles: Mapping[str, DiagnosticStatus]) -> Iterator[str]:
        """Yield what is to be told of `troubles`, those of now by node."""
        now = self._now()
        for (node, status), line in zip(troubles.items(), told(troubles), strict=True):
            kind = re.sub(r"[\d.,]+", "#", line)
            trouble = self._known.get(node)
            if trouble is None or trouble.kind != kind:
                trouble = self._known[node] = _Trouble(kind, now, now)
            trouble.last = now
            if not trouble.told and (status.level == ERROR or now - trouble.since >= LASTING_S):
                trouble.told = True
                yield line
        for node, trouble in [*self._known.items()]:
            if now - trouble.last >= LASTING_S:
                del self._known[node]
                if trouble.told:
                    yield f"{node}: all is well again"
