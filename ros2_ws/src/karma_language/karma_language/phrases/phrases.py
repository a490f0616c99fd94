# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Noun phrases of requests with all that belongs to them: determiners, adjectives, what follows the noun."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from karma_language.phrases.times import NUMBERS
from karma_language.things import Relation, Thing, Where
from karma_language.vocabulary.lexicon import Lexicon, Noun
from karma_language.vocabulary.states import STATES as SHOWN
from karma_language.vocabulary.tokens import STOPS, Token
from karma_language.vocabulary.verbs import verb_at
from karma_language.vocabulary.words import (
    ADVERBS,
    AUXILIARIES,
    BASES,
    DETERMINERS,
    GENERIC,
    GROUPS,
    LIQUIDS,
    PARTICLES,
    PARTS,
    PEOPLE,
    PERSONS,
    PLACED,
    PLAIN_ADJECTIVES,
    PORTIONS,
    QUESTION_WORDS,
    STATES,
    TELLING,
    base_form,
    each,
)

Names = dict[str, tuple[str, ...]]
_LONGEST = 5
"""Words of a noun."""
_OWNERS = {"my": "me", "our": "me", "your": "you", "his": "his", "her": "her", "their": "their", "its": "its"}
_PRONOUNS = frozenset(each("it him them they this that these those both itself themselves"))
_MANY = frozenset(each("them they these those both themselves ones others"))
_QUANTITIES = {"couple": 2, "pair": 2, "few": 3, "single": 1}
COUNTS = {**NUMBERS, **_QUANTITIES, "both": 2}
"""Words for numbers."""
_EVERY = frozenset(each("all every each"))
_ORDINALS = frozenset(
    each("first second third last next top bottom left right middle upper lower topmost highest lowest nearest closest")
)
OTHER_PLACES = {
    "above": Relation.ABOVE,
    "over": Relation.ABOVE,
    "between": Relation.BETWEEN,
    "opposite": Relation.IN_FRONT_OF,
    "across from": Relation.IN_FRONT_OF,
    "right by": Relation.NEAR,
    "beside of": Relation.NEAR,
    "alongside": Relation.NEAR,
    "adjacent to": Relation.NEAR,
    "on to": Relation.ON,
    "in to": Relation.IN,
    "against": Relation.NEAR,
    "to the side of": Relation.NEAR,
    "on the left side of": Relation.LEFT_OF,
    "on the right side of": Relation.RIGHT_OF,
    "to the top of": Relation.ON,
    "on the top of": Relation.ON,
}
PLACES = {**PLACED, **OTHER_PLACES}
del PLACES["at"]
EXCEPT = re.compile(
    r"(?:except(?: for)?|but(?: not)?(?! (?:only|also|just))|apart from|other than|besides|aside from|excluding"
    r"|save for)\b"
)
SAME_PLACE = re.compile(
    r"(?:(?:in|on|at|to) )?(?:the )?(?:very )?same (?:place|spot)\b|(?:in|on|over|up|down) (?:there|here)\b"
)
"""Where something else is, or was put."""
BACK = re.compile(
    r"(?:back )?(?:to )?(?:the (?:place|spot) )?where(?:ver)? (?:it|they|that|those|you) "
    r"(?:was|were|came from|belongs?|goes|go|stood|lay|had been|got|took|found|had|is kept|are kept|lives?)"
    r"(?: (?:it|them|that|those))?(?: from)?(?: before)?\b"
    r"|(?:back )?(?:to|in|into) (?:its|their) (?:old |former |previous |original |usual |own "
    r"|proper )?(?:places?|spots?)\b"
)
"""Where something goes that no word names: "where it was"."""
_RELATIVE = frozenset(each("that which who"))
_LYING = frozenset(
    each("lying sitting standing resting located placed kept stored left hanging lies sits stands hangs")
)
_BE = frozenset(each("is are was were 's"))
_TAIL = frozenset(
    each("used meant designed made suitable needed ideal perfect good useful intended worn to for where whose")
)
_SUBJECTS = frozenset(each("you i we people someone one"))
STOP_WORDS = (
    (PERSONS | QUESTION_WORDS | ADVERBS | set(AUXILIARIES) | {p.split()[0] for p in PLACES} | set(PARTICLES.split("|")))
    - _ORDINALS
    | frozenset(each("and or but if of to from with for than as because since until unless using not so while before"))
    | frozenset(
        each("after during without me us him myself there here instead at , together anyway through across past")
    )
    | frozenset(each("it them itself themselves is except afterwards afterward"))
)
"""Words that no noun phrase goes beyond, but for what follows its noun."""


