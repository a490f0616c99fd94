# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What there is in a scene that a person can name so that it is clear what is meant, and what can be done with it."""

from __future__ import annotations

import random

from karma_eval.brainmem.home import Home, explored
from karma_eval.household.memory import opened
from karma_language.vocabulary import household
from planner_node.instruction import Report
from planner_node.skills import Code
from planner_node.understand.offline import OfflineUnderstanding
from sim_bridge.household.backend import HouseholdBackend
from sim_bridge.household.world import World

_PLACES = (
    "CounterTop", "DiningTable", "CoffeeTable", "SideTable", "Desk", "Dresser", "Bed", "Sofa", "TVStand", "Fridge",
    "GarbageCan", "Safe",
)  # fmt: skip
_SHARP = ("Knife", "ButterKnife")


class Stock:
    """The things of a scene. What is chosen at random is the same for the same seed."""

    def __init__(self, scene: str, seed: int) -> None:
        self.scene = scene
        self.rng = random.Random(f"{seed} {scene}")  # noqa: S311 - no secret
        self.world = HouseholdBackend(scene).world
        self.lexicon = household()
        self.seen = {node.id for node in explored(scene).nodes}
        self._nouns = OfflineUnderstanding(self.lexicon)
        named: dict[str, list[str]] = {}
        for name, spec in self.world.specs.items():
            if spec.category in self.lexicon.kinds:
                named.setdefault(spec.category, []).append(name)
        self.named = {c: names for c, names in named.items() if self.meant(self.noun(c)) == (c,)}
        """Category → ids of the things of it, where its noun means nothing else."""

    def noun(self, category: str) -> str:
        """Return what people call a category."""
        return self.lexicon.kind(category).noun

    def meant(self, noun: str) -> tuple[str, ...]:
        """Return the categories that a noun means."""
        ref = self._nouns.reference(f"the {noun}")
        return ref.categories if ref is not None else ()

    def things(self, count: int = 1) -> list[str]:
        """Return the categories of things in view that can be carried, of which there are so many, in random order."""
        found = [
            category
            for category, names in sorted(self.named.items())
            if len(names) == count
            and category not in _SHARP
            and all(self.world.specs[n].movable for n in names)
            and all(n in self.seen and not self.world.closed_around(n) for n in names)
        ]
        return self.rng.sample(found, len(found))

    def places(self, thing: str, most: int = 2) -> list[str]:
        """Return the categories of furniture that can be put on or in, and where no such thing is, in random order."""
        holders = {self.world.category(self.world.parents[name]) for name in self.world.of_category(thing)}
        found = [c for c in _PLACES if c in self.named and c not in holders]
        return [c for c in self.rng.sample(found, len(found)) if self.fits(thing, c)][:most]

    def fits(self, thing: str, place: str) -> bool:
        """Whether the robot, told so in full, can put a thing somewhere."""
        return self.tried(self.put(thing, place)).code is Code.SUCCESS

    def tried(self, text: str) -> Report:
        """Return what comes of an instruction for a robot that remembers only what it saw of the home."""
        with opened(embedder="lexical") as memory:
            return Home(self.scene, memory, ("working", "trajectory", "guideline")).say(text)

    def put(self, thing: str, place: str) -> str:
        """Return the instruction to put a thing somewhere."""
        return f"Put the {self.noun(thing)} {self.at(place)}."

    def at(self, place: str) -> str:
        """Return a place with its preposition."""
        return f"{self.lexicon.kind(place).relation or 'on'} the {self.noun(place)}"


def rests(world: World, category: str, place: str, count: int = 1) -> bool:
    """Whether so many things of a category rest on or in things of another."""
    holders = [world.specs.get(world.parents[name]) for name in world.of_category(category)]
    return sum(holder is not None and holder.category == place for holder in holders) >= count
