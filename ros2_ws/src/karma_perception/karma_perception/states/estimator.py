# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The protocol of what tells the states of objects, and its two simplest forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from karma_perception.frames.camera import FloatArray, Frame

States = Mapping[str, str]
"""As in karma_interfaces/SceneNode: {"isOpen": "true", "temperature": "Hot"}."""


@dataclass(frozen=True, eq=False)
class SeenInstance:
    """An object of the map that the frame at hand shows."""

    id: str
    category: str
    low: FloatArray
    """(3,) corner of its box, metres, map frame."""
    high: FloatArray
    """(3,) opposite corner."""


@dataclass(frozen=True)
class EstimatorReport:
    """How an estimator is doing, for operators."""

    asked: int = 0
    answered: int = 0
    failed: int = 0
    waiting: int = 0
    problem: str = ""
    """Why the last question was in vain; empty when it was not."""


class StateEstimator(Protocol):
    """Tells the states of objects. Called on one thread, that of the mapping; none of its methods waits."""

    def observe(self, frame: Frame, seen: Sequence[SeenInstance]) -> None:
        """Take a look at the objects that a frame shows."""

    def states(self, object_id: str, told: States) -> States:
        """Return the states of an object as they are known now; `told`: what the source of instances said."""

    def reset(self) -> None:
        """Forget everything: a new map begins, and ids are given anew."""

    def report(self) -> EstimatorReport:
        """Return how it is doing; any thread may ask."""

    def close(self) -> None:
        """End what goes on in the background."""


class _NothingToDo:
    """What the estimators that look at nothing have in common."""

    def observe(self, frame: Frame, seen: Sequence[SeenInstance]) -> None:
        """Look at nothing."""

    def reset(self) -> None:
        """Forget nothing, for nothing is kept."""

    def report(self) -> EstimatorReport:
        """Return that nothing was asked."""
        return EstimatorReport()

    def close(self) -> None:
        """End nothing, for nothing goes on."""


class SourceStates(_NothingToDo):
    """Takes the states that come with the instances, as a simulator gives them."""

    def states(self, object_id: str, told: States) -> States:
        """Return what the source said."""
        return told


class NoStates(_NothingToDo):
    """Knows no states, whatever the source says."""

    def states(self, object_id: str, told: States) -> States:
        """Return none."""
        return {}
