# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The checkout that `./karma` was started from."""

from __future__ import annotations

import os
from pathlib import Path

import click


def checkout() -> Path:
    """Return the root of the checkout. ClickException when the command line was not started through `./karma`."""
    root = os.environ.get("KARMA_ROOT", "")
    if not root:
        raise click.ClickException("start this through the script ./karma of a checkout")
    return Path(root)
