# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The recorded answers of a language model, to Ollama's real client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("karma_interfaces.msg", reason="karma_interfaces is not built")

from karma.replay.model import recorded_model
from karma.replay.trial import Exchange, TrialError
from karma_language.models import Limits, Model, Newest, ServerError
from planner_node.ros.exchanges import LLM

SCHEMA = {"type": "object"}
QUESTION = {
    "model": "planner:1b",
    "messages": [{"role": "user", "content": "Bring me the mug."}],
    "format": SCHEMA,
    "options": {"temperature": 0, "seed": 0, "num_predict": 512, "num_ctx": 2048},
}


def test_a_question_gets_its_recorded_answer_and_another_none() -> None:
    heard: list[tuple[Mapping[str, Any], str]] = []
    with recorded_model([Exchange(1, LLM, "", 0.0, QUESTION, '{"goals": []}')]) as host:
        limits = Limits(window=4096, answer=1024)
        model = Model("planner:1b", url=host, limits=limits, heard=lambda q, a: heard.append((q, a)))
        chat = [{"role": "user", "content": "Bring me the mug."}]
        assert model.room() == 2048 - 512  # as it was then, though more would be allowed
        assert [model.ask(chat, SCHEMA) for _ in range(2)] == ['{"goals": []}'] * 2
        with pytest.raises(ServerError, match="no answer to that"):
            model.ask([{"role": "user", "content": "Bring me the cup."}], SCHEMA)
    assert heard == [(QUESTION, '{"goals": []}')] * 2  # from the server and from the cache


@pytest.mark.parametrize("question", [None, [], {}, {"options": {}}, {"options": {"num_ctx": 1e999}}])
def test_a_damaged_question_is_told_and_not_served(question: Any) -> None:
    with pytest.raises(TrialError, match="damaged"), recorded_model([Exchange(1, LLM, "", 0.0, question, "{}")]):
        pytest.fail("it is served")


def test_an_answer_that_was_kept_from_before_is_heard_too() -> None:
    heard: list[str] = []
    with recorded_model([Exchange(1, LLM, "", 0.0, QUESTION, "{}")]) as host:
        kept = Newest(4)
        chat = [{"role": "user", "content": "Bring me the mug."}]
        first = Model("planner:1b", url=host, limits=Limits(), answers=kept)
        second = Model("planner:1b", url=host, limits=Limits(), answers=kept, heard=lambda _, said: heard.append(said))
        assert first.ask(chat, SCHEMA) == second.ask(chat, SCHEMA)
    assert heard == ["{}"]
