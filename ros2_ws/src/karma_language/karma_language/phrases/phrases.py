# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Noun phrases with all that belongs to them: determiners, adjectives, what follows the noun."""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Sequence
from dataclasses import replace

from karma_language.phrases.nouns import FLOOR, MINE, PLACE_NOUNS, Names, Nouns, Phrase
from karma_language.phrases.predicates import OBLIGED, RELATIVE, Predicates
from karma_language.phrases.set_phrases import EXCEPT, SAME_PLACE
from karma_language.phrases.sparing import spared
from karma_language.phrases.text import Text
from karma_language.things import Relation, Thing, Where
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.vocabulary.states import STATES as SHOWN
from karma_language.vocabulary.tokens import STOPS, Token
from karma_language.vocabulary.verbs import verb_at
from karma_language.vocabulary.words import (
    ADVERBS,
    AUXILIARIES,
    GENERIC,
    GROUPS,
    LIQUIDS,
    PARTS,
    PORTIONS,
    STATES,
    base_form,
    each,
)

_LYING = frozenset(
    each("lying sitting standing resting located placed kept stored left hanging lies sits stands hangs")
)
_BE = frozenset(each("is are was were 's"))
_MOVING = ("put", "return", "tidy", "bring", "take", "get", "give", "clean", "discard")
"""Senses of verbs that do something with things."""


_NO_THINGS = frozenset(each("alone now then too"))  # behind "Tom's"


