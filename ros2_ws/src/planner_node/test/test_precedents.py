# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the model chooses among: what may be done, how far it is, and what memory says of the calls."""

from __future__ import annotations

from dataclasses import replace

import pytest
from household_robot import HouseholdRobot
from scripted_robot import ScriptedRobot, thing

from karma_language.vocabulary import household
from planner_node.ground.names import Grounding
from planner_node.memory import GUIDELINE, TRAJECTORY, Advice, Guideline, Handled, Recollection, Task
from planner_node.plan.reasoning.options import About, Option, Options
from planner_node.plan.reasoning.precedents import FAILED, WORKED, Precedents
from planner_node.plan.reasoning.progress import Progress, can_tell
from planner_node.skills import Node, SkillCall, Target
from planner_node.understand.cases import Cases
from planner_node.understand.goals import ALL, Condition, Goal, ObjectRef, Predicate
from planner_node.world import SEEN, World
from sim_bridge.household.backend import HouseholdBackend

LEXICON = household()
LADLE = ObjectRef(("Ladle",), "ladle", entity=1)
TABLE = ObjectRef(("DiningTable",), "table", entity=2)
WASH = (Goal(Predicate.CLEAN, LADLE), Goal(Predicate.PLACE, LADLE, TABLE, "on"))


def call(skill: str, category: str, receptacle: str = "") -> SkillCall:
    return SkillCall(skill, Target("", category), Target("", receptacle))


def options(*calls: SkillCall) -> list[Option]:
    return [Option(f"{one.skill}({one.receptacle.category or one.target.category})", one) for one in calls]


WAY = (
    call("PickupObject", "Fork"),
    call("PutObject", "Fork", "SinkBasin"),
    call("ToggleOn", "Faucet"),
    call("PickupObject", "Fork"),
    call("PutObject", "Fork", "Drawer"),
)
FORK = Recollection(
    TRAJECTORY,
    "trajectory:fork",
    "Worked before",
    task=Task("wash the fork", ("clean(fork=Fork)", "place(fork=Fork, drawer=Drawer, in)"), True),
    handled=Handled("", WAY),
)


APPLE = ObjectRef(("Apple",), "apple", entity=1, states=frozenset({"hot", "sliced"}))
HEATED = Recollection(
    TRAJECTORY,
    "trajectory:bread",
    "Worked before",
    task=Task("put a warm slice of bread on the plate", ("place(bread=BreadSliced, plate=Plate, on)",), True),
    handled=Handled(
        "",
        (
            call("PickupObject", "Knife"),
            call("SliceObject", "Bread"),
            call("PutObject", "Knife", "CounterTop"),
            call("PickupObject", "BreadSliced"),
            call("OpenObject", "Microwave"),
            call("PutObject", "BreadSliced", "Microwave"),
            call("CloseObject", "Microwave"),
            call("ToggleOn", "Microwave"),
            call("OpenObject", "Microwave"),
            call("PickupObject", "BreadSliced"),
            call("PutObject", "BreadSliced", "Plate"),
        ),
    ),
)


FORK_WAY_OF_A_LADLE = (
    call("PickupObject", "Ladle"),
    call("PutObject", "", "SinkBasin"),
    call("ToggleOn", "Faucet"),
)


def holding(category: str) -> World:
    """Return a world in which such a thing is held."""
    known = World(LEXICON)
    known.believe(thing(f"{category}1"), SEEN)
    known.held = f"{category}1"
    return known


def noted(
    goal: Goal,
    known: Recollection,
    offered: list[Option],
    *done: SkillCall,
    missing: str = "",
    world: World | None = None,
) -> dict[str, str]:
    precedents = Precedents([known], ScriptedRobot().skills(), Cases(LEXICON), LEXICON)
    taken = [one for one in done if one.skill in ("PickupObject", "PutObject")]
    holds = taken and taken[-1].skill == "PickupObject"
    at = world or (holding(taken[-1].target.category) if holds else World(LEXICON))
    found = precedents.noted(offered, done, at, goal, frozenset(missing.split()))
    return {one.text: one.note for one in found}


