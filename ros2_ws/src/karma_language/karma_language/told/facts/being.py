# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What somebody or something is, is called, and where."""

from __future__ import annotations

import re

from karma_language.told.facts.english import is_name, mention, phrase
from karma_language.told.facts.extraction import GAP, SPEAKER, Mention
from karma_language.told.facts.having import Having
from karma_language.told.facts.noun_phrases import (
    as_value,
    first_kind,
    has_owner,
    is_person,
    listed,
    with_owner,
)
from karma_language.told.facts.relations import (
    by_noun,
    gender_of,
    is_diet,
    is_event,
    value_kind,
)
from karma_language.vocabulary.words import ADVERBS, PEOPLE, PLAIN_ADJECTIVES, STATES

_PEOPLES = re.compile(
    r"\b(?:\w+(?:ish|ese|ist|ican)|\w{3,}ian|french|dutch|czech|greek|swiss|german|catholic|muslim|hindu|thai|arab|welsh)\b",
    re.IGNORECASE,
)
"""Of which people or faith somebody is."""


class Being(Having):
    """What somebody or something is, is called, and where."""

    def _be(self) -> None:
        c = self.clause
        obj = [w for w in c.object if not (w.startswith("@") and w[1:].isdigit())]
        low = [w.lower() for w in obj]
        if c.subject and c.subject[0].lower() == "there":
            self._there(obj)
        elif self.who is None and self.at is not None and not c.negated:
            self._copula(mention(obj), [])
        elif (c.negated or c.ended) and obj:
            self.found.retract(self.who, "", phrase(first_kind(obj)))
        elif low[:1] == ["allergic"]:
            for thing in listed(c.prep("to") or []):
                self.found.claim(self.who, "allergy", as_value(thing))
        elif low[:2] == ["out", "of"]:
            self._shopping(obj[2:])
        elif low[:1] in (["off"], ["cancelled"], ["over"]) and not c.preps:
            self.found.retract(self.who)
        elif low[:1] == ["valid"]:
            self.until = self.until or self.at
        elif low[:1] == ["due"] and self.when is not None:
            self.found.claim(self.who, "due", self.when)
        elif low[:1] == ["born"]:
            self.found.claim(self.who, "birthday", self.when)
        elif len(low) > 1 and low[1] == "years" and obj[0][0].isdigit():
            self.found.claim(self.who, "age", Mention(obj[0]))
        elif low and low[0] in ("fond", "keen", "crazy", "mad", "into", "hooked"):
            self._likes(c.prep("of", "on", "about", "into") or obj[1:])
        elif "of" in low and low[low.index("of") - 1] in ("fan", "supporter", "follower"):
            self.found.claim(self.who, "team", as_value(obj[low.index("of") + 1 :]))
        elif low in (["where"], ["away"]) or (self.who is not None and not obj):
            self._be_somewhere()
        elif obj:
            self._copula(self.who, obj)

    def _there(self, obj: list[str]) -> None:
        if obj and (self.clause.negated or obj[0].lower() == "no"):
            if obj[-1].lower() in ("left", "more"):
                self._shopping([w for w in obj if w.lower() not in ("no", "left", "more")])
                return
            whose = self.clause.prep("for") or []
            if "for" in obj:
                obj, whose = obj[: obj.index("for")], obj[obj.index("for") + 1 :]
            event = mention(["the", *obj[1:]] if obj[0].lower() == "no" else obj)
            person = mention(whose)
            self.found.retract(Mention(person.base, (*person.steps, *event.steps)) if person and event else event)
        elif obj and self.when is not None:
            self._event_facts(mention(obj if obj[0].lower() not in ("a", "an") else ["the", *obj[1:]]))

    def _be_somewhere(self) -> None:
        """Read "Anna is in Leeds", "the meeting is at the library on Friday", "the meeting is on Friday"."""
        c, who = self.clause, self.who
        place = c.prep("in", "at", "on", "near")
        if who is None:
            return
        if who.steps and (is_event(who.steps[-1]) or (self.when is not None and not is_person(who))):
            if value_kind(by_noun(who.steps[-1])):
                self.found.claim(who.owner, by_noun(who.steps[-1]), self.when)
            else:
                self._event_facts(who)
        elif self.when is not None and not place:
            self._event_facts(who)
        elif who.steps and (by_noun(who.steps[-1]) == "residence" or who.steps[-1] in ("house", "flat", "apartment")):
            self.found.claim(who.owner, "residence", as_value(place or []))
        elif c.prep("from"):
            self.found.claim(who, "origin", as_value(c.prep("from") or []))
        elif place and c.preps[0][0] == "on" and place[-1].lower() == "team":
            self.found.claim(who, "plays", as_value(list(place[:-1])))
        elif c.prep("with") and not place:
            self.found.claim(who, "employer", as_value(c.prep("with") or []))
        elif place:
            lasting = c.habit and self.until is None
            asked = any(word.startswith("@") for word in place)
            self.found.claim(
                who, "residence" if lasting and is_person(who) and not asked else "staying", as_value(place)
            )

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
        if obj[0].lower() in ("mine", "ours"):
            obj = obj[:1]  # "is mine, please leave it alone"
        if len(obj) == 1 and re.fullmatch(r"\d{1,3}", obj[0]) and is_person(who):
            self.found.claim(who, "age", Mention(obj[0]))
            return
        if len(obj) > 1 and obj[0].islower() and obj[1] in ("of", "at", "with"):
            return  # "is scared of fireworks", "is good at chess"
        what = mention(with_owner(obj, c))
        if len(obj) == 1 and obj[0].startswith("@"):
            what = Mention(GAP, (obj[0][1:],))
        if what is None:
            return
        asked = GAP in (who.base, what.base)
        if what.steps and not who.steps and not (obj[0].lower() == "the" and not has_owner(obj, c)):
            self.found.claim(what.owner, by_noun(what.steps[-1]), who)  # "Anna is my sister", "@gap is Anna's job"
        elif who.steps:
            if who.name and not asked:
                self._kind(Mention(who.base, who.steps, who.name), obj)
            elif not is_person(who) or is_name(obj[-1]) or obj[0].lower() not in ("a", "an") or asked:
                if (is_person(who) and obj[0].lower() in ("a", "an")) or (
                    is_person(who) and len(obj) == 1 and obj[0].islower() and not asked
                ):
                    self._kind(who, obj)
                else:
                    relation = by_noun(who.steps[-1])
                    obj = [gender_of(obj[-1]) or obj[-1]] if relation == "gender" else obj
                    self.found.claim(who.owner, relation, what if what.steps else as_value(obj))
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
        elif obj[0].lower() in ("a", "an", "the") or who.base == GAP or noun.startswith("@"):
            self.found.claim(who, "occupation", as_value(obj))
        elif who.base == SPEAKER and not who.steps and _is_called(noun):
            self.found.claim(who, "name", as_value(obj))  # "I'm Ruth", but not "I'm French"


def _is_called(words: str) -> bool:
    """Whether words are what somebody is called: "I'm Ruth", but not "I'm French"."""
    said = {*words.casefold().split()}
    known = said & (STATES.keys() | ADVERBS | PEOPLE | PLAIN_ADJECTIVES)
    return words.istitle() and not known and _PEOPLES.search(words) is None
