# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Questions about how it was, who made it so and what came of things are answered from the same evidence."""

from __future__ import annotations

import pytest
from test_ask import MORNING, NOON, ask, seen, thing
from test_ask import memory as memory

from karma_language.reading import Kind, Question
from karma_language.things import Thing
from karma_memory import Code, Event, EventKind
from karma_memory.events import SkillCall, SkillOutcome, SkillTarget


def instructed(name, words, steps, *, start, user="ann", code=Code.SUCCESS, ends=True):
    """Return the events of an instruction; `steps`: (skill, id, category, place, code)."""
    begun = Event(f"{name}-0", EventKind.EPISODE_START, start, scene="home", user=user, episode=name, text=words)
    done = [
        Event(
            f"{name}-{at}",
            EventKind.SKILL_OUTCOME,
            start + at,
            scene="home",
            episode=name,
            outcome=SkillOutcome(SkillCall(skill, SkillTarget(of, category), SkillTarget(place)), outcome),
        )
        for at, (skill, of, category, place, outcome) in enumerate(steps, 1)
    ]
    end = Event(f"{name}-end", EventKind.EPISODE_END, start + 60.0, scene="home", episode=name, code=code)
    return [begun, *done, *([end] if ends else [])]


OK, FAILED = Code.SUCCESS, Code.NOT_FOUND


def test_where_a_thing_was_before_somebody_moved_it(memory):
    assert ask(memory, "Where was the mug?")[0].startswith("The mug was on the dining table, in the kitchen")
    memory.remember([seen(NOON - 600.0, thing("mug", "Mug", "sofa", seen=NOON - 600.0))])
    text = ask(memory, "Where was the mug before?")[0]
    assert text.startswith("The mug was on the dining table, in the kitchen; now it is on the sofa, in the kitchen")
    assert ask(memory, "Was the mug ever on the table?")[0].startswith("Yes, the mug was on the dining table")
    assert not ask(memory, "Was the mug on the bedroom table?")[0].startswith("Yes")
    assert ask(memory, "Was the mug on the lamp before?")[0].startswith(
        "No, not that I know of: I have seen no mug on the lamp"
    )
    assert ask(memory, "Where was the mug on Christmas?")[0] == "I don't know: I remember nothing of the mug then."


def test_where_the_robot_took_a_thing_from_is_where_it_found_it_and_not_where_it_was_seen_before(memory):
    found = seen(NOON - 590.0, thing("mug", "Mug", "sofa", seen=NOON - 590.0))
    begun, *rest = instructed("fetch", "bring me the mug", [("PickupObject", "mug", "Mug", "", OK)], start=NOON - 600.0)
    memory.remember([begun, found, *rest])
    for question in ("Where was the mug when you picked up the mug?", "Which room did the mug come from?"):
        assert ask(memory, question)[0].startswith("The mug was on the sofa")
    for question in (
        "Was the mug on the sofa, then?",
        "So there was a mug on the sofa?",
        "Did you find it on the sofa?",
    ):
        assert ask(memory, question.replace("find it", "find the mug"))[0].startswith("Yes")
    assert ask(memory, "Was the mug on the dining table when you got the mug?")[0].startswith("No")


def test_what_was_moved_behind_its_back_was_where_it_found_it_though_it_put_it_elsewhere_just_before(memory):
    put = instructed("put", "put the mug on the table", [("PutObject", "mug", "Mug", "table", OK)], start=NOON - 900.0)
    fetch, *rest = instructed("fetch", "find the mug", [("PickupObject", "mug", "Mug", "", OK)], start=NOON - 840.0)
    there = [thing("mug", "Mug", "table", seen=NOON - 840.0)], [thing("mug", "Mug", "sofa", seen=NOON - 820.0)]
    held = thing("mug", "Mug", "", seen=NOON - 860.0, relation="held")
    memory.remember(
        [*put, seen(NOON - 860.0, held), seen(NOON - 840.0, *there[0]), fetch, seen(NOON - 820.0, *there[1]), *rest]
    )
    assert ask(memory, "Where was the mug hiding?")[0].startswith("The mug was on the sofa")


def test_what_was_at_a_place_before_the_last_change(memory):
    same = "An apple and a suitcase were on the sofa"
    assert ask(memory, "What was on the sofa before?")[0].startswith(same)
    memory.remember([seen(NOON - 600.0, thing("mug", "Mug", "sofa", seen=NOON - 600.0))])
    assert ask(memory, "What was on the sofa before?")[0].startswith(same)
    assert ask(memory, "What is on the sofa?")[0].startswith("An apple, a mug and a suitcase are on the sofa")