@dataclass(frozen=True)
class Phrase:
    """A noun phrase that was read."""

    thing: Thing
    end: int
    """Index of the token after it."""
    contents: tuple[Thing, ...] = ()
    """What is said to be in or on it: "a bowl with a spoon in it"."""


@dataclass
class _Lead:
    """What is said before the noun."""

    every: bool = False
    other: bool = False
    definite: bool = False
    determined: bool = False
    owner: str = ""
    number: int = 0
    both: bool = False


class Phrases:
    """Reads the noun phrases of a text."""

    def __init__(
        self,
        tokens: Sequence[Token],
        lexicon: Lexicon,
        names: Names,
        is_word: Callable[[str], bool] = lambda word: False,
    ) -> None:
        """`names`: what things of this home are called besides; `is_word`: whether a word is English."""
        self.is_word = is_word
        self.words = [token.word for token in tokens]
        self._lexicon = lexicon
        self._names = names
        self._joined_names = {"".join(name): name for name in lexicon.nouns if len(name) > 1}

    def word(self, at: int) -> str:
        """Return a word, "" behind the end."""
        return self.words[at] if 0 <= at < len(self.words) else ""

    def preposition(self, at: int) -> tuple[Relation, int] | None:
        """Return the relation of a preposition of place, and the index after it."""
        at += self.word(at) in ("right", "directly") and self.preposition(at + 1) is not None
        for length in (5, 4, 3, 2, 1):
            if (relation := PLACES.get(" ".join(self.words[at : at + length]))) is not None:
                return relation, at + length
        return None

    def starts(self, at: int) -> bool:
        """Whether a noun phrase of known words begins here."""
        return self.read(at) is not None

    def read(self, at: int, *, bare: bool = False, after: bool = True) -> Phrase | None:
        """Return the noun phrase that begins at a token, None where none does.

        `bare`: whether unknown words without a determiner may be one; `after`: whether to read what follows the noun.
        """
        if SAME_PLACE.match(" ".join(self.words[at : at + 4])):
            return None
        free = self.word(at) in ("whatever", "what") and self.word(at + 1) in _BE | _LYING
        if free and (there := self.where(at + 2)) and (self.word(at) == "whatever" or self.word(there[1]) in _OBLIGED):
            return Phrase(Thing(text="everything", every=True, place=there[0]), there[1])
        if (
            self.word(at) == "whatever"
            and self.word(at + 1) in _SUBJECTS
            and (end := self._tail(at + 1, loose=True)) > at
        ):
            said = " ".join(self.words[at + 1 : end])  # "whatever YOU WOULD CUT BREAD WITH"
            return Phrase(Thing(text=f"thing {said}", definite=True), end)
        if self.words[at : at + 3] in (["the", "whole", "thing"], ["the", "whole", "lot"]):
            return Phrase(Thing(text="it", pronoun=True, every=True), at + 3)
        if self.words[at : at + 2] == ["one", "another"]:
            return Phrase(Thing(text="other", pronoun=True, other=True, plural=True), at + 2)
        lead, first = self._lead(at)
        if (part := self._part_of(first)) is not None:
            return self._after(part, "") if after else part
        head, pronoun = self._head(first, lead, bare)
        if head is None:
            found = pronoun or self._pronoun(at, first, lead)
            return found if found is None or not after else self._after(found, "")
        start, end, noun, last = head
        attributes = tuple(word for word in self.words[first:start] if word not in ("and", ","))
        text = " ".join((*self.words[first:start], last)).replace(" ,", ",")
        room, names = "", self._names.get(last, ())
        if tuple(last.split()) in self._lexicon.rooms and noun is None:
            room = last
        rooms = [n for n in range(1, start - first + 1) if tuple(self.words[start - n : start]) in self._lexicon.rooms]
        if rooms and noun is not None:
            room, attributes = (
                " ".join(self.words[start - rooms[-1] : start]),
                attributes[: len(attributes) - rooms[-1]],
            )
        known = noun is not None and not (noun.plural or noun.generic)
        thing = Thing(
            text=text,
            categories=names or (noun.categories if noun is not None else ()),
            loosely=noun.loosely if noun is not None else (),
            room=room,
            floor=last if last in ("upstairs", "downstairs") else "",
            attributes=attributes,
            owner=lead.owner,
            plural=(noun.plural if noun is not None else _plural(last)) and lead.number != 1,
            number=lead.number if not lead.both or noun is None or noun.plural else 0,  # "BOTH the cup and the mug"
            every=lead.every or last in ("everything", "all"),
            other=lead.other,
            definite=lead.definite or (known and not (lead.determined or lead.other)),  # "TV on please"
            pronoun=last in ("one", "ones", "other", "others"),
        )
        phrase = Phrase(thing, end)
        return self._after(phrase, last) if after else phrase

    def _part_of(self, at: int) -> Phrase | None:
        """Read a thing by the one that it is a part of: "the DESK'S LOWEST DRAWER"."""
        whole = (self.word(at).removesuffix("'s"),)
        is_part = self.word(at + 1) in PARTS and self._noun(at + 2) is None  # "the table's SURFACE"
        noun = self._lexicon.nouns.get(whole) if self.word(at).endswith("'s") and not is_part else None
        part = self.read(at + 1, bare=True, after=False) if noun is not None else None
        if noun is None or part is None or not part.thing.categories:
            return None
        of = Where(relation=Relation.NEAR, thing=Thing(text=whole[0], categories=noun.categories, definite=True))
        return Phrase(part.thing.model_copy(update={"place": of, "definite": True}), part.end)

    # --- before the noun

    def _lead(self, at: int) -> tuple[_Lead, int]:
        lead = _Lead()
        while (word := self.word(at)) or at < len(self.words):
            following = self.word(at + 1)
            if word in _EVERY and following not in STOPS:
                lead.every, lead.determined = True, True
            elif word == "both" and following and following not in (STOP_WORDS | STOPS) - {"of"}:
                lead.number, lead.definite, lead.determined = 2, True, following == "of"
                lead.both = not lead.determined
            elif word in ("another", "other") or (
                word in ("different", "new")
                and not lead.definite
                and (lead.determined or (word == "different" and following.endswith("s")))
            ):
                lead.other = True
            elif word in ("the", "this", "that", "these", "those"):
                lead.definite = lead.determined = True
            elif word in _OWNERS:
                lead.owner, lead.definite, lead.determined = _OWNERS[word], True, True
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
                or (not lead.determined and self._noun(at + 1) is not None)
            ):
                lead.number, lead.determined = number, True
            elif (
                word == "of"
                and lead.determined
                and at
                and self.word(at - 1)
                in (_EVERY | set(NUMBERS) | set(_QUANTITIES) | {"both", "some", "any", "rest", "remainder", "one"})
            ):
                pass
            elif word.endswith("'s") and word.removesuffix("'s") in _TIMES:
                lead.determined = True
            elif word.endswith("'s") and (word.removesuffix("'s"),) in self._lexicon.nouns:
                break  # "the toilet's tank"
            elif word.endswith("'s") and len(word) > 2:
                lead.owner, lead.definite, lead.determined = word.removesuffix("'s"), True, True
            else:
                break
            at += 1
        return lead, at

    # --- the noun

    def _head(
        self, first: int, lead: _Lead, bare: bool
    ) -> tuple[tuple[int, int, Noun | None, str] | None, Phrase | None]:
        """Return (start, end, noun, words) of the noun."""
        at, found = first, None
        while at < len(self.words) and at - first <= _LONGEST + 1:
            word = self.words[at]
            beside = word == "next" and self.preposition(at) is not None
            if at > first and (beside or self.words[at : at + 3] == ["side", "by", "side"]):
                break
            noun = self._noun(at)
            if noun is not None:
                length, of, said = noun
                adjective = length == 1 and self._adjective(at) and self._goes_on(at + 1, found is not None)
                adjective = adjective or self._shade(at)
                if not adjective:
                    found = (at, at + length, of, said)
                    at += length
                    continue
            if found is not None:
                named = (lead.determined or bare) and self._strange(at) and word not in _RESULTS
                named = named and not word.endswith("ing")  # "with the lamp SHINING on it"
                if named and self._ends_phrase(at + 1):
                    found = None  # "the beverage holder" is no beverage
                    at += 1
                break
            joins = word in ("and", ",") and at > first and self._adjective(at - 1) and self._adjective(at + 1)
            known = self._adjective(at) or word in _ORDINALS
            if word == "left" and at > first and not self._adjective(at - 1):
                break  # "any milk left"
            if (word, self.word(at + 1)) in self._lexicon.states:
                at += 2  # "a rinsed off bar of soap"
                continue
            strange = (
                (lead.determined or bare)
                and word not in STOP_WORDS | STOPS | DETERMINERS
                and word.replace("-", "").isalpha()
            )
            strange = strange and not (at > first and self._tells(at)) and word not in _INTERJECTIONS
            acts = verb_at(self.words, at) if at > first and strange else None
            past = at > first and (word.endswith("ed") or BASES.get(word, word) != word)
            if acts is not None and self.word(at + acts.length) in DETERMINERS | {"it", "them"}:
                break
            if past and not known and self.word(at + 1) in STOPS | DETERMINERS | PERSONS | {"", ",", "me", "it"}:
                break  # "my boss CALLED"
            if not (joins or known or strange):
                break
            at += 1
        if found is not None:
            start, end, of, said = found
            return (start, end, of, said), None
        while at > first and self.words[at - 1] in (",", "and"):
            at -= 1
        while at > first and self.words[at - 1] in ("off", "up"):
            at -= 1
        at -= at > first + 1 and self.words[at - 1] in ("first", "next", "last")  # "give it a rinse FIRST"
        unknown = [word for word in self.words[first:at] if not self._known_adjective(word)]
        if unknown and at > first and not self._known_adjective(self.words[at - 1]):
            return (at - 1, at, None, self.words[at - 1]), None
        return None, None

    def _strange(self, at: int) -> bool:
        """Whether a word is no known one."""
        word = self.word(at)
        known = (
            word in STOP_WORDS | STOPS | _TIMES | _INTERJECTIONS | {"next"}
            or word.endswith("ly")
            or self._noun(at) is not None
        )
        acts = (
            verb_at(self.words, at) is not None or word.endswith("s") or self._known_adjective(word) or self._tells(at)
        )
        return word.isalpha() and not known and not acts and self.is_word(word)

    def _ends_phrase(self, at: int) -> bool:
        word = self.word(at)
        ends = STOPS | set(each("and for from with to of off as by while")) | {"", ","}
        return word in ends or self.preposition(at) is not None

    def _goes_on(self, at: int, found: bool) -> bool:
        """Whether a noun phrase goes on: "the clean cup", but "the light"."""
        return not found and at < len(self.words) and (self._noun(at) is not None or self.word(at) in ("one", "ones"))

    def _adjective(self, at: int) -> bool:
        return self._shade(at) or self._known_adjective(self.word(at)) or self.word(at) in _ORDINALS

    def _shade(self, at: int) -> bool:
        return self.word(at) in _SHADES and self.word(at + 1) in self._lexicon.colours

    def _known_adjective(self, word: str) -> bool:
        told = word in self._lexicon.colours or (word,) in self._lexicon.states
        past = base_form(word) in STATES and base_form(word) != word
        return told or past or word in PLAIN_ADJECTIVES

    def _tells(self, at: int) -> bool:
        """Whether a participle behind the noun begins what is said of it: "the device USED for"."""
        following = self.word(at + 1)
        return self.words[at].endswith(("ed", "en", "worn", "made", "kept", "left")) and following in (
            {"to", "for", "as", "by", "with"} | {p.split()[0] for p in PLACES}
        )

    def _noun(self, at: int) -> tuple[int, Noun | None, str] | None:
        """Return (length, noun, words) of the longest noun at a token; no noun for rooms, generic words, floors."""
        for length in range(min(_LONGEST, len(self.words) - at), 0, -1):
            words = tuple(self.words[at : at + length])
            said = " ".join(words)
            if "|" in said and length == 1:
                return 1, Noun((said.split("|")[0],)), said
            owner = (said.removesuffix("'s"),)
            part = said.endswith("'s") and owner in self._lexicon.nouns and self.word(at + length) in PARTS
            if part and self._noun(at + length + 1) is None:
                return length + 1, self._lexicon.nouns[owner], owner[0]  # "the toilet's tank"
            if said in self._names:
                return length, Noun(self._names[said]), said
            if words in self._lexicon.nouns:
                return length, self._lexicon.nouns[words], said
            whole = self._lexicon.nouns.get(words[:-1]) if length > 1 and words[-1] in _OUTSIDES else None
            if whole is not None and (words[-1] in ("door", "lid") or not self._portable(whole)):
                return length, whole, " ".join(words[:-1])  # "the fridge door"
            group = length > 1 and words[-1] in GROUPS and verb_at(words, length - 1) is None
            several = self._lexicon.nouns.get(words[:-1]) if group else None
            if several is not None:
                return length, replace(several, plural=words[-1].endswith("s")), said  # "two key SETS"
            if length == 1 and (apart := self._joined_names.get(said)) is not None:  # "garbagecan"
                return length, self._lexicon.nouns[apart], " ".join(apart)
            if words in self._lexicon.rooms or said in ("upstairs", "downstairs"):
                slash = 2 if self.word(at + length) == "/" else 0  # "the laundry room/mudroom"
                return length + slash, None, said
        word, before, following = self.word(at), self.word(at - 1), self.word(at + 1)
        listed = before == "," and following in (",", "and")
        if word == "can" and (before in DETERMINERS or listed or self._known_adjective(before)) and following != "be":
            return 1, None, word  # "a kettle, can, and plate"
        if (
            word in PEOPLE
            or word in GENERIC
            or word in ("one", "ones", "other", "others", "rest")
            or word in _PLACE_NOUNS
        ):
            return 1, None, word
        if (word in PARTS | PORTIONS | GROUPS) and (self.word(at + 1) == "of" or word in PORTIONS):
            return 1, None, word
        return None

    def _portable(self, noun: Noun) -> bool:
        return any(self._lexicon.can(category, "pickup") for category in noun.categories)

    def _pronoun(self, at: int, first: int, lead: _Lead) -> Phrase | None:
        """Return a pronoun: it, those, both, all of them, the other."""
        word = self.word(at)
        last = self.word(first)
        if last in _PRONOUNS or (last == "all" and first == at):
            end = first + 1
            every = last == "all" or lead.every
            together = last in ("them", "these", "those", "it") and self.word(end) in ("both", "all")
            end += together
            plural = last in _MANY or last == "all" or together
            if last == "all":
                return Phrase(Thing(text="everything", every=True), end)
            number = lead.number if not lead.both else 0
            said = "them" if together else "it" if last == "him" else last
            thing = Thing(text=said, pronoun=True, plural=plural, number=number, every=every, other=lead.other)
            return Phrase(thing, end)
        if lead.other and first > at:
            plural = self.word(first - 1) == "others"
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

    # --- behind the noun

    def _after(self, phrase: Phrase, head: str) -> Phrase:
        """Read what follows a noun."""
        thing, at, contents = phrase.thing, phrase.end, list(phrase.contents)
        loose = thing.room == "" and (not thing.categories or self._generic(head)) and not thing.pronoun
        while at < len(self.words):
            word = self.word(at)
            rest = " ".join(self.words[at : at + 3])
            quality = (self._strange(at) and word not in _RELATIVE) or (
                self._known_adjective(word) and self._ends_phrase(at + 1)
            )
            if head in ("something", "anything", "everything") and at == phrase.end and quality:
                thing, at = thing.model_copy(update={"text": f"{thing.text} {word}"}), at + 1
                continue
            if head in GENERIC and word == "else":
                thing, at = thing.model_copy(update={"other": thing.every}), at + 1
                continue
            if word == "," and (told := self.told_between_commas(at)) > at:
                said = " ".join(self.words[at + 1 : told - 1])
                thing, at = thing.model_copy(update={"text": f"{thing.text} {said}"}), told
                continue
            if word.isdigit() and (self.word(at + 1) in STOPS | {"", ",", "and", "from"} or self.preposition(at + 1)):
                thing, at = thing.model_copy(update={"text": f"{thing.text} {word}"}), at + 1  # "the orchid pot 85"
                continue
            if word == "of" and (inner := self._of(thing, head, at)) is not None:
                thing, at = inner
                continue
            has = at + (word in _RELATIVE and self.word(at + 1) in ("has", "have", "had"))  # "THAT HAS a fork in it"
            if (word in ("with", "containing", "holding") or has > at) and (held := self.held(has)) is not None:
                contents += held[0]
                at = held[1]
                continue
            if (left_out := EXCEPT.match(rest)) is not None and (thing.every or thing.plural):
                others, end = self.list(at + len(left_out[0].split()))
                if not others:
                    break
                thing, at = thing.model_copy(update={"but": tuple(one.thing for one in others), "every": True}), end
                continue
            other = self._apposed(at)
            if other is not None:
                thing = thing.model_copy(update={"attributes": (*thing.attributes, *other.thing.attributes)})
                at = other.end + (self.word(other.end) == ",")  # "the rag, THE RED ONE,"
                continue
            if word == "where" and thing.place is None and (beside := self._beside(at)) is not None:
                thing, at = thing.model_copy(update={"place": beside[0]}), beside[1]
                continue
            made = self.word(at) in ("made", "built") and self.word(at + 1) in ("of", "from")
            material = self.read(at + 2, bare=True, after=False) if made else None
            if material is not None and not material.thing.categories:
                said = " ".join(self.words[at : material.end])  # "the table MADE OF WOOD"
                thing, at = thing.model_copy(update={"attributes": (*thing.attributes, said)}), material.end
                continue
            place = self._being_there(at)
            if place is not None and thing.place is None:
                where, at, denied = place
                if isinstance(where, Where) and denied:  # "the cup THAT IS NOT on the table"
                    thing = thing.model_copy(update={"but": (thing.model_copy(update={"place": where}),)})
                elif isinstance(where, Where):
                    thing = thing.model_copy(update={"place": where})
                else:
                    thing = thing.model_copy(update={"attributes": (*thing.attributes, where)})
                    while self.word(at) == "and" and self._known_adjective(self.word(at + 1)):
                        thing = thing.model_copy(update={"attributes": (*thing.attributes, self.word(at + 1))})
                        at += 2  # "that is blue AND YELLOW"
                continue
            tail = self._tail(at, loose) if not thing.pronoun or thing.text in ("one", "ones") else at
            if tail > at:
                more = " ".join(self.words[at:tail]).replace(" ,", ",")
                thing, at = thing.model_copy(update={"text": f"{thing.text} {more}"}), tail
                if loose:
                    thing = thing.model_copy(update={"categories": (), "loosely": ()})
                continue
            if rest in ("it is in", "it is on", "it is at"):  # "whichever cupboard it is in"
                at += 3
                continue
            break
        return Phrase(thing, at, tuple(contents))

    def told_between_commas(self, at: int) -> int:
        """Return the index after ", WHICH IS A GIFT FROM MY AUNT,"; `at` where a comma begins nothing like that."""
        if self.word(at + 1) not in ("which", "who") or self.word(at + 2) not in ("is", "was", "are", "were"):
            return at
        end = next((i for i in range(at + 3, len(self.words)) if self.words[i] == "," or self.words[i] in STOPS), at)
        return end + 1 if end > at and self.word(end) == "," and self.word(end + 1) in PLACES_FROM else at

    def _apposed(self, at: int) -> Phrase | None:
        """Return "the red one" behind a comma, which tells the thing before it from others."""
        if self.word(at) != "," or self.word(at + 1) != "the" or not self._adjective(at + 2):
            return None
        phrase = self.read(at + 1, after=False)
        return phrase if phrase is not None and phrase.thing.text.endswith(" one") else None

    def _beside(self, at: int) -> tuple[Where, int] | None:
        """Return what is said to be at the same place, and the index after that: "the table WHERE THE BREAD IS"."""
        other = self.read(at + 1, bare=False, after=False)
        if other is None or not other.thing.categories or self.word(other.end) not in _BE:
            return None
        if self.word(other.end + 1) not in STOPS | {"", ",", "and", "then", "please", "now"}:
            return None  # "the basin where dishes ARE WASHED"
        return Where(relation=Relation.NEAR, thing=other.thing), other.end + 1

    def _generic(self, head: str) -> bool:
        noun = self._lexicon.nouns.get(tuple(head.split()))
        return noun is not None and noun.generic

    def _of(self, thing: Thing, head: str, at: int) -> tuple[Thing, int] | None:
        """Read "of" and what follows: "rolls of paper", "back of the toilet", "glass of water"."""
        following = self.word(at + 1)
        if following in LIQUIDS and not thing.room:
            text = f"{thing.text} of {following}"
            return thing.model_copy(update={"text": text}), at + 2
        inner = self.read(at + 1, bare=True)
        if inner is None:
            return None
        named = (*inner.thing.text.split(), head)  # "the curtain of the shower"
        noun = self._lexicon.nouns.get(named) if thing.categories else None
        if noun is not None and noun.categories != thing.categories:
            told = {"text": " ".join(named), "categories": noun.categories, "loosely": noun.loosely}
            return thing.model_copy(update=told), inner.end
        stems = (head, head.removesuffix("er"), head.removesuffix("r"))
        if not thing.categories and (any(map(self._known_adjective, stems)) or head in _FRACTIONS):
            return None  # "the smaller of the boxes", "the left half of the table"
        if not thing.categories and head not in PARTS | GROUPS | PORTIONS | _PLACE_NOUNS:
            said = " ".join(self.words[at : inner.end])  # "the source of light"
            return thing.model_copy(update={"text": f"{thing.text} {said}"}), inner.end
        if not thing.categories or head in PARTS:
            of = inner.thing
            text = f"{thing.text} of {of.text}" if head in PORTIONS else of.text
            more = {
                "text": text,
                "attributes": (*(word for word in thing.attributes if word not in head), *of.attributes),
                "number": thing.number or of.number,
                "every": thing.every or of.every,
                "definite": thing.definite or of.definite,
                "plural": of.plural if head in PARTS else (thing.plural or (of.plural and head not in PORTIONS)),
                "other": thing.other,
            }
            return of.model_copy(update=more), inner.end
        place = Where(relation=Relation.NEAR, thing=inner.thing)
        return thing.model_copy(update={"place": place}), inner.end

    def held(self, at: int) -> tuple[list[Thing], int] | None:
        """Read "with a spoon in it", "containing a knife and a fork"."""
        inner, end = self.list(at + 1)
        if not inner:
            return None
        word = self.word(at)
        while self.word(end) in ADVERBS or self.word(end).endswith("ing"):  # "STILL in it", "SHINING on it"
            end += 1
        shown = self.word(end) in ("in", "inside", "on") and (
            self.word(end + 1) in ("it", "them") or self.word(end) == "inside"
        )
        if shown:
            named = [one.thing for one in inner if not one.thing.pronoun]  # "the mug WITH IT INSIDE": it was put there
            return named, end + (2 if self.word(end + 1) in ("it", "them") else 1)
        if word == "containing":
            return [one.thing for one in inner], end
        return None

    def _being_there(self, at: int) -> tuple[Where | str, int, bool] | None:
        """Read "that is on the table", "which is not dirty"; return the place or the state, and if denied."""
        begin = at
        if self.word(at) in _RELATIVE and self.word(at + 1) in _BE:
            at += 2
        elif self.word(at) in _RELATIVE and self.word(at + 1) in _LYING:
            at += 1
        elif self.word(at) not in _LYING:
            return None
        denied = self.word(at) == "not"
        at += denied
        while self.word(at) in ADVERBS | {"currently", "lying", "sitting", "standing", "resting", "located", "placed"}:
            at += 1
        while self.word(at) in _LYING:
            at += 1
        if (there := self.where(at)) is not None:
            return *there, denied
        state = STATES.get(base_form(self.word(at)), "") if at > begin + 1 else ""
        opposite = SHOWN[state][2] if state and denied else ""
        if state and " " not in opposite:
            return opposite or self.word(at), at + 1, denied
        if at > begin + 1 and not denied and self.word(at) in self._lexicon.colours:
            return self.word(at), at + 1, denied
        return None

    def where(self, at: int, *, bare: bool = True) -> tuple[Where, int] | None:
        """Read a preposition and its place."""
        preposition = self.preposition(at)
        place = self.read(preposition[1], bare=bare) if preposition is not None else None
        if preposition is None or place is None:
            return None
        return Where(relation=preposition[0], thing=place.thing), place.end

    def _tail(self, at: int, loose: bool) -> int:
        """Return the index after what is said of a noun: "used to cut bread", "that I used"; `at` for none."""
        word, following = self.word(at), self.word(at + 1)
        if BACK.match(" ".join(self.words[at : at + 6])) or (word == "i" and following in ("mean", "meant")):
            return at
        relative = (
            word in _RELATIVE | {"where", "whose"}
            or (word in _SUBJECTS and following not in AUXILIARIES and following.isalpha() and (word != "one" or loose))
            or (word in _SUBJECTS and self.word(at - 1) == "whatever")
            or (word in _OWNERS and any(self.finite(i) for i in (at + 2, at + 3)))  # "the cup MY SISTER GAVE me"
            or (word in ("i", "we", "you") and following in ("was", "were", "have", "had", "am", "is", "are"))
        )
        verb = verb_at(self.words, at + 1)
        begins = relative or (
            loose
            and (
                (word in _TAIL - {"to", "for"})
                or (word == "to" and (verb is not None or following in _USES) and self.word(at + 1) not in DETERMINERS)
                or (word == "for" and following not in ("me", "us", "it", "him", "her", "a", "the", "my"))
                or (word == "for" and following.endswith("ing"))
                or (
                    word.endswith(("ed", "ing", "worn", "rung"))
                    and word not in STOP_WORDS
                    and following not in STOPS | {"", ","}
                )
                or (word in ("with",) and self._looks(at + 1))
            )
        )
        if not begins:
            return at
        participle = word.endswith(("ed", "rn", "ing")) or word in _TAIL
        end = at + 1
        while end < len(self.words) and end - at < 14:
            here, then = self.word(end), self.word(end + 1)
            if here in STOPS or here == "," or here in ("then", "before", "after", "while", "if", "unless", "because"):
                break
            if here in AUXILIARIES and not relative:
                break
            if here in _OBLIGED and end > at + 1:  # "the thing that rings SHOULD be washed"
                break
            place = self.preposition(end)
            if here == "with" and end > at + 1:
                ends = then in STOPS | {"", ",", "and"} or self.preposition(end + 1) is not None
                end += ends  # "the thing you cut bread WITH"
                break
            known = self.read(end + 1, after=False) if here in ("from", "to") else None
            infinitive = here == "to" and verb_at(self.words, end + 1) is not None and then not in DETERMINERS
            named = known is not None and (known.thing.categories or known.thing.room or known.thing.pronoun)
            if place is None and named and not infinitive:
                break
            if place is not None:
                if participle and end == at + 1:  # "worn on the wrist"
                    inner = self.read(place[1], bare=True, after=False)
                    end = inner.end if inner is not None else place[1]
                    continue
                if self.word(place[1]) and self.word(place[1]) not in STOPS | {",", "and"}:
                    break
                end = place[1]
                break
            end += 1
        return at if {"not", "never"} & {*self.words[at:end]} else end

    def _looks(self, at: int) -> bool:
        inner = self.read(at, bare=True, after=False)
        return inner is not None and not inner.thing.categories

    def _verb_follows(self, at: int) -> bool:
        verb = verb_at(self.words, at)
        return verb is not None and verb.form == "base"

    def says(self, phrase: Phrase) -> bool:
        """Whether something is said of a noun phrase right behind it: "the cup IS dirty", "CUP IN, lights OFF"."""
        ends = self.word(phrase.end + 1) in STOPS | {"", ",", "and", "please"}
        return self.finite(phrase.end) or (
            ends and self.word(phrase.end) in (*PARTICLES.split("|"), "in", "open", "shut")
        )

    def finite(self, at: int) -> bool:
        """Whether a verb stands here that says something of the subject before it."""
        word = self.word(at)
        if (word in AUXILIARIES and self.word(at + 1) not in PERSONS) or word in (
            "not",
            "always",
            "never",
            "usually",
            "often",
            "just",
            "really",
        ):
            return True
        base = self.word(at - 1) in ("i", "we", "they", "who", "people") or word in TELLING
        verbal = word.isalpha() and len(word) > 2 and word not in STOP_WORDS and self.preposition(at) is None
        ends = word.endswith(("s", "ed")) or base or BASES.get(word, word) != word
        return verbal and ends and self.read(at, after=False) is None

    # --- several

    def list(self, at: int, *, bare: bool = True) -> tuple[list[Phrase], int]:
        """Return noun phrases joined by "and" and commas, and the index after them."""
        found: list[Phrase] = []
        end = at
        while (phrase := self.read(at, bare=bare)) is not None:
            apart = self.word(at - 1) == "," and self.says(phrase)  # "the mug, MUM SAID so"
            called = self.word(at - 1) == "," and phrase.end == at + 1 and self.word(phrase.end) in STOPS | {""}
            called = called and not (phrase.thing.categories or phrase.thing.room or phrase.thing.pronoun)
            if found and (
                apart or (called and len(found) == 1) or (phrase.thing.pronoun and self.word(phrase.end) in AUXILIARIES)
            ):
                break  # "…, LOVE": who is spoken to
            if not (found and phrase.thing.text == "both"):
                found.append(phrase)
            at = end = phrase.end
            joins = 0
            while (joint := _JOINTS.match(" ".join(self.words[at : at + 3]))) is not None:
                at += len(joint[0].split())
                joins += 1
            if not joins:
                break
            acts = verb_at(self.words, at)
            if acts is not None and acts.form != "base" and self._noun(at) is None:
                break
            noun = self._noun(at)
            named = noun is not None and (
                noun[0] > 1 or self.word(at + 1) in STOPS | {"", ",", "and", "go", "goes", "on", "in", "into", "off"}
            )
            switched = acts is not None and acts.sense == "switch" and self.word(at + 1) in ("on", "off")
            if self._verb_follows(at) and (switched or not named):
                break  # "the laptop AND SWITCH ON the TV"
        return found, end


