# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import itertools

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from karma_language.vocabulary import household
from planner_node.skills import Code
from planner_node.understand.goals import ALL, NotUnderstood, Predicate, Statement, Understood
from planner_node.understand.offline import OfflineUnderstanding

OFFLINE = OfflineUnderstanding(household())

SENTENCES = {
    # the paper's own (table 2, appendix A, section 3.4)
    "place potato on the plate → wash an apple → get a frying pan.": [
        "place(potato, plate, on)",
        "clean(apple)",
        "hold(frying pan)",
    ],
    "slice a tomato → throw the knife in the trash → place the tomato on the plate.": [
        "slice(tomato)",
        "place(knife, trash, in)",
        "place(tomato, plate, on)",
    ],
    "wash a tomato → wash a potato → slice a bread → put the bread in the fridge → "
    "place the clean, red food on the plate.": [
        "clean(tomato)",
        "clean(potato)",
        "slice(bread)",
        "place(bread, fridge, in)",
        "place(clean red food, plate, on)",
    ],
    "wash an apple and place it in a bowl": ["clean(apple)", "place(apple, bowl, in)"],
    "bring an apple": ["bring(apple)"],
    "Turn off the light and turn on the faucet.": ["switch_off(light)", "switch_on(faucet)"],
    "Go to the apple": ["go_to(apple)"],
    "Go get the apple on the kitchen counter.": ["hold(apple from kitchen counter)"],
    "Get the apple in the fridge.": ["hold(apple from fridge)"],
    "Turn on the lamp.": ["switch_on(lamp)"],
    "throw the apple in trash": ["place(apple, trash, in)"],
    "put the potato in the microwave and turn it on": ["place(potato, microwave, in)", "switch_on(microwave)"],
    # place
    "put the apple on the table": ["place(apple, table, on)"],
    "put the apple somewhere in the bedroom": ["place(apple, bedroom, in)"],
    "place a mug onto the countertop": ["place(mug, countertop, on)"],
    "set the plate down on the dining table": ["place(plate, dining table, on)"],
    "move the book to the shelf": ["place(book, shelf)"],
    "bring the remote to the sofa": ["place(remote, sofa)"],
    "lay the pillow on the bed": ["place(pillow, bed, on)"],
    "stick the fork into the drawer": ["place(fork, drawer, in)"],
    "put the keys inside the safe": ["place(keys, safe, in)"],
    "put the mug next to the coffee machine": ["place(mug, coffee machine, near)"],
    "take the apple from the fridge and put it on the table": ["bring(apple from fridge)", "place(apple, table, on)"],
    "move the pen from the desk to the bed": ["place(pen from desk, bed)"],
    "put the apple on the counter next to the sink": ["place(apple, counter, on)"],
    "put the soap in the cabinet under the tub": ["place(soap, cabinet, in)"],
    "return the cup to the cabinet": ["place(cup, cabinet)"],
    "Put the CellPhone on the CoffeeTable": ["place(cell phone, coffee table, on)"],
    "put the apple, the tomato and the bread in the fridge": [
        "place(apple, fridge, in)",
        "place(tomato, fridge, in)",
        "place(bread, fridge, in)",
    ],
    "put the apple on the table and the bread in the fridge": ["place(apple, table, on)", "place(bread, fridge, in)"],
    "put a knife in a pan and put the pan on the table": ["place(knife, pan, in)", "place(pan, table, on)"],
    "put a mug with a spoon in it on the counter": ["place(spoon, mug, in)", "place(mug, counter, on)"],
    "put a knife in a bowl on the table": ["place(knife, bowl, in)", "place(bowl, table, on)"],
    "put it in the fridge after washing the apple": ["clean(apple)", "place(apple, fridge, in)"],
    # hands
    "pick up the apple": ["hold(apple)"],
    "pick the apple up": ["hold(apple)"],
    "grab a knife": ["hold(knife)"],
    "get me a fork": ["bring(fork)"],
    "fetch the newspaper": ["hold(newspaper)"],
    "hand me the towel": ["bring(towel)"],
    "bring me the cup, then the plate": ["bring(cup)", "bring(plate)"],
    "find me the remote control": ["find(remote control)"],
    "I want an apple": ["bring(apple)"],
    "put the knife down": ["put_down(knife)"],
    "drop the pen": ["put_down(pen)"],
    "get me a fork, a spoon and a knife": ["bring(fork)", "bring(spoon)", "bring(knife)"],
    # clean, heat, cool, slice
    "wash the plate": ["clean(plate)"],
    "rinse off both forks": ["clean(2 forks)"],
    "clean the mug in the sink": ["clean(mug)"],
    "scrub the pot with the sponge": ["clean(pot)"],
    "wash the apple and the tomato": ["clean(apple)", "clean(tomato)"],
    "heat the bread": ["heat(bread)"],
    "warm up a slice of bread": ["heat(sliced slice of bread)"],
    "microwave the potato": ["heat(potato)"],
    "cook the egg in the microwave": ["heat(egg)"],
    "warm up the bread slice in the toaster": ["heat(sliced bread slice, toaster)"],
    "microwave the apple in the fridge": ["heat(apple from fridge)"],
    "put the cup on the table behind the vase": ["place(cup, table, on)"],
    "heat the mug of coffee": ["heat(filled mug)"],
    "cool the tomato in the fridge": ["cool(tomato)"],
    "chill a mug": ["cool(mug)"],
    "slice the bread": ["slice(bread)"],
    "cut up the lettuce with a knife": ["slice(lettuce)"],
    "use the knife to chop the potato": ["slice(potato)"],
    "wash and slice the apple": ["clean(apple)", "slice(apple)"],
    "wash the apple, slice it and put a slice on the plate": [
        "clean(apple)",
        "slice(apple)",
        "place(sliced apple, plate, on)",
    ],
    "put a chilled tomato slice on the table": ["place(cold sliced tomato slice, table, on)"],
    "put a clean mug in the coffee machine": ["place(clean mug, coffee machine, in)"],
    "put a piece of heated bread on the plate": ["place(hot sliced bread, plate, on)"],
    "put the washed, sliced apple in the bowl": ["place(clean sliced apple, bowl, in)"],
    # open, close, switch
    "open the fridge": ["open(fridge)"],
    "close the drawer": ["close(drawer)"],
    "shut the blinds": ["close(blinds)"],
    "open the box and put the keys in it": ["open(box)", "place(keys, box, in)"],
    "turn on the tv": ["switch_on(tv)"],
    "turn the tv off": ["switch_off(tv)"],
    "switch off the floor lamp": ["switch_off(floor lamp)"],
    "switch the light on": ["switch_on(light)"],
    "toggle the faucet on": ["switch_on(faucet)"],
    "start the microwave": ["switch_on(microwave)"],
    "turn on the stove": ["switch_on(stove)"],
    "switch on the stove and put the pan on it": ["switch_on(stove)", "place(pan, stove, on)"],
    "put the pan on the stove and switch it on": ["place(pan, stove, on)", "switch_on(stove)"],
    "put the egg in the pot, then the pot on the stove, and turn it on": [
        "place(egg, pot, in)",
        "place(pot, stove, on)",
        "switch_on(stove)",
    ],
    "put the laptop on the desk and switch it on": ["place(laptop, desk, on)", "switch_on(laptop)"],
    "open the microwave, put the egg in, close it": [
        "open(microwave)",
        "place(egg, microwave, in)",
        "close(microwave)",
    ],
    "first open the drawer. Then put the pen in it. Finally close it.": [
        "open(drawer)",
        "place(pen, drawer, in)",
        "close(drawer)",
    ],
    # throw away, break, fill, throw
    "throw away the egg": ["place(egg, garbage can, in)"],
    "throw the newspaper out": ["place(newspaper, garbage can, in)"],
    "discard the paper towel": ["place(paper towel, garbage can, in)"],
    "dispose of the box": ["place(box, garbage can, in)"],
    "trash the tissues": ["place(tissues, garbage can, in)"],
    "put the potato in the bin": ["place(potato, bin, in)"],
    "get rid of the bread": ["place(bread, garbage can, in)"],
    "light the candle": ["switch_on(candle)"],
    "break the vase": ["break(vase)"],
    "smash the plate": ["break(plate)"],
    "fill the cup with water": ["fill(cup)"],
    "pour some water into the pot": ["fill(pot)"],
    "throw the basketball": ["throw(basketball)"],
    # look, find, go
    "examine the book under the lamp": ["examine(book, lamp)"],
    "look at a statue by the light of the floor lamp": ["examine(statue, floor lamp)"],
    "look at the watch with the desk lamp": ["examine(watch, desk lamp)"],
    "turn on the lamp and look at the book": ["examine(book, lamp)"],
    "inspect the statue in the light of the lamp": ["examine(statue, lamp)"],
    "look at the vase": ["examine(vase)"],
    "find the keys": ["find(keys)"],
    "look for my phone": ["find(phone)"],
    "where is the apple?": ["find(apple)"],
    "go to the kitchen": ["go_to(kitchen)"],
    "turn the light on and off": ["switch_on(light)", "switch_off(light)"],
    "walk over to the fridge": ["go_to(fridge)"],
    "look around": ["explore()"],
    "explore the house": ["explore()"],
    # quantities, adjectives, classes
    "put two apples in the fridge": ["place(2 apples, fridge, in)"],
    "put both mugs in the sink": ["place(2 mugs, sink, in)"],
    "put all the forks in the drawer": ["place(all forks, drawer, in)"],
    "put the pencils on the desk": ["place(all pencils, desk, on)"],
    "wash the dishes": ["clean(all dishes)"],
    "put a pair of boots on the floor": ["place(pair of boots, floor, on)"],
    "put three cds on the shelf": ["place(3 cds, shelf, on)"],
    "bring me the red fruit": ["bring(red fruit)"],
    "put the large wooden spoon on the table": ["place(spoon, table, on)"],
    "put the red apple and the green one in the bowl": ["place(red apple, bowl, in)", "place(green apple, bowl, in)"],
    "put the cutlery used for soup on the table": ["place(cutlery used for soup, table, on)"],
    "bring me something to write with": ["bring(something to write with)"],
    "put all the fruit in the bowl": ["place(all fruit, bowl, in)"],
    # politeness, order words, subordinate clauses
    "Could you please wash the plate?": ["clean(plate)"],
    "I would like you to open the fridge, please": ["open(fridge)"],
    "Please go ahead and slice the tomato": ["slice(tomato)"],
    "hey robot, can you turn the lamp on for me?": ["switch_on(lamp)"],
    "don't forget to close the fridge": ["close(fridge)"],
    "After washing the apple, put it in the fridge.": ["clean(apple)", "place(apple, fridge, in)"],
    "Before putting the apple in the fridge, wash it.": ["clean(apple)", "place(apple, fridge, in)"],
    "wash the apple before putting it in the fridge": ["clean(apple)", "place(apple, fridge, in)"],
    "Once you have washed the apple, put it in the bowl": ["clean(apple)", "place(apple, bowl, in)"],
    "1. open the fridge 2. put the apple in it 3. close it": [
        "open(fridge)",
        "place(apple, fridge, in)",
        "close(fridge)",
    ],
    "take the apple to the sink to wash it": ["place(apple, sink)", "clean(apple)"],
    "Although there's a kettle on the shelf, wash a vase and carry it to the desk.": [
        "clean(vase)",
        "place(vase, desk)",
    ],
    "Leave the laptop on the armchair. It's a habit that saves me time.": ["place(laptop, armchair, on)"],
    # spelling
    "put the tomatoe in the refridgerator": ["place(tomato, refrigerator, in)"],
    "pick up the aple": ["hold(apple)"],
    "put the fryng pan on the countertop": ["place(fryng pan, countertop, on)"],
    "throw it in the garbagecan after slicing the bread": ["slice(bread)", "place(bread, garbage can, in)"],
    # ids of the scene graph
    "pick up Apple|-00.47|+01.15|+00.48": ["hold(Apple|-00.47|+01.15|+00.48)"],
}


