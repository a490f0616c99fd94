# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What single words mean to who carries out a request: nouns for anything, parts of food, verbs, pronouns."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz import fuzz

from karma_language.verbs import VERBS, verb_at
from karma_language.words import GENERIC, PORTIONS, base_form, content_words

_CLOSURES = frozenset(("door", "lid", "doors"))
_ROOMS = frozenset(("room", "rooms"))
_HANDS = frozenset(("hand", "hands", "gripper"))
_WATER = frozenset(("water",))
_LIFTING = frozenset(("raise", "lift", "pull"))
_OF_APPLIANCES = frozenset(("microwave", "refrigerate", "toast"))
_THERE = frozenset(("there", "here"))
_BOTH = frozenset(("both",))
_MANY = frozenset(("them", "both", "these", "those", "all"))
_ANOTHER = frozenset(("one", "ones", "other", "others", "another"))
_LEVELS = {
    **dict.fromkeys(("top", "upper", "highest", "higher"), "top"),
    **dict.fromkeys(("bottom", "lower", "lowest"), "bottom"),
    "middle": "middle",
}
_NOBODY_ELSE = frozenset(("me", "you", "its"))


def names_anything(noun: str) -> bool:
    """Whether a noun says nothing about what it names: "thing", "something"."""
    return noun.lower() in GENERIC


def names_portion(noun: str) -> bool:
    """Whether a noun names a part of food: "slice"."""
    return noun.lower() in PORTIONS


def names_closure(noun: str) -> bool:
    """Whether a noun names what closes a thing: "lid"."""
    return noun.lower() in _CLOSURES


def names_rooms(noun: str) -> bool:
    """Whether a noun names rooms of whatever kind."""
    return noun.lower() in _ROOMS


def names_hand(phrase: str) -> bool:
    """Whether a phrase names what the robot grips with."""
    return not _HANDS.isdisjoint(phrase.lower().split())


def names_water(phrase: str) -> bool:
    """Whether a phrase names water: "hot water"."""
    return not _WATER.isdisjoint(phrase.lower().split())


def noun_dealt_with(phrase: str) -> str:
    """Return the noun of what is described by what the robot did: "fruit" of "fruit you just washed"; "" for none."""
    said, _, deed = phrase.lower().partition(" you ")
    return said.rpartition(" ")[2] if deed else ""


def level_in(text: str) -> str:
    """Return which of several that are one above the other words mean: "top", "middle", "bottom"; "" where unclear."""
    words = text.casefold().replace(",", " ").split()
    said = [_LEVELS[word] for word in words if word in _LEVELS]
    return said[0] if len(said) == 1 and not {"not", "but", "below", "above", "under"} & {*words} else ""


def begins_with_verb(text: str) -> bool:
    """Whether a text begins with a verb that is known."""
    return verb_at(text.casefold().split(), 0) is not None


def verb_senses(words: Sequence[str]) -> set[str]:
    """Return what the verbs among words ask for, as far as skills serve them."""
    found = (verb_at(words, at) for at in range(len(words)))
    return {verb.sense for verb in found if verb is not None and verb.sense}


def sense_of(verb: str) -> str:
    """Return what the base form of a verb asks for, "" where no skill serves it."""
    return VERBS.get(verb, "")


def senses_in(text: str) -> set[str]:
    """Return what words of a text may ask for, were they verbs in whatever form."""
    found = {VERBS.get(word) or VERBS.get(base_form(word), "") for word in _stems(text)}
    return found - {""}


def lifts(verb: str) -> bool:
    """Whether a verb moves things up: what is fixed is opened so."""
    return verb.partition(" ")[0] in _LIFTING


def hangs(verb: str) -> bool:
    """Whether a verb puts things where they hang."""
    return verb.startswith("hang")


def names_appliance(verb: str) -> bool:
    """Whether a verb says itself where it is done: "microwave"."""
    return verb in _OF_APPLIANCES


def tells_manner(words: str) -> bool:
    """Whether words only say how to do something: "carefully"."""
    return words.endswith("ly")


def means_place(pronoun: str) -> bool:
    """Whether a pronoun means where something is: "there"."""
    return pronoun.lower() in _THERE


def means_two(pronoun: str) -> bool:
    """Whether a pronoun means the two that were spoken of last."""
    return pronoun in _BOTH


def means_many(pronoun: str) -> bool:
    """Whether a pronoun means all that was spoken of last."""
    return pronoun in _MANY


def means_another(pronoun: str) -> bool:
    """Whether a pronoun means something of the same kind as what was spoken of."""
    return pronoun in _ANOTHER


def other_owner(owner: str) -> str:
    """Return whose a thing is said to be, "" where it is the speaker's, the robot's or the home's."""
    return "" if owner in _NOBODY_ELSE else owner


def words_shared(one: str, other: str) -> int:
    """Return how many of the words that say something two texts have in common."""
    return len(content_words(one) & content_words(other))


def likely_in(name: str, text: str) -> float:
    """Return how much part of a text looks like a name, 0 to 100."""
    return fuzz.partial_ratio(name.casefold(), text.casefold())


def likeness(one: str, other: str) -> float:
    """Return how much two texts have in common, word by word, 0 to 100."""
    return fuzz.token_set_ratio(one, other)


def _stems(text: str) -> set[str]:
    """Return the words of a text, and what they may be forms of."""
    found = set()
    for word in "".join(c if c.isalpha() else " " for c in text.lower()).split():
        found |= {word, word.removesuffix("ing"), word.removesuffix("ing") + "e", word.removesuffix("ed")}
        found |= {word.removesuffix("d"), word.removesuffix("s"), word.removesuffix("es")}
    return found
