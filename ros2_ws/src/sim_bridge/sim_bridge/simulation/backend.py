# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How a simulator runs a skill, from the call to its outcome, and how people move things in it."""

from __future__ import annotations

import math
import random
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace

from sim_bridge.backend import Code, Located, Outcome, Progress, RefusedError, SeenObject, Skill, Target
from sim_bridge.simulation.behaviours import BEHAVIOURS
from sim_bridge.simulation.body import Body
from sim_bridge.simulation.categories import ACCEPTS_ONLY, HANGING
from sim_bridge.simulation.senses import Senses, SensorNoise
from sim_bridge.skills import SKILLS, SkillError, SkillSpec, validate

_SMALLEST = 0.05
"""Square metres of furniture on which people put things."""


class SimulatedBackend(ABC):
    """The skills of `sim_bridge.backend.Backend`, run on a simulator's robot."""

    robot: Body
    """The robot in the scene that is loaded."""

    def __init__(self, seed: int, failure_probability: float, noise: SensorNoise | None) -> None:
        """`failure_probability` is the chance that a movement of the arm fails without effect (EXECUTION_FAILURE)."""
        if not 0.0 <= failure_probability <= 1.0:
            raise ValueError(f"failure_probability is {failure_probability}: give a probability from 0 to 1")
        self._seed = seed
        self._failure_probability = failure_probability
        self._noise = noise or SensorNoise()

    def _reseed(self) -> None:
        """Start all that is random again from the seed."""
        self._random = random.Random(self._seed)  # noqa: S311
        self._people = random.Random(f"people {self._seed}")  # noqa: S311
        self._senses = Senses(self._noise, random.Random(f"senses {self._seed}"))  # noqa: S311

    def _fails(self) -> bool:
        """Decide whether a movement of the arm fails."""
        return self._random.random() < self._failure_probability

    @property
    @abstractmethod
    def scene(self) -> str:
        """Name of the loaded scene."""

    @property
    def skills(self) -> Mapping[str, SkillSpec]:
        """All skills of the table."""
        return SKILLS

    def locate(self) -> Located:
        """Return where the robot and its camera are."""
        return Located(self.robot.pose, self.robot.camera_pose)

    @abstractmethod
    def ground_truth(self) -> tuple[SeenObject, ...]:
        """Return every object as it really is, for judging only."""

    def run(self, skill: Skill) -> Iterator[Progress | Outcome]:
        """Run a skill step by step; see `Backend.run`."""
        self.robot.begin()
        try:
            validate(skill)
            outcome = yield from BEHAVIOURS[skill.name](self.robot, skill)
        except SkillError as error:
            outcome = Outcome(Code.INVALID_ARGUMENT, str(error))
        except RefusedError as error:
            outcome = Outcome(error.code, error.message)
        yield self._complete(outcome)

    def so_far(self) -> Outcome:
        """Return what the skill that was stopped did until then; see `Backend.so_far`."""
        looks = self.robot.looks
        return self._complete(Outcome(Code.CANCELED, seen=self.robot.described(looks.seen), explore_steps=looks.steps))

    def _complete(self, outcome: Outcome) -> Outcome:
        """Add to an outcome how long the skill took and how far the robot drove."""
        return replace(outcome, duration=self.robot.elapsed, distance=self.robot.travelled)

    def move_object(self, name: str, receptacle: str = "") -> tuple[str, str]:
        """Let a person move an object without telling the robot; return the ids of the object and its receptacle.

        Both may be given as categories; without a receptacle, a random one that takes it. RefusedError says why not.
        """
        found = [n for n in self.robot.matches(Target(id=name, category=name)) if not self.robot.carries(n)]
        if not found:
            raise RefusedError(Code.NOT_FOUND, f"there is no {name!r} outside the gripper to move")
        thing = found[0]
        if receptacle:
            places = list(self.robot.matches(Target(id=receptacle, category=receptacle)))
            if not places:
                raise RefusedError(Code.NOT_FOUND, f"there is no {receptacle!r} to put {thing} on")
        else:
            places = self._furniture_for(thing)
            self._people.shuffle(places)
        last = RefusedError(Code.PRECONDITION_FAILURE, f"nothing else in {self.scene} takes {thing}")
        for place in places:
            try:
                self._relocate(thing, place)
            except RefusedError as error:
                last = error
            else:
                return thing, place
        raise last

    def _furniture_for(self, name: str) -> list[str]:
        """Return the furniture elsewhere on or in which a person might put an object."""
        holder = self.robot.truth(name).receptacle
        return [
            o.id
            for o in self.ground_truth()
            if self.robot.is_receptacle(o.id)
            and not o.movable
            and o.category not in {"Floor", *HANGING, *ACCEPTS_ONLY}
            and o.id != holder
            and math.prod(o.size[:2]) > _SMALLEST
        ]

    @abstractmethod
    def _relocate(self, name: str, receptacle: str) -> None:
        """Put an object on or in a receptacle, as a person does. RefusedError says why not."""
