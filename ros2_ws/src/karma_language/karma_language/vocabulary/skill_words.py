# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What people call the robot's skills: to ask for what it did, to say what it did, and to say what it can do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from karma_language.things import Relation
from karma_language.vocabulary import household
from karma_language.vocabulary.lexicon import split_camel
from karma_language.vocabulary.verbs import VERBS
from karma_language.vocabulary.words import PEOPLE, PERSONS, PLACED, STATES, base_form, each

_HANDLING = each("take get bring give move touch handle use")
_PLACING = (*each("put return tidy discard toss chuck"), "throw away", "throw out", *_HANDLING)


HELD, PUT, GIVEN, THERE = "held", "put", "given", "there"
"""How a thing, or for THERE the robot, is after an action, beside the states of karma_language.vocabulary.states."""


class SkillWords(NamedTuple):
    """The words for some skills."""

    skills: tuple[str, ...]
    """Beginnings of their names."""
    can: str = ""
    did: str = ""
    verbs: tuple[str, ...] = ()
    """Verbs of what they do, as base forms or senses, with their particles where these make the difference."""
    after: str = ""
    """How what it was done with is then."""


class Deed(NamedTuple):
    """What an action is that has a name."""

    skill: str
    after: str = ""
    """HELD, PUT, GIVEN, THERE, a state of karma_language.vocabulary.states, or "": as before."""
    relation: str = ""
    """How a thing is with the place where it was put, "on" or "in"; "": it doesn't say."""


WORDS = (
    SkillWords(("Find", "Explore"), "look for"),
    SkillWords(("Navigate", "GoToObject"), verbs=("go",), after=THERE),
    SkillWords(("PutObject", "Place"), "put down", "took", _PLACING, PUT),
    SkillWords(("ThrowObject",), "throw", "took", (*_PLACING, "throw"), PUT),
    SkillWords(("PickupObject", "Pick"), "pick up", "picked up", _HANDLING, HELD),
    SkillWords(("OpenObject",), "open and close", "opened", each("open touch handle use"), "open"),
    SkillWords(("CloseObject",), "open and close", "closed", each("close touch handle"), "closed"),
    SkillWords(("SwitchOn", "ToggleOn"), "switch on and off", "switched on", ("switch on", "start", "use"), "on"),
    SkillWords(("SwitchOff", "ToggleOff"), "switch on and off", "switched off", ("switch off", "stop"), "off"),
    SkillWords(("SliceObject",), "slice", "sliced", ("slice",), "sliced"),
    SkillWords(("BreakObject",), "break", "broke", ("break",), "broken"),
)
"""In the order in which the robot says what it can do."""
_SKILLS: Mapping[str, tuple[str, ...]] = {
    verb: tuple(skill for words in WORDS if verb in words.verbs for skill in words.skills)
    for verb in dict.fromkeys(verb for words in WORDS for verb in words.verbs)
}
_MOVED = frozenset(each("put return tidy bring take give throw discard"))
_THROWN = frozenset(("throw", "discard"))
"""Senses of verbs that say that a thing is elsewhere then."""
_SWITCHED = {"start": "on", "stop": "off"}
_AWAY = frozenset(("up", "off", "from", "out", "out of", "away from"))
_ME = frozenset(each("me him her us them"))
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


def deed_called(action: str, placed: bool) -> Deed:
    """Return what an action is by its name, a skill's or a verb; `placed`: whether a place is named with it.

    A name that is no skill's and no verb that is known is returned as it is: robots have skills of their own.
    """
    name = "".join(action.split()).casefold()
    for words in WORDS:
        for skill in words.skills:
            if name in (skill.casefold(), _bare(skill)):
                return Deed(skill, words.after)
    verb, _, rest = action.casefold().partition(" ")
    verb, rest = verb if verb in VERBS else base_form(verb), " ".join(rest.split())
    sense = VERBS.get(f"{verb} {rest}") or VERBS.get(verb, "")
    state = STATES.get(f"{verb} {rest}".strip()) or STATES.get(sense) or _SWITCHED.get(sense) if sense else ""
    if state:
        return Deed(next((words.skills[0] for words in WORDS if words.after == state), action), state)
    if sense == "get" or (sense == "take" and (not placed or rest in _AWAY)):
        return Deed("PickupObject", HELD)
    if sense in _MOVED:
        return Deed(
            "ThrowObject" if sense in _THROWN else "PutObject", GIVEN if sense == "give" else PUT, _placed(rest)
        )
    return Deed("Navigate", THERE) if sense == "go" else Deed(action)


def in_words(action: str, thing: str, place: str, person: bool = False) -> str:
    """Return what an action says as an instruction: "put the mug in the sink"; `person`: whether the place is one."""
    deed, said = deed_called(action, bool(place)), action
    how = deed.relation or (relation_of(place) if place else "")
    if person or deed.after == THERE:
        how = "to"
    if place and (deed.relation or deed.after == THERE):  # "put in", "go to": once
        said = action.partition(" ")[0]
    parts = (said, thing and f"the {thing}", place and (f"{how} {place}" if person else f"{how} the {place}"))
    return " ".join(part for part in parts if part)


def is_person(name: str) -> bool:
    """Whether a name is a word for somebody: "my mother", "me"."""
    words = name.casefold().split()
    return bool(words) and (words[-1] in PEOPLE or words[-1] in PERSONS or words[-1] in _ME)


def where_is(thing: str) -> str:
    """Return the question where a thing is."""
    return f"Where is the {thing}?"


def relation_of(place: str) -> str:
    """Return how things are with a place that are put there, by its name or category: "on" or "in"."""
    if household().room(place):
        return "in"
    lexicon, words = household(), split_camel(place).split()
    if words and words[-1] in lexicon.hollow:
        return "in"
    return lexicon.kind(lexicon.category_of(place) or place).relation


def _placed(words: str) -> str:
    """Return how things are that were put somewhere, by the end of what says so: "in" for "down into"."""
    said = words.split()
    found = (PLACED.get(" ".join(said[at:])) for at in range(len(said)))
    return next((how.value for how in found if how in (Relation.ON, Relation.IN)), "")


def _bare(skill: str) -> str:
    return skill.removesuffix("Object").removesuffix("To").casefold()
