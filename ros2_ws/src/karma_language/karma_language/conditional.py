# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Clauses that ask for something, and the conditions under which they do."""

from __future__ import annotations

import re
from dataclasses import replace

from karma_language.frames import Clause
from karma_language.patterns import (
    BE,
    BRING,
    ELSE,
    IF,
    LEFT,
)
from karma_language.phrases import Phrase
from karma_language.reading import (
    Condition,
    Deed,
    Goal,
    Question,
    Relation,
    Thing,
    Told,
    Where,
)
from karma_language.tokens import STOPS
from karma_language.utterance import Utterance, at_its_place
from karma_language.verbs import Verb, verb_at
from karma_language.words import ADVERBS, STATES, base_form, each

_THERE = each(
    "there is|there are|you find|you see|you have|we have|we have got|i have|you come across|you can find|we still have"
    "|you spot",
    "|",
)
"""What begins a condition that something is there."""


_SHORT = re.compile(r"(?:(?:it|they|that|there) (?:is|are|was)(?: not)?(?: already| still| yet)?|so|not)\b")
_UNDONE = {Deed.SWITCH_ON: "off", Deed.SWITCH_OFF: "on", Deed.OPEN: "closed", Deed.CLOSE: "open"}
"""Deeds that a state makes needless → the state in which they are not."""


def _without(thing: Thing, but: tuple[Thing, ...]) -> Thing:
    """Return all of a thing but some."""
    return thing.model_copy(update={"but": thing.but + but, "every": True})


