# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Text from cameras, memories and people, made fit for messages, logs and prompts: it is data, whatever it says."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

LABEL = 80
"""Characters of what a single thing is called."""
STEP = 500
"""Characters of what is said to be done now."""
TEXT = 2000
"""Characters of a message."""


def printable(text: str, most: int = TEXT) -> str:
    """Return text without control, format and unassigned characters, of at most `most` characters.

    Gone are escape sequences' first characters, what turns the direction of writing, and what has no width, with which
    one text can look like another. Line breaks stay. Raises nothing on any text.
    """
    shown = "".join(c if c == "\n" or not unicodedata.category(c).startswith("C") else " " for c in text[: 4 * most])
    return shown if len(shown) <= most and len(text) <= 4 * most else shown[: most - 1] + "…"


def joined(sentences: Iterable[str]) -> str:
    """Return sentences as one text, a full stop after each that ends without; the last one stays as it is."""
    *first, last = [s for s in map(str.strip, sentences) if s] or [""]
    return " ".join([*(s if s.endswith((".", "!", "?", "…", ":")) else f"{s}." for s in first), last])


def label(text: str) -> str:
    """Return what a thing is called on one line, of at most LABEL characters."""
    return " ".join(printable(text, LABEL).split())
