# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the model is told before it chooses a call: how far it is, and what memory says of the calls."""

from __future__ import annotations

from dataclasses import replace

import pytest
from scripted_robot import thing

from karma_language.vocabulary import household
from planner_node.ground import Grounding
from planner_node.memory import GUIDELINE, TRAJECTORY, Advice, Guideline, Handled, Recollection, Task
from planner_node.reasoning.options import Option
from planner_node.reasoning.precedents import FAILED, WORKED, Precedents
from planner_node.reasoning.progress import Progress, can_tell
from planner_node.skills import Node, SkillCall, Target
from planner_node.understand.cases import Cases
from planner_node.understand.goals import ALL, Condition, Goal, ObjectRef, Predicate
from planner_node.world import SEEN, World

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
    call("SwitchOn", "Faucet"),
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


def noted(goals: tuple[Goal, ...], known: Recollection, offered: list[Option], *done: SkillCall) -> dict[str, str]:
    precedents = Precedents(goals, [known], Cases(LEXICON), LEXICON)
    return {one.text: one.note for one in precedents.noted(offered, done, World(LEXICON))}


@pytest.mark.parametrize(
    ("done", "following"),
    [
        (0, "PickupObject(Ladle)"),
        (1, "PutObject(SinkBasin)"),
        (2, "SwitchOn(Faucet)"),
        (3, "PickupObject(Ladle)"),
        (4, "PutObject(DiningTable)"),
    ],
)
def test_what_washed_a_fork_washes_a_ladle(done: int, following: str) -> None:
    mine = [
        call("PickupObject", "Ladle"),
        call("PutObject", "", "SinkBasin"),
        call("SwitchOn", "Faucet"),
        call("PickupObject", "Ladle"),
        call("PutObject", "", "DiningTable"),
    ]
    offered = options(call("PutObject", "", "CounterTop"), call("PickupObject", "Spoon"), mine[done])
    said = noted(WASH, FORK, offered, *mine[:done])
    assert {text: note for text, note in said.items() if note} == {following: WORKED}
    assert next(iter(said)) == following  # it comes first


def test_a_step_that_is_not_to_be_done_here_is_passed_over() -> None:
    assert noted(WASH, FORK, options(call("SwitchOn", "Faucet")))["SwitchOn(Faucet)"] == WORKED


def test_a_way_that_failed_is_no_example() -> None:
    failed = Recollection(TRAJECTORY, "x", "", task=Task("wash the fork", FORK.task.goals, False), handled=FORK.handled)
    assert not any(noted(WASH, failed, options(call("PickupObject", "Ladle"))).values())


def test_a_slice_stands_for_the_slice_of_the_other_thing() -> None:
    bread, board = ObjectRef(("Bread",), "bread", entity=1), ObjectRef(("Plate",), "plate", entity=2)
    past = Recollection(
        TRAJECTORY,
        "x",
        "",
        task=Task("", ("place(apple=Apple, plate=Plate, on)",), True),
        handled=Handled("", (call("PickupObject", "AppleSliced"),)),
    )
    goals = (Goal(Predicate.PLACE, bread, board, "on"),)
    said = noted(goals, past, options(call("PickupObject", "Bread"), call("PickupObject", "BreadSliced")))
    assert said == {"PickupObject(BreadSliced)": WORKED, "PickupObject(Bread)": ""}


def test_what_failed_before_is_marked() -> None:
    avoid = Guideline(Advice.AVOID, skill="PutObject", receptacle="Microwave", message="it is full")
    known = Recollection(GUIDELINE, "guideline:1", "", guideline=avoid)
    said = noted(WASH, known, options(call("PutObject", "", "Microwave"), call("PutObject", "", "SinkBasin")))
    assert said == {"PutObject(Microwave)": FAILED, "PutObject(SinkBasin)": ""}


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
    assert left((every,), known) == []


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
