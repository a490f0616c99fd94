# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The days of `./karma eval ask` hold what is easily got wrong, and its questions ask for it with the right truths."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest

from karma_eval.ask import measure
from karma_eval.ask.corners import CORNERS, NOWHERE
from karma_eval.ask.home import make_home
from karma_eval.ask.knowledge import FLOORS, NothingToAskError
from karma_eval.ask.living import days
from karma_eval.ask.questions import Filler
from karma_eval.ask.wordings import KINDS, Wording
from karma_eval.household.memory import opened

DAYS = 3
UPSTAIRS = 4
"""Number of the home with two floors."""


@pytest.fixture(scope="module", params=[2, UPSTAIRS])
def filler(request) -> Filler:
    rng = random.Random(request.param)
    with opened(embedder="lexical") as memory:
        *_, (living, now) = days(make_home(request.param, rng), memory, measure.BEGAN, DAYS, rng)
    return Filler(living, now, rng)


def asked(filler: Filler, name: str, text: str, tries: int = 60):
    """Return what comes of a case and a wording, all that differ."""
    found = {}
    for _ in range(tries):
        with suppress(NothingToAskError):
            one = getattr(filler, f"_{name}")(Wording(text))
            found[one.words] = one
    return found


def test_each_case_of_a_kind_is_there_to_be_asked(filler):
    assert {*CORNERS} < {*KINDS}
    assert all(callable(getattr(filler, f"_{name}")) for names, _ in CORNERS.values() for name in names)


def test_the_days_hold_slices_refusals_and_what_is_told_and_taken_away(filler):
    ledger, home = filler._ledger, filler._home
    assert ledger.cut()
    assert {"slice", "throw"} <= {deed.verb for deed in ledger.deeds}
    assert any(deed.refused for deed in ledger.deeds)
    assert len({deed.reason.split(":")[0] for deed in ledger.deeds if deed.reason}) >= 3
    assert any(heard.place for heard in ledger.heard)
    assert any(heard.owner for heard in ledger.heard)
    assert any(thing.movable and not thing.room for thing in home.things.values())


def test_what_is_no_more_at_a_place_was_there_once(filler):
    ledger = filler._ledger
    for one in asked(filler, "left", "is there a {object} on the {place}?").values():
        assert one.truth.yes is False
        kinds = [name for name in ledger.spells if filler.noun(name) == one.about]
        assert kinds
        assert not any(
            (spell := ledger.believed(name)) is not None and spell.place and filler.noun(spell.place) in one.signs
            for name in kinds
        )


def test_of_what_was_taken_away_only_doubt_is_right_unless_it_was_in_the_bin(filler):
    for one in asked(filler, "gone", "is there a {object}?").values():
        assert one.truth.admits or (one.truth.yes is False and one.truth.may_admit)


def test_slices_are_where_they_are_whatever_they_are_called(filler):
    found = asked(filler, "pieces", "where is the {object}?")
    assert any("sliced" in words for words in found)
    assert all(one.truth.spots and not one.truth.admits for one in found.values())
    whole = asked(filler, "whole", "do we have a {object}?")
    assert whole
    assert all(" whole " in words for words in whole)


def test_nobody_can_know_of_a_room_that_there_is_not(filler):
    found = asked(filler, "nowhere", "what is in the {place}?")
    assert all(one.truth.admits for one in found.values())
    assert any(place in words for words in found for place in NOWHERE)


def test_a_floor_is_asked_for_without_a_preposition_and_means_its_rooms(filler):
    two = len(filler._home.floors) == len(FLOORS)
    assert {*filler._floors} == ({*FLOORS} if two else set())
    one = filler._asking(Wording("how many {objects} are in the {place}?"), category="Mug", place="upstairs", number=1)
    assert one.words == "how many mugs are upstairs?"
    assert {*one.signs} == ({"bedroom", "bathroom", "guest room"} if two else {"upstairs"})
    with pytest.raises(NothingToAskError):
        filler._asking(Wording("what about the {place}?"), place="upstairs")


def test_what_was_told_is_known_to_who_told_it_alone(filler):
    for one in asked(filler, "moved_by_who_asks", "where is the {object}?").values():
        assert any(heard.user == one.user and heard.text == one.truth.told for heard in filler._ledger.heard)
    for one in asked(filler, "moved_by_others", "where is the {object}?").values():
        (text,) = one.truth.never
        assert all(heard.user != one.user for heard in filler._ledger.heard if heard.text == text)
