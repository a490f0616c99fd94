# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the node `view`: name, default, range, meaning."""

from __future__ import annotations

from karma_ros.parameters import Effect, Parameter

PARAMETERS = (
    Parameter(
        "host",
        "127.0.0.1",
        "Address to listen on; 0.0.0.0: all that this machine has, and viewers need a token (KARMA_VIEW_TOKEN).",
        effect=Effect.READ_ONLY,
    ),
    Parameter("port", 8080, "TCP port of the page; 0: any that is free.", 0, 65535, effect=Effect.READ_ONLY),
)
