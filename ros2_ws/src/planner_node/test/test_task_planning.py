# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Plans for robots with other skills, plans that are valid and cheap, and why there is none."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace

import pytest
from household_robot import DictMemory
from scripted_robot import TABLE, ScriptedRobot, shows, thing

from karma_language.vocabulary import household
from planner_node.ground.names import Grounding
from planner_node.plan.exploring import Exploring
from planner_node.plan.handling import Handling
from planner_node.plan.task_planning import domain
from planner_node.plan.task_planning.domain import Domain, Thing
from planner_node.plan.task_planning.known import completed
from planner_node.plan.task_planning.literals import Literal, LiteralError
from planner_node.plan.task_planning.physics import Physics, PhysicsError, household_physics
from planner_node.plan.task_planning.pursuing import Pursuit
from planner_node.plan.task_planning.schemas import schemas
from planner_node.plan.task_planning.situation import Role, Wish
from planner_node.plan.task_planning.solving import NoPlan, Operator, solve
from planner_node.plan.task_planning.telling import no_skill
from planner_node.planner import Instruction, Planner, Stage, Unobserved
from planner_node.skills import Code, Node, SkillParameter, SkillSpec, SkillTable
from planner_node.understand.goals import ObjectRef
from planner_node.understand.hearing import Hearing
from planner_node.world import SEEN, World
from sim_bridge.skills import SKILLS

APPLE = thing("Apple1", (1, 0, 1), movable=True)
TABLE1 = thing("DiningTable1", (3, 0, 1))
CABINET = thing("Cabinet1", (5, 0, 1), states={"isOpen": "false"})
SINK, TAP = thing("SinkBasin1", (6, 0, 1)), thing("Faucet1", (6, 0.4, 1))
TARGET = SkillParameter("target", required=True)
RECEPTACLE = SkillParameter("receptacle", "receptacle", required=True)


class OtherRobot(ScriptedRobot):
    """A scripted robot with a skill table of its own."""

    def __init__(self, specs: Sequence[SkillSpec], answers: dict[str, list[object]] | None = None) -> None:
        super().__init__(answers)  # type: ignore[arg-type]
        self._table = SkillTable(specs)

    def skills(self) -> SkillTable:
        return self._table


def carry_out(robot: ScriptedRobot, text: str, *nodes: Node, dry_run: bool = False) -> tuple[Code, str, list[str]]:
    """Return the code, the message, and what the robot did; where it is a dry run, what it would do."""
    memory = DictMemory([node for node in nodes if not node.movable])
    memory.nodes = {node.id: node for node in nodes if node.movable}
    planner = Planner(robot, memory, Hearing(household()), household())
    report = planner.run(Instruction(text, dry_run=dry_run))
    return report.code, report.message, [str(o.call) for o in report.outcomes] if dry_run else robot.log


# Other robots


PICK_AND_PLACE = (
    SkillSpec(
        "Pick",
        parameters=(TARGET,),
        preconditions=("located(target)", "pickupable(target)", "handempty()"),
        effects=("holding(target)", "not handempty()"),
    ),
    SkillSpec(
        "Place",
        parameters=(TARGET, RECEPTACLE),
        preconditions=("holding(target)", "located(receptacle)"),
        effects=("handempty()", "not holding(target)", "on(target, receptacle)"),
    ),
)


def test_a_robot_that_drives_as_it_picks_and_places_needs_no_other_skill() -> None:
    code, message, log = carry_out(OtherRobot(PICK_AND_PLACE), "put the apple on the table", APPLE, TABLE1)
    assert (code, log) == (Code.SUCCESS, ["Pick(Apple1)", "Place(Apple1, DiningTable1)"]), message


