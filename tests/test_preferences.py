# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What users prefer, in the running graph: asked once, corrected once, each user's own, and known after a crash."""

from __future__ import annotations

import os
import signal
import threading
import uuid
from typing import Any

import pytest
from click.testing import CliRunner

pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")

from karma.command import feedback
from karma_interfaces.action import ExecuteInstruction, ExecuteSkill
from karma_interfaces.msg import SceneNode, SkillCall
from karma_interfaces.srv import Answer, Choose, GetSceneGraph, LearnChoice
from karma_ros.result_codes import code_name

pytestmark = [pytest.mark.ros, pytest.mark.slow]

FRUIT = "Bring me some fruit."
KINDS = ("Apple", "Tomato")


class Person:
    """Gives instructions, and answers questions in a thread of its own: feedback comes in the client's."""

    def __init__(self, client: Any, name: str) -> None:
        self.client = client
        self.name = name
        self.asked: list[tuple[str, list[str]]] = []

    def instruct(self, text: str, answer: str = "") -> Any:
        answering: list[threading.Thread] = []
        self.asked.clear()

        def on_feedback(message: Any) -> None:
            if message.question_id:
                self.asked.append((message.question, list(message.choices)))
                if answer:
                    answering.append(threading.Thread(target=self._answer, args=(message.question_id, answer)))
                    answering[-1].start()

        goal = ExecuteInstruction.Goal(instruction=text, user=self.name)
        result = self.client.run_action(
            ExecuteInstruction,
            "execute_instruction",
            goal,
            on_feedback=on_feedback,
            timeout=300.0,
            connect_timeout=60.0,
        )
        for thread in answering:
            thread.join(60.0)
        assert code_name(result.result) == "SUCCESS", result.result.message
        return result

    def _answer(self, question: str, text: str) -> None:
        request = Answer.Request(question_id=question, text=text, user=self.name)
        assert code_name(self.client.call(Answer, "answer", request).result) == "SUCCESS"

    def says(self, text: str, result: Any, domain: int) -> str:
        """Say what they think of an instruction on the command line; return what the robot says to that."""
        arguments = [text, "--user", self.name, "--about", result.instruction_id]
        said = CliRunner().invoke(feedback.command, arguments, env={"ROS_DOMAIN_ID": str(domain)})
        assert said.exit_code == 0, said.output
        return said.output.strip()


def brought(client: Any, result: Any) -> str:
    """Return the kind of what was brought: the last thing that was picked up, else what was in the gripper already."""
    picked = [
        o.call.target for o in result.skills if o.call.skill == "PickupObject" and code_name(o.result) == "SUCCESS"
    ]
    if picked:
        return str(picked[-1].category)
    graph = client.call(GetSceneGraph, "memory/get_scene_graph", GetSceneGraph.Request()).graph
    return str(next(node.category for node in graph.nodes if node.relation == "held"))


@pytest.fixture
def ann(client, eventually) -> Person:
    def known() -> set[str]:
        graph = client.call(GetSceneGraph, "memory/get_scene_graph", GetSceneGraph.Request()).graph
        return {node.category for node in graph.nodes if node.layer == SceneNode.OBJECT}

    if not set(KINDS) <= known():
        goal = ExecuteSkill.Goal(call=SkillCall(skill="Explore"))
        client.run_action(ExecuteSkill, "execute_skill", goal, timeout=300.0, connect_timeout=60.0)
        assert eventually(lambda: set(KINDS) <= known())
    return Person(client, "ann")


def test_it_asks_once_is_corrected_once_and_knows_after_a_crash(graph, client, ann, eventually) -> None:
    result = ann.instruct(FRUIT, answer="The tomato, please.")
    assert ann.asked == [("Which would you like: apple or tomato?", ["apple", "tomato"])]
    assert brought(client, result) == "Tomato"
    result = ann.instruct(FRUIT)
    assert (ann.asked, brought(client, result)) == ([], "Tomato")
    assert [r.kind for r in result.recalled if "tomato, not apple" in r.text] == ["preferences"]
    assert 'you said "The tomato, please."' in result.result.message

    assert ann.says("No, I wanted the apple.", result, graph.domain_id) == "I will remember: apple."
    before = graph.pids["memory_server"]
    os.kill(before, signal.SIGKILL)
    assert eventually(lambda: graph.pids.get("memory_server", before) != before)
    graph.wait_active(180)
    result = ann.instruct(FRUIT)
    assert (ann.asked, brought(client, result)) == ([], "Apple")

    bo = Person(client, "bo")
    result = bo.instruct(FRUIT, answer="tomato")
    assert (len(bo.asked), brought(client, result)) == (1, "Tomato")
    assert (brought(client, ann.instruct(FRUIT)), ann.asked) == ("Apple", [])


def test_the_services_refuse_nonsense_and_learn_nothing_twice(client) -> None:
    choice: dict[str, Any] = {"user": "cleo", "text": "Bring me a drink.", "options": ["tea", "coffee"]}
    for nonsense in (
        {"user": ""},
        {"text": ""},
        {"options": []},
        {"options": ["x"] * 10_000},
        {"mode": 7},
        {"mode": 1},
    ):
        for kind, name in ((Choose, "memory/choose"), (LearnChoice, "memory/learn_choice")):
            more = {} if kind is Choose else {"id": str(uuid.uuid4()), "words": "tea"}
            answer = client.call(kind, name, kind.Request(**{**choice, **nonsense, **more}))
            assert code_name(answer.result) == "INVALID_ARGUMENT", nonsense
            assert answer.result.message
    lesson = LearnChoice.Request(**choice, id=str(uuid.uuid4()), words="The tea, please.", answering=True)
    first, again = (client.call(LearnChoice, "memory/learn_choice", lesson) for _ in range(2))
    assert (first.option, first.taught, first.record) == ("tea", True, f"preferences:{lesson.id}")
    assert (again.option, again.taught, again.record) == (first.option, first.taught, first.record)
    known = client.call(Choose, "memory/choose", Choose.Request(**choice))
    assert (known.option, known.sure, known.question) == ("tea", True, "")
    assert [r.id for r in known.recollections] == [first.record]
    assert known.because == 'asked "Bring me a drink.", you said "The tea, please."'
    assert known.why