class Conditional(Utterance):
    """Reads clauses with an imperative, and what they depend on."""

    def _conditional(self, at: int) -> int:
        """Read a condition before what depends on it."""
        other = self._clauses.matched(ELSE, at)
        if other > at:
            before = next((goal.condition for goal in reversed(self._goals) if goal.condition), None)
            if before is not None:
                self._condition = before.model_copy(update={"negated": not before.negated})
            return other
        if self._clauses.matched(IF, at) == at:
            return at
        read = self._read_condition(at)
        if read is None:
            end = at
            while end < len(self._words) and self._words[end] not in STOPS | {","}:
                end += 1
            self._unread += [(i, self._words[i]) for i in range(at, end)]
            return end
        condition, end = read
        if self._word(end) in STOPS | {""} and len(self._goals) > self._sentence:  # "…, if there is one"
            self._goals[self._sentence :] = [
                goal.model_copy(update={"condition": at_its_place(condition, goal)})
                for goal in self._goals[self._sentence :]
            ]
            return end
        self._condition = condition
        while self._word(end) in (",", "then"):
            end += 1
        return end

    def _trailing(self, at: int) -> tuple[int, Condition | None]:
        """Read a condition behind what depends on it; it holds for the whole sentence."""
        begin = at + 1 if self._word(at) == "," else at
        if self._clauses.matched(IF, begin) == begin or self._clauses.matched(ELSE, begin) > begin:
            return at, None
        read = self._read_condition(begin)
        if read is None or self._word(read[1]) not in STOPS | {"", ",", "and", "then"}:
            return at, None
        condition, end = read
        goes_on = self._word(end) not in STOPS | {""}
        self._goals[self._sentence :] = [
            goal.model_copy(update={"condition": at_its_place(condition, goal)})
            for goal in self._goals[self._sentence :]
        ]
        self._sentence = len(self._goals) + 1 if goes_on else self._sentence
        return end, condition

    def _read_condition(self, at: int) -> tuple[Condition, int] | None:
        unless = self._word(at) == "unless"
        at = self._clauses.matched(IF, at)
        if (short := self._short_condition(at, unless)) is not None:
            return short
        start = at
        left = self._clauses.matched(LEFT, at)
        subject = self._phrases.read(left, bare=False)
        if left > at and subject is not None and (state := STATES.get(base_form(self._word(subject.end)), "")):
            return Condition(thing=subject.thing, state=state, negated=unless), subject.end + 1
        for lead in _THERE:
            if self._clauses.rest(at, len(lead.split())) == lead:
                at += len(lead.split())
                none = self._word(at) in ("no", "not")
                at += self._word(at) in ("not", "no")
                while self._word(at) in ("still", "any", "some", "got") and self._word(at + 1):
                    at += 1
                phrase = self._phrases.read(at, bare=True)
                if phrase is None:
                    return None
                thing, end = self._placed(phrase)
                end += self._word(end) == "left"
                end += self._word(end) in ("anywhere", "somewhere", "around")
                thing, end = (thing, end) if thing.place else self._placed(Phrase(thing, end))
                return Condition(thing=thing, negated=none != unless), end
        subject = self._phrases.read(at, bare=False)
        if subject is None:
            return None
        thing, end = self._placed(subject)
        if self._word(end) not in BE:
            return None
        end += 1
        negated = unless
        while self._word(end) in ADVERBS | {"not", "already", "still"}:
            negated = negated != (self._word(end) == "not")
            end += 1
        if self._word(end) in ("there", "here"):
            place = Where(relation=Relation.AT, thing=Thing(text="there", pronoun=True))
            return Condition(thing=thing.model_copy(update={"place": place}), negated=negated), end + 1
        if (preposition := self._phrases.preposition(end)) is not None:
            inner = self._phrases.read(preposition[1], bare=False)
            if inner is not None:
                place = Where(relation=preposition[0], thing=inner.thing)
                return Condition(thing=thing.model_copy(update={"place": place}), negated=negated), inner.end
        out = self._word(end) == "out" and self._phrases.preposition(end + 1) is not None
        if out:
            inner = self._phrases.read(self._phrases.preposition(end + 1)[1])  # type: ignore[index]
            if inner is not None:
                place = Where(relation=Relation.ON, thing=inner.thing)
                return Condition(thing=thing.model_copy(update={"place": place}), negated=negated), inner.end
        state = STATES.get(base_form(self._word(end)), "")
        if not state or start == end:
            return None
        end += 1
        if thing.place is None:
            thing, end = self._placed(Phrase(thing, end))
        while self._word(end) in ADVERBS | {"yet", "already", "again"}:
            end += 1
        return Condition(thing=thing, state=state, negated=negated), end

    def _short_condition(self, at: int, unless: bool) -> tuple[Condition, int] | None:
        """Read a condition that leaves out what was asked before: "if there IS", "if it ISN'T", "if SO"."""
        end = self._clauses.matched(_SHORT, at)
        asked = next((item for item in reversed(self._others) if isinstance(item, Question) and item.thing), None)
        if end == at or self._word(end) not in STOPS | {"", ","}:
            return None
        negated = ("not" in self._words[at:end]) != unless
        if asked is not None and asked.thing is not None:
            thing = asked.thing if asked.place is None else asked.thing.model_copy(update={"place": asked.place})
            return Condition(thing=thing, state=asked.state, negated=negated), end
        last = self._goals[-1] if self._goals else None
        if last is None or last.do not in _UNDONE or last.thing is None:
            return None
        undone = _UNDONE[last.do]  # "turn it off if it is": on; "close it if it isn't": closed
        return Condition(thing=last.thing, state=undone), end

    def _request(self, verb: Verb, at: int) -> int:
        """Read a clause; return the index after it."""
        if verb.base == "use" and (tool := self._tool(at)) is not None:
            return tool
        clause = self._clauses.read(verb, at)
        first = self._word(clause.end - 1) == "first" and self._last is not None and bool(self._goals)
        if first and self._last is not None and all(one.thing.pronoun for one in clause.themes):
            clause.themes = list(self._last.themes)  # "put the mug away. Wait, wash it FIRST"
        return self._take_in(clause, at, first=first)

    def _take_in(self, clause: Clause, at: int, *, first: bool = False) -> int:
        """Add the goals of a clause; `first`: before those of the clause before it."""
        if clause.negated:
            self._never.append(Goal(quote=self._quote(at, clause.end), do=Deed.OTHER))
            return clause.end
        if self._topic and not clause.themes and clause.verb.sense:
            clause.themes = self._topic
        self._topic = []
        if self._fronted is not None and (not clause.places or clause.verb.sense == "look"):
            clause.places, self._fronted = [*clause.places, self._fronted], None
        if self._source is not None and clause.source is None:
            clause.source, self._source = self._source, None
        if self._is_spot(clause):
            self._fronted = clause.places[-1]
            return clause.end
        shares = clause.themes or clause.places or clause.particles
        if not shares and self._word(clause.end) == "and" and self._clauses.verb(clause.end + 1) and not self._goals:
            self._waiting = clause
            return clause.end
        if self._waiting is not None and clause.themes:
            before, self._waiting = replace(self._waiting, themes=list(clause.themes)), None
            self._add(self._frames.goals(before, self._quote(before.start, clause.end)))
        if self._using is not None and clause.using is None:
            clause.using, self._using = self._using, None
        end, condition = self._trailing(clause.end)
        goals = self._frames.goals(clause, self._quote(at, clause.end))
        if not goals and clause.themes:
            self._spare(clause)
        heading = self._word(end) == ":" and self._begins(end + 1)
        if heading and (clause.verb is BRING or all(goal.do is Deed.OTHER for goal in goals)):
            self._tell(at, end)  # "make a coffee: put the mug …"
            return end
        self._unread += [(at, word) for word in clause.unread if word.isalnum()]
        if any(goal.do is Deed.PLACE and goal.to is not None for goal in goals):
            goals = self._carried_out(goals)
        self._add(goals, condition, first=first)
        self._last = clause
        return end

    def _carried_out(self, goals: list[Goal]) -> list[Goal]:
        """Return goals that say where goes what was to be put nowhere yet: "tidy up, put everything in the box"."""
        names = {goal.thing.text for goal in goals if goal.thing is not None}
        for goal in [one for one in self._goals if one.do is Deed.PLACE and one.to is None and not one.back]:
            thing = goal.thing
            if thing is not None and (thing.every or thing.text in names):
                self._goals.remove(goal)
                about = thing.place.thing if thing.place is not None else thing
                self._others.append(Told(quote=goal.quote, about=(about,)))
                same = [one.thing is not None and one.thing.text == thing.text and not one.thing.place for one in goals]
                goals = [
                    one.model_copy(update={"thing": thing}) if it else one for one, it in zip(goals, same, strict=True)
                ]
        return goals

    def _is_spot(self, clause: Clause) -> bool:
        """Whether a place is sought for what is put there next: "find a spot on the shelf to put the vase"."""
        spots = [one for one in clause.themes if one.thing.text.split()[-1] in ("spot", "place", "space", "room")]
        found = clause.verb.sense in ("find", "") and bool(spots) and bool(clause.places)
        return found and not clause.sought and self._word(clause.end) == "to"

    def _spare(self, clause: Clause) -> None:
        """Take what is to stay as it is ("but leave the knife") out of what the goals before are about."""
        but = tuple(one.thing for one in clause.themes)
        self._goals = [
            goal.model_copy(update={"thing": _without(goal.thing, but)})
            if goal.thing is not None and (goal.thing.every or goal.thing.plural)
            else goal
            for goal in self._goals
        ]  # fmt: skip

    def _tool(self, at: int) -> int | None:
        """Read "use the knife to"; return the index after it."""
        phrase = self._phrases.read(at + 1, after=False)
        if phrase is None or self._word(phrase.end) not in ("to", "for", "and"):
            return None
        if verb_at(self._words, phrase.end + 1) is None:
            return None
        self._using = phrase.thing
        return phrase.end + 1
