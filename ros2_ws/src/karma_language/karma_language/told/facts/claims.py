# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a clause claims: its verb, object and prepositions as relations between entities."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from karma_language.told.facts.being import Being
from karma_language.told.facts.clause_reading import Found
from karma_language.told.facts.english import is_name, mention, phrase
from karma_language.told.facts.extraction import SPEAKER, Mention, Retraction
from karma_language.told.facts.having import UNTOUCHED
from karma_language.told.facts.noun_phrases import (
    after_name,
    as_value,
    listed,
    names_list,
)
from karma_language.told.facts.relations import (
    by_noun,
    by_verb,
    gender_of,
    is_relation_noun,
    relations,
)
from karma_language.told.facts.times import SpokenTime
from karma_language.told.facts.verb_group import Clause, split_at
from karma_language.vocabulary.english import word_set

_CHANGES = word_set("changes")
_CANCELS = word_set("cancels")
_CALLS = word_set("calls")
_GETS = word_set("gets")
_LEAVES = word_set("leaves")
_THOUGHTS = word_set("thoughts")
"""Verbs whose object is no fact about the subject."""
_BUYS = word_set("buys")


def read(clause: Clause, times: Sequence[SpokenTime], found: Found) -> None:
    """Add what a clause claims to `found`. Of a denied one, add what it ends, and that what it would claim isn't so."""
    if not (clause.negated or clause.ended):
        said, denied = split_at("not", clause)
        Reading(said, times, found).read()
        if denied is not None:  # "lives in Rome, not in Oslo"
            _deny(replace(denied, negated=True), times, found)
        return
    denied, instead = split_at("but", clause)
    _deny(denied, times, found)
    if instead is not None:
        Reading(replace(instead, negated=False, ended=False), times, found).read()


def _deny(denied: Clause, times: Sequence[SpokenTime], found: Found) -> None:
    """Add what a denied clause ends, and that what it would claim isn't so."""
    ends, would_claim = Found(), Found()
    Reading(denied, times, ends).read()
    found.retractions += ends.retractions
    if ends.claims and (denied.verb in UNTOUCHED | {"bear"} or denied.subject[:1] in (["there"], ["There"])):
        found.claims += ends.claims  # "can't eat nuts because of an allergy", "there is no milk left"
    elif not ends.retractions or denied.verb == "be":  # "my boss is not Kim" is about me, too
        Reading(replace(denied, negated=False, ended=False), times, would_claim).read()
        for claim in would_claim.claims:
            if claim.relation != "~replaced":
                found.retractions.append(Retraction(claim.subject, claim.relation, claim.object))


