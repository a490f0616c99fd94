# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The pipeline on a scripted robot: what it does when things go wrong."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from household_robot import DictMemory
from no_memory import NoMemory
from scripted_robot import ScriptedRobot, shows, thing

from karma_language.vocabulary import household
from planner_node.act.loop import Budget
from planner_node.memory import (
    WORKING,
    Event,
    EventKind,
    Handled,
    MemoryClient,
    MemoryRefused,
    MemoryUnavailable,
    Recall,
    Recollection,
    SceneGraph,
    Task,
)
from planner_node.planner import Instruction, Planner, Stage
from planner_node.skills import Code, Node, Outcome, SkillCall, Target
from planner_node.understand.aid import NO_AID, Aid
from planner_node.understand.hearing import Heard, Hearing

APPLE = thing("Apple1", (1, 0, 1), movable=True)
TABLE = thing("DiningTable1", (3, 0, 1))
FRIDGE = thing("Fridge1", (6, 0, 1), states={"isOpen": "false"})


def planner(robot: ScriptedRobot, memory: MemoryClient | None = None, **budget: float) -> Planner:
    limits = Budget(**budget)  # type: ignore[arg-type]
    return Planner(robot, memory or NoMemory(), Hearing(household()), household(), limits)


def remembering(*nodes: Node) -> DictMemory:
    memory = DictMemory([node for node in nodes if not node.movable])
    memory.nodes = {node.id: node for node in nodes if node.movable}
    return memory


class Watcher:
    """Follows an instruction; answers questions; asks to stop after some skills."""

    def __init__(self, answer: str = "", stop_after: float = math.inf) -> None:
        self.stages: list[Stage] = []
        self.questions: list[str] = []
        self.waited: list[str] = []
        self.choices: tuple[str, ...] = ()
        self.answer = answer
        self.stop_after = stop_after
        self.done = 0

    def progress(self, stage: Stage, step: str, done: int) -> None:
        self.stages.append(stage)
        self.done = done

    def ask(self, question: str, choices: Sequence[str]) -> str:
        self.questions.append(question)
        self.choices = tuple(choices)
        return self.answer

    def cancelled(self) -> bool:
        return self.done >= self.stop_after

    def waits(self, why: str, done: int) -> None:
        self.waited.append(why)


def test_what_is_remembered_is_gone_to_without_exploring() -> None:
    robot = ScriptedRobot()
    report = planner(robot, remembering(APPLE, TABLE)).run(Instruction("put the apple on the table"))
    assert report.code is Code.SUCCESS
    assert robot.log == [
        "GoToObject(Apple1)",
        "PickupObject(Apple1)",
        "GoToObject(DiningTable1)",
        "PutObject(DiningTable1)",
    ]
    assert robot.calls[0].target.position == APPLE.position
    assert report.explore_steps == 0
    assert [r.id for r in report.recalled] == ["st/Apple1"]


def test_objects_of_other_scenes_are_not_asked_for() -> None:
    memory = remembering(APPLE, TABLE)
    planner(ScriptedRobot(), memory).run(Instruction("put the apple on the table"))
    assert memory.scenes_asked == {"test"}


def test_ignoring_memory_explores() -> None:
    robot = ScriptedRobot({"Explore(Apple)": [shows(APPLE, TABLE, explore_steps=4)]})
    order = Instruction("put the apple on the table", ignore_memory=True)
    report = planner(robot, remembering(APPLE, TABLE)).run(order)
    assert report.code is Code.SUCCESS
    assert robot.log[0] == "Explore(Apple)"
    assert report.explore_steps == 4
    assert report.recalled == ()


def test_a_wrong_memory_is_dropped_and_the_object_looked_for() -> None:
    elsewhere = replace(APPLE, position=(9, 9, 1))
    robot = ScriptedRobot(
        {
            "GoToObject(Apple1)": [(Code.NOT_FOUND, "not seen there"), Code.SUCCESS],
            "Explore(Apple)": [shows(elsewhere, explore_steps=2)],
        }
    )
    report = planner(robot, remembering(APPLE)).run(Instruction("pick up the apple"))
    assert report.code is Code.SUCCESS
    assert robot.log == ["GoToObject(Apple1)", "Explore(Apple)", "GoToObject(Apple1)", "PickupObject(Apple1)"]
    assert robot.calls[2].target.position == (9, 9, 1)


