# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a language model is shown of the past."""

from __future__ import annotations

from planner_node.memory import Recollection
from planner_node.past import past_examples
from planner_node.understand.aid import Example


def test_instructions_that_succeeded_are_examples_with_their_goals() -> None:
    told = (
        (
            "episodic",
            '"wash the apple, then put it on the table": success, done: clean(apple); place(apple, table, on)',
        ),
        ("episodic", '"wash the mug": execution failure, done: nothing | not done: clean(mug)'),
        ("episodic", '"wash the cup": success, done: clean(cup) | not done: place(cup, table, on)'),
        ("episodic", '"look": not finished'),
        ("told", '"wash the fork": success, done: clean(fork)'),
        ("episodic", "anything else"),
    )
    found = past_examples(Recollection(kind, f"e/{number}", text) for number, (kind, text) in enumerate(told))
    instruction = "wash the apple, then put it on the table"
    assert found == (Example(instruction, ("clean(apple)", "place(apple, table, on)")),)
