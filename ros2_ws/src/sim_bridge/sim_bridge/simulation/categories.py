# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is known of AI2-THOR's object types beyond the recorded flags."""

from __future__ import annotations

CONTAINERS = frozenset(
    {
        *("Bathtub", "BathtubBasin", "Bowl", "Box", "Cabinet", "Cup", "Drawer", "Fridge", "GarbageCan"),
        *("LaundryHamper", "Microwave", "Mug", "Pan", "Pot", "Safe", "Sink", "SinkBasin", "Toaster"),
    }
)
"""Things are in these and on everything else."""

PILES = CONTAINERS - {"Cabinet", "Drawer", "Fridge", "Microwave", "Safe", "Sink", "Bathtub"} | {"Plate", "Floor"}
"""Where things may lie on top of each other when there is no room beside."""

CUPBOARDS = frozenset({"Cabinet", "Drawer", "Fridge", "Microwave", "Safe"})
"""Furniture with a door or a front, most of it built into other furniture."""

STATE_OF = {
    "openable": "isOpen",
    "toggleable": "isToggled",
    "dirtyable": "isDirty",
    "canFillWithLiquid": "isFilledWithLiquid",
    "breakable": "isBroken",
    "sliceable": "isSliced",
    "cookable": "isCooked",
    "canBeUsedUp": "isUsedUp",
}
"""Affordance in AI2-THOR's metadata → the flag of the state that it gives a meaning."""

LIDLESS = frozenset({"Toilet", "Laptop", "Book", "Kettle", "Blinds", "ShowerDoor", "ShowerCurtain"})
"""Can be opened, but closing hides nothing that rests on it."""

SURFACE = {
    "ArmChair": (0.48,),
    "BathtubBasin": (0.02,),
    "Bed": (0.6,),
    "Bowl": (0.06,),
    "Box": (0.05,),
    "Cabinet": (0.01,),
    "Chair": (0.48,),
    "CoffeeMachine": (0.13,),
    "Cup": (0.06,),
    "Drawer": (0.1,),
    "Fridge": (0.4, 0.56, 0.67, 0.31),
    "GarbageCan": (0.9,),
    "LaundryHamper": (0.9,),
    "Microwave": (0.1,),
    "Mug": (0.06,),
    "Pan": (0.2,),
    "Plate": (0.33,),
    "Pot": (0.1,),
    "Safe": (0.1,),
    "Shelf": (0.0,),
    "SinkBasin": (0.02,),
    "Sofa": (0.47,),
    "Toaster": (0.3,),
}
"""Heights at which things rest, as fractions of the receptacle's box, preferred first; 1 for all others.

Medians over what rests on or in them in the 120 recorded rooms, where there is any. Garbage cans and hampers are taken
to be nearly full: the robot is not tall enough to see their bottoms.
"""

HANGING = frozenset({"HandTowelHolder", "ToiletPaperHanger", "TowelHolder"})
"""What they hold hangs from them."""

ACCEPTS_ONLY = {
    "CoffeeMachine": frozenset({"Mug", "Cup"}),
    "HandTowelHolder": frozenset({"HandTowel"}),
    "StoveBurner": frozenset({"Kettle", "Pan", "Pot"}),
    "Toaster": frozenset({"BreadSliced"}),
    "ToiletPaperHanger": frozenset({"ToiletPaper"}),
    "TowelHolder": frozenset({"Towel"}),
}
"""Receptacles that are made for something."""

SLENDER = frozenset({"ButterKnife", "Fork", "Knife", "Ladle", "Pen", "Pencil", "Spatula", "Spoon"})
"""What stands in a cup or lies across a plate, however large the box around it is when it lies askew."""

KNIVES = frozenset({"ButterKnife", "Knife"})

SLICES = {"Apple": 5, "Bread": 6, "Lettuce": 5, "Potato": 5, "Tomato": 5, "Egg": 1}
"""How many slices each makes; an egg is cracked instead."""

SLICE_CATEGORY = {"Egg": "EggCracked"}
"""Category of a slice where it isn't the whole's followed by Sliced."""

COOKABLE_SLICES = frozenset({"BreadSliced", "EggCracked", "PotatoSliced"})

BASINS = frozenset({"SinkBasin", "Sink", "BathtubBasin", "Bathtub"})
"""Where a faucet's water goes, when near enough."""

WATER_SOURCES = frozenset({"Faucet", "ShowerHead"})

WALL_MOUNTED = frozenset({"Blinds", "Curtains", "LightSwitch", "Mirror", "Painting", "Poster", "Window"})
"""Flat on a wall: they are not in the way of anything put down."""

TRANSPARENT = frozenset({"Floor", "ShowerDoor", "ShowerGlass", "Window"})
"""Furniture that hides nothing."""

FRAMES = frozenset(
    {
        *("CoffeeTable", "Desk", "DeskLamp", "DiningTable", "FloorLamp", "Footstool", "Ottoman"),
        *("Shelf", "ShelvingUnit", "SideTable", "Stool", "TVStand"),
    }
)
"""Furniture that is mostly air: only its top hides what is behind."""

SEATS = frozenset({"ArmChair", "Bed", "Chair", "Sofa"})
"""Furniture with a back: what is below the seat hides what is behind, the rest does not reliably."""


def slice_category(category: str) -> str:
    """Return what slices of `category` are called: Apple → AppleSliced."""
    return SLICE_CATEGORY.get(category, f"{category}Sliced")


def relation_of(category: str) -> str:
    """Return how things are placed relative to such a receptacle: "in" or "on"."""
    return "in" if category in CONTAINERS else "on"