def test_what_is_seen_again_where_it_was_gone_to_in_vain_is_gone_to_once_more() -> None:
    again = replace(APPLE, last_seen=APPLE.last_seen + 60.0)
    script = {"GoToObject(Apple1)": [(Code.NOT_FOUND, "not seen there"), Code.SUCCESS], "Explore": [shows(again)]}
    robot = ScriptedRobot(script)
    assert planner(robot, remembering(APPLE)).run(Instruction("pick up the apple")).code is Code.SUCCESS
    assert robot.log == ["GoToObject(Apple1)", "Explore(Apple)", "GoToObject(Apple1)", "PickupObject(Apple1)"]


def test_what_is_seen_wherever_one_looks_and_cannot_be_reached_is_given_up_for_another() -> None:
    seen = [shows(replace(APPLE, last_seen=APPLE.last_seen + at)) for at in range(1, 30)]
    other = replace(APPLE, id="Apple2", position=(5, 5, 1), receptacle="Fridge1", relation="in")
    script = {"GoToObject(Apple1)": [(Code.NOT_FOUND, "not seen there")], "Explore": seen, "OpenObject": [shows(other)]}
    robot = ScriptedRobot(script)
    report = planner(robot, remembering(APPLE, FRIDGE)).run(Instruction("pick up the apple"))
    assert report.code is Code.SUCCESS, report.message
    assert robot.log.count("GoToObject(Apple1)") == 2
    assert "PickupObject(Apple2)" in robot.log


def test_what_is_not_in_the_open_is_looked_for_in_closed_receptacles() -> None:
    inside = replace(APPLE, receptacle="Fridge1", relation="in")
    robot = ScriptedRobot({"Explore": [shows(FRIDGE, code=Code.NOT_FOUND)], "OpenObject": [shows(FRIDGE, inside)]})
    report = planner(robot).run(Instruction("pick up the apple"))
    assert report.code is Code.SUCCESS
    assert robot.log[1:] == [
        "GoToObject(Fridge1)",
        "OpenObject(Fridge1)",
        "PickupObject(Apple1)",
        "CloseObject(Fridge1)",
    ]
    assert report.explore_steps == 1  # the fridge was opened to look inside


def test_the_one_fridge_is_opened_before_the_many_cabinets_that_one_bottle_may_be_in() -> None:
    cabinets = [thing(f"Cabinet{n}", (n / 4, 0, 1), states={"isOpen": "false"}) for n in range(1, 13)]
    fridge = replace(FRIDGE, position=(2, 0, 1))
    robot = ScriptedRobot(
        {
            "Explore": [Code.NOT_FOUND],
            "OpenObject(Fridge1)": [shows(fridge, thing("WineBottle1", receptacle="Fridge1"))],
        }
    )
    report = planner(robot, remembering(*cabinets, fridge)).run(Instruction("pick up the wine bottle"))
    assert report.code is Code.SUCCESS
    # A bottle is likelier in some cabinet than in the fridge, but in one of twelve.
    assert [call.target.id for call in robot.calls if call.skill == "OpenObject"] == ["Fridge1"]


def test_a_search_ends_before_every_door_of_the_home_was_opened() -> None:
    cabinets = [thing(f"Cabinet{n}", (n, 0, 1), states={"isOpen": "false"}) for n in range(1, 21)]
    robot = ScriptedRobot({"Explore": [Code.NOT_FOUND]})
    report = planner(robot, remembering(*cabinets)).run(Instruction("pick up the newspaper"))
    assert report.code is Code.NOT_FOUND
    assert sum(call.skill == "OpenObject" for call in robot.calls) == 6  # newspapers are seldom in cabinets
    assert report.message == (
        "I found no newspaper. I looked around and looked on or in: cabinet (6). "
        "I left 14 closed places shut where such things seldom are."
    )


