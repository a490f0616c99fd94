# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is said to a question: about the robot, the home, or from what its user told (EMG-RAG, section 4.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from karma_language.answers.deed_wording import able
from karma_language.answers.evidence import Evidence
from karma_language.answers.wording import UNANSWERED, Wording
from karma_language.reading import Kind, Question
from karma_language.things import Thing
from karma_language.vocabulary import Lexicon, household
from planner_node.memory import Answer, Recollection
from planner_node.skills import Code
from planner_node.understand.goals import ObjectRef, Place


class Look(str, Enum):
    """What is done where a question can't be answered, and looking may tell."""

    ASK = "ask"
    ALWAYS = "always"
    NEVER = "never"


@dataclass(frozen=True)
class Reply:
    """What is said to a question."""

    code: Code
    message: str
    grounds: Mapping[str, Recollection] = field(default_factory=dict)
    """Id → what the user told that it rests on."""


_OVERLOOKED = frozenset((Kind.EXISTS, Kind.COUNT, Kind.CONTENTS, Kind.WHICH, Kind.CHANGED))
"""What may be there though the memory has nothing of it."""
_OF_A_THING = frozenset((Kind.WHERE, Kind.EXISTS, Kind.COUNT, Kind.WHICH, Kind.STATE))
"""What of a thing is asked so that the answer says which one is spoken of."""
NOTHING_RUNS = "I do nothing that I could stop."
"""What is said to who wants all to be stopped, when nothing is underway."""


@dataclass(frozen=True)
class RobotState:
    """How the robot is, for questions about itself."""

    held: str
    """Category of what it holds, its id where that is not known; "" for nothing."""
    skills: Callable[[], Iterable[str]]
    """Asks the robot for the names of its skills."""


def said_to(question: Question, answer: Answer, lexicon: Lexicon, robot: RobotState) -> Reply:
    """Return what to say to a question; `answer`: the memory's."""
    if question.kind is Kind.ABLE:
        return Reply(Code.SUCCESS, able(robot.skills()))
    if question.kind is Kind.HOLDING:
        held = (robot.held.split("|")[0],) if robot.held else ()
        return Reply(Code.SUCCESS, Wording(lexicon).answer(question, Evidence(0.0, names=held)).text)
    sure = answer.known and (bool(answer.evidence) or question.kind not in _OVERLOOKED)
    code = Code.SUCCESS if sure else Code.NOT_FOUND
    return Reply(code, answer.text or UNANSWERED, {found.id: found for found in answer.evidence})


def found_by(question: Question, evidence: Iterable[Recollection], lexicon: Lexicon) -> list[ObjectRef]:
    """Return what an answer has found, which "it" and "them" mean from then on.

    Of what is at a place what can be carried; of a thing itself, or all of several, where the question is about that.
    """
    nodes = [one.object for one in evidence if one.object is not None]
    thing = question.thing
    if question.kind is Kind.CONTENTS and thing is None:
        nodes = [node for node in nodes if lexicon.can(node.category, "pickup")]
    elif thing is not None and question.kind in _OF_A_THING:
        nodes = [node for node in nodes if node.category in (*thing.categories, *thing.loosely)]
        several = thing.plural and question.kind is not Kind.COUNT  # "how many vases are there? Fetch THE VASE"
        any_there = question.kind is Kind.EXISTS and question.place is not None  # "is there a vase here? Fetch IT"
        nodes = nodes if len(nodes) == 1 or several else nodes[:1] if any_there else []
    else:
        return []
    return [
        ObjectRef((node.category,), lexicon.kind(node.category).noun, id=node.id, entity=4000 + number, definite=True)
        for number, node in enumerate(nodes)
    ]


def with_thing(question: Question, spoken_of: Sequence[ObjectRef], places: Sequence[Place] = ()) -> Question:
    """Return a question with what was spoken of last in place of its pronouns; itself where it has none.

    `places`: where things were put last, for "in there".
    """
    there = [_thing(ref) for _, ref in places] or [_thing(ref) for ref in spoken_of]
    place = question.place
    if place is not None and place.thing.pronoun and there:
        stands = [thing for thing in there if not household().any_can(thing.categories, "pickup")]
        question = question.model_copy(update={"place": place.model_copy(update={"thing": (stands or there)[-1]})})
    meant = [
        thing
        for thing in map(_thing, spoken_of)
        if place is None or question.place is None or thing != question.place.thing
    ]
    if question.thing is not None and question.thing.pronoun and meant:
        return question.model_copy(update={"thing": meant[-1].model_copy(update={"owner": question.thing.owner})})
    return question


def _thing(ref: ObjectRef) -> Thing:
    return Thing(text=ref.noun, categories=ref.categories, loosely=ref.loosely, id=ref.id, definite=True)
