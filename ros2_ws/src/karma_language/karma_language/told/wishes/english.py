# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Word lists of English, from english.json: function words, words of asking and handling, last words of places."""

from __future__ import annotations

import json
from importlib import resources

WORDS: dict[str, frozenset[str]] = {
    name: frozenset(" ".join(lines).split())
    for name, lines in json.loads(resources.files(__package__).joinpath("english.json").read_text("utf-8")).items()
}
"""Name of a list → its words."""
