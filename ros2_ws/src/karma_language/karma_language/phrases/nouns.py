# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Nouns with what stands before them: determiners, numbers, owners, adjectives; and pronouns."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace

from karma_language.phrases.text import PLACES, Text
from karma_language.phrases.times import NUMBERS
from karma_language.things import Limit, Thing
from karma_language.vocabulary.lexicon import Lexicon, Noun
from karma_language.vocabulary.tokens import STOPS
from karma_language.vocabulary.verbs import verb_at
from karma_language.vocabulary.words import (
    ADVERBS,
    AUXILIARIES,
    BASES,
    DETERMINERS,
    GENERIC,
    GROUPS,
    HOME,
    PARTICLES,
    PARTS,
    PEOPLE,
    PERSONS,
    PLAIN_ADJECTIVES,
    PORTIONS,
    QUESTION_WORDS,
    STATES,
    base_form,
    each,
)

Names = Mapping[str, tuple[str, ...]]
_LONGEST = 5
"""Words of a noun."""
OWNERS = {"my": "me", "our": "me", "your": "you", "his": "his", "her": "her", "their": "their", "its": "its"}
MINE = {"mine": "me", "ours": "me", "yours": "you", "his": "his", "hers": "her", "theirs": "their"}
_PRONOUNS = frozenset(each("it him them they this that these those both itself themselves"))
_MANY = frozenset(each("them they these those both themselves ones others"))
_QUANTITIES = {"couple": 2, "pair": 2, "few": 3, "single": 1}
COUNTS = {**NUMBERS, **_QUANTITIES, "both": 2}
"""Words for numbers."""
_LIMITS: Mapping[tuple[str, ...], tuple[Limit, int]] = {
    ("at", "least"): (Limit.LEAST, 0),
    ("more", "than"): (Limit.LEAST, 1),
    ("at", "most"): (Limit.MOST, 0),
    ("fewer", "than"): (Limit.MOST, -1),
    ("less", "than"): (Limit.MOST, -1),
    ("exactly",): (Limit.EXACTLY, 0),
    ("only",): (Limit.EXACTLY, 0),
}
"""What is said before a number → how many there are then, and how many more than the number."""
_LIMITING = frozenset(said[0] for said in _LIMITS)
_EVERY = frozenset(each("all every each"))
ORDINALS = frozenset(
    each("first second third last next top bottom left right middle upper lower topmost highest lowest nearest closest")
)
STOP_WORDS = (
    (PERSONS | QUESTION_WORDS | ADVERBS | set(AUXILIARIES) | {p.split()[0] for p in PLACES} | set(PARTICLES.split("|")))
    - ORDINALS
    | frozenset(each("and or but if of to from with for than as because since until unless using not so while before"))
    | frozenset(
        each("about after during without me us him myself there here instead at , together anyway through across past")
    )
    | frozenset(each("it them itself themselves is except afterwards afterward anywhere somewhere everywhere even"))
)
"""Words that no noun phrase goes beyond, but for what follows its noun."""
FLOOR = re.compile(r"(upstairs|downstairs)|(ground|first|second|third|top|upper|lower) (?:floor|storey|level)")
_GIVE = frozenset(each("give bring take hand get pass fetch show lend find offer"))
_BEFORE_OF = frozenset((*_EVERY, *NUMBERS, *_QUANTITIES, *each("both some any rest remainder one")))
_TIMES = frozenset(
    each(
        "along together around somewhere anywhere everywhere someplace closer nearer further higher day"
        " today yesterday tomorrow tonight morning evening afternoon night week later soon day's"
    )
)
_SHADES = frozenset(each("light dark pale bright deep"))
"""Words before a colour: "the LIGHT green jug"."""
_RESULTS = frozenset(each("wide tight upright sideways backwards halfway together apart steady quick fast alone"))
"""How something is done, or is then, and no noun."""
_INTERJECTIONS = frozenset(
    each("goes go belong belongs stays live lie haha hahaha lol hihi please thanks dear mate ok okay xd hmm")
)
_OUTSIDES = frozenset(each("door lid top surface seat"))
PLACE_NOUNS = frozenset(each("place spot space area location position side"))


@dataclass(frozen=True)
class Phrase:
    """A noun phrase that was read."""

    thing: Thing
    end: int
    """Index of the token after it."""
    contents: tuple[Thing, ...] = ()
    """What is said to be in or on it: "a bowl with a spoon in it"."""

    def told(self, **more: object) -> Phrase:
        """Return the phrase with more that is told of its thing."""
        return replace(self, thing=self.thing.model_copy(update=more))


