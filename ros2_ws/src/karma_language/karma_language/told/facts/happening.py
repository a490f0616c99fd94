# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What takes place: when, where, with whom, and that it was moved."""

from __future__ import annotations

from karma_language.told.facts.clause_reading import ClauseReading
from karma_language.told.facts.english import mention, phrase
from karma_language.told.facts.extraction import Mention
from karma_language.told.facts.noun_phrases import (
    as_value,
    is_person,
    with_owner,
)
from karma_language.told.facts.relations import (
    by_noun,
    is_event,
    value_kind,
)
from karma_language.vocabulary.english import word_set

_TRAVELS = word_set("travels")


class Happening(ClauseReading):
    """What takes place: when, where, with whom, and that it was moved."""

    def _event_facts(self, event: Mention | None) -> None:
        """Add when, where and with whom something takes place."""
        c = self.clause
        if event is None:
            return
        if len(event.steps) > 1 and event.steps[-1] in ("date", "time", "day", "slot"):
            event = event.owner
        if (
            event.steps
            and (to := c.prep("to"))
            and event.steps[-1].split()[-1] in ("trip", "flight", "journey", "travel")
        ):
            event = Mention(event.base, (*event.steps[:-1], f"trip to {phrase(to)}".lower()))
        place = [w for w in c.prep("at", "in", "near") or [] if not w.startswith("@when")]
        self.found.claim(event, "place", as_value(place) if place else None)
        self.found.claim(event, "time", self.when)
        self.found.claim(event, "with", mention(c.prep("with") or []))

    def _event(self) -> bool:
        """Read what takes place somewhere or at some time: events, and travelling."""
        c, who = self.clause, self.who
        to = c.prep("to", "for", "into")
        if (
            c.verb in _TRAVELS
            and to
            and self.when is not None
            and who is not None
            and (is_person(who) or not who.steps)
        ):
            place = phrase([w for w in to if not w.startswith("@")])
            self._event_facts(who.of(f"trip to {place}".lower()))
            return True
        purpose = mention(c.prep("for") or [])
        if (
            c.verb in ("go", "come", "meet", "gather", "be")
            and purpose is not None
            and purpose.steps
            and c.prep("at", "in", "to")
        ):
            self.found.claim(purpose, "place", as_value(c.prep("at", "in", "to") or []))
            return True
        if c.verb == "take" and c.object[:1] == ["place"]:
            c.verb, c.object = "take place", []
        if (
            c.verb
            in ("take place", "hold", "happen", "meet", "start", "begin", "fall", "end", "open", "leave", "depart")
            and who is not None
        ):
            event = who
            if not (
                who.steps and (is_event(who.steps[-1]) or self.when is not None or value_kind(by_noun(who.steps[-1])))
            ) and not is_event(who.base):
                return False
            if event.steps and value_kind(by_noun(event.steps[-1])):
                self.found.claim(event.owner, by_noun(event.steps[-1]), self.when)
            else:
                self._event_facts(event)
            return True
        return False

    def _change(self) -> bool:
        """Read "the meeting was moved from Monday to Friday", "I changed my number to 1": the same as "it is now …"."""
        c = self.clause
        subject = self.who if c.passive or not c.object else self._mention(with_owner(c.object, c))
        purpose = mention(c.prep("for") or []) if not c.passive else None
        self.at = next((t.moment for t in self.spoken if not t.is_end and t.lead not in ("since", "from")), None)
        when = self.when or self.until
        if when is not None and not c.object and purpose is not None and purpose.steps:
            self._event_facts(purpose)  # "what date did we set for the test"
            return True
        if subject is not None and not subject.steps and is_event(subject.base) and self.who is not None and c.object:
            subject = self.who.of(subject.base.lower())
        self.at, self.until = (self.at, self.until) if self.at else (self.until, None)
        to = c.prep("to", "for", "at", "in", "on")
        new = [w for w in to or [] if not w.startswith("@")]
        if subject is None:
            return False
        if self.when is not None and (subject.steps or is_event(subject.base) or subject.base in ("it", "they")):
            self._event_facts(subject)
            return True
        if not new or (not c.passive and not c.object and not (subject.steps and not is_person(subject))):
            return False
        if subject.steps and (is_event(subject.steps[-1]) or (c.verb in ("move", "shift") and not is_person(subject))):
            self.found.claim(subject, "place", as_value(new))
        elif subject.steps and c.verb in ("change", "update", "switch", "reset", "set"):
            old = phrase(c.prep("from") or [])
            self.found.claim(subject.owner, by_noun(subject.steps[-1]), as_value(new), replaces=old)
        else:
            return False
        return True
