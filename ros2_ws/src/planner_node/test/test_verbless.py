# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Requests without a verb, and remarks beside a request that restrict nothing."""

from __future__ import annotations

import pytest

from karma_language.vocabulary import household
from planner_node.understand.goals import ObjectRef, Understood
from planner_node.understand.offline import OfflineUnderstanding

_UNDERSTANDING = OfflineUnderstanding(household())
_MUG = (ObjectRef(("Mug",), "mug", entity=1, id="Mug1"),)


@pytest.mark.parametrize(
    ("text", "goals"),
    [
        ("Blinds open!", "open(blinds)"),
        ("into the bathtub with it", "place(mug, bathtub, in)"),
        ("tv off please, nobody's watching", "switch_off(tv)"),
        ("movie time! TV on, floor lamp off", "switch_on(tv); switch_off(floor lamp)"),
        ("cup back on the table please, can't reach it", "place(cup, table, on)"),
        ("turn the tap on please my hands are full of dough", "switch_on(tap)"),
        ("put it in a drawer so nobody takes it", "place(mug, drawer, in)"),
        ("the mirror's all smudged, give it a wipe", "clean(mirror)"),
        ("switch the machine off now", "switch_off(machine)"),
    ],
)
def test_it_is_read(text: str, goals: str) -> None:
    found = _UNDERSTANDING.understand(text, _MUG)
    assert isinstance(found, Understood), found
    assert "; ".join(map(str, found.goals)) == goals


def test_words_behind_a_particle_are_not_dropped() -> None:
    assert not isinstance(_UNDERSTANDING.understand("laundry basket up the stairs with it", _MUG), Understood)
