# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Episodes as they come back from a bad memory: with foreign steps, in disorder, in part (MEMENTO, appendix E.2.2)."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from karma_memory.episodic import Episode, Step

Damage = Callable[[Episode], Sequence[Step]]
"""Says as which steps an episode comes back."""

SKILLS = ("pick", "place", "navigate", "describe")
"""Skills whose steps are dropped altogether; the paper drops the first three, describing is where looks come from."""
NOISE, MISSING = (0.1, 0.3, 0.6), (0.1, 0.2, 0.5)
"""Shares of foreign and of missing steps; the paper has 0.3 and 0.2."""
SEED = 0


def damages(lived: Mapping[str, Sequence[Episode]]) -> dict[str, Damage]:
    """Return the kinds of damage by name. `lived`: scene → episodes, from which the foreign steps come."""
    foreign = {
        scene: [step for other, episodes in lived.items() if other != scene for e in episodes for step in e.steps]
        for scene in lived
    }
    found: dict[str, Damage] = {f"noise {100 * share:.0f} %": partial(_noisy, foreign, share) for share in NOISE}
    found["shuffled"] = _shuffled
    found |= {f"{100 * share:.0f} % missing": partial(_partial, share) for share in MISSING}
    found |= {f"without {skill}": partial(_without, skill) for skill in SKILLS}
    found["no steps"] = lambda _: []
    found["noise 30 %, shuffled, 20 % missing"] = partial(_everything, foreign)
    return found


def _noisy(foreign: Mapping[str, Sequence[Step]], share: float, episode: Episode) -> list[Step]:
    """Put steps of other scenes between the episode's own."""
    draw, steps = _draw(episode), list(episode.steps)
    others = foreign.get(episode.scene) or ()
    for _ in range(round(share * len(steps)) if others else 0):
        steps.insert(draw.randint(0, len(steps)), draw.choice(others))
    return steps


def _shuffled(episode: Episode) -> list[Step]:
    return _draw(episode).sample(episode.steps, len(episode.steps))


def _partial(share: float, episode: Episode) -> list[Step]:
    """Drop a share of the steps, drawn at random."""
    draw, count = _draw(episode), len(episode.steps)
    dropped = set(draw.sample(range(count), round(share * count)))
    return [step for index, step in enumerate(episode.steps) if index not in dropped]


def _without(skill: str, episode: Episode) -> list[Step]:
    return [step for step in episode.steps if step.skill != skill]


def _everything(foreign: Mapping[str, Sequence[Step]], episode: Episode) -> list[Step]:
    for damage in (partial(_noisy, foreign, 0.3), _shuffled, partial(_partial, 0.2)):
        episode = replace(episode, steps=tuple(damage(episode)))
    return list(episode.steps)


def _draw(episode: Episode) -> random.Random:
    return random.Random(f"{SEED} {episode.id}")  # noqa: S311 - no secret
