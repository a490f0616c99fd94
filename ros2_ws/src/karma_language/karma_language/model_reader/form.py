# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The form that a model fills: flat, short, and nearly all of it copied from what was said.

Small models copy well and translate well; they lose their way in nested forms. So the form has strings, and
`reading_from` makes the nested reading of them.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from karma_language.reading import Kind

_PHRASE = 80
"""Characters of a phrase."""
_CLAUSE = 200
"""Characters of a clause."""
_UTTERANCE = 1000
"""Characters of a translation."""

Do = Literal[
    "place", "return_to_its_place", "put_down", "hold", "bring", "throw_away", "clean", "heat", "cool", "slice",
    "break", "fill", "empty", "open", "close", "switch_on", "switch_off", "examine", "throw", "find", "go_to",
    "explore", "wait", "never", "other",
]  # fmt: skip
"""The deeds of a reading; throw_away is to place it in a bin, never a prohibition."""
Ask = Literal[
    "where", "when", "state", "contents", "count", "which", "exists", "changed", "did", "how_often", "how_long", "why",
    "looked", "holding", "robot", "route", "size", "able", "about", "who", "asked", "happened", "told",
]  # fmt: skip
"""The values of `Kind`."""
assert {*Ask.__args__} == {kind.value for kind in Kind}  # type: ignore[attr-defined]
State = Literal[
    "on", "off", "open", "closed", "clean", "dirty", "full", "empty", "broken", "whole", "sliced", "cooked", "hot",
    "cold",
]  # fmt: skip
Formula = Literal["greeting", "thanks", "praise", "farewell", "apology", "agreement", "chatter"]


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class GoalForm(_Form):
    """One thing to do."""

    verb: str = Field(max_length=_PHRASE)
    do: Do
    count: Literal["", "all", "both", "2", "3", "4", "5", "6", "7", "8", "9"] = ""
    what: str = Field(max_length=_PHRASE)
    which: str = Field(max_length=_PHRASE)
    but: str = Field(default="", max_length=_PHRASE)
    to: str = Field(max_length=_PHRASE)
    cond: str = Field(default="", max_length=_CLAUSE)
    more: str = Field(default="", max_length=_PHRASE)
    remembered: str = Field(default="", max_length=_PHRASE)


class QuestionForm(_Form):
    """One question."""

    ask: Ask
    what: str = Field(max_length=_PHRASE)
    where: str = Field(default="", max_length=_PHRASE)
    state: State | Literal[""] = ""
    did: str = Field(default="", max_length=_PHRASE)
    time: str = Field(default="", max_length=_PHRASE)


class AnswerForm(_Form):
    """What a model makes of what was said. All but `things` is in English: copied, or from its own translation."""

    lang: str = Field(pattern=r"^[a-z]{2,3}$", max_length=3)
    english: str = Field(default="", max_length=_UTTERANCE)
    things: tuple[str, ...] = Field(default=(), max_length=12)
    goals: tuple[GoalForm, ...] = Field(default=(), max_length=12)
    questions: tuple[QuestionForm, ...] = Field(default=(), max_length=4)
    told: tuple[str, ...] = Field(default=(), max_length=6)
    social: Formula | Literal[""] = ""
    stop: bool = False
    aside: tuple[str, ...] = Field(default=(), max_length=6)


def written(form: BaseModel) -> str:
    """Return a form as a model is to write it: what is not said is left out."""
    return form.model_dump_json(exclude_defaults=True)
