# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What was seen: how things are, how many, what is there, what has changed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from karma_language.answers.evidence import Evidence, Gap, Sighting
from karma_language.reading import Kind, Question
from karma_language.things import Relation, Thing, Where
from karma_language.vocabulary.states import FLOOR, STATES
from karma_language.vocabulary.word_meanings import Sort, means
from karma_memory.ask.home import room_name
from karma_memory.ask.scene import Scene
from karma_memory.ask.spans import DAY, stretch
from karma_memory.scene import Node

MANY = 1000
"""Most of one kind of evidence."""


def _state(question: Question, known: Scene, now: float) -> Evidence:
    thing = question.thing
    if thing is None:
        return Evidence(now, gap=Gap.NOT_HERE)
    everything = thing.every and not thing.categories and bool(question.state)
    if everything:
        return Evidence(now, sightings=known.sightings(known.with_state(STATES[question.state][0], question.place)))
    beliefs = known.current(thing)
    if question.place is not None:
        there = {node.id for node in known.with_place(question.place)[1]}
        if beliefs and not (beliefs := [belief for belief in beliefs if belief.node.id in there]):
            return Evidence(now, gap=Gap.NEVER_SEEN)
    if not beliefs:
        return unknown(thing, known, now)
    flags = {STATES[question.state][0]} if question.state else {flag for flag, _, _ in STATES.values()}
    telling = tuple(one for one in map(known.sighting, beliefs) if flags & one.states.keys())
    cut, broken = STATES["sliced"][0], STATES["whole"][0]
    if broken in flags and not telling:  # what is sliced is not whole
        seen = (one for one in map(known.sighting, beliefs) if cut in one.states)
        telling = tuple(replace(one, states={**one.states, broken: one.states[cut]}) for one in seen)
    flag, full, _ = STATES["full"]
    if flag in flags:  # a bowl with an egg in it is not empty
        holding = {one.place_id for one in known.sightings(known.within(b.node for b in beliefs))}
        telling = tuple(
            replace(one, states={**one.states, flag: full}) if one.object_id in holding else one for one in telling
        )
    return Evidence(now, sightings=telling, gap=None if telling else Gap.NO_STATE)


def _which(question: Question, known: Scene, now: float) -> Evidence:
    if not question.state:
        return _exists(question, known, now)
    flag, value, _ = STATES[question.state]
    if question.thing is None:  # "what is still on?"
        found = known.sightings(known.with_state(flag, question.place))
        evidence = Evidence(now, sightings=found, gap=None if found else Gap.NO_STATE)
    else:
        evidence = _state(question, known, now)
    chosen = tuple(one for one in evidence.sightings if one.states.get(flag) == value)
    return replace(evidence, sightings=chosen, number=float(len(evidence.sightings)))


def _contents(question: Question, known: Scene, now: float) -> Evidence:
    where = question.place
    if where is None:
        named = question.thing is not None and question.thing.categories
        return _count(question, known, now) if named else _around(known, now)  # "what food is there?"
    places, found = known.with_place(where)
    if not places:
        return nowhere(where.thing, known, now)
    if where.relation is Relation.IN and not where.thing.is_room:
        unseen = [place for place in places if not known.looked_into(place)]
        if len(unseen) == len(places):
            return Evidence(now, gap=Gap.NOT_LOOKED, look=labels(unseen))
    if question.thing is not None and question.thing.categories:
        found = [node for node in found if node.category in question.thing.categories]
    things = [node for node in found if node.movable or where.relation is not Relation.IN] or found
    looked = max((place.last_seen for place in places), default=None)
    flag, value, _ = STATES["full"]
    full = tuple(one for one in known.sightings(places) if not things and one.states.get(flag) == value)
    there = known.sightings(things[:MANY])
    return Evidence(now, sightings=there, looked=looked, number=float(len(things)), elsewhere=full)


def _around(known: Scene, now: float) -> Evidence:
    there = known.around()
    if not there:
        return Evidence(now, gap=Gap.NOT_HERE)
    things = [node for node in there if node.movable] or there
    return Evidence(now, sightings=known.sightings(things[:MANY]), number=float(len(things)))


