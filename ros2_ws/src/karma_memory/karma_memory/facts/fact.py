# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A fact: one edge of a user's memory graph, and the memory that it rests on."""

from __future__ import annotations

from dataclasses import dataclass

USER_NODE = "user"
"""The user, root of their graph."""


@dataclass(frozen=True)
class Fact:
    """Head, relation, tail; the memory belongs to the tail, the node that the edge leads into (section 4.1)."""

    id: str
    source: str
    """Id of the event that said it: the memory."""
    head: str
    """Id of a node."""
    relation: str
    """Of the schema, or as it was said ("~" before a verb)."""
    tail: str
    """Id of a node."""
    text: str
    """What was said."""
    subclass: str
    """Its partition."""
    valid_from: float
    """Seconds, the robot's clock."""
    expires: float | None = None
    """When it ends by itself, seconds."""
    valid_until: float | None = None
    """When it was replaced, taken back or expired; None while it holds."""
    replaced_by: str = ""
    """Id of the fact in its place, "" for none."""


@dataclass(frozen=True)
class Node:
    """An entity of a user's graph: somebody, something, or a value."""

    id: str
    name: str
    """As people call it; "sister" while the sister's name isn't known."""
    owner: str = ""
    """Whose it is, a node, while it is known by that only: the user's dentist appointment."""
    label: str = ""
    """What it is to the owner."""
    person: bool = False
    gender: str = ""
    """"he", "she" or "" where nothing tells."""