def test_a_robot_that_calls_its_skills_otherwise_is_planned_for_by_what_they_do() -> None:
    grasp, drop = (
        SkillSpec(name, "", spec.parameters, spec.preconditions, spec.effects)
        for name, spec in zip(("Grasp", "Drop"), PICK_AND_PLACE, strict=True)
    )
    code, message, log = carry_out(OtherRobot([grasp, drop]), "put the apple on the table", APPLE, TABLE1)
    assert (code, log[0]) == (Code.SUCCESS, "Grasp(Apple1)"), message
    assert "Drop(Apple1, DiningTable1)" in log


def _with_a_lock() -> list[SkillSpec]:
    lock = SkillSpec(
        "Unlock", parameters=(TARGET,), preconditions=("reachable(target)",), effects=("not locked(target)",)
    )
    opens = TABLE["OpenObject"]
    needs = (*opens.preconditions, "not locked(target)")
    locked = SkillSpec("OpenObject", "", opens.parameters, needs, opens.effects)
    return [lock, locked, *(spec for name, spec in TABLE.items() if name != "OpenObject")]


def test_what_is_known_to_be_locked_is_unlocked_before_it_is_opened() -> None:
    shut = thing("Cabinet1", (5, 0, 1), states={"isOpen": "false", "isLocked": "true"})
    code, message, log = carry_out(OtherRobot(_with_a_lock()), "open the cabinet", shut)
    assert (code, log) == (Code.SUCCESS, ["GoToObject(Cabinet1)", "Unlock(Cabinet1)", "OpenObject(Cabinet1)"]), message


def test_what_turns_out_to_be_locked_is_unlocked_then() -> None:
    robot = OtherRobot(_with_a_lock(), {"OpenObject": [(Code.PRECONDITION_FAILURE, "it is locked"), Code.SUCCESS]})
    code, message, log = carry_out(robot, "put the apple in the cabinet", APPLE, CABINET)
    assert code is Code.SUCCESS, message
    assert log[2:] == [
        "GoToObject(Cabinet1)",
        "OpenObject(Cabinet1)",
        "Unlock(Cabinet1)",
        "OpenObject(Cabinet1)",
        "PutObject(Cabinet1)",
        "CloseObject(Cabinet1)",
    ]


def test_a_skill_whose_table_says_nonsense_is_not_planned_with() -> None:
    nonsense = SkillSpec("Juggle", parameters=(TARGET,), preconditions=("holding(",), effects=("holding(target)",))
    names = [schema.spec.name for schema in schemas(SkillTable([nonsense, *TABLE.values()]), household_physics())]
    assert "Juggle" not in names
    assert "PickupObject" in names


def _silent(names: Iterable[str]) -> list[SkillSpec]:
    return [replace(spec, preconditions=(), effects=()) for name, spec in TABLE.items() if name in names]


def test_a_robot_that_says_of_no_skill_what_it_does_is_planned_for_with_what_is_known_of_them(
    caplog: pytest.LogCaptureFixture,
) -> None:
    completed.cache_clear()
    with caplog.at_level("INFO"):
        code, message, log = carry_out(OtherRobot(_silent(TABLE)), "put the apple in the cabinet", APPLE, CABINET)
    assert code is Code.SUCCESS, message
    assert log[-3:] == ["OpenObject(Cabinet1)", "PutObject(Cabinet1)", "CloseObject(Cabinet1)"]
    assert "does not say what PutObject does" in caplog.text


def test_what_is_known_of_skills_is_what_karmas_table_says() -> None:
    for spec in SKILLS.values():
        parameters = tuple(SkillParameter(p.name) for p in spec.parameters)
        known = completed(SkillSpec(spec.name, parameters=parameters))
        if known.effects:
            needs = tuple(o for o in spec.preconditions if not o.startswith("visible("))
            assert (known.preconditions, known.effects) == (needs, spec.effects), spec.name


def test_skills_of_other_names_or_with_other_parameters_are_left_as_they_are() -> None:
    for spec in (SkillSpec("Juggle", parameters=(TARGET,)), SkillSpec("OpenObject")):
        assert completed(spec) == spec


