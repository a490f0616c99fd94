# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is forbidden at home: for whom, in which words it is passed on, and what takes it back."""

from __future__ import annotations

from datetime import datetime

import pytest

from karma_language.requests.prohibitions import for_all, lifted, permits, prohibitions, stands
from karma_language.requests.requests import household_grammar
from karma_language.zone import local_zone


@pytest.mark.parametrize(
    ("told", "never"),
    [
        ("Nobody uses the good plates because they were grandma's.", "use the good plates"),
        ("Never put anything on the stool, it wobbles.", "put anything on the stool"),
        ("The vase stays where it is.", "touch the vase"),
        ("No cups on the stool, please.", "put cups on the stool"),
        ("Nothing in the bathroom please", "put anything in the bathroom"),
        ("New house rule: no mugs in the bedroom.", "put mugs in the bedroom"),
        ("New rule for everyone: no food in the bedroom.", "put food in the bedroom"),
        ("The wine never goes in the fridge.", "put the wine in the fridge"),
        ("My laptop must not be moved.", "move the laptop"),
        ("[the lamp] nobody may take it", "take the lamp"),
        ("House rule: the bread is mine and nobody slices it.", "slice the bread"),
        ("Don't take the bottle out of the fridge.", "take the bottle at the fridge"),
        ("Nothing is ever to be left on the stove.", "put anything on the stove"),
        ("The window stays shut, whoever asks.", "open the window"),
        ("Stay out of the bedroom.", "go in the bedroom"),
        ("You can't go into the guest room.", "go in the guest room"),
        ("Always ask me before you turn on the TV.", "turn on the tv"),
        ("My papers are on the desk, so don't touch anything on it.", "touch anything on the desk"),
    ],
)
def test_a_prohibition_is_passed_on_as_what_is_not_to_be_done_and_nothing_else(told: str, never: str) -> None:
    assert [one.value for one in for_all(told, 0.0)] == [(never,)]


def test_what_is_forbidden_for_today_ends_with_the_day() -> None:
    noon = datetime(2026, 5, 4, 12, tzinfo=local_zone()).timestamp()
    [tonight] = for_all("The television stays off tonight.", noon)
    assert tonight.value == ("switch on the television",)
    assert tonight.until is not None
    assert tonight.until.until == noon + 12 * 3600.0
    for told in (
        "The television stays off, whatever Tim says.",
        "Never touch the vase. We have guests today.",
        "Never touch the vase, and don't switch on the television today.",
        "From today on, nobody touches the laptop.",
        "Don't touch my cup, I bought it today.",
        "Don't touch my cup because I bought it today.",
        "Don't switch on the television until tonight.",
    ):
        assert {one.until for one in for_all(told, noon)} == {None}


@pytest.mark.parametrize(
    "told",
    [
        "The cup stays off the piano.",
        "My phone stays off the charger.",
        "The lamp stays off when I press the switch.",
        "The lamp stays off.",
        "The lamp stays off, can you look at it?",
        "The lamp stays off all the time, turn it on.",
    ],
)
def test_what_stays_somewhere_or_will_not_work_is_no_rule(told: str) -> None:
    assert for_all(told, 0.0) == ()


@pytest.mark.parametrize(
    ("told", "never"),
    [
        ("Never open my drawer with the love letters from Carl.", "open the drawer"),
        ("Never touch the vase that Carl gave me.", "touch the vase"),
        ("Never touch the Carl mug.", "touch the mug"),
        ("Never touch Maria's insulin pens.", "touch the pens"),
        ("Never put the cups on Carl's stool.", "put the cups on the stool"),
        ("Don't ever open the fridge in the bedroom.", "open the fridge in the bedroom"),
        ("Never take the mug to Carl.", ""),
    ],
)
def test_names_and_circumstances_are_the_speakers_own(told: str, never: str) -> None:
    assert [one.value for one in for_all(told, 0.0)] == ([(never,)] if never else [])


@pytest.mark.parametrize(
    "told",
    [
        "Don't bring me bread, I can't eat it.",
        "Don't give me nuts.",
        "Nobody likes the vase.",
        "I haven't moved the lamp.",
        "The phone is a present, but don't tell her.",
        "The toaster does not work.",
    ],
)
def test_what_is_about_the_speaker_or_forbids_nothing_binds_nobody_else(told: str) -> None:
    assert for_all(told, 0.0) == ()


TOLD = ("The plates are from Rome.", "Nobody uses the good plates.", "No cups on the stool.", "Don't touch the vase.")
TOLD += ("Don't go into the bedroom, please.",)


@pytest.mark.parametrize(
    ("said", "which"),
    [
        ("You can use the good plates again.", 1),
        ("It's fine to put cups on the stool again", 2),
        ("Anyone may touch the vase now.", 3),
        ("Can you use the plates?", None),
        ("You can put the vase on the table.", None),  # asks for it
        ("You can put the cup in the sink again.", None),
        ("The vase can't be touched again.", None),
        ("You may go into the bedroom again.", 4),
        ("Okay, you can go in there now.", 4),
        ("You can go to the kitchen.", None),
    ],
)
def test_a_permission_takes_a_prohibition_back_that_is_about_the_same(said: str, which: int | None) -> None:
    assert lifted(TOLD, said) == which


