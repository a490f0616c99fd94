# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Who and what the generated stream is about: names made of syllables, and two disjoint sets of words."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True)
class Words:
    """What values are drawn from."""

    syllables: tuple[str, ...]
    roles: tuple[tuple[str, str], ...]
    """Role and pronoun."""
    further_roles: tuple[str, ...]
    """Roles to somebody else than the user; each person has one of each at a time."""
    jobs: tuple[str, ...]
    foods: tuple[str, ...]
    sports: tuple[str, ...]
    subjects: tuple[str, ...]
    pets: tuple[str, ...]
    things: tuple[str, ...]
    events: tuple[str, ...]
    favourites: tuple[str, ...]
    places: tuple[str, ...]
    vouchers: tuple[str, ...]
    groceries: tuple[str, ...]
    genders: tuple[tuple[str, str], ...]

    def name(self, rng: random.Random) -> str:
        """Return a name that no dictionary has."""
        return "".join(rng.choice(self.syllables) for _ in range(rng.randint(2, 3))).capitalize()


def people(name: str) -> Words:
    """Return the words of a set of people.json, training or held-out."""
    sets = json.loads(files("karma_eval.emg").joinpath("people.json").read_text(encoding="utf-8"))
    pairs = ("roles", "genders")
    return Words(**{of: tuple(map(tuple, some) if of in pairs else some) for of, some in sets[name].items()})
