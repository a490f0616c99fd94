# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a noun phrase may mean: by the names of the vocabulary, else by what it says of the thing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from karma_language.phrases.times import NUMBERS
from karma_language.things import Thing
from karma_language.vocabulary.descriptions import Descriptions
from karma_language.vocabulary.lexicon import Lexicon, Noun
from karma_language.vocabulary.words import (
    DETERMINERS,
    GENERIC,
    GROUPS,
    LIQUIDS,
    PARTS,
    PLACED,
    PORTIONS,
    QUESTION_WORDS,
    each,
)

_SURE = 0.5
"""Score from which on a description is taken for what fits it best."""
_ASKS = 0.38
"""Score from which on it is asked whether that is meant."""
_TIED = 0.04
"""Categories so close to the best one fit as well."""
_POSSIBLE = 0.25
"""Categories so close to the best one may be meant where there is nothing better."""
_MOST = 6
_FOOD = ("food",)
_BEHIND = (
    QUESTION_WORDS
    | frozenset(PLACED)
    | frozenset(
        each("that used meant designed made suitable to for from with without you i we one people worn ideal good")
    )
)
"""Words behind a noun that begin what is said of it."""
_NO_MATTER = frozenset(each("own same whole entire usual right very only other clean-looking single"))
"""Adjectives that don't tell a thing from its like."""
_NOTHING = dict.fromkeys(each("off up down of and"))
_SAID = frozenset(each("that which who i we you one people where from"))
"""Words that begin what somebody knows of a thing, rather than what it is for."""
_CLASSES = frozenset(
    each(
        "instrument implement device utensil appliance apparatus gadget equipment container receptacle holder vessel"
        " fixture furniture furnishing surface source accessory product piece unit seat food fruit vegetable drink"
        " beverage liquid material fabric fastener timepiece decoration ornament"
    )
)
"""Nouns for classes of things: with what is said before them they describe."""
_NOT_REAL = frozenset(each("toy fake imaginary invisible pretend"))
_WORD = re.compile(r"[a-z]+(?:[-'][a-z]+)*")


class UnknownNoun(Exception):  # noqa: N818 - caught at once and turned into an answer
    """Words that name nothing that is known."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


class UnclearNoun(Exception):  # noqa: N818 - as above
    """A description that may mean several things, none of them surely."""

    def __init__(self, words: str, choices: tuple[str, ...]) -> None:
        super().__init__(words)
        self.words = words
        self.choices = choices


@dataclass(frozen=True)
class Meant:
    """What a noun phrase may mean."""

    noun: str
    """As said, without what describes it."""
    categories: tuple[str, ...] = ()
    """Likeliest first; empty for a room."""
    loosely: tuple[str, ...] = ()
    margin: float = 1.0
    """How far the likeliest of `categories` is ahead of what else may be meant, 0 to 1; 1 where it is named."""
    plural: bool = False
    room: str = ""
    anything: bool = False
    """Whether it is any thing: "everything", "the things"."""
    states: frozenset[str] = frozenset()
    colours: tuple[str, ...] = ()
    contents: str = ""
    """The liquid that is to be in it: "a glass of water"."""
    unheeded: tuple[str, ...] = ()
    """Words that would tell it from its like, and that the categories and states don't hold."""


@dataclass(frozen=True)
class _Parts:
    """A noun phrase in parts."""

    before: tuple[str, ...]
    head: tuple[str, ...]
    noun: Noun | None
    behind: tuple[str, ...] = ()
    contents: str = ""
    sliced: bool = False
    room: str = ""