def test_what_no_skill_brings_about_is_said() -> None:
    robot = OtherRobot([spec for name, spec in TABLE.items() if name != "OpenObject"])
    code, message, log = carry_out(robot, "open the cabinet", CABINET)
    assert code is Code.PLANNING_FAILURE
    assert message == "I have no plan for it: no skill of this robot can open the cabinet. Nothing was done."
    assert log == []


@pytest.mark.parametrize(
    ("lacks", "text", "says"),
    [
        ({"OpenObject"}, "put the apple on the table, then open the cabinet", "open the cabinet"),
        ({"ToggleOn"}, "put the apple on the table and wash the mug", "bring about that the mug is clean"),
        ({"SliceObject"}, "open the cabinet, then slice the apple", "slice the apple"),
        ({"PutObject"}, "open the cabinet and put the apple in the fridge", "put the apple in the fridge"),
        ({"PickupObject"}, "open the cabinet and get the apple", "pick up the apple"),
    ],
)
def test_a_goal_that_no_skill_ever_reaches_ends_the_instruction_before_anything_moves(
    lacks: set[str], text: str, says: str
) -> None:
    robot = OtherRobot([spec for name, spec in TABLE.items() if name not in lacks])
    code, message, log = carry_out(robot, text, APPLE, TABLE1, CABINET)
    assert (code, log) == (Code.PLANNING_FAILURE, [])
    assert message == f"I have no plan for it: no skill of this robot can {says}. Nothing was done."


def test_a_robot_that_does_not_drive_is_refused_what_it_would_have_to_go_to() -> None:
    drives = {"GoToObject", "Navigate", "Pick", "Place", "Explore"}
    robot = OtherRobot([spec for name, spec in TABLE.items() if name not in drives])
    code, message, log = carry_out(robot, "put the apple on the table", APPLE, TABLE1)
    assert (code, log) == (Code.PLANNING_FAILURE, [])
    assert message.startswith("I have no plan for it: no skill of this robot can ")
    going = Literal("at", ("table",))
    assert no_skill(going, household_physics().said, str, "") == "no skill of this robot can go to the table"


def test_what_a_skill_needs_and_none_brings_about_is_said_without_predicates() -> None:
    opens = TABLE["OpenObject"]
    locked = SkillSpec("OpenObject", "", opens.parameters, (*opens.preconditions, "not locked(target)"), opens.effects)
    robot = OtherRobot([locked, *(spec for name, spec in TABLE.items() if name != "OpenObject")])
    shut = thing("Cabinet1", (5, 0, 1), states={"isOpen": "false", "isLocked": "true"})
    code, message, _ = carry_out(robot, "open the cabinet", shut)
    assert code is Code.PLANNING_FAILURE
    assert message.startswith("I have no plan for it: no skill of this robot can ")
    assert "cabinet" in message
    assert "(" not in message
    assert "Cabinet1" not in message


# Household physics


def test_washing_comes_out_of_the_physics() -> None:
    code, message, log = carry_out(ScriptedRobot(), "wash the apple", APPLE, SINK, TAP)
    assert code is Code.SUCCESS, message
    assert log == [
        "GoToObject(Apple1)",
        "PickupObject(Apple1)",
        "GoToObject(SinkBasin1)",
        "PutObject(SinkBasin1)",
        "ToggleOn(Faucet1)",
        "ToggleOff(Faucet1)",
    ]


def test_a_microwave_is_closed_to_run_and_left_off_and_closed() -> None:
    microwave = thing("Microwave1", (4, 0, 1), states={"isOpen": "false", "isToggled": "false"})
    robot = ScriptedRobot({"PickupObject": [shows(APPLE)]})
    _, _, log = carry_out(robot, "heat the apple and put it on the table", APPLE, microwave, TABLE1)
    assert log[2:] == [
        "GoToObject(Microwave1)",
        "OpenObject(Microwave1)",
        "PutObject(Microwave1)",
        "CloseObject(Microwave1)",
        "ToggleOn(Microwave1)",
        "ToggleOff(Microwave1)",
        "OpenObject(Microwave1)",
        "PickupObject(Apple1)",
        "CloseObject(Microwave1)",
        "GoToObject(DiningTable1)",
        "PutObject(DiningTable1)",
    ]


