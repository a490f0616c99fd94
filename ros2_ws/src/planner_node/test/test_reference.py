# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What an instruction refers to that was before it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from karma_language.vocabulary import household
from planner_node.memory import WORKING, Handled, Recollection, Task
from planner_node.skills import Code, Node, SkillCall, Target
from planner_node.understand.aid import Aid
from planner_node.understand.cases import Cases
from planner_node.understand.goals import ALL, Goal, NotUnderstood, ObjectRef, Predicate, Understood, goal_text
from planner_node.understand.offline import OfflineUnderstanding
from planner_node.understand.reference import Before, before
from planner_node.world import World

RULES = OfflineUnderstanding(household())


def call(thing: str, place: str = "", relation: str = "") -> SkillCall:
    """Return what was done with a thing last, and where it was before; ids are "Apple1"."""
    return SkillCall(
        "PutObject", Target(thing, thing.rstrip("0123456789")), Target(place, place.rstrip("0123456789")), relation
    )


def known(text: str, *handled: SkillCall) -> Before:
    """Return what is known after an instruction that the rules understand."""
    said = RULES.understand(text)
    assert isinstance(said, Understood)
    goals = tuple(map(goal_text, said.goals))
    task = Recollection(WORKING, "w", "", task=Task(text, goals, True), handled=Handled("", handled))
    return before([task], Cases(household()), World(household()), household())


def after(text: str, last: Before) -> list[str]:
    """Return the goals of a text, with the ids that they name."""
    said = last.undone(text, household())
    if said is None:
        aid = Aid(places=last.places, asked=last.asked)
        said = last.put_back(RULES.understand(text, last.themes, aid), household())
    if isinstance(said, NotUnderstood):
        return [said.code.name]
    assert isinstance(said, Understood)
    refs = [[ref for ref in (goal.object, goal.destination) if ref is not None] for goal in said.goals]
    names = [[ref.id or ("another " if ref.other else "") + ref.noun for ref in found] for found in refs]
    return [f"{goal.predicate.value}({', '.join(found)})" for goal, found in zip(said.goals, names, strict=True)]


def test_it_is_what_was_said_last_and_not_what_was_done_last():
    text = "put the apple in the fridge and the book on the shelf"
    done = ("place(book=Book, shelf=Shelf, on)", "place(apple=Apple, fridge=Fridge, in)")
    task = Recollection(WORKING, "w", "", task=Task(text, done, True))
    (theme,) = before([task], Cases(household()), World(household()), household()).themes[-1:]
    assert theme.noun == "book"


def test_them_is_what_was_put_to_the_same_place_one_after_the_other():
    names = {"Fork1": "Table1", "Spoon1": "Table1", "Egg1": "Bowl1"}
    world = World(household())
    for name, place in names.items():
        world.believe(Node(name, name[:-1], receptacle=place), WORKING)
    handled = tuple(SkillCall("PutObject", Target(name, name[:-1])) for name in ("Egg1", "Fork1", "Spoon1"))
    task = Task("", ("place(spoon=Spoon, table=DiningTable, on)",), True)
    found = before(
        [Recollection(WORKING, "w", "", task=task, handled=Handled("", handled))],
        Cases(household()),
        world,
        household(),
    )
    assert after("wash them", found) == ["clean(Fork1)", "clean(Spoon1)"]
    assert after("wash it", found) == ["clean(Spoon1)"]