def _count(question: Question, known: Scene, now: float) -> Evidence:
    thing = question.thing
    if thing is None:
        return Evidence(now, gap=Gap.NOT_HERE)
    if question.place is not None and not thing.categories and means(thing.last_word, Sort.ANYTHING):
        return _contents(question, known, now)
    if FLOOR in thing.categories and question.place is None:
        return Evidence(now, number=float(len(known.floors())))
    every_room = means(thing.text, Sort.ROOM)
    if every_room or thing.is_room:
        on_floor = question.place.thing if question.place is not None and question.place.thing.floor else None
        rooms = known.rooms(on_floor if every_room else thing)
        names = tuple(map(room_name, rooms)) if every_room else ()
        return Evidence(now, sightings=known.sightings(rooms[:MANY]), number=float(len(rooms)), names=names)
    nodes = [belief.node for belief in known.current(thing.model_copy(update={"plural": True}), loosely=False)]
    if not nodes and (missing := unknown(thing, known, now)).gap is Gap.OTHERS:
        return replace(missing, number=0.0)
    if question.place is not None:
        places, there = known.with_place(question.place)
        if not places:
            return nowhere(question.place.thing, known, now)
        if not any(map(known.looked_into, places)):
            return Evidence(now, gap=Gap.NOT_LOOKED, look=labels(places))
        ids = {node.id for node in known.within(there)}
        nodes = [node for node in nodes if node.id in ids]
    elif not nodes:
        look = labels(known.unopened()) if thing.categories else ()
        if not known.known(thing):
            return replace(unknown(thing, known, now), number=0.0, look=look)
        like = tuple(map(known.sighting, known.current(thing)))  # a butter knife, where there is no knife
        return Evidence(now, number=0.0, look=look, elsewhere=like)
    if question.state:
        flag, value, _ = STATES[question.state]
        if nodes and not any(flag in node.states for node in nodes):
            return Evidence(now, gap=Gap.NO_STATE)
        nodes = [node for node in nodes if node.states.get(flag) == value]
    return Evidence(now, sightings=known.sightings(nodes[:MANY]), number=float(len(nodes)))


def _exists(question: Question, known: Scene, now: float) -> Evidence:
    counted = _count(question, known, now)
    if question.place is None or counted.gap is not None or counted.sightings or question.thing is None:
        return counted
    found = tuple(map(known.sighting, known.current(question.thing, loosely=False)))
    there = tuple(one for one in found if _is_at_such(one, question.place))
    return replace(counted, sightings=there, elsewhere=found, number=float(len(there)))


def _is_at_such(one: Sighting, where: Where) -> bool:
    """Whether a thing is at a place that its noun alone names: "the TABLE" may be the coffee table."""
    place = where.thing
    told_apart = place.room or place.attributes or place.owner or place.place
    return not told_apart and one.place in place.categories and one.relation == where.relation.value


def ever_there(question: Question, known: Scene, now: float) -> Evidence:
    """Return whether something is, or was, at a place: "was the mug ever in the sink?"."""
    evidence = _exists(question, known, now)
    if evidence.sightings or question.thing is None or question.place is None:
        return evidence
    places = {place.id for place in known.with_place(question.place)[0]}
    beliefs = (*known.current(question.thing), *known.past(question.thing))
    seen = map(known.sighting, beliefs)
    then = tuple(one for one in seen if one.place_id in places or _is_at_such(one, question.place))
    return replace(evidence, sightings=then[:1]) if then else evidence


def _changed(question: Question, known: Scene, now: float) -> Evidence:
    since, until = stretch(question.time, now, DAY)
    if question.time is not None and question.time.at is not None:
        since, until = question.time.at, now  # "is anything not as it was at six?"
    if question.thing is not None and question.thing.is_room:
        there = Where(relation=Relation.IN, thing=question.thing)  # "has the kitchen changed?"
        question = question.model_copy(update={"thing": None, "place": there})
    if question.thing is not None and not known.known(question.thing):
        return unknown(question.thing, known, now)
    if question.place is not None and not known.with_place(question.place)[0]:
        return nowhere(question.place.thing, known, now)
    if question.thing is None:
        moves = known.changes(since, until, question.place)
    else:
        moves = known.moves(since, until, question.thing, question.place)
    return Evidence(now, moves=tuple(moves[:MANY]), looked=since)


