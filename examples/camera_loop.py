# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A camera's detections become a memory: what is in view was seen; what is not, where it should be, is gone.

It prints:
    The keys are on the sofa, in the living room.
    The keys are on the sofa, in the living room.
    I don't know. The keys were on the sofa, in the living room until just now.
    A cup and a book are in the living room.
"""

import tempfile
from pathlib import Path

from karma_memory import Memory

Detection = tuple[str, str, tuple[float, float, float], float]
"""What a detector says: label, what it is on, where (metres, map frame), and how sure it is."""

FRAMES: list[list[Detection]] = [
    [("keys", "sofa", (2.0, 1.0, 0.5), 0.91), ("cup", "coffee table", (3.0, 1.0, 0.5), 0.88)],
    [("keys", "sofa", (2.0, 1.0, 0.5), 0.84), ("cup", "coffee table", (3.0, 1.0, 0.5), 0.35)],
    [("cup", "coffee table", (3.0, 1.0, 0.5), 0.93), ("book", "coffee table", (3.2, 1.1, 0.5), 0.79)],
]
"""Put your camera and detector here. All frames look at the same place."""
SURE = 0.5


def look(memory: Memory, frame: list[Detection], before: set[str]) -> set[str]:
    """Remember what a frame shows, and what it shows no more; return what is in view."""
    view = {label for label, *_ in frame}
    for label, place, at, confidence in frame:
        if confidence >= SURE or label not in before:  # a doubtful look at what is known adds nothing
            memory.see(label, on=place, room="living room", at=at, confidence=confidence)
    for label in before - view:
        memory.gone(label)
    return view


with tempfile.TemporaryDirectory() as folder, Memory(Path(folder) / "home.sqlite3") as memory:
    view: set[str] = set()
    for frame in FRAMES:
        view = look(memory, frame, view)
        print(memory.ask("Where are my keys?").text)
    print(memory.ask("What is in the living room?").text)