@pytest.mark.parametrize(
    ("text", "goals"),
    [
        ("put it in the fridge", ["place(Apple2, fridge)"]),
        ("now slice it", ["slice(Apple2)"]),
        ("put it back", ["place(Apple2, Shelf1)"]),
        ("put the apple back where it was", ["place(Apple2, Shelf1)"]),
        ("return it to its old place", ["place(Apple2, Shelf1)"]),
        ("pick up the other one", ["hold(another apple)"]),
        ("the other one, too", ["place(another apple, Microwave1)"]),
        ("one more, please", ["place(another apple, Microwave1)"]),
        ("do that again", ["place(Apple2, Microwave1)"]),
        ("and now the potato", ["place(potato, Microwave1)"]),
        ("do the same with the potato", ["place(potato, Microwave1)"]),
        ("do the same with the potato, but it belongs in a drawer", ["NOT_UNDERSTOOD"]),
        ("again! Now the potato", ["place(potato, Microwave1)"]),
        ("aww, ok, the potato then", ["place(potato, Microwave1)"]),
        ("nice, the potato as well, please", ["place(potato, Microwave1)"]),
        ("and the potato as well while you're at it", ["place(potato, Microwave1)"]),
        ("no, in the fridge", ["place(Apple2, fridge)"]),
        ("In the fridge, please.", ["place(Apple2, fridge)"]),
        ("and the potato and the egg too", ["place(potato, Microwave1)", "place(egg, Microwave1)"]),
        ("out with it, on the table", ["place(Apple2, table)"]),
        ("switch it on", ["switch_on(Microwave1)"]),
        ("the potato", ["NOT_UNDERSTOOD"]),
        ("put the knife back", ["AMBIGUOUS"]),
        ("Actually, put it in the sink", ["place(Apple2, sink)"]),
        ("no wait, put it on the table instead", ["place(Apple2, table)"]),
        ("oh, actually put that in the sink please", ["place(Apple2, sink)"]),
        ("no, I meant the fridge", ["place(Apple2, fridge)"]),
        ("hm, the table instead", ["place(Apple2, table)"]),
        ("the chair, too", ["place(chair, Microwave1)"]),
        ("put the potato there, too", ["place(potato, Microwave1)"]),
        ("and put the potato there as well", ["place(potato, Microwave1)"]),
        ("undo that", ["place(Apple2, Shelf1)"]),
        ("please put everything back as it was", ["place(Apple2, Shelf1)"]),
    ],
)
def test_what_was_said_before_and_handled_is_meant(text: str, goals: list[str]) -> None:
    last = known("put the apple in the microwave", call("Apple1"), call("Microwave1"), call("Apple2", "Shelf1", "on"))
    assert after(text, last) == goals


@pytest.mark.parametrize(
    ("text", "goals"), [("put the pan on it", ["place(pan, stove)"]), ("switch it off", ["switch_off(stove)"])]
)
def test_a_stove_whose_knob_was_handled_is_meant_in_whole(text: str, goals: list[str]) -> None:
    assert after(text, known("switch on the stove", call("StoveKnob1"))) == goals


def test_what_several_things_were_put_in_another_is_put_in_too() -> None:
    last = known("put the fork and the spoon in the box", call("Fork1"), call("Box1"), call("Spoon1"), call("Box1"))
    assert after("the knife too", last) == ["place(knife, Box1)"]


def test_another_thing_is_never_taken_for_the_place_of_the_one_before() -> None:
    last = known("take the apple off the shelf and put it in the box", call("Apple1"), call("Apple1"), call("Box1"))
    said = RULES.understand("and the knife too", last.themes, Aid(places=last.places, asked=last.asked))
    assert isinstance(said, Understood)
    place = said.goals[-1].destination
    assert place is not None
    assert place.entity not in [goal.object.entity for goal in said.goals if goal.object]


def test_a_place_alone_is_where_what_was_dealt_with_last_is_to_go() -> None:
    assert after("And now on the table.", known("wash the apple", call("Apple1"))) == ["place(Apple1, table)"]
    assert after("on the desk", known("switch on the lamp", call("FloorLamp1"))) == ["AMBIGUOUS"]


def test_mine_is_one_of_what_was_spoken_of() -> None:
    said = RULES.understand("bring me mine", known("find the laptop", call("Laptop1")).themes)
    assert isinstance(said, Understood)
    (laptop,) = [goal.object for goal in said.goals]
    assert laptop is not None
    assert (laptop.categories, laptop.mine, laptop.id) == (("Laptop",), True, "")


def test_what_was_skipped_is_not_what_was_dealt_with_last() -> None:
    task = Task("", ("place(apple=Apple, table=DiningTable, on)", "place(egg=Egg, table=DiningTable, on)"), True)
    handled = Handled("", (SkillCall("PutObject", Target("Apple1", "Apple"), Target("Table1", "DiningTable"), "on"),))
    recollection = Recollection(WORKING, "w", "", task=task, handled=handled)
    found = before([recollection], Cases(household()), World(household()), household())
    assert after("put it in the fridge", found) == ["place(Apple1, fridge)"]