def test_every_likely_door_is_opened() -> None:
    cabinets = [thing(f"Cabinet{n}", (n, 0, 1), states={"isOpen": "false"}) for n in range(1, 21)]
    robot = ScriptedRobot({"Explore": [Code.NOT_FOUND]})
    report = planner(robot, remembering(*cabinets)).run(Instruction("pick up the plate"))
    assert report.code is Code.NOT_FOUND
    assert sum(call.skill == "OpenObject" for call in robot.calls) == 20


def test_a_receptacle_that_is_full_is_replaced_by_another() -> None:
    other = thing("DiningTable2", (5, 0, 1))
    robot = ScriptedRobot({"PutObject(DiningTable1)": [(Code.PRECONDITION_FAILURE, "there is no free spot")]})
    report = planner(robot, remembering(APPLE, TABLE, other)).run(Instruction("put the apple on the table"))
    assert report.code is Code.SUCCESS
    assert robot.log[-1] == "PutObject(DiningTable2)"


def test_a_failed_movement_is_tried_again_but_not_for_ever() -> None:
    robot = ScriptedRobot({"PickupObject": [Code.EXECUTION_FAILURE, Code.EXECUTION_FAILURE, Code.SUCCESS]})
    assert planner(robot, remembering(APPLE)).run(Instruction("pick up the apple")).code is Code.SUCCESS
    broken = ScriptedRobot({"PickupObject": [(Code.EXECUTION_FAILURE, "the arm is stuck")]})
    report = planner(broken, remembering(APPLE)).run(Instruction("pick up the apple"))
    assert (report.code, report.message) == (Code.EXECUTION_FAILURE, "the arm is stuck")
    assert broken.log.count("PickupObject(Apple1)") == 6  # the goal twice, and each time the movement thrice


def test_the_budget_of_skills_ends_an_instruction() -> None:
    report = planner(ScriptedRobot(), remembering(APPLE, TABLE), skills=3).run(
        Instruction("put the apple on the table")
    )
    assert report.code is Code.TIMEOUT
    assert len(report.outcomes) == 3
    assert "3 skills" in report.message


def test_the_budget_of_time_ends_an_instruction() -> None:
    report = planner(ScriptedRobot(), remembering(APPLE, TABLE), seconds=1.5).run(
        Instruction("put the apple on the table")
    )
    assert report.code is Code.TIMEOUT
    assert len(report.outcomes) == 2  # of one simulated second each


def test_what_can_not_be_found_says_so_and_what_was_done() -> None:
    robot = ScriptedRobot({"Explore": [Code.NOT_FOUND]})
    report = planner(robot, remembering(APPLE)).run(Instruction("pick up the apple and put it in the bowl"))
    assert report.code is Code.NOT_FOUND
    assert "no bowl" in report.message
    assert "Done before: pick up the apple." in report.message


def test_cancelling_stops_before_the_next_skill() -> None:
    watcher = Watcher(stop_after=2)
    robot = ScriptedRobot()
    report = planner(robot, remembering(APPLE, TABLE)).run(Instruction("put the apple on the table"), watcher)
    assert report.code is Code.CANCELED
    assert len(robot.calls) == 3


def test_cancelling_does_not_wait_for_a_language_model() -> None:
    answered = threading.Event()

    class Slow(Hearing):
        def hear(self, text: str, aid: Aid = NO_AID, **moment: Any) -> Heard:
            answered.wait(60.0)
            return super().hear(text, aid, **moment)

    robot = ScriptedRobot()
    watcher = Watcher(stop_after=0)
    report = Planner(robot, NoMemory(), Slow(household()), household()).run(Instruction("pick up the apple"), watcher)
    waited = not answered.is_set()
    answered.set()
    assert waited
    assert (report.code, robot.calls) == (Code.CANCELED, [])


def test_what_is_cancelled_while_it_is_understood_moves_nothing() -> None:
    watcher = Watcher()

    class Cancelling(Hearing):
        def hear(self, text: str, aid: Aid = NO_AID, **moment: Any) -> Heard:
            watcher.stop_after = 0
            return super().hear(text, aid, **moment)

    robot, memory = ScriptedRobot(), DictMemory()
    report = Planner(robot, memory, Cancelling(household()), household()).run(Instruction("my cup is blue"), watcher)
    assert (report.code, robot.calls, memory.events) == (Code.CANCELED, [], [])


