# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a language model is shown of the past."""

from __future__ import annotations

from planner_node.memory import Recollection
from planner_node.understand.aid import Example
from planner_node.understand.past import past_examples, remembered, unwanted


def test_instructions_that_succeeded_are_examples_with_their_goals() -> None:
    told = (
        (
            "episodic",
            '"wash the apple, then put it on the table": success, done: clean(apple); place(apple, table, on)',
        ),
        ("episodic", '"wash the mug": execution failure, done: nothing | not done: clean(mug)'),
        ("episodic", '"wash the cup": success, done: clean(cup) | not done: place(cup, table, on)'),
        ("episodic", '"look": not finished'),
        ("episodic", '"wash the pan": not as wanted, done: clean(pan)'),
        ("told", '"wash the fork": success, done: clean(fork)'),
        ("episodic", "anything else"),
    )
    found = past_examples(Recollection(kind, f"e/{number}", text) for number, (kind, text) in enumerate(told))
    instruction = "wash the apple, then put it on the table"
    assert found == (Example(instruction, ("clean(apple)", "place(apple, table, on)")),)


def test_a_model_is_told_facts_and_not_where_everything_is() -> None:
    told = [
        ("long_term", "Mug is on the Desk, at [1.00, 2.00, 3.00]"),
        ("short_term", "Apple is in the Fridge, cold, at [-1.00, 2.00, 3.00]"),
        ("told", "ann said:\nthe red mug is mine"),
        ("episodic", '"wash the mug": success, done: clean(mug)'),
    ]
    lines = remembered(Recollection(kind, str(number), text) for number, (kind, text) in enumerate(told))
    assert [(one.id, line) for one, line in lines] == [
        ("1", "- Apple is in the Fridge, cold"),
        ("2", "- ann said: the red mug is mine"),
    ]


def test_what_the_same_words_were_wrongly_taken_for_since_they_last_went_well_is_known() -> None:
    def wrong(*told: str, text: str = "wash the pan") -> list[tuple[str, ...]]:
        numbered = enumerate(told)
        return unwanted(text, [Recollection("episodic", f"e/{n}", said, valid_from=-n) for n, said in numbered])

    first, second = '"wash the pan": not as wanted, done: clean(pan)', '"wash  the pan": not as wanted, done: hold(pan)'
    well = '"wash the pan": success, done: clean(pot)'
    others = ('"wash the pot": not as wanted, done: clean(pot)', '"wash the pan": execution failure, done: clean(cup)')
    assert wrong(second, first, first, *others) == [("clean(pan)",), ("hold(pan)",)]  # the newest is said first
    assert wrong(second, well, first) == [("hold(pan)",)]
    assert wrong(well, first) == []
