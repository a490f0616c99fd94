# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Clauses that say whether and when something is to be done."""

from __future__ import annotations

from karma_language.parser import parse_words
from karma_language.phrases.clause_parts import Clause
from karma_language.phrases.nouns import Phrase
from karma_language.reading import Condition, Deed, Question, Told
from karma_language.syntax.segments import Segment
from karma_language.syntax.utterance import BE, Utterance, at_its_place
from karma_language.things import Relation, Span, Thing, Where
from karma_language.vocabulary.verbs import verb_at
from karma_language.vocabulary.words import ADVERBS, PERSONS, STATES, base_form, each

_UNDONE = {Deed.SWITCH_ON: "off", Deed.SWITCH_OFF: "on", Deed.OPEN: "closed", Deed.CLOSE: "open"}
"""Deeds that a state makes needless → the state in which they are not."""
_POLITE = ADVERBS | frozenset(
    each(
        "can could would will may do not mind please like want wish have are is be get got find feel a an the some"
        " minute moment second time chance spare free ready done finished through there here able up for to it that"
        " so love know how with this near by see any trouble problem all"
    )
)
"""Words of clauses that ask for nothing: "if you don't mind", "when you have a minute", "once you are done"."""

_REPLIES = frozenset(each("so not yes no already still yet one any some there it they"))
"""Words of clauses that take up a question: "is there milk? IF SO, …"."""

_DID = frozenset(each("i we you he she did do does have has"))
"""The same for a question of who did something: "did I leave it on? IF I DID, …"."""