def test_there_is_where_things_were_to_go_also_where_they_did_not() -> None:
    failed = RULES.understand("put the sofa in the fridge")
    assert isinstance(failed, Understood)
    assert after("then put the tomato in there", Before(asked=failed.goals)) == ["place(tomato, fridge)"]


def test_nothing_is_the_same_where_nothing_was_asked_for() -> None:
    assert after("the knife too", Before()) == ["AMBIGUOUS"]
    assert after("on the table", Before()) == ["AMBIGUOUS"]
    assert after("once more", Before()) == ["NOT_UNDERSTOOD"]


def test_them_means_all_that_were_dealt_with_last() -> None:
    last = known(
        "put the fork and the spoon in the sink", call("Fork1", "Table1", "on"), call("Spoon1", "Drawer1", "in")
    )
    assert after("put them back", last) == ["place(Fork1, Table1)", "place(Spoon1, Drawer1)"]


@pytest.mark.parametrize(
    ("done", "handled", "undone"),
    [
        ("open the fridge", [call("Fridge1")], ["close(Fridge1)"]),
        ("close the drawer", [call("Drawer2")], ["open(Drawer2)"]),
        ("switch on the floor lamp", [call("FloorLamp1")], ["switch_off(FloorLamp1)"]),
        ("switch on the stove", [call("StoveKnob1")], ["switch_off(StoveKnob1)"]),
        (
            "put the mug in the sink and open the fridge",
            [call("Mug1", "Shelf1", "on"), call("Fridge1")],
            ["close(Fridge1)", "place(Mug1, Shelf1)"],
        ),
        (
            "put all forks in the sink",
            [call("Fork1", "Table1", "on"), call("Fork2", "Drawer1", "in")],
            ["place(Fork2, Drawer1)", "place(Fork1, Table1)"],
        ),
        ("open the fridge", [], ["NOT_UNDERSTOOD"]),
        ("find the mug", [], ["NOT_UNDERSTOOD"]),
        ("put the mug in the sink", [call("Mug1")], ["AMBIGUOUS"]),
        ("slice the apple", [call("AppleSliced1", "Shelf1", "on")], ["PRECONDITION_FAILURE"]),
        ("break the vase", [call("Vase1")], ["PRECONDITION_FAILURE"]),
        ("heat the potato", [call("Potato1", "Shelf1", "on")], ["PRECONDITION_FAILURE"]),
        ("throw away the newspaper", [call("Newspaper1", "Shelf1", "on")], ["PRECONDITION_FAILURE"]),
    ],
)
@pytest.mark.parametrize("text", ["undo", "Undo that, please.", "take that back", "put it all back the way it was"])
def test_what_was_done_last_is_undone_where_that_can_be(
    done: str, handled: list[SkillCall], undone: list[str], text: str
) -> None:
    assert after(text, known(done, *handled)) == undone


def test_what_stays_is_said_with_its_reason() -> None:
    said = known("slice the apple", call("AppleSliced1")).undone("undo", household())
    assert isinstance(said, NotUnderstood)
    assert said.message == "I can't undo slice(apple): what is sliced stays sliced."
    both = known("wash the mug and put it on the shelf", call("Mug1", "Shelf1", "on")).undone("undo that", household())
    assert isinstance(both, Understood)
    assert both.notes == ("I can't undo clean(mug): what is clean I can't make dirty.",)


def test_undoing_the_undoing_is_doing_it_again() -> None:
    task = Task("undo", ("close(fridge=Fridge)",), True)
    last = Recollection(WORKING, "w", "", task=task, handled=Handled("", (call("Fridge1"),)))
    assert after("undo", before([last], Cases(household()), World(household()), household())) == ["open(Fridge1)"]