@pytest.mark.parametrize(
    ("said", "for_good"),
    [
        ("Don't touch the vase.", True),
        ("So don't take the vase, no matter who asks you.", True),
        ("Don't switch on the lamp.", False),
        ("Don't put the cup on the stool.", False),
        ("Don't switch on the lamp without asking me.", True),
        ("Ask me before you switch on the lamp.", True),
        ("Don't go into the bedroom.", True),
        ("Don't go into the bedroom now.", False),
        ("Don't touch it.", False),
        ("Don't touch anything.", False),
        ("Don't touch the vase yet.", False),
        ("Don't take the trash out today.", False),
        ("Don't put the cup away.", False),
        ("Don't fetch the keys, just tell me where they are.", False),
        ("Put all the mugs on the sofa but leave the one in the sink where it is.", False),
        ("Put all the laptops on the bed but leave Tom's where it is.", False),
    ],
)
def test_dont_alone_forbids_for_good_that_a_thing_is_handled(said: str, for_good: bool) -> None:
    assert stands(said) is for_good


@pytest.mark.parametrize(
    ("said", "allows"),
    [
        ("The update is through, so you can move the laptop now.", True),
        ("You may touch the laptop again.", True),
        ("It is charged, you can take it.", True),
        ("The laptop may be moved.", True),
        ("Move the laptop, it's okay.", True),
        ("Move the laptop.", False),
        ("Please can you move the laptop?", False),
        ("Hey, can you move the laptop?", False),
        ("Bring me the laptop so I can work.", False),
        ("I can't reach my laptop, bring it to me.", False),
        ("You may not move the laptop.", False),
        ("You can bring me the cup.", False),
        ("Mum may be late, move the laptop.", False),
    ],
)
def test_permission_is_heard_in_any_part_of_what_is_said(said: str, allows: bool) -> None:
    assert permits(said, "Never touch my laptop.") is allows


@pytest.mark.parametrize(
    "said", ["You may use the good plates again. Thank you.", "You can use the good plates again."]
)
def test_a_friendly_word_behind_a_permission_takes_nothing_from_it(said: str) -> None:
    assert lifted(["Nobody uses the good plates."], said) == 0
    assert lifted(["Nobody uses the good plates."], "You may use the good plates again. Bring me one.") is None


@pytest.mark.parametrize(
    ("told", "who", "never"),
    [
        ("Tim mustn't get any knives. Not ever.", ("tim",), "touch knives"),
        ("Mia and Tim aren't allowed the wine.", ("mia", "tim"), "touch the wine"),
        ("Leo can't have the watch, it's fragile.", ("leo",), "touch the watch"),
        ("She isn't well, so please never bring Mrs Okafor the salt.", ("mrs okafor",), "touch the salt"),
        ("Don't let Sami have the knife", ("sami",), "touch the knife"),
        ("No wine for Tom.", ("tom",), "touch the wine"),
    ],
)
def test_what_some_may_not_have_is_forbidden_for_them(told: str, who: tuple[str, ...], never: str) -> None:
    assert [(one.of, one.value) for one in for_all(told, 0.0)] == [(who, (never,))]


@pytest.mark.parametrize(
    "told",
    [
        "Tim does not eat eggs.",
        "Anna can't open the fridge, it is stuck.",
        "Tim isn't allowed in the bedroom.",
        "Tim should not eat eggs.",
        "Shoes must not touch the sofa.",
    ],
)
def test_what_somebody_does_not_do_or_cannot_do_is_no_prohibition(told: str) -> None:
    assert for_all(told, 0.0) == ()


@pytest.mark.parametrize(
    ("told", "but", "never"),
    [
        ("Only I may turn on the stove, nobody else, please.", ("me",), "turn on the stove"),
        ("Nobody except Anna and me is allowed to touch the vase.", ("anna", "me"), "touch the vase"),
    ],
)
def test_what_only_some_may_do_is_forbidden_for_all_others(told: str, but: tuple[str, ...], never: str) -> None:
    assert stands(told)
    assert [(one.of, one.but, one.value) for one in for_all(told, 0.0)] == [(("me",), but, (never,))]
    assert prohibitions(household_grammar(), told) == ()  # nor is the speaker who has to heed it
    assert lifted([told], "Anybody may use the stove and the vase now") == 0


def test_a_request_beside_what_some_may_not_have_is_one() -> None:
    assert stands("Never give Sami the knife. He is four.")
    assert not stands("Never give Sami the knife, put it in the sink")
    assert not stands("Don't let Sami have the knife and bring me the mug.")


@pytest.mark.parametrize(
    ("told", "rules"),
    [
        ("Never open the fridge. And never give Tim the wine.", [("me", "open the fridge"), ("tim", "touch the wine")]),
        ("Never open the fridge. Tom can't have nuts.", [("me", "open the fridge")]),
        (
            "Nobody may touch the vase. Never give Tim or Mia the wine",
            [("me", "touch the vase"), ("tim", "touch the wine")],
        ),
    ],
)
def test_what_some_may_not_have_stands_beside_what_nobody_may_do(told: str, rules: list[tuple[str, str]]) -> None:
    assert stands(told)
    assert [(one.of[0], one.value[0]) for one in for_all(told, 0.0)] == rules


@pytest.mark.parametrize(
    "told",
    [
        "Don't bring Tim the vase yet.",
        "Don't give Rex the apple.",
        "Sorry, no bread for Tim left.",
        "Only Dad can open the window.",
    ],
)
def test_what_is_not_to_be_given_now_or_cannot_be_is_no_prohibition(told: str) -> None:
    assert all(one.of == ("me",) and not one.but for one in for_all(told, 0.0))


def test_many_names_and_many_sentences_take_no_longer_than_they_are() -> None:
    names = " and ".join(f"An{chr(97 + at % 26)}{chr(97 + at // 26)}" for at in range(200))
    assert for_all(f"Only {names} came to the party", 0.0) == ()
    assert stands("never give Tim the wine, " * 400)


def test_what_some_may_not_have_they_may_again() -> None:
    before = ["Tim mustn't get any knives.", "Nobody touches the vase."]
    assert lifted(before, "Tim can have the knife now.") == 0
    assert lifted(before, "You can use the knife again.") is None
