# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A request as it was read to the goals of the planner, and to what is said where there are none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from karma_language import reading
from karma_language.dialogue.threats import harms_somebody
from karma_language.phrases.resolver import Resolver, UnclearNoun, UnknownNoun
from karma_language.reading import Reading, Request
from karma_language.things import Thing
from karma_language.vocabulary.descriptions import described
from karma_language.vocabulary.lexicon import Lexicon
from planner_node.skills import Code
from planner_node.understand.aid import NO_AID, Aid
from planner_node.understand.deeds import Deeds
from planner_node.understand.goals import (
    Goal,
    NotUnderstood,
    ObjectRef,
    Predicate,
    Statement,
    Understanding,
    Understood,
    complete,
    last_entity,
)
from planner_node.understand.joining import about_room, in_particular, joined
from planner_node.understand.looks import with_looks
from planner_node.understand.refusing import WHAT_I_KNOW, offered
from planner_node.understand.things import Things, Unresolved

_MOST_CHOICES = 3


class Requests:
    """Turns requests into goals over a vocabulary."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.resolver = Resolver(lexicon, described(lexicon))
        self._lexicon = lexicon

    def understood(
        self, read: Reading, text: str, spoken_of: Sequence[ObjectRef] = (), aid: Aid = NO_AID
    ) -> Understanding:
        """Return what is to be done for a reading of `text`. Never raises.

        `spoken_of`: what the request before was about; of `aid` what it asked for counts, and where it put things.
        """
        asked = [item for item in read.items if isinstance(item, Request)]
        about = [thing for item in read.items if isinstance(item, reading.Told) for thing in item.about]
        questions = [item for item in read.items if isinstance(item, reading.Question)]
        needs = [item for item in read.items if isinstance(item, reading.Need)]
        if not asked and needs and needs[0].offers:
            return offered(needs[0])
        if not asked:
            if any(item.act in ("told", "social") for item in read.items):
                return Statement(text.strip())
            lost = ", ".join(repr(words) for words in read.unread)
            return NotUnderstood(Code.NOT_UNDERSTOOD, f"I did not understand: {lost}." if lost else WHAT_I_KNOW)
        if harms_somebody(text):
            return NotUnderstood(Code.REFUSED, "I don't help to hurt anybody. Nothing was done.")
        stated = [item.quote for item in read.items if isinstance(item, reading.Told)]
        if (
            all(item.never and any(item.goals[0].quote in quote for quote in stated) for item in asked)
            and not questions
        ):
            return Statement(text.strip())  # forbidden for good
        if read.unread:
            heard = "; ".join(goal.quote.strip() for item in asked for goal in item.goals)
            lost = ", ".join(repr(words) for words in read.unread)
            message = f"I understood: {heard}. I did not understand: {lost}. Nothing was done."
            return NotUnderstood(Code.NOT_UNDERSTOOD, message, phrase=read.unread[0])
        if all(item.never for item in asked):
            return NotUnderstood(Code.NOT_UNDERSTOOD, "I won't. For now, that is: I don't keep it in mind.")
        wanted = [goal for item in asked if not item.never for goal in item.goals]
        begin = min((text.find(goal.quote) for goal in wanted), default=0)  # "it" is nothing that is named only later
        never = [goal for item in asked if item.never for goal in item.goals]
        about += [goal.thing for goal in never if goal.thing is not None and text.find(goal.quote) < begin]
        for item in questions:
            thing = item.thing or (item.place.thing if item.place is not None else None)
            about += [thing] if thing is not None and text.find(item.quote) < begin else []
        particular = in_particular(wanted, text)
        said = self.goals(particular, spoken_of, aid, about)
        if isinstance(said, Understood) and len(particular) < len(wanted):
            note = f"For “{wanted[0].quote.strip()}” I do what you name, and nothing else."
            said = replace(said, goals=about_room(said.goals, self._room_of(wanted[0])), notes=(note, *said.notes))
        if isinstance(said, Understood) and stated:
            said = replace(said, goals=with_looks(said.goals, stated))
        if isinstance(said, Understood) and read.spelled:
            took = (f"I took {typed!r} for {meant!r}." for typed, meant in read.spelled)
            said = replace(said, notes=(*took, *said.notes))
        return said

    def _room_of(self, goal: reading.Goal) -> str:
        """Return the room that a goal speaks of, "" for none."""
        thing = goal.thing
        places = (thing.place if thing is not None else None, goal.to)
        named = (thing, *(place.thing for place in places if place is not None))
        refs = (self.reference(one) for one in named if one is not None)
        return next((ref.room for ref in refs if ref is not None and ref.room), "")

    def goals(
        self,
        wanted: Sequence[reading.Goal],
        spoken_of: Sequence[ObjectRef] = (),
        aid: Aid = NO_AID,
        about: Sequence[Thing] = (),
    ) -> Understanding:
        """Return the goals of the planner for those of a request, or what is wrong with them.

        `about`: what is told beside it, or forbidden, which "it" may mean.
        """
        things = Things(self.resolver, entities=last_entity(aid.asked))
        things.begin(spoken_of, aid.places)
        for thing in about:
            things.mention(thing)
        things.together(len(about))
        deeds, found = Deeds(self._lexicon, things), list[Goal]()
        try:
            for goal in wanted:
                found += deeds.goals(goal, aid.asked)
        except UnknownNoun as unknown:
            meant = self._lexicon.misspelt(unknown.words)
            hint = f" Did you mean {' or '.join(meant)}?" if meant else ""
            message = f"I don't know of any {unknown.words} here.{hint}"
            return NotUnderstood(Code.NOT_FOUND, message, phrase=unknown.words)
        except UnclearNoun as unclear:
            choices = ", ".join(unclear.choices)
            message = f"I am not sure what {unclear.words!r} is. Do you mean: {choices}?"
            return NotUnderstood(Code.AMBIGUOUS, message, unclear.choices, phrase=unclear.words)
        except Unresolved as unresolved:
            code = Code.AMBIGUOUS if str(unresolved).endswith("?") else Code.NOT_UNDERSTOOD
            return NotUnderstood(code, str(unresolved), unresolved.choices, phrase=unresolved.phrase)
        if not found:
            return NotUnderstood(Code.NOT_UNDERSTOOD, WHAT_I_KNOW)
        whole = joined(found)
        said = complete(whole, (*things.notes, *self._taken_for(whole)))
        return replace(said, choices=self._places_for(said.goals)) if isinstance(said, NotUnderstood) else said

    def reference(self, thing: Thing) -> ObjectRef | None:
        """Return what a thing on its own is, None where that is nothing known."""
        try:
            return Things(self.resolver).refs(thing)[0]
        except (UnknownNoun, UnclearNoun, Unresolved):
            return None

    def _places_for(self, goals: Sequence[Goal]) -> tuple[str, ...]:
        """Return where things usually are that it isn't said where to put."""
        homeless = (goal.object for goal in goals if goal.predicate is Predicate.PLACE and goal.destination is None)
        kinds = (self._lexicon.kind(ref.categories[0]) for ref in homeless if ref is not None and ref.categories)
        places = [place for kind in kinds for place in kind.places]
        return tuple(f"on the {self._lexicon.kind(place).noun}" for place in dict.fromkeys(places))[:_MOST_CHOICES]

    def _taken_for(self, goals: Sequence[Goal]) -> list[str]:
        """Return what descriptions were taken for, in sentences."""
        refs = [ref for goal in goals for ref in goal.refs if ref.margin < 1.0]
        names = {ref.noun: self._lexicon.kind(ref.categories[0]).noun for ref in refs if ref.categories}
        return [f"I took {noun!r} for the {name}." for noun, name in names.items() if name not in noun]
