# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Who and what the generated stream is about: names made of syllables, and two disjoint sets of words."""

from __future__ import annotations

import random
from dataclasses import dataclass

from karma_language.vocabulary.words import each


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

    def name(self, rng: random.Random, parts: int = 0) -> str:
        """Return a name that no dictionary has."""
        return "".join(rng.choice(self.syllables) for _ in range(parts or rng.randint(2, 3))).capitalize()


TRAINING = Words(
    syllables=each("ba den fi gor hal ka lin mo nes per ra sil tam vin wes yor"),
    roles=(("sister", "she"), ("mother", "she"), ("uncle", "he"), ("daughter", "she"), ("boss", ""),
           ("best friend", ""), ("tutor", "")),
    further_roles=each("boss neighbour teacher"),
    jobs=each("nurse plumber florist pilot librarian tailor"),
    foods=each("peanuts shellfish gluten strawberries"),
    sports=each("tennis hockey badminton golf"),
    subjects=each("physics history botany law"),
    pets=each("dog rabbit"),
    things=("bike lock", "suitcase", "front door"),
    events=("dentist appointment", "job interview", "piano lesson", "car inspection", "swimming class"),
    favourites=each("band dish film city"),
    places=("clinic", "library", "town hall", "sports centre"),
    vouchers=each("spa cinema"),
    groceries=("milk", "eggs", "flour", "washing powder", "candles", "rice"),
    genders=(("woman", "female"), ("man", "male")),
)  # fmt: skip
HELD_OUT = Words(
    syllables=each("al bri cor dru el fre gla hu jas kel lo mar nu ost pri quin rol ste tre ur vel xan zet"),
    roles=(("brother", "he"), ("father", "he"), ("aunt", "she"), ("son", "he"), ("cousin", ""), ("manager", ""),
           ("piano teacher", ""), ("grandmother", "she")),
    further_roles=each("landlord assistant doctor coach"),
    jobs=each("carpenter chemist translator baker surveyor midwife glazier optician"),
    foods=each("walnuts eggs soy celery lupin"),
    sports=each("volleyball squash rugby cricket handball"),
    subjects=each("chemistry philosophy geology economics linguistics"),
    pets=each("cat parrot hamster"),
    things=("garage", "safe", "garden shed", "letter box", "laptop"),
    events=("eye test", "parents' evening", "dance rehearsal", "driving lesson", "tax meeting", "school concert",
            "book club meeting"),
    favourites=each("singer drink game book museum series"),
    places=("hospital", "museum cafe", "community centre", "school hall", "Old Mill"),
    vouchers=each("theatre hotel bakery"),
    groceries=("coffee", "onions", "dish soap", "light bulbs", "butter", "olive oil", "bin bags", "yoghurt"),
    genders=(("woman", "female"), ("man", "male")),
)  # fmt: skip
