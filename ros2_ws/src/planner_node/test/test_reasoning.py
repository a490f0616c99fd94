# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A language model plans skill by skill: it sees what came of each call, and ends in bounded time whatever it says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from household_robot import DictMemory, HouseholdRobot
from ollama_server import MODEL, OllamaServer

from karma_language.models import Limits, Model
from karma_language.vocabulary import household
from planner_node.act.reasoning import Planning
from planner_node.instruction import Observer, Report
from planner_node.memory import TRAJECTORY, Handled, Recall, Recollection, Task
from planner_node.planner import Instruction, Planner
from planner_node.skills import Code, SkillCall, Target
from planner_node.understand.hearing import Hearing
from sim_bridge.household.backend import HouseholdBackend
from sim_bridge.household.obstacles import read_obstacles

LEXICON = household()


def call(text: str, reason: str = "it comes next") -> str:
    return json.dumps({"reason": reason, "call": text})


def calls(request: dict[str, Any]) -> list[str]:
    """Return the calls that a question offers."""
    return list(request["format"]["properties"]["call"]["enum"])


def wants(*patterns: str) -> Iterator[Callable[[dict[str, Any]], str]]:
    """Yield answers that take the first offered call that fits each pattern, and Done() at the end."""
    for pattern in (*patterns, r"Done\(\)"):

        def answer(request: dict[str, Any], pattern: str = pattern) -> str:
            fits = [one for one in calls(request) if re.fullmatch(pattern, one)]
            return call(fits[0] if fits else "GiveUp()", "" if fits else f"no {pattern} in {calls(request)}")

        yield answer


@pytest.fixture
def backend() -> HouseholdBackend:
    return HouseholdBackend("FloorPlan1")


def done_by(
    server: OllamaServer,
    backend: HouseholdBackend,
    text: str,
    planning: Planning = Planning.SKILLS,
    observer: Observer | None = None,
    memory: DictMemory | None = None,
) -> Report:
    """Return the report of an instruction in a kitchen that nobody knows yet."""
    with server.running():
        model = Model(MODEL, url=server.host, limits=Limits(first=20.0, total=20.0))
        planner = Planner(HouseholdRobot(backend), memory or DictMemory(), Hearing(LEXICON, model), LEXICON)
        planner.pursuit.planning = planning
        return planner.run(Instruction(text), observer)


def offered(server: OllamaServer) -> set[str]:
    return {one for request in server.requests for one in calls(request)}


def test_the_model_washes_an_apple_call_by_call(backend: HouseholdBackend) -> None:
    server = OllamaServer(
        *wants(
            r"Explore\(apple\)",
            r"PickupObject\(Apple\)",
            r"Explore\(sink\)|PutObject\(SinkBasin.*",
            r"PutObject\(SinkBasin.*",
            r"Explore\(faucet\)|(?:Switch|Toggle)On\(Faucet.*",
            r"(?:Switch|Toggle)On\(Faucet.*",
        )
    )
    report = done_by(server, backend, "wash the apple")
    assert report.code is Code.SUCCESS, report.message
    apple = next(name for name in backend.world.parents if name.startswith("Apple"))
    assert "SinkBasin" in backend.world.parents[apple]
    assert [outcome.call.target.category for outcome in report.outcomes if outcome.ok][-2:] == ["Faucet", "Faucet"]
    last = server.requests[-1]["messages"][-1]["content"]
    assert "Explore(Apple)" not in last.partition("<steps>")[2].partition("</steps>")[0]  # five steps are shown
    assert "The gripper holds nothing." in last
    taken = [request for request in server.requests if "The gripper holds Apple." in request["messages"][-1]["content"]]
    assert taken
    assert not any(one.startswith("PickupObject") for request in taken for one in calls(request))