def _size(question: Question, known: Scene, now: float) -> Evidence:
    thing = question.thing
    if thing is None or thing.room or means(thing.text, Sort.ROOM):
        rooms = [room for room in known.rooms(thing if thing is not None and thing.room else None) if any(room.size)]
        rooms.sort(key=lambda room: -room.size[0] * room.size[1])
        if not rooms:
            return Evidence(now, gap=Gap.NOT_HERE)
        return Evidence(now, names=tuple(map(room_name, rooms)), number=rooms[0].size[0] * rooms[0].size[1])
    beliefs = [belief for belief in known.current(thing) if any(belief.node.size)]
    if not beliefs:
        return unknown(thing, known, now)
    beliefs.sort(key=lambda belief: -math.prod(belief.node.size))
    return Evidence(now, sightings=tuple(map(known.sighting, beliefs)), number=max(beliefs[0].node.size))


def _route(question: Question, known: Scene, now: float) -> Evidence:
    if question.thing is None:
        return Evidence(now, gap=Gap.NOT_HERE)
    ends = (question.thing, *((question.place.thing,) if question.place is not None else ()))
    nowhere = next((thing for thing in ends if not known.rooms_of(thing)), None)
    if nowhere is not None:
        return unknown(nowhere, known, now)
    goal, *origins = (known.rooms_of(thing)[0] for thing in ends)
    origin = origins[0] if origins else known.here()
    if origin is None:
        return Evidence(now, gap=Gap.NOT_HERE)
    way = known.way(origin, goal)
    return Evidence(now, names=way, gap=None if way else Gap.NOT_HERE)


def _how_long(question: Question, known: Scene, now: float) -> Evidence:
    thing = question.thing
    if thing is None or not (beliefs := known.current(thing)):
        return unknown(thing, known, now) if thing is not None else Evidence(now, gap=Gap.NOT_HERE)
    belief = beliefs[0]
    if question.state and belief.node.states.get(STATES[question.state][0]) != STATES[question.state][1]:
        return Evidence(now, gap=Gap.NOT_THEN)  # as far as was seen, it is not so at all
    since = known.since(belief, STATES[question.state][0] if question.state else "")
    sighting = replace(known.sighting(belief), since=since)
    return Evidence(now, sightings=(sighting,), number=now - since)


def nowhere(place: Thing, known: Scene, now: float) -> Evidence:
    """Return that a place is not known."""
    return replace(unknown(place, known, now), names=(place.text,))


def unknown(thing: Thing, known: Scene, now: float) -> Evidence:
    """Return why nothing is known of a thing."""
    if thing.owner and known.owners and known.known(thing.model_copy(update={"owner": ""})):
        return Evidence(now, gap=Gap.OTHERS)
    if thing.floor:
        return Evidence(now, gap=Gap.NO_SUCH_FLOOR)
    gap = Gap.NEVER_SEEN if thing.categories or thing.room or known.known(thing) else Gap.NO_SUCH_WORD
    return Evidence(now, gap=gap)


def labels(places: Iterable[Node]) -> tuple[str, ...]:
    """Return the categories of places, each once."""
    return tuple(dict.fromkeys(place.label for place in places))


OF_THINGS: Mapping[Kind, Callable[[Question, Scene, float], Evidence]] = {
    Kind.STATE: _state,
    Kind.CONTENTS: _contents,
    Kind.COUNT: _count,
    Kind.EXISTS: _exists,
    Kind.WHICH: _which,
    Kind.CHANGED: _changed,
    Kind.SIZE: _size,
    Kind.ROUTE: _route,
    Kind.HOW_LONG: _how_long,
}
"""Kinds of questions that the scene graph alone answers."""
