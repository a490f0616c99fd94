# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Simple tasks made up for any scene of the household simulator; their judges look at the simulator's truth."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from karma_language.vocabulary import household
from sim_bridge.household.backend import HouseholdBackend
from sim_bridge.household.world import World

Judge = Callable[[World], bool]

SURFACES = (
    "CounterTop",
    "DiningTable",
    "CoffeeTable",
    "SideTable",
    "Desk",
    "Dresser",
    "Bed",
    "Sofa",
    "TVStand",
    "Shelf",
)
INSIDES = ("Fridge", "Cabinet", "Drawer", "GarbageCan", "SinkBasin", "Box", "Safe", "LaundryHamper")
SHARP = ("Knife", "ButterKnife")
"""What the robot brings nobody (planner_node/check/safety/household.yaml)."""
BULKY = frozenset(
    {"BaseballBat", "BasketBall", "TennisRacket", "Box", "Footstool", "Pillow", "Laptop", "Dumbbell", "Plunger"}
)
"""Objects that fit on few things: not asked to be put into things."""


@dataclass(frozen=True)
class Task:
    """An instruction in a scene, and what must be true afterwards."""

    kind: str
    scene: str
    text: str
    judge: Judge


def tasks(scene: str, backend: HouseholdBackend, rng: random.Random) -> Iterator[Task]:
    """Yield one task of every kind that the scene has the things for."""
    world = backend.world
    lexicon = household()
    present = {spec.category for spec in world.specs.values()}
    movable = sorted({s.category for s in world.specs.values() if s.movable} & set(lexicon.kinds))

    def noun(category: str) -> str:
        return lexicon.kind(category).noun

    def some(categories: list[str]) -> list[str]:
        return rng.sample(categories, 1) if categories else []

    def make(kind: str, text: str, judge: Judge) -> Task:
        return Task(kind, scene, text, judge)

    small = [c for c in movable if c not in BULKY]
    surfaces = [c for c in SURFACES if c in present]
    insides = [c for c in INSIDES if c in present]
    kitchen = "Microwave" in present
    for thing, place in zip(some(small), some(surfaces), strict=False):
        yield make("place on", f"put the {noun(thing)} on the {noun(place)}", resting(thing, place))
    for thing, place in zip(some(small), some([i for i in insides if i not in ("Box",)]), strict=False):
        yield make("place in", f"move a {noun(thing)} into the {noun(place)}", resting(thing, place))
    for thing in some(small):
        if thing in SHARP:
            continue
        yield make("fetch", f"bring me the {noun(thing)}", held(thing))
    for thing in some(small):
        yield make("discard", f"throw away the {noun(thing)}", resting(thing, "GarbageCan"))
    washable = [
        c
        for c in small
        if c in ("Apple", "Tomato", "Potato", "Mug", "Cup", "Plate", "Bowl", "Fork", "Spoon", "Cloth", "SoapBar", "Pan")
    ]
    if "Faucet" in present and "SinkBasin" in present:
        for thing in some(washable):
            yield make("clean", f"wash the {noun(thing)}", marked("washed", thing))
        for thing, place in zip(some(washable), some(surfaces), strict=False):
            yield make(
                "clean and place",
                f"rinse the {noun(thing)} and put it on the {noun(place)}",
                both(marked("washed", thing), resting(thing, place)),
            )
    if kitchen:
        food = [c for c in small if "food" in lexicon.kind(c).classes]
        for thing in some(food):
            yield make("heat", f"heat the {noun(thing)}", marked("heated", thing))
        for thing, place in zip(some(food), some(surfaces), strict=False):
            yield make(
                "heat and place",
                f"microwave a {noun(thing)}, then set it on the {noun(place)}",
                both(marked("heated", thing), resting(thing, place)),
            )
        for thing in some(food):
            yield make("cool", f"chill the {noun(thing)}", marked("cooled", thing))
        for thing in some([c for c in food if lexicon.can(c, "slice")]):
            yield make("slice", f"slice the {noun(thing)}", sliced(thing))
        for thing, place in zip(some([c for c in food if lexicon.can(c, "slice")]), some(surfaces), strict=False):
            yield make(
                "slice and place",
                f"cut the {noun(thing)} and put a slice of it on the {noun(place)}",
                slice_on(thing, place),
            )
        for thing in some([c for c in ("Mug", "Cup", "Bowl", "Pot") if c in present]):
            yield make("fill", f"fill the {noun(thing)} with water", state(thing, "isFilledWithLiquid", True))
        yield make(
            "switch microwave",
            "put the potato in the microwave and turn it on",
            both(resting("Potato", "Microwave"), state("Microwave", "isToggled", True)),
        )
    openable = [
        c for c in ("Fridge", "Microwave", "Cabinet", "Drawer", "Laptop", "Box", "Safe", "Toilet") if c in present
    ]
    for thing in some(openable):
        wanted = not any(world.is_(n, "isOpen") for n in world.of_category(thing))
        yield (
            make("open", f"open the {noun(thing)}", state(thing, "isOpen", True))
            if wanted
            else make("close", f"close the {noun(thing)}", state(thing, "isOpen", False))
        )
    for thing in some(
        [c for c in ("DeskLamp", "FloorLamp", "Television", "Faucet", "LightSwitch", "CoffeeMachine") if c in present]
    ):
        wanted = not any(world.is_(n, "isToggled") for n in world.of_category(thing))
        word = "on" if wanted else "off"
        yield make("switch", f"turn {word} the {noun(thing)}", state(thing, "isToggled", wanted))
    lamps = [c for c in ("DeskLamp", "FloorLamp") if c in present]
    for thing, lamp in zip(some(small), some(lamps), strict=False):
        yield make(
            "examine",
            f"look at the {noun(thing)} under the {noun(lamp)}",
            both(held(thing), state(lamp, "isToggled", True)),
        )
    for thing in some([c for c in ("Vase", "Statue", "Mug", "Plate", "Bowl", "CellPhone") if c in present]):
        yield make("break", f"break the {noun(thing)}", broken(thing))
    pairs = [c for c in small if sum(1 for _ in world.of_category(c)) == 2]
    for thing, place in zip(some(pairs), some(surfaces), strict=False):
        yield make("two", f"put two {noun(thing)}s on the {noun(place)}", resting(thing, place, 2))
    for a, b, place in zip(some(small), some(small), some(surfaces), strict=False):
        if b in SHARP:
            continue
        text = f"put the {noun(a)} on the {noun(place)}, then bring me the {noun(b)}"
        yield make("sequence", text, held(b) if a == b else both(resting(a, place), held(b)))