class Resolver:
    """Finds what noun phrases may mean, in a vocabulary and its descriptions."""

    def __init__(self, lexicon: Lexicon, descriptions: Descriptions) -> None:
        self.lexicon = lexicon
        self._descriptions = descriptions

    def resolve(self, thing: Thing, affordance: str = "") -> Meant:
        """Return what a thing that is no pronoun may mean. Raises UnknownNoun and UnclearNoun.

        `affordance`: what is done with it, to choose among the meanings of a word; empty where that tells nothing.
        """
        words = tuple(_WORD.findall(thing.text.lower()))
        while words and words[0] in DETERMINERS:
            words = words[1:]
        if thing.is_room and words in self.lexicon.rooms:
            return Meant(" ".join(words), room=" ".join(words))
        parts = self._parts(words, thing)
        told = dict.fromkeys([*(word.lower() for word in thing.attributes), *parts.before])
        told = {word: None for word in told if word not in parts.head and word not in NUMBERS | _NOTHING}
        if any(word in _NOT_REAL for word in told):
            raise UnknownNoun(thing.text)
        colours = tuple(word for word in told if word in self.lexicon.colours)
        states = {state for word in told if (state := self.lexicon.states.get((word,), ""))}
        cut = parts.noun is None or self.lexicon.any_can(parts.noun.categories, "slice")
        cut = parts.sliced and cut  # "a piece of bread", but "a piece of cloth"
        states |= {"sliced"} if cut or (parts.noun is not None and parts.noun.sliced) else set()
        of_rooms = {word: f"{word} room" for word in told if (word, "room") in self.lexicon.rooms}  # "the GUEST bed"
        rooms = [word for word in told if (word,) in self.lexicon.rooms] + [*of_rooms.values()]
        for length in (3, 2):  # "the guest room desk"
            if parts.before[-length:] in self.lexicon.rooms and len(parts.before) >= length:
                rooms.append(" ".join(parts.before[-length:]))
                told = {word: None for word in told if word not in parts.before[-length:]}
        plain = {word for word in told if word in _NO_MATTER or (word,) in self.lexicon.rooms or word in of_rooms}
        left = [word for word in told if word not in {*colours, *plain} and (word,) not in self.lexicon.states]
        anything = bool(parts.head) and parts.head[-1] in GENERIC
        noun, margin = parts.noun, 1.0
        useful = parts.behind[:1] and parts.behind[0] not in _SAID
        told_apart = noun is not None and bool(useful) and len((*noun.categories, *noun.loosely)) > 1
        if thing.categories and not (noun is not None and noun.generic and (left or parts.behind)) and not told_apart:
            noun = Noun(thing.categories, thing.plural, loosely=thing.loosely, generic=bool(noun and noun.generic))
        elif told_apart or self._tells(parts, left, anything):
            described, margin = self._described(words, parts, affordance, anything)
            noun, anything, left = described, False, []
            words = self._without_states(words, parts, colours)
        elif anything:
            noun = Noun(self.lexicon.that_can(affordance or "pickup"), parts.head[-1].endswith("s"), generic=True)
        if noun is None and len(words) == 1 and (ending := self.lexicon.headed_by(words[0])):
            noun = Noun(ending, generic=len(ending) > 1)  # "the machine" that makes coffee
        if noun is None:
            raise UnknownNoun(thing.text)
        categories = tuple(c for c in noun.categories if not affordance or self.lexicon.can(c, affordance))
        categories, loosely = categories or noun.categories, noun.loosely
        if colours and noun.generic and margin == 1.0:
            categories, loosely = self._coloured(categories, colours)
        fixed = not self.lexicon.any_can(categories, "pickup")
        room = thing.room or next(iter(rooms), parts.room if fixed else "")
        named = noun is parts.noun or margin == 1.0
        said = " ".join(parts.head if named and parts.head else words)
        unheeded = tuple(left) + ((" ".join(parts.behind),) if parts.behind and margin == 1.0 else ())
        return Meant(
            said, categories, loosely, margin, noun.plural, room, anything,
            frozenset(states), colours, parts.contents, unheeded,
        )  # fmt: skip

    def _parts(self, words: tuple[str, ...], thing: Thing) -> _Parts:
        """Split a phrase at its head noun."""
        end = next((i for i in range(1, len(words)) if words[i] in _BEHIND), len(words))
        core, behind, sliced, contents = words[:end], words[end:], False, ""
        start = self._named(core)
        if "of" in core[1:] and (start is None or start > core.index("of", 1)):
            at = core.index("of", 1)
            first, rest = core[:at], core[at + 1 :]
            while rest and rest[0] in DETERMINERS:
                rest = rest[1:]
            if rest[-1:] and rest[-1] in LIQUIDS:
                core, contents = first, rest[-1]
            elif first[-1] in PORTIONS:
                core, sliced = (*first[:-1], *rest), True
            elif first[-1] in GROUPS or first[-1] in PARTS:
                core = (*first[:-1], *rest)
            else:
                core, behind = first, (*core[at:], *behind)
        if len(core) > 1 and core[-1] in PORTIONS and self._named(core) is None:
            core, sliced = core[:-1], True
        if len(core) > 1 and set(core[:-1]) & PORTIONS:
            core, sliced = tuple(word for word in core if word not in PORTIONS), True
        start = self._named(core)
        if start is None:
            generic = bool(core) and core[-1] in GENERIC
            return _Parts(core[:-1] if generic else core, core[-1:] if generic else (), None, behind, contents, sliced)
        head = core[start:]
        room = next((" ".join(head[:n]) for n in range(1, len(head)) if head[:n] in self.lexicon.rooms), "")
        return _Parts(core[:start], head, self.lexicon.nouns[head], behind, contents, sliced, room)

    def _named(self, words: Sequence[str]) -> int | None:
        """Return where the longest name begins that ends a phrase, None for none."""
        return next((i for i in range(len(words)) if tuple(words[i:]) in self.lexicon.nouns), None)

    def _tells(self, parts: _Parts, left: Sequence[str], anything: bool) -> bool:
        """Whether the words tell what it is, rather than name it."""
        strange = [word for word in left if (word,) not in self.lexicon.nouns]
        more = bool((strange if parts.noun is not None else left) or parts.behind)
        if parts.noun is None:
            return more if anything else len(left) > 1 or bool(left and parts.behind)
        return (anything or parts.noun.generic) and more

    def _described(self, words: tuple[str, ...], parts: _Parts, affordance: str, anything: bool) -> tuple[Noun, float]:
        """Return what a description means, and how sure that is."""
        last = (*parts.before, *parts.head)[-1]
        several = last.endswith("s") and not last.endswith("ss") if parts.noun is None else parts.noun.plural
        if parts.behind[-2:] == ("to", "eat"):
            return Noun(self.lexicon.nouns[_FOOD].categories, several, generic=True), 0.0
        impersonal = tuple({"i": "you", "we": "you"}.get(word, word) for word in words)
        impersonal = self._without_states(impersonal, parts, ())
        classed = parts.noun is not None and parts.noun.generic
        detail = tuple(word for word in impersonal if not (classed and parts.head[-1:] == (word,))) or impersonal
        mass = last in self.lexicon.mass
        classed_so = last.removesuffix("s") in _CLASSES or (not mass and self._descriptions.speaks_of(last))
        bare = mass or not parts.behind  # "SOUP with noodles", "hair DRYER"
        if parts.noun is None and not anything and bare and not classed_so:
            raise UnknownNoun(" ".join(words))
        told = parts.behind if parts.behind[:1] != ("of",) else ()
        never = {c for noun in self._nouns(told) if not noun.generic for c in noun.categories}
        ranked = self._descriptions.rank(
            dict.fromkeys([" ".join(impersonal), " ".join(detail)]),
            affordance or ("pickup" if anything else ""),
            among=parts.noun.categories if parts.noun is not None else (),
            never=never,
        )
        compound = parts.noun is None and not anything and not parts.behind
        if (
            compound and affordance and ranked
        ):  # "bring the washing machine" is not the likest thing that can be carried
            free = self._descriptions.rank(dict.fromkeys([" ".join(impersonal)]), never=never)
            ranked = ranked if free[0].score - ranked[0].score < _POSSIBLE / 2 else free
        if named := parts.noun is not None and not parts.noun.generic:  # "the lamp that stands on the floor" is a lamp
            known = (*parts.noun.categories, *parts.noun.loosely) if parts.noun is not None else ()
            ranked = [m for m in ranked if m.category in known] or ranked
        if not ranked or (ranked[0].score < _ASKS and not named):
            raise UnknownNoun(" ".join(words))
        best = ranked[0].score
        if best < _SURE and not named:
            raise UnclearNoun(" ".join(words), tuple(self.lexicon.kind(m.category).noun for m in ranked[:3]))
        near = [m for m in ranked[:_MOST] if best - m.score <= _POSSIBLE and m.score >= _ASKS] or ranked[:1]
        likely = tuple(m.category for m in near if best - m.score <= _TIED)
        also = tuple(m.category for m in near if m.category not in likely)
        margin = best - next((m.score for m in ranked if m.category not in likely[:1]), 0.0)
        return Noun(likely, several, loosely=also, generic=len(likely) > 1), min(0.999, max(0.0, margin))

    def _without_states(self, words: tuple[str, ...], parts: _Parts, colours: Sequence[str]) -> tuple[str, ...]:
        """Return a description without the states that are asked for before its noun: "a CLEANED eating surface"."""
        asked = {word for word in parts.before if (word,) in self.lexicon.states}
        told = {word for word in asked if word.endswith("ed") or self.lexicon.states[word,] in ("clean", "dirty")}
        return tuple(word for word in words if word not in told | set(colours))

    def _nouns(self, words: Sequence[str]) -> list[Noun]:
        spans = ((i, j) for i in range(len(words)) for j in range(len(words), i, -1))
        return [self.lexicon.nouns[tuple(words[i:j])] for i, j in spans if tuple(words[i:j]) in self.lexicon.nouns]

    def _coloured(self, categories: tuple[str, ...], colours: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return what usually has one of the colours, and what comes in any colour."""
        usual = tuple(c for c in categories if set(self.lexicon.kind(c).colours) & set(colours))
        any_colour = tuple(c for c in categories if not self.lexicon.kind(c).colours)
        return (usual, any_colour) if usual else (any_colour or categories, ())
