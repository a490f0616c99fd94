# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The checkout that `./karma` was started from, and where it leaves what it writes."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import click

from karma.environment import may_write


def checkout() -> Path:
    """Return the root of the checkout. ClickException when the command line was not started through `./karma`."""
    root = os.environ.get("KARMA_ROOT", "")
    if not root:
        raise click.ClickException("start this through the script ./karma of a checkout")
    return Path(root)


def output_folder() -> Path:
    """Return where logs, pictures and reports go: out/ of the checkout.

    Where another user owns that, it is a folder in this user's home, and where that is read-only, too, a temporary one.
    """
    own = checkout() / "out"
    state = Path(os.environ.get("XDG_STATE_HOME") or "~/.local/state").expanduser() / "karma"
    return next(filter(may_write, (own, state)), Path(tempfile.gettempdir()) / f"karma-{os.getuid()}")
