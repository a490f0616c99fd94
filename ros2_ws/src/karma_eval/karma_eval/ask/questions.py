# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Questions about a home's days in given wordings, with their truths: from what the robot saw, did and heard."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import replace

from karma_eval.ask.corners import CORNERS, Corners
from karma_eval.ask.deed_questions import Deeds
from karma_eval.ask.home import plain
from karma_eval.ask.judge import Spot
from karma_eval.ask.knowledge import FLAGS, MOST, Asking, NothingToAskError
from karma_eval.ask.living import Living
from karma_eval.ask.times import DAY, before_all, to_come
from karma_eval.ask.wordings import Wording
from karma_language.vocabulary import household
from karma_language.vocabulary.states import STATES

TRIES = 60
"""Fillings that are tried for one wording."""
_RARE: Mapping[str, Callable[[Wording], bool]] = {
    "why": lambda wording: wording.failed,
    "exists": lambda wording: "place" in wording.needs,
    "how_many": lambda wording: "place" in wording.needs,
}
"""Kind → what a wording of it seldom asks for."""


class Filler(Corners, Deeds):
    """Fills wordings with what a home's days give."""

    def asked(self, kind: str, wordings: Sequence[Wording], count: int) -> list[Asking]:
        """Return questions of a kind, no two alike; fewer where the days give no more."""
        found: dict[str, Asking] = {}
        order = self._order(kind, wordings)
        for number in range(count + 2 * len(order)):
            for _ in range(TRIES):
                with suppress(NothingToAskError):
                    one = self._fill(kind, order[number % len(order)])
                    if one.words not in found:
                        found[one.words] = one
                        break
            if len(found) == count:
                break
        return [*found.values()]

    def _order(self, kind: str, wordings: Sequence[Wording]) -> list[Wording]:
        """Return wordings in random order; those that ask for what is rare among them turn up every other time."""
        order = self._rng.sample([*wordings], len(wordings))
        rare = _RARE.get(kind)
        some = [one for one in order if rare is not None and rare(one)]
        others = [one for one in order if one not in some]
        together = min(len(some), len(others))
        pairs = zip(*self._rng.sample((some, others), 2), strict=False)
        return [*(one for pair in pairs for one in pair), *some[together:], *others[together:]]

    def _fill(self, kind: str, wording: Wording) -> Asking:
        asked, (corners, share) = kind, CORNERS.get(kind, ((), 0.0))
        if self._rng.random() < share:
            asked = self._rng.choice(corners)
        elif kind == "where" and "state" in wording.needs:
            asked = "which"
        elif kind in ("where", "which_room") and "time" in wording.needs:
            asked = "at_time"
        fill: Callable[[Wording], Asking] = getattr(self, f"_{asked}")
        return replace(fill(wording), kind=kind)

    # Where things are, and were

    def _where(self, wording: Wording) -> Asking:
        if "objects" in wording.needs or self._rng.random() < 0.2:
            ids = self._kinds[self._pick([kind for kind, ids in self._kinds.items() if 2 <= len(ids) <= 3])]
        else:
            ids = [self._pick(self._singles)]
        spells = self._now_of(ids)
        self._need(len(spells) == len(ids) or len(ids) == 1)
        spells = spells or [self._ledger.spells[ids[0]][-1]]
        self._need(not any(one.relation == "held" for one in spells))
        spots, others = tuple(map(self._spot, spells)), frozenset({self._kind(ids[0])})
        return self._asking(wording, thing=ids[0], place=plain(spells[0].room), spots=spots, others=others)

    def _which_room(self, wording: Wording) -> Asking:
        thing = self._pick(self._singles)
        spell = self._here(thing)
        others = frozenset({self._kind(thing), self._kind(spell.place)} - {""})
        return self._asking(wording, thing=thing, spots=(Spot("", spell.room),), others=others)

    def _when_last(self, wording: Wording) -> Asking:
        thing = self._pick(self._singles)
        return self._asking(wording, thing=thing, times=(self._ledger.spells[thing][-1].seen,))

    def _at_time(self, wording: Wording) -> Asking:
        moved = [one for one in self._singles if len(self._ledger.spells[one]) > 1]
        thing = self._pick(moved if self._rng.random() < 0.7 else self._singles)
        return self._was(wording, thing, also=self._now_of([thing]))

    # How things are

    def _state(self, wording: Wording) -> Asking:
        thing, flag = self._stateful()
        state, (_, value, opposite) = self._pick([(name, one) for name, one in STATES.items() if one[0] == flag])
        time = next(self._moments()) if "time" in wording.needs else None
        spell = self._here(thing) if time is None else self._at(thing, time)
        if spell is None:
            raise NothingToAskError
        yes = spell.states[flag] == value
        return self._asking(wording, thing=thing, state=state, time=time, yes=yes, shown=state if yes else opposite)

    def _which(self, wording: Wording) -> Asking:
        several = [(kind, ids) for kind, ids in (*self._kinds.items(), *self._furniture.items()) if 2 <= len(ids) <= 6]
        kind, ids = self._pick(several)
        spells = self._now_of(ids)
        self._need(len(spells) > 1)
        flag = self._pick([flag for flag in FLAGS if all(flag in one.states for one in spells)])
        state, value = self._pick([(name, one[1]) for name, one in STATES.items() if one[0] == flag])
        so = [self._spot(one) for one in spells if one.states[flag] == value]
        rest = [self._spot(one) for one in spells if one.states[flag] != value]
        most = 3 if "objects" in wording.needs and re.search(r"\b(is|one)\b", wording.text) is None else 1
        self._need(so and rest and len({*so}) == len(so) <= most and not {*so} & {*rest})
        elsewhere = {one.category for one in rest}
        spots = tuple(replace(one, room_too=one.room_too or one.category in elsewhere) for one in so)
        return self._asking(wording, thing=ids[0], state=state, spots=spots, others=frozenset({kind}))

    # What there is, and how many

    def _how_many(self, wording: Wording) -> Asking:
        kinds = [kind for kind, ids in self._kinds.items() if len(self._now_of(ids)) == len(ids)]
        several = [kind for kind in kinds if len(self._kinds[kind]) > 1]
        kind = self._pick(several if several and self._rng.random() < 0.7 else kinds)
        ids, place = self._kinds[kind], ""
        if "place" in wording.needs:
            place, there = self._known_place(wording)
            ids = [one for one in ids if one in there]
            self._need(ids or self._rng.random() >= 0.9)
        return self._asking(wording, category=kind, place=place, number=len(ids))

    def _contents(self, wording: Wording) -> Asking:
        place = self._container() if wording.before("place") == "in" else self._surface()
        there = self._ledger.present(place.id)
        self._need(len(there) <= MOST and (there or self._rng.random() >= 0.8))
        doubtful = {self._kind(one) for one in self._ledger.spells if self._doubtful(one)}
        things = Counter(map(self._kind, there))
        self._need(not doubtful & things.keys())
        told = {one: 0 if household().kind(one).mass else number for one, number in things.items()}
        others = frozenset({place.category} | doubtful)
        return self._asking(wording, place=self.noun(place.id), things=told, nothing=not told, others=others)

    def _exists(self, wording: Wording) -> Asking:
        if "place" in wording.needs:
            place, there = self._known_place(wording)
            kind = self._pick([*self._kinds])
            ids = self._kinds[kind]
            yes = any(one in there for one in ids)
            self._need(len(self._now_of(ids)) == len(ids) and (yes or self._rng.random() >= 0.8))
            return self._asking(wording, category=kind, place=place, yes=yes, shown="there")
        yes = self._rng.random() < 0.6
        known = [kind for kind, ids in self._kinds.items() if len(self._now_of(ids)) == len(ids)]
        return self._asking(wording, category=self._pick(known if yes else self._unseen), yes=yes, shown="there")

    # What changed

    def _changed(self, wording: Wording) -> Asking:
        since = until = self._now - self._now % DAY
        time = None
        if "time" in wording.needs:
            time = next(one for one in self._moments() if one.text != "today")
            since, until = time.since, time.until if time.until < self._now else time.since
        if "object" in wording.needs:
            thing = self._pick(self._singles)
            late, ever = ({one.thing for one in self._moved(start)} for start in (until, self._ledger.began))
            yes = thing in late
            self._need(yes or (thing not in ever and self._rng.random() >= 0.6))
            return self._asking(wording, thing=thing, time=time, yes=yes, shown="no longer")
        allowed_since = since if time is not None else min(since, self._now - 1.5 * DAY)
        changes = [*self._ledger.changes(allowed_since, self._now)]
        place, rooms = "", {*self._home.rooms}
        if "place" in wording.needs:
            where = {plain(room): [room] for room in sorted(self._ledger.rooms)} | self._floors
            place = self._pick([*where])
            rooms = {*where[place]}
            changes = [one for one in changes if one.rooms & rooms]
        self._need(len(changes) <= 2 * MOST)
        moved = [one for one in changes if one.is_move or wording.sense != "move"]
        needed = {one.thing for one in moved if one.before.until >= until and not self._doubtful(one.thing)}
        things = {self._kind(one): 0 for one in needed if self._otherwise(one, rooms, since, until)}
        self._need(len(things) <= MOST and (things or (not changes and self._rng.random() >= 0.7)))
        furniture = {thing.category for thing in self._home.things.values() if not thing.movable}
        others = frozenset({self._kind(one.thing) for one in changes} | furniture)
        return self._asking(wording, place=place, time=time, things=things, nothing=not things, others=others)

    def _otherwise(self, thing: str, rooms: Set[str], *times: float) -> bool:
        """Whether a thing is otherwise now than it was at each of some times, there or now in one of some rooms.

        Not carried off and brought back, nor only carried through.
        """
        now, spells = self._believed(thing), self._ledger.spells[thing]
        then = [next((one for one in spells if one.until >= time), None) for time in times]
        if not all(one and {one.room, now.room if now else ""} & rooms for one in then):
            return False
        return now is None or all(one and (now.place, now.states) != (one.place, one.states) for one in then)

    # What can't be known

    def _cant_know(self, wording: Wording) -> Asking:
        needs, rng = wording.needs, self._rng
        kind = self._pick(self._unseen)
        state = rng.choice(("dirty", "open", "on", "clean", "closed"))
        if "place" in needs:
            place = self._unknown_place(wording)
            return self._asking(wording, place=place, category=self._pick([*self._kinds]), state=state, admits=True)
        if "time" in needs:
            if "will" in wording.words:
                thing, time = self._pick(self._singles), to_come(self._now, rng)
            elif rng.random() < 0.5:
                thing, time = self._pick(self._singles), before_all(self._now, rng)
            else:
                return self._asking(wording, category=kind, time=next(self._moments()), state=state, admits=True)
            return self._asking(wording, thing=thing, time=time, state=state, admits=True)
        if "state" in needs and rng.random() < 0.5:
            flag = STATES[state][0]
            blind = [one for one in self._singles if flag not in self._ledger.spells[one][-1].states]
            return self._asking(wording, thing=self._pick(blind), state=state, admits=True)
        if wording.sense == "tell":
            return self._untold(wording, self._ledger.heard)
        if wording.sense in ("move", "bring") and {"who", "why"} & {*wording.words}:
            return self._asking(wording, thing=self._pick(self._unexplained("who" in wording.words)), admits=True)
        return self._asking(wording, category=kind, state=state, admits=True)

    def _unexplained(self, moved: bool) -> list[str]:
        """Return the things that were moved by nobody knows whom; or that were not handled."""
        if not moved:
            return sorted({*self._singles} - {one.thing for one in self._deeds()})
        told = {one.thing for one in self._ledger.heard}
        ever = {one.thing for one in self._moved(self._ledger.began)}
        return sorted(ever & {*self._singles} - {*self._handled()} - told)


def questions(
    living: Living, now: float, wordings: Mapping[str, Sequence[Wording]], counts: Mapping[str, int], rng: random.Random
) -> list[Asking]:
    """Return questions about a home's days until `now`: as many of a kind as `counts` says, if there are so many."""
    filler = Filler(living, now, rng)
    return [one for kind, said in wordings.items() for one in filler.asked(kind, said, counts[kind])]
