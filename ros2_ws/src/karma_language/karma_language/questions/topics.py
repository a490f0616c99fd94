# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a question is about, and what its pronouns mean after what was spoken of before."""

from __future__ import annotations

import re

from karma_language.reading import Kind, Question
from karma_language.things import Thing

_ELLIPTIC = frozenset((Kind.WHY, Kind.WHO, Kind.ABOUT, Kind.HOW_OFTEN, Kind.COUNT))
"""Kinds that leave out what was just named: "you moved the tomato. Why did you?", "what did I say?"."""


def about_what(question: Question) -> Thing | None:
    """Return the thing or the place that a question is about."""
    return question.thing or (question.place.thing if question.place is not None else None)


def with_topic(thing: Thing | None, question: Question) -> Question:
    """Return a question in which "it" is what was spoken of before."""
    if thing is None or thing.pronoun:
        return question
    if question.thing is not None and question.thing.pronoun:
        owner = question.thing.owner or thing.owner
        return question.model_copy(update={"thing": thing.model_copy(update={"owner": owner})})
    if question.place is not None and question.place.thing.pronoun:
        return question.model_copy(update={"place": question.place.model_copy(update={"thing": thing})})
    if question.thing is not None or question.place is not None or not thing.categories:
        return question
    if question.kind is Kind.WHICH:  # "which are on?"
        return question.model_copy(update={"thing": thing.model_copy(update={"plural": True})})
    if question.kind is Kind.CHANGED and re.search(r"\b(?:it|they)\b", question.quote, re.IGNORECASE):
        return question.model_copy(update={"thing": thing})  # "has it been moved?"
    that = re.search(r"\b(?:that|this|it)\b", question.quote, re.IGNORECASE)
    return question.model_copy(update={"thing": thing}) if question.kind in _ELLIPTIC and not that else question
