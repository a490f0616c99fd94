# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a target names, whatever the backend."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

from sim_bridge.backend import Target

NEAR_POSITION = 1.0
"""Metres within which an object of the right category is taken for the one that was remembered there."""


class Room(Protocol):
    """What every simulator's rooms have."""

    @property
    def name(self) -> str:
        """Name of the room, one of its scene's."""

    @property
    def kind(self) -> str:
        """Kitchen, for example; empty where that is not known."""


AnyRoom = TypeVar("AnyRoom", bound=Room)


def named(target: Target) -> str:
    """Return how to speak of a target."""
    if target.id or target.category:
        return target.id or target.category
    if target.position is not None:
        return "({:.2f}, {:.2f}, {:.2f})".format(*target.position)
    return "nothing"


def one_of(category: str) -> str:
    """Return how to speak of one of a category: a Mug, an Apple."""
    return f"{'an' if category[:1] in 'AEIOUaeiou' else 'a'} {category}"


def category_of(target: Target) -> str:
    """Return the category that a target names, by itself or as the first part of its id."""
    return target.category or target.id.rpartition("/")[2].partition("|")[0]


def rooms_named(rooms: Iterable[AnyRoom], target: Target) -> tuple[AnyRoom, ...]:
    """Return the rooms that a target names, by name or kind; upper and lower case and spaces do not matter."""
    wanted = {plain(t) for t in (target.id, target.category) if t} - {""}
    rooms = tuple(rooms)
    by_name = tuple(r for r in rooms if plain(r.name) in wanted)
    return by_name or tuple(r for r in rooms if plain(r.kind) in wanted)


def plain(text: str) -> str:
    """Return the letters and digits of a name, in lower case: what tells it from others."""
    return "".join(c for c in text.casefold() if c.isalnum())
