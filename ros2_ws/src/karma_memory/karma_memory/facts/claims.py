# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a clause claims: its verb, object and prepositions as relations between entities."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from karma_memory.facts.clauses import Clause
from karma_memory.facts.english import DETERMINERS, PRONOUNS, is_name, mention, phrase
from karma_memory.facts.extraction import GAP, SPEAKER, Claim, Mention, Retraction
from karma_memory.facts.schema import (
    by_noun,
    by_verb,
    gender_of,
    is_diet,
    is_event,
    is_relation_noun,
    phrase_key,
    relations,
    role_of,
    value_kind,
)
from karma_memory.facts.times import Moment, SpokenTime

_CHANGES = frozenset(("change", "move", "shift", "postpone", "reschedule", "delay", "put off", "put back", "push back", "bring forward",
                      "switch", "update", "set", "book", "schedule", "arrange", "plan", "reset", "bring", "push", "put"))  # fmt: skip
_CANCELS = frozenset(("cancel", "call off", "scrap", "drop"))
_HAPPENS = frozenset(
    (
        "take",
        "take place",
        "happen",
        "start",
        "begin",
        "be",
        "fall",
        "go ahead",
        "hold",
        "leave",
        "depart",
        "end",
        "meet",
    )
)
_TRAVELS = frozenset(
    ("fly", "travel", "go", "leave", "drive", "head", "depart", "sail", "fly out", "head off", "set off", "cycle")
)
_CALLS = frozenset(("reach", "call", "phone", "ring", "contact", "text"))
_GETS = frozenset(("have", "get", "own", "buy", "adopt", "possess", "acquire"))
_LEAVES = frozenset(("leave", "quit", "sell", "give up", "stop", "move out", "drop out", "give away", "lose", "resign", "trade", "swap",
                     "trade in", "switch", "exchange", "replace"))  # fmt: skip
_THOUGHTS = frozenset(
    (
        "see",
        "hear",
        "think",
        "say",
        "know",
        "hope",
        "wonder",
        "feel",
        "tell",
        "ask",
        "look",
        "wish",
        "guess",
        "mean",
        "believe",
        "do",
        "be",
    )
)
"""Verbs whose object is no fact about the subject."""
_LISTS = ("shopping list", "list", "grocery list")
_BUYS = frozenset(("buy", "get", "pick up", "fetch", "bring", "order", "purchase"))


@dataclass
class Found:
    """What the clauses of a sentence claim so far."""

    claims: list[Claim] = field(default_factory=list)
    retractions: list[Retraction] = field(default_factory=list)

    def claim(
        self, subject: Mention | None, relation: str, obj: Mention | Moment | None, *, replaces: str = ""
    ) -> None:
        """Add a claim, unless something of it is missing."""
        if subject is not None and obj is not None and relation and subject != obj:
            self.claims.append(Claim(subject, relation, obj, replaces=replaces))

    def retract(self, subject: Mention | None, relation: str = "", obj: str = "") -> None:
        """Add a retraction."""
        if subject is not None:
            self.retractions.append(Retraction(subject, relation, obj))


def read(clause: Clause, times: Sequence[SpokenTime], found: Found) -> None:
    """Add what a clause claims to `found`."""
    Reading(clause, times, found).read()


