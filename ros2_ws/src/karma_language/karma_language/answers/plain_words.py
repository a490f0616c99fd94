# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Goals and calls of skills, as the planner writes them, in words: for the page and the terminal."""

from __future__ import annotations

import re
from typing import Any

_CONDITION = re.compile(r"\bif (not )?(\w+)\(([^()]*)\)")
_CALL = re.compile(r"\b([A-Za-z]\w*)\((?!e?s\))([^()]*)\)")
_VIEWPOINTS = re.compile(r"(\d+) positions")
_RELATIONS = frozenset({"on", "in", "near"})
_OF_CALLS = frozenset({"episodic", "trajectory", "working"})
"""Kinds of recollections that tell of goals and skills."""


def calls_in_words(text: str) -> str:
    """Return a text of the robot's in which goals and calls of skills are in words, as far as it holds any.

    place(2 mugs, sink, in) is: place 2 mugs in sink; explore() is: explore.
    """
    conditions_told = _CONDITION.sub(lambda found: f"if {found[3]} is {found[1] or ''}{found[2]}", text)
    return _CALL.sub(lambda found: _call(found[1], found[2]), conditions_told)


def recollected(record: Any) -> str:
    """Return what a recollection (karma_interfaces/Recollection) says."""
    return calls_in_words(record.text) if record.kind in _OF_CALLS else str(record.text)


def _call(name: str, arguments: str) -> str:
    parts = [part.strip().partition("=")[0] for part in arguments.split(",")]
    ends = _VIEWPOINTS.fullmatch(parts[-1])
    told = f" from {ends[1]} viewpoints" if ends is not None and parts.pop() else ""
    relation = parts.pop() if parts and parts[-1] in _RELATIONS else "→"
    return f"{name.replace('_', ' ')} {f' {relation} '.join(part for part in parts if part)}".strip() + told