class Reading(Being):
    """One clause of any kind."""

    def read(self) -> None:
        """Add the claims."""
        c, verb = self.clause, self.clause.verb
        if verb == "call" and len(c.object) > 1 and not c.passive and not c.preps:
            cut = 1 if c.object[0].lower() in ("me", "us", "him", "her", "them") else len(c.object) - 1
            self.found.claim(mention(c.object[:cut]), "nickname", as_value(c.object[cut:]))
        elif c.subject == ["you"] or (c.subject and c.subject[0].lower() == "you"):
            self._instruction()
        elif verb in _CANCELS and not c.negated:
            self.found.retract(mention(c.object) if c.object and not c.passive else self.who)
        elif c.need and verb in _BUYS and self._is_shopping():
            self._shopping(c.object)
        elif verb == "need" and "@what" in c.object and (mention(c.prep("for") or []) or Mention("")).steps:
            self.found.claim(mention(c.prep("for") or []), "~need", as_value(c.object))
        elif verb == "need" and c.object and self.who == Mention(SPEAKER):
            self._shopping(c.object)
        elif verb in _BUYS - {"get", "buy", "bring"} and not c.need and not c.negated and c.object:
            for thing in listed(c.object):
                self.found.retract(self.who, "to buy", phrase(thing))
        elif verb == "marry" and "and" in c.subject and not c.object and not c.preps:
            cut = c.subject.index("and")
            self.found.claim(mention(c.subject[cut + 1 :]), "spouse", as_value(c.subject[:cut]))
        elif verb == "run out" and c.prep("of"):
            self._shopping(c.prep("of") or [])
        elif (verb == "be" and not c.passive) or (
            verb == "become" and c.object and mention(c.object) not in (None, Mention(phrase(c.object)))
        ):
            self._be()
        elif self._job() or (verb in _CHANGES and self._change()) or self._allergy():
            pass
        elif c.negated and verb in ("stand", "bear") and c.object:
            for thing in listed(c.object):
                self.found.claim(self.who, "dislikes", as_value(thing))
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

    def _instruction(self) -> None:
        """Read "call me on 123", "put milk on the shopping list", "take milk off it", "you can reach me on 123"."""
        c = self.clause
        listed = next(
            (words for name, words in c.preps if name in ("on", "to", "onto", "off", "from") and names_list(words)),
            None,
        )
        if c.verb in _CALLS and c.prep("on", "at") and c.object:
            self._phone(mention(c.object), c.prep("on", "at") or [])
        elif (listed is not None or names_list(c.object[-2:])) and c.object:
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
            self._copula(mention(what), value)

    def _verb(self) -> None:
        """Read any other verb: a relation of the schema, or the verb itself."""
        c, who = self.clause, self.who
        relation = self._relation()
        obj = [w for w in c.object if not (w.startswith("@") and w[1:].isdigit())]
        first = next((words for name, words in c.preps if name != "instead of" and words != ["@when"]), [])
        replaces = phrase(c.prep("instead of") or [])
        if relation == "likes" and ":" in obj and obj[0].lower() in ("another", "a") and who is not None:
            noun = [w for w in obj[1 : obj.index(":")] if w.lower() not in ("now", "different", "other")]
            self.found.claim(who, by_noun(f"favourite {' '.join(noun)}"), as_value(obj[obj.index(":") + 1 :]))
            return
        if who is None or (c.subject and c.subject[0].lower() in ("it", "that", "this", "what", "there")):
            return
        if c.verb == "turn" and obj and re.fullmatch(r"\d{1,3}", obj[0]):
            turned = self.when is None  # "is turning 70 on 3 May" says when, and not that they are
            self.found.claim(who, "age" if turned else "birthday", Mention(obj[0]) if turned else self.when)
            return
        if relation == "name":
            first, obj = after_name(first), after_name(obj)
            relation = (
                "nickname"
                if "nickname" in [w.lower() for w in [*c.object, *(w for _, more in c.preps for w in more)]]
                else "name"
            )
        if c.verb in ("employ", "hire") and not c.passive and obj and not first:
            self.found.claim(mention(obj), "employer", self.who)
            return
        if c.verb == "do" and (c.prep("for") or [""])[-1] == "living":
            relation = "occupation"
        if (
            relation is None
            and obj
            and first
            and c.verb in ("do", "take", "pursue", "finish")
            and is_relation_noun(phrase(obj))
        ):
            self.found.claim(who, by_noun(phrase(obj)), as_value(first))  # "is doing a degree in physics"
            return
        if relation is None:
            if c.verb == "do" and obj[:1] and obj[0].startswith("@"):
                self.found.claim(who, "~do", as_value(obj))
            if c.past or c.hypothetical or c.verb in _THOUGHTS:
                return
            if obj:
                self.found.claim(who, f"~{c.verb}", as_value(obj), replaces=replaces)
            elif first and c.preps:
                self.found.claim(who, f"~{c.verb} {c.preps[0][0]}", as_value(first), replaces=replaces)
            return
        if relation == "gender":
            first = [gender_of(first[-1]) or first[-1]] if first else first
        many = relations()[relation].many
        by_preposition = (
            bool(first)
            if relation in ("name", "nickname")
            else bool(first) and (not obj or by_verb(f"{c.verb} {c.preps[0][0]}") == relation != by_verb(c.verb))
        )
        value = first if by_preposition else obj
        for thing in listed(value) if many else [value]:
            self.found.claim(who, relation, as_value(thing), replaces=replaces)
