# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The simulator and the real memory in one process: what the planner gets is what it would get over ROS."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from karma_eval.household import conversions
from karma_eval.household.memory import HouseholdMemory, all_kinds, opened
from karma_eval.household.robot import HouseholdRobot
from karma_eval.household.survey import Survey, survey
from karma_language.vocabulary import household
from karma_memory import Layer, Memory, Query, Recollection, Record
from karma_memory import events as memory_events
from karma_memory.guideline import Advice, Guideline
from planner_node.memory import Event, EventKind, MemoryRefused
from planner_node.planner import Instruction, Planner, Report
from planner_node.skills import Code, Node, Outcome, SkillCall, Target
from planner_node.understand.hearing import Hearing
from sim_bridge.household.backend import HouseholdBackend

KITCHEN = "FloorPlan1"


@pytest.fixture(scope="module")
def known() -> Survey:
    return survey(HouseholdRobot(HouseholdBackend(KITCHEN)))


@pytest.fixture
def memory() -> Iterator[Memory]:
    with opened(embedder="lexical") as memory:
        yield memory


def carried_out(memory: Memory, on: set[str], *texts: str) -> list[Report]:
    """Carry out instructions with these kinds of memory, in a kitchen as at its start."""
    robot = HouseholdRobot(HouseholdBackend(KITCHEN), began=1000.0)
    client = HouseholdMemory(memory, scene=KITCHEN, now=lambda: robot.clock, without=all_kinds(memory) - on)
    planner = Planner(robot, client, Hearing(household()), household(), now=lambda: robot.clock)
    return [planner.run(Instruction(text)) for text in texts]


def test_what_was_used_is_found_again_by_short_term_memory_alone(memory: Memory) -> None:
    first, second = carried_out(memory, {"short_term"}, "wash a tomato", "bring me the tomato")
    assert (first.code, second.code) == (Code.SUCCESS, Code.SUCCESS)
    assert first.explore_steps > 0
    assert second.explore_steps == 0
    assert [found.kind for found in second.recalled] == ["short_term"]


def test_without_any_memory_it_is_looked_for_again(memory: Memory) -> None:
    _, second = carried_out(memory, set(), "wash a tomato", "slice a potato")
    assert second.code is Code.SUCCESS
    assert second.explore_steps > 0
    assert not second.recalled


def test_what_a_survey_saw_need_not_be_looked_for(memory: Memory, known: Survey) -> None:
    known.tell(memory)
    (report,) = carried_out(memory, {"long_term"}, "wash a tomato")
    assert report.code is Code.SUCCESS
    assert report.explore_steps == 0
    assert {found.kind for found in report.recalled} == {"long_term"}


def test_a_survey_knows_nothing_that_is_shut_in(known: Survey) -> None:
    world = HouseholdBackend(KITCHEN).world
    shut_in = {name for name in world if world.closed_around(name)}
    seen = {node.id for node in known.nodes if node.layer is Layer.OBJECT}
    assert shut_in
    assert seen
    assert not shut_in & seen


def test_the_survey_of_a_home_with_rooms_has_its_rooms_and_areas(memory: Memory) -> None:
    backend = HouseholdBackend("home1")
    survey(HouseholdRobot(backend)).tell(memory)
    graph = memory.scene_graph("home1")
    assert graph is not None
    assert {node.category for node in graph.nodes(Layer.ROOM)} == {room.kind for room in backend.world.scene.rooms}
    areas = list(graph.nodes(Layer.AREA))
    assert len(areas) > 8
    assert {area.parent for area in areas} == {node.id for node in graph.nodes(Layer.ROOM)}


def test_time_goes_on_from_one_life_of_the_simulation_to_the_next() -> None:
    robot = HouseholdRobot(HouseholdBackend(KITCHEN), began=500.0)
    outcome = robot.execute(SkillCall("Explore", Target(category="Fridge")), lambda step: None, lambda: False)
    assert outcome.stamp == 500.0 + robot.backend.robot.clock == robot.clock
    assert {node.last_seen for node in outcome.seen} == {robot.clock}
    assert outcome.duration > 0


def test_a_skill_that_is_cancelled_reports_what_it_did() -> None:
    robot = HouseholdRobot(HouseholdBackend(KITCHEN))
    outcome = robot.execute(SkillCall("Explore"), lambda step: None, lambda: robot.backend.robot.clock > 5.0)
    assert outcome.code is Code.CANCELED
    assert outcome.duration > 5.0


