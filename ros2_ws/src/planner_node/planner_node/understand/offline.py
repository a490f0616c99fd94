# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Instructions in ordinary English to goals, by rules: no model, no network."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from karma_language.dialogue.utterances import pronoun_told_of, thing_told_of
from karma_language.reading import Telling
from karma_language.requests.prohibitions import prohibitions
from karma_language.requests.requests import LONGEST, Grammar
from karma_language.told.reader import read_told
from karma_language.vocabulary.descriptions import described
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.vocabulary.words import noted
from planner_node.skills import Code
from planner_node.understand.aid import NO_AID, Aid
from planner_node.understand.forbidding import forbids, needs, spare
from planner_node.understand.goals import ALL, Goal, NotUnderstood, ObjectRef, Understanding
from planner_node.understand.requests import Requests


class OfflineUnderstanding:
    """Understands household instructions by the grammar."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.grammar = Grammar(lexicon, described(lexicon).is_word)
        self.requests = Requests(lexicon)

    def understand(self, text: str, spoken_of: tuple[ObjectRef, ...] = (), aid: Aid = NO_AID) -> Understanding:
        """Return the goals of `text`, or why there are none. Never raises on any text.

        `spoken_of`: what the previous instruction was about, for "it". Of `aid` rules use the places only.
        """
        if len(text) > LONGEST:
            return NotUnderstood(
                Code.INVALID_ARGUMENT,
                f"the instruction is {len(text)} characters long; {LONGEST} is the limit. Say it in parts.",
            )
        if not text.strip():
            return NotUnderstood(
                Code.INVALID_ARGUMENT,
                "the instruction is empty. Say what to do, for instance: put the apple in the fridge.",
            )
        return self.requests.understood(self.grammar.read(text), text, spoken_of, aid)

    def pointed(self, told: str, spoken_of: Sequence[ObjectRef], before: str = "") -> str:
        """Return what a pronoun means in what is told of where or whose something is; "" where none has to be known.

        `before`: what was said last; what it is about may be nothing that a robot knows: "where is my passport?".
        """
        begin = pronoun_told_of(told)
        if begin is None:  # "those are mine"
            if not any(one.owner and one.thing.pronoun for one in self.grammar.belongings(told)):
                return ""
        elif any(thing.categories for thing in self.grammar.named(told[:begin])):
            return ""
        about = thing_told_of(before)
        if about and not any(thing.categories for thing in self.grammar.named(about)):
            return about
        if not spoken_of:
            return ""
        last = spoken_of[-1]
        at = f" {'on' if last.place.categories else 'in'} the {last.place.noun}" if last.place is not None else ""
        return f"the {last.noun}{at}"

    def forbidden(self, goals: Sequence[Goal], told: Iterable[str]) -> str:
        """Return what of some sentences forbids one of some goals, or says that it can't be; "" where none does."""
        for said in told:
            if any(forbids(never, goals, self.requests) for never in prohibitions(self.grammar, said)):
                return said
            if any(one.broken and needs(one.thing, goals, self.requests) for one in self.grammar.belongings(said)):
                return said
        return ""

    def sparing(self, goals: Sequence[Goal], told: Iterable[str]) -> tuple[tuple[Goal, ...], list[str]]:
        """Return goals for several kinds of things without those that sentences forbid, and these sentences."""
        kept_to: list[str] = []
        spared = tuple(goals)
        if all(goal.object is None or goal.object.count != ALL for goal in goals):
            return spared, kept_to  # without reading what was told
        for said in told:
            forbidden = prohibitions(self.grammar, said)
            found = tuple(spare(forbidden, goal, self.requests) for goal in spared)
            kept_to += [said] if found != spared else []
            spared = found
        return spared, kept_to

    def names(self, told: Iterable[str], now: float) -> dict[str, tuple[str, ...]]:
        """Return what things of this home were said to be called: their names, in lower case → categories."""
        found: dict[str, tuple[str, ...]] = {}
        for meant, words in map(noted, told):
            for one in read_told(words, now):
                what = {"me": one.relation, "it": meant}.get(one.of[-1], one.of[-1])
                is_name = one.kind is Telling.FACT and len(one.value) == 1 and not one.relation.startswith("~")
                things = self.grammar.named(what) if is_name else []  # but not "the phone belongs to Tom"
                if things and things[0].categories and one.value[0].istitle():
                    found[one.value[0].lower()] = things[0].categories
        return found

    def reference(self, phrase: str) -> ObjectRef | None:
        """Return what a noun phrase on its own refers to, None when nothing that is known."""
        thing = self.grammar.thing(phrase)
        return self.requests.reference(thing) if thing is not None else None
