# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How a simulator runs a skill, from the call to its outcome."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Generic

from sim_bridge.backend import Code, Outcome, Progress, RefusedError, Skill
from sim_bridge.simulation.behaviours import B, Behaviours
from sim_bridge.skills import SKILLS, SkillError, SkillSpec, validate


class SimulatedBackend(Generic[B]):
    """The skills of `sim_bridge.backend.Backend`, run by a simulator's behaviours on its robot."""

    behaviours: Behaviours[B]
    agent: B
    """The robot in the scene that is loaded."""

    @property
    def skills(self) -> Mapping[str, SkillSpec]:
        """All skills of the table."""
        return SKILLS

    def run(self, skill: Skill) -> Iterator[Progress | Outcome]:
        """Run a skill step by step; see `Backend.run`."""
        self.agent.begin()
        try:
            validate(skill)
            outcome = yield from self.behaviours.perform(self.agent, skill)
        except SkillError as error:
            outcome = Outcome(Code.INVALID_ARGUMENT, str(error))
        except RefusedError as error:
            outcome = Outcome(error.code, error.message)
        yield self._complete(outcome)

    def so_far(self) -> Outcome:
        """Return what the skill that was stopped did until then; see `Backend.so_far`."""
        looks = self.agent.looks
        return self._complete(Outcome(Code.CANCELED, seen=self.agent.described(looks.seen), explore_steps=looks.steps))

    def _complete(self, outcome: Outcome) -> Outcome:
        """Add to an outcome how long the skill took and how far the robot drove."""
        return replace(outcome, duration=self.agent.elapsed, distance=self.agent.travelled)
