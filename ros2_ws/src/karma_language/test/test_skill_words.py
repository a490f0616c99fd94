# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What an action is by its name: its skill, and how things are after it."""

import pytest

from karma_language.vocabulary.skill_words import GIVEN, HELD, PUT, THERE, deed_called, in_words, is_person, relation_of


@pytest.mark.parametrize(
    ("actions", "skill", "after"),
    [
        ("PickupObject|pick up|take|took|grab|grasp|lift|fetch", "PickupObject", HELD),
        ("PutObject|put|put down|drop|set|set down|lay", "PutObject", PUT),
        ("give|hand|pass", "PutObject", GIVEN),
        ("SwitchOn|switch on|turn on|start", "SwitchOn", "on"),
        ("ToggleOff", "ToggleOff", "off"),
        ("turn off|switched off|stop", "SwitchOff", "off"),
        ("open|opened", "OpenObject", "open"),
        ("close|shut", "CloseObject", "closed"),
        ("slice|cut|cut up|chop", "SliceObject", "sliced"),
        ("break|smash", "BreakObject", "broken"),
        ("go to|drive to", "Navigate", THERE),
    ],
)
def test_an_action_is_a_skill_and_changes_things(actions, skill, after):
    for action in actions.split("|"):
        deed = deed_called(action, False)
        assert (deed.skill, deed.after) == (skill, after), action


@pytest.mark.parametrize(
    ("action", "state"),
    [
        ("clean", "clean"),
        ("wash", "clean"),
        ("fill", "full"),
        ("empty", "empty"),
        ("heat", "hot"),
        ("microwave", "hot"),
        ("cool", "cold"),
        ("cook", "cooked"),
    ],
)
def test_what_no_skill_is_called_keeps_its_name_and_changes_a_state(action, state):
    assert deed_called(action, False) == (action, state, "")


@pytest.mark.parametrize("action", ["PolishObject", "polish", "use", "turn", "point at", "vacuum", "do", "Größe", " "])
def test_an_unknown_action_changes_nothing(action):
    assert deed_called(action, True) == (action, "", "")


def test_what_is_taken_to_a_place_is_there_and_what_is_taken_from_it_is_held():
    assert deed_called("take", True).after == PUT
    assert deed_called("take from", True).after == HELD
    assert deed_called("pick up", True).after == HELD


@pytest.mark.parametrize(
    ("action", "relation"), [("put in", "in"), ("put down into", "in"), ("put on", "on"), ("put on top of", "on")]
)
def test_an_action_says_how_things_are_put(action, relation):
    assert deed_called(action, True) == ("PutObject", PUT, relation)


def test_hollow_things_are_known_by_the_last_word():
    for place in ("dishwasher", "washing machine", "toy box", "basket", "jar", "SinkBasin", "fridge", "kitchen"):
        assert relation_of(place) == "in", place
    for place in ("shelf", "kitchen table", "box lid", "work bench", ""):
        assert relation_of(place) == "on", place


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (("put", "mug", "sink"), "put the mug in the sink"),
        (("put on", "mug", "fridge"), "put the mug on the fridge"),
        (("turn on", "lamp", ""), "turn on the lamp"),
        (("go to", "", "kitchen"), "go to the kitchen"),
        (("hand", "mug", "Ann", True), "hand the mug to Ann"),
    ],
)
def test_an_action_is_said_as_an_instruction(said, words):
    assert in_words(*said) == words


def test_words_for_people_are_known():
    assert all(map(is_person, ("my mother", "me", "everybody")))
    assert not any(map(is_person, ("shelf", "")))
