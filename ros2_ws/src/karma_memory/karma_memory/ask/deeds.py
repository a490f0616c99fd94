# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the robot did, by its episodes: with what, where, and who asked for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from karma_language.answers.evidence import Deed, Done, Evidence, Gap
from karma_language.reading import Kind, Question
from karma_language.things import Thing
from karma_language.told.wishes.phrases import same_words
from karma_language.vocabulary.skill_words import LASTING, MOVING, skills_of
from karma_language.vocabulary.states import STATES
from karma_language.vocabulary.terms import words
from karma_language.vocabulary.word_meanings import sense_of, verb_senses, without_denied
from karma_language.vocabulary.words import STATES as STATE_WORDS
from karma_memory.ask.scene import Scene
from karma_memory.ask.spans import DAY
from karma_memory.episodic import episodes as episodic
from karma_memory.episodic.episodes import Episode, Step
from karma_memory.events import Code
from karma_memory.scene_graph.beliefs import Belief

if TYPE_CHECKING:
    from karma_memory.state.state import MemoryState

PLACED, TAKEN = ("PutObject", "Place", "ThrowObject"), ("PickupObject", "Pick")
_WHOLE = frozenset(("bring", "give", "get"))
"""Verbs that say that something was done whole: half of a "bring" is none."""


def episodes_of(state: MemoryState, user: str | None, since: float, until: float) -> Iterator[Episode]:
    """Yield what was asked for in a stretch of time, the newest first: of who asks, and what anybody may know.

    `user`: None for everybody: what was done is seen, what was said is theirs.
    """
    begun = state.episodic.between(since, until)
    return (episode for episode in begun if user is None or episode.user in ("", user))


def _sense(deed: str) -> str:
    """Return the sense of a verb; for what is switched, with its particle."""
    verb, _, particle = deed.partition(" ")
    sense = sense_of(deed) or sense_of(verb)
    return f"switch {particle}" if sense == "switch" else sense or verb


def skills_for(deed: str) -> tuple[str, ...]:
    """Return the skills that do what a verb says."""
    return skills_of(deed) or skills_of(deed.partition(" ")[0]) or skills_of(_sense(deed))


def _says(episode: Episode, deed: str, thing: Thing | None = None) -> bool:
    """Whether an instruction has a verb, or one of its sense: "rinse" of "wash". `thing`: what it is done to."""
    name = words(thing.text) if thing is not None else ()  # the soap of "bring me the soap" is not for washing
    said = [word for word in words(without_denied(episode.instruction)) if word not in name]
    return deed.split()[0] in said or _sense(deed) in verb_senses(said)


def deed_of(episode: Episode, question: Question, known: Scene | None, user: str) -> Deed:
    """Return what was done in an episode; of somebody else's, without their words."""
    own = episode.user in ("", user)
    asked, all_done = skills_for(question.deed), [*_done(episode, known, question)] if known is not None else []
    done = [one for one in all_done if one.skill.startswith(asked)] if asked else []
    as_asked, in_part = done, question.kind is not Kind.WHY and _sense(question.deed) not in _WHOLE
    if question.thing is not None and not question.thing.pronoun:
        as_asked = [one for one in done if one.thing in question.thing.categories]
        done = as_asked or done
    if question.besides is not None:
        done = [one for one in done if one.thing not in question.besides.categories]
    return Deed(
        episode.end if episode.end is not None else episode.start,
        episode.instruction if own else "",
        episode.user,
        (bool(as_asked) and in_part)
        or (episode.code is Code.SUCCESS and episode.verdict in (Code.UNSET, Code.SUCCESS)),
        "" if episode.code is Code.SUCCESS else episode.message or episode.summary,
        tuple(done or [one for one in all_done if one.skill.startswith(LASTING)] or all_done),
        episode.code is not Code.UNSET,
        record_of(episode),
    )


def record_of(episode: Episode) -> str:
    """Return the id of the recollection of an episode."""
    return f"{episodic.KIND}:{episode.id}"


def steps_of(episode: Episode) -> Iterator[Step]:
    """Yield the steps of an episode, what is put somewhere as the thing that was held, and not as taken up before."""
    held: Step | None = None
    for step in episode.steps:
        if step.skill.startswith(TAKEN):
            if held is not None:
                yield held
            held = step if step.code is Code.SUCCESS else None
        elif step.skill.startswith(PLACED):
            of = held if held is not None and step.object in ("", held.object) else step
            yield replace(step, target=of.target or of.object, object=of.object)
            held = None if step.code is Code.SUCCESS else held
        else:
            yield step
    if held is not None:
        yield held


def _done(episode: Episode, known: Scene, question: Question) -> Iterator[Done]:
    """Yield what was done in an episode, in its order; of what was taken from a place, only with what was there."""
    for step in steps_of(episode):
        if step.code is Code.SUCCESS and _was_there(step, episode, known, question):
            yield Done(step.skill, known.category(step.target), known.category(step.place))


def _was_there(step: Step, episode: Episode, known: Scene, question: Question) -> bool:
    """Whether a step is with a thing that was at the place from which a question says that it was taken."""
    if not question.whence or question.place is None:
        return True
    places = {place.id for place in known.with_place(question.place)[0]}
    return known.place_then(step.object or step.target, episode.start) in places


