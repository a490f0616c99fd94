# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What older map files lack, and what they have that is no more: so that they are read like those of today.

Whoever changes the attributes of a class that is saved gives `VERSION` its next number and its step here, and adds a
file to test/golden.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

VERSION = 2
"""Of the map files that are written; older ones are read by `STEPS`."""

Names = Mapping[str, frozenset[str]]
"""Class → names of attributes."""


@dataclass(frozen=True)
class Step:
    """What a file may lack and have in excess, by classes."""

    added: Names = field(default_factory=dict)
    """Attributes that begin as they are before anything is in an object."""
    same_as: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Class → attribute that is new → the one of the same object that says nearly the same."""
    gone: Names = field(default_factory=dict)
    """Attributes that are passed over."""


STEPS = {
    # Its classes changed while it was version 1, between the first map and the pictures of things.
    1: Step(
        added={
            "Level": frozenset({"free", "blocked", "standable"}),
            "MappedObject": frozenset({"seen_through", "turned_up"}),
            "ObjectMap": frozenset({"_grasp", "_space"}),
            "Successions": frozenset({"_before", "_ended", "_lost", "_withdrawn"}),
        },
        same_as={"MappedObject": {"stay": "id", "confirmed": "last_seen"}, "Stay": {"perhaps": "until"}},
        gone={
            "Level": frozenset({"borders"}),
            "ObjectMap": frozenset({"shown"}),
            "Successions": frozenset({"_departed"}),
        },
    ),
    VERSION: Step(),
}
"""Version → how its files are read."""
