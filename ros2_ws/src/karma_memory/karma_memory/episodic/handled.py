# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which objects an episode was about and what they looked like, by its steps.

Steps may be missing, in disorder, or come from elsewhere (MEMENTO, appendix E.2): no step is needed, and steps vouch
for one another. An object that one step names, where others are named by many, is taken for one that slipped in.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from karma_language.vocabulary.terms import words
from karma_memory.episodic.episodes import Episode
from karma_memory.events import Code

HANDLING = frozenset({"pick", "place", "PickupObject", "PutObject"})
"""Skills that move an object: of a robot with MEMENTO's skills, and of the household simulator."""
DESCRIBING = "describe"
"""The skill whose message says what an object looks like."""
SLIPPED_IN = 0.3
"""An object that fewer steps name than this share of those that name the one named most is no part of the episode."""


@dataclass(frozen=True)
class HandledObject:
    """An object that was moved."""

    id: str
    category: str
    looks: str = ""
    """What describing it said, empty where that is not remembered."""


def handled_objects(episode: Episode) -> list[HandledObject]:
    """Return the objects that an episode moved, in the order in which its steps first move them.

    Where it was told twice what one looks like, the more frequent, then what has more words of the instruction, counts.
    """
    done = [step for step in episode.steps if step.code is Code.SUCCESS and step.object]
    moved = dict.fromkeys((step.object, step.target) for step in done if step.skill in HANDLING)
    named = Counter((step.object, step.target) for step in done)
    said = Counter((step.object, step.target, step.observation) for step in done if step.skill == DESCRIBING)
    asked = set(words(episode.instruction))
    ranked = sorted(said, key=lambda item: (said[item], len(asked & set(words(item[2])))))
    looks = {(thing, category): text for thing, category, text in ranked}
    least = SLIPPED_IN * max((named[thing] for thing in moved), default=0)
    return [HandledObject(*thing, looks.get(thing, "")) for thing in moved if named[thing] >= least]
