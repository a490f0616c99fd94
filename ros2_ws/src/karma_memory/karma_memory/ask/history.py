# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The evidence for questions about what the robot did, was asked to do and looked at."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from karma_language.answers.evidence import Evidence, Gap, Sighting
from karma_language.reading import Kind, Question
from karma_language.things import Span
from karma_language.vocabulary.states import STATES
from karma_language.vocabulary.words import STATES as STATE_WORDS
from karma_memory.ask.deeds import (
    deed_of,
    episodes_about,
    episodes_of,
    handlings,
    has_deed,
    has_state,
    made_so,
    record_of,
    skills_for,
    succeeded,
)
from karma_memory.ask.looking_back import noticed, told_in
from karma_memory.ask.scene import Scene
from karma_memory.ask.spans import DAY, JUST, stretch
from karma_memory.ask.things import MANY, labels, nowhere
from karma_memory.episodic.episodes import Episode
from karma_memory.short_term.usage import LOOKS

if TYPE_CHECKING:
    from karma_memory.state.state import MemoryState

_LISTED = 50
"""Most instructions of which it is told what was done for each."""

SEEING = ("see", "notice", "find", "spot")


def did(question: Question, state: MemoryState, known: Scene, user: str, now: float) -> Evidence:
    """Return what the robot did, newest first, of what a question is about."""
    time = _clause_of_deed(question.time, state, now)
    if time is None and question.time is not None:
        return Evidence(now, gap=Gap.NOT_THEN)
    since, until = stretch(time, now, DAY if question.thing is None else math.inf)
    named = question.kind is not Kind.ASKED and (question.thing is not None or question.place is not None)
    by = user if question.by == "me" else question.by
    episodes: Iterable[Episode]
    if question.thing is not None and not question.thing.pronoun:
        about = episodes_about(question, question.thing, state, known, since, until)
        episodes = (one for one in about if named or one.user in ("", user))
    else:
        seen = named or by or (question.last and question.open)  # what is and was done is there to be seen
        episodes = episodes_of(state, None if seen else user, since, until)
        if question.kind in (Kind.DID, Kind.HOW_OFTEN) and question.thing is None and question.deed:
            episodes = (episode for episode in episodes if has_deed(episode, question, known))
    episodes = (one for one in episodes if not question.by or one.user.casefold() == by.casefold())
    deeds = (deed_of(episode, question, known, user) for episode in episodes)
    told = tuple(itertools.islice((deed for deed in deeds if deed.text or deed.done), MANY))
    told = told[-1:] if question.first else told[:1] if question.last else told
    return Evidence(
        now, deeds=told, gap=None if told else Gap.NOT_THEN, sightings=() if told else _as_if(question, known)
    )


def _as_if(question: Question, known: Scene) -> tuple[Sighting, ...]:
    """Return how things are that what is asked about would have made so: "did you close the fridge?"."""
    state = STATE_WORDS.get(question.deed, "")
    if question.kind is not Kind.DID or question.open or question.thing is None or state not in STATES:
        return ()
    flag = STATES[state][0]
    found = [one for one in map(known.sighting, known.current(question.thing)) if flag in one.states]
    return tuple(found) if len({one.states[flag] for one in found}) == 1 else ()


def count_done(question: Question, state: MemoryState, known: Scene, user: str, now: float) -> Evidence:
    """Return with how many things something was done: "how many lamps did you turn off?"."""
    assert question.thing is not None
    deeds = {deed.record: deed for deed in did(question, state, known, user, now).deeds if deed.succeeded}
    with_them = [
        (deeds[record], ids)
        for episode, ids in handlings(question.thing, question.deed, state, known, now)
        if (record := record_of(episode)) in deeds
    ]
    ids = {name for _, names in with_them for name in names}
    return Evidence(now, deeds=tuple(deed for deed, _ in with_them), number=float(len(ids)))


def _clause_of_deed(time: Span | None, state: MemoryState, now: float) -> Span | None:
    """Return the time of a clause about what the robot did, "before you opened the fridge"; None where it did not."""
    skills = skills_for(time.deed) if time is not None and time.of_robot else ()
    if time is None or not skills:
        return time
    done = (one for one in state.episodic.between(0.0, now) if any(succeeded(step, skills) for step in one.steps))
    last = next(done, None)
    if last is None:
        return None
    if time.before:
        return time.model_copy(update={"until": last.start - JUST})
    return time.model_copy(update={"since": (last.end or now) if time.after else last.start, "until": now})


