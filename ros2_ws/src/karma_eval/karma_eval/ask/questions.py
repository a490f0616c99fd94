# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Questions about a home's days in given wordings, with their truths: from what the robot saw, did and heard."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace

from karma_eval.ask.corners import CORNERS, Corners
from karma_eval.ask.deed_questions import Deeds
from karma_eval.ask.judge import Spot
from karma_eval.ask.knowledge import DAY, FLAGS, MOST, Asking
from karma_eval.ask.living import Living
from karma_eval.ask.times import before_all, moments, to_come
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
            wording = order[number % len(order)]
            for _ in range(TRIES):
                one = self._fill(kind, wording)
                if one is not None and one.words not in found:
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
        first, then = self._rng.sample((some, others), 2)
        pairs = [one for pair in zip(first, then, strict=False) for one in pair]
        return [*pairs, *some[together:], *others[together:]]

    def _fill(self, kind: str, wording: Wording) -> Asking | None:
        corners, share = CORNERS.get(kind, ((), 0.0))
        if self._rng.random() < share:
            one = self._corner(self._rng.choice(corners), wording)
            return replace(one, kind=kind) if one is not None else None
        asked = kind
        if kind in ("where", "which_room") and "time" in wording.needs:
            asked = "at_time"
        if kind == "where" and "state" in wording.needs:
            asked = "which"
        fill: Callable[[Wording], Asking | None] = getattr(self, f"_{asked}")
        one = fill(wording)
        return replace(one, kind=kind) if one is not None else None

    # Where things are, and were

    def _where(self, wording: Wording) -> Asking | None:
        if "objects" in wording.needs or self._rng.random() < 0.2:
            kind = self._pick([kind for kind, ids in self._kinds.items() if 2 <= len(ids) <= 3])
            ids = self._kinds[kind] if kind else []
        else:
            ids = [one] if (one := self._pick(self._singles)) is not None else []
        spells = [spell for one in ids if (spell := self._believed(one)) is not None]
        if not ids or (len(spells) < len(ids) and len(ids) > 1):
            return None
        spells = spells or [self._ledger.spells[ids[0]][-1]]
        if any(one.relation == "held" for one in spells):
            return None
        truth = self._truth(
            spots=tuple(map(self._spot, spells)), others=frozenset({self._home.things[ids[0]].category})
        )
        return self._asking(wording, truth, thing=ids[0], place=self._room(spells[0].room))

    def _which_room(self, wording: Wording) -> Asking | None:
        thing = self._pick(self._singles)
        spell = self._believed(thing) if thing else None
        if thing is None or spell is None:
            return None
        place = self._home.things[spell.place].category if spell.place else ""
        others = frozenset({self._home.things[thing].category, place} - {""})
        return self._asking(wording, self._truth(spots=(Spot("", spell.room),), others=others), thing=thing)

    def _when_last(self, wording: Wording) -> Asking | None:
        thing = self._pick(self._singles)
        if thing is None:
            return None
        return self._asking(wording, self._truth(times=(self._ledger.spells[thing][-1].seen,)), thing=thing)

    def _at_time(self, wording: Wording) -> Asking | None:
        moved = [one for one in self._singles if len(self._ledger.spells[one]) > 1]
        thing = self._pick(moved if self._rng.random() < 0.7 else self._singles)
        if thing is None:
            return None
        for time in moments(self._now, self._ledger.began, self._rng):
            spell = self._at(thing, time)
            if spell is None or spell.relation == "held":
                continue
            spot = self._spot(spell)
            here, kind = self._believed(thing), self._home.things[thing].category
            also = (self._spot(here),) if here is not None else ()
            asks_room = "room" in wording.words
            truth = self._truth(
                spots=(Spot("", spot.room) if asks_room else spot,),
                also=also,
                others=frozenset({kind, spot.category} - {""}),
            )
            return self._asking(wording, truth, thing=thing, time=time)
        return None

    # How things are

    def _state(self, wording: Wording) -> Asking | None:
        chosen = self._stateful()
        if chosen is None:
            return None
        thing, flag = chosen
        state, (_, value, _) = self._rng.choice([(name, one) for name, one in STATES.items() if one[0] == flag])
        time = next(moments(self._now, self._ledger.began, self._rng)) if "time" in wording.needs else None
        spell = self._believed(thing) if time is None else self._at(thing, time)
        if spell is None:
            return None
        so = spell.states[flag] == value
        shown = state if so else STATES[state][2]
        return self._asking(wording, self._truth(yes=so, shown=shown), thing=thing, state=state, time=time)

    def _which(self, wording: Wording) -> Asking | None:
        several = [(kind, ids) for kind, ids in (*self._kinds.items(), *self._furniture.items()) if 2 <= len(ids) <= 6]
        if not several:
            return None
        kind, ids = self._rng.choice(several)
        spells = [spell for one in ids if (spell := self._believed(one)) is not None]
        flags = [flag for flag in FLAGS if spells and all(flag in one.states for one in spells)]
        if len(spells) < 2 or not flags:
            return None
        flag = self._rng.choice(flags)
        state, value = self._rng.choice([(name, one[1]) for name, one in STATES.items() if one[0] == flag])
        so = [self._spot(one) for one in spells if one.states[flag] == value]
        rest = [self._spot(one) for one in spells if one.states[flag] != value]
        several_asked = "objects" in wording.needs and re.search(r"\b(is|one)\b", wording.text) is None
        if not so or not rest or len(so) > (3 if several_asked else 1) or {*so} & {*rest} or len({*so}) < len(so):
            return None
        spots = tuple(
            replace(one, room_too=one.room_too or any(one.category == other.category for other in rest)) for one in so
        )
        return self._asking(wording, self._truth(spots=spots, others=frozenset({kind})), thing=ids[0], state=state)

    # What there is, and how many

    def _how_many(self, wording: Wording) -> Asking | None:
        kinds = [kind for kind, ids in self._kinds.items() if all(self._believed(one) is not None for one in ids)]
        several = [kind for kind in kinds if len(self._kinds[kind]) > 1]
        kind = self._pick(several if several and self._rng.random() < 0.7 else kinds)
        if kind is None:
            return None
        ids, place = self._kinds[kind], ""
        if "place" in wording.needs:
            known = self._known_place(wording)
            if known is None:
                return None
            place, there = known
            ids = [one for one in ids if one in there]
            if not ids and self._rng.random() < 0.9:
                return None
        return self._asking(wording, self._truth(number=len(ids)), category=kind, place=place)

    def _contents(self, wording: Wording) -> Asking | None:
        place = self._container() if wording.before("place") == "in" else self._surface()
        if place is None:
            return None
        there = self._ledger.present(place.id)
        if len(there) > MOST or (not there and self._rng.random() < 0.8):
            return None
        doubtful = {self._home.things[one].category for one in self._ledger.spells if self._doubtful(one)}
        if doubtful & {self._home.things[one].category for one in there}:
            return None
        things: dict[str, int] = {}
        for one in there:
            category = self._home.things[one].category
            things[category] = 0 if household().kind(category).mass else things.get(category, 0) + 1
        truth = self._truth(things=things, nothing=not things, others=frozenset({place.category} | doubtful))
        return self._asking(wording, truth, place=self.noun(place.id))

    def _exists(self, wording: Wording) -> Asking | None:
        place = ""
        if "place" in wording.needs:
            known = self._known_place(wording)
            kind = self._pick([*self._kinds])
            if known is None or kind is None:
                return None
            place, there = known
            here = [one for one in self._kinds[kind] if one in there]
            lost = any(self._believed(one) is None for one in self._kinds[kind])
            if lost or (not here and self._rng.random() < 0.8):
                return None
            yes = bool(here)
        else:
            yes = self._rng.random() < 0.6
            known_kinds = [
                kind for kind, ids in self._kinds.items() if all(self._believed(one) is not None for one in ids)
            ]
            kind = self._pick(known_kinds if yes else self._unseen)
        return (
            self._asking(wording, self._truth(yes=yes, shown="there"), category=kind or "", place=place)
            if kind
            else None
        )

    # What changed

    def _changed(self, wording: Wording) -> Asking | None:
        since = until = self._now - self._now % DAY
        time = None
        if "time" in wording.needs:
            time = next(one for one in moments(self._now, self._ledger.began, self._rng) if one.text != "today")
            since, until = time.since, time.until if time.until < self._now else time.since
        if "object" in wording.needs:
            thing = self._pick(self._singles)
            if thing is None or self._home.things[thing].category in ("",):
                return None
            late, ever = ({one for one, _, _ in self._moved(start, self._now)} for start in (until, self._ledger.began))
            yes = thing in late
            if not yes and (thing in ever or self._rng.random() < 0.6):
                return None
            return self._asking(wording, self._truth(yes=yes, shown="no longer"), thing=thing, time=time)
        allowed_since = since if time is not None else min(since, self._now - 1.5 * DAY)
        changes = [*self._ledger.changes(allowed_since, self._now)]
        place, rooms = "", {*self._home.rooms}
        if "place" in wording.needs:
            where = {self._room(room): [room] for room in sorted(self._ledger.rooms)} | self._floors
            place = self._rng.choice([*where])
            rooms = {*where[place]}
            changes = [one for one in changes if {one[1].room, one[2].room if one[2] is not None else ""} & rooms]
        if len(changes) > 2 * MOST:
            return None
        moved = [one for one in changes if wording.sense != "move" or one in [*self._moved(allowed_since, self._now)]]
        needed = {
            thing
            for thing, before, _ in moved
            if (before.until or 0.0) >= until
            and self._otherwise(thing, rooms, since, until)
            and not self._doubtful(thing)
        }
        things = {self._home.things[one].category: 0 for one in needed}
        furniture = {thing.category for thing in self._home.things.values() if not thing.movable}
        others = frozenset({self._home.things[one].category for one, _, _ in changes} | furniture)
        if len(things) > MOST or (not things and (changes or self._rng.random() < 0.7)):
            return None
        return self._asking(
            wording, self._truth(things=things, nothing=not things, others=others), place=place, time=time
        )

    def _otherwise(self, thing: str, rooms: Set[str], *times: float) -> bool:
        """Whether a thing is otherwise now than it was at each of some times, there or now in one of some rooms.

        Not carried off and brought back, nor only carried through.
        """
        now, spells = self._believed(thing), self._ledger.spells[thing]
        then = [next((one for one in spells if (one.until or self._now) >= time), None) for time in times]
        if not all(one and {one.room, now.room if now else ""} & rooms for one in then):
            return False
        return now is None or all(one and (now.place, now.states) != (one.place, one.states) for one in then)

    # What can't be known

    def _cant_know(self, wording: Wording) -> Asking | None:
        admits = self._truth(admits=True)
        needs, rng = wording.needs, self._rng
        kind = self._pick(self._unseen) or ""
        state = rng.choice(("dirty", "open", "on", "clean", "closed"))
        if "place" in needs:
            place = self._unknown_place(wording)
            seen = self._pick([*self._kinds]) or ""
            return self._asking(wording, admits, place=place, category=seen, state=state) if place else None
        if "time" in needs:
            if "will" in wording.words:
                return self._asking(
                    wording, admits, thing=self._pick(self._singles) or "", time=to_come(self._now, rng)
                )
            if rng.random() < 0.5:
                return self._asking(
                    wording, admits, thing=self._pick(self._singles) or "", time=before_all(self._now, rng), state=state
                )
            return self._asking(
                wording, admits, category=kind, time=next(moments(self._now, self._ledger.began, rng)), state=state
            )
        if "state" in needs and rng.random() < 0.5:
            flag = STATES[state][0]
            blind = [one for one in self._singles if flag not in self._ledger.spells[one][-1].states]
            return self._asking(wording, admits, thing=self._pick(blind) or "", state=state)
        if wording.sense == "tell":
            heard = rng.choice(self._ledger.heard) if self._ledger.heard else None
            user = self._user()
            if heard is None or any((one.user, one.category) == (user, heard.category) for one in self._ledger.heard):
                return None
            return self._asking(wording, admits, user, category=heard.category)
        if wording.sense in ("move", "bring") and {"who", "why"} & {*wording.words}:
            told = {one.thing for one in self._ledger.heard}
            unseen_movers = {one for one, _, _ in self._moved(self._ledger.began, self._now)} & {*self._singles} - {
                *self._handled(),
                *told,
            }
            still = {*self._singles} - {one.thing for one in self._deeds()}
            thing = self._pick(sorted(unseen_movers if "who" in wording.words else still))
            return self._asking(wording, admits, thing=thing) if thing else None
        return self._asking(wording, admits, category=kind, state=state)


def questions(
    living: Living, now: float, wordings: Mapping[str, Sequence[Wording]], counts: Mapping[str, int], rng: random.Random
) -> list[Asking]:
    """Return questions about a home's days until `now`: as many of a kind as `counts` says, if there are so many."""
    filler = Filler(living, now, rng)
    return [one for kind, said in wordings.items() for one in filler.asked(kind, said, counts[kind])]