def test_of_two_sinks_the_one_is_taken_that_is_on_the_way() -> None:
    far = thing("SinkBasin2", (-9, 0, 1)), thing("Faucet2", (-9, 0.4, 1))
    _, _, log = carry_out(ScriptedRobot(), "wash the apple", APPLE, *far, SINK, TAP)
    assert "PutObject(SinkBasin1)" in log


def test_a_sink_that_is_full_is_replaced_by_another() -> None:
    far = thing("SinkBasin2", (-9, 0, 1)), thing("Faucet2", (-9, 0.4, 1))
    robot = ScriptedRobot({"PutObject(SinkBasin1)": [(Code.PRECONDITION_FAILURE, "there is no free spot")]})
    code, message, log = carry_out(robot, "wash the apple", APPLE, *far, SINK, TAP)
    assert code is Code.SUCCESS, message
    assert log[-3:] == ["PutObject(SinkBasin2)", "ToggleOn(Faucet2)", "ToggleOff(Faucet2)"]


def test_what_is_not_where_it_was_remembered_is_looked_for_and_planned_anew() -> None:
    inside = thing("Apple1", (5, 0, 1), movable=True, receptacle="Cabinet1", relation="in")
    robot = ScriptedRobot({"OpenObject": [shows(CABINET)], "Explore": [shows(thing("Apple2", (2, 0, 1)))]})
    code, message, log = carry_out(robot, "pick up the apple", inside, CABINET)
    assert code is Code.SUCCESS, message
    assert log[-1] == "PickupObject(Apple2)"


def test_remembered_slices_that_are_gone_are_cut_anew() -> None:
    piece = thing("AppleSliced1", (8, 0, 1), movable=True)
    new = thing("AppleSliced2", (1, 0, 1), movable=True, receptacle="DiningTable1")
    robot = ScriptedRobot(
        {"GoToObject(AppleSliced1)": [(Code.NOT_FOUND, "not seen there")], "SliceObject": [shows(new)]}
    )
    knife = thing("Knife1", (2, 0, 1), movable=True)
    code, message, log = carry_out(robot, "put a slice of apple on the table", APPLE, piece, knife, TABLE1)
    assert code is Code.SUCCESS, message
    assert "SliceObject(Apple1)" in log


def test_what_is_to_be_near_something_is_put_there() -> None:
    bowl = thing("Bowl1", (4, 0, 1), movable=True)
    code, message, log = carry_out(ScriptedRobot(), "put the apple next to the bowl", APPLE, bowl)
    assert (code, log[-1]) == (Code.SUCCESS, "PutObject(Bowl1, near)"), message


def test_a_dry_run_shows_the_plan_and_moves_nothing() -> None:
    robot = ScriptedRobot()
    code, _, plan = carry_out(robot, "wash the apple", APPLE, SINK, TAP, dry_run=True)
    assert (code, robot.log) == (Code.SUCCESS, [])
    assert plan[-3:] == ["PutObject(SinkBasin1)", "ToggleOn(Faucet1)", "ToggleOff(Faucet1)"]


@pytest.mark.parametrize(
    "text", ["", "processes: 3", "here: [reachable]", "[", "{here: [a], said: {'not a literal': x}}"]
)
def test_malformed_physics_are_refused(text: str) -> None:
    with pytest.raises(PhysicsError):
        Physics.load(text)


def test_literals_print_as_they_are_read() -> None:
    for text in ("handempty()", "holding(target)", "not on(target, ?)"):
        assert str(Literal.parse(text)) == text
    for text in ("", "holding", "on(a, (b))", "not"):
        with pytest.raises(LiteralError):
            Literal.parse(text)


# Too much to plan with, and a cancel meanwhile


