# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Rooms: what is left of a storey's interior when it is cut at its doors, and what each is called."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from karma_perception.places.grid import BoolGrid

RoomGrid = NDArray[np.int32]
"""Number of each cell's room, (nx, ny); 0 = none."""

_EIGHT = np.ones((3, 3), dtype=bool)

KIND_VOTES: Mapping[str, Mapping[str, float]] = {
    "Kitchen": {
        **dict.fromkeys(("Fridge", "StoveBurner", "Microwave"), 4.0),
        **dict.fromkeys(("Toaster", "CoffeeMachine", "StoveKnob", "Kettle", "Pan", "Pot"), 2.0),
        **dict.fromkeys(("CounterTop", "Cabinet", "Spatula", "Ladle", "SinkBasin"), 0.5),
    },
    "Bedroom": {"Bed": 6.0, **dict.fromkeys(("AlarmClock", "Pillow"), 1.0), "Dresser": 0.5, "DogBed": 0.5},
    "Bathroom": {
        **dict.fromkeys(("Toilet", "Bathtub", "ShowerHead", "ShowerDoor", "ShowerCurtain"), 5.0),
        **dict.fromkeys(("BathtubBasin", "ToiletPaper", "ToiletPaperHanger", "TowelHolder", "HandTowelHolder"), 2.0),
        **dict.fromkeys(("Plunger", "ScrubBrush", "SinkBasin"), 1.0),
    },
    "LivingRoom": {
        **dict.fromkeys(("Sofa", "TVStand"), 4.0),
        **dict.fromkeys(("Television", "CoffeeTable", "ArmChair", "Ottoman"), 2.0),
        **dict.fromkeys(("RemoteControl", "FloorLamp"), 1.0),
    },
}
"""What an object's class says about its room: kind → class → weight. Several of a class count half as much each
time."""

MIN_VOTE = 1.5
"""Votes that a kind needs to name a room."""


def room_kind(categories: Iterable[str]) -> str:
    """Return the kind of room that holds objects of these classes: Kitchen, Bedroom, ...; "" when they don't say."""
    counts: dict[str, int] = defaultdict(int)
    for category in categories:
        counts[category] += 1
    votes = {
        kind: sum(weight * (2.0 - 0.5 ** (counts[c] - 1)) for c, weight in table.items() if counts.get(c))
        for kind, table in KIND_VOTES.items()
    }
    best = max(votes, key=lambda k: votes[k])
    return best if votes[best] >= MIN_VOTE else ""


def segment(interior: BoolGrid, door_cells: float, min_core: int) -> RoomGrid:
    """Cut the interior into rooms at passages narrower than a door.

    `interior`: (nx, ny), what is inside the building, furniture included; `door_cells`: width of the widest door in
    cells; `min_core`: cells that remain of a room after a door's width is taken off it, at least. A part of the
    interior without any such core is a room of its own.
    """
    depth = np.asarray(ndimage.distance_transform_edt(np.pad(interior, 1)))[1:-1, 1:-1]
    cores, count = ndimage.label(depth > door_cells / 2, structure=_EIGHT)
    sizes = np.bincount(cores.ravel(), minlength=count + 1)
    cores[sizes[cores] < min_core] = 0
    rooms = _grow(np.asarray(cores, dtype=np.int32), interior)
    rest, extra = ndimage.label(interior & (rooms == 0), structure=_EIGHT)
    if extra:
        rooms = np.where(rest > 0, rest.astype(np.int32) + count, rooms)
    return rooms


def keep_numbers(new: RoomGrid, old: RoomGrid, next_number: int) -> tuple[RoomGrid, int]:
    """Renumber `new` so that a room keeps the number it has in `old`; return it and the next number not in use.

    Where rooms merge, the number with the larger share stays; where one splits, the largest part keeps it.
    """
    both = (new > 0) & (old > 0)
    pairs, overlap = np.unique(np.stack((new[both], old[both])), axis=1, return_counts=True)
    numbers: dict[int, int] = {}
    taken: set[int] = set()
    for k in np.argsort(-overlap, kind="stable"):
        n, o = int(pairs[0, k]), int(pairs[1, k])
        if n not in numbers and o not in taken:
            numbers[n] = o
            taken.add(o)
    table = np.zeros(int(new.max(initial=0)) + 1, dtype=np.int32)
    for n in np.unique(new[new > 0]).tolist():
        if n not in numbers:
            numbers[n] = next_number
            next_number += 1
        table[n] = numbers[n]
    return table[new], next_number


def _grow(cores: RoomGrid, interior: BoolGrid) -> RoomGrid:
    """Spread the labels through the interior, each to the cells that it reaches first."""
    rooms = cores.copy()
    while True:
        spread = ndimage.maximum_filter(rooms, footprint=_cross(), mode="constant")
        fresh = interior & (rooms == 0) & (spread > 0)
        if not fresh.any():
            return rooms
        rooms[fresh] = spread[fresh]


def _cross() -> BoolGrid:
    return np.asarray(ndimage.generate_binary_structure(2, 1))
