# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Questions about what the robot did, what it was asked for and told, and since when something is so."""

from __future__ import annotations

import re
from collections.abc import Callable

from karma_eval.ask.knowledge import MEANT, MOST, MOVED, Asking, Known
from karma_eval.ask.ledger import Deed, Spell
from karma_eval.ask.times import DAY, Named, near
from karma_eval.ask.wordings import Wording
from karma_language.vocabulary import household
from karma_language.vocabulary.states import STATES


class Deeds(Known):
    """Fills wordings with what was done, asked for and told."""

    @property
    def _today(self) -> Named:
        return Named("today", self._now - self._now % DAY, self._now)

    def _did(self, wording: Wording) -> Asking:
        time = self._stretch(wording)
        self._need(not wording.operates)
        if "object" in wording.needs:
            thing = self._pick(self._maybe_handled())
            yes = bool(self._of(thing, wording.sense, time))
            return self._asking(wording, thing=thing, time=time, yes=yes, shown="done")
        if {"last", "latest", "recent"} & {*wording.words}:
            deed = self._deeds()[-1]
            self._need(not deed.reason)
            things = {self._kind(deed.thing): 0}
            return self._asking(wording, deed.user, time=time, things=things, others=self._in(deed))
        user = self._user()
        own = [one for one in self._deeds(time or self._today) if one.user == user and not one.reason]
        self._need(len(own) <= MOST)
        own = [one for one in own if one.verb in MEANT.get(wording.sense, (one.verb,))]
        self._need(own)
        others = frozenset[str]().union(*map(self._in, self._deeds(near(time) if time is not None else None)))
        things = {self._kind(one.thing): 0 for one in own}
        return self._asking(wording, user, time=time, things=things, others=others)

    def _in(self, deed: Deed) -> frozenset[str]:
        """Return the kinds that the tale of a deed names."""
        kinds = {self._kind(deed.thing), self._kind(deed.place)} - {""}
        if deed.verb == "clean":
            kinds.add("Faucet")
        if deed.verb == "slice":
            kinds.add(household().slices[self._kind(deed.thing)])
        return frozenset(kinds)

    def _how_often(self, wording: Wording) -> Asking:
        time = self._stretch(wording)
        thing = self._pick(self._maybe_handled())
        self._need(not wording.operates)
        number = len(self._of(thing, wording.sense, time))
        many = re.search(r"\bmore than (once|twice)\b", wording.text, re.IGNORECASE)
        yes = number > (1 if many[1].lower() == "once" else 2) if many is not None else None
        return self._asking(wording, thing=thing, time=time, number=number, yes=yes)

    def _how_long(self, wording: Wording) -> Asking:
        if "state" not in wording.needs:
            thing = self._pick(self._singles)
            place = self._here(thing).place
            return self._asking(wording, thing=thing, times=self._since(thing, lambda one: one.place == place))
        thing, flag = self._stateful()
        value = self._ledger.spells[thing][-1].states[flag]
        state = next(name for name, one in STATES.items() if one[:2] == (flag, value))
        times = self._since(thing, lambda one: one.states.get(flag) == value)
        return self._asking(wording, thing=thing, state=state, times=times)

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

    def _why(self, wording: Wording) -> Asking:
        if wording.failed:
            failed = [one for one in self._deeds() if one.reason]
            if "object" in wording.needs:
                deed = self._pick(failed)
                self._need(not any(one.thing == deed.thing and one.start > deed.start for one in self._deeds()))
            else:
                own = [one for one in failed if one.start > self._now - DAY]
                self._need(own)
                deed = max(own, key=lambda one: one.start)
            self._need(deed.verb != "bring" or (wording.sense != "clean" and "put" not in wording.words))
            return self._asking(wording, deed.user, category=self._kind(deed.thing), sentences=(deed.reason,))
        if "object" in wording.needs:
            thing = self._pick(self._handled())
            done = self._of(thing, wording.sense)
            self._need(done and not any(one.reason and one.thing == thing for one in self._deeds()))
            user = self._user()
            return self._asking(wording, user, thing=thing, persons=self._named(done[-1], user))
        deed = self._deeds()[-1]
        self._need(not deed.reason)
        return self._asking(wording, deed.user, persons=("you",), sentences=(deed.text,))

    @staticmethod
    def _named(deed: Deed, user: str) -> tuple[str, ...]:
        return ("you",) if deed.user == user else (deed.user,)

    def _who(self, wording: Wording) -> Asking:
        user = self._user()
        if wording.sense == "tell":
            one = self._pick(self._heard())
            return self._asking(wording, one.user, category=one.category, persons=("you",))
        if wording.sense == "ask":
            deeds = [one for one in self._deeds() if self._clear(self._kind(one.thing))]
            deed = self._pick(deeds)
            kind = self._kind(deed.thing)
            self._need(deed.verb in MOVED and not deed.reason)
            self._need(all(one.user == deed.user for one in deeds if self._kind(one.thing) == kind))
            return self._asking(wording, user, category=kind, persons=self._named(deed, user))
        return self._asking(wording, user, thing=self._pick([*filter(self._by_robot, self._handled())]), persons=("I",))

    def _by_robot(self, thing: str) -> bool:
        """Whether it was the robot that put a thing where it was seen last."""
        put = [one for one in self._deeds() if one.thing == thing and one.verb in MOVED and not one.reason]
        moves = [one for one in self._moved(self._ledger.began) if one.thing == thing]
        if not put or not moves or self._believed(thing) is None:
            return False
        return put[-1].start <= moves[-1].before.until <= put[-1].end

    def _asked(self, wording: Wording) -> Asking:
        user = self._user()
        if wording.left:
            deeds = self._deeds(Named("", self._now - DAY, self._now), user)
            last = {one.text: one for one in deeds}
            failed = tuple(text for text, one in last.items() if one.reason and not one.refused)
            never = tuple(text for text, one in last.items() if not one.reason)
            refused = any(one.refused for one in deeds)  # which may count as left to do, or not
            self._need(failed or (self._rng.random() >= 0.7 and deeds and not refused))
            return self._asking(wording, user, sentences=failed, nothing=not failed, never=never)
        time = self._stretch(wording)
        texts = tuple(one.text for one in self._deeds(time or self._today, user))
        if "last" in wording.words:
            texts = texts[-1:]
        self._need(1 <= len(texts) <= MOST)
        own = {one.text for one in self._deeds(user=user)}
        never = tuple({one.text for one in self._deeds()} - own)
        return self._asking(wording, user, time=time, sentences=texts, never=never)

    def _told(self, wording: Wording) -> Asking:
        heard = self._heard()
        one = self._pick(heard)
        texts = tuple({other.text for other in heard if (other.user, other.category) == (one.user, one.category)})
        return self._asking(wording, one.user, category=one.category, sentences=texts)