def test_the_room_of_a_place_that_was_told_is_said(memory):
    memory.remember(
        [Event("told", EventKind.TOLD, NOON - 60.0, user="ann", scene="home", text="I put my keys on the sofa.")]
    )
    assert ask(memory, "Which room are my keys in?", "ann")[0].endswith(
        "“I put my keys on the sofa.” (in the kitchen)."
    )


def test_what_was_told_of_somebodys_things_is_found_and_does_not_say_where_they_are(memory):
    for number, text in enumerate(("My mother's birthday is on 3 May.", "Tom's red box is on the sofa.")):
        memory.remember([Event(f"told{number}", EventKind.TOLD, NOON - 60.0, user="ann", scene="home", text=text)])
    assert "3 May" in ask(memory, "What did I tell you about my mother?", "ann")[0]
    assert ask(memory, "Where is Tom?", "ann")[0].startswith("I don't know")


def test_a_clause_about_what_it_did_says_when(memory):
    done = [
        ("bring me the apple", ("PickupObject", "apple", "Apple", "", OK)),
        ("open the fridge", ("OpenObject", "fridge", "Fridge", "", OK)),
        ("put the mug on the sofa", ("PutObject", "mug", "Mug", "sofa", OK)),
    ]
    for number, (words, step) in enumerate(done):
        begun = NOON - 3600.0 + 600.0 * number
        memory.remember(instructed(f"i{number}", words, [step], start=begun))
    before, after = (
        ask(memory, f"What did you do {word} you opened the fridge?", "ann")[0] for word in ("before", "after")
    )
    assert ("apple" in before, "mug" in before) == (True, False)
    assert ("apple" in after, "mug" in after) == (False, True)
    assert ask(memory, "What did you do after you sliced the bread?", "ann")[0] == "Nothing that I remember."
    assert ask(memory, "What did you do in the year 2090?", "ann")[0] == "I don't know: that time has not come yet."
    assert "“open the fridge”" in ask(memory, "When did you last open the fridge?", "ann")[0]


def test_how_often_it_went_somewhere(memory):
    to_kitchen = [("Navigate", "", "Kitchen", "", OK)]
    memory.remember(instructed("go", "go to the kitchen", to_kitchen, start=NOON - 3600.0))
    assert ask(memory, "How many times did you go to the kitchen?", "ann")[0].startswith("Once. Last")
    assert ask(memory, "When did you go to the kitchen?", "ann")[0].endswith("“go to the kitchen”.")


def test_what_nothing_shows_of_a_thing_is_said(memory):
    assert ask(memory, "Where is the second apple?")[0].endswith("I can't tell which of them is second.")
    assert ask(memory, "How many big apples are there?")[0].startswith("I know of two apples:")


def test_who_made_a_thing_so_is_known_of_the_robot_alone(memory):
    assert ask(memory, "Who turned on the lamp?")[0].endswith("as long as I have known the floor lamp, it has been on.")
    assert ask(memory, "Why is the fridge open?")[0].startswith("The fridge is closed")
    memory.remember([seen(NOON - 600.0, thing("lamp", "FloorLamp", "", "", movable=False, isToggled="false"))])
    assert ask(memory, "Why is the lamp off?")[0] == "I don't know why: somebody did, and I saw it 10 minutes ago."
    turned = [("SwitchOn", "lamp", "FloorLamp", "", OK)]
    memory.remember(instructed("on", "Turn on the lamp.", turned, start=NOON - 300.0))
    memory.remember([seen(NOON - 290.0, thing("lamp", "FloorLamp", "", "", movable=False, isToggled="true"))])
    assert ask(memory, "Why is the lamp on?", "ann")[0] == "Because you asked me: “Turn on the lamp.”"
    assert ask(memory, "Who turned on the lamp?", "bob")[0] == "I did, 4 minutes ago, because ann asked me."


def test_a_part_of_what_failed_was_done_all_the_same(memory):
    steps = [("PickupObject", "apple", "Apple", "", OK), ("PutObject", "apple", "Apple", "safe", FAILED)]
    memory.remember(instructed("try", "Put the apple in the safe.", steps, start=NOON - 300.0, code=FAILED))
    assert "I picked up the apple" in ask(memory, "When did you move the apple?", "ann")[0]
    assert ask(memory, "Did you bring me the apple?", "ann")[0].startswith("No, I tried, and failed")


