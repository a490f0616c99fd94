# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is said to a question: about the robot, the home, or from what its user told (EMG-RAG, section 4.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone

from karma_language.reading import Kind, Question, Thing
from karma_language.vocabulary import Lexicon
from karma_language.wording import able
from planner_node.memory import Recall, Recollection
from planner_node.skills import Code
from planner_node.understand.goals import ObjectRef, Place

FACTS = "facts"
"""The kind of memory that keeps what people told."""
_QUOTED = 3
"""Most of a user's sentences that an answer quotes."""
NO_ANSWER = "I don't know: nothing that I have seen or been told answers that."


@dataclass(frozen=True)
class Reply:
    """What is said to a question."""

    code: Code
    message: str
    grounds: Mapping[str, Recollection] = field(default_factory=dict)
    """Id → what the user told that it rests on."""


NOTHING_RUNS = "I do nothing that I could stop."
"""What is said to who wants all to be stopped, when nothing is underway."""


@dataclass(frozen=True)
class RobotState:
    """How the robot is, for questions about itself."""

    held: str
    """Category of what it holds, its id where that is not known; "" for nothing."""
    skills: Callable[[], Iterable[str]]
    """Asks the robot for the names of its skills."""


def said_to(question: Question, recall: Recall, lexicon: Lexicon, robot: RobotState) -> Reply | None:
    """Return what to say to a question; None where the robot has to look for the thing itself.

    `recall`: what the memory says to it.
    """
    if question.kind is Kind.ABLE:
        return Reply(Code.SUCCESS, able(robot.skills()))
    if question.kind is Kind.HOLDING:
        held = lexicon.kind(robot.held.split("|")[0]).noun if robot.held else ""
        return Reply(Code.SUCCESS, f"Yes, the {held}." if held else "No, I hold nothing.")
    thing = question.thing
    told = any(found.kind == FACTS for found in recall.evidence)
    now = question.kind is Kind.WHERE and question.time is None  # looking now tells nothing of then
    if now and thing is not None and thing.categories and (told or not recall.evidence):
        return None
    if not recall.answer:
        return Reply(Code.NOT_FOUND, NO_ANSWER)
    grounds = {found.id: found for found in recall.evidence}
    if told:
        return Reply(Code.SUCCESS, f"{recall.answer.rstrip('.')}. {_sources(recall.evidence)}".strip(), grounds)
    known = bool(recall.evidence) or question.kind in (Kind.TOLD, Kind.ASKED)
    return Reply(Code.SUCCESS if known else Code.NOT_FOUND, recall.answer, grounds)


def with_thing(question: Question, spoken_of: Sequence[ObjectRef], places: Sequence[Place] = ()) -> Question:
    """Return a question with what was spoken of last in place of its pronouns; itself where it has none.

    `places`: where things were put last, for "in there".
    """
    there = [_thing(ref) for _, ref in places] or [_thing(ref) for ref in spoken_of]
    place = question.place
    if place is not None and place.thing.pronoun and there:
        question = question.model_copy(update={"place": place.model_copy(update={"thing": there[-1]})})
    meant = [
        thing
        for thing in map(_thing, spoken_of)
        if place is None or question.place is None or thing != question.place.thing
    ]
    if question.thing is not None and question.thing.pronoun and meant:
        return question.model_copy(update={"thing": meant[-1]})
    return question


def _thing(ref: ObjectRef) -> Thing:
    return Thing(text=ref.noun, categories=ref.categories, loosely=ref.loosely, definite=True)


def _sources(evidence: Sequence[Recollection]) -> str:
    """Quote what the user said, and when."""
    said = {recollection.text: recollection.valid_from for recollection in evidence}
    quoted = [f"“{text.strip()}” ({_day(stamp)})" for text, stamp in list(said.items())[:_QUOTED]]
    more = len(said) - len(quoted)
    if not quoted:
        return ""
    return f"You told me: {', '.join(quoted)}" + (f" and {more} more." if more > 0 else ".")


def _day(stamp: float) -> str:
    """Return the day of a stamp (seconds, UTC)."""
    day = datetime.fromtimestamp(stamp, tz=timezone.utc)
    return f"{day.day} {day:%B %Y}"
