# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The household trace: which objects the robot's skills named, one after the other, over all that it lived through."""

from __future__ import annotations

from collections.abc import Iterable

from karma_eval.cache.traces import Trace
from karma_eval.memento.task import Outcome

NAME = "household"


def household_trace(outcomes: Iterable[Outcome]) -> Trace:
    """Return one access for every object that a skill names; an object has one key in all episodes of its scene."""
    keys: list[str] = []
    for outcome in outcomes:
        handles = {thing.name: thing.handle for thing in outcome.episode.things}
        scene = outcome.episode.instruction.scene
        named = (name for call in outcome.run.calls for name in (call.target, call.beside))
        keys += [f"{scene}/{handles[name]}" for name in named if name in handles]
    return Trace(NAME, tuple(keys))
