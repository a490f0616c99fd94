# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Options of the vision-language model, apart from it: they are read where it isn't used."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class VisionOptions:
    """How a vision-language model is asked."""

    model: str = "qwen2.5vl:7b"
    url: str = "http://127.0.0.1:11434"
    timeout: float = 60.0
    """Seconds for an answer."""
    period: float = 2.0
    """Seconds between two looks at the same object, frame time."""
    change: float = 0.25
    """Share of an object's pixels that must have changed colour for it to look different."""
    margin: float = 0.15
    """Share of an object's sides that is shown around it."""
    least_pixels: int = 24
    """Smaller objects are not asked about."""
    most_pixels: int = 448
    """Of a side; larger pictures are shrunk."""
    queue: int = 64
    """Objects that may wait; when there are more, the one that waited longest is given up until it is seen again."""
    looks: int = 8
    """Appearances of an object whose states are kept."""
    pause: float = 30.0
    """Seconds for which nothing is asked after the server did not answer."""
