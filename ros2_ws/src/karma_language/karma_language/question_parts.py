# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The parts of a question, in whatever order they are said: question word, who does it, verb, thing, place, state."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from karma_language.noun_phrases import Marked
from karma_language.question_clauses import WH
from karma_language.reading import Relation, Thing, Where
from karma_language.words import (
    ADVERBS,
    AUXILIARIES,
    BASES,
    GENERIC,
    LIE,
    PARTICLES,
    PEOPLE,
    PERSONS,
    PLACED,
    STATES,
    base_form,
    each,
)

ROOMS = frozenset(each("room rooms floor place places spot part storey level"))
"""Words for any place."""
HOME = frozenset(each("house home flat apartment"))
"""Words for the whole of what the memory knows."""
_HANDS = frozenset(each("hand hands gripper grippers arm arms grasp"))
_ANYTHING = frozenset(each("anything something everything things stuff nothing"))
_HERE = frozenset(each("there here anywhere somewhere everywhere"))
_OBLIQUE = frozenset(each("to with about of for from than as like"))
_IDLE = frozenset(
    each("that who which whom and not but if whether too ago up there besides a the out in of on me us him")
)
"""Words that say nothing where no rule counts them."""
_TAGS = frozenset(each("total must all"))
_HELPS = frozenset(each("manage try remember forget fail happen want begin start stop finish dare need get"))
"""Verbs before the one that counts: "did you manage to find", "have you finished cleaning"."""
_LINES = re.compile(r"(<\d+>) (?:door|doors|lid)\b")
ANY_PLACED = "|".join(sorted(map(re.escape, PLACED), key=len, reverse=True))
_PREPOSITIONS = re.compile(rf"\b(?:{ANY_PLACED})(?= <\d+>| (?:which|what|there|here)\b)|\b(?:{ANY_PLACED})(?=$| ,)")
_WORD = re.compile(r"<\d+>|[a-z_]+(?:'[a-z]+)?|,")
_RELATIONS = frozenset(relation.value for relation in Relation)
_PARTICLES = frozenset(PARTICLES.split("|"))
_AUXILIARIES = frozenset(AUXILIARIES.values()) | {"does"}
OPERATED = frozenset(each("turn switch leave forget plug"))
"""Verbs that need "on" or "off"."""
_PHRASAL = frozenset(each("turn switch plug"))
_LYING = frozenset(each("lie sit stand hang rest lean"))
_HOW = frozenset(each("many much often long big large small tall wide high heavy old far"))


@dataclass
class Parts:
    """What a question is made of."""

    wh: str = ""
    """Question word, with the word behind "how"; "" where yes or no is asked for."""
    head: Thing | None = None
    """The noun that belongs to it: "which ROOM", "how many EGGS"."""
    agent: str = ""
    """Who does it: "you" (the robot), "one" (people)."""
    auxiliary: str = ""
    verb: str = ""
    """Base form, with its particle."""
    thing: Thing | None = None
    place: Where | None = None
    state: str = ""
    stranded: bool = False
    """Whether a preposition has no noun behind it: "which drawer is it IN"."""
    there: bool = False
    anything: bool = False
    either: bool = False
    """Whether it names alternatives."""
    held: bool = False
    """Whether the robot's hand is spoken of."""
    undone: bool = False
    also: list[Thing] = field(default_factory=list)
    """Of what the same is asked: "are there any forks AND SPOONS?"."""
    besides: Thing | None = None
    """What does not count."""
    other: Thing | None = None
    """A second noun that no preposition leads to."""
    direct: bool = False
    """Whether no preposition leads to `thing`."""
    participle: bool = False
    """Whether the verb is one."""
    words: tuple[str, ...] = ()
    """The verbs and all else that says something, base forms."""
    said: frozenset[str] = frozenset()
    """All words."""
    left: list[str] = field(default_factory=list)
    """What no part accounts for."""

    @property
    def past(self) -> bool:
        """Whether it is asked what was done."""
        return self.auxiliary in ("did", "have")