@dataclass
class Lead:
    """What is said before the noun."""

    every: bool = False
    other: bool = False
    definite: bool = False
    determined: bool = False
    owner: str = ""
    room: str = ""
    """That it is the room's: "the LIVING ROOM'S sofa"."""
    number: int = 0
    limit: Limit = Limit.LEAST
    both: bool = False


def limited(words: Sequence[str], at: int) -> tuple[Limit, int, int] | None:
    """Return a limit, its number and the index of the last word: "MORE THAN TWO mugs" are three at least."""
    if at >= len(words) or words[at] not in _LIMITING or (at > 0 and words[at - 1] in ("no", "not")):
        return None
    for said, (limit, beyond) in _LIMITS.items():
        after = at + len(said)
        if tuple(words[at:after]) == said and after < len(words):
            number = NUMBERS.get(words[after], 0) or _digits(words[after])
            return (limit, number + beyond, after) if number and number + beyond > 0 else None
    return None


class Nouns:
    """Reads the nouns of a text."""

    def __init__(self, text: Text, lexicon: Lexicon, names: Names, is_word: Callable[[str], bool]) -> None:
        """`names`: what things of this home are called besides; `is_word`: whether a word is English."""
        self._text = text
        self._words, self._word = text.words, text.word
        self._lexicon = lexicon
        self._names = names
        self._is_word = is_word

    # --- before the noun

    def lead(self, at: int) -> tuple[Lead, int]:
        """Return what is said before a noun, and the index after it."""
        lead = Lead()
        while (word := self._word(at)) or at < len(self._words):
            following = self._word(at + 1)
            if (bound := limited(self._words, at)) is not None:
                lead.limit, lead.number, at = bound
                lead.determined = True
            elif word in _EVERY and following not in STOPS:
                lead.every, lead.determined = True, True
            elif word == "both" and following and following not in (STOP_WORDS | STOPS) - {"of"}:
                lead.number, lead.definite, lead.determined = 2, True, following == "of"
                lead.both = not lead.determined
            elif word in ("another", "other") or (
                word in ("different", "separate", "new")
                and not lead.definite
                and (lead.determined or (word != "new" and following.endswith("s")))
            ):
                lead.other = True
            elif word in ("the", "this", "that", "these", "those"):
                lead.definite = lead.determined = True
            elif word in OWNERS:
                lead.owner, lead.definite, lead.determined = OWNERS[word], True, True
            elif word in DETERMINERS - {"no"} | {"whichever", "whatever"}:
                lead.determined = True
            elif word in _QUANTITIES and (following == "of" or word in ("few", "single")):
                lead.number, lead.determined = _QUANTITIES[word], True
            elif word in ("rest", "remainder") and following == "of" and lead.determined:
                lead.every = lead.other = True
            elif (number := NUMBERS.get(word, 0) or _digits(word)) and (
                word != "one"
                or following == "of"
                or following in PORTIONS
                or (not lead.determined and self.noun(at + 1) is not None)
            ):
                lead.number, lead.determined = lead.number or number, True  # "TWO of the three"
            elif word == "of" and lead.determined and at and self._word(at - 1) in _BEFORE_OF:
                pass
            elif (room := self.possessive(at, self._lexicon.rooms)) is not None:
                lead.room, lead.definite, lead.determined = " ".join(room), True, True
                at += len(room) - 1
            elif word in PEOPLE and following.endswith("'s") and self._word(at - 1 - (lead.owner == "me")) not in _GIVE:
                name, at = following.removesuffix("'s"), at + 1  # "my SISTER LIAN'S mug", but "give MUM Tom's phone"
                lead.owner, lead.definite, lead.determined = f"{word} {name}", True, True
            elif word.endswith("'s") and word.removesuffix("'s") in _TIMES:
                lead.determined = True
            elif self.possessive(at, self._lexicon.nouns) is not None:
                break  # "the toilet's tank"
            elif word.endswith("'s") and len(word) > 2:
                lead.owner, lead.definite, lead.determined = word.removesuffix("'s"), True, True
            else:
                break
            at += 1
        return lead, at

    def possessive(self, at: int, names: Container[tuple[str, ...]]) -> tuple[str, ...] | None:
        """Return the longest of some names of which the "'s" form begins at a token; None where none does."""
        for end in range(min(at + _LONGEST, len(self._words)), at, -1):
            name = (*self._words[at : end - 1], self._words[end - 1].removesuffix("'s"))
            if self._words[end - 1].endswith("'s") and name in names:
                return name
        return None

    # --- the noun

    def head(self, first: int, lead: Lead, bare: bool) -> tuple[int, int, Noun | None, str] | None:
        """Return (start, end, noun, words) of the noun."""
        at, found = first, None
        while at < len(self._words) and at - first <= _LONGEST + 1:
            word = self._words[at]
            beside = word == "next" and self._text.preposition(at) is not None
            stays = word in ("stay", "stays", "remain", "remains")  # "the rest STAY where they are"
            if at > first and (beside or stays or self._words[at : at + 3] == ["side", "by", "side"]):
                break
            noun = self.noun(at)
            if noun is not None:
                length, of, said = noun
                adjective = length == 1 and self.adjective(at) and self._goes_on(at + 1, found is not None)
                adjective = adjective or self._shade(at)
                apart = at > first and said in ("upstairs", "downstairs")  # "the kitchen UPSTAIRS", "open UPSTAIRS"
                if apart or (found is not None and said in ("other", "others")):  # "the table OTHER than mine"
                    break
                if not adjective:
                    found = (at, at + length, of, said)
                    at += length
                    continue
            if found is not None and word in _EVERY:
                break  # "the table, ALL of them"
            if found is not None:
                named = (lead.determined or bare) and self.strange(at) and word not in _RESULTS
                named = named and not word.endswith("ing")  # "with the lamp SHINING on it"
                if named and self.ends_phrase(at + 1):
                    found = None  # "the beverage holder" is no beverage
                    at += 1
                break
            joins = word in ("and", ",") and at > first and self.adjective(at - 1) and self.adjective(at + 1)
            known = self.adjective(at) or word in ORDINALS
            if word == "left" and at > first and not self.adjective(at - 1):
                break  # "any milk left"
            if (word, self._word(at + 1)) in self._lexicon.states:
                at += 2  # "a rinsed off bar of soap"
                continue
            strange = (
                (lead.determined or bare)
                and word not in STOP_WORDS | STOPS | DETERMINERS
                and word.replace("-", "").isalpha()
            )
            strange = strange and not (at > first and self._tells(at)) and word not in _INTERJECTIONS
            acts = verb_at(self._words, at) if at > first and strange else None
            past = at > first and (word.endswith("ed") or BASES.get(word, word) != word)
            if acts is not None and self._word(at + acts.length) in DETERMINERS | {"it", "them"}:
                break
            if past and not known and self._word(at + 1) in STOPS | DETERMINERS | PERSONS | {"", ",", "me", "it"}:
                break  # "my boss CALLED"
            if not (joins or known or strange):
                break
            at += 1
        if found is not None:
            return found
        while at > first and self._words[at - 1] in (",", "and"):
            at -= 1
        while at > first and self._words[at - 1] in ("off", "up"):
            at -= 1
        at -= at > first + 1 and self._words[at - 1] in ("first", "next", "last")  # "give it a rinse FIRST"
        while at > first + 1 and self.known_adjective(self._words[at - 1]):
            at -= 1  # "is the zorbl CLEAN"
        unknown = [word for word in self._words[first:at] if not self.known_adjective(word)]
        if unknown and at > first and not self.known_adjective(self._words[at - 1]):
            return at - 1, at, None, self._words[at - 1]
        return None

    def strange(self, at: int) -> bool:
        """Whether a word is no known one."""
        word = self._word(at)
        known = (
            word in STOP_WORDS | STOPS | _TIMES | _INTERJECTIONS | {"next"}
            or word.endswith("ly")
            or self.noun(at) is not None
        )
        acts = (
            verb_at(self._words, at) is not None or word.endswith("s") or self.known_adjective(word) or self._tells(at)
        )
        return word.isalpha() and not known and not acts and self._is_word(word)

    def ends_phrase(self, at: int) -> bool:
        """Whether no noun phrase goes on here."""
        word = self._word(at)
        ends = STOPS | set(each("and for from with to of off as by while")) | {"", ","}
        return word in ends or self._text.preposition(at) is not None

    def _goes_on(self, at: int, found: bool) -> bool:
        """Whether a noun phrase goes on: "the clean cup", but "the light"."""
        return not found and at < len(self._words) and (self.noun(at) is not None or self._word(at) in ("one", "ones"))

    def adjective(self, at: int) -> bool:
        """Whether an adjective stands here, or a word like it."""
        return self._shade(at) or self.known_adjective(self._word(at)) or self._word(at) in ORDINALS

    def _shade(self, at: int) -> bool:
        return self._word(at) in _SHADES and self._word(at + 1) in self._lexicon.colours

    def known_adjective(self, word: str) -> bool:
        """Whether a word is a colour, a state, a participle or a plain adjective."""
        told = word in self._lexicon.colours or (word,) in self._lexicon.states
        past = base_form(word) in STATES and base_form(word) != word
        return told or past or word in PLAIN_ADJECTIVES

    def _tells(self, at: int) -> bool:
        """Whether a participle behind the noun begins what is said of it: "the device USED for"."""
        following = self._word(at + 1)
        return self._words[at].endswith(("ed", "en", "worn", "made", "kept", "left")) and following in (
            {"to", "for", "as", "by", "with"} | {p.split()[0] for p in PLACES}
        )

    def noun(self, at: int) -> tuple[int, Noun | None, str] | None:
        """Return (length, noun, words) of the longest noun at a token; no noun for rooms, generic words, floors."""
        for length in range(min(_LONGEST, len(self._words) - at), 0, -1):
            words = tuple(self._words[at : at + length])
            said = " ".join(words)
            if "|" in said and length == 1:
                return 1, Noun((said.split("|")[0],)), said
            owner = (said.removesuffix("'s"),)
            part = said.endswith("'s") and owner in self._lexicon.nouns and self._word(at + length) in PARTS
            if part and self.noun(at + length + 1) is None:
                return length + 1, self._lexicon.nouns[owner], owner[0]  # "the toilet's tank"
            if said in self._names:
                return length, Noun(self._names[said]), said
            if words in self._lexicon.nouns:
                return length, self._lexicon.nouns[words], said
            whole = self._lexicon.nouns.get(words[:-1]) if length > 1 and words[-1] in _OUTSIDES else None
            if whole is not None and (
                words[-1] in ("door", "lid") or not self._lexicon.any_can(whole.categories, "pickup")
            ):
                return length, whole, " ".join(words[:-1])  # "the fridge door"
            if length == 1 and (apart := self._lexicon.joined.get(said)) is not None:  # "garbagecan"
                return length, self._lexicon.nouns[apart], " ".join(apart)
            if self.room(words) or FLOOR.fullmatch(said) is not None:
                slash = 2 if self._word(at + length) == "/" else 0  # "the laundry room/mudroom"
                return length + slash, None, said
        word, before, following = self._word(at), self._word(at - 1), self._word(at + 1)
        listed = before == "," and following in (",", "and")
        if word == "can" and (before in DETERMINERS or listed or self.known_adjective(before)) and following != "be":
            return 1, None, word  # "a kettle, can, and plate"
        if (
            word in PEOPLE | HOME
            or word in GENERIC
            or word in ("one", "ones", "other", "others", "rest")
            or word in PLACE_NOUNS
        ):
            return 1, None, word
        if (word in PARTS | PORTIONS | GROUPS) and (self._word(at + 1) == "of" or word in PORTIONS):
            return 1, None, word
        return None

    def room(self, words: Sequence[str]) -> str:
        """Return the room that words name, the kind of room where they name several; "" for none."""
        rooms = self._lexicon.rooms
        return " ".join(words) if tuple(words) in rooms else rooms.get((*words[:-1], words[-1].removesuffix("s")), "")

    def pronoun(self, at: int, first: int, lead: Lead) -> Phrase | None:
        """Return a pronoun: it, those, both, all of them, the other."""
        word = self._word(at)
        last = self._word(first)
        if last in _PRONOUNS or (last == "all" and first == at):
            end = first + 1
            every = last == "all" or lead.every
            together = last in ("them", "these", "those", "it") and self._word(end) in ("both", "all")
            end += together
            plural = last in _MANY or last == "all" or together
            if last == "all":
                return Phrase(Thing(text="everything", every=True), end)
            number = lead.number if not lead.both else 0
            pair = (together and self._word(end - 1) == "both") or (word == "both" and last != "both")
            said = "both" if pair else "them" if together else "it" if last == "him" else last
            thing = Thing(text=said, pronoun=True, plural=plural, number=number, every=every, other=lead.other)
            return Phrase(thing, end)
        if lead.other and first > at:
            plural = self._word(first - 1) == "others"
            return Phrase(Thing(text="other", pronoun=True, other=True, definite=True, plural=plural), first)
        if lead.number > 1 and (lead.definite or lead.every) and not lead.owner and not lead.other:
            return Phrase(Thing(text="them", pronoun=True, plural=True, number=lead.number), first)  # "those two"
        if lead.number and first > at and not lead.owner:
            return Phrase(Thing(text="ones" if lead.number > 1 else "one", pronoun=True, number=lead.number), first)
        if word == "her" and first == at + 1:
            return Phrase(Thing(text="it", pronoun=True), first)
        if word in _PRONOUNS and first == at + 1 and not lead.owner:
            return Phrase(Thing(text=word, pronoun=True, plural=word in _MANY), first)
        return None


def _digits(word: str) -> int:
    return int(word) if word.isdecimal() and 0 < int(word) <= 50 else 0