def test_what_was_put_somewhere_was_not_thrown(memory):
    steps = [("PickupObject", "apple", "Apple", "", OK), ("PutObject", "apple", "Apple", "safe", OK)]
    memory.remember(instructed("put", "Put the apple in the safe.", steps, start=NOON - 300.0))
    assert ask(memory, "Did you throw the apple at anyone?", "ann")[0].startswith("No, not that I remember.")
    assert ask(memory, "Did you move the apple?", "ann")[0].startswith("Yes, 4 minutes ago")


def test_slices_are_what_has_become_of_it(memory):
    loaf = thing("bread", "Bread", "table", isSliced="false")
    memory.remember([seen(MORNING + 1.0, loaf)])
    assert ask(memory, "Is the bread sliced?")[0].startswith("No, the bread is not sliced")
    slices = [thing(f"slice {at}", "BreadSliced", "table", seen=NOON) for at in range(3)]
    memory.remember(
        [Event("gone", EventKind.OBSERVATION, NOON - 5.0, scene="home", nodes=tuple(slices), removed=("bread",))]
    )
    assert ask(memory, "Is the bread sliced?")[0] == "Yes, all 3 are sliced."
    assert ask(memory, "Where is the bread?")[0] == "Three bread slices are on the dining table, in the kitchen."
    assert ask(memory, "How many slices of bread are there?")[0].startswith("I know of three slices of bread")


def test_a_full_cup_has_something_in_it(memory):
    memory.remember([seen(NOON, thing("cup", "Cup", "table", seen=NOON, isFilledWithLiquid="true"))])
    assert ask(memory, "What is in the cup?")[0] == "The cup is full, I can't tell of what."


def test_the_first_of_what_was_asked_and_what_the_robot_does_for_others(memory):
    memory.remember(instructed("one", "Find the mug.", [("GoToObject", "mug", "Mug", "", OK)], start=NOON - 900.0))
    memory.remember(
        instructed("two", "Find the apple.", [("GoToObject", "apple", "Apple", "", OK)], start=NOON - 600.0)
    )
    assert "Find the mug" in ask(memory, "What was the first thing I asked you?", "ann")[0]
    assert "Find the apple" in ask(memory, "What was the last thing I asked you?", "ann")[0]
    assert ask(memory, "What are you doing?", "ann")[0].startswith("Nothing at the moment")
    running = [("PickupObject", "mug", "Mug", "", OK)]
    memory.remember(instructed("now", "Bring the mug.", running, start=NOON - 10.0, user="bob", ends=False))
    text = ask(memory, "What are you doing?", "ann")[0]
    assert "picked up the mug" in text
    assert "Bring the mug" not in text


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What time is it?", "It is 12:00 on Wednesday, 6 May."),
        ("Hello!", "Hello! What can I do for you?"),
        ("Is everything off?", "No, the floor lamp is on; I saw it at 8:00, 4 hours ago."),
        ("What is the mug next to?", "Two apples are near the mug; I saw it at 8:00, 4 hours ago."),
        ("My wife says the mug is dirty. Is it?", "Yes, the mug is dirty; I saw it at 8:00, 4 hours ago."),
        ("The mug is dirty, isn't it?", "Yes, the mug is dirty; I saw it at 8:00, 4 hours ago."),
    ],
)
def test_small_questions_have_their_answers(memory, question, answer):
    assert ask(memory, question)[0] == answer


def test_what_was_told_stands_beside_what_was_never_seen(memory):
    memory.remember([Event("told", EventKind.TOLD, NOON - 50.0, user="ann", text="We ran out of milk.")])
    text = ask(memory, "Do we have milk?", "ann")[0]
    assert text.startswith("No, not that I know of")
    assert "We ran out of milk" in text
    assert "ran out" not in ask(memory, "Do we have milk?", "bob")[0]


def test_where_a_thing_usually_is_and_where_it_is_now(memory):
    assert ask(memory, "Where is the mug usually?")[0].startswith(
        "The mug is mostly on the dining table, in the kitchen"
    )
    memory.remember([seen(NOON - 600.0, thing("mug", "Mug", "sofa", seen=NOON - 600.0))])
    text = ask(memory, "Where do you normally find the mug?")[0]
    assert text.startswith(
        "The mug is mostly on the dining table, in the kitchen, but now on the sofa, in the kitchen; I saw it"
    )


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Have you been in the garage?", "I don't know: I have not looked into the garage."),
        ("How do I get to the garage?", "I don't know: I have seen nothing called garage."),
        ("How do I get to the fridge?", "I am in the kitchen now."),
        ("What changed in the garage?", "I don't know: I know of no garage here."),
        ("Is there an apple in the laundry room?", "I don't know: I know of no laundry room here."),
        ("Where was the mug in 1999?", "I don't know: I remember nothing of the mug then."),
        ("Where was the mug in March 2020?", "I don't know: I remember nothing of the mug then."),
        ("Where will the mug be tonight?", "I don't know: that time has not come yet."),
    ],
)
def test_unknown_places_and_times_are_not_confirmed(memory, question, answer):
    outcome = SkillOutcome(SkillCall("Explore"), Code.SUCCESS, stamp=NOON - 60.0, position=(0.0, 1.0, 0.0))
    memory.remember([Event("tour", EventKind.SKILL_OUTCOME, NOON - 60.0, scene="home", outcome=outcome)])
    assert ask(memory, question)[0] == answer


