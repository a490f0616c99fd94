# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""One colour per object type, so that people can tell types apart in the camera's picture."""

from __future__ import annotations

import zlib
from functools import cache

Color = tuple[float, float, float]
"""Red, green, blue in 0..1."""

WALL: Color = (0.90, 0.88, 0.83)
CEILING: Color = (0.96, 0.96, 0.94)
STEP: Color = (0.62, 0.50, 0.38)

_SLICED = "Sliced"

# What people expect these to look like. Every other type gets a colour that none of these, and no other type, has.
_NATURAL: dict[str, Color] = {
    "Apple": (0.85, 0.08, 0.10),
    "ArmChair": (0.35, 0.45, 0.60),
    "BaseballBat": (0.80, 0.62, 0.38),
    "BasketBall": (0.90, 0.45, 0.12),
    "Bathtub": (0.92, 0.94, 0.96),
    "BathtubBasin": (0.80, 0.86, 0.92),
    "Bed": (0.55, 0.62, 0.78),
    "Blinds": (0.84, 0.84, 0.76),
    "Bowl": (0.20, 0.55, 0.75),
    "Box": (0.72, 0.55, 0.33),
    "Bread": (0.78, 0.52, 0.22),
    "Cabinet": (0.66, 0.48, 0.30),
    "Chair": (0.52, 0.33, 0.18),
    "CoffeeMachine": (0.18, 0.18, 0.20),
    "CoffeeTable": (0.48, 0.34, 0.22),
    "CounterTop": (0.62, 0.62, 0.60),
    "Curtains": (0.78, 0.62, 0.66),
    "Desk": (0.58, 0.42, 0.26),
    "DiningTable": (0.60, 0.38, 0.20),
    "DishSponge": (0.95, 0.85, 0.20),
    "Drawer": (0.70, 0.53, 0.36),
    "Dresser": (0.50, 0.38, 0.28),
    "Egg": (0.95, 0.88, 0.74),
    "Faucet": (0.74, 0.77, 0.80),
    "Floor": (0.74, 0.68, 0.58),
    "Fork": (0.68, 0.70, 0.75),
    "Fridge": (0.82, 0.84, 0.86),
    "GarbageCan": (0.30, 0.33, 0.34),
    "HousePlant": (0.16, 0.50, 0.22),
    "Kettle": (0.70, 0.20, 0.22),
    "Knife": (0.55, 0.58, 0.64),
    "Lettuce": (0.45, 0.78, 0.25),
    "Microwave": (0.26, 0.27, 0.30),
    "Mirror": (0.72, 0.85, 0.88),
    "Mug": (0.95, 0.60, 0.15),
    "Pan": (0.22, 0.22, 0.25),
    "Pillow": (0.88, 0.80, 0.90),
    "Plate": (0.93, 0.93, 0.90),
    "Pot": (0.45, 0.47, 0.50),
    "Potato": (0.68, 0.60, 0.30),
    "ShowerGlass": (0.70, 0.82, 0.84),
    "Sink": (0.78, 0.80, 0.82),
    "SinkBasin": (0.70, 0.73, 0.77),
    "Sofa": (0.42, 0.36, 0.50),
    "Spoon": (0.62, 0.66, 0.70),
    "StoveBurner": (0.15, 0.14, 0.14),
    "TVStand": (0.36, 0.28, 0.22),
    "Television": (0.08, 0.09, 0.11),
    "TeddyBear": (0.60, 0.38, 0.24),
    "Toilet": (0.96, 0.97, 0.98),
    "Tomato": (0.93, 0.25, 0.12),
    "Window": (0.60, 0.80, 0.93),
    "WineBottle": (0.20, 0.30, 0.18),
}

# The other types of AI2-THOR's recorded rooms, in the order in which they choose.
_OTHERS = """
AlarmClock AluminumFoil Book Boots Bottle ButterKnife CD Candle CellPhone Cloth CreditCard Cup DeskLamp
Desktop DogBed Dumbbell FloorLamp Footstool GarbageBag HandTowel HandTowelHolder KeyChain Ladle Laptop
LaundryHamper LightSwitch Newspaper Ottoman Painting PaperTowelRoll Pen Pencil PepperShaker Plunger Poster
RemoteControl RoomDecor Safe SaltShaker ScrubBrush Shelf ShelvingUnit ShowerCurtain ShowerDoor ShowerHead
SideTable SoapBar SoapBottle Spatula SprayBottle Statue Stool StoveKnob TableTopDecor TennisRacket TissueBox
Toaster ToiletPaper ToiletPaperHanger Towel TowelHolder VacuumCleaner Vase Watch WateringCan
"""


def known_categories() -> tuple[str, ...]:
    """Return the object types that have a colour of their own, sorted."""
    return tuple(sorted(_known()))


def color_of(category: str) -> Color:
    """Return the colour of an object type, the same in every run; slices are paler than what they were cut from."""
    if category.endswith(_SLICED) and category != _SLICED:
        r, g, b = color_of(category.removesuffix(_SLICED))
        return (0.6 * r + 0.4, 0.6 * g + 0.4, 0.6 * b + 0.4)
    known = _known()
    if category in known:
        return known[category]
    mixed = zlib.crc32(category.encode())
    r, g, b = (0.15 + 0.75 * ((mixed >> shift) & 0xFF) / 255 for shift in (0, 8, 16))
    return (r, g, b)


@cache
def _known() -> dict[str, Color]:
    """Give each type in turn the grid colour that is farthest from those already taken."""
    levels = [0.12 + 0.11 * i for i in range(8)]
    grid = [(r, g, b) for r in levels for g in levels for b in levels]
    taken = dict(_NATURAL)
    reserved = (*taken.values(), WALL, CEILING)
    gap = {c: min(_distance(c, t) for t in reserved) for c in grid}
    for category in _OTHERS.split():
        chosen = max(grid, key=lambda c: (gap[c], c))
        taken[category] = chosen
        for c in grid:
            gap[c] = min(gap[c], _distance(c, chosen))
    return taken


def _distance(a: Color, b: Color) -> float:
    """Return the squared distance, weighted by how strongly the eye responds to each channel."""
    return 3 * (a[0] - b[0]) ** 2 + 4 * (a[1] - b[1]) ** 2 + 2 * (a[2] - b[2]) ** 2
