# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a text asks to be put where, in which order, and what it tells of the things: by rules, for any nouns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from karma_language.verbs import VERBS
from planner_node.arranging import words
from planner_node.arranging.clauses import Clause, clauses, request_in, sentences
from planner_node.arranging.moves import Move, Request, joined
from planner_node.arranging.noun_phrases import ThingRef, noun_phrases
from planner_node.arranging.once import without_once
from planner_node.arranging.places import FLOOR, PlaceRef, PlaceWords
from planner_node.arranging.telling import with_told

Likeness = Callable[[str, str], float]

_MOVING = ("put", "bring", "get", "give", "take", "return", "tidy")
"""What the verbs of karma_language.verbs ask for that say where something goes."""
_EACH_OTHER = (
    *((*near.split(), *who.split()) for near in words.NEAR for who in ("each other", "one another")),
    ("side", "by", "side"),
    ("together",),
)


def read_request(text: str, places: PlaceWords, likeness: Likeness | None = None) -> Request:
    """Read a text. Never raises: what is not understood is a wish or told.

    `likeness`: of two texts; with it, words for furniture that nobody knows may mean what comes nearest.
    """
    reader = _Reader(places, likeness)
    told: list[str] = []
    once = False
    for said in sentences(text):
        sentence, only_now = without_once(said)
        if request := request_in(sentence):
            once |= only_now
            reader.read(request)
        else:
            told.append(said)
    moves = with_told(joined(reader.moves), told)
    return Request(text, tuple(moves), tuple(reader.wishes), tuple(reader.topics), tuple(told), once)


@dataclass
class _Parts:
    """The places of a clause."""

    to: PlaceRef | None = None
    relation: str = "on"
    source: PlaceRef | None = None
    beside: ThingRef | PlaceRef | None = None
    about: list[PlaceRef] = field(default_factory=list)

    def add(self, preposition: str, place: PlaceRef) -> None:
        """Take in a place after a preposition."""
        if preposition in words.AWAY or (preposition == "at" and place.furniture):
            self.source = self.source or place
        elif preposition == "for":
            self.about.append(place)
        elif self.to is None or place.furniture:
            rooms = place.rooms or (self.to.rooms if self.to is not None and not self.to.furniture else ())
            self.to = replace(place, rooms=rooms)
            inside = preposition in words.IN and place.furniture and place.furniture != (FLOOR,)
            self.relation = "within" if inside else "on"
        elif not self.to.rooms:
            self.to = replace(self.to, rooms=place.rooms)