@pytest.mark.parametrize(("text", "goals"), list(SENTENCES.items()))
def test_ordinary_english_becomes_goals(text: str, goals: list[str]) -> None:
    understood = OFFLINE.understand(text)
    assert isinstance(understood, Understood), understood
    assert [str(goal) for goal in understood.goals] == goals


def understood(text: str) -> Understood:
    result = OFFLINE.understand(text)
    assert isinstance(result, Understood), result
    return result


def test_there_are_at_least_120_sentences() -> None:
    assert len(SENTENCES) >= 120


def test_a_pronoun_means_the_same_object() -> None:
    goals = understood("wash the apple, slice it and place it in the bowl").goals
    assert len({goal.object.entity for goal in goals if goal.object}) == 1


def test_the_same_noun_with_a_definite_article_means_the_same_object() -> None:
    first, second = understood("slice an apple. Put the apple in the bowl.").goals
    assert first.object is not None
    assert second.object is not None
    assert first.object.entity == second.object.entity


def test_another_one_is_not_the_same() -> None:
    first, second = understood("put an apple in the bowl, then put another apple in the fridge").goals
    assert first.object is not None
    assert second.object is not None
    assert first.object.entity != second.object.entity
    assert second.object.other


def test_them_means_everything_named_together() -> None:
    goals = understood("wash the apple and the tomato and put them in the bowl").goals
    assert [str(goal) for goal in goals[2:]] == ["place(apple, bowl, in)", "place(tomato, bowl, in)"]


