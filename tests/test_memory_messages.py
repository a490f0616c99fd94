# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the planner tells the memory and is told by it arrives as it was: both turn the same messages into types."""

from dataclasses import asdict

import pytest

pytest.importorskip("karma_interfaces.msg", reason="karma_interfaces is not built")

from karma_memory import answer_conversions
from karma_memory import conversions as memory_side
from karma_memory.events import EventKind, SkillCall, SkillTarget
from karma_memory.guideline import Advice, Guideline
from karma_memory.recall.query import Handled, Likely, Query, Recollection, Record, Task
from planner_node import conversions as planner_side
from planner_node.memory import Event
from planner_node.memory import EventKind as PlannersKind
from planner_node.skills import Code

GUIDELINE = Guideline(
    Advice.BEFORE,
    "Before OpenObject on a Safe, do ToggleOn.",
    category="Safe",
    skill="OpenObject",
    steps=(SkillCall("ToggleOn"), SkillCall("PutObject", receptacle=SkillTarget(category="Table"), relation="on")),
    message="It is locked.",
    task_types=("place", "open"),
    scene="home1",
    room="Kitchen",
    confidence=0.5,
    successes=2,
    uses=4,
    utility=0.25,
)


def remembered(event):
    return memory_side.to_event(planner_side.event_to(event, "robot1"), event_id="x", stamp=1.0, scene="home1")


def test_goals_retries_and_what_was_used_reach_the_memory():
    start = Event(
        "e",
        PlannersKind.EPISODE_START,
        2.0,
        "ann",
        "home1",
        "try2",
        "go",
        goals=("place(Apple, Fridge, in)",),
        retry_of="try1",
    )
    event = remembered(start)
    assert (event.kind, event.goals, event.retry_of) == (EventKind.EPISODE_START, start.goals, "try1")
    end = remembered(Event("e", PlannersKind.EPISODE_END, 2.0, episode="try2", used=("guideline:e#0", "told:tea")))
    assert end.used == ("guideline:e#0", "told:tea")
    wrong = remembered(Event("e", PlannersKind.FEEDBACK, 2.0, text="no", code=Code.EXECUTION_FAILURE))
    assert wrong.code == Code.EXECUTION_FAILURE


def test_a_guideline_reaches_the_planner_and_its_messages_go_both_ways():
    record = Record("guideline:e#0", "guideline", GUIDELINE.text, GUIDELINE.text, "e", 1.0, guideline=GUIDELINE)
    (message,) = answer_conversions.from_recollections([Recollection(record, 0.5)])
    received = planner_side.recollection_from(message)
    assert asdict(received.guideline) == asdict(GUIDELINE)
    assert planner_side.recollection_from(planner_side.recollection_to(received)) == received
    plain = Record("told:e", "told", "tea", "tea", "e", 1.0)
    (message,) = answer_conversions.from_recollections([Recollection(plain, 0.5)])
    assert planner_side.recollection_from(message).guideline is None


def test_what_was_handled_reaches_the_planner():
    calls = (SkillCall("PutObject", SkillTarget("Mug|1", "Mug"), SkillTarget("Shelf|1", "Shelf"), "on"),)
    task = Task("put the mug away", ("place(mug=Mug, cabinet=Cabinet, in)",), True)
    record = Record("working:e", "working", "t", "working", "e", 1.0, task=task, handled=Handled("robot1", calls))
    (message,) = answer_conversions.from_recollections([Recollection(record, 0.5)])
    received = planner_side.recollection_from(message)
    assert asdict(received.handled) == asdict(record.handled)
    assert planner_side.recollection_from(planner_side.recollection_to(received)) == received


def test_likely_places_and_past_tasks_reach_the_planner():
    place = Record("long_term:p", "long_term", "p", "p", "e", 1.0, likely=Likely(0.5, 2.5))
    task = Record("trajectory:t", "trajectory", "t", "t", "e", 1.0, task=Task("do it", ("clean(mug=Mug)",), True))
    messages = answer_conversions.from_recollections([Recollection(place, 0.5), Recollection(task, 0.5)])
    received = [planner_side.recollection_from(message) for message in messages]
    assert [(found.likely and asdict(found.likely)) for found in received] == [asdict(place.likely), None]
    assert [(found.task and asdict(found.task)) for found in received] == [None, asdict(task.task)]
    assert [planner_side.recollection_from(planner_side.recollection_to(found)) for found in received] == received


@pytest.mark.parametrize(
    "query",
    [
        Query("", now=5.0),
        Query("mug", user="ann", scene="home1", kinds=frozenset({"told", "rule"}), room="kitchen", limit=3, now=5.0),
        Query("mug", near=(1.0, 2.0, 0.5), radius=2.0, at=9.0, since=3.0, until=4.0, token_budget=70, now=5.0),
    ],
)
def test_a_query_goes_both_ways(query):
    request = answer_conversions.from_query(query)
    assert answer_conversions.to_query(request, limit=1, token_budget=1, now=5.0) == query
