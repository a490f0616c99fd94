# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The demo's instructions to a robot graph that understands with a language model, judged by the simulator's truth.

A scripted model answers as models do: right, half right, wrong, made up, half a text, not at all. A real one is far too
small to understand anything. Either way every instruction ends with a code that says what became of it: what is called
SUCCESS is so, nothing else is done, nothing hangs, and the rules do the same work afterwards. Perception is left out,
and the simulator renders nothing: it is about words.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")

from home_graph import PATIENCE_S, Home
from ollama_server import MODEL, OllamaServer

from karma.demo.judge import missing
from karma.demo.script import SCRIPT, Instruct
from karma_ros.result_codes import code_name

pytestmark = [pytest.mark.ros, pytest.mark.slow]

UNSAFE = {"ThrowObject", "Throw", "BreakObject", "Break"}
ENDED = {"SUCCESS", "NOT_UNDERSTOOD", "AMBIGUOUS", "NOT_FOUND", "PRECONDITION_FAILURE", "PLANNING_FAILURE", "REFUSED"}
"""Codes with which an instruction may end whatever a real model says; the others are defects or time-outs."""
WAITS_S = 8.0
"""For a scripted model."""
STEPS = {step.text: step for step in SCRIPT if isinstance(step, Instruct)}
APPLE = "Bring me an apple."
SINK = "Put the mug in the sink."
MUG = "Bring me the mug."


SAID = {
    SINK: "would thou plant the mug in the sink",
    MUG: "might the mug be lent me",
}
"""Instructions of the demo in words that rules do not read whole."""


def answer(*english: str) -> str:
    return json.dumps({"english": english})


@dataclass(frozen=True)
class Case:
    """What a model answers to an instruction of the demo, and what has to become of it."""

    text: str
    answers: tuple[str, ...]
    code: str
    told: str = ""
    """Part of the message."""
    model: dict[str, Any] = field(default_factory=dict)
    """How the model answers; see OllamaServer."""


IN_SINK = answer("Put the mug in the sink.")
CASES = {  # what is not understood comes first: what went well once is done again as it was
    "a word left out": Case(SINK, (answer("Put the mug away."),), "NOT_UNDERSTOOD", "'sink' is left out"),
    "another thing": Case(SINK, (answer("Put the plate in the sink."),), "NOT_UNDERSTOOD", "nobody said 'plate'"),
    "another place": Case(SINK, (answer("Put the mug in the fridge."),), "NOT_UNDERSTOOD", "nobody said 'fridge'"),
    "more than was said": Case(SINK, (answer("Put the mug in the sink.", "Wash it."),), "NOT_UNDERSTOOD", "'wash'"),
    "left out, then repaired": Case(SINK, (answer("Put the mug away."), IN_SINK), "SUCCESS"),
    "right": Case(SINK, (IN_SINK,), "SUCCESS"),
    "nothing": Case(MUG, (answer(),), "NOT_UNDERSTOOD"),
    "half an answer": Case(MUG, (IN_SINK[:25],), "NOT_UNDERSTOOD"),
    "a line that ends half-way": Case(MUG, (answer("Bring me the mug."),), "UNAVAILABLE", model={"cut": True}),
    "nothing until time-out": Case(MUG, ("{}",), "TIMEOUT", "llm_first_timeout", model={"delay": 2 * WAITS_S}),
    "half an answer, then repaired": Case(MUG, ('{"english": ["Bri', answer("Bring me the mug.")), "SUCCESS"),
}


@pytest.fixture(scope="module")
def script() -> Iterator[OllamaServer]:
    with OllamaServer("{}").running() as server:
        yield server


@pytest.fixture(scope="module")
def home(script: OllamaServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    from karma_ros.domain import claim_domain

    with claim_domain(None) as domain, pytest.MonkeyPatch.context() as environment:
        environment.setenv("ROS_DOMAIN_ID", str(domain))
        home = Home(tmp_path_factory.mktemp("home"), domain, "home1")
        try:
            home.start("memory_server")
            home.start("sim_bridge", "publish_images:=false", "frame_rate:=0.0")
            home.start(
                "planner",
                *(f"llm:={MODEL}", f"llm_url:={script.host}", f"llm_first_timeout:={WAITS_S}"),
                *("llm_window:=1200", "llm_answer:=40", "llm_repairs:=1", "llm_cache:=0"),  # short, for a slow machine
            )
            yield home
        finally:
            home.close()


def carry_out(home: Home, text: str, steps: list[Any] | None = None) -> tuple[str, Any]:
    """Return the code and the result of an instruction: what is called SUCCESS is so, and nothing unasked was done."""
    result = home.order(SAID.get(text, text), steps).result(2 * PATIENCE_S)
    code = code_name(result.result)
    assert code == "SUCCESS" or len(result.result.message) > 20, (text, result.result)
    assert not {outcome.call.skill for outcome in result.skills} & UNSAFE
    assert bool(result.goals) or not result.skills, "without goals nothing is done"
    assert code != "SUCCESS" or not missing(STEPS[text].outcome, home.truths()), (text, result.goals)
    return code, result


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_a_model_answers_is_done_right_or_not_at_all(home: Home, script: OllamaServer, case: Case) -> None:
    script.contents = [*case.answers]
    script.cut, script.delay = case.model.get("cut", False), case.model.get("delay", 0.0)
    asked = len(script.requests)
    code, result = carry_out(home, case.text)
    assert (code, case.told in result.result.message) == (case.code, True), result.result
    assert code == "SUCCESS" or not result.skills
    assert len(script.requests) > asked, "the model was not asked"


def test_whatever_a_real_model_answers_is_done_right_or_not_at_all(home: Home, ollama_daemon: Any) -> None:
    home.reconfigure("planner", llm=ollama_daemon.model, llm_url=ollama_daemon.host, llm_first_timeout=PATIENCE_S)
    steps: list[Any] = []
    code, _ = carry_out(home, SINK, steps)
    assert code in ENDED
    assert any(feedback.step.startswith("ask smollm2") for feedback in steps)


def test_afterwards_it_can_be_paused_and_asked_and_the_rules_do_the_work(home: Home) -> None:
    home.trigger("pause")
    home.trigger("resume")
    home.reconfigure("planner", llm="offline")
    code, message, skills = home.do("What did you leave undone?")
    assert (code, bool(message), skills) == ("SUCCESS", True, [])
    code, result = carry_out(home, APPLE)
    assert code == "SUCCESS", result.result
