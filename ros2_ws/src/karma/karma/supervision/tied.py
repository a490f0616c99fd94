# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Processes that never outlive the one that started them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

PARENT = "KARMA_PARENT"
"""The variable in which a tied process finds the id of the one that may start it."""

# The kernel's promise holds from the moment it is asked for it: a parent that died before then is looked for by hand.
_SCRIPT = f'[ "$PPID" = "${PARENT}" ] || exit 1; export {PARENT}=$$; exec "$@"'


def tied(command: Sequence[str]) -> list[str]:
    """Return a command that the kernel kills (SIGKILL) when its parent dies, however and whenever that happens.

    The parent must be tied itself, or give it `tied_environment`. Needs setpriv, of util-linux.
    """
    return ["setpriv", "--pdeathsig", "KILL", "--", "/bin/sh", "-c", _SCRIPT, "tied", *command]


def tied_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment in which this process may start tied commands."""
    return {**environment, PARENT: str(os.getpid())}