def plain_words(text: str) -> list[str]:
    """Return marks and words in one form each, without those that add nothing."""
    text = _LINES.sub(r"\1", " ".join(text.split()))
    text = _PREPOSITIONS.sub(lambda match: PLACED[match[0]].value, text)
    words: list[str] = []
    found = _WORD.findall(text)
    for at, word in enumerate(found):
        before = words[-1] if words else ""
        if word == "down" and found[at + 1 : at + 2] == ["to"]:
            continue  # "how many are we down to?"
        if word in ADVERBS | _TAGS or (word in ("get", "got") and "have" in words):
            continue
        if word == "left" and (before not in ("one", "you", "who", "have") or at == len(found) - 1):
            continue
        if word in PERSONS:
            word = "you" if word == "you" else "one"
        elif word in _ANYTHING:
            word = "anything"
        elif word in _HERE:
            word = "there"
        elif word not in WH:
            word = AUXILIARIES.get(word, word) if word != "does" else word
        words.append(word)
    return words


def parts_of(words: Sequence[str], form: Marked) -> Parts:
    """Return the parts of a question, given as plain words."""
    return _Parser([word for word in words if word != ","], form).parts


class _Parser:
    def __init__(self, words: list[str], form: Marked) -> None:
        self.parts = Parts(said=frozenset(words))
        self._words = words
        self._form = form
        self._verbs: list[tuple[int, str]] = []
        self._nouns: list[tuple[int, Thing]] = []
        self._oblique: list[Thing] = []
        self._agent = len(words)
        at = self._begin()
        while at < len(words):
            at = self._part(at)
        self._settle()

    def _word(self, at: int) -> str:
        return self._words[at] if 0 <= at < len(self._words) else ""

    def _begin(self) -> int:
        """Read the question word and its noun; return the index after them."""
        at, parts = 0, self.parts
        if self._word(0) in _RELATIONS | _OBLIQUE and self._word(1) in WH:
            parts.stranded, at = True, 1
        if self._word(at) not in WH:
            later = [i for i, word in enumerate(self._words) if word in WH - {"whether"}]
            if len(later) != 1:
                return at
            first = later[0]  # "the spray is where now?", "here are how many lamps?"
            end = first + 1 + (self._word(first + 1) in _HOW) if self._words[first] == "how" else first + 1
            end += self._word(end).startswith("<")
            self._words = [*self._words[first:end], *self._words[:first], *self._words[end:]]
        parts.wh, at = self._word(at), at + 1
        if parts.wh == "whether":
            parts.wh = ""
        if parts.wh == "how" and self._word(at) in _HOW:
            parts.wh, at = f"how {self._word(at)}", at + 1
        if self._word(at) == "of":
            at += 1
        if self._word(at).startswith("<") and parts.wh not in ("where", "when", "why", "who", "how", ""):
            parts.head, at = self._form.thing(self._word(at)), at + 1
            if self._word(at) == "of" and self._word(at + 1).startswith("<"):
                of = self._form.thing(self._word(at + 1))
                parts.head, at = (of if of.categories else parts.head), at + 2
        return at

    def _part(self, at: int) -> int:
        """Read what begins at a word; return the index after it."""
        parts, word, after = self.parts, self._word(at), self._word(at + 1)
        if word.startswith("<"):
            self._noun(at)
        elif word in ("you", "one"):
            if not parts.agent:
                parts.agent, self._agent = word, at
        elif word == "anything":
            parts.anything = True
        elif word == "there":
            parts.there = True
        elif word in ("or", "and"):
            parts.either = parts.either or word == "or"
            if not after.startswith("<") and after not in _RELATIONS:
                return len(self._words)  # "on or off", "and where"
        elif word in _AUXILIARIES:
            if word in ("have", "do") and parts.auxiliary:
                self._verbs.append((at, word))
            parts.auxiliary = parts.auxiliary or word
        elif word in _RELATIONS and after.startswith("<") and not (self._verbs and self._verbs[-1][1] in _PHRASAL):
            pass
        elif word in _RELATIONS and not after and not self._particle(at):
            parts.stranded = True
        elif word == "not":
            parts.undone = True
        elif word in _OBLIQUE and (after.startswith("<") or after in ("", "me", "us", "one")):
            pass
        elif base_form(word) in _HELPS and self._helps(at):
            return at + 1 + (after == "to")
        elif word == "to" and parts.verb == "":
            pass
        else:
            self._content(at)
        return at + 1

    def _helps(self, at: int) -> bool:
        """Whether another verb follows: "did you MANAGE to find it"."""
        after = self._word(at + 1)
        return after.endswith("ing") or (after == "to" and self._word(at + 2)[:1] not in ("<", ""))

    def _particle(self, at: int) -> bool:
        """Whether a preposition belongs to the verb: "turn ON the lamp", "which lamp is ON"."""
        if self._verbs and self._verbs[-1][1] in _LYING:
            return False  # "what is it lying ON"
        if self._word(at) not in _PARTICLES or (operated := bool(self._verbs) and self._verbs[-1][1] in OPERATED):
            return self._word(at) in _PARTICLES
        bare = self._word(at) == "on" and self.parts.auxiliary == "have" and not self._verbs  # "which lamp have we ON"
        return bare or self.parts.head is None or not (operated or self._nouns or self.parts.agent)

    def _noun(self, at: int) -> None:
        parts, before = self.parts, self._word(at - 1)
        thing = self._form.thing(self._word(at))
        noun = thing.text.casefold()
        if thing.owner == "you" and noun in _HANDS:
            parts.held = True
        elif "besides" in (before, self._word(at - 2)):
            parts.besides = thing
        elif before in _RELATIONS and not (
            self._verbs and self._verbs[-1][1] == f"{_first(self._verbs[-1][1])} {before}"
        ):
            where = Where(relation=Relation(before), thing=thing)
            parts.place = parts.place or where
        elif noun in GENERIC:
            parts.anything = True
        elif before == "to" and parts.wh in ("what", "which") and parts.place is None and parts.agent == "you":
            parts.place = Where(relation=Relation.AT, thing=thing)  # "what did you take to the sofa?"
        elif before == "from" and parts.wh == "how":
            parts.place = Where(relation=Relation.AT, thing=thing)  # "how do I get from the hall to the kitchen?"
        elif before in _OBLIQUE:
            self._oblique.insert(0 if before == "to" else len(self._oblique), thing)
        elif before == "and":
            parts.also.append(thing)
        elif before == "or":
            pass
        else:
            self._nouns.append((at, thing))

    def _content(self, at: int) -> None:
        word = self._word(at)
        base = base_form(word)
        if word in _PARTICLES and self._verbs:
            where, verb = self._verbs[-1]
            if " " not in verb:
                self._verbs[-1] = where, f"{verb} {word}"
        elif word == "out" and self.parts.auxiliary == "have":
            pass  # "how many have we got OUT?"
        elif word in STATES and not self._word(at + 1).startswith("<") and not self._acts(word):
            self.parts.state = STATES[word]
        elif word not in _IDLE:
            self._verbs.append((at, base))

    def _acts(self, word: str) -> bool:
        """Whether a word that may be a state is a verb here: "did the plate BREAK"."""
        return self.parts.auxiliary in ("did", "do") and not self._verbs

    def _settle(self) -> None:
        """Say what each noun and verb is to the others."""
        parts = self.parts
        nouns = [thing for _, thing in self._nouns]
        if nouns and _person(nouns[0]) and (len(nouns) > 1 or self._agent < len(self._words)):
            parts.agent, nouns = "one", nouns[1:]
        if parts.past and len(self._verbs) > 1 and self._agent > self._verbs[0][0]:
            name = self._verbs[0]
            if not self._nouns or name[0] < self._nouns[0][0]:
                parts.agent, self._verbs = "one", self._verbs[1:]
        verbs = [verb for _, verb in self._verbs]
        parts.verb = verbs[0] if verbs else ""
        raw = self._word(self._verbs[0][0]) if verbs else ""
        parts.participle = raw in BASES or raw.endswith("ed")
        parts.words = tuple(verbs)
        parts.left += [verb for verb in verbs[1:] if _first(verb) not in LIE]
        named = [thing for thing in nouns if not thing.pronoun] or nouns
        if named:
            parts.thing, parts.direct = named[0], True
            parts.other = next(iter(named[1:]), None)
            parts.left += [thing.text for thing in named[1:]]
        elif self._oblique and not (parts.head is not None and parts.wh.startswith("how")):
            parts.thing = self._oblique[0]


def _first(verb: str) -> str:
    return verb.partition(" ")[0]


def _person(thing: Thing) -> bool:
    return thing.text.casefold().split()[-1] in PEOPLE
