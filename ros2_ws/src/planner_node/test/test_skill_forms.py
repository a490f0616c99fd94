# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""KARMA's action code and MEMENTO's actions: read, written, and refused with a reason."""

from __future__ import annotations

import contextlib
import dataclasses

import pytest
from household_robot import HouseholdRobot
from hypothesis import given, settings
from hypothesis import strategies as st

from planner_node.skill_forms import Form, FormError, form_of, may_be_plan, print_call, print_plan, read
from planner_node.skill_forms.written import LONGEST_PLAN, MOST_CALLS
from planner_node.skills import Point, SkillCall, SkillTable, Target
from sim_bridge.household.backend import HouseholdBackend

TABLE: SkillTable = HouseholdRobot(HouseholdBackend("FloorPlan1")).skills()

FIGURE_8 = """
def turn_off_light_and_look_for_an_apple():
    # 0: SubTask 1: Turn off the light
    # 1: Explore the LightSwitch.
    Explore(robot,'LightSwitch')
    # 2: Switch off the LightSwitch.
    SwitchOff(robot,'LightSwitch')
    areas = [(1.0, -2, 0.0), (3, 4.5, 0)]
    Explore(robots[0], 'Apple', areas)
turn_off_light_and_look_for_an_apple()
"""

numbers = st.floats(-1e4, 1e4, allow_nan=False)
points: st.SearchStrategy[Point] = st.tuples(numbers, numbers, numbers)
letters = st.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=1, max_size=12)
categories = letters.filter(lambda word: word != "None").map(lambda word: Target(category=word))
ids = st.builds(lambda word, tail: Target(f"{word}|{tail:+06.2f}"), letters, numbers)
targets = st.one_of(categories, ids, points.map(lambda point: Target(position=point)))


@st.composite
def calls(draw: st.DrawFn) -> SkillCall:
    """Any call that the table takes."""
    spec = draw(st.sampled_from([TABLE[name] for name in TABLE]))
    call = SkillCall(spec.name)
    for parameter in spec.parameters:
        if not parameter.required and draw(st.booleans()):
            continue
        values = {
            "target": st.one_of(categories, ids) if spec.name == "Explore" else targets,
            "receptacle": targets,
            "relation": st.sampled_from(parameter.choices or ("on",)),
            "positions": st.lists(points, min_size=1, max_size=4).map(tuple),
            "duration": st.floats(0.1, 1000),
        }[parameter.name]
        call = dataclasses.replace(call, **{parameter.name: draw(values)})
    return call


@given(st.lists(calls(), min_size=1, max_size=5), st.sampled_from(Form))
def test_what_is_written_is_read_again(plan, form):
    assert [one.call for one in read(print_plan(plan, TABLE, form), TABLE)] == plan


@given(calls(), points)
def test_karmas_form_keeps_where_a_thing_is_remembered(call, place):
    if call.target.id:
        call = dataclasses.replace(call, target=dataclasses.replace(call.target, position=place))
    assert read(print_call(call, TABLE, Form.KARMA), TABLE)[0].call == call


@given(st.text(max_size=300))
@settings(max_examples=200)
def test_no_text_does_anything_but_be_read_or_refused(text):
    for form in (None, *Form):
        with contextlib.suppress(FormError):
            assert read(text, TABLE, form)


@given(st.text(alphabet="PickupObject(robot,'A')[]\n \t#=1.", max_size=120))
def test_nor_does_a_text_that_is_almost_a_plan(text):
    test_no_text_does_anything_but_be_read_or_refused.hypothesis.inner_test(text)


def test_the_papers_action_code_is_read():
    plan = read(FIGURE_8, TABLE)
    assert [str(one.call) for one in plan] == [
        "Explore(LightSwitch)",
        "SwitchOff(LightSwitch)",
        "Explore(Apple, 2 positions)",
    ]
    assert [one.line for one in plan] == [5, 7, 9]
    assert plan[2].call.positions == ((1.0, -2.0, 0.0), (3.0, 4.5, 0.0))


def test_exploring_may_look_for_nothing_in_particular():
    spots = ((1.0, 2.0, 0.0), (3.0, 4.0, 0.0))
    for text in (
        f"Explore(robot, {list(spots)})",
        f"Explore(robot, None, {list(spots)})",
        f"Explore[{spots[0]}, {spots[1]}]",
    ):
        assert read(text, TABLE)[0].call == SkillCall("Explore", positions=spots)


def test_what_is_held_may_be_named_where_it_is_put():
    for text in (
        "PutObject(robot, 'Apple', 'Sink')",
        "PutObject(robot, 'Sink')",
        "PutObject(robot, receptacle='Sink')",
    ):
        assert read(text, TABLE)[0].call == SkillCall("PutObject", receptacle=Target(category="Sink"))
    inside = read("PutObject(robot, 'Sink', 'in')", TABLE)[0].call
    assert inside.relation == "in"
    assert inside.receptacle.category == "Sink"


def test_the_papers_mementos_are_read():
    plan = read(
        "Thought: the book goes on the table.\n"
        "Action: Navigate[counter_22]\n"
        "Pick[cup_1]\n"
        "Place[book_0, on, table_2, None, None]\n"
        "Place[book_0, within, table_2, next_to, cup_1]\n"
        "Open[chest_of_drawers_1]\n"
        "FindObjectTool[toys on the floor]\n"
        "Wait[]\n",
        TABLE,
    )
    assert [str(one.call) for one in plan] == [
        "Navigate(counter_22)",
        "Pick(cup_1)",
        "Place(book_0, table_2, on)",
        "Place(book_0, cup_1, near)",
        "OpenObject(chest_of_drawers_1)",
        "FindObject(toys on the floor)",
        "Wait()",
    ]
    assert plan[-1].call.duration == 1.0


