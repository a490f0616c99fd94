# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the node `view`: name, default, range, meaning."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Parameter:
    """One parameter, read at the start. `low` and `high` bound a number."""

    name: str
    default: str | int
    description: str
    low: int = 0
    high: int = 0


PARAMETERS = (
    Parameter(
        "host",
        "127.0.0.1",
        "Address to listen on; 0.0.0.0: all that this machine has, and viewers need a token (KARMA_VIEW_TOKEN).",
    ),
    Parameter("port", 8080, "TCP port of the page; 0: any that is free.", 0, 65535),
)