def test_all_that_is_to_be_on_again_is_what_was_switched_off() -> None:
    off = [SkillCall("SwitchOff", Target(name, name[:-1])) for name in ("FloorLamp1", "LightSwitch2")]
    seen = SkillCall("GoToObject", Target("StoveKnob1", "StoveKnob"))
    last = known("turn everything off", off[0], seen, off[1])
    on = last.again("turn everything on again", RULES.understand("turn everything on again"))
    assert isinstance(on, Understood)
    assert [goal.object.id for goal in on.goals if goal.object] == ["FloorLamp1", "LightSwitch2"]
    nothing = known("turn everything off", seen)
    assert isinstance(nothing.again("turn it all on again", RULES.understand("turn it all on again")), NotUnderstood)
    assert last.again("turn everything on", RULES.understand("turn everything on")) == RULES.understand(
        "turn everything on"
    )


def test_off_again_speaks_of_what_was_switched_on_whatever_was_asked_about_since() -> None:
    on = SkillCall("ToggleOn", Target("StoveKnob1", "StoveKnob"))
    water = Goal(Predicate.FIND, ObjectRef(("Faucet",), "water"))
    last = replace(known("turn the burner on", on), mentioned=(water,))
    assert [ref.id for ref in last.themes_of("turn it off again")] == ["StoveKnob1"]
    assert last.themes_of("turn it off") == (water.object,)
    off = replace(
        known("turn the lamp off", SkillCall("ToggleOff", Target("FloorLamp1", "FloorLamp"))), mentioned=(water,)
    )
    assert last.themes_of("put it on the table again") == off.themes_of("put it on the table again") == (water.object,)


@pytest.mark.parametrize("text", ["undo the buttons of the shirt", "take the mug back", "make it as clean as it was"])
def test_other_words_undo_nothing(text: str) -> None:
    assert known("open the fridge", call("Fridge1")).undone(text, household()) is None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("put the apple back", "The apple was on the shelf before I took it."),
        ("switch it on", "I handled the microwave before."),
        ("put the knife in the sink", ""),
    ],
)
def test_what_was_remembered_is_told_in_a_line(text: str, line: str) -> None:
    last = known("put the apple in the microwave", call("Microwave1"), call("Apple2", "Shelf1", "on"))
    said = last.put_back(RULES.understand(text, last.themes, Aid(places=last.places)), household())
    assert isinstance(said, Understood)
    grounds = last.grounds(said.goals, household())
    assert [one.text for one in grounds.values()] == ([line] if line else [])


@pytest.mark.parametrize(
    ("text", "sure"),
    [
        ("put it back", True),
        ("Please put that back where it was.", True),
        ("return it to its old place", True),
        ("put it back in the fridge", False),
        ("put it back when it is clean", False),
        ("put the knife back", False),
        ("put it in the sink", False),
    ],
)
def test_what_only_says_to_put_it_back_needs_no_model(text: str, sure: bool) -> None:
    last = known("put the apple in the microwave", call("Apple2", "Shelf1", "on"))
    assert (last.returned(text, RULES) is not None) is sure
    assert Before().returned(text, RULES) is None


def test_without_a_memory_of_it_nothing_is_meant() -> None:
    for text in ("put it in the fridge", "the other one, too", "again", "undo"):
        assert after(text, Before()) == [Code.NOT_UNDERSTOOD.name]


def object_of(text: str, last: Before = Before()) -> ObjectRef:  # noqa: B008
    """Return what the last goal of a text is about."""
    said = RULES.understand(text, last.themes, Aid(places=last.places))
    assert isinstance(said, Understood), said
    assert said.goals[-1].object is not None
    return said.goals[-1].object


def test_all_of_a_kind_are_more_than_the_one_that_was_handled_last() -> None:
    last = known("open all the drawers", call("Drawer1"), call("Drawer2"))
    drawers = object_of("close all the drawers again", last)
    assert (drawers.id, drawers.count) == ("", ALL)


def test_another_room_or_place_means_another_thing() -> None:
    last = known("switch off the desk lamp", call("DeskLamp1"))
    assert object_of("switch off the desk lamp", last).id == "DeskLamp1"
    assert object_of("switch off the desk lamp in the bedroom", last).id == ""
    last = known("put the book from the kitchen on the bed", call("Book1"))
    it = object_of("open it", last)
    assert (it.id, it.room, it.place) == ("Book1", "", None)  # it is no longer where it was
    book = object_of("put the book on the dresser on the sofa", last)
    assert (book.id, book.room) == ("", "")
    assert book.place is not None
    assert book.place.noun == "dresser"