@pytest.mark.parametrize(
    ("goal", "missing", "done", "following"),
    [
        (0, "clean", 0, "PickupObject(Ladle)"),
        (0, "clean", 1, "PutObject(SinkBasin)"),
        (0, "clean", 2, "ToggleOn(Faucet)"),
        (1, "", 3, "PickupObject(Ladle)"),
        (1, "", 4, "PutObject(DiningTable)"),
    ],
)
def test_what_washed_a_fork_washes_a_ladle(goal: int, missing: str, done: int, following: str) -> None:
    mine = [
        call("PickupObject", "Ladle"),
        call("PutObject", "", "SinkBasin"),
        call("ToggleOn", "Faucet"),
        call("PickupObject", "Ladle"),
        call("PutObject", "", "DiningTable"),
    ]
    offered = options(call("PutObject", "", "CounterTop"), call("PickupObject", "Spoon"), mine[done])
    said = noted(WASH[goal], FORK, offered, *mine[:done], missing=missing)
    assert {text: note for text, note in said.items() if note} == {following: WORKED}
    assert next(iter(said)) == following  # it comes first


SLICED = (call("PickupObject", "Knife"), call("SliceObject", "Apple"), call("PutObject", "Knife", "Drawer"))
IN_THE_MICROWAVE = (call("PickupObject", "AppleSliced"), call("PutObject", "", "Microwave"))


@pytest.mark.parametrize(
    ("missing", "done", "offered", "following"),
    [
        ("sliced", (), call("PickupObject", "Knife"), WORKED),
        ("sliced", SLICED[:1], call("SliceObject", "Apple"), WORKED),
        ("hot", SLICED, call("PickupObject", "AppleSliced"), WORKED),
        ("hot", SLICED, call("PickupObject", "Apple"), ""),
        (
            "hot",
            (*SLICED, call("OpenObject", "Microwave"), *IN_THE_MICROWAVE),
            call("CloseObject", "Microwave"),
            WORKED,
        ),
        ("hot", (*SLICED, call("OpenObject", "Microwave"), *IN_THE_MICROWAVE), call("PickupObject", "AppleSliced"), ""),
    ],
)
def test_what_heated_a_slice_of_bread_heats_one_of_an_apple_for_another_end(
    missing: str, done: tuple[SkillCall, ...], offered: SkillCall, following: str
) -> None:
    said = noted(Goal(Predicate.HEAT, APPLE), HEATED, options(offered), *done, missing=missing)
    assert list(said.values()) == [following]


def test_a_detour_does_not_matter() -> None:
    aside = (call("PickupObject", "Ladle"), call("PutObject", "", "CounterTop"), call("PickupObject", "Ladle"))
    said = noted(WASH[0], FORK, options(call("PutObject", "", "SinkBasin")), *aside, missing="clean")
    assert said == {"PutObject(SinkBasin)": WORKED}


@pytest.mark.parametrize("is_open", [True, False, None])
def test_what_is_open_already_is_passed_over(is_open: bool | None) -> None:
    at = holding("AppleSliced")
    states = {"isOpen": str(is_open).lower()} if is_open is not None else {}
    at.believe(thing("Microwave", (1, 2, 0), movable=False, states=states), SEEN)
    taken = (*SLICED, call("PickupObject", "AppleSliced"))
    offered = options(call("PutObject", "", "Microwave"))
    said = noted(Goal(Predicate.HEAT, APPLE), HEATED, offered, *taken, missing="hot", world=at)
    assert said == {"PutObject(Microwave)": WORKED if is_open else ""}


def test_the_second_thing_is_washed_as_the_first_was() -> None:
    done = (*FORK_WAY_OF_A_LADLE, call("ToggleOff", "Faucet"))
    spoon = Goal(Predicate.CLEAN, ObjectRef(("Spoon",), "spoon", entity=5))
    said = noted(spoon, FORK, options(call("PickupObject", "Spoon")), *done, missing="clean")
    assert said == {"PickupObject(Spoon)": WORKED}


def test_what_a_thing_becomes_by_being_put_away_is_nothing_that_it_was_to_become() -> None:
    way = (call("PickupObject", "Egg"), call("PutObject", "Egg", "Fridge"), call("CloseObject", "Fridge"))
    task = Task("put the egg in the fridge", ("place(egg=Egg, fridge=Fridge, in)",), True)
    known = Recollection(TRAJECTORY, "x", "", task=task, handled=Handled("", way))
    goal = Goal(Predicate.PLACE, LADLE, ObjectRef(("Fridge",), "fridge", entity=2), "in")
    assert noted(goal, known, options(call("PickupObject", "Ladle"))) == {"PickupObject(Ladle)": WORKED}


def test_working_memory_is_no_way() -> None:
    assert not any(noted(WASH[0], replace(FORK, kind="working"), options(call("PickupObject", "Ladle"))).values())


