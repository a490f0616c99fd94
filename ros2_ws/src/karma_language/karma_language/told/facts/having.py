# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What somebody has, gets, gives up and needs."""

from __future__ import annotations

from collections.abc import Sequence

from karma_language.told.facts.english import is_name, mention, phrase
from karma_language.told.facts.extraction import SPEAKER, Claim, Mention
from karma_language.told.facts.happening import Happening
from karma_language.told.facts.noun_phrases import (
    as_value,
    first_kind,
    listed,
)
from karma_language.told.facts.relations import (
    by_noun,
    by_verb,
    is_event,
    is_relation_noun,
    phrase_key,
    value_kind,
)

UNTOUCHED = frozenset(("eat", "tolerate", "drink", "touch", "stand"))
"""What people with an allergy can not do."""


class Having(Happening):
    """What somebody has, gets, gives up and needs."""

    def _phone(self, who: Mention | None, number: list[str]) -> None:
        text = phrase(number)
        self.found.claim(who, "email" if "@" in text and not text.startswith("@") else "phone number", as_value(number))

    def _is_shopping(self) -> bool:
        if self.who != Mention(SPEAKER) or not self.clause.object:
            return False
        return self.clause.verb in ("buy", "order", "purchase") or not is_event(phrase(self.clause.object))

    def _shopping(self, things: Sequence[str]) -> None:
        for thing in listed(things):
            text = [w for w in thing if w.lower() not in ("some", "more", "fresh")]
            if text[-1:] not in (["it"], ["that"], ["them"]):  # "we're out of milk, put THAT on the list"
                self.found.claim(Mention(SPEAKER), "to buy", as_value(text))

    def _have(self) -> None:
        c = self.clause
        obj = [w for w in c.object if not (w.startswith("@") and w[1:].isdigit())]
        low = [w.lower() for w in obj]
        if not obj or self.who is None:
            return
        if low[0] in ("married", "engaged") and c.verb == "get":
            if "and" in c.subject:
                cut = c.subject.index("and")
                self.found.claim(mention(c.subject[:cut]), "spouse", as_value(c.subject[cut + 1 :]))
            self.found.claim(self.who, "spouse", as_value(c.prep("to") or []))
            return
        head = next((i for i, w in enumerate(low) if w in ("called", "named")), None)
        if head is not None and head > 0:
            self._role(self._noun(obj[:head]), as_value(obj[head + 1 :]))
        elif any(mark in obj[:-1] for mark in (":", ",")):
            cut = next(i for i, w in enumerate(obj) if w in (":", ","))
            self._role(self._noun(obj[:cut]), as_value(obj[cut + 1 :]))
        elif self.when is not None and (is_event(phrase(obj)) or self.clause.verb == "have"):
            kept = self._mention(obj)
            if kept is not None and kept.steps and value_kind(by_noun(kept.steps[-1])) == "day":
                self.found.claim(kept.owner, by_noun(kept.steps[-1]), self.when)
                return
            with_whom = c.prep("with")
            name = phrase_key(phrase(obj)) if not with_whom or not obj else phrase(obj).lower()
            if name:
                self._event_facts(self.who.of(name))
        elif c.verb != "have" and low[:1] and self._bought(obj):
            pass
        elif low[-1] in ("flat", "house", "apartment", "home", "place") and c.prep("in", "at"):
            self.found.claim(self.who, "residence", as_value(c.prep("in", "at") or []))
        elif c.again and c.verb == "have":
            self.found.retract(self.who, "to buy", phrase(obj))
        elif len(obj) > 1 and is_name(obj[-1]) and is_relation_noun(" ".join(low[:-1])):
            self.found.claim(self.who, by_noun(" ".join(low[:-1])), as_value(obj[-1:]))
        else:
            for thing in listed(obj):
                known = thing[0].lower() in ("a", "an") and not any(map(is_name, thing))
                self.found.claim(self.who, "own", self.who.of(self._noun(thing)) if known else as_value(thing))

    def _bought(self, obj: list[str]) -> bool:
        """Read "I have bought milk": it needs no buying any more; "a Volvo" is owned, too."""
        c = self.clause
        if c.need or c.verb not in ("buy", "get"):
            return False
        for thing in listed(obj):
            self.found.retract(self.who, "to buy", phrase(thing))
            if thing[0].lower() in ("a", "an"):
                self.found.claim(self.who, "own", as_value(thing))
        return True

    def _job(self) -> bool:
        """Read "has taken a job as a nurse at Arden Group"."""
        c = self.clause
        job = (c.object or c.prep("to") or [""])[-1].lower() in ("job", "position", "post") or (c.prep("to") or [""])[
            -1
        ].lower() in ("job", "position", "post")
        if not job or c.verb == "be" or not c.prep("at", "with", "as", "in", "for"):
            return False
        self.found.claim(self.who, "occupation", as_value(c.prep("as") or []))
        self.found.claim(self.who, "employer", as_value(c.prep("at", "with", "in", "for") or []))
        return True

    def _noun(self, words: list[str]) -> str:
        return phrase([w for w in words if w.lower() not in ("new", "another", "got")]).lower()

    def _role(self, noun: str, value: Mention | None) -> None:
        if self.who is not None:
            self.found.claim(self.who, by_noun(noun), value)

    def _called(self) -> None:
        value = list(self.clause.object) or (self.clause.preps[0][1] if self.clause.preps else [])
        who = self.who
        if who is None or not value:
            return
        if who.steps:
            self.found.claim(who.owner, by_noun(who.steps[-1]), as_value(value))
        else:
            self.found.claim(who, "name", as_value(value))

    def _likes(self, things: Sequence[str]) -> None:
        for thing in listed(things):
            self.found.claim(self.who, "likes", as_value(thing))

    def _allergy(self) -> bool:
        """Read "can't eat nuts because of an allergy", "nuts give me an allergic reaction"."""
        c = self.clause
        words = [*c.object, *(w for _, more in c.preps for w in more)]
        if not any(w.lower().startswith("allerg") for w in words):
            return False
        if c.verb in ("give", "cause", "trigger") and c.object:
            cut = next((i for i, w in enumerate(c.object) if w.lower() in ("a", "an")), len(c.object))
            self.found.claim(mention(c.object[:cut]), "allergy", as_value(c.subject))
            return True
        if c.verb in UNTOUCHED | {"avoid", "suffer", "have", "develop"}:
            value = (
                c.object
                if c.object and not any(w.lower().startswith("allerg") for w in c.object)
                else c.prep("to") or c.object or c.preps[0][1]
            )
            kept = [
                w
                for w in value
                if not w.lower().startswith("allerg") and w.lower() not in ("a", "an", "bad", "severe", "strong")
            ]
            for thing in listed(kept):
                self.found.claim(self.who, "allergy", as_value(thing))
            return True
        return False

    def _leave(self) -> bool:
        """Read "has left X for Y", "traded the X in for a Y", "sold X", "switched from X to Y"."""
        c = self.clause
        old = [w for w in c.object if w.lower() != "in"] or c.prep("from", "of") or []
        new = c.prep("for", "to", "with")
        if not old:
            return False
        if new and c.verb not in ("give up", "stop"):
            self.found.claim(self.who, "", None)
            if self.who is not None:
                self.found.claims.append(
                    Claim(self.who, "~replaced", as_value(new) or Mention(""), replaces=phrase(old))
                )
        else:
            self.found.retract(self.who, "", phrase(old))
        return True

    def _relation(self) -> str | None:
        c = self.clause
        verbs = [f"{c.verb} {c.preps[0][0]}"] if c.preps and not c.object else []
        verbs += [f"{c.verb}d {c.preps[0][0]}", f"{c.verb}ed {c.preps[0][0]}"] if c.passive and c.preps else []
        if c.object and c.preps:
            verbs.append(f"{c.verb} {c.preps[0][0]}")
        return next((relation for verb in [*verbs, c.verb] if (relation := by_verb(verb))), None)

    def _ended(self) -> None:
        """Read "no longer lives in York", "stopped playing tennis", "does not work there any more"."""
        c = self.clause
        value = c.object or (c.preps[0][1] if c.preps else [])
        relation = "" if value else self._relation() or ""
        if value or relation:
            self.found.retract(self.who, relation, phrase(first_kind(value)))