def test_where_several_are_taken_from_says_which_they_are() -> None:
    pillows = object_of("take both pillows from the bed and put them on the sofa")
    assert (pillows.count, pillows.place and pillows.place.noun) == (2, "bed")
    assert object_of("take two of the plates and put one of them on the shelf").count == 1


def test_one_of_them_is_one_of_those_that_were_handled() -> None:
    last = known("put two plates on the table", call("Plate1"), call("Plate2"))
    plate = object_of("put one of them in the sink", last)
    assert (plate.id in ("Plate1", "Plate2"), plate.count) == (True, 1)


def test_it_is_the_mug_and_not_the_machine_that_filled_it() -> None:
    last = known("fill the mug with coffee", call("Mug1"), call("CoffeeMachine1"))
    assert object_of("put it on the desk", last).categories[0] == "Mug"


@pytest.mark.parametrize(
    ("text", "goals"),
    [
        ("Shut the laptop and switch on the TV.", ["close(laptop)", "switch_on(tv)"]),
        ("Put the mug on the table and switch off the lamp.", ["place(mug, table, on)", "switch_off(lamp)"]),
        ("Bring me the laptop and lamp.", ["bring(laptop)", "bring(lamp)"]),
        ("The phone that's lying on the bed goes on the desk in there.", ["place(phone from bed, desk, on)"]),
    ],
)
def test_a_verb_behind_and_begins_another_clause(text: str, goals: list[str]) -> None:
    said = RULES.understand(text)
    assert isinstance(said, Understood)
    assert [str(goal) for goal in said.goals] == goals


@pytest.mark.parametrize(
    "text",
    [
        "put everything on the shelf on the bed but not the credit card",
        "put everything that's on the shelf on the bed, but not the credit card",
        "put everything from the shelf but the credit card on the bed",
    ],
)
def test_what_everything_does_not_mean_is_left_out(text: str) -> None:
    everything = object_of(text)
    assert [one.noun for one in everything.but] == ["credit card"]


def test_if_it_is_on_is_said_of_what_is_to_be_switched() -> None:
    last = known("put the book on the desk", call("Book1"))
    said = RULES.understand("turn the desk lamp off if it's on", last.themes, Aid(places=last.places))
    assert isinstance(said, Understood)
    assert str(said.goals[0]) == "switch_off(desk lamp) if on(desk lamp)"


def test_words_that_people_say_something_with_name_nothing() -> None:
    said = RULES.understand("For the soup I need the pot and the ladle, put them both on the counter.")
    assert not (isinstance(said, Understood) and "soup" in str(said.goals[0]))


@pytest.mark.parametrize(
    ("text", "goals"),
    [
        ("put all the plates in the sink but not the bowl on the table", ["place(all plates, sink, in)"]),
        ("put all the books on the shelf, not the book on the bed", ["place(all books, shelf, on)"]),
        ("bring all the mugs, not the mug on the shelf", ["bring(all mugs)"]),
        (
            "put all the cups in the cabinet but the mug in the sink",
            ["place(all cups, cabinet, in)", "place(mug, sink, in)"],
        ),
        ("put everything from the shelf but the credit card on the bed", ["place(all things from shelf, bed, on)"]),
    ],
)
def test_where_what_is_left_out_is_says_not_where_the_others_go(text: str, goals: list[str]) -> None:
    said = RULES.understand(text)
    assert isinstance(said, Understood)
    assert [str(goal) for goal in said.goals] == goals


@pytest.mark.parametrize(
    ("text", "goals"),
    [
        ("Not that one, the one from the bedroom.", ["bring(one of the bedroom)"]),
        ("Not that one. The one in the bedroom.", ["bring(one of the bedroom)"]),
        ("Not the mug, the cup.", ["bring(cup)"]),
        ("And the one in the bedroom.", ["bring(one of the bedroom)"]),
    ],
)
def test_another_one_is_brought_from_elsewhere(text: str, goals: list[str]) -> None:
    assert with_rooms(text, known("bring me the mug", call("Mug1"))) == goals