def test_what_is_not_known_is_looked_for_and_what_hides_it_is_opened() -> None:
    explore = Option("Explore(ladle)", call("Explore", "Ladle"), looks_for=(LADLE, 0))
    assert noted(WASH[0], FORK, [explore], missing="clean") == {"Explore(ladle)": WORKED}
    at = world(thing("Drawer", (2, 0, 0)), thing("Ladle", (2, 0, 0), receptacle="Drawer", relation="in"))
    opens = Option("OpenObject(Drawer)", SkillCall("OpenObject", Target("Drawer", "Drawer")))
    assert noted(WASH[0], FORK, [opens], missing="clean", world=at) == {"OpenObject(Drawer)": WORKED}


def test_a_way_that_failed_shows_but_how_a_state_was_brought_about() -> None:
    assert FORK.task is not None
    failed = replace(FORK, task=replace(FORK.task, succeeded=False))
    assert noted(WASH[0], failed, options(call("PickupObject", "Ladle")), missing="clean") == {
        "PickupObject(Ladle)": WORKED
    }
    done = (call("PickupObject", "Ladle"), call("PutObject", "", "SinkBasin"), call("ToggleOn", "Faucet"))
    assert not any(noted(WASH[1], failed, options(call("PickupObject", "Ladle")), *done).values())


def test_what_failed_before_is_marked() -> None:
    avoid = Guideline(Advice.AVOID, skill="PutObject", receptacle="Microwave", message="it is full")
    known = Recollection(GUIDELINE, "guideline:1", "", guideline=avoid)
    said = noted(WASH[0], known, options(call("PutObject", "", "Microwave"), call("PutObject", "", "SinkBasin")))
    assert said == {"PutObject(Microwave)": FAILED, "PutObject(SinkBasin)": ""}


def test_what_memory_warns_of_is_not_what_comes_next() -> None:
    avoid = Guideline(Advice.AVOID, skill="PickupObject", category="Ladle", message="it is stuck")
    warns = Recollection(GUIDELINE, "guideline:1", "", guideline=avoid)
    precedents = Precedents([FORK, warns], ScriptedRobot().skills(), Cases(LEXICON), LEXICON)
    offered = options(call("PickupObject", "Ladle"))
    (found,) = precedents.noted(offered, (), World(LEXICON), WASH[0], frozenset({"clean"}))
    assert found.note == FAILED


# What may be done


def offered(known: World, about: About) -> list[str]:
    table = HouseholdRobot(HouseholdBackend("FloorPlan1")).skills()
    return [one.text for one in Options(table, LEXICON, Grounding(known, LEXICON)).now(known, about)]


def test_what_heats_something_is_closed_and_switched_on_with_it_inside() -> None:
    microwave = thing("Microwave", (1, 2, 0), movable=False, states={"isOpen": "true", "isToggled": "false"})
    known = world(microwave, thing("Apple", (1, 2, 0), receptacle="Microwave", relation="in"))
    hot = frozenset({"hot"})
    assert "CloseObject(Microwave)" in offered(known, About([APPLE], hot, hot, sets=False))


def test_what_runs_is_switched_off_before_what_is_in_it_is_taken_out() -> None:
    microwave = thing("Microwave", (1, 2, 0), movable=False, states={"isOpen": "false", "isToggled": "true"})
    hot = thing("Apple", (1, 2, 0), receptacle="Microwave", relation="in", states={"temperature": "Hot"})
    calls = offered(world(microwave, hot), About([APPLE, TABLE], frozenset(), sets=False))
    assert "SwitchOff(Microwave)" in calls
    assert "OpenObject(Microwave)" not in calls


def test_what_only_memory_knows_may_be_looked_for() -> None:
    known = world()
    known.believe(thing("Apple", (3, 0, 0)), "long_term")
    about = About([APPLE], frozenset({"clean"}), sets=False, stays=lambda name: name == "Apple")
    assert "Explore(apple)" in offered(known, about)
    known.believe(thing("Apple", (3, 0, 0)), SEEN)
    assert "Explore(apple)" not in offered(known, about)


# How far it is


def world(*things: Node) -> World:
    known = World(LEXICON)
    for node in (Node("Table", "DiningTable", position=(1, 0, 0)), *things):
        known.believe(node, SEEN)
    return known


def left(goals: tuple[Goal, ...], known: World) -> list[Predicate]:
    return [goal.predicate for goal in Progress(goals, known, Grounding(known, LEXICON), LEXICON).left()]


