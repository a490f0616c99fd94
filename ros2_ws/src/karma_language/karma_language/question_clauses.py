# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The clauses of a sentence by its syntax, and which of them asks.

The sentence is parsed with a plain noun in place of each noun phrase: the vocabulary knows better than a parser where
those end, and the parser knows better than any pattern what belongs to which verb.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from karma_language.noun_phrases import Marked
from karma_language.syntax.parser import SUBJECTS, Node, parse_words
from karma_language.verbs import verb_at
from karma_language.words import ADVERBS, AUXILIARIES, LIE, PERSONS, PLACED, STATES, base_form, each

WH = frozenset(each("what which who whom whose where when why how whether"))
MARK = re.compile(r"<\d+>")
_WORDS = re.compile(r"<\d+>|,|[^\s<>,]+")
_APART = frozenset(each("ROOT ccomp advcl parataxis relcl csubj pcomp"))
"""Dependencies of a verb that has a clause of its own."""
_REQUEST = re.compile(
    r"(?:can|could|may|will|would) (?:not )?(?:you|i|we|some(?:one|body)|any(?:one|body))\b(?! see)"
    r"|shall we|why do not (?:you|we) (?!do )"
)
_IMPERATIVE = re.compile(r"(?:do|have)\b(?! (?:i|you|we|they|people|all|any)\b)(?!.* been\b)")
_PROHIBITED = re.compile(r"do not (?!you\b|we\b|i\b|they\b|<\d+> )")
_SUBJECT = re.compile(r"<\d+>|there|here")
_BARE = frozenset(each("be have been being"))
"""Words behind an auxiliary that has no subject: "should be done"."""
_LEADING = frozenset(each("in on at to from into for with since"))
"""What belongs to a question word that follows it."""
_BETWEEN = frozenset(each("of else exactly one ones still kind sort"))
_CHANGING = LIE | frozenset(each("change happen go remain"))
_TELL = frozenset(each("tell remind show say check see find look"))
_KNOW = frozenset(each("know remember recall notice idea clue think suppose"))
"""Who is asked to do so, or whether they do, is asked what follows: "CHECK whether it is", "any IDEA where"."""
_KNOWN = frozenset(("idea", "clue"))
_AGREED = frozenset(each("yes yeah no right huh correct ok okay please then"))
_LACK = frozenset(each("wonder forget"))
_WISH = frozenset(each("not need want like"))
_LEADS = frozenset(each("and so but or then now please just ok okay well hey say also oh hi hello"))
_PREDICATE = (
    ADVERBS
    | frozenset(each("or and door lid about there here inside"))
    | {word for placed in PLACED for word in placed.split()}
)
"""Words that a sentence without a verb may have beside its nouns and a state: "the knife STILL IN the sink?"."""


@dataclass(frozen=True)
class Clause:
    """A verb, or what stands for one, and the words that belong to it."""

    places: tuple[int, ...]
    """Where its words are in the sentence."""
    words: tuple[str, ...]
    under: Clause | None = None
    """The clause that it is a part of."""

    @property
    def text(self) -> str:
        """Its words."""
        return " ".join(self.words)

    @property
    def lead(self) -> tuple[str, ...]:
        """Its words up to one that leads on to what is asked: "can you tell me" of "can you tell me what"."""
        ends = (at for at, word in enumerate(self.words) if at and (word in WH or word in ("about", "if")))
        return self.words[: next(ends, len(self.words))]

    @property
    def knows(self) -> bool:
        """Whether it only speaks of who is asked: "that you know of"."""
        return "you" in self.words and not MARK.search(self.text) and not _KNOW.isdisjoint(self.words)

    @property
    def asks_to_know(self) -> bool:
        """Whether who says so wants to know what follows: "I wonder", "do you know", and not "I know"."""
        words = [word for word in self.lead if word not in _LEADS and word != ","]
        bases = {*map(base_form, words)}
        if (
            not words
            or words[0] in WH
            or MARK.search(" ".join(words))
            or (self.under is not None and "let" in self.under.words)
        ):
            return False
        if {"i", "we", "he", "she", "they"} & {*words} and not _KNOWN & {*words}:
            return bool(bases & _LACK) or bool(bases & _WISH and bases & (_KNOW | _TELL))
        others = PERSONS & {*words}
        return words[0] in _TELL or bool(_KNOWN & {*words}) or bool(others and bases & (_KNOW | _TELL))


