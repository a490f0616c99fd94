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
from planner_node.understand.hearing import Hearing

LEXICON = household()
THINGS = [thing("DeskLamp1", (1, 0, 1)), thing("FloorLamp1", (4, 0, 1)), thing("Television1", (2, 0, 2))]


TEXT = "tänd den där apparaten, är du snäll"
"""What rules do not read, and what a model may take for more than one thing."""


def on(noun: str) -> str:
    return json.dumps({"english": [f"Switch on the {noun}."]})


def lived(server: OllamaServer, text: str, attempts: int) -> tuple[list[Report], list[str]]:
    """Return the reports of attempts, each of which the person calls wrong, and what was switched on."""
    robot = ScriptedRobot()
    with server.running():
        model = Hearing(LEXICON, Model(MODEL, url=server.host, limits=Limits(first=20.0, total=20.0)))
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

    def recall(self, query: str, *asked: Any, kinds: Sequence[str] = (), **more: Any) -> Recall:
        for_kinds = kinds or asked[3:4] not in ((), ((),))
        return Recall() if for_kinds else Recall((Recollection("episodic", "episodic:e", self.episode),))


def roles(request: dict[str, Any]) -> Sequence[str]:
    return [message["role"] for message in request["messages"]]


def test_a_wrong_attempt_is_shown_to_the_model_which_answers_otherwise() -> None:
    server = OllamaServer(on("television"), on("television"), on("desk lamp"))
    _, switched = lived(server, TEXT, 2)
    assert switched == ["ToggleOn(Television1)", "ToggleOn(DeskLamp1)"]
    first, _, third, _ = server.requests
    assert len(third["messages"]) == len(first["messages"]) + 2
    assert json.loads(third["messages"][-2]["content"])["english"] == ["Switch on the television."]
    assert "not what the person wanted" in third["messages"][-1]["content"]
    assert first["options"]["temperature"] == 0 < third["options"]["temperature"]


def test_what_rules_have_read_wrong_the_model_reads_otherwise() -> None:
    server = OllamaServer(json.dumps({"english": ["Turn on the lamp."]}))
    reports, switched = lived(server, "turn on the lamp", 2)
    assert switched == ["ToggleOn(DeskLamp1)", "ToggleOn(FloorLamp1)"]
    assert "floor lamp" in reports[1].message
    assert server.requests[0]["options"]["seed"] == 2


@pytest.mark.parametrize(("end", "switched"), [("not as wanted", "DeskLamp1"), ("success", "Television1")])
def test_what_was_called_wrong_before_a_restart_is_shown_to_the_model_when_the_same_is_asked(
    end: str, switched: str
) -> None:
    text = TEXT
    noun = {"DeskLamp1": "desk lamp", "Television1": "television"}[switched]
    server, robot = OllamaServer(on(noun)), ScriptedRobot()
    memory = Called(f'"{text}": {end}, done: switch_on(television)')
    with server.running():
        model = Hearing(LEXICON, Model(MODEL, url=server.host, limits=Limits(first=20.0, total=20.0)))
        Planner(robot, memory, model, LEXICON).run(Instruction(text, user="ann"))
    assert robot.log[-1] == f"ToggleOn({switched})"
    last = server.requests[0]["messages"][-1]["content"]
    assert ("not what the person wanted" in last) is (end == "not as wanted")