def test_what_changed_on_a_thing_is_what_was_or_is_there(memory):
    moved = (thing("mug", "Mug", "sofa", seen=NOON - 600.0), thing("apple", "Apple", "fridge", seen=NOON - 600.0))
    memory.remember([seen(NOON - 600.0, *moved)])
    text = ask(memory, "What changed on the sofa?")[0]
    assert "mug" in text
    assert "apple" not in text


def test_a_bowl_with_something_in_it_is_not_empty(memory):
    bowl = thing("bowl", "Bowl", "table", seen=NOON, isFilledWithLiquid="false")
    memory.remember([seen(NOON, bowl, thing("egg", "Egg", "bowl", "in", seen=NOON))])
    assert ask(memory, "Is the bowl empty?")[0] == "No, the bowl is full."


def test_a_stove_that_was_switched_on_with_its_knob_was_switched_on_by_who_turned_that(memory):
    stove = thing("stove", "StoveBurner", "", "", movable=False, isToggled="false")
    memory.remember([seen(MORNING, stove, name="stove")])
    turned = [("SwitchOn", "knob", "StoveKnob", "", OK)]
    memory.remember(instructed("on", "Turn on the stove.", turned, start=NOON - 300.0))
    memory.remember([seen(NOON - 290.0, thing("stove", "StoveBurner", "", "", movable=False, isToggled="true"))])
    assert ask(memory, "Who turned the stove on?", "ann")[0].startswith("I did, 4 minutes ago")


def test_another_persons_thing_is_not_where_the_speakers_own_is(memory):
    told = Event("told", EventKind.TOLD, NOON - 50.0, user="ann", text="I always keep my glasses on the side table.")
    memory.remember([told])
    assert "side table" in ask(memory, "Where are my glasses?", "ann")[0]
    assert "side table" not in ask(memory, "Where are Bob's glasses?", "ann")[0]


def test_who_moved_a_thing_is_told_by_who_says_so(memory):
    memory.remember([Event("told", EventKind.TOLD, NOON - 50.0, user="ann", text="I moved the mug to the sofa.")])
    assert ask(memory, "Who moved the mug?", "ann")[0] == "You told me just now: “I moved the mug to the sofa.”"
    assert ask(memory, "Who moved the mug?", "bob")[0].startswith("Nobody, as far as I know")


def test_what_was_told_in_a_time_is_what_was_told_then(memory):
    for name, stamp, text in (("old", NOON - 72.0 * 3600.0, "We need tea."), ("new", NOON - 3600.0, "We need salt.")):
        memory.remember([Event(name, EventKind.TOLD, stamp, user="ann", text=text)])
    said = ask(memory, "What did I tell you today?", "ann")[0]
    assert "salt" in said
    assert "tea" not in said


def test_what_was_told_otherwise_since_is_what_is_quoted(memory):
    for at, text in enumerate(("We need milk.", "We do not need milk any more.")):
        memory.remember([Event(f"told-{at}", EventKind.TOLD, NOON - 50.0 + at, user="ann", text=text)])
    assert "any more" in ask(memory, "What do we need to buy?", "ann")[0]


def test_words_are_quoted_without_what_a_pronoun_in_them_means(memory):
    memory.remember(
        [Event("told", EventKind.TOLD, NOON - 50.0, user="ann", text="[my passport] I moved it to the box")]
    )
    assert "“I moved it to the box”" in ask(memory, "Where is my passport?", "ann")[0]


def test_which_one_is_meant_may_be_known(memory):
    memory.remember([seen(NOON - 60.0, thing("other", "Mug", "sofa", seen=NOON - 60.0))])
    question = Question(quote="Where is it?", kind=Kind.WHERE, thing=Thing(text="mug", categories=("Mug",), id="mug"))
    said = memory.ask("Where is it?", question=question, scene="home", now=NOON).text
    assert "dining table" in said
    assert "sofa" not in said