class Asking:
    """What of a sentence asks."""

    def __init__(self, form: Marked, *, asked: bool) -> None:
        """`asked`: whether it has a question mark."""
        self.words = [_noun_of_knowing(word, form) or word for word in _WORDS.findall(form.text)]
        self._form = form
        self._asked = asked
        tag = _tag(self.words, form)
        self.tagged = asked and len(tag) > 2
        """Whether a statement wants to be agreed to: "…, isn't it?"."""
        self.words = self.words[: len(self.words) - len(tag)]
        self._clauses = _clauses(self.words, form)
        self.begins = [begin for clause in self._clauses if (begin := self._begins(clause)) is not None]

    @property
    def requests(self) -> bool:
        """Whether something is to be done."""
        commas = (at for at, word in enumerate([",", *self.words[:-1]]) if word == ",")
        return any(map(self._wants, (*commas, *(clause.places[0] for clause in self._clauses))))

    def _wants(self, begin: int) -> bool:
        """Whether words from one on want something done."""
        at = next((i for i in range(begin, len(self.words)) if self.words[i] not in _LEADS), begin)
        clause = next((clause for clause in self._clauses if at in clause.places), None)
        if clause is None or self._wonders(clause):
            return False
        text = " ".join(self.words[at:])
        if (_REQUEST.match(text) and len(self.words) > at + 2) or (_IMPERATIVE.match(text) and not self._asked):
            return True
        end = next((i for i in range(at, len(self.words)) if self.words[i] == "," or i in self.begins), len(self.words))
        words = self.words[at:end]
        named = map(self._form.thing, MARK.findall(" ".join(words)))
        return bool(words) and acts(words, 0) and any(thing.categories or thing.pronoun for thing in named)

    def _wonders(self, clause: Clause) -> bool:
        """Whether a clause only leads to one that asks, or follows it: "do you know", "don't you think"."""
        inner = len(clause.lead) < len(clause.words) or any(
            one.under is clause and self._embedded(one) for one in self._clauses
        )
        return clause.asks_to_know and (inner or (len(self._clauses) > 1 and clause.knows))

    def _begins(self, clause: Clause) -> int | None:
        """Return where in the sentence the question of a clause begins; None where it asks for nothing."""
        if self._embedded(clause):
            asks = clause.under is not None and clause.under.asks_to_know and clause.words[:2] != ("if", "you")
            return clause.places[0] if asks else None
        if self._wonders(clause):
            further = len(clause.lead)
            return clause.places[further] if clause.words[further + 1 :] else None
        stated = False
        for at, word in enumerate(clause.words):
            begin = clause.places[at]
            before = self.words[begin - 1] if begin else ","
            if word == ",":
                stated = False
            elif stated and not (at == 1 and word in WH):  # "WAIT where is it"
                continue
            elif word in AUXILIARIES and not self._may_begin(begin):
                stated = True
            elif inverted(self.words[begin:]):
                return begin - (before in _LEADING)
            else:
                stated = word in PERSONS or verb_at(clause.words, at) is not None or word in AUXILIARIES
        return None

    def _may_begin(self, at: int) -> bool:
        """Whether no subject is before an auxiliary: "IN THE KITCHEN is there a mug"."""
        before = self.words[at - 1] if at else ","
        if at == 2 and self.words[0] in PLACED:
            return MARK.fullmatch(before) is not None
        return before == "," or before in _LEADS

    def _embedded(self, clause: Clause) -> bool:
        """Whether a clause is what another one tells or asks: "I wonder IF IT IS ON"."""
        words = [(at, word) for at, word in zip(clause.places, clause.words, strict=True) if word not in _LEADING]
        if clause.under is None or not words or words[0][1] not in WH | {"if"}:
            return False
        first = words[0][0]
        asks = inverted(self.words[first:]) and words[0][1] != "if"
        helps = next((at for at, word in words if word in AUXILIARIES), first)
        subject = self.words[helps + 1 : helps + 2] or [""]
        fronted = first == 0 or self.words[first - 1] == "," or subject[0] in PERSONS or MARK.fullmatch(subject[0])
        return not (asks and fronted)


def _noun_of_knowing(word: str, form: Marked) -> str:
    """Return the noun of "any idea", "a clue"; "" for others."""
    noun = form.thing(word).text.casefold().split()[-1] if MARK.fullmatch(word) else ""
    return noun if noun in _KNOW else ""


def _tag(words: Sequence[str], form: Marked) -> Sequence[str]:
    """Return the words of a question that only asks for agreement: "it is off, ISN'T IT?"."""
    if len(words) < 3:
        return ()
    if words[-2] == "," and words[-1] in _AGREED:
        return words[-2:]
    for length in (2, 3):
        last = words[-length:]
        subject = last[-1] in PERSONS | {"there"} or (MARK.fullmatch(last[-1]) and form.thing(last[-1]).pronoun)
        if len(words) > length + 1 and last[0] in AUXILIARIES and subject and (length == 2 or last[1] == "not"):
            return words[-length - 1 :] if words[-length - 1] == "," else ()
    return ()