def episodes_about(
    question: Question, thing: Thing, state: MemoryState, known: Scene, since: float, until: float
) -> list[Episode]:
    """Return the episodes of a stretch of time in which what is asked about was done with a thing, the newest first."""
    beliefs = (*known.current(thing), *known.past(thing))
    rooms = known.rooms(thing) if thing.is_room else ()
    ids = {*(belief.node.id for belief in beliefs), *(room.id for room in rooms)}
    kinds = {belief.node.category for belief in beliefs} | {room.category for room in rooms}
    # the cup is no mug where there is a mug
    categories, deed = kinds or {*thing.categories, *thing.loosely}, question.deed
    places = {*question.place.thing.categories, *question.place.thing.loosely} if question.place is not None else set()
    skills = skills_for(deed)
    used = not deed or _sense(deed) == "use"

    def handled(step: Step, episode: Episode) -> bool:
        of_it = step.object in ids or step.target in categories or (used and {step.place} & (ids | categories))
        if not of_it or (skills and not step.skill.startswith(skills)):
            return False
        if question.whence:
            return _was_there(step, episode, known, question)
        if question.place is None or not step.place:
            return True
        if question.place.thing.room:
            return known.within_rooms(step.place, known.rooms(question.place.thing))
        return not places or known.category(step.place) in places

    def about(episode: Episode) -> bool:
        says = bool(skills or not deed or _says(episode, deed, thing))
        if says and any(handled(step, episode) for step in steps_of(episode)):
            return True
        tried = not episode.steps or episode.code is not Code.SUCCESS  # what it was for is in the words alone
        return tried and same_words(thing.text, episode.instruction) and (not deed or _says(episode, deed, thing))

    found = state.episodic.handling(ids | categories, thing.last_word)
    return [episode for episode in found if since <= episode.start <= until and about(episode)]


def has_deed(episode: Episode, question: Question, known: Scene) -> bool:
    """Whether something was done at all: "what did you wash?", "what have you put on the table?"."""
    skills, place = skills_for(question.deed), question.place
    places = {*place.thing.categories, *place.thing.loosely} if place is not None else set()
    done = [one for one in _done(episode, known, question) if skills and one.skill.startswith(skills)]
    if question.whence:
        return bool(done)
    return any(not places or one.place in places for one in done) or (not places and _says(episode, question.deed))


def handlings(
    thing: Thing, deed: str, state: MemoryState, known: Scene, now: float
) -> Iterator[tuple[Episode, set[str]]]:
    """Yield the episodes in which something was done with things of a kind, the newest first, and their ids."""
    ids = {belief.node.id for belief in (*known.current(thing), *known.past(thing))}
    skills = skills_for(deed) or MOVING
    for episode in state.episodic.handling({*ids, *thing.categories}, thing.last_word):
        done = (one for one in steps_of(episode) if one.code is Code.SUCCESS and one.skill.startswith(skills))
        found = {step.object or step.target for step in done if step.object in ids or step.target in thing.categories}
        if found and episode.start <= now:
            yield episode, found


def ids_handled(thing: Thing, deed: str, state: MemoryState, known: Scene, now: float) -> set[str]:
    """Return the ids of the things of a kind with which something was done last."""
    return next((found for _, found in handlings(thing, deed, state, known, now)), set())


def during(episode: Episode, stamp: float, now: float) -> bool:
    """Whether what was found at a time may come of an instruction; what is put down is seen a moment later."""
    return episode.start <= stamp <= (episode.end or now) + 1.0


def succeeded(step: Step, skills: tuple[str, ...]) -> bool:
    """Whether a step is a success of one of some skills."""
    return step.code is Code.SUCCESS and step.skill.startswith(skills)


def has_state(state: str, beliefs: Iterable[Belief]) -> bool:
    """Whether anything of a state is known of things; `state`: "" for none."""
    return bool(state) and any(STATES[state][0] in one.node.states for one in beliefs)


def _may_have_done(episode: Episode, skills: tuple[str, ...], thing: Thing, state: MemoryState) -> bool:
    """Whether an instruction may have changed a thing: by one of some skills or, where there is none, by its goals."""
    if skills:
        return any(succeeded(step, skills) for step in episode.steps)
    attempt = state.trajectories.attempt(episode.id)
    return attempt is not None and not attempt.things.isdisjoint(thing.categories)


def made_so(question: Question, thing: Thing, state: MemoryState, known: Scene, user: str, now: float) -> Evidence:
    """Return who made a thing as a question says that it is: "who closed the fridge?", "why is the lamp on?"."""
    flag, value, _ = STATES[question.state]
    current = tuple(map(known.sighting, known.current(thing)))
    turned = (
        move
        for move in known.moves(0.0, now, thing, None)
        if move.after is not None
        and move.after.states.get(flag) == value
        and (move.before is None or move.before.states.get(flag) != value)
    )
    move = next(turned, None)
    verbs = [verb for verb, state_of in STATE_WORDS.items() if state_of == question.state and skills_of(verb)]
    mine = next((one for verb in verbs for one, _ in handlings(thing, verb, state, known, now)), None)
    found = move.after.since if move is not None and move.after is not None else 0.0
    skills = tuple(skill for verb in verbs for skill in skills_of(verb))
    if mine is None and found:  # a stove is switched on with its knob, and what is in the microwave gets hot
        begun = state.episodic.between(found - DAY, found)
        running = (one for one in begun if during(one, found, now))
        mine = next((one for one in running if _may_have_done(one, skills, thing, state)), None)
    if mine is not None and during(mine, found or mine.start, now):
        return Evidence(now, sightings=current[:1], deeds=(deed_of(mine, question, known, user),))
    return Evidence(now, sightings=current[:1], moves=(move,) if move else (), gap=None if current else Gap.NEVER_SEEN)
