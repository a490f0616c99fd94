# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What an instruction refers to that was before it."""

from __future__ import annotations

import pytest

from planner_node.memory import WORKING, Handled, Recollection, Task
from planner_node.reference import Before, before
from planner_node.skills import Code, SkillCall, Target
from planner_node.understand.aid import Aid
from planner_node.understand.cases import Cases
from planner_node.understand.goals import NotUnderstood, Understood
from planner_node.understand.offline import OfflineUnderstanding
from planner_node.vocabulary import household

RULES = OfflineUnderstanding(household())


def call(thing: str, place: str = "", relation: str = "") -> SkillCall:
    """Return what was done with a thing last, and where it was before; ids are "Apple1"."""
    return SkillCall(
        "PutObject", Target(thing, thing.rstrip("0123456789")), Target(place, place.rstrip("0123456789")), relation
    )


def known(text: str, *handled: SkillCall) -> Before:
    """Return what is known after an instruction that the rules understand."""
    said = RULES.understand(text)
    assert isinstance(said, Understood)
    goals = tuple(str(goal) for goal in said.goals)
    task = Recollection(WORKING, "w", "", task=Task(text, goals, True), handled=Handled("", handled))
    return before([task], Cases(household()), household())


def after(text: str, last: Before) -> list[str]:
    """Return the goals of a text, with the ids that they name."""
    again = last.repeated(text, RULES)
    said = again or last.put_back(RULES.understand(text, last.themes, Aid(places=last.places)), household())
    if isinstance(said, NotUnderstood):
        return [said.code.name]
    assert isinstance(said, Understood)
    refs = [[ref for ref in (goal.object, goal.destination) if ref is not None] for goal in said.goals]
    names = [[ref.id or ("another " if ref.other else "") + ref.noun for ref in found] for found in refs]
    return [f"{goal.predicate.value}({', '.join(found)})" for goal, found in zip(said.goals, names, strict=True)]


def test_it_is_what_was_said_last_and_not_what_was_done_last():
    text = "put the apple in the fridge and the book on the shelf"
    done = ("place(book=Book, shelf=Shelf, on)", "place(apple=Apple, fridge=Fridge, in)")
    task = Recollection(WORKING, "w", "", task=Task(text, done, True))
    (theme,) = before([task], Cases(household()), household()).themes[-1:]
    assert theme.noun == "book"


@pytest.mark.parametrize(
    ("text", "goals"),
    [
        ("put it in the fridge", ["place(Apple2, fridge)"]),
        ("now slice it", ["slice(Apple2)"]),
        ("put it back", ["place(Apple2, Shelf1)"]),
        ("put the apple back where it was", ["place(Apple2, Shelf1)"]),
        ("return it to its old place", ["place(Apple2, Shelf1)"]),
        ("pick up the other one", ["hold(another apple)"]),
        ("the other one, too", ["place(another apple, Microwave1)"]),
        ("do that again", ["place(Apple2, Microwave1)"]),
        ("and now the potato", ["place(potato, Microwave1)"]),
        ("do the same with the potato", ["place(potato, Microwave1)"]),
        ("switch it on", ["switch_on(Microwave1)"]),
        ("the potato", ["NOT_UNDERSTOOD"]),
        ("put the knife back", ["AMBIGUOUS"]),
    ],
)
def test_what_was_said_before_and_handled_is_meant(text: str, goals: list[str]) -> None:
    last = known("put the apple in the microwave", call("Apple1"), call("Microwave1"), call("Apple2", "Shelf1", "on"))
    assert after(text, last) == goals


def test_them_means_all_that_were_dealt_with_last() -> None:
    last = known(
        "put the fork and the spoon in the sink", call("Fork1", "Table1", "on"), call("Spoon1", "Drawer1", "in")
    )
    assert after("put them back", last) == ["place(Fork1, Table1)", "place(Spoon1, Drawer1)"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("put the apple back", "The apple was on the shelf before I took it."),
        ("switch it on", "I handled the microwave before."),
        ("put the knife in the sink", ""),
    ],
)
def test_what_was_remembered_is_told_in_a_line(text: str, line: str) -> None:
    last = known("put the apple in the microwave", call("Microwave1"), call("Apple2", "Shelf1", "on"))
    said = last.put_back(RULES.understand(text, last.themes, Aid(places=last.places)), household())
    assert isinstance(said, Understood)
    grounds = last.grounds(said.goals, household())
    assert [one.text for one in grounds.values()] == ([line] if line else [])


def test_without_a_memory_of_it_nothing_is_meant() -> None:
    for text in ("put it in the fridge", "the other one, too", "again"):
        assert after(text, Before()) == [Code.NOT_UNDERSTOOD.name]
