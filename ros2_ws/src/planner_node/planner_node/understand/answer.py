# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The form of a model's answer: the JSON schema that it has to fill, and goals in that form."""

from __future__ import annotations

import re
from typing import Literal, get_args

from pydantic import BaseModel, Field

from karma_language.vocabulary.lexicon import Lexicon
from planner_node.understand.aid import Example

_MOST_GOALS = 30

PredicateName = Literal[
    "place", "put_down", "hold", "bring", "clean", "heat", "cool", "slice", "break", "fill", "open", "close",
    "switch_on", "switch_off", "examine", "throw", "find", "go_to", "explore",
]  # fmt: skip
StateName = Literal["clean", "dirty", "hot", "cold", "sliced", "open", "filled"]
_GOAL = re.compile(r"(\w+)\((.*)\)")


class GoalAnswer(BaseModel):
    """One goal as the model states it."""

    predicate: PredicateName
    object: str = Field(default="", max_length=100, description="what it is about, a noun")
    states: list[StateName] = Field(
        default_factory=list, max_length=4, description="states the object has or is to have"
    )
    count: int = Field(default=1, ge=0, le=50, description="how many; 0: all")
    destination: str = Field(default="", max_length=100, description="where to put it, a noun; the lamp for examine")
    relation: Literal["on", "in", "near", ""] = ""
    place: str = Field(default="", max_length=100, description="where the object is now, if the instruction says so")


class Answer(BaseModel):
    """What the model has to return."""

    goals: list[GoalAnswer] = Field(default_factory=list, max_length=_MOST_GOALS)
    statement: bool = Field(default=False, description="true when the text only tells something to remember")
    problem: str = Field(default="", max_length=300, description="why the text can't be turned into goals, if so")


def written(answer: Answer) -> str:
    """Return an answer as a model is to write it: what is not said is left out."""
    return answer.model_dump_json(exclude_defaults=True)


def example_answer(example: Example, lexicon: Lexicon) -> Answer | None:
    """Return what would have been the answer to an instruction of the past, None where its goals can't be read."""
    goals = [_goal(text, lexicon) for text in example.goals]
    read = [goal for goal in goals if goal is not None]
    return Answer(goals=read) if read and len(read) == len(goals) <= _MOST_GOALS else None


def _goal(text: str, lexicon: Lexicon) -> GoalAnswer | None:
    found = _GOAL.fullmatch(text.strip())
    if found is None or found[1] not in get_args(PredicateName):
        return None
    parts = [part.strip() for part in found[2].split(",")] if found[2].strip() else []
    relation = parts.pop() if len(parts) > 2 and parts[-1] in ("on", "in", "near") else ""
    if len(parts) > 2 or any(len(part) > 100 for part in parts):
        return None
    thing, _, place = (parts[0] if parts else "").partition(" from ")
    words = thing.split(" ")
    count = 1
    if len(words) > 1 and (words[0] == "all" or words[0].isdecimal()):
        count = 0 if words[0] == "all" else min(int(words[0]), 50)
        del words[0]
    states = [word for word in words[:-1] if word in get_args(StateName)]
    noun = " ".join(word for word in words if word not in states)
    return GoalAnswer.model_validate(
        {
            "predicate": found[1],
            "object": _noun(noun, lexicon),
            "states": states[:4],
            "count": count,
            "destination": _noun(parts[1], lexicon) if len(parts) > 1 else "",
            "relation": relation,
            "place": _noun(place, lexicon),
        }
    )


def _noun(text: str, lexicon: Lexicon) -> str:
    """Return the noun of "toilet=Toilet", and what people call a category that stands alone."""
    noun = text.partition("=")[0].strip()
    return lexicon.kind(noun).noun if noun in lexicon.kinds else noun