class Reading:
    """One clause."""

    def __init__(self, clause: Clause, times: Sequence[SpokenTime], found: Found) -> None:
        self.clause = clause
        self.found = found
        spoken = [times[i] for i in clause.times]
        self.until = next((t.moment for t in spoken if t.is_end), None)
        self.at = next((t.moment for t in spoken if not t.is_end and t.lead != "since"), None)
        self.gap_when = (
            next((True for name, words in clause.preps if words == ["@when"]), False) or "@when" in clause.object
        )
        self.who = self._subject(clause.subject)

    @property
    def when(self) -> Moment | Mention | None:
        """The time in the clause, or the gap where one is asked for."""
        return Mention(GAP, ("when",)) if self.gap_when else self.at

    def read(self) -> None:
        """Add the claims."""
        c, verb = self.clause, self.clause.verb
        if verb == "call" and len(c.object) > 1 and not c.passive and not c.preps:
            cut = 1 if c.object[0].lower() in ("me", "us", "him", "her", "them") else len(c.object) - 1
            self.found.claim(mention(c.object[:cut]), "nickname", _value(c.object[cut:]))
        elif c.subject == ["you"] or (c.subject and c.subject[0].lower() == "you"):
            self._instruction()
        elif verb in _CANCELS:
            self.found.retract(mention(c.object) if c.object and not c.passive else self.who)
        elif verb in _CALLS and not c.passive and c.prep("on", "at") and c.object:
            self._phone(mention(c.object), c.prep("on", "at") or [])
        elif c.need and verb in _BUYS and self._is_shopping():
            self._shopping(c.object)
        elif verb == "need" and "@what" in c.object and (mention(c.prep("for") or []) or Mention("")).steps:
            self.found.claim(mention(c.prep("for") or []), "~need", _value(c.object))
        elif verb == "need" and c.object and self.who == Mention(SPEAKER):
            self._shopping(c.object)
        elif verb in _BUYS - {"get", "buy", "bring"} and not c.need and c.object:
            for thing in _listed(c.object):
                self.found.retract(self.who, "to buy", phrase(thing))
        elif verb == "run out" and c.prep("of"):
            self._shopping(c.prep("of") or [])
        elif (verb == "be" and not c.passive) or (
            verb == "become" and c.object and mention(c.object) not in (None, Mention(phrase(c.object)))
        ):
            self._be()
        elif self._job() or (verb in _CHANGES and self._change()):
            pass
        elif verb in ("expire", "run out") and self.at is not None:
            self.until = self.at
        elif self._allergy():
            pass
        elif c.ended or (c.negated and c.habit):
            self._ended()
        elif c.negated:
            if verb in ("take", "take place", "happen", "go ahead", "hold") and (
                c.object == ["place"] or verb != "take"
            ):
                self.found.retract(self.who)
        elif verb in _LEAVES and self._leave():
            pass
        elif verb in _GETS and not c.passive:
            self._have()
        elif verb in ("call", "name") and c.passive:
            self._called()
        elif verb == "celebrate" and c.object:
            self._copula(self._mention(c.object), [])
        elif self._event():
            pass
        else:
            self._verb()

    def _mention(self, words: Sequence[str]) -> Mention | None:
        """Return what words mean in this clause: "their" and "her" are the subject's."""
        found = mention(words)
        if (
            found is not None
            and self.who is not None
            and found.base in ("he", "she", "they", "it")
            and found.steps
            and self.who.base != GAP
        ):
            return Mention(self.who.base, (*self.who.steps, *found.steps), found.name)
        return found

    def _subject(self, words: Sequence[str]) -> Mention | None:
        return mention([w for w in words if not (w.startswith("@") and w[1:].isdigit())])

    def _instruction(self) -> None:
        """Read "call me on 123", "put milk on the shopping list", "take milk off it", "you can reach me on 123"."""
        c = self.clause
        listed = next(
            (words for name, words in c.preps if name in ("on", "to", "onto", "off", "from") and _names_list(words)),
            None,
        )
        if c.verb in _CALLS and c.prep("on", "at") and c.object:
            self._phone(mention(c.object), c.prep("on", "at") or [])
        elif c.verb in ("write", "email") and c.prep("at", "to") and "@" in "".join(c.prep("at", "to") or []):
            self.found.claim(mention(c.object or ["me"]), "email", Mention(phrase(c.prep("at", "to") or [])))
        elif (listed is not None or _names_list(c.object[-2:])) and c.object:
            off = (
                "off" in c.verb
                or any(name in ("off", "from") for name, _ in c.preps)
                or c.verb in ("remove", "delete", "cross")
            )
            thing = [w for w in c.object if w.lower() not in ("shopping", "list", "the", "from", "off")]
            if off:
                self.found.retract(Mention(SPEAKER), "to buy", phrase(thing))
            else:
                self._shopping(thing)
        elif c.verb in ("enter", "type", "dial", "use") and c.object:
            self._code()

    def _code(self) -> None:
        """Read "to open X, enter 123", "use 123 as the code of X"."""
        c = self.clause
        what = c.prep("as", "for")
        value = list(c.object)
        if what and is_name(value[-1]):
            self._copula(mention(what + self._of_tail("as")), value)

    def _of_tail(self, after: str) -> list[str]:
        names = [name for name, _ in self.clause.preps]
        i = names.index(after) if after in names else -1
        if i >= 0 and i + 1 < len(names) and names[i + 1] in ("of", "for"):
            return [names[i + 1], *self.clause.preps[i + 1][1]]
        return []

    def _phone(self, who: Mention | None, number: list[str]) -> None:
        text = phrase(number)
        self.found.claim(who, "email" if "@" in text and not text.startswith("@") else "phone number", _value(number))

    def _is_shopping(self) -> bool:
        if self.who != Mention(SPEAKER) or not self.clause.object:
            return False
        return self.clause.verb in ("buy", "order", "purchase") or not is_event(phrase(self.clause.object))

    def _shopping(self, things: Sequence[str]) -> None:
        for thing in _listed(things):
            text = [w for w in thing if w.lower() not in ("some", "more", "fresh")]
            self.found.claim(Mention(SPEAKER), "to buy", _value(text))

    def _be(self) -> None:
        c = self.clause
        obj = [w for w in c.object if not (w.startswith("@") and w[1:].isdigit())]
        low = [w.lower() for w in obj]
        if c.subject and c.subject[0].lower() == "there":
            self._there(obj)
        elif self.who is None and self.at is not None:
            self._copula(mention(obj), [])
        elif (c.negated or c.ended) and obj:
            if "but" in low and self.who is not None:
                new = _value(obj[low.index("but") + 1 :])
                self.found.claims.append(Claim(self.who, "~replaced", new or Mention(""), replaces=phrase(_kind(obj))))
            else:
                self.found.retract(self.who, "", phrase(_kind(obj)))
        elif c.negated:
            place = c.prep("in", "at", "with")
            self.found.retract(self.who, "", phrase(place or []))
        elif low[:2] == ["allergic"] or low[:1] == ["allergic"]:
            for thing in _listed(c.prep("to") or []):
                self.found.claim(self.who, "allergy", _value(thing))
        elif low[:2] == ["out", "of"] or (low[:1] == ["out"] and c.prep("of")):
            self._shopping(c.prep("of") or c.prep("out") or obj[2:])
        elif low[:1] in (["off"], ["cancelled"], ["over"]) and not c.preps:
            self.found.retract(self.who)
        elif low[:1] == ["valid"]:
            self.until = self.until or self.at
        elif low[:1] == ["due"] and self.when is not None:
            self.found.claim(self.who, "due", self.when)
        elif low[:1] == ["born"]:
            self.found.claim(self.who, "birthday", self.when)
        elif len(low) > 1 and low[-1] == "old" and obj[0][0].isdigit():
            self.found.claim(self.who, "age", Mention(obj[0]))
        elif low and low[0] in ("fond", "keen", "crazy", "mad", "into", "hooked"):
            self._likes(c.prep("of", "on", "about", "into") or obj[1:])
        elif low and low[-1] in ("fan", "supporter") and c.preps:
            self.found.claim(self.who, "team", _value(c.prep("of") or []))
        elif "of" in low and low[low.index("of") - 1] in ("fan", "supporter", "follower"):
            self.found.claim(self.who, "team", _value(obj[low.index("of") + 1 :]))
        elif low == ["married"] and "and" in c.subject:
            cut = c.subject.index("and")
            a, b = c.subject[:cut], c.subject[cut + 1 :]
            self.found.claim(mention(b), "spouse", _value(a))
        elif low and low[0] in ("married", "engaged") and c.prep("to"):
            self.found.claim(self.who, "spouse", mention(c.prep("to") or []))
        elif low == ["where"] or (self.who is not None and not obj):
            self._be_somewhere()
        elif obj:
            self._copula(self.who, obj)

    def _there(self, obj: list[str]) -> None:
        if self.clause.negated or (obj and obj[0].lower() == "no"):
            event = mention(["the", *obj[1:]] if obj[0].lower() == "no" else obj)
            person = mention(self.clause.prep("for") or [])
            self.found.retract(Mention(person.base, (*person.steps, *event.steps)) if person and event else event)
        elif obj and self.when is not None:
            self._event_facts(mention(obj if obj[0].lower() not in ("a", "an") else ["the", *obj[1:]]))

    def _be_somewhere(self) -> None:
        """Read "Anna is in Leeds", "the meeting is at the library on Friday", "the meeting is on Friday"."""
        c, who = self.clause, self.who
        place = c.prep("in", "at", "on", "near")
        if who is None:
            return
        if who.steps and (is_event(who.steps[-1]) or (self.when is not None and not _person(who))):
            if value_kind(who.steps[-1]) == "day" or (
                self.when is not None and who.steps[-1] and value_kind(by_noun(who.steps[-1]))
            ):
                self.found.claim(who.owner, by_noun(who.steps[-1]), self.when)
            else:
                self._event_facts(who)
        elif self.when is not None and not place:
            self._event_facts(who)
        elif who.steps and by_noun(who.steps[-1]) == "residence":
            self.found.claim(who.owner, "residence", _value(place or []))
        elif c.prep("from"):
            self.found.claim(who, "origin", _value(c.prep("from") or []))
        elif place and c.preps[0][0] == "on" and place[-1].lower() == "team":
            self.found.claim(who, "plays", _value(list(place[:-1])))
        elif c.prep("with") and not place:
            self.found.claim(who, "employer", _value(c.prep("with") or []))
        elif place:
            lasting = c.habit and self.until is None
            self.found.claim(who, "residence" if lasting and _person(who) else "location", _value(place))

    def _copula(self, who: Mention | None, obj: list[str]) -> None:
        """Read "X is Y": which of the two names a relation decides."""
        c = self.clause
        if who is None:
            return
        if not obj:
            if who.steps and self.when is not None:
                if value_kind(by_noun(who.steps[-1])):
                    self.found.claim(who.owner, by_noun(who.steps[-1]), self.when)
                else:
                    self._event_facts(who)
            return
        if len(obj) == 1 and re.fullmatch(r"\d{1,3}", obj[0]) and _person(who):
            self.found.claim(who, "age", Mention(obj[0]))
            return
        what = mention(_with_owner(obj, c))
        if len(obj) == 1 and obj[0].startswith("@"):
            what = Mention(GAP, (obj[0][1:],))
        if what is None:
            return
        asked = GAP in (who.base, what.base)
        if what.base == GAP and who.steps:
            self.found.claim(who.owner, by_noun(who.steps[-1]), what)
            return
        if what.steps and not who.steps and not (obj[0].lower() == "the" and not _of_owner(obj, c)):
            self.found.claim(what.owner, by_noun(what.steps[-1]), who)  # "Anna is my sister", "@gap is Anna's job"
        elif who.steps:
            if who.name and not asked:
                self._kind(Mention(who.base, who.steps, who.name), obj)
            elif not _person(who) or is_name(obj[-1]) or obj[0].lower() not in ("a", "an") or asked:
                if (_person(who) and obj[0].lower() in ("a", "an")) or (_person(who) and len(obj) == 1 and obj[0].islower() and not asked):
                    self._kind(who, obj)
                else:
                    relation = by_noun(who.steps[-1])
                    obj = [gender_of(obj[-1]) or obj[-1]] if relation == "gender" else obj
                    for thing in _listed(obj) if relation == "allergy" else [obj]:
                        self.found.claim(who.owner, relation, _value(thing) if not what.steps else what)
            else:
                self._kind(who, obj)
        else:
            self._kind(who, obj)

    def _kind(self, who: Mention, obj: list[str]) -> None:
        """Read "Anna is a nurse": what somebody is."""
        noun = phrase(obj)
        last = obj[-1].lower()
        if gender_of(last):
            self.found.claim(who, "gender", Mention(gender_of(last) or ""))
        elif is_diet(last):
            self.found.claim(who, "diet", Mention(last))
        elif re.fullmatch(r"\d{1,3}", noun):
            self.found.claim(who, "age", Mention(noun))
        elif obj[0].lower() in ("a", "an", "the") or who.base == GAP or noun.startswith("@"):
            self.found.claim(who, "occupation", _value(obj))

    def _change(self) -> bool:
        """Read "the meeting was moved to Friday", "I changed my number to 123": the same as "it is now …"."""
        c = self.clause
        subject = self.who if c.passive or not c.object else self._mention(_with_owner(c.object, c))
        purpose = mention(c.prep("for") or []) if not c.passive else None
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
        if not new or (not c.passive and not c.object and not (subject.steps and not _person(subject))):
            return False
        if subject.steps and (is_event(subject.steps[-1]) or (c.verb in ("move", "shift") and not _person(subject))):
            self.found.claim(subject, "place", _value(new))
        elif subject.steps and c.verb in ("change", "update", "switch", "reset", "set"):
            old = phrase(c.prep("from") or [])
            self.found.claim(subject.owner, by_noun(subject.steps[-1]), _value(new), replaces=old)
        else:
            return False
        return True

    def _ended(self) -> None:
        """Read "no longer lives in York", "stopped playing tennis", "does not work there any more"."""
        c = self.clause
        value = c.object or (c.preps[0][1] if c.preps else [])
        relation = "" if value else self._relation() or ""
        if value or relation:
            self.found.retract(self.who, relation, phrase(_kind(value)))

    def _leave(self) -> bool:
        """Read "has left X for Y", "traded the X in for a Y", "sold X", "switched from X to Y"."""
        c = self.clause
        old = [w for w in c.object if w.lower() != "in"] or c.prep("from", "of") or []
        new = c.prep("for", "to", "with")
        if c.verb == "leave" and (self.when is not None or not old) and new:
            return False  # "leaves for Rome on Friday"
        if not old:
            return False
        if new and c.verb not in ("give up", "stop"):
            self.found.claim(self.who, "", None)
            if self.who is not None:
                self.found.claims.append(Claim(self.who, "~replaced", _value(new) or Mention(""), replaces=phrase(old)))
        else:
            self.found.retract(self.who, "", phrase(old))
        return True

    def _have(self) -> None:
        c = self.clause
        obj = [w for w in c.object if not (w.startswith("@") and w[1:].isdigit())]
        low = [w.lower() for w in obj]
        if not obj or self.who is None:
            return
        if low[0] in ("married", "engaged") and c.verb == "get":
            self.found.claim(self.who, "spouse", _value(c.prep("to") or []))
            return
        head = next((i for i, w in enumerate(low) if w in ("called", "named")), None)
        if head is not None and head > 0:
            self._role(self._noun(obj[:head]), _value(obj[head + 1 :]))
        elif any(mark in obj[:-1] for mark in (":", ",")):
            cut = next(i for i, w in enumerate(obj) if w in (":", ","))
            self._role(self._noun(obj[:cut]), _value(obj[cut + 1 :]))
        elif self.when is not None and (is_event(phrase(obj)) or self.clause.verb == "have"):
            with_whom = c.prep("with")
            name = phrase_key(phrase(obj)) if not with_whom or not obj else phrase(obj).lower()
            self._event_facts(self.who.of(name))
        elif c.verb != "have" and low[:1] and self._bought(obj):
            pass
        elif low[-1] in ("flat", "house", "apartment", "home", "place") and c.prep("in", "at"):
            self.found.claim(self.who, "residence", _value(c.prep("in", "at") or []))
        elif c.again and c.verb == "have":
            self.found.retract(self.who, "to buy", phrase(obj))
        elif len(obj) > 1 and is_name(obj[-1]) and is_relation_noun(" ".join(low[:-1])):
            self.found.claim(self.who, by_noun(" ".join(low[:-1])), _value(obj[-1:]))
        elif len(obj) > 1 and is_name(obj[-1]) and role_of(low[-2]):
            self._role(self._noun(obj[:-1]), _value(obj[-1:]))
        else:
            for thing in _listed(obj):
                known = thing[0].lower() in ("a", "an") and not any(map(is_name, thing))
                self.found.claim(self.who, "own", self.who.of(self._noun(thing)) if known else _value(thing))

    def _bought(self, obj: list[str]) -> bool:
        """Read "I have bought milk": it needs no buying any more; "a Volvo" is owned, too."""
        c = self.clause
        if c.need or c.verb not in ("buy", "get"):
            return False
        for thing in _listed(obj):
            self.found.retract(self.who, "to buy", phrase(thing))
            if thing[0].lower() in ("a", "an"):
                self.found.claim(self.who, "own", _value(thing))
        return True

    def _job(self) -> bool:
        """Read "has taken a job as a nurse at Arden Group"."""
        c = self.clause
        job = (c.object or c.prep("to") or [""])[-1].lower() in ("job", "position", "post") or (c.prep("to") or [""])[
            -1
        ].lower() in ("job", "position", "post")
        if not job or c.verb == "be" or not c.prep("at", "with", "as", "in", "for"):
            return False
        self.found.claim(self.who, "occupation", _value(c.prep("as") or []))
        self.found.claim(self.who, "employer", _value(c.prep("at", "with", "in", "for") or []))
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
            self.found.claim(who.owner, by_noun(who.steps[-1]), _value(value))
        else:
            self.found.claim(who, "name", _value(value))

    def _event(self) -> bool:
        """Read what takes place somewhere or at some time: events, and travelling."""
        c, who = self.clause, self.who
        to = c.prep("to", "for", "into")
        if c.verb in _TRAVELS and to and self.when is not None and who is not None and (_person(who) or not who.steps):
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
            self.found.claim(purpose, "place", _value(c.prep("at", "in", "to") or []))
            return True
        if c.verb == "take" and c.object[:1] == ["place"]:
            c.verb, c.object = "take place", []
        if (
            c.verb in ("take place", "hold", "happen", "meet", "start", "begin", "fall", "end", "open")
            and who is not None
        ):
            event = who
            if c.verb == "meet":
                purpose = c.prep("for")
                found = mention(purpose) if purpose else None
                if found is None or not found.steps:
                    return False
                event = found
            elif not (
                who.steps and (is_event(who.steps[-1]) or self.when is not None or value_kind(by_noun(who.steps[-1])))
            ) and not is_event(who.base):
                return False
            if event.steps and value_kind(by_noun(event.steps[-1])):
                self.found.claim(event.owner, by_noun(event.steps[-1]), self.when)
            else:
                self._event_facts(event)
            return True
        return False

    def _event_facts(self, event: Mention | None) -> None:
        """Add when, where and with whom something takes place."""
        c = self.clause
        if event is None:
            return
        if (
            event.steps
            and (to := c.prep("to"))
            and event.steps[-1].split()[-1] in ("trip", "flight", "journey", "travel")
        ):
            event = Mention(event.base, (*event.steps[:-1], f"trip to {phrase(to)}".lower()))
        place = [w for w in c.prep("at", "in", "near") or [] if not w.startswith("@when")]
        self.found.claim(event, "place", _value(place) if place else None)
        self.found.claim(event, "time", self.when)
        self.found.claim(event, "with", mention(c.prep("with") or []))

    def _allergy(self) -> bool:
        """Read "can't eat nuts because of an allergy", "suffers from a nut allergy", "nuts give me an allergic reaction"."""
        c = self.clause
        words = [*c.object, *(w for _, more in c.preps for w in more)]
        if not any(w.lower().startswith("allerg") for w in words):
            return False
        if c.verb in ("give", "cause", "trigger") and c.object:
            cut = next((i for i, w in enumerate(c.object) if w.lower() in ("a", "an")), len(c.object))
            self.found.claim(mention(c.object[:cut]), "allergy", _value(c.subject))
            return True
        if c.verb in ("eat", "avoid", "suffer", "tolerate", "drink", "touch", "stand", "have", "develop"):
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
            for thing in _listed(kept):
                self.found.claim(self.who, "allergy", _value(thing))
            return True
        return False

    def _likes(self, things: Sequence[str]) -> None:
        for thing in _listed(things):
            self.found.claim(self.who, "likes", _value(thing))

    def _relation(self) -> str | None:
        c = self.clause
        verbs = [f"{c.verb} {c.preps[0][0]}"] if c.preps and not c.object else []
        verbs += [f"{c.verb}d {c.preps[0][0]}", f"{c.verb}ed {c.preps[0][0]}"] if c.passive and c.preps else []
        if c.object and c.preps:
            verbs.append(f"{c.verb} {c.preps[0][0]}")
        return next((relation for verb in [*verbs, c.verb] if (relation := by_verb(verb))), None)

    def _verb(self) -> None:
        """Read any other verb: a relation of the schema, or the verb itself."""
        c, who = self.clause, self.who
        relation = self._relation()
        obj = [w for w in c.object if not (w.startswith("@") and w[1:].isdigit())]
        first = next((words for name, words in c.preps if name != "instead of" and words != ["@when"]), [])
        replaces = phrase(c.prep("instead of") or [])
        if relation == "likes" and ":" in obj and obj[0].lower() in ("another", "a") and who is not None:
            noun = [w for w in obj[1 : obj.index(":")] if w.lower() not in ("now", "different", "other")]
            self.found.claim(who, by_noun(f"favourite {' '.join(noun)}"), _value(obj[obj.index(":") + 1 :]))
            return
        if who is None or (c.subject and c.subject[0].lower() in ("it", "that", "this", "what", "there")):
            return
        if c.verb == "turn" and obj and re.fullmatch(r"\d{1,3}", obj[0]):
            self.found.claim(who, "age", Mention(obj[0]))
            return
        if relation == "name":
            first, obj = _after_name(first), _after_name(obj)
            relation = (
                "nickname"
                if "nickname" in [w.lower() for w in [*c.object, *(w for _, more in c.preps for w in more)]]
                else "name"
            )
        if c.verb == "do" and (c.prep("for") or [""])[-1] == "living":
            relation = "occupation"
        if c.verb == "born" and self.when is not None:
            self.found.claim(who, "birthday", self.when)
            return
        if (
            relation is None
            and obj
            and first
            and c.verb in ("do", "take", "pursue", "finish")
            and is_relation_noun(phrase(obj))
        ):
            self.found.claim(who, by_noun(phrase(obj)), _value(first))  # "is doing a degree in physics"
            return
        if relation is None:
            if c.verb == "do" and obj[:1] and obj[0].startswith("@"):
                self.found.claim(who, "~do", _value(obj))
            if c.past or c.verb in _THOUGHTS:
                return
            if obj:
                self.found.claim(who, f"~{c.verb}", _value(obj), replaces=replaces)
            elif first and c.preps:
                self.found.claim(who, f"~{c.verb} {c.preps[0][0]}", _value(first), replaces=replaces)
            return
        many = relations()[relation].many
        by_preposition = (
            bool(first)
            if relation in ("name", "nickname")
            else bool(first) and (not obj or by_verb(f"{c.verb} {c.preps[0][0]}") == relation != by_verb(c.verb))
        )
        value = first if by_preposition else obj
        for thing in _listed(value) if many else [value]:
            self.found.claim(who, relation, _value(thing), replaces=replaces)
        if relation == "education" and c.prep("at"):
            self.found.claim(who, "school", _value(c.prep("at") or []))
        if relation == "occupation" and c.prep("for", "at"):
            self.found.claim(who, "employer", _value(c.prep("for", "at") or []))
        if relation == "employer" and c.prep("as"):
            self.found.claim(who, "occupation", _value(c.prep("as") or []))
        if relation in ("code",) and not by_preposition:
            self.found.claims = [replace(claim) for claim in self.found.claims]