def happened(question: Question, state: MemoryState, known: Scene, user: str, now: float) -> Evidence:
    """Return what was done, seen to change and told in a time, or at a place then."""
    since, until = stretch(question.time, now, DAY)
    if question.place is not None and not known.with_place(question.place)[0]:
        return nowhere(question.place.thing, known, now)
    episodes = [one for one in episodes_of(state, user, since, until) if one.instruction]
    if question.place is not None:
        there = {node.id for node in known.with_place(question.place)[1]}
        episodes = [one for one in episodes if any({step.object, step.place} & there for step in one.steps)]
    plain = question.model_copy(update={"place": None})
    return Evidence(
        now,
        deeds=tuple(deed_of(one, plain, known if len(episodes) <= _LISTED else None, user) for one in episodes[::-1]),
        moves=tuple(noticed(state, known, since, until, question.place)),
        said=tuple(told_in(state, since, until, user)) if question.place is None else (),
        looked=since,
    )


def _asked(question: Question, state: MemoryState, known: Scene, user: str, now: float) -> Evidence:
    evidence = did(question.model_copy(update={"thing": None}), state, known, user, now)
    if question.undone:
        done = {deed.text: deed.stamp for deed in reversed(evidence.deeds) if deed.succeeded}
        left = (deed for deed in evidence.deeds if not deed.succeeded and done.get(deed.text, 0.0) < deed.stamp)
        return replace(evidence, deeds=tuple(left), gap=None)
    return evidence


def _why(question: Question, state: MemoryState, known: Scene, user: str, now: float) -> Evidence:
    if question.thing is not None and has_state(question.state, known.current(question.thing)):
        return made_so(question, question.thing, state, known, user, now)
    deeds = did(question, state, known, user, now).deeds
    if question.undone:
        deeds = tuple(deed for deed in deeds if not deed.succeeded)
    if not deeds and question.undone and question.deed:  # "why did you give up on the fork?"
        deeds = did(question.model_copy(update={"deed": ""}), state, known, user, now).deeds
        deeds = tuple(deed for deed in deeds if not deed.succeeded)
    if not deeds and question.thing is None:
        deeds = did(question.model_copy(update={"time": None}), state, known, user, now).deeds
        deeds = tuple(deed for deed in deeds if not (question.undone and deed.succeeded))
    return Evidence(now, deeds=deeds if question.open else deeds[:1], gap=None if deeds else Gap.NOT_THEN)


def _looked(question: Question, state: MemoryState, known: Scene, user: str, now: float) -> Evidence:
    since, until = stretch(question.time, now, DAY)
    if question.undone:
        return Evidence(now, look=labels(known.unopened()))
    about = question.thing or (question.place.thing if question.place is not None else None)
    if about is not None:
        places = [belief.node for belief in known.current(about)] or known.rooms(about)
        looked = [place for place in places if known.looked_into(place)]
        seen = max((place.last_seen for place in looked), default=None)
        return Evidence(now, looked=seen, names=labels(places), gap=None if looked else Gap.NOT_LOOKED)
    steps = (step for episode in episodes_of(state, user, since, until) for step in episode.steps)
    names = dict.fromkeys(step.target for step in steps if step.skill in LOOKS and step.target)
    return Evidence(now, names=tuple(names)[:MANY], gap=None if names else Gap.NOT_THEN)


def _how_often(question: Question, state: MemoryState, known: Scene, user: str, now: float) -> Evidence:
    if question.deed in SEEING:
        return Evidence(now, gap=Gap.NOT_HERE)  # sightings are not counted
    evidence = did(question, state, known, user, now)
    done = tuple(deed for deed in evidence.deeds if deed.succeeded)
    return replace(evidence, deeds=done, number=float(len(done)), gap=None)


OF_DEEDS = {Kind.DID: did, Kind.ASKED: _asked, Kind.WHY: _why, Kind.LOOKED: _looked, Kind.HOW_OFTEN: _how_often}
"""Kinds of questions about what the robot did → what answers them."""
