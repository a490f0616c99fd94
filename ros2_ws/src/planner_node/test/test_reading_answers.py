# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a model says beside the form is mended where nothing that the person said is lost, else told back to it."""

from __future__ import annotations

from typing import Any

import pytest

from karma_language.vocabulary import household
from planner_node.understand.answer import GoalAnswer
from planner_node.understand.asked import Asked
from planner_node.understand.offline import OfflineUnderstanding
from planner_node.understand.reading_answers import AnswerReader, Read

LEXICON = household()
READER = AnswerReader(LEXICON, OfflineUnderstanding(LEXICON))


def read(text: str, *goals: dict[str, Any]) -> Read:
    return READER.read([GoalAnswer(**goal) for goal in goals], Asked(text, [], LEXICON), repaired=False)


def goal(predicate: str, thing: str, to: str = "", **more: Any) -> dict[str, Any]:
    return {"predicate": predicate, "object": thing, "destination": to, **more}


@pytest.mark.parametrize(
    ("text", "answer", "expected"),
    [
        (
            "put two mugs on the shelf",
            [goal("place", "mug", "shelf", states=["cold"], count=2)],
            ["place(2 mug, shelf)"],
        ),
        (
            "put a chilled mug on the shelf",
            [goal("place", "mug", "shelf", states=["cold"])],
            ["place(cold mug, shelf)"],
        ),
        (
            "cut the bread, put a slice on the plate",
            [goal("place", "bread", "plate", states=["sliced"])],
            ["place(sliced bread, plate)"],
        ),
        ("put a vase on the back of the shelf", [goal("place", "vase", "shelf", place="back")], ["place(vase, shelf)"]),
        ("get the pen and leave it on the desk", [goal("bring", "pen", "desk")], ["place(pen, desk)"]),
        (
            "wash the mug and put it on the desk",
            [goal("clean", "mug", "desk"), goal("place", "mug", "desk")],
            ["clean(mug)", "place(mug, desk)"],
        ),
        ("wash the mug in the sink", [goal("clean", "mug", "sink")], ["clean(mug, sink)"]),
        (
            "put the pen on the desk",
            [goal("find", "pen", "somewhere"), goal("fill", "pen"), goal("place", "pen", "desk")],
            ["find(pen)", "place(pen, desk)"],
        ),
    ],
)
def test_what_goes_beyond_the_words_is_left_out(text: str, answer: list[dict[str, Any]], expected: list[str]) -> None:
    found = read(text, *answer)
    assert (found.wrong, [str(one) for one in found.goals]) == ("", expected)


@pytest.mark.parametrize(
    ("text", "answer", "why"),
    [
        ("wash the mug", [goal("clean", "mug"), goal("throw", "knife")], "does not ask to throw"),
        ("wash the mug", [goal("clean", "mug"), goal("hold", "knife")], "speaks of no knife"),
        ("put the mug on the desk, toss the pen", [goal("place", "mug", "desk"), goal("break", "pen")], "break"),
        ("wash the mug", [goal("clean", "moon")], "moon"),
    ],
)
def test_what_would_lose_something_or_was_never_spoken_of_is_told_back(
    text: str, answer: list[dict[str, Any]], why: str
) -> None:
    found = read(text, *answer)
    assert found.goals == ()
    assert why in found.wrong
