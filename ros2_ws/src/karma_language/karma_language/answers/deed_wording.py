# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Answers about what changed, was done and was said, in English, by templates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from karma_language.answers.evidence import Deed, Done, Evidence, Move
from karma_language.answers.looking_back import LookingBack
from karma_language.answers.speech import MOST, form_of_be, is_plural, sentence, sentences
from karma_language.reading import Kind, Question
from karma_language.vocabulary.skill_words import WORDS, words_for
from karma_language.vocabulary.states import STATES


class WordingOfDeeds(LookingBack):
    """Words answers about the past."""

    def _changed(self, question: Question, evidence: Evidence) -> str:
        if not evidence.moves:
            return f"Nothing has changed that I have noticed{self.since(question, evidence)}."
        moves = [self._move(move, evidence) for move in evidence.moves[:MOST]]
        more = len(evidence.moves) - len(moves)
        return "Something has changed. " + " ".join(moves) + (f" And {more} more." if more else "")

    def _happened(self, question: Question, evidence: Evidence) -> str:
        if len(evidence.deeds) + len(evidence.moves) + len(evidence.said) > MOST:
            return self.page(evidence)
        parts = [self._deeds(evidence.deeds, evidence)] if evidence.deeds else []
        parts += [self._move(move, evidence) for move in evidence.moves]
        parts += [self.quoted(said, evidence) for said in evidence.said]
        return sentences(parts) or f"Nothing that I have noticed{self.since(question, evidence)}."

    def _move(self, move: Move, evidence: Evidence) -> str:
        if move.after is None:
            assert move.before is not None
            gone = self.thing(move.before)
            it, be = ("they", "are") if is_plural(gone) else ("it", "is")
            return f"The {gone} {be} gone; {it} {form_of_be(1 + is_plural(gone), past=True)} {self.place(move.before)}."
        after = move.after
        name, number = self.thing(after), 1 + is_plural(self.thing(after))
        when = self.clock(after.since, evidence)
        if move.before is not None and move.elsewhere:
            was, there = self.place(move.before), self.place(after)
            if was == there:  # on another shelf of the same room
                there = there.replace(" the ", " another ", 1)
            if after.until is not None:
                return f"The {name} {form_of_be(number, past=True)} {was}, and then {there} (seen {when})."
            return f"The {name} {form_of_be(number)} {there} now, no longer {was} (seen {when})."
        changed = [
            state
            for state, (flag, value, _) in STATES.items()
            if after.states.get(flag) == value and (move.before is None or move.before.states.get(flag) != value)
        ]
        past = after.until is not None
        now = "" if past else " now"
        return f"The {name} {form_of_be(number, past=past)} {' and '.join(changed) or 'otherwise'}{now} (seen {when})."

    def _when(self, question: Question, evidence: Evidence) -> str:
        if evidence.deeds:
            deed = evidence.deeds[0]
            return sentences((sentence(self._line(deed, evidence)),))
        one = evidence.sightings[0]
        stamp = one.since if question.first else one.seen
        be = form_of_be(1 + is_plural(self.thing(one)), past=True)
        return f"{sentence(self.clock(stamp, evidence))}: the {self.thing(one)} {be} {self.place(one)}."

    def _how_often(self, question: Question, evidence: Evidence) -> str:
        number = int(evidence.number or 0)
        times = {0: "Never that I know of", 1: "Once", 2: "Twice"}.get(number, f"{sentence(self.number(number))} times")
        return f"{times}{self.since(question, evidence)}." + (
            f" Last {self.clock(evidence.deeds[0].stamp, evidence)}." if number else ""
        )

    def _did(self, question: Question, evidence: Evidence) -> str:
        if question.deed and not question.open and (question.thing is not None or question.place is not None):
            done = [deed for deed in evidence.deeds if deed.succeeded]
            if done:
                return sentences((f"Yes, {self._line(done[0], evidence)}",))
            if not evidence.deeds[0].ended:
                return "Not yet: I am at it."
            return f"No, I tried, and failed, {self.clock(evidence.deeds[0].stamp, evidence)}."
        idle = question.open and question.last and all(deed.ended for deed in evidence.deeds)
        return sentences(("Nothing at the moment" if idle else "", self._deeds(evidence.deeds, evidence)))

    def _deeds(self, deeds: Sequence[Deed], evidence: Evidence) -> str:
        lines = [
            sentence(self._line(deed, evidence))
            + ("" if deed.succeeded else ", not finished" if not deed.ended else ", which failed")
            for deed in deeds[:MOST]
        ]
        more = len(deeds) - len(lines)
        return sentences((*lines, f"And {more} more." if more > 0 else ""))

    def _line(self, deed: Deed, evidence: Evidence) -> str:
        """Return what was done for an instruction, when, and the instruction."""
        done = self._done(deed.done)
        unnamed = dict.fromkeys(noun for one in deed.done if (noun := self.noun(one.thing)) not in deed.text.casefold())
        about = f" (the {', the '.join([*unnamed][:3])})" if unnamed and not done else ""
        said = f"“{deed.text}”{about}" if deed.text else ""
        return f"{self.clock(deed.stamp, evidence)}: {' – '.join(filter(None, (done, said)))}"

    def _done(self, done: Sequence[Done]) -> str:
        """Return what was done, in words: "took the mug to the sink and opened the drawer"."""
        lines = []
        for one in done:
            verb = words_for(one.skill).did
            if not verb:
                continue
            to = f" to the {self.noun(one.place)}" if one.place and verb == "took" else ""
            lines.append(f"{verb} {f'the {self.noun(one.thing)}' if one.thing else 'what I held'}{to}")
        few = [*dict.fromkeys(lines)][:4]
        return f"I {' and '.join(filter(None, (', '.join(few[:-1]), few[-1])))}" if few else ""

    def _asked(self, question: Question, evidence: Evidence) -> str:
        if question.undone and not evidence.deeds:
            return "Nothing is left to do."
        return self._deeds(evidence.deeds, evidence)

    def _why(self, question: Question, evidence: Evidence) -> str:
        if not evidence.deeds:
            return self._who(question, evidence)
        if len(evidence.deeds) > 1:  # "what went wrong today?"
            return sentences(
                f"{sentence(self._line(deed, evidence))} failed: {deed.why}" for deed in evidence.deeds[:MOST]
            )
        deed = evidence.deeds[0]
        by = f"{deed.user} asked me" if deed.user else "I was looking around"
        asked = f"you asked me: “{deed.text}”" if deed.text else by
        return sentences((f"Because {asked}",) if deed.succeeded else (sentence(asked), f"It failed: {deed.why}"))

    def _who(self, question: Question, evidence: Evidence) -> str:
        if evidence.said:
            return sentences(self.quoted(said, evidence) for said in evidence.said)
        if evidence.names:
            deed = evidence.deeds[0]
            words = f": “{deed.text}”" if deed.text else ""
            return sentences((f"{sentence(evidence.names[0])} did, {self.clock(deed.stamp, evidence)}{words}",))
        of_state = _has_state(question, evidence)
        if of_state and not evidence.deeds:
            return self._made_so(question, evidence)
        if evidence.deeds and (of_state or (evidence.moves and evidence.moves[0].by_robot)):
            deed = evidence.deeds[0]
            by = f"when you asked me: “{deed.text}”" if deed.text else f"because {deed.user} asked me"
            return sentences((f"I did, {self.clock(deed.stamp, evidence)}, {by}",))
        if not evidence.moves:
            seen = evidence.sightings[0]
            where = f"{self.place(seen)}{self.age(seen.seen, evidence)}"
            return f"Nobody, as far as I know: I have only seen the {self.thing(seen)} {where}."
        move = evidence.moves[0]
        one = move.after or move.before
        assert one is not None
        before = f"between {self.clock(move.before.seen, evidence)} and " if move.before is not None else "before "
        return f"I don't know who: I did not see it. Somebody did, {before}{self.clock(one.since, evidence)}."

    def _made_so(self, question: Question, evidence: Evidence) -> str:
        """Say what is known of how a thing came to be so, which the robot did not do."""
        flag, value, opposite = STATES[question.state]
        one = evidence.sightings[0]
        be = form_of_be(1 + is_plural(self.thing(one)))
        asked = "who" if question.kind is Kind.WHO else "why"
        if evidence.moves and (after := evidence.moves[0].after) is not None:
            since = self.clock(after.since, evidence)
            return f"I don't know {asked}: somebody did, and I saw it {since}."
        if one.states.get(flag) != value:
            return f"The {self.thing(one)} {be} {opposite}{self.age(one.seen, evidence)}."
        return f"I don't know {asked}: as long as I have known the {self.thing(one)}, it has been {question.state}."

    def _told(self, question: Question, evidence: Evidence) -> str:
        more = len(evidence.said) - MOST
        quoted = (self.quoted(said, evidence) for said in evidence.said[:MOST])
        return sentences((*quoted, f"And {more} more" if more > 0 else ""))

    def _looked(self, question: Question, evidence: Evidence) -> str:
        if question.undone:
            return "" if evidence.look else "I have looked into everything that I know of."
        about = question.thing or (question.place.thing if question.place is not None else None)
        if about is not None:
            return f"Yes, I looked at the {self.called(about)}{self.age(evidence.looked, evidence)}."
        return f"I looked at the {', the '.join(self.noun(name) for name in evidence.names[:MOST])}."


def _has_state(question: Question, evidence: Evidence) -> bool:
    """Whether anything was seen of the state that a question names."""
    flag = STATES[question.state][0] if question.state else ""
    return any(flag in one.states for one in evidence.sightings)


def able(names: Iterable[str]) -> str:
    """Say what the robot can do; `names`: of its skills."""
    able_to = {words_for(name).can for name in names}
    verbs = dict.fromkeys(words.can for words in WORDS if words.can in able_to - {""})
    can = f"I can {', '.join(verbs)} things. " if verbs else ""
    return (
        f"{can}Ask me where something is, what changed or what I did. Tell me what I should know. "
        "Have me bring, put away, wash, heat or find something."
    )
