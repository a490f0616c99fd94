# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is asked for beside something else ("..., too"), and what "there" means."""

from __future__ import annotations

import pytest

from karma_language.vocabulary import household
from planner_node.understand.goals import NotUnderstood, Understanding, Understood
from planner_node.understand.offline import OfflineUnderstanding
from planner_node.understand.remarks import WithoutRemarks

UNDERSTANDING = WithoutRemarks(OfflineUnderstanding(household()))


def goals(understood: Understanding) -> list[str]:
    assert isinstance(understood, Understood), understood
    return [*map(str, understood.goals)]


@pytest.mark.parametrize(
    "text",
    [
        "Put the egg on the counter and the apple too",
        "Put the egg on the counter and the apple, too.",
        "put the egg on the counter, and the apple as well",
        "put the egg on the counter, the apple also",
        "put the egg on the counter and also the apple",
        "put the egg on the counter. The apple, too.",
        "Please set the egg on the counter. And the apple too, please",
        "put the egg on the counter along with the apple",
        "place the egg on the counter plus the apple",
        "put the egg on the counter and put the apple there, too",
        "put the egg on the counter and the apple there as well",
    ],
)
def test_what_is_asked_for_too_goes_to_the_same_place(text: str) -> None:
    assert goals(UNDERSTANDING.understand(text)) == ["place(egg, counter, on)", "place(apple, counter, on)"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "put the mug in the sink and the plate and the cup too",
            [f"place({x}, sink, in)" for x in ("mug", "plate", "cup")],
        ),
        ("wash the mug. The plate, too.", ["clean(mug)", "clean(plate)"]),
        ("bring me the book and the pen too", ["bring(book)", "bring(pen)"]),
        ("put the egg near the sink and the apple too", ["place(egg, sink, near)", "place(apple, sink, near)"]),
        (
            "put the egg on the counter and the apple in the fridge, too",
            ["place(egg, counter, on)", "place(apple, fridge, in)"],
        ),
        (
            "put the mug in the sink and the fork too, then the spoon on the table",
            ["place(mug, sink, in)", "place(fork, sink, in)", "place(spoon, table, on)"],
        ),
        (
            "put the egg on the counter and the apple too and open the fridge",
            ["place(egg, counter, on)", "place(apple, counter, on)", "open(fridge)"],
        ),
        ("Put the egg in the fridge. The apple is cold, too.", ["place(egg, fridge, in)"]),
        ("Put the egg in the fridge. Also the mug is dirty.", ["place(egg, fridge, in)"]),
        ("Put the egg in the fridge. The mug has a crack as well", ["place(egg, fridge, in)"]),
        ("Put the egg in the fridge, I like it there too", ["place(egg, fridge, in)"]),
        ("put the fork, too, in the sink", ["place(fork, sink, in)"]),
        ("open the fridge and put the apple there", ["open(fridge)", "place(apple, fridge)"]),
    ],
)
def test_where_each_goes(text: str, wanted: list[str]) -> None:
    assert goals(UNDERSTANDING.understand(text)) == wanted


@pytest.mark.parametrize(
    "text", ["put the mug there", "put the mug over there", "take the mug from the table and put it there"]
)
def test_where_no_place_was_spoken_of_it_is_asked(text: str) -> None:
    understood = UNDERSTANDING.understand(text)
    assert isinstance(understood, NotUnderstood)
    assert understood.message == "Where shall I put the mug?"