def resting(thing: str, place: str, count: int = 1) -> Judge:
    return lambda world: (
        sum(any(world.category(a) == place for a in world.ancestors(n)) for n in of(world, thing)) >= count
    )


def held(thing: str) -> Judge:
    return lambda world: bool(world.held) and world.held in of(world, thing)


def marked(history: str, thing: str) -> Judge:
    return lambda world: any(n in getattr(world, history) for n in of(world, thing))


def sliced(thing: str) -> Judge:
    return lambda world: any(n.startswith(f"{thing}|") or f"/{thing}|" in n for n in world.gone)


def slice_on(thing: str, place: str) -> Judge:
    part = household().slices[thing]
    return lambda world: any(
        any(world.category(a) == place for a in world.ancestors(n)) for n in world.of_category(part)
    )


def state(thing: str, name: str, value: bool) -> Judge:
    return lambda world: any(world.is_(n, name) is value for n in of(world, thing))


def broken(thing: str) -> Judge:
    return lambda world: any(world.is_(n, "isBroken") for n in of(world, thing))


def both(*judges: Judge) -> Judge:
    return lambda world: all(judge(world) for judge in judges)


def of(world: World, thing: str) -> list[str]:
    """Return the objects of a category and its slices."""
    part = household().slices.get(thing)
    return [*world.of_category(thing), *(world.of_category(part) if part else ())]