class Remembers(DictMemory):
    """A memory in which a fork was washed."""

    def recall(self, query: str, user: str = "", scene: str = "", limit: int = 0, kinds: Sequence[str] = ()) -> Recall:
        if list(kinds) != [TRAJECTORY]:
            return super().recall(query, user, scene, limit, kinds)
        fork, sink = Target("", "Fork"), Target("", "SinkBasin")
        way = (
            SkillCall("PickupObject", fork),
            SkillCall("PutObject", fork, sink),
            SkillCall("SwitchOn", Target("", "Faucet")),
        )
        task = Task("wash the fork", ("clean(fork=Fork)",), True)
        return Recall((Recollection(TRAJECTORY, "trajectory:1", "Worked", task=task, handled=Handled("", way)),))


def test_what_memory_knows_needs_no_thought(backend: HouseholdBackend) -> None:
    server = OllamaServer(call("GiveUp()"))
    report = done_by(server, backend, "wash the apple", memory=Remembers())
    assert report.code is Code.SUCCESS, report.message
    assert not server.requests


def test_what_can_not_be_undone_is_not_offered_unless_it_is_asked_for(backend: HouseholdBackend) -> None:
    server = OllamaServer(*wants(r"Explore\(apple\)", r"PickupObject\(Apple\)"))
    assert done_by(server, backend, "bring me the apple").code is Code.SUCCESS
    assert not [one for one in offered(server) if one.startswith(("Slice", "Break", "Throw"))]


@pytest.mark.parametrize(
    "answer",
    [
        "no JSON at all",
        "{}",
        call("BreakObject(Window)"),
        call("Done()"),
        json.dumps({"reason": 7, "call": ["PickupObject(Apple)"]}),
        pytest.param("[" * 5000, id="deep"),
    ],
)
def test_a_model_that_makes_no_sense_ends_the_instruction(backend: HouseholdBackend, answer: str) -> None:
    before = dict(backend.world.parents)
    report = done_by(OllamaServer(answer), backend, "wash the apple")
    assert report.code is Code.PLANNING_FAILURE
    assert report.message
    assert backend.world.parents == before


def test_a_model_that_never_stops_is_stopped_and_the_robot_left_safe(backend: HouseholdBackend) -> None:
    def anything(request: dict[str, Any]) -> str:
        if "call" not in request["format"]["properties"]:
            return "no JSON at all"
        return call(next((one for one in calls(request) if one not in ("Done()", "GiveUp()")), "GiveUp()"))

    report = done_by(OllamaServer(anything), backend, "refurbish the apple beside the tap", Planning.AUTO)
    assert report.code in (Code.TIMEOUT, Code.PLANNING_FAILURE)
    assert len(report.outcomes) < 200
    taps = [states for name, states in backend.world.states.items() if name.startswith("Faucet")]
    assert taps
    assert not any(tap.get("isToggled") in (True, "true") for tap in taps)


def test_what_is_understood_is_not_given_up_before_several_calls_have_failed(backend: HouseholdBackend) -> None:
    server = OllamaServer(*wants(r"Explore\(apple\)", r"PickupObject\(Apple\)", "nothing", "nothing", "nothing"))
    done_by(server, backend, "wash the apple")
    assert "<understood>\nwash the apple: not yet\n</understood>" in server.requests[0]["messages"][-1]["content"]
    assert all(("GiveUp()" in calls(request)) is (turn >= 5) for turn, request in enumerate(server.requests))
    assert not any("Done()" in calls(request) for request in server.requests)
    vague = OllamaServer(call("GiveUp()"))
    done_by(vague, backend, "make it nice in here")
    assert all("GiveUp()" in calls(request) for request in vague.requests if "call" in request["format"]["properties"])


def test_a_call_is_not_offered_again_where_everything_is_as_it_was(backend: HouseholdBackend) -> None:
    takes, puts = r"PickupObject\(Apple\)", r"PutObject\((?!Sink).*\)"
    server = OllamaServer(*wants(r"Explore\(apple\)", takes, puts, takes, puts, takes, puts))
    done_by(server, backend, "wash the apple")
    seen: dict[str, list[list[str]]] = {}
    for request in server.requests:
        scene = request["messages"][-1]["content"].partition("<scene>")[2].partition("</scene>")[0]
        seen.setdefault(scene, []).append(calls(request))
    again = [lists for lists in seen.values() if len(lists) > 1]
    assert again
    assert all(not set(lists[0]) <= set(lists[1]) for lists in again)


