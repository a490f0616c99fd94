# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The recorded world as a planner's clients see it, with a stand-in for the memory server."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("karma_interfaces.msg", reason="karma_interfaces is not built")

from builtin_interfaces.msg import Time

from karma.replay.tape import Tape
from karma.replay.trial import LEARN, RECALL, REMEMBER, SKILL, Exchange
from karma.replay.world import MEMORY, RecordedWorld
from karma_interfaces.action import ExecuteSkill
from karma_interfaces.msg import MemoryEvent, Result, SkillCall, SkillOutcome
from karma_interfaces.srv import LearnChoice, Recall, Remember
from karma_memory import Event, EventKind
from karma_ros.client import GraphClient
from karma_ros.domain import claim_domain

pytestmark = pytest.mark.ros

DONE = Result(code=Result.SUCCESS)
OPEN = ExecuteSkill.Goal(call=SkillCall(skill="OpenObject"))
CHOICE = LearnChoice.Request(id="then", words="the red one")
TOLD = Remember.Request(events=[MemoryEvent(id="e1", text="It is cold.", stamp=Time(sec=7))])


def exchange(number: int, name: str, request: Any, response: Any = None, error: str = "") -> Exchange:
    return Exchange(number, name, "", 1000.0 + number, request, response, error)


def opened(message: str) -> ExecuteSkill.Result:
    return ExecuteSkill.Result(outcome=SkillOutcome(call=OPEN.call, result=Result(code=9, message=message)))


class World:
    """A world with a memory that keeps what it gets, and a planner's client."""

    def __init__(self, domain: int, *exchanges: Exchange, others: Any = ()) -> None:
        self.got: list[Any] = []
        self.slow = 0.0
        self.memory = GraphClient(name="memory", domain_id=domain)
        for kind, name in ((Remember, REMEMBER), (LearnChoice, LEARN), (Recall, RECALL)):
            self.memory.node.create_service(kind, f"{MEMORY}/{name}", self._take)
        self.planner = GraphClient(name="planner", domain_id=domain)
        self.world = RecordedWorld(Tape(exchanges), list(others), began=1000.0, namespace="", domain_id=domain)

    def _take(self, request: Any, response: Any) -> Any:
        time.sleep(self.slow)
        self.got.append(request)
        response.result = DONE
        return response


@pytest.fixture
def worlds() -> Iterator[Any]:
    made: list[World] = []
    with claim_domain(None) as domain:

        def make(*exchanges: Exchange, others: Any = ()) -> World:
            made.append(World(domain, *exchanges, others=others))
            made[-1].world.__enter__()
            return made[-1]

        yield make
        for one in made:
            one.world.__exit__(None, None, None)
            one.planner.close()
            one.memory.close()


def test_what_a_planner_makes_has_the_ids_of_then_however_often_it_is_sent(worlds: Any) -> None:
    home = worlds(exchange(1, REMEMBER, TOLD, Remember.Response(result=DONE)), exchange(2, LEARN, CHOICE))
    now = Remember.Request(events=[MemoryEvent(id="e9", text="It is cold.", stamp=Time(sec=99))])
    for _ in range(2):
        assert home.planner.call(Remember, REMEMBER, now).result.code == Result.SUCCESS
        home.planner.call(LearnChoice, LEARN, LearnChoice.Request(id="now", words="the red one"))
    home.planner.call(LearnChoice, LEARN, LearnChoice.Request(id="another", words="the blue one"))
    told = [
        (event.id, event.stamp.sec) for got in home.got if isinstance(got, Remember.Request) for event in got.events
    ]
    assert told == [("e1", 7)] * 2
    assert [got.id for got in home.got if isinstance(got, LearnChoice.Request)] == ["then", "then", "another"]


def test_a_question_that_is_sent_again_before_it_is_answered_is_one_question(
    worlds: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("planner_node.ros.calling._REPEAT", 30.0)  # the world asks the memory once
    asked = Recall.Request(query="mug")
    home = worlds(exchange(1, RECALL, asked, Recall.Response()), exchange(2, RECALL, asked, Recall.Response()))
    home.slow = 1.5
    home.planner.call(Recall, RECALL, asked, repeat=0.5)
    assert len(home.got) == 1
    home.slow = 0.0
    monkeypatch.setattr("karma.replay.world.PATIENT_S", 0.0)  # as if more time had passed
    home.planner.call(Recall, RECALL, asked)
    assert len(home.got) == 2
    assert home.world._tape.left() == []


def test_what_others_told_comes_before_the_answer_that_takes_it_into_account(worlds: Any) -> None:
    others = [(number, Event(f"o{number}", EventKind.TOLD, 1.0, text=f"{number}")) for number in (3, 4, 5)]
    answer = Recall.Response(result=DONE, sequence=4)
    home = worlds(exchange(1, RECALL, Recall.Request(query="mug"), answer), others=others)
    home.planner.call(Recall, RECALL, Recall.Request(query="mug"))
    fed, question = home.got
    assert [event.id for event in fed.events] == ["o3", "o4"]
    assert question.query == "mug"
    home.world.feed(9)
    assert [event.id for event in home.got[-1].events] == ["o5"]


def test_a_skill_ends_as_it_did_and_one_that_was_not_run_is_not_invented(worlds: Any) -> None:
    home = worlds(exchange(1, SKILL, OPEN, opened("stuck")), exchange(2, SKILL, OPEN, None, "the bridge went away"))

    def run(goal: Any) -> str:
        return str(home.planner.run_action(ExecuteSkill, SKILL, goal, timeout=30.0).outcome.result.message)

    assert [run(OPEN), run(OPEN)] == ["stuck", "the bridge went away"]
    assert "does not know what comes of that" in run(ExecuteSkill.Goal(call=SkillCall(skill="CloseObject")))


def test_an_answer_is_held_back_until_a_person_did_what_they_had_done(worlds: Any) -> None:
    home = worlds(exchange(1, RECALL, Recall.Request(query="mug"), Recall.Response()))
    asked, let_go = home.world.hold(1)
    answered = threading.Event()

    def ask() -> None:
        home.planner.call(Recall, RECALL, Recall.Request(query="mug"))
        answered.set()

    thread = threading.Thread(target=ask)
    thread.start()
    assert asked.wait(30.0)
    assert not answered.wait(0.3)
    let_go.set()
    assert answered.wait(30.0)
    thread.join()