def _value(words: Sequence[str]) -> Mention | None:
    """Return a noun phrase that is a value: possessives are mentions, everything else is text."""
    words = _before_apposition(words)
    kept = [w for w in words if w not in (",", ":")]
    while kept and kept[-1].lower() in ("now", "too", "instead", "again"):
        kept.pop()
    if not kept:
        return None
    for word in kept:
        if word.startswith("@") and not word[1:].isdigit():
            return Mention(GAP, (word[1:],))
    low = kept[0].lower()
    if low in ("my", "our", "his", "her", "their", "its") or (len(kept) == 1 and low in PRONOUNS) or "'s" in kept:
        return mention(kept)
    text = phrase(kept)
    return Mention(text) if text and not text.startswith("@") else None


def _before_apposition(words: Sequence[str]) -> Sequence[str]:
    """Cut "Arden Group, the company" to "Arden Group"."""
    cut = next(
        (i for i, word in enumerate(words[:-1]) if i and word == "," and words[i + 1].lower() in ("the", "a", "an")),
        None,
    )
    return words[:cut]


def _after_name(words: Sequence[str]) -> list[str]:
    """Cut "the name of Rex" and "the nickname Rex" to "Rex"."""
    kept = [word for word in words if word.lower() not in ("the", "name", "nickname")]
    return kept[1:] if kept[:1] == ["of"] else kept