def test_a_model_that_gives_up_says_why(backend: HouseholdBackend) -> None:
    report = done_by(OllamaServer(call("GiveUp()", "there is no ladder")), backend, "wash the apple")
    assert report.code is Code.PLANNING_FAILURE
    assert "there is no ladder" in report.message


def test_what_was_taken_in_vain_goes_back(backend: HouseholdBackend) -> None:
    script = wants(r"Explore\(apple\)", r"PickupObject\(Apple\)", "no such call", "no such call")
    report = done_by(OllamaServer(*script), backend, "wash the apple")
    assert report.code is Code.PLANNING_FAILURE
    assert "I put the apple back" in report.message


def test_a_dead_model_ends_the_instruction_and_nothing_is_moved(backend: HouseholdBackend) -> None:
    report = done_by(OllamaServer(status=500), backend, "wash the apple")
    assert report.code is Code.UNAVAILABLE
    assert report.outcomes == ()


def test_with_goals_first_the_model_is_not_asked_for_what_the_task_planner_does(backend: HouseholdBackend) -> None:
    server = OllamaServer(call("GiveUp()"))
    assert done_by(server, backend, "bring me the apple", Planning.AUTO).code is Code.SUCCESS
    assert not server.requests


def test_where_the_goals_are_not_reached_the_model_goes_on_from_there(backend: HouseholdBackend) -> None:
    planned = wants(r"Explore\(apple\)", r"PickupObject\(Apple\)")

    def answer(request: dict[str, Any]) -> str:
        reads = "call" not in request["format"]["properties"]
        return json.dumps({"english": ["put the apple on the piano"]}) if reads else next(planned)(request)

    report = done_by(OllamaServer(answer), backend, "put the apple on the piano", Planning.AUTO)
    assert report.code is Code.SUCCESS, report.message
    assert [outcome.call.skill for outcome in report.outcomes][-1] == "PickupObject"


LOCKED = """
obstacles:
  - skill: OpenObject
    thing: Drawer
    until: {any: LightSwitch, isToggled: true}
    message: The drawer is locked until the light is on.
"""


@pytest.mark.parametrize("llm", [True, False])
def test_what_may_put_a_failed_skill_right_is_tried_out_at_once_where_a_model_helps(llm: bool, tmp_path: Path) -> None:
    (tmp_path / "obstacles.yaml").write_text(LOCKED, encoding="utf-8")
    backend = HouseholdBackend("FloorPlan1", obstacles=read_obstacles(tmp_path / "obstacles.yaml"))
    robot = HouseholdRobot(backend)
    server = OllamaServer("{}")
    with server.running():
        model = Model(MODEL, url=server.host, limits=Limits(first=20.0, total=20.0)) if llm else None
        planner = Planner(robot, DictMemory(), Hearing(LEXICON, model), LEXICON)
        assert planner.run(Instruction("turn off the light")).code is Code.SUCCESS
        report = planner.run(Instruction("put the spatula in the drawer"))
    assert (report.code is Code.SUCCESS) is llm, report.message
    assert ("What helped:" in report.message) is llm
    assert ("The drawer is locked" in report.message) is not llm
    assert not server.requests


def test_a_call_of_the_model_that_fails_is_put_right_as_well(tmp_path: Path) -> None:
    (tmp_path / "obstacles.yaml").write_text(LOCKED, encoding="utf-8")
    backend = HouseholdBackend("FloorPlan1", obstacles=read_obstacles(tmp_path / "obstacles.yaml"))
    assert done_by(OllamaServer("{}"), backend, "turn off the light", Planning.GOALS).code is Code.SUCCESS

    def answer(request: dict[str, Any]) -> str:
        order = "PutObject(Drawer", "OpenObject(Drawer", "PickupObject(Spatula", ""
        return call(next(one for start in order for one in calls(request) if one.startswith(start)))

    report = done_by(OllamaServer(answer), backend, "put the spatula in the drawer")
    assert report.code is Code.SUCCESS, report.message
    assert "What helped:" in report.message
