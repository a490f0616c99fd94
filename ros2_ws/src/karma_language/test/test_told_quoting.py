# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which words of a person answer a question, and which part of them."""

import pytest

from karma_language.told.quoting import excerpt, follows, likeness, may_answer, nearness, owner, sense, whether
from karma_language.vocabulary.tokens import tokens_of

PILL = "My pill is in the drawer, I take one at six"


@pytest.mark.parametrize(
    ("question", "text", "part"),
    [
        ("Which one do I drink from?", "I only drink from the mug, the cup is for guests", "I only drink from the mug"),
        ("Which team is Lea's?", "I root for Leeds, Lea for Arsenal", "Lea for Arsenal"),
        ("When do I take my pill?", PILL, PILL),
        ("What doesn't Tom eat?", "Tom is vegetarian, no meat for him", "Tom is vegetarian, no meat for him"),
        ("When do I swim?", "On Mondays and Thursdays I swim", "On Mondays and Thursdays I swim"),
        ("Who may use it?", "Everyone but Tom may use it", "Everyone but Tom may use it"),
        ("Where will I be?", "If it rains, I will be at home", "If it rains, I will be at home"),
        ("What should be on?", "I want the lamp on and the tv off", "I want the lamp on and the tv off"),
        ("Why can't I bend?", "My knees are bad, I cannot bend", "My knees are bad, I cannot bend"),
    ],
)  # fmt: skip
def test_only_the_clauses_that_are_asked_about_are_quoted(question, text, part):
    assert excerpt(question, text) == part


@pytest.mark.parametrize(
    ("text", "whose"),
    [
        ("The blue mug is mine.", "Yours"),
        ("those are my keys on the armchair, not Bob's", "Yours"),
        ("the one on the desk belongs to Sam", "Sam's"),
        ("the watch was my grandfather's", "Your grandfather's"),
        ("[the bed] And that's my phone lying on it", "Yours"),
        ("Careful, it belonged to my mother", "Your mother's"),
        ("The mug is blue", ""),
    ],
)
def test_an_owner_is_named_to_who_told_it(text, whose):
    assert owner("whose is it?", text) == whose
    assert owner("where is it?", text) == ""


def test_an_owner_is_looked_for_in_the_clause_that_is_asked_about():
    text = "the grey jacket is Leon's and the black one is mine"
    assert owner("whose is the grey jacket?", text) == "Leon's"
    assert owner("whose is the black jacket?", text) == "Yours"


def test_dislikes_are_told_from_likes():
    asked = sense("what don't I like?")
    likes, dislikes = (likeness(asked, text, 0.24) for text in ("I like tea", "I can't stand coriander"))
    assert (likes, dislikes > 0.0) == (0.0, True)


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        ("do I have training on thursday?", "I have training mondays and thursdays at five", "Yes"),
        ("do I have training on friday?", "I have training mondays and thursdays at five", ""),
        ("does Lea drink coffee?", "Lea never drinks coffee, she only takes cocoa", "No"),
        ("does Max like horror films?", "Max can't stand horror films", "No"),
        ("may Hanna have strawberries?", "Hanna is allergic to strawberries", ""),
        ("did Anna call?", "Remind me to call Anna tomorrow", ""),
        ("does Bob have a new car?", "Bob wants to buy a new car", ""),
        ("does Anna have her keys?", "Anna lost her keys", ""),
        ("did Bob lock the door?", "Bob forgot to lock the door", ""),
        ("do we have a dog?", "I wish we had a dog", ""),
        ("do we have a dog?", "We have two cats and a dog", "Yes"),
        ("is Bob vegetarian?", "Bob is vegetarian, so no meat for him", "Yes"),
        ("does Anna want a dog?", "Anna wants a dog", "Yes"),
        ("is Tom ill?", "Tom is not coming because he is ill", ""),
        ("is the blue mug Tom's?", "The blue mug is mine, the white one is Tom's", ""),
    ],
)
def test_yes_and_no_are_said_where_one_clause_has_all_that_is_asked(question, text, answer):
    assert whether(question, text, 0.8) == answer


@pytest.mark.parametrize(
    ("question", "text", "goes_on"),
    [
        ("and when does she come?", "My aunt Olga visits us in June.", True),
        ("where is he from?", "My boss Ravi is from Pune.", True),
        ("where does he work?", "My cousin is allergic to cats.", False),
        ("how old is she?", "My aunt Olga plays chess.", False),
        ("what time is it?", "My aunt Olga comes at five.", False),
        ("what is his name?", "My boss Ravi is from Pune.", True),
    ],
)
def test_a_question_goes_on_about_what_was_just_told_only_where_that_can_answer_it(question, text, goes_on):
    assert follows(question, text) is goes_on


@pytest.mark.parametrize(
    ("question", "text", "may"),
    [
        ("How old is Ravi?", "Ravi is allergic to cats.", False),
        ("When does Ravi come?", "Ravi comes on the sixteenth.", True),
        ("When does Ravi come?", "Ravi comes with his dog.", False),
        ("Where is Ravi?", "Ravi is allergic to cats.", False),
        ("Where is Ravi?", "Ravi is at his mother's.", True),
        ("Why does Olga come?", "Olga comes at nine.", False),
        ("Why does Olga come?", "Olga comes because of the drain.", True),
        ("What does Ravi drink?", "Olga told me that Ravi plays chess.", False),
        ("What does Ravi play?", "Ravi plays chess.", True),
        ("Whose is the umbrella?", "that umbrella belongs to ravi", True),
    ],
)
def test_words_answer_a_question_that_have_what_it_asks_for(question, text, may):
    assert may_answer(question, text, 0.5) is may


def test_a_title_ends_no_sentence():
    text = "Dad's cleaner, Mrs. Yilmaz, has got a key. We like her a lot."
    assert "Mrs. Yilmaz, has got a key" in excerpt("Which cleaner has got a key?", text)
    assert [token.word for token in tokens_of("ask Dr. No, on Elm St. please")][1:3] == ["dr", "no"]


def test_what_somebody_says_of_themselves_is_not_of_whom_a_question_names():
    assert not may_answer("What is Eva afraid of?", "I'm afraid of spiders", 0.7)
    assert may_answer("What is Eva afraid of?", "Eva's afraid of spiders, like me", 0.7)
    assert may_answer("What is Eva afraid of?", "My sister? She's afraid of spiders", 0.7)
    assert may_answer("What am I afraid of?", "I'm afraid of spiders", 0.7)


def test_words_are_the_nearer_the_more_they_share_with_a_question():
    question = "When is the piano tuned?"
    assert nearness(question, "The piano is tuned in spring", 0.3) > nearness(question, "I play in spring", 0.3)
    assert nearness("What is Eva afraid of?", "I'm afraid of spiders", 0.7) == 0.0


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("Anna is allergic to peanuts", False),
        ("My sister is allergic to peanuts", False),
        ("I'm allergic to nuts", True),
        ("Nuts give me a rash", True),
    ],
)
def test_what_is_told_of_others_is_not_of_who_asks(text, may):
    assert may_answer("What am I allergic to?", text, 0.7) is may


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Where do I meet Tom?", "Tom is waiting at the station"),
        ("What should I cook for Anna?", "Anna likes pasta"),
        ("When do I have to pick up my brother?", "My brother needs to be picked up at five"),
    ],
)
def test_what_is_told_of_whom_a_question_names_may_answer_it(question, text):
    assert may_answer(question, text, 0.7)