_TIMES = frozenset(
    each(
        "along together around somewhere anywhere everywhere someplace closer nearer further higher day"
        " today yesterday tomorrow tonight morning evening afternoon night week later soon day's"
    )
)
PLACES_FROM = frozenset(each("from to on in into onto at and next"))
"""What goes on with a request behind what was told between commas."""
_SHADES = frozenset(each("light dark pale bright deep"))
"""Words before a colour: "the LIGHT green jug"."""
_RESULTS = frozenset(each("wide tight upright sideways backwards halfway together apart steady quick fast alone"))
"""How something is done, or is then, and no noun."""
_OBLIGED = frozenset(each("should must shall ought needs goes belongs would has can"))
_INTERJECTIONS = frozenset(
    each("goes go belong belongs stays live lie haha hahaha lol hihi please thanks dear mate ok okay xd hmm")
)
_JOINTS = re.compile(r"(?:,|and|plus|as well as|along with|together with)(?= |$)")
_OUTSIDES = frozenset(each("door lid top surface seat"))
_FRACTIONS = frozenset(each("half halves third thirds quarter quarters"))
_PLACE_NOUNS = frozenset(each("place spot space area location position side"))
_USES = frozenset(each("eat drink write draw sleep sit wear play pay tell wipe dry wake call dig drink"))


def _digits(word: str) -> int:
    return int(word) if word.isdecimal() and 0 < int(word) <= 50 else 0


def _plural(noun: str) -> bool:
    return (noun.endswith("s") and not noun.endswith("ss")) or noun in ("things", "everything")