def test_it_can_mean_what_the_instruction_before_was_about() -> None:
    before = understood("wash the apple").goals[0].object
    assert before is not None
    result = OFFLINE.understand("bring it to me", (before,))
    assert isinstance(result, Understood)
    assert str(result.goals[0]) == "bring(apple)"


def test_the_object_of_a_switch_is_something_that_can_be_switched() -> None:
    goals = understood("put the cup in the coffee machine and turn it on").goals
    assert [goal.object.categories for goal in goals if goal.object][1] == ("CoffeeMachine",)


@pytest.mark.parametrize(
    ("phrase", "categories"),
    [
        ("the fridge", ("Fridge",)),
        ("the refrigerator", ("Fridge",)),
        ("the trash can", ("GarbageCan",)),
        ("the tap", ("Faucet",)),
        ("the couch", ("Sofa",)),
        ("the red fruit", ("Apple", "Tomato")),
        ("the cutlery used for soup", ("Spoon",)),
        ("a cutting tool", ("Knife",)),
        ("the dinner table", ("DiningTable",)),
        ("all the silverware", ("ButterKnife", "Fork", "Knife", "Spoon")),
    ],
)
def test_names_synonyms_classes_colours_and_uses_find_their_categories(
    phrase: str, categories: tuple[str, ...]
) -> None:
    ref = OFFLINE.reference(phrase)
    assert ref is not None
    assert ref.categories == categories