def test_the_same_is_done_in_another_room() -> None:
    last = known("switch on the lamp in the kitchen", call("FloorLamp1"))
    assert with_rooms("And in the bedroom.", last) == ["switch_on(one of the bedroom)"]


def with_rooms(text: str, last: Before) -> list[str]:
    """Return the goals of a text, with the rooms of their things where these are said."""
    said = RULES.understand(text, last.themes, Aid(places=last.places, asked=last.asked))
    assert isinstance(said, Understood)
    things = [(goal.predicate.value, goal.object) for goal in said.goals if goal.object is not None]
    rooms = [(what, ref, ref.place.room if ref.place is not None else ref.room) for what, ref in things]
    return [f"{what}({f'one of the {room}' if room else ref.noun})" for what, ref, room in rooms]


@pytest.mark.parametrize(
    ("text", "goals"),
    [
        ("Don't put the bowl in the fridge but on the table.", ["place(bowl, table)"]),
        ("Don't bring me the apple, but the bread.", ["bring(bread)"]),
        ("Don't turn on the TV but the lamp.", ["switch_on(lamp)"]),
        ("Take the potato and the tomato, no, just the tomato.", ["hold(tomato)"]),
        ("Bring me the apple, no, only the bread.", ["bring(bread)"]),
        ("Put the mug on the table, no, just on the chair.", ["place(mug, chair)"]),
        ("Take the mug in the kitchen and the bowl on the bed to the desk.", ["place(mug, desk)", "place(bowl, desk)"]),
        ("Carry the mug on the bed and the bowl to the desk.", ["place(mug, desk)", "place(bowl, desk)"]),
        ("Take the mug to the desk and the bowl to the bed.", ["place(mug, desk)", "place(bowl, bed)"]),
    ],
)
def test_what_is_wanted_instead_is_all_that_is_done(text: str, goals: list[str]) -> None:
    assert after(text, Before()) == goals


def test_them_all_are_those_that_were_put_to_where_the_last_thing_is() -> None:
    world = World(household())
    for name in ("Bread1", "Lettuce1", "AppleSliced1"):
        world.believe(Node(name, name[:-1], receptacle="Table1"), WORKING)
    handled = (call("Bread1", "Counter1", "on"), call("Lettuce1", "Counter1", "on"), call("AppleSliced1"))
    task = Task("cut the apple", ("slice(apple=Apple)",), True)
    last = before(
        [Recollection(WORKING, "w", "", task=task, handled=Handled("", handled))],
        Cases(household()),
        world,
        household(),
    )
    assert [ref.noun for ref in last.themes_of("put them all back")] == ["bread", "lettuce", "apple"]
    asked = replace(last, mentioned=(Goal(Predicate.FIND, ObjectRef(("Bowl",), "bowl")),))  # "is the bowl clean?"
    assert [ref.noun for ref in asked.themes_of("put them all back")] == ["bread", "lettuce", "apple"]
    assert [ref.noun for ref in asked.themes_of("put it back")] == ["bowl"]


COFFEE = ["place(another mug, CoffeeMachine1)", "switch_on(CoffeeMachine1)"]


@pytest.mark.parametrize(
    ("text", "goals"),
    [
        ("Another one for Bob, please.", COFFEE),
        ("One more, please.", COFFEE),
        ("Can I have another one?", [*COFFEE, "bring(another mug)"]),
    ],
)
def test_another_coffee_is_made_in_another_mug(text: str, goals: list[str]) -> None:
    assert after(text, known("make a coffee", call("Mug1"), call("CoffeeMachine1"))) == goals


@pytest.mark.parametrize(
    ("text", "goals"),
    [
        ("Two coffees, please.", ["place(2 mugs)", "switch_on(coffee machine)", "bring(2 mugs)"]),
        ("Bring a coffee to the desk.", ["place(mug)", "switch_on(coffee machine)", "place(mug)"]),
    ],
)
def test_coffee_is_made_before_it_is_brought(text: str, goals: list[str]) -> None:
    said = RULES.understand(text)
    assert isinstance(said, Understood)
    things = [(goal.predicate.value, goal.object) for goal in said.goals if goal.object is not None]
    assert [f"{what}({f'{ref.count} {ref.noun}s' if ref.count > 1 else ref.noun})" for what, ref in things] == goals