def test_one_thing_has_to_fit_all_that_is_asked_of_it() -> None:
    washed = thing("Ladle1", (3, 0, 0), states={"washed": "true"})
    there = thing("Ladle2", (1, 0, 0), receptacle="Table", relation="on")
    assert left(WASH, world()) == [Predicate.CLEAN, Predicate.PLACE]
    assert len(left(WASH, world(washed, there))) == 1
    both = thing("Ladle1", (1, 0, 0), receptacle="Table", relation="on", states={"washed": "true"})
    known = world(both)
    known.taken_from["Ladle1"] = ("", "")
    assert left(WASH, known) == []


def test_what_was_there_all_along_is_not_what_a_spoon_is_put_there_for() -> None:
    spoon = ObjectRef(("Spoon",), "spoon", entity=1)
    known = world(thing("Spoon1", (1, 0, 0), receptacle="Table", relation="on"))
    goal = Goal(Predicate.PLACE, spoon, TABLE, "on")
    assert left((goal,), known) == [Predicate.PLACE]
    every = Goal(Predicate.PLACE, ObjectRef(("Spoon",), "spoons", entity=1, count=ALL), TABLE, "on")
    assert can_tell(goal)
    assert not can_tell(every)  # there may be more


def test_what_is_taken_to_be_put_somewhere_need_not_stay_in_the_hand() -> None:
    takes, puts = Goal(Predicate.HOLD, LADLE), Goal(Predicate.PLACE, LADLE, TABLE, "on")
    known = world(thing("Ladle1", (3, 0, 0)))
    assert left((takes, puts), known) == [Predicate.HOLD, Predicate.PLACE]
    known.taken_from["Ladle1"] = ("", "")
    assert left((takes, puts), known) == [Predicate.PLACE]
    assert left((takes,), known) == [Predicate.HOLD]


def test_two_are_two() -> None:
    two = ObjectRef(("Spoon",), "spoons", entity=1, count=2)
    one, other = (thing(f"Spoon{n}", (1, n, 0), receptacle="Table", relation="on") for n in (1, 2))
    known = world(one)
    known.taken_from["Spoon1"] = ("", "")
    assert left((Goal(Predicate.PLACE, two, TABLE, "on"),), known) == [Predicate.PLACE]
    known.believe(other, SEEN)
    known.taken_from["Spoon2"] = ("", "")
    assert left((Goal(Predicate.PLACE, two, TABLE, "on"),), known) == []


def test_cutting_comes_before_all_else() -> None:
    slice_ = ObjectRef(("Apple",), "apple slice", entity=1, states=frozenset({"sliced"}))
    known = world(thing("Apple1", (3, 0, 0)))
    progress = Progress((heat := Goal(Predicate.HEAT, slice_),), known, Grounding(known, LEXICON), LEXICON)
    assert progress.missing(heat) == {"sliced"}
    known.believe(thing("AppleSliced1", (3, 0, 0)), SEEN)
    assert progress.missing(heat) == {"hot"}
    assert progress.lines() == ["heat the sliced apple slice: not yet"]


def test_the_thing_that_is_meant_counts_and_no_other() -> None:
    book = ObjectRef(("Book",), "book", entity=1, definite=True, place=ObjectRef(("Shelf",), "shelf", entity=3))
    bed = ObjectRef(("Bed",), "bed", entity=2)
    known = world(
        Node("Bed1", "Bed", position=(4, 0, 0)),
        Node("Shelf1", "Shelf", position=(6, 0, 0)),
        thing("Book1", (4, 0, 0), receptacle="Bed1", relation="on"),
        thing("Book2", (6, 0, 0), receptacle="Shelf1", relation="on"),
    )
    assert left((Goal(Predicate.PLACE, book, bed, "on"),), known) == [Predicate.PLACE]


def test_what_is_not_known_to_be_open_is_not_open() -> None:
    known = world(thing("Drawer1", (2, 0, 0)), thing("Faucet1", (3, 0, 0)))
    drawer, tap = (ObjectRef((name,), name.lower(), entity=n) for n, name in enumerate(("Drawer", "Faucet"), 1))
    assert left((Goal(Predicate.OPEN, drawer),), known) == [Predicate.OPEN]
    assert left((Goal(Predicate.SWITCH_OFF, tap),), known) == [Predicate.SWITCH_OFF]


def test_mere_looking_and_conditions_are_left_to_the_task_planner() -> None:
    goal = Goal(Predicate.SWITCH_OFF, LADLE)
    assert can_tell(goal)
    assert not can_tell(replace(goal, condition=Condition(LADLE, "on")))
    assert not can_tell(Goal(Predicate.FIND, LADLE))
    assert not can_tell(Goal(Predicate.THROW, LADLE))