class Conditions(Utterance):
    """Reads conditions and times."""

    def _conditional(self, at: int, end: int, joined: bool) -> None:
        condition = self._condition_at(at, end)
        if condition is None:
            if not (self._word(at + 1) == "you" and {*self._words[at + 2 : end]} <= _POLITE):
                self._lose(at, end, beside=True)
            return
        if (joined and end < self._stop) or len(self._goals) == self._sentence:
            self._condition, self._sentence = condition, len(self._goals)
            return
        self._goals[self._sentence :] = [
            goal.model_copy(update={"condition": goal.condition or at_its_place(condition, goal)})
            for goal in self._goals[self._sentence :]
        ]

    def _condition_at(self, at: int, end: int) -> Condition | None:
        unless = self._word(at) == "unless"
        at += 1
        rest = self._words[at:end]
        negated = unless != ("not" in rest)
        if rest and {*rest} <= BE | _REPLIES | _DID and not {"it", "there"} <= {*rest}:  # "IF SO", "if there is one"
            last = self._goals[-1] if self._goals else None
            asked = next((item for item in reversed(self._others) if isinstance(item, Question) and item.thing), None)
            if asked is not None and asked.thing is not None:
                place = asked.place or asked.thing.place
                thing = asked.thing.model_copy(update={"place": place, "definite": bool(asked.state)})
                return Condition(thing=thing, state=asked.state, negated=negated)
            before = next((goal.condition for goal in reversed(self._goals) if goal.condition), None)
            if before is not None:  # "if there is cake, bring it. IF THERE ISN'T, …"
                return before.model_copy(update={"negated": before.negated != negated})
            if last is not None and last.do in _UNDONE and last.thing is not None:
                return Condition(thing=last.thing, state=_UNDONE[last.do])
            if rest[0] != "there" and not {*rest} & _DID:
                return None
        left = next((i + 1 for i in range(at, end) if self._words[i] in ("left", "forgot", "forgotten")), 0)
        left = left if rest[:1] and rest[0] in PERSONS and self._phrases.read(left, bare=False) else 0
        if not left and (self._word(at) == "there" or self._word(at + 1) in ("have", "find", "see", "spot", "come")):
            at += 2 + (self._word(at + 2) == "across")
            while self._word(at) in ("not", "no", "still", "any", "some", "got", "have") and at < end:
                negated ^= self._word(at) == "no"
                at += 1
            phrase = self._phrases.read(at, bare=True)
            if phrase is None:
                return None
            thing, after = self._placed(phrase)
            while self._word(after) in ("left", "anywhere", "somewhere", "around") and after < end:
                after += 1
            return Condition(thing=thing, negated=negated) if after >= end else None
        subject = self._phrases.read(left or at, bare=False)  # "if you LEFT it open"
        if subject is None:
            return None
        thing, after = self._placed(subject)
        if not left and self._word(after) not in BE:
            return None
        after += not left
        while self._word(after) in ADVERBS | {"not", "already", "still"} and after < end:
            after += 1
        if self._word(after) in ("there", "here"):
            where = Where(relation=Relation.AT, thing=Thing(text="there", pronoun=True))
            return (
                Condition(thing=thing.model_copy(update={"place": where}), negated=negated)
                if after + 1 >= end
                else None
            )
        if (there := self._phrases.where(after, bare=False)) is not None and there[1] >= end:
            return Condition(thing=thing.model_copy(update={"place": there[0]}), negated=negated)
        state = STATES.get(base_form(self._word(after)), "")
        if not state:
            return None
        after += 1
        if thing.place is None:
            thing, after = self._placed(Phrase(thing, after))
        while self._word(after) in ADVERBS | {"yet", "already", "again"} and after < end:
            after += 1
        return Condition(thing=thing, state=state, negated=negated) if after >= end else None

    def _otherwise(self, at: int, end: int) -> None:
        before = next((goal.condition for goal in reversed(self._goals) if goal.condition), None)
        if before is not None:
            self._condition = before.model_copy(update={"negated": not before.negated})
        self._segment(Segment(at, end, joined=True))

    def _timed(self, at: int, end: int) -> bool:
        """Read a clause that says when the other is done: "before putting it away, …", "while holding the cup"."""
        lead = self._word(at)
        condition = self._condition_at(at, end) if lead == "when" and len(self._goals) == self._sentence else None
        if condition is not None and condition.state and condition.thing.categories:
            self._condition = condition  # "WHEN THE CUP IS CLEAN, put it on the table"
            return True
        if lead in ("when", "once", "after") and self._word(at + 1) in ("done", "finished"):
            self._tell(at, end)  # "WHEN DONE cooking, …"
            return True
        begin = at + 1
        while (
            self._word(begin)
            in ("you", "are", "have", "first", "had", "is", "we", "finished", "done", "can", "get", "like")
            and begin < end
        ):
            begin += 1
        verb = verb_at(self._words, begin)
        if verb is not None and verb.sense and (verb.form == "ing" or (self._word(at + 1) == "you" and lead != "when")):
            clause = Clause(verb, begin)
            clause.end = self._parts(clause, begin + verb.length, end)
            if lead == "after" and not clause.themes and clause.end >= end and len(self._goals) == self._sentence:
                self._before = clause
                return True
            aside = end == self._stop and len(self._goals) == self._sentence  # "visible BEFORE STORING THEM AWAY"
            if aside or not self._known(clause):
                self._tell(at, end)
                return True
            if clause.themes and not clause.unread:
                held = clause.verb.sense in ("get", "bring")
                before = len(self._goals) > self._sentence
                if lead == "before" and not before:
                    self._later += self._frames.goals(clause, self._quote(at, end))
                    self._others.append(
                        Told(quote=self._quote(at, end), about=tuple(one.thing for one in clause.themes))
                    )
                    self._last = clause
                else:
                    self._take_in(clause, clause.end, first=before and (held if lead == "while" else lead != "before"))
                    self._rest(clause.end, at, end)
                return True
        if lead in ("while", "before") or (lead == "after" and self._is_over(at + 1, end)):
            self._tell(at, end)
            return True
        named = any(self._names_thing(i) for i in range(at + 1, end))
        deed = verb is not None and bool(verb.sense)
        if (self._word(at + 1) == "you" and deed) or (
            end < self._stop and not named and self._word(at + 1).endswith("ed")
        ):
            self._tell(at, end)
            return True
        if not self._segments.subject(at + 1, end) and self._word(at + 1) not in PERSONS:
            self._lose(at, end, beside=True)
            return True
        self._when = Span(text=self._quote(at, end))
        self._goals[self._sentence :] = [
            goal.model_copy(update={"at": goal.at or self._when}) for goal in self._goals[self._sentence :]
        ]
        return True

    def _is_over(self, at: int, end: int) -> bool:
        """Whether what something comes after is told as done: "after we HAD dinner", "after RESTING"."""
        doc = parse_words(tuple(self._words[at:end])) or ()
        past = any(node.tag_ == "VBD" for node in doc)
        return len(self._goals) == self._sentence and (past or self._word(at).endswith("ing"))

    def _known(self, clause: Clause) -> bool:
        """Whether it is clear what is done, rather than what goes on meanwhile: "while tidying up the bathroom"."""
        if clause.verb.sense in ("put", "tidy", "return") and not clause.places and "away" not in clause.particles:
            return False
        described = clause.verb.sense in ("get", "bring")
        return all(one.thing.categories or one.thing.pronoun or described for one in clause.themes)