def test_a_defect_in_understanding_is_raised() -> None:
    class Broken(Hearing):
        def hear(self, text: str, aid: Aid = NO_AID, **moment: Any) -> Heard:
            raise TimeoutError("a defect")

    with pytest.raises(TimeoutError, match="a defect"):
        Planner(ScriptedRobot(), NoMemory(), Broken(household()), household()).run(Instruction("pick up the apple"))


def test_a_robot_that_goes_away_ends_the_instruction() -> None:
    memory = remembering(APPLE, TABLE)
    report = planner(ScriptedRobot(gone_after=2), memory).run(Instruction("put the apple on the table"))
    assert report.code is Code.UNAVAILABLE
    assert "the bridge is gone" in report.message
    assert memory.events[-1].kind is EventKind.EPISODE_END
    assert memory.events[-1].code is Code.UNAVAILABLE


def test_the_hand_is_freed_before_something_else_is_taken() -> None:
    robot = ScriptedRobot()
    mug = thing("Mug1", (2, 0, 1), movable=True)
    plan = planner(robot, remembering(APPLE, mug, TABLE))
    plan.run(Instruction("pick up the apple"))
    robot.calls.clear()
    assert plan.run(Instruction("pick up the mug")).code is Code.SUCCESS
    assert robot.log == [
        "GoToObject(DiningTable1)",
        "PutObject(DiningTable1)",
        "GoToObject(Mug1)",
        "PickupObject(Mug1)",
    ]


def test_what_the_robot_says_it_holds_is_put_down_first() -> None:
    full = (Code.PRECONDITION_FAILURE, "the gripper holds Mug1: put it down first")
    robot = ScriptedRobot({"PickupObject": [full, Code.SUCCESS]})
    report = planner(robot, remembering(APPLE, TABLE)).run(Instruction("pick up the apple"))
    assert report.code is Code.SUCCESS
    assert robot.log[2:] == [
        "GoToObject(DiningTable1)",
        "PutObject(DiningTable1)",
        "GoToObject(Apple1)",
        "PickupObject(Apple1)",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pick up the green mug", "I can't tell the colours of things: any mug would do for the green one."),
        ("pick up the red tomato", ""),  # as tomatoes are
        ("pick up the red food", ""),
        ("pick up the tomatoe", "I took 'tomatoe' for 'tomato'."),
    ],
)
def test_what_was_assumed_is_said(text: str, message: str) -> None:
    memory = remembering(thing("Mug1", movable=True), thing("Tomato1", movable=True))
    report = planner(ScriptedRobot(), memory).run(Instruction(text))
    assert (report.code, report.message) == (Code.SUCCESS, message)


def test_the_nearest_of_several_is_taken_and_said() -> None:
    drawers = [thing(f"Drawer{n}", (n, 0, 1), states={"isOpen": "false"}) for n in (1, 2, 3)]
    plan = planner(ScriptedRobot(), remembering(*drawers))
    assert plan.run(Instruction("open the drawer")).message == (
        "There is more than one drawer, 3 that I know of: I took the nearest."
    )
    assert plan.run(Instruction("open a drawer")).message == ""
    assert planner(ScriptedRobot(), remembering(drawers[0])).run(Instruction("open the drawer")).message == ""


def test_the_question_comes_with_its_possible_answers() -> None:
    watcher = Watcher(answer="on")
    lamp = thing("DeskLamp1")
    robot = ScriptedRobot()
    report = planner(robot, remembering(lamp)).run(Instruction("turn the lamp"), watcher)
    assert (watcher.questions, watcher.choices) == (["Shall I turn it on or off?"], ("on", "off"))
    assert report.code is Code.SUCCESS
    assert robot.log[-1] == "ToggleOn(DeskLamp1)"


class Reminding(DictMemory):
    """Remembers what it is told to: of the kind "working"."""

    def __init__(self, *nodes: Node) -> None:
        super().__init__([node for node in nodes if not node.movable])
        self.nodes = {node.id: node for node in nodes if node.movable}
        self.working: list[Recollection] = []

    def recall(self, query: str, user: str = "", scene: str = "", limit: int = 0, kinds: Sequence[str] = ()) -> Recall:
        if tuple(kinds) == (WORKING,):
            return Recall(tuple(self.working))
        return super().recall(query, user, scene, limit, kinds)


