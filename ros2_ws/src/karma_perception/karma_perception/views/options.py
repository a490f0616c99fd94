# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is pictured, and how much of it; apart from who does it: options are read where no picture is made."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ViewOptions:
    """What is pictured, and how much of it."""

    private_rooms: frozenset[str] = frozenset({"bathroom", "bedroom"})
    """Kinds, names or ids of rooms of which nothing is pictured, in lower case without spaces. While there are any,
    neither is what is in a room whose kind isn't known."""
    side: int = 256
    """Pixels; larger pictures are shrunk."""
    margin: float = 0.15
    """Share of an object's sides that is shown around it."""
    context: int = 48
    """Pixels of each side that are shown at least: nobody recognises a pencil from its own pixels alone."""
    quality: int = 85
    """Of JPEG."""
    per_object: int = 12
    """Pictures of an object in a day."""
    per_day: int = 2000
    """Pictures of all objects in a day."""
    least_side: int = 20
    """Pixels; an object whose longer side is smaller is not pictured."""
    better: float = 1.4
    """A view is clearly better whose score is that many times the one's before."""
    settle: float = 1.0
    """Seconds without a better one after which a better view goes out: who comes nearer has a better one soon."""
    moved: float = 0.3
    """Metres; what is farther from where it was pictured looks otherwise."""
    full_pixels: int = 160 * 160
    """Of an object, from which on more of them make no better picture."""
    per_frame: int = 4
    """Views of one frame that are cut out at most; the others have theirs in the next frames."""
    waiting: int = 128
    """Views that wait to go out at most; when there are more, the oldest are given up until they are seen again."""
    known: int = 4096
    """Objects whose pictures are known at most, those seen last."""


def room_key(name: str) -> str:
    """Return a room's name or kind as names of rooms are compared: "Living room" is LivingRoom."""
    return "".join(name.split()).replace("_", "").casefold()


def private_rooms(text: str) -> frozenset[str]:
    """Return the rooms that a text names, separated by commas."""
    return frozenset(key for key in map(room_key, text.split(",")) if key)
