# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A language model as the planner: asked once an instruction, told of what was wrong, and made to think otherwise."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from household_robot import DictMemory
from ollama_server import MODEL, OllamaServer
from scripted_robot import ScriptedRobot, thing

from karma_language.models import Limits, Model
from karma_language.vocabulary import household
from planner_node.instruction import Report
from planner_node.memory import Recall, Recollection
from planner_node.planner import Instruction, Planner
from planner_node.skills import Code
from planner_node.understand.llm import LlmUnderstanding

LEXICON = household()
THINGS = [thing("DeskLamp1", (1, 0, 1)), thing("FloorLamp1", (4, 0, 1)), thing("Television1", (2, 0, 2))]


def on(*nouns: str, **more: Any) -> str:
    return json.dumps({"goals": [{"predicate": "switch_on", "object": noun} for noun in nouns], **more})


def lived(server: OllamaServer, text: str, attempts: int) -> tuple[list[Report], list[str]]:
    """Return the reports of attempts, each of which the person calls wrong, and what was switched on."""
    robot = ScriptedRobot()
    with server.running():
        model = LlmUnderstanding(LEXICON, Model(MODEL, url=server.host, limits=Limits(first=20.0, total=20.0)))
        planner = Planner(robot, DictMemory(THINGS), model, LEXICON)
        reports: list[Report] = []
        for _ in range(attempts):
            last = reports[-1].instruction_id if reports else ""
            reports.append(planner.run(Instruction(text, user="ann", retry_of=last)))
            planner.judged(reports[-1].instruction_id, right=False)
    return reports, [call for call in robot.log if call.startswith("ToggleOn")]


class Called(DictMemory):
    """A memory of one instruction that was carried out before the planner started."""

    def __init__(self, episode: str) -> None:
        super().__init__(THINGS)
        self.episode = episode

    def recall(self, query: str, user: str = "", scene: str = "", limit: int = 0, kinds: Sequence[str] = ()) -> Recall:
        return Recall((Recollection("episodic", "episodic:e", self.episode),)) if not kinds else Recall()


def roles(request: dict[str, Any]) -> Sequence[str]:
    return [message["role"] for message in request["messages"]]


def test_a_wrong_attempt_is_shown_to_the_model_which_answers_otherwise() -> None:
    server = OllamaServer(on("television"), on("desk lamp"))
    _, switched = lived(server, "turn on the television or the desk lamp", 2)
    assert switched == ["ToggleOn(Television1)", "ToggleOn(DeskLamp1)"]
    first, second = server.requests
    assert len(second["messages"]) == len(first["messages"]) + 2
    assert json.loads(second["messages"][-2]["content"]) == json.loads(on("television"))
    assert "not what I wanted" in second["messages"][-1]["content"]
    assert first["options"]["temperature"] == 0 < second["options"]["temperature"]


def test_a_model_that_knows_nothing_else_has_its_words_taken_otherwise() -> None:
    server = OllamaServer(on("lamp"))
    reports, switched = lived(server, "turn on the lamp", 2)
    assert switched == ["ToggleOn(DeskLamp1)", "ToggleOn(FloorLamp1)"]
    assert "floor lamp" in reports[1].message
    assert len({request["options"]["seed"] for request in server.requests}) == 2


def test_what_was_not_understood_at_first_is_not_taken_for_something_else() -> None:
    cannot = on(problem="I can't.")
    server = OllamaServer(cannot, cannot, on("lamp"))
    reports, switched = lived(server, "turn on the lamp", 2)
    assert [report.code for report in reports] == [Code.NOT_UNDERSTOOD, Code.SUCCESS]
    assert switched == ["ToggleOn(DeskLamp1)"]


def test_a_model_is_asked_once_whatever_is_said_beside() -> None:
    server = OllamaServer(on("desk lamp"))
    text = "I want the desk lamp on as usual, I need it bright. Turn on my desk lamp, please, we should read more."
    lived(server, text, 1)
    assert len(server.requests) == 1


@pytest.mark.parametrize(("end", "switched"), [("not as wanted", "DeskLamp1"), ("success", "Television1")])
def test_what_was_called_wrong_before_a_restart_is_shown_to_the_model_when_the_same_is_asked(
    end: str, switched: str
) -> None:
    text = "turn on the television or the desk lamp"
    server, robot = OllamaServer(on("television")), ScriptedRobot()
    if end == "not as wanted":
        server = OllamaServer(on("desk lamp"))
    memory = Called(f'"{text}": {end}, done: switch_on(television)')
    with server.running():
        model = LlmUnderstanding(LEXICON, Model(MODEL, url=server.host, limits=Limits(first=20.0, total=20.0)))
        Planner(robot, memory, model, LEXICON).run(Instruction(text, user="ann"))
    assert robot.log[-1] == f"ToggleOn({switched})"
    last = server.requests[0]["messages"][-1]["content"]
    assert ("not what I wanted" in last) is (end == "not as wanted")