def asked(text: str, *goals: str, handled: tuple[SkillCall, ...] = ()) -> Recollection:
    return Recollection(WORKING, "working:e1", "", task=Task(text, goals, True), handled=Handled("", handled))


def test_it_means_what_the_instruction_before_was_about() -> None:
    robot = ScriptedRobot()
    memory = Reminding(thing("Apple2", (0.1, 0, 1), movable=True), APPLE, TABLE)
    picked = SkillCall("PickupObject", Target("Apple1", "Apple"))
    memory.working = [asked("pick up the apple", "hold(apple=Apple)", handled=(picked,))]
    report = planner(robot, memory).run(Instruction("put it on the table"))
    assert report.code is Code.SUCCESS
    assert [found.id for found in report.recalled][:1] == ["working:e1"]
    assert robot.log[-3:] == ["PickupObject(Apple1)", "GoToObject(DiningTable1)", "PutObject(DiningTable1)"]


def test_a_person_is_asked_what_it_means_where_nothing_was_said_before() -> None:
    robot, memory = ScriptedRobot(), Reminding(APPLE, TABLE)
    memory.working = [
        Recollection(WORKING, "w", "", handled=Handled("", (SkillCall("hold", Target("Apple1", "Apple")),)))
    ]
    silent, kind = Watcher(), Watcher(answer="the apple")
    text = "put it on the kitchen table"
    assert planner(robot, memory).run(Instruction(text), silent).code is Code.NOT_UNDERSTOOD
    assert (silent.questions, silent.choices) == (
        ["I don't know what it refers to. Name the object."],
        ("the apple",),
    )
    assert robot.log == []
    assert planner(robot, memory).run(Instruction(text), kind).code is Code.SUCCESS
    assert robot.log[-1] == "PutObject(DiningTable1)"


def test_nothing_moves_in_a_dry_run_and_the_plan_is_shown() -> None:
    robot = ScriptedRobot()
    memory = remembering(TABLE)
    report = planner(robot, memory).run(Instruction("put the apple on the table", dry_run=True))
    assert report.code is Code.SUCCESS
    assert robot.calls == []
    assert memory.events == []
    assert report.message == "This is a plan; nothing was moved."
    assert [o.call.skill for o in report.outcomes] == [
        "Explore",
        "GoToObject",
        "PickupObject",
        "GoToObject",
        "PutObject",
    ]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("put the moon in the fridge", Code.NOT_FOUND),
        ("sing a song", Code.NOT_UNDERSTOOD),
        ("slice the mug", Code.PRECONDITION_FAILURE),
        ("", Code.INVALID_ARGUMENT),
    ],
)
def test_what_makes_no_sense_moves_nothing_and_leaves_no_episode(text: str, code: Code) -> None:
    robot, memory = ScriptedRobot(), DictMemory()
    report = planner(robot, memory).run(Instruction(text))
    assert report.code is code
    assert report.message
    assert robot.calls == []
    assert memory.events == []


def test_a_statement_is_remembered_for_its_user() -> None:
    memory = DictMemory()
    report = planner(ScriptedRobot(), memory).run(Instruction("my favourite cup is the blue one", user="ann"))
    assert report.code is Code.SUCCESS
    assert [(e.kind, e.text, e.user) for e in memory.events] == [
        (EventKind.TOLD, "my favourite cup is the blue one", "ann")
    ]


def test_a_statement_that_the_memory_refuses_is_not_said_to_be_passed_on() -> None:
    memory = FailingMemory(lambda: MemoryRefused("the user has a line break"))
    report = planner(ScriptedRobot(), memory).run(Instruction("my favourite cup is the blue one", user="a\nb"))
    assert (report.code, report.message) == (
        Code.INVALID_ARGUMENT,
        "The memory does not accept that: the user has a line break",
    )