def test_the_room_of_a_place_is_no_place_of_its_own() -> None:
    goal = understood("put the apple on the desk in the bedroom").goals[0]
    assert goal.destination is not None
    assert (goal.destination.categories, goal.destination.room, goal.relation) == (("Desk",), "Bedroom", "on")
    fetched = understood("bring me the mug from the kitchen").goals[0].object
    assert fetched is not None
    assert fetched.room == "Kitchen"


@pytest.mark.parametrize(
    ("place", "room"),
    [
        ("the kitchen counter", "Kitchen"),
        ("the counter in the kitchen", "Kitchen"),
        ("the bathroom sink", "Bathroom"),
        ("the living room table", "LivingRoom"),
        ("the counter", ""),
    ],
)
def test_a_place_is_in_the_room_that_is_named_with_it(place: str, room: str) -> None:
    goal = understood(f"put the mug from the bedroom on {place}").goals[0]
    assert goal.object is not None
    assert goal.destination is not None
    assert (goal.object.room, goal.destination.room) == ("Bedroom", room)


def test_places_of_one_kind_in_two_rooms_are_two() -> None:
    goal = understood("take the soap from the counter in the bathroom and put it on the kitchen counter").goals[-1]
    assert goal.object is not None
    assert goal.destination is not None
    assert goal.destination.room == "Kitchen"
    assert goal.destination.entity != goal.object.entity
    assert goal.object.place is None or goal.object.place.entity != goal.destination.entity


