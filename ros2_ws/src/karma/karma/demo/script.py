# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What happens in the demonstration: instructions of the paper's kinds, and a person who moves a thing."""

from __future__ import annotations

from dataclasses import dataclass

from karma.demo.judge import Fact


@dataclass(frozen=True)
class Instruct:
    """A person tells the robot to do something."""

    text: str
    outcome: tuple[Fact, ...] = ()
    """What must be so afterwards."""


@dataclass(frozen=True)
class PersonMoves:
    """A person moves an object, and nobody tells the robot."""

    category: str
    receptacle: str


Step = Instruct | PersonMoves

EXPLORE = Instruct("Explore the home.")
"""The first instruction: what it shows is what later ones remember."""

_FOOD: tuple[Step, ...] = (
    Instruct("Wash an apple and put it in the bowl.", (Fact(("Apple",), "Bowl"),)),
    Instruct("Bring me an apple.", (Fact(("Apple",), held=True),)),
    Instruct(
        "Heat a potato in the microwave, then put it on a plate.",
        (Fact(("Potato",), "Plate", states={"temperature": "Hot"}),),
    ),
    Instruct(
        "Slice a tomato and throw the knife in the trash.",
        (Fact(("TomatoSliced",)), Fact(("Knife", "ButterKnife"), "GarbageCan")),
    ),
)
_MUG = Instruct("Put the mug in the sink.", (Fact(("Mug",), "SinkBasin"),))
_DARK = Fact(("LightSwitch",), states={"isToggled": "false"})
_BRING_MUG = Instruct("Bring me the mug.", (Fact(("Mug",), held=True),))

SCRIPT: tuple[Step, ...] = (
    *_FOOD,
    PersonMoves("Mug", "CoffeeTable"),
    _MUG,
    Instruct("Put a book on the bed, then turn off the light.", (Fact(("Book",), "Bed"), _DARK)),
    _BRING_MUG,
)
"""What is done in a home."""

KITCHEN_SCRIPT: tuple[Step, ...] = (
    *_FOOD,
    PersonMoves("Mug", "CounterTop"),
    _MUG,
    Instruct("Put the salt shaker on the shelf, then turn off the light.", (Fact(("SaltShaker",), "Shelf"), _DARK)),
    _BRING_MUG,
)
"""What is done in a kitchen alone, such as FloorPlan1."""


def script_for(scene: str) -> tuple[Step, ...]:
    """Return what is done in a scene: a single floor plan, or a home."""
    return KITCHEN_SCRIPT if scene.startswith("FloorPlan") else SCRIPT