def test_what_is_missing_is_asked_for_and_the_answer_used() -> None:
    watcher = Watcher(answer="on the table")
    robot = ScriptedRobot()
    report = planner(robot, remembering(APPLE, TABLE)).run(Instruction("put the apple."), watcher)
    assert watcher.questions == ["Where shall I put the apple?"]
    assert report.code is Code.SUCCESS
    assert robot.log[-1] == "PutObject(DiningTable1)"


def test_of_two_things_that_or_joins_the_one_that_a_person_says_is_put_away() -> None:
    watcher, robot = Watcher(answer="the apple"), ScriptedRobot()
    order = Instruction("put the mug or the apple on the table")
    report = planner(robot, remembering(APPLE, TABLE)).run(order, watcher)
    assert watcher.questions == ["Which do you mean: the mug or the apple?"]
    assert report.code is Code.SUCCESS
    assert robot.log[-2:] == ["GoToObject(DiningTable1)", "PutObject(DiningTable1)"]
    assert "PickupObject(Apple1)" in robot.log
    silent = ScriptedRobot()
    assert planner(silent, remembering(APPLE, TABLE)).run(order).code is Code.AMBIGUOUS
    assert silent.log == []


def test_without_an_answer_the_question_is_the_message() -> None:
    report = planner(ScriptedRobot(), remembering(APPLE)).run(Instruction("put the apple"))
    assert report.code is Code.AMBIGUOUS
    assert report.message == "Where shall I put the apple?"


def test_an_episode_is_remembered_from_start_to_end() -> None:
    memory = remembering(APPLE, TABLE)
    report = planner(ScriptedRobot(), memory).run(Instruction("put the apple on the table", user="ann"))
    kinds = [event.kind for event in memory.events]
    assert kinds == [EventKind.EPISODE_START, *[EventKind.SKILL_OUTCOME] * 4, EventKind.EPISODE_END]
    assert len({event.id for event in memory.events}) == len(kinds)
    assert {(e.episode, e.user, e.scene) for e in memory.events} == {(report.instruction_id, "ann", "test")}
    placed = memory.events[4].nodes[0]
    assert (placed.id, placed.receptacle, placed.relation) == ("Apple1", "DiningTable1", "on")
    assert memory.events[-1].code is Code.SUCCESS
    assert memory.events[-1].text == "done: place(apple, table, on)"


def test_stages_come_in_order() -> None:
    watcher = Watcher()
    planner(ScriptedRobot(), remembering(APPLE)).run(Instruction("pick up the apple"), watcher)
    order = list(dict.fromkeys(watcher.stages))
    assert order == [Stage.UNDERSTAND, Stage.CHECK, Stage.GROUND, Stage.PLAN, Stage.ACT, Stage.LEARN]


class FailingMemory(DictMemory):
    """Fails for as long as it is told to."""

    def __init__(self, error: Callable[[], Exception]) -> None:
        super().__init__()
        self.error: Callable[[], Exception] | None = error

    def recall(self, query: str, user: str = "", scene: str = "", limit: int = 0, kinds: Sequence[str] = ()) -> Recall:
        self._fail()
        return super().recall(query, user, scene, limit, kinds)

    def scene_graph(self) -> SceneGraph:
        self._fail()
        return super().scene_graph()

    def remember(self, events: Sequence[Event]) -> bool:
        self._fail()
        return super().remember(events)

    def _fail(self) -> None:
        if self.error is not None:
            raise self.error()


def test_what_nobody_remembers_is_said_not_to_be_kept_where_the_memory_was_away_before_too() -> None:
    robot = ScriptedRobot({"Explore(Apple)": [shows(APPLE)]})
    report = planner(robot, FailingMemory(lambda: MemoryUnavailable("gone"))).run(Instruction("pick up the apple"))
    assert report.code is Code.SUCCESS
    assert "I forget it if I am restarted: gone" in report.message


def test_what_the_memory_has_no_room_for_is_done_and_said_not_to_be_kept() -> None:
    class Full(NoMemory):
        def remember(self, events: Sequence[Event]) -> bool:
            raise MemoryUnavailable("no room; free some space")

    robot = ScriptedRobot({"Explore(Apple)": [shows(APPLE)]})
    plan = planner(robot, Full())
    report = plan.run(Instruction("pick up the apple"))
    assert report.code is Code.SUCCESS
    assert "does not have that yet, and I forget it if I am restarted: no room; free some space" in report.message
    assert plan.run(Instruction("my cup is blue", user="ann")).code is Code.UNAVAILABLE