@dataclass
class _Reader:
    """Reads request after request; pronouns mean what was read before."""

    places: PlaceWords
    likeness: Likeness | None = None
    moves: list[Move] = field(default_factory=list)
    wishes: list[str] = field(default_factory=list)
    topics: list[PlaceRef] = field(default_factory=list)
    before: int = 0
    """How many moves there were when the sentence began."""

    def read(self, request: str) -> None:
        """Read one sentence that asks for something."""
        self.before = len(self.moves)
        for clause in clauses(request):
            self._clause(clause)

    def _clause(self, clause: Clause) -> None:
        tokens, together = _without_each_other(clause.tokens)
        parts = _Parts()
        rest, further = self._take_places(tokens, parts)
        things = [self._same_thing(thing) for thing in noun_phrases(rest)]
        placed = parts.to is not None or parts.beside is not None or together
        if not things and self.moves and (clause.inherits or together or set(rest) & words.PRONOUNS):
            things = self._spoken_of(rest) if placed else []
        if things and not placed and VERBS.get(clause.verb) in _MOVING:
            things, placed = self._guess(tokens, parts) or (things, placed)
        says_where = bool(parts.source or parts.beside or (parts.to and parts.to.furniture))
        if not things or not (says_where or VERBS.get(clause.verb) in _MOVING):
            self.topics += [place for place in (parts.to, parts.source, *parts.about) if place]
            self.wishes += [" ".join(clause.tokens)] if clause.tokens else []
            return
        if not placed and not parts.source:
            self.wishes.append(" ".join(clause.tokens))
        self.topics += parts.about
        move = Move(tuple(things), parts.to, parts.relation, parts.source, together, parts.beside, clause.sequel)
        self.moves.append(move)
        if further:
            self._clause(replace(clause, tokens=further, sequel=further[0] == "it"))

    def _guess(self, tokens: list[str], parts: _Parts) -> tuple[list[ThingRef], bool] | None:
        """Take the last words after "on", "in" or "to" for a place that the home calls otherwise; None for nothing."""
        leading = words.ON - {"for"} | words.IN
        last = max((i for i, word in enumerate(tokens) if word in leading), default=0)
        if self.likeness is None or not last:
            return None
        place = self.places.guess(tokens[last + 1 :], self.likeness)
        rest, _ = self._take_places(tokens[:last], _Parts())
        things = [self._same_thing(thing) for thing in noun_phrases(rest)]
        if place is None or not things:
            return None
        parts.add(tokens[last], place)
        return things, True

    def _take_places(self, tokens: list[str], parts: _Parts) -> tuple[list[str], list[str]]:
        """Take the prepositional phrases that name places out of a clause.

        Returns what is left, and what follows of another thing with its own place ("A on the table and B on the
        shelf"), or of another place for the same thing ("on the table, then on the shelf").
        """
        rest: list[str] = []
        at = 0
        while at < len(tokens):
            if rest and parts.to is not None and tokens[at] in ("and", ",", "then"):
                if tokens[at] == "then" and self.places.find(tokens, at + 2):
                    return rest, ["it", *tokens[at + 1 :]]
                if self._another(tokens, at + 1):
                    return rest, tokens[at + 1 :]
            after = self._beside(tokens, at, rest, parts) or self._place(tokens, at, parts)
            if after is None:
                rest.append(tokens[at])
            at = after or at + 1
        return rest, []

    def _beside(self, tokens: list[str], at: int, rest: list[str], parts: _Parts) -> int | None:
        """Read what something is to be next to; return the index after it, None where nothing of the kind begins."""
        preposition, width = _preposition(tokens, at, words.NEAR)
        begin = at + width
        if not preposition:
            return None
        if (found := self.places.find(tokens, begin)) is not None:
            parts.beside, end = found
        elif tokens[begin : begin + 1] in (["it"], ["them"]) and self.moves:
            parts.beside, end = self.moves[-1].things[-1], begin + 1
        elif preposition != "by":
            stops = (i for i in range(begin, len(tokens)) if tokens[i] in words.ON | {",", "then"})
            end = next(stops, len(tokens))
            things = noun_phrases(tokens[begin:end])
            if not things:
                return None
            parts.beside = self._same_thing(things[0])
        else:
            return None
        while rest and rest[-1] in words.CLOSELY:
            rest.pop()
        return end

    def _place(self, tokens: list[str], at: int, parts: _Parts) -> int | None:
        """Read a place after its preposition, or one that the request is about; return the index after it, or None."""
        preposition, width = _preposition(tokens, at, words.ON | words.IN | words.AWAY | words.ON_TOP)
        if preposition and (found := self.places.find(tokens, at + width)) is not None:
            parts.add("on" if preposition in words.ON_TOP else preposition, found[0])
            return found[1]
        if at == 0 or tokens[at - 1] in words.ABOUT:
            found = self.places.find(tokens, at)
            if found is not None and (
                found[1] >= len(tokens) or tokens[found[1]] in {"for", "as", "by", ",", "like", "to"}
            ):
                parts.about.append(found[0])
                return found[1]
        return None

    def _another(self, tokens: list[str], at: int) -> bool:
        """Whether a thing and then a place for it follow."""
        if at >= len(tokens) or self.places.find(tokens, at) is not None:
            return False
        ends = (i for i in range(at + 1, len(tokens)) if tokens[i] in words.ON | words.IN)
        return any(self.places.find(tokens, i + 1) is not None and noun_phrases(tokens[at:i]) for i in ends)

    def _spoken_of(self, rest: list[str]) -> list[ThingRef]:
        """Return what a pronoun, or nothing at all, means: the things of the move before.

        "Both" and "them" after a single thing mean what it was put next to, too, or all things of the sentence.
        """
        last = list(self.moves[-1].things)
        beside = self.moves[-1].beside
        if isinstance(beside, ThingRef) and words.MANY & set(rest):
            last.append(beside)
        if len(last) == 1 and not last[0].plural and "it" not in rest:
            last = [thing for move in self.moves[self.before :] for thing in move.things] or last
        return list(dict.fromkeys(last))

    def _same_thing(self, thing: ThingRef) -> ThingRef:
        """Return the thing spoken of before under the same name, if there is one."""
        known = [*(t for move in self.moves for t in move.things), *(move.beside for move in self.moves)]
        same = (t for t in known if isinstance(t, ThingRef) and t.phrase == thing.phrase)
        return thing if thing.other else next(same, thing)


def _preposition(tokens: list[str], at: int, among: frozenset[str]) -> tuple[str, int]:
    """Return the longest preposition of a set that begins here and its length in words; "" and 0 for none."""
    for width in (4, 3, 2, 1):
        phrase = " ".join(tokens[at : at + width])
        if phrase in among and at + width <= len(tokens):
            return phrase, width
    return "", 0


def _without_each_other(tokens: list[str]) -> tuple[list[str], bool]:
    """Take "next to each other", "side by side" and "together" out of a clause; return the rest and whether any was."""
    rest: list[str] = []
    at = 0
    while at < len(tokens):
        width = next((len(p) for p in _EACH_OTHER if tuple(tokens[at : at + len(p)]) == p), 0)
        rest += [] if width else [tokens[at]]
        at += width or 1
    return rest, len(rest) < len(tokens)