def test_a_skill_about_more_than_a_target_and_a_receptacle_can_not_be_called_and_is_not_planned_with() -> None:
    arguments = tuple(SkillParameter(name, required=True) for name in ("fruit", "tool"))
    cut = SkillSpec("Cut", parameters=arguments, preconditions=("holding(tool)",), effects=("sliced(fruit)",))
    code, message, log = carry_out(OtherRobot([*PICK_AND_PLACE, cut]), "slice the apple", APPLE)
    assert (code, log) == (Code.PLANNING_FAILURE, []), message


def test_actions_are_in_the_same_order_in_every_process_so_that_of_equally_cheap_plans_the_same_is_found() -> None:
    code = """
from planner_node.plan.task_planning.domain import Domain, Thing
from planner_node.plan.task_planning.literals import Literal
from planner_node.plan.task_planning.physics import household_physics
from karma_language.vocabulary import household
from scripted_robot import TABLE
things = [Thing(name + "1", name) for name in ("CounterTop", "DiningTable", "Fridge", "Apple", "Mug")]
actions = Domain(TABLE, household(), household_physics(), things).actions([Literal("handempty")], frozenset(), {})
print([sorted(map(str, action.needs)) for action in actions])
"""
    found = set()
    for seed in ("1", "2", "3"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        found.add(run.stdout)
    assert len(found) == 1


def test_of_more_actions_than_any_household_asks_for_none_are_made() -> None:
    things = [Thing(f"CounterTop{n}", "CounterTop", (n, 0, 1)) for n in range(150)]
    with pytest.raises(NoPlan, match="more than 20000"):
        Domain(TABLE, household(), household_physics(), things).actions([Literal("handempty")], frozenset(), {})


def test_where_there_are_too_many_actions_the_instruction_ends_with_a_planning_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(domain, "_MOST_ACTIONS", 3)
    code, message, log = carry_out(OtherRobot(PICK_AND_PLACE), "put the apple on the table", APPLE, TABLE1)
    assert (code, log) == (Code.PLANNING_FAILURE, [])
    assert message.startswith("I have no plan for it: there are more than 3 things that I could do.")


def test_of_five_hundred_things_of_a_kind_those_are_planned_with_that_may_be_needed() -> None:
    kinds = ("Microwave", "Cabinet", "CounterTop", "DiningTable", "Plate", "Knife", "Potato")
    things = [thing(f"{kind}{n}", (n, i, 1), movable=i > 3) for i, kind in enumerate(kinds) for n in range(500)]
    problems: list[int] = []

    def solver(state: frozenset[Literal], operators: Sequence[Operator], goal: Iterable[Literal]) -> list[int]:
        problems.append(len(operators))
        return solve(state, operators, goal, seconds=60.0)

    world = World(household())
    for node in things:
        world.believe(node, SEEN)
    handling = Handling(
        world, household(), Exploring(world, TABLE, None), TABLE, Grounding(world, household()), str, solver
    )
    refs = {"x": Role(ObjectRef(("Potato",), "potato")), "d": Role(ObjectRef(("Plate",), "plate"))}
    wish = Wish((Literal("hot", ("x",)), Literal("sliced", ("x",)), Literal("on", ("x", "d"))), refs)
    _, plan = Pursuit(handling).plan(wish, (), frozenset(), frozenset())
    assert "SliceObject" in {action.skill for action in plan}
    assert max(problems) < 300


def test_a_cancel_while_planning_ends_the_instruction_at_once() -> None:
    class Impatient(Unobserved):
        looks = 0

        def cancelled(self) -> bool:
            return self.looks > 0

        def progress(self, stage: Stage, step: str, done: int) -> None:
            self.looks += stage is Stage.PLAN

    robot = ScriptedRobot()
    memory = DictMemory([TABLE1])
    memory.nodes = {APPLE.id: APPLE}
    planner = Planner(robot, memory, Hearing(household()), household())
    report = planner.run(Instruction("put the apple on the table"), Impatient())
    assert (report.code, robot.log) == (Code.CANCELED, [])
    assert report.message.startswith("Stopped as asked while I was planning.")