def test_without_memory_the_robot_works_and_says_so() -> None:
    robot = ScriptedRobot({"Explore(Apple)": [shows(APPLE)]})
    memory = FailingMemory(lambda: MemoryUnavailable("nobody offers memory/recall"))
    plan = planner(robot, memory)
    report = plan.run(Instruction("pick up the apple"))
    assert report.code is Code.SUCCESS
    assert "without memory" in report.message
    memory.error = None
    plan.run(Instruction("go to the apple"))
    texts = [e.text for e in memory.events if e.kind is EventKind.EPISODE_START]
    assert texts == ["pick up the apple", "go to the apple"]  # what could not be told was told later


def test_an_event_that_the_memory_refuses_does_not_hold_up_the_others() -> None:
    class Picky(DictMemory):
        def remember(self, events: Sequence[Event]) -> bool:
            if any(e.kind is EventKind.EPISODE_START for e in events):
                raise MemoryRefused("no starts, please")
            return super().remember(events)

    memory = Picky()
    memory.nodes = {"Apple1": APPLE}
    planner(ScriptedRobot(), memory).run(Instruction("pick up the apple"))
    kinds = [event.kind for event in memory.events]
    assert kinds == [EventKind.SKILL_OUTCOME, EventKind.SKILL_OUTCOME, EventKind.EPISODE_END]


def test_what_can_not_be_reached_is_not_tried_again_and_again() -> None:
    robot = ScriptedRobot({"GoToObject": [(Code.PRECONDITION_FAILURE, "can't be reached from anywhere")]})
    report = planner(robot, remembering(APPLE)).run(Instruction("pick up the apple"))
    assert report.code is Code.NOT_FOUND
    assert report.message.endswith("Last: can't be reached from anywhere")
    assert robot.log == ["GoToObject(Apple1)", "Explore()"]


def test_a_tool_is_put_down_when_the_work_is_done() -> None:
    knife = thing("Knife1", (2, 0, 1), movable=True)
    piece = Node("Apple1|AppleSliced_0", "AppleSliced", position=(1, 0, 1), movable=True)
    robot = ScriptedRobot({"SliceObject": [shows(piece)]})
    report = planner(robot, remembering(APPLE, knife, TABLE)).run(Instruction("slice the apple"))
    assert report.code is Code.SUCCESS
    assert robot.log[-2:] == ["GoToObject(DiningTable1)", "PutObject(DiningTable1)"]


def test_outcomes_are_reported_in_order() -> None:
    report = planner(ScriptedRobot(), remembering(APPLE)).run(Instruction("pick up the apple"))
    assert [type(o) for o in report.outcomes] == [Outcome, Outcome]
    assert [o.call for o in report.outcomes] == [
        SkillCall("GoToObject", report.outcomes[0].call.target),
        SkillCall("PickupObject", report.outcomes[1].call.target),
    ]
    assert report.duration == 2.0


@pytest.mark.parametrize("text", ["look in the fridge", "have a look inside the fridge, please"])
def test_what_is_looked_into_is_opened_and_its_contents_are_told(text: str) -> None:
    egg = thing("Egg1", (1, 0, 1), receptacle="Fridge1")
    robot = ScriptedRobot({"OpenObject": [shows(egg)]})
    report = planner(robot, remembering(thing("Fridge1", (1, 0, 1)))).run(Instruction(text))
    assert report.code is Code.SUCCESS, report.message
    assert robot.log[-2:] == ["OpenObject(Fridge1)", "CloseObject(Fridge1)"]
    assert report.message == "In the fridge I see an egg."


@pytest.mark.parametrize("text", ["look behind the fridge", "look on the fridge", "go to the fridge"])
def test_what_is_not_looked_into_stays_shut(text: str) -> None:
    robot = ScriptedRobot()
    report = planner(robot, remembering(thing("Fridge1", (1, 0, 1)))).run(Instruction(text))
    assert "OpenObject(Fridge1)" not in robot.log
    assert "I see" not in report.message