def _listed(words: Sequence[str]) -> list[list[str]]:
    """Split "milk, eggs and bread"."""
    parts: list[list[str]] = [[]]
    for word in words:
        if word.lower() in (",", "and", "or", "&"):
            parts.append([])
        else:
            parts[-1].append(word)
    return [part for part in parts if part]


def _kind(words: Sequence[str]) -> list[str]:
    """Cut "a nurse but a teacher" to "a nurse"."""
    for i, word in enumerate(words):
        if word.lower() in ("but", ","):
            return list(words[:i])
    return list(words)


def _names_list(words: Sequence[str]) -> bool:
    return (
        " ".join(w.lower() for w in words if w.lower() not in DETERMINERS and w.lower() not in ("my", "our")) in _LISTS
    )


def _person(who: Mention) -> bool:
    """Whether a mention is of somebody rather than of something."""
    if who.steps:
        return role_of(who.steps[-1]) is not None or bool(who.name)
    return who.base != "it"


def _of_owner(obj: Sequence[str], clause: Clause) -> bool:
    return any(name in ("of", "for") for name, _ in clause.preps) or any(w.lower() in ("of", "for") for w in obj)


def _with_owner(obj: Sequence[str], clause: Clause) -> list[str]:
    """Return "the code" with the "of my bike" or "for my bike" that stands apart."""
    if (
        clause.preps
        and clause.preps[0][0] in ("of", "for")
        and not any(w.lower() in ("of",) for w in obj)
        and clause.verb != "move"
    ):
        words = clause.preps[0][1]
        if words and (
            words[0].lower() in ("my", "our", "his", "her", "their", "its", "the", "me", "us") or is_name(words[0])
        ):
            return [*obj, "of", *words]
    return list(obj)