class Phrases(Text):
    """A text with the noun phrases that begin at its words."""

    def __init__(self, tokens: Sequence[Token], lexicon: Lexicon, names: Names, is_word: Callable[[str], bool]) -> None:
        """`names`: what things of this home are called besides; `is_word`: whether a word is English."""
        super().__init__(tokens)
        self.is_word = is_word
        self._tokens = tokens
        self._lexicon = lexicon
        self._names = names
        # No cycles: words of who is erased would stay until the collector comes, or for good.
        text, me = Text(tokens), weakref.proxy(self)
        self._nouns = Nouns(text, lexicon, names, is_word)
        self.predicates = Predicates(text, lambda at, bare: me.read(at, bare=bare, after=False))

    def until(self, end: int) -> Phrases:
        """Return the same text, which ends before a token."""
        return Phrases(self._tokens[:end], self._lexicon, self._names, self.is_word)

    def starts(self, at: int) -> bool:
        """Whether a noun phrase of known words begins here."""
        return self.read(at) is not None

    def read(self, at: int, *, bare: bool = False, after: bool = True) -> Phrase | None:
        """Return the noun phrase that begins at a token, None where none does.

        `bare`: whether unknown words without a determiner may be one; `after`: whether to read what follows the noun.
        """
        if SAME_PLACE.match(self.rest(at, 4)):
            return None
        free = self.word(at) in ("whatever", "what") and self.word(at + 1) in _BE | _LYING
        moved = free and _moves(self.words, at - 1)  # "move WHAT IS ON THE TABLE"
        if (
            free
            and (there := self.where(at + 2))
            and (self.word(at) == "whatever" or moved or self.word(there[1]) in OBLIGED)
        ):
            return Phrase(Thing(text="everything", every=True, place=there[0]), there[1])
        if self.words[at : at + 2] == ["one", "another"]:
            return Phrase(Thing(text="other", pronoun=True, other=True, plural=True), at + 2)
        if (owner := MINE.get(self.word(at), "")) and self.word(at) not in ("his", "yours"):
            own = Phrase(Thing(text=self.word(at), pronoun=True, owner=owner, definite=True), at + 1)
            return self._after(own, "") if after else own
        lead, first = self._nouns.lead(at)
        head = self._nouns.head(first, lead, bare)
        if lead.owner and self.word(first - 1).endswith("'s") and (head is None or self.word(first) in _NO_THINGS):
            theirs = Phrase(
                Thing(text="one", pronoun=True, owner=lead.owner, definite=True), first
            )  # "put TOM'S there"
            return self._after(theirs, "") if after else theirs
        if head is None:
            pronoun = self._nouns.pronoun(at, first, lead)
            return pronoun if pronoun is None or not after else self._after(pronoun, "")
        start, end, noun, last = head
        if lead.every and last == "one" and start == first:  # "EACH ONE", "EVERY SINGLE ONE"
            them = Phrase(Thing(text="them", pronoun=True, plural=True, every=True), end)
            return self._after(them, "") if after else them
        if noun is not None and not noun.plural and "pair" in self.words[at:first]:
            lead.number = 0  # "a PAIR OF scissors"
        attributes = tuple(word for word in self.words[first:start] if word not in ("and", ","))
        text = " ".join((*self.words[first:start], last)).replace(" ,", ",")
        room, names = self._nouns.room(last.split()) if noun is None else "", self._names.get(last, ())
        rooms = [n for n in range(1, start - first + 1) if tuple(self.words[start - n : start]) in self._lexicon.rooms]
        if rooms and (noun is not None or last in ("one", "ones")):
            room = " ".join(self.words[start - rooms[-1] : start])
            attributes = attributes[: len(attributes) - rooms[-1]]
        known = noun is not None and not (noun.plural or noun.generic)
        floor, whose = FLOOR.fullmatch(last), Thing(text=lead.room, room=lead.room, definite=True)
        thing = Thing(
            text=text,
            categories=names or (noun.categories if noun is not None else ()),
            loosely=noun.loosely if noun is not None else (),
            room=room,
            floor=floor[1] or floor[2] if floor is not None else "",
            attributes=attributes,
            owner=lead.owner,
            place=Where(relation=Relation.IN, thing=whose) if lead.room else None,
            plural=(noun.plural if noun is not None else floor is None and _plural(last)) and lead.number != 1,
            number=lead.number if not lead.both or noun is None or noun.plural else 0,  # "BOTH the cup and the mug"
            limit=lead.limit,
            every=lead.every or last in ("everything", "all"),
            other=lead.other,
            definite=lead.definite or (known and not (lead.determined or lead.other)),  # "TV on please"
            pronoun=last in ("one", "ones", "other", "others"),
        )
        phrase = Phrase(thing, end)
        return self._after(phrase, last) if after else phrase

    # --- behind the noun

    def _after(self, phrase: Phrase, head: str) -> Phrase:
        """Read what follows a noun."""
        thing, at, contents = phrase.thing, phrase.end, list(phrase.contents)
        loose = thing.room == "" and (not thing.categories or self._generic(head)) and not thing.pronoun
        while at < len(self.words):
            word = self.word(at)
            rest = self.rest(at, 3)
            quality = (self._nouns.strange(at) and word not in RELATIVE) or (
                self._nouns.known_adjective(word) and self._nouns.ends_phrase(at + 1)
            )
            if head in ("something", "anything", "everything") and at == phrase.end and quality:
                thing, at = thing.model_copy(update={"text": f"{thing.text} {word}"}), at + 1
                continue
            if head in GENERIC and word == "else":
                thing, at = thing.model_copy(update={"other": thing.every}), at + 1
                continue
            if word == "," and (told := self.told_between_commas(at)) > at:
                text = " ".join((thing.text, *self.words[at + 1 : told - 1]))
                thing, at = thing.model_copy(update={"text": text}), told
                continue
            if word.isdigit() and (self.word(at + 1) in STOPS | {"", ",", "and", "from"} or self.preposition(at + 1)):
                thing, at = thing.model_copy(update={"text": f"{thing.text} {word}"}), at + 1  # "the orchid pot 85"
                continue
            if (owned := self.owned(Phrase(thing, at))).end > at:
                thing, at = owned.thing, owned.end
                continue
            if word == "of" and (inner := self._of(thing, head, at)) is not None:
                thing, at = inner
                continue
            has = at + (word in RELATIVE and self.word(at + 1) in ("has", "have", "had"))  # "THAT HAS a fork in it"
            if (word in ("with", "containing", "holding") or has > at) and (held := self.held(has)) is not None:
                contents += held[0]
                at = held[1]
                continue
            if (left_out := EXCEPT.match(rest)) is not None:
                several, (others, end) = thing.every or thing.plural, self.list(at + len(left_out[0].split()))
                theirs = bool(others) and all(one.thing.pronoun and one.thing.owner for one in others)
                if not theirs and not (several and (others or self.where(end))):
                    break
                thing, at = spared(thing, others, end, self.where, placed=False)
                thing = thing.model_copy(update={"every": thing.every and several})  # "ANY mug but Tom's" is one
                continue
            if (other := self._apposed(at)) is not None:
                looks = (*thing.attributes, *other.thing.attributes)
                thing = thing.model_copy(update={"attributes": looks, "place": other.thing.place or thing.place})
                at = other.end + (self.word(other.end) == ",")  # "the rag, THE RED ONE,"
                continue
            if word == "where" and thing.place is None and (beside := self._beside(at)) is not None:
                thing, at = thing.model_copy(update={"place": beside[0]}), beside[1]
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
                    while self.word(at) == "and" and self._nouns.known_adjective(self.word(at + 1)):
                        thing = thing.model_copy(update={"attributes": (*thing.attributes, self.word(at + 1))})
                        at += 2  # "that is blue AND YELLOW"
                continue
            tail = self.predicates.tail(at, loose) if not thing.pronoun or thing.text in ("one", "ones") else at
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

    def owned(self, phrase: Phrase) -> Phrase:
        """Return a phrase with whose its thing is by what follows: "a mug OF MINE"."""
        if self.word(phrase.end) == "of" and (who := MINE.get(self.word(phrase.end + 1))) is not None:
            return replace(phrase.told(owner=who, definite=True), end=phrase.end + 2)
        return phrase

    def leaves_out(self, at: int) -> bool:
        """Whether a word goes on with what is left out: "everything BUT the mug", "all but Tom's AND Anna's"."""
        word, before = self.word(at), self.word(at - 1)
        if word == "but" and before in ("all", "each", "every", "everything", "anything", "nothing"):
            return True
        theirs = self.read(at + 1) if word == "but" or before.endswith("'s") else None
        owned = theirs is not None and theirs.thing.pronoun and bool(theirs.thing.owner)
        return owned and verb_at(self.words, theirs.end if theirs is not None else at) is None

    def told_between_commas(self, at: int) -> int:
        """Return the index after ", WHICH IS A GIFT FROM MY AUNT,"; `at` where a comma begins nothing like that."""
        if self.word(at + 1) not in ("which", "who") or self.word(at + 2) not in ("is", "was", "are", "were"):
            return at
        end = next((i for i in range(at + 3, len(self.words)) if self.words[i] == "," or self.words[i] in STOPS), at)
        return end + 1 if end > at and self.word(end) == "," and self.word(end + 1) in PLACES_FROM else at

    def _apposed(self, at: int) -> Phrase | None:
        """Return "the red one", or "the one on the bed", behind a comma: it tells the thing before it from others."""
        if self.words[at : at + 2] != [",", "the"]:
            return None
        if self.word(at + 2) == "one" and (there := self.where(at + 3)) is not None:
            return Phrase(Thing(text="one", place=there[0]), there[1])
        phrase = self.read(at + 1, after=False) if self._nouns.adjective(at + 2) else None
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
            return thing.model_copy(update={"text": f"{thing.text} of {following}"}), at + 2
        inner = self.read(at + 1, bare=True)
        if inner is None:
            return None
        named = (*inner.thing.text.split(), head)  # "the curtain of the shower"
        noun = self._lexicon.nouns.get(named) if thing.categories else None
        if noun is not None and noun.categories != thing.categories:
            told = {"text": " ".join(named), "categories": noun.categories, "loosely": noun.loosely}
            return thing.model_copy(update=told), inner.end
        stems = (head, head.removesuffix("er"), head.removesuffix("r"))
        if not thing.categories and (any(map(self._nouns.known_adjective, stems)) or head in _FRACTIONS):
            return None  # "the smaller of the boxes", "the left half of the table"
        if not thing.categories and head not in PARTS | GROUPS | PORTIONS | PLACE_NOUNS:
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
        if self.word(at) in RELATIVE and self.word(at + 1) in _BE:
            at += 2
        elif self.word(at) in RELATIVE and self.word(at + 1) in _LYING:
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

    def _verb_follows(self, at: int) -> bool:
        return (verb := verb_at(self.words, at)) is not None and verb.form == "base"

    def portable(self, thing: Thing) -> bool:
        """Whether a thing may be one that is carried."""
        return self._lexicon.any_can(thing.categories, "pickup")

    def vessel(self, thing: Thing) -> bool:
        """Whether a thing may be one that holds others."""
        return self._lexicon.any_can(thing.categories, "hold")

    def list(self, at: int, *, bare: bool = True) -> tuple[list[Phrase], int]:
        """Return noun phrases joined by "and" and commas, and the index after them."""
        found: list[Phrase] = []
        end = at
        while (phrase := self.read(at, bare=bare)) is not None:
            apart = self.word(at - 1) == "," and self.predicates.says(phrase)  # "the mug, MUM SAID so"
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
            while (joint := _JOINTS.match(self.rest(at, 3))) is not None:
                at += len(joint[0].split())
                joins += 1
            if not joins:
                break
            acts = verb_at(self.words, at)
            if acts is not None and acts.form != "base" and self._nouns.noun(at) is None:
                break
            noun = self._nouns.noun(at)
            named = noun is not None and (
                noun[0] > 1 or self.word(at + 1) in STOPS | {"", ",", "and", "go", "goes", "on", "in", "into", "off"}
            )
            switched = acts is not None and acts.sense == "switch" and self.word(at + 1) in ("on", "off")
            if self._verb_follows(at) and (switched or not named):
                break  # "the laptop AND SWITCH ON the TV"
        return found, end


PLACES_FROM = frozenset(each("from to on in into onto at and next"))
"""What goes on with a request behind what was told between commas."""
_JOINTS = re.compile(r"(?:,|and|plus|as well as|along with|together with)(?= |$)")
_FRACTIONS = frozenset(each("half halves third thirds quarter quarters"))


def _plural(noun: str) -> bool:
    return (noun.endswith("s") and not noun.endswith("ss")) or noun in ("things", "everything")


def _moves(words: Sequence[str], at: int) -> bool:
    """Whether a verb begins at a word that does something with things, and does not only look at them."""
    verb = verb_at(words, at) if at >= 0 else None
    return verb is not None and verb.sense in _MOVING