def test_what_makes_no_sense_is_refused(memory: Memory) -> None:
    client = HouseholdMemory(memory, scene=KITCHEN, now=lambda: 1.0)
    with pytest.raises(MemoryRefused, match="text"):
        client.remember([Event("id", EventKind.TOLD, 1.0)])


APPLE = Node(
    "Apple|1", "Apple", position=(1.0, 2.0, 0.5), size=(0.1, 0.1, 0.1), movable=True, receptacle="Table|1",
    relation="on", states={"isSliced": "false"}, confidence=0.5, last_seen=3.0,
)  # fmt: skip
CALL = SkillCall(
    "PutObject", Target("Apple|1"), Target("", "DiningTable", (1.0, 2.0, 3.0)), "on", ((1.0, 1.0, 0.0),), 2
)
EVENTS = [
    Event(
        "a", EventKind.EPISODE_START, 1.0, "ann", "", "episode", "wash the apple", goals=("clean(Apple)",),
        retry_of="before",
    ),
    Event(
        "b", EventKind.SKILL_OUTCOME, 4.0, "", "home", "episode", "PutObject", nodes=(APPLE, replace(APPLE, id="2")),
        removed=("gone",),
        outcome=Outcome(CALL, Code.EXECUTION_FAILURE, "slipped", (APPLE,), 2, 1.5, 2.5, 4.0),
    ),
    Event("c", EventKind.EPISODE_END, 0.0, episode="e", text="done", code=Code.SUCCESS, message="well", used=("x",)),
    Event("d", EventKind.TOLD, 5.0, "ann", text="I like tea."),
    Event("e", EventKind.SKILL_OUTCOME, 6.0, nodes=(Node("room", "Kitchen", "room"),), outcome=Outcome(CALL, Code(1))),
]  # fmt: skip


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.kind.value)
def test_events_are_those_that_would_come_over_ros(event: Event) -> None:
    pytest.importorskip("rclpy", reason="ROS messages need ROS")
    to_message = pytest.importorskip("planner_node.conversions").event_to
    from_message = pytest.importorskip("karma_memory.conversions").to_event
    over_ros = from_message(to_message(event, ""), event_id="new", stamp=7.0, scene="here")
    assert conversions.event_to(event, scene="here", now=7.0) == over_ros


def test_guidelines_are_those_that_would_come_over_ros() -> None:
    learned = Guideline(
        Advice.BEFORE, "Close it first.", "word", "Microwave", "Fridge", "ToggleOn",
        (memory_events.SkillCall("CloseObject", memory_events.SkillTarget(category="Microwave")),), "Table", "Cup|1",
        "Shelf", "it is open", ("heat",), "home1", "Kitchen", 0.5, 2, 3, 0.25,
    )  # fmt: skip
    record = Record("guideline:1", "guideline", "Close it first.", "close", "event", 1.0, guideline=learned)
    guideline = conversions.recollection_from(Recollection(record, 0.5)).guideline
    assert guideline is not None
    assert guideline.steps == (SkillCall("CloseObject", Target(category="Microwave")),)
    pytest.importorskip("rclpy", reason="ROS messages need ROS")
    planners = pytest.importorskip("planner_node.conversions")
    (message,) = pytest.importorskip("karma_memory.answer_conversions").from_recollections([Recollection(record, 0.5)])
    assert planners.recollection_from(message).guideline == guideline


def test_recollections_are_those_that_would_come_over_ros(memory: Memory, known: Survey) -> None:
    pytest.importorskip("rclpy", reason="ROS messages need ROS")
    planners = pytest.importorskip("planner_node.conversions")
    to_messages = pytest.importorskip("karma_memory.answer_conversions").from_recollections
    known.tell(memory)
    client = HouseholdMemory(memory, scene=KITCHEN, now=lambda: 200.0)
    client.remember([Event("t", EventKind.TOLD, 100.0, "ann", text="The mug is my favorite cup.")])
    carried_out(memory, set(), "wash a tomato")
    kinds = set()
    for text in ("tomato", "my favorite cup", "wash a tomato", "where is the plate?"):
        answer = memory.recall(Query(text, "ann", scene=KITCHEN, limit=50, now=200.0))
        recall = client.recall(text, "ann", scene=KITCHEN, limit=50)
        assert recall.prompt
        over_ros = [planners.recollection_from(message) for message in to_messages(answer.recollections)]
        rounded = [planners.recollection_from(planners.recollection_to(found)) for found in recall.recollections]
        assert rounded == over_ros
        kinds |= {found.kind for found in recall.recollections}
    assert {"long_term", "short_term", "told", "profile", "hearsay"} <= kinds  # nobody in particular had it washed