def test_of_several_sinks_the_one_named_is_meant() -> None:
    goal = understood("wash the apple in the bathroom sink").goals[0]
    assert goal.destination is not None
    assert goal.destination.room == "Bathroom"


def test_quantities() -> None:
    counts = [understood(text).goals[0].object for text in ("wash two cups", "wash all cups", "wash a cup")]
    assert [ref.count for ref in counts if ref] == [2, ALL, 1]


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("put the moon in the fridge", Code.NOT_FOUND, ["moon", "spoon"]),
        ("bring me the unicorn", Code.NOT_FOUND, ["unicorn"]),
        ("put the apple on the spaceship", Code.NOT_FOUND, ["spaceship"]),
        ("polish the table", Code.NOT_UNDERSTOOD, ["polish"]),
        ("wash the apple and polish the table", Code.NOT_UNDERSTOOD, ["polish"]),
        ("Polish the table. Put the apple in the fridge.", Code.NOT_UNDERSTOOD, ["polish"]),
        ("put the apple", Code.AMBIGUOUS, ["Where", "apple"]),
        ("put it in the fridge", Code.NOT_UNDERSTOOD, ["it"]),
        ("do not open the fridge", Code.NOT_UNDERSTOOD, ["not"]),
        ("if the weather is nice, open the window", Code.NOT_FOUND, ["weather"]),
        ("wash the mug if it is yours", Code.NOT_UNDERSTOOD, ["whether 'it is yours'"]),
        ("wash the mug until it shines", Code.NOT_UNDERSTOOD, ["wait"]),
        ("put the apple in the pen", Code.PRECONDITION_FAILURE, ["pen"]),
        ("flip the lamp", Code.AMBIGUOUS, ["on or off"]),
        ("put the newspaper or bread on the table", Code.AMBIGUOUS, ["Which", "the newspaper or the bread?"]),
        ("wash the blue mug, the cup or a plate", Code.AMBIGUOUS, ["the blue mug or the cup or a plate?"]),
        ("put the apple in the fridge or the cabinet", Code.AMBIGUOUS, ["the fridge or the cabinet?"]),
        ("sing a song", Code.NOT_UNDERSTOOD, ["I understand"]),
        ("", Code.INVALID_ARGUMENT, ["empty"]),
        ("  \n ", Code.INVALID_ARGUMENT, ["empty"]),
        ("apple " * 1000, Code.INVALID_ARGUMENT, ["2000"]),
        ("put the alarm clock under the bed", Code.NOT_UNDERSTOOD, ["in, on or next to"]),
        ("put the cup behind the vase", Code.NOT_UNDERSTOOD, ["in, on or next to"]),
        ("throw the remote control out of the window", Code.NOT_UNDERSTOOD, ["window"]),
        ("heat the apple in the fridge", Code.PRECONDITION_FAILURE, ["can't heat", "from the fridge"]),
        ("cool the apple in the microwave", Code.PRECONDITION_FAILURE, ["can't cool"]),
        ("open the fridge and keep it closed", Code.NOT_UNDERSTOOD, ["can't keep", "open, close"]),
        ("put the mug upside down on the table", Code.NOT_UNDERSTOOD, ["upside down", "in, on or next to"]),
        ("put the mug somewhere", Code.AMBIGUOUS, ["Where", "mug"]),
        ("how do I open the fridge?", Code.NOT_UNDERSTOOD, ["I understand"]),
    ],
)
def test_what_is_not_understood_is_answered_with_what_is_missing(text: str, code: Code, words: list[str]) -> None:
    answer = OFFLINE.understand(text)
    assert isinstance(answer, NotUnderstood), answer
    assert answer.code is code
    assert all(word in answer.message for word in words), answer.message


