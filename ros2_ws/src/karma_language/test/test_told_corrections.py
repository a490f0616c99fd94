# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What people correct, and take back, of what they told."""

import pytest

from karma_language.told.corrections import corrected, withdrawn, withdraws

TRAINING = "I have training mondays and thursdays at five."
PILLS = "My pills are in the drawer, I take one at seven in the evening."


@pytest.mark.parametrize(
    ("before", "said", "now"),
    [
        ("The bins go out on Tuesdays.", "Actually the bins go out on Thursdays now", "The bins go out on Thursdays."),
        (TRAINING, "training moved: tuesdays instead of mondays", "I have training tuesdays and thursdays at five."),
        ("Bob was born on the 3rd of May", "I got that wrong, it's the 5th", "Bob was born on the 5th of May"),
        ("Every Tuesday the cleaner comes", "Not on Tuesday, on Wednesday.", "Every Wednesday the cleaner comes"),
        ("I put them in the drawer of the desk.", "Now they are in the kitchen.", "I put them in the kitchen."),
        ("It is in the bowl by the door", "no, it's on the shelf in the hall", "It is on the shelf in the hall"),
        ("My exam is on the 14th", "update, the exam's on the 15th now, the uni wrote", "My exam is on the 15th"),
        ("remind me at seven to call", "make that half past seven, sorry", "remind me at half past seven to call"),
        (PILLS, "No, I told you wrong, eight o'clock", "My pills are in the drawer, I take one at eight o'clock."),
        ("Ann comes on Friday", "Not Friday any more, it's Wednesday now", "Ann comes on Wednesday"),
        ("Max lives in Porto", "He lives in Lisbon, no longer in Porto", "Max lives in Lisbon"),
        ("The key is under the mat", "sorry, it's not under the mat but behind the bin", "The key is behind the bin"),
        ("The lesson is at four", "the lesson moved from four to half past five", "The lesson is at half past five"),
        ("My lucky number is 17", "sorry, I meant 71", "My lucky number is 71"),
        ("I see the dentist tomorrow at four.", "Move it to five.", "I see the dentist tomorrow at five."),
        ("The plumber comes on Friday.", "push it to Monday", "The plumber comes on Monday."),
        ("I am going to the gym on Monday.", "I'm not going after all", "I am not going to the gym on Monday."),
        ("The choir meets on Mondays.", "no, wrong, Friday. They moved it to Friday", "The choir meets on Friday."),
    ],
)  # fmt: skip
def test_a_correction_changes_the_value_in_its_sentence(before, said, now):
    assert corrected(["My locker is in the hall", before], said) == (1, now)


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("The bins are collected on Tuesdays", "it is raining on Thursday now"),
        ("The bins are collected on Tuesdays", "are they collected on Thursdays now?"),
        ("The apple is on the bed", "I'm in the kitchen now"),
        ("Tom drinks tea at five", "Tom comes home at eight now"),
        ("My passport is in the desk drawer", "something's wrong with the lamp in the hall"),
        ("Dinner is at seven", "Breakfast is at eight now"),
        ("My lucky number is 17", "It's 20 degrees now"),
        ("Not on my desk, I work there", "I sneeze from cats, so if they adopt one of them, not on my desk"),
    ],
)
def test_what_is_about_something_else_corrects_nothing(before, said):
    assert corrected([before], said) is None


@pytest.mark.parametrize(
    ("said", "gone"),
    [
        ("Forget the thing about half past six, I'm staying in bed.", 1),
        ("forget what I said about the bins", 0),
        ("Forget that.", 1),
        ("Cancel the one about the bins, please", 0),
        ("delete the reminder about the bins", 0),
        ("Forget that rule.", None),
        ("remove the one about the bins", None),
        ("never mind", None),
        ("I always forget the bins", None),
    ],
)
def test_what_is_taken_back_is_found_by_what_it_is_about(said, gone):
    assert withdrawn(["The bins go out on Tuesdays", "I should like to be woken at half past six"], said) == gone


@pytest.mark.parametrize(
    ("said", "about"),
    [
        ("actually please forget the safe code, better nobody knows it", "the safe code"),
        ("forget it", ""),
        ("drop the mug in the sink", ""),
        ("I always forget my keys", ""),
    ],
)
def test_what_is_to_be_forgotten_is_named(said, about):
    assert withdraws(said) == about
