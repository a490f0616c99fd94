# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What people call the robot's skills: to ask for what it did, to say what it did, and to say what it can do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from karma_language.vocabulary import household
from karma_language.words import each

_HANDLING = each("take get bring give move touch handle use")
_PLACING = (*each("put return tidy throw discard"), *_HANDLING)


class SkillWords(NamedTuple):
    """The words for some skills."""

    skills: tuple[str, ...]
    """Beginnings of their names."""
    can: str = ""
    did: str = ""
    verbs: tuple[str, ...] = ()
    """Verbs of what they do, as base forms or senses, with their particles where these make the difference."""


WORDS = (
    SkillWords(("Find", "Explore"), "look for"),
    SkillWords(("Navigate", "GoToObject"), verbs=("go",)),
    SkillWords(("PutObject", "Place"), "put down", "took", _PLACING),
    SkillWords(("ThrowObject",), "throw", "took", _PLACING),
    SkillWords(("PickupObject", "Pick"), "pick up", "picked up", _HANDLING),
    SkillWords(("OpenObject",), "open and close", "opened", each("open touch handle use")),
    SkillWords(("CloseObject",), "open and close", "closed", each("close touch handle")),
    SkillWords(("SwitchOn", "ToggleOn"), "switch on and off", "switched on", ("switch on", "start", "use")),
    SkillWords(("SwitchOff", "ToggleOff"), "switch on and off", "switched off", ("switch off", "stop")),
    SkillWords(("SliceObject",), "slice", "sliced", ("slice",)),
    SkillWords(("BreakObject",), "break", "broke", ("break",)),
)
"""In the order in which the robot says what it can do."""
_SKILLS: Mapping[str, tuple[str, ...]] = {
    verb: tuple(skill for words in WORDS if verb in words.verbs for skill in words.skills)
    for verb in dict.fromkeys(verb for words in WORDS for verb in words.verbs)
}
MOVING = _SKILLS["move"]
"""Skills that move things."""
LASTING = tuple(skill for words in WORDS if words.did for skill in words.skills)
"""Skills whose outcome somebody may ask for."""


def skills_of(verb: str) -> tuple[str, ...]:
    """Return the skills that do what a verb, or its sense with its particle, says; none where no skill does."""
    return _SKILLS.get(verb, ())


def words_for(skill: str) -> SkillWords:
    """Return the words for a skill; none where people have no word for it."""
    return next((words for words in WORDS if skill.startswith(words.skills)), SkillWords((skill,)))


def skill_called(action: str) -> str:
    """Return the skill that an action names: PutObject for "PutObject" and "put", PickupObject for "pick up".

    A name that is no skill's is returned as it is: robots have skills of their own.
    """
    word = "".join(action.split()).casefold()
    named = (skill for words in WORDS for skill in words.skills if word in (skill.casefold(), _bare(skill)))
    return next(named, next(iter(skills_of(action.casefold())), action))


def in_words(action: str, thing: str, place: str) -> str:
    """Return what an action says as an instruction: "put the mug in the sink"."""
    said = (action, thing and f"the {thing}", place and f"{relation_of(place)} the {place}")
    return " ".join(part for part in said if part)


def where_is(thing: str) -> str:
    """Return the question where a thing is."""
    return f"Where is the {thing}?"


def relation_of(place: str) -> str:
    """Return how things are with a place that are put there, by its name or category: "on" or "in"."""
    if household().room(place):
        return "in"
    noun = household().noun(place)
    return household().kind(noun.categories[0] if noun is not None and noun.categories else place).relation


def _bare(skill: str) -> str:
    return skill.removesuffix("Object").removesuffix("To").casefold()