def _clauses(words: Sequence[str], form: Marked) -> list[Clause]:
    """Return the clauses of a sentence, those first that others are a part of."""
    said: list[str] = []
    places: list[int] = []
    for at, word in enumerate(words):
        stand_in = _stand_in(word, form)
        said += stand_in
        places += [at] * len(stand_in)
    parsed = parse_words(tuple(said))
    if parsed is None:
        return [Clause(tuple(range(len(words))), tuple(words))] if words else []
    members: dict[int, list[int]] = {}
    for node, at in zip(parsed, places, strict=True):
        members.setdefault(_head(node).i, []).append(at)
    made: dict[int, Clause] = {}

    def make(head: int) -> Clause:
        if head not in made:
            node = parsed[head]
            above = _head(node.head).i if node.head.i != node.i and node.dep_ not in ("conj", "parataxis") else head
            own = tuple(dict.fromkeys(members[head]))
            under = make(above) if above != head else None
            made[head] = Clause(own, tuple(words[at] for at in own), under)
        return made[head]

    for head in members:
        make(head)
    return sorted(made.values(), key=lambda clause: clause.places[0])


def _stand_in(word: str, form: Marked) -> list[str]:
    """Return plain words with the grammar of a noun phrase, for its mark."""
    if not word.startswith("<"):
        return [word]
    thing = form.thing(word)
    if thing.pronoun and thing.text.casefold() not in ("one", "ones"):
        return [thing.text.casefold()]
    return [
        "the",
        "rooms" if thing.room and thing.plural else "room" if thing.room else "cups" if thing.plural else "cup",
    ]


def _head(node: Node) -> Node:
    """Return the head of the clause that a word belongs to."""
    while node.head.i != node.i and not (
        node.dep_ in _APART
        or (node.dep_ == "dep" and node.pos_ in ("VERB", "AUX"))
        or (node.dep_ == "conj" and any(c.dep_ in SUBJECTS | {"aux"} for c in node.children))
    ):
        node = node.head
    return node


def inverted(words: Sequence[str]) -> bool:
    """Whether words are in the order of a question."""
    at = 1 if len(words) > 1 and words[1] in WH and words[0] in _LEADING else 0
    first = words[at] if words else ""
    if _PROHIBITED.match(" ".join(words)):
        return False
    if AUXILIARIES.get(first) == "have" and words[1:2] and words[1][0] == "<":
        return any(base_form(word) != word for word in words[2:])  # not "had a long day"
    if first in AUXILIARIES and len(words) > 1:
        subject = words[2] if words[1] == "not" and len(words) > 2 else words[1]
        named = subject.isalpha() and subject not in _BARE and not (words[1] == "not" and verb_at(words, 2))
        return _SUBJECT.fullmatch(subject) is not None or named
    if first not in WH:
        return False
    noun = first in ("what", "which", "whose", "how")
    following = (w for w in words[at + 1 :] if w not in _BETWEEN and not (noun and MARK.fullmatch(w)))
    after = next(following, "")
    if first == "how" and after not in AUXILIARIES:
        after = next(following, "")
    return first == "who" or after in AUXILIARIES or {base_form(after), after.removesuffix("s")} & _CHANGING != set()


def acts(words: Sequence[str], at: int) -> bool:
    """Whether a request begins at a word: its verb is first, or has an object."""
    verb = verb_at(words, at) if words[at][0] != "<" and words[at] not in AUXILIARIES else None
    if verb is None or verb.form != "base":
        return False
    return at == 0 or "".join(words[at + verb.length :]).startswith("<")


def verbless(words: Sequence[str]) -> str:
    """Return a question without a verb as one that has one: "where is <0>" of "<0> where"; "" for what is none."""
    plain = [word for word in words if word not in (",", "about")]
    rest = [word for word in plain if not MARK.fullmatch(word) and base_form(word) not in STATES]
    asked = next((i for i, word in enumerate(plain) if word in ("where", "how")), None)
    if asked is not None:
        many = plain[asked + 1 : asked + 2] if plain[asked] == "how" and plain[asked + 1 : asked + 2] else []
        if {*rest} - _PREDICATE - {"where", "how", "many", "much"} or (plain[asked] == "how") != bool(many):
            return ""
        before, after = plain[:asked], plain[asked + 1 + len(many) :]
        noun = next((word for word in (*before, *after) if MARK.fullmatch(word)), "")
        marks = [at for at, word in enumerate(plain) if MARK.fullmatch(word) and word != noun]
        if not noun or any(plain[at - 1] not in PLACED and at for at in marks):
            return ""
        others = [word for word in (*before, *after) if word != noun]
        return " ".join((plain[asked], *many, noun, "is", *others) if many else ("where", "is", noun, *others))
    if {*rest} - _PREDICATE or not plain or not MARK.fullmatch(plain[0]):
        return ""
    return f"is {' '.join(plain)}" if len(plain) > 1 else f"where is {plain[0]}"