def test_mementos_form_is_written_as_the_paper_has_it():
    table, cup = Target("table_2"), Target("cup_1")
    assert (
        print_call(SkillCall("Place", cup, table, "on"), TABLE, Form.MEMENTO) == "Place[cup_1, on, table_2, None, None]"
    )
    assert print_call(SkillCall("OpenObject", table), TABLE, Form.MEMENTO) == "Open[table_2]"
    assert print_call(SkillCall("DescribeObject", cup), TABLE, Form.MEMENTO) == "DescribeObjectTool[cup_1]"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("PickUp(robot, 'Apple')", "line 1: there is no skill 'PickUp'; did you mean Pick or PickupObject?"),
        ("# first\nPickUp('Apple')", "line 2: there is no skill 'PickUp'; did you mean Pick or PickupObject?"),
        ("Bake['Apple']", "line 1: there is no skill 'Bake'; the skills are"),
        ("Frobnicate('Apple')", "line 1: there is no skill 'Frobnicate'; the skills are"),
        ("PickupObject(robot)", "line 1: PickupObject needs target"),
        ("\nPickupObject(robot, 3)", "line 2: PickupObject: target is an object or a position"),
        ("PickupObject(robot, apple)", "line 1: 'apple' stands for nothing; write objects in quotes"),
        ("PickupObject(robot, 'Apple', 'Bowl')", "given 2 arguments; it takes target"),
        ("ThrowObject(robot, 'Knife')", "ThrowObject is given 1 argument; it takes no arguments"),
        ("PutObject(robot, 'Cup', 'Shelf', 'on', 3)", "PutObject is given 4 arguments; it takes receptacle"),
        ("PickupObject(robot, target='A', target='B')", "line 1: arguments can't be unpacked with ** or given twice"),
        ("PickupObject(robot, 'A', target='B')", "given target twice"),
        ("PutObject(robot, 'Sink', relation='over')", "relation 'over' is none of on, in, near"),
        ("Explore(robot, 'Apple', [1, 2])", "a list holds positions"),
        ("PickupObject(robot, __import__('os'))", "an argument is a text in quotes"),
        ("PickupObject(robot, 'Apple'); open('x')", "there is no skill 'open'; did you mean Open?"),
        ("x = robot.hand\nPickupObject(robot, x)", "line 1: an argument is a text"),
        ("Wait(robot, 'long')", "duration is a number of seconds"),
        ("Wait(robot, -3)", "duration must be a finite number of seconds"),
        ("Pick[cup_1", "line 1: this is no action such as Pick[cup_1]"),
        ("Pick[cup_1]\nput it down", "line 2: this is no action"),
        ("Place[cup_1, on, table_2, left_of, bowl_1]", "Place's last two arguments are next_to and an object"),
        ("Place[cup_1, beside, table_2]", "relation 'beside' is none of on, in, near"),
    ],
)
def test_a_complaint_says_what_is_wrong_where(text, complaint):
    with pytest.raises(FormError) as raised:
        read(text, TABLE)
    assert complaint in str(raised.value)


def test_every_wrong_line_is_named():
    with pytest.raises(FormError) as raised:
        read("PickupObject(robot, 'Apple')\nGrab(robot, 'Bowl')\nWait(robot, 'x')", TABLE)
    assert [trouble.line for trouble in raised.value.troubles] == [2, 3]


def test_loops_and_conditions_are_not_run():
    with pytest.raises(FormError, match="For"):
        read("for i in range(10**9):\n    PickupObject(robot, 'Apple')", TABLE, Form.KARMA)


@pytest.mark.parametrize(
    "text",
    [
        "x" * (LONGEST_PLAN + 1),
        "Wait(robot, 1)\n" * (MOST_CALLS + 1),
        "Wait[1]\n" * (MOST_CALLS + 1),
        f"Wait(robot, {'(' * 5000}1{')' * 5000})",
        f"PickupObject(robot, '{'a' * 1000}')",
        f"Wait(robot, {'9' * 5000})",
        "Wait(robot, 1" + "+1" * 5000 + ")",
        "",
        "\0",
    ],
    ids=range(9),
)
def test_there_are_limits(text):
    for form in Form:
        with pytest.raises(FormError):
            read(text, TABLE, form)


def test_what_a_form_has_no_room_for_is_not_written():
    with pytest.raises(FormError, match="can't express"):
        print_call(SkillCall("Pick", Target("a, b]")), TABLE, Form.MEMENTO)
    with pytest.raises(FormError, match="no skill 'Fly'"):
        print_call(SkillCall("Fly"), TABLE, Form.KARMA)


@pytest.mark.parametrize(
    "text",
    ["Bring me an apple.", "Wait (for me)", "Put the cup (the red one) in the sink", "Cup(s) in the sink!", ""],
)
def test_english_is_no_plan(text):
    assert form_of(text, TABLE) is None


def test_a_call_by_mementos_name_is_a_plan_without_the_robot_too():
    (planned,) = read("Open('Drawer')", TABLE)
    assert (form_of("Open('Drawer')", TABLE), planned.call.skill) == (Form.KARMA, "OpenObject")


def test_only_what_is_written_like_a_plan_is_looked_up_in_the_table():
    assert may_be_plan(FIGURE_8)
    assert may_be_plan("Cup(s) in the sink!")
    assert not may_be_plan("Bring me an apple.")
