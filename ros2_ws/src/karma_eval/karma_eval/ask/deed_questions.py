# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Questions about what the robot did, what it was asked for and told, and since when something is so."""

from __future__ import annotations

import re
from collections.abc import Callable

from karma_eval.ask.knowledge import DAY, MOST, MOVED, Asking, Known
from karma_eval.ask.ledger import Deed, Spell
from karma_eval.ask.times import Named, near, stretches
from karma_eval.ask.wordings import Wording
from karma_language.vocabulary import household
from karma_language.vocabulary.states import STATES

_VERBS = {"move": MOVED, "bring": ("bring",), "clean": ("clean",)}
"""What a wording asks for → verbs of the deeds that it means at least."""


class Deeds(Known):
    """Fills wordings with what was done, asked for and told."""

    # What was done, asked and told

    def _did(self, wording: Wording) -> Asking | None:
        time = self._stretch() if "time" in wording.needs else None
        if wording.operates:
            return None
        if "object" in wording.needs:
            thing = self._pick(self._maybe_handled())
            done = self._of(thing, wording.sense, time) if thing else None
            if thing is None or done is None:
                return None
            return self._asking(wording, self._truth(yes=bool(done), shown="done"), thing=thing, time=time)
        if {"last", "latest", "recent"} & {*wording.words}:
            deed = self._deeds()[-1]
            if deed.reason:
                return None
            truth = self._truth(things={self._kind(deed.thing): 0}, others=self._in(deed))
            return self._asking(wording, truth, deed.user, time=time)
        user = self._user()
        today = next(one for one in stretches(self._now, self._ledger.began) if one.text == "today")
        deeds = self._deeds(time or today)
        own = [one for one in deeds if one.user == user and not one.reason]
        if len(own) > MOST:
            return None
        others = frozenset[str]().union(*map(self._in, self._deeds(near(time) if time is not None else None)))
        own = [one for one in own if one.verb in _VERBS.get(wording.sense, (one.verb,))]
        truth = self._truth(things={self._kind(one.thing): 0 for one in own}, others=others)
        return self._asking(wording, truth, user, time=time) if own else None

    def _kind(self, thing: str) -> str:
        return self._home.things[thing].category if thing in self._home.things else thing

    def _in(self, deed: Deed) -> frozenset[str]:
        """Return the kinds that the tale of a deed names."""
        also = {"Faucet"} if deed.verb == "clean" else {self._kind(deed.place)} - {""}
        if deed.verb == "slice":
            also.add(household().slices[self._kind(deed.thing)])
        return frozenset({self._kind(deed.thing), self._kind(deed.place)} - {""} | also)

    def _how_often(self, wording: Wording) -> Asking | None:
        time = self._stretch() if "time" in wording.needs else None
        thing = self._pick(self._maybe_handled())
        done = self._of(thing, wording.sense, time) if thing and not wording.operates else None
        if thing is None or done is None:
            return None
        many = re.search(r"\bmore than (once|twice)\b", wording.text, re.IGNORECASE)
        if many is not None:
            limit = 1 if many[1].lower() == "once" else 2
            truth = self._truth(number=len(done), yes=len(done) > limit)
        else:
            truth = self._truth(number=len(done))
        return self._asking(wording, truth, thing=thing, time=time)

    def _how_long(self, wording: Wording) -> Asking | None:
        state = ""
        if "state" in wording.needs:
            chosen = self._stateful()
            if chosen is None:
                return None
            thing, flag = chosen
            value = self._ledger.spells[thing][-1].states[flag]
            state = next(name for name, one in STATES.items() if one[:2] == (flag, value))
            since = self._since(thing, lambda spell: spell.states.get(flag) == value)
        else:
            picked = self._pick(self._singles)
            here = self._believed(picked) if picked else None
            if picked is None or here is None:
                return None
            thing, place = picked, here.place
            since = self._since(thing, lambda spell: spell.place == place)
        return self._asking(wording, self._truth(times=since), thing=thing, state=state)

    def _since(self, thing: str, alike: Callable[[Spell], bool]) -> tuple[float, ...]:
        """Return since when a thing is so: when it was first seen so, and when it was last seen otherwise."""
        spells = self._ledger.spells[thing]
        first = len(spells) - 1
        while first > 0 and alike(spells[first - 1]) and spells[first - 1].until == spells[first].since:
            first -= 1
        ever = first  # it may have been out of sight meanwhile
        while ever > 0 and alike(spells[ever - 1]):
            ever -= 1
        return spells[first].since, spells[ever].since, *((spells[first - 1].seen,) if first else ())

    def _why(self, wording: Wording) -> Asking | None:
        if wording.failed:
            failed = [one for one in self._deeds() if one.reason]
            if "object" in wording.needs:
                deed = self._rng.choice(failed) if failed else None
                later = [one for one in self._deeds() if deed and one.thing == deed.thing and one.start > deed.start]
            else:
                own = [one for one in failed if one.start > self._now - DAY]
                deed = max(own, key=lambda one: one.start, default=None)
                later = []
            asks_to_bring = wording.sense != "clean" and "put" not in wording.words
            if deed is None or later or (deed.verb == "bring" and not asks_to_bring):
                return None
            truth = self._truth(sentences=(deed.reason,))
            return self._asking(wording, truth, deed.user, category=self._kind(deed.thing))
        if "object" in wording.needs:
            thing = self._pick(self._handled())
            done = self._of(thing, wording.sense) if thing else None
            if not done or any(one.reason and one.thing == thing for one in self._deeds()):
                return None
            deed, user = done[-1], self._user()
            return self._asking(wording, self._truth(persons=self._named(deed, user)), user, thing=thing or "")
        deed = self._deeds()[-1]
        if deed.reason:
            return None
        return self._asking(wording, self._truth(persons=("you",), sentences=(deed.text,)), deed.user)

    @staticmethod
    def _named(deed: Deed, user: str) -> tuple[str, ...]:
        return ("you",) if deed.user == user else (deed.user,)

    def _who(self, wording: Wording) -> Asking | None:
        user = self._user()
        if wording.sense == "tell":
            heard = [one for one in self._ledger.heard if self._clear(one.category)]
            if not heard:
                return None
            one = self._rng.choice(heard)
            return self._asking(wording, self._truth(persons=("you",)), one.user, category=one.category)
        if wording.sense == "ask":
            deeds = [one for one in self._deeds() if self._clear(self._kind(one.thing))]
            deed = self._rng.choice(deeds) if deeds else None
            if (
                deed is None
                or deed.verb not in MOVED
                or deed.reason
                or {one.user for one in deeds if self._kind(one.thing) == self._kind(deed.thing)} != {deed.user}
            ):
                return None
            return self._asking(
                wording, self._truth(persons=self._named(deed, user)), user, category=self._kind(deed.thing)
            )
        mine = [one for one in self._handled() if self._by_robot(one)]
        thing = self._pick(mine)
        return self._asking(wording, self._truth(persons=("I",)), user, thing=thing) if thing else None

    def _by_robot(self, thing: str) -> bool:
        """Whether it was the robot that put a thing where it was seen last."""
        spells = self._ledger.spells[thing]
        put = [one for one in self._deeds() if one.thing == thing and one.verb in MOVED and not one.reason]
        moves = [one for one in self._moved(self._ledger.began, self._now) if one[0] == thing]
        return (
            bool(put and moves)
            and spells[-1].until is None
            and put[-1].start <= (moves[-1][1].until or 0.0) <= put[-1].end
        )

    def _asked(self, wording: Wording) -> Asking | None:
        user = self._user()
        if wording.left:
            time = Named("", self._now - DAY, self._now)
            deeds = self._deeds(time, user)
            last = {one.text: one for one in deeds}
            failed = tuple(text for text, one in last.items() if one.reason and not one.refused)
            never = tuple(text for text, one in last.items() if not one.reason)
            refused = any(one.refused for one in deeds)  # which may count as left to do, or not
            if not failed and (self._rng.random() < 0.7 or not deeds or refused):
                return None
            return self._asking(wording, self._truth(sentences=failed, nothing=not failed, never=never), user)
        named = self._stretch() if "time" in wording.needs else None
        today = Named("today", self._now - self._now % DAY, self._now)
        texts = tuple(one.text for one in self._deeds(named or today, user))
        if "last" in wording.words:
            texts = texts[-1:]
        never = tuple(
            {one.text for one in self._deeds() if one.user != user} - {one.text for one in self._deeds(user=user)}
        )
        if not 1 <= len(texts) <= MOST:
            return None
        return self._asking(wording, self._truth(sentences=texts, never=never), user, time=named)

    def _told(self, wording: Wording) -> Asking | None:
        heard = [one for one in self._ledger.heard if self._clear(one.category)]
        if not heard:
            return None
        one = self._rng.choice(heard)
        texts = tuple({other.text for other in heard if (other.user, other.category) == (one.user, one.category)})
        return self._asking(wording, self._truth(sentences=texts), one.user, category=one.category)