@pytest.mark.parametrize(
    "text",
    [
        "my favourite cup is the blue one",
        "Remember that the keys are in the safe",
        "I always put my glasses on the desk",
        "note: the vase belongs to grandmother",
        "I like apples",
    ],
)
def test_statements_are_to_be_remembered(text: str) -> None:
    assert OFFLINE.understand(text) == Statement(text)


_THINGS = ("apple", "mug", "book", "plate")
_PLACES = ("table", "counter", "sofa")


@given(
    st.sampled_from(_THINGS),
    st.sampled_from(_PLACES),
    st.sampled_from(("put", "place", "set", "lay", "Please put", "could you place", "I want you to put", "now put")),
    st.sampled_from(("the", "a", "my", "that", "the small", "")),
    st.sampled_from(("on", "onto", "on top of", "upon")),
    st.sampled_from(("", ".", "!", " please", ", please.", " now")),
)
def test_paraphrases_mean_the_same(thing: str, place: str, verb: str, article: str, on: str, end: str) -> None:
    goals = understood(f"{verb} {article} {thing} {on} the {place}{end}").goals
    assert [str(goal) for goal in goals] == [f"place({thing}, {place}, on)"]


@given(
    st.lists(
        st.sampled_from(("wash the apple", "open the fridge", "put the mug on the table", "turn on the tv")),
        min_size=1,
        max_size=5,
    ),
    st.sampled_from((". ", ", then ", " and then ", " → ", "; ", ", ", " and ", "\n", ". After that, ", " -> ")),
)
def test_sequences_are_their_parts_in_order(parts: list[str], joint: str) -> None:
    alone = list(itertools.chain.from_iterable(understood(part).goals for part in parts))
    assert [str(g) for g in understood(joint.join(parts)).goals] == [str(g) for g in alone]


_WORDS = st.sampled_from(
    [
        *(
            "put",
            "the",
            "apple",
            "it",
            "them",
            "and",
            "then",
            ",",
            ".",
            "before",
            "after",
            "on",
            "in",
            "to",
            "with",
            "two",
        ),
        *(
            "all",
            "of",
            "not",
            "if",
            "slice",
            "clean",
            "red",
            "one",
            "back",
            "turn",
            "off",
            "moon",
            "fridge",
            "→",
            "3",
            "-",
        ),
        *("Apple|-1|+2|-3", "for", "from", "is", "my", "something", "me"),
    ]
)


@settings(max_examples=300)
@example("@0")
@given(st.one_of(st.text(max_size=200), st.lists(_WORDS, max_size=25).map(" ".join)))
def test_no_text_whatever_raises(text: str) -> None:
    answer = OFFLINE.understand(text)
    assert isinstance(answer, (Understood, Statement, NotUnderstood))
    if isinstance(answer, Understood):
        assert answer.goals
        assert all(g.object is not None or g.predicate is Predicate.EXPLORE for g in answer.goals)


def test_corrected_spelling_is_told() -> None:
    assert understood("put the tomatoe in the fridge").notes == ("I took 'tomatoe' for 'tomato'.",)
