# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a text asks to be put where, in which order, and what it tells of the things, for nouns of any home."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from karma_language.arranging.places import FLOOR, PlaceRef, PlaceWords
from karma_language.arranging.words import head_of, is_sequel, sets_apart, without_once
from karma_language.reading import Deed, Goal, Told
from karma_language.reading import Request as Asked
from karma_language.things import Relation, Thing, Where
from planner_node.plan.arranging.grounding import Likeness
from planner_node.plan.arranging.moves import Move, Request, ThingRef, joined
from planner_node.plan.arranging.telling import with_told

_MOVED = frozenset((Deed.PLACE, Deed.BRING, Deed.HOLD, Deed.PUT_DOWN, Deed.OTHER))
_SAID = {Relation.AT: "from"}


def read_request(text: str, places: PlaceWords, likeness: Likeness | None = None) -> Request:
    """Read a text. Never raises: what is not understood is a wish or told.

    `likeness`: of two texts; with it, words for furniture that nobody knows may mean what comes nearest.
    """
    said, once = without_once(text)
    reading = places.grammar.read(said)
    reader = _Reader(said, places, likeness)
    wanted = [goal for item in reading.items if isinstance(item, Asked) and not item.never for goal in item.goals]
    for _, clause in groupby(wanted, lambda goal: (goal.quote, goal.do, goal.to)):
        reader.read(tuple(clause))
    quotes = [item.quote for item in reading.items if isinstance(item, Told)]
    told = tuple(one for one in quotes if not any(one != other and one in other for other in quotes))
    moves = tuple(with_told(joined(reader.moves), told))
    return Request(text, moves, tuple(reader.wishes), tuple(reader.topics), told, once)


@dataclass
class _Reader:
    """Turns goals into moves; pronouns mean what was spoken of before."""

    text: str
    places: PlaceWords
    likeness: Likeness | None = None
    moves: list[Move] = field(default_factory=list)
    wishes: list[str] = field(default_factory=list)
    topics: list[PlaceRef] = field(default_factory=list)
    at: int = 0
    """Index in the text behind the beginning of the clause that was read last."""

    def read(self, clause: Sequence[Goal]) -> None:
        """Read the goals of a clause, which differ in their things."""
        goal = clause[0]
        begin = max(self.text.find(goal.quote, self.at), self.text.find(goal.quote), 0)
        sequel, self.at = is_sequel(self.text[:begin]), begin + 1
        to, relation, beside = self._to(goal.to)
        source = next(filter(None, (self._source(one.thing) for one in clause)), None)
        things = dict.fromkeys(thing for one in clause for thing in self._things(one.thing))
        placed = to is not None or beside is not None or goal.together
        if not things or goal.do not in _MOVED or not (placed or source is not None or goal.do is not Deed.OTHER):
            self._wish(goal, to, source)
            return
        if not placed and source is None:
            self._wish(goal)
        self.moves.append(Move(tuple(things), to, relation, source, goal.together, beside, sequel))

    def _wish(self, goal: Goal, *places: PlaceRef | None) -> None:
        inside = self._place(goal.thing) if goal.thing is not None and not goal.thing.pronoun else None
        self.topics += [place for place in (inside, *places) if place is not None]
        self.wishes.append(goal.quote)

    def _to(self, to: Where | None) -> tuple[PlaceRef | None, str, ThingRef | PlaceRef | None]:
        """Return (place, "on" or "within", what to be next to)."""
        if to is None:
            return None, "on", None
        near = to if to.relation is Relation.NEAR else to.thing.place
        at = to.thing.place if near is to else to
        place = self._place(at.thing) if at is not None else None
        if at is not None and place is None and self.likeness is not None:
            place = self.places.guess(at.thing.text, self.likeness)
        if near is None or near.relation is not Relation.NEAR:
            return place, self._within(to, place), None
        if near.thing.pronoun:
            beside: ThingRef | PlaceRef | None = self.moves[-1].things[-1] if self.moves else None
        else:
            beside = self._place(near.thing) or self._thing(near.thing)
        return place, self._within(at, place), beside

    def _within(self, where: Where | None, place: PlaceRef | None) -> str:
        furniture = place.furniture if place is not None and place.furniture != (FLOOR,) else ()
        return "within" if furniture and where is not None and where.relation is Relation.IN else "on"

    def _place(self, thing: Thing) -> PlaceRef | None:
        """Return the place that a noun phrase names, None where it names none of this home."""
        place = self.places.ending(thing.text)
        if place is None and thing.is_room:
            place = self.places.of_room(thing.room)
        if place is None:
            return None
        near = thing.place is not None and thing.place.relation is Relation.NEAR
        inner = self._place(thing.place.thing) if thing.place is not None and not near else None
        rooms = place.rooms or (inner.rooms if inner is not None else ()) or self.places.kinds_of(thing.room)
        other = place.other or thing.other or sets_apart(thing.attributes)
        several = bool(place.furniture) and thing.plural and not thing.number
        return replace(place, rooms=rooms, other=other, several=several)

    def _source(self, thing: Thing | None) -> PlaceRef | None:
        return self._place(thing.place.thing) if thing is not None and thing.place is not None else None

    def _things(self, thing: Thing | None) -> list[ThingRef]:
        if thing is None or thing.pronoun:
            return self._spoken_of(thing) if self.moves else []
        return [self._thing(thing)]

    def _thing(self, thing: Thing) -> ThingRef:
        """Return a thing; the one spoken of before under the same name, if there is one."""
        where = thing.place
        text = thing.text
        if where is not None and self._place(where.thing) is None:
            text += f" {_SAID.get(where.relation, where.relation.value)} {where.thing.text}"
        looks = " ".join((*(word for word in thing.attributes if word not in text), text))
        phrase = f"my {looks}" if thing.owner == "me" else looks
        head = head_of(text)
        ref = ThingRef(phrase, head, thing.plural and not thing.number, thing.number or 1, thing.other)
        same = (one for one in self._spoken() if one.phrase == ref.phrase)
        return ref if thing.other else next(same, ref)

    def _spoken(self) -> Iterable[ThingRef]:
        for move in self.moves:
            yield from move.things
            if isinstance(move.beside, ThingRef):
                yield move.beside

    def _spoken_of(self, thing: Thing | None) -> list[ThingRef]:
        """Return what a pronoun, or nothing at all, means: the things of the move before.

        "Both" and "them" after a single thing mean what it was put next to, too, or all things of the text.
        """
        last = list(self.moves[-1].things)
        beside = self.moves[-1].beside
        many = thing is None or thing.plural
        if many and isinstance(beside, ThingRef):
            last.append(beside)
        if many and len(last) == 1 and not last[0].plural:
            last = [one for move in self.moves for one in move.things] or last
        return list(dict.fromkeys(last))
