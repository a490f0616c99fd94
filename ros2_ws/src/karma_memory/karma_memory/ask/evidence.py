# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The evidence for an answer: which memory is asked for what."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from karma_language.evidence import Deed, Done, Evidence, Gap, Move, Said
from karma_language.reading import Kind, Question, Relation, Span, Thing, Where
from karma_language.states import STATES
from karma_language.terms import words
from karma_language.told.wishes.phrases import same_words
from karma_language.word_meanings import Sort, means, sense_of, verb_senses
from karma_memory.ask.looking_back import noticed, told_in
from karma_memory.ask.robot import of_robot
from karma_memory.ask.scene import Scene, room_name
from karma_memory.episodic import episodes as episodic
from karma_memory.episodic.episodes import Episode, Step
from karma_memory.events import Code
from karma_memory.scene import Node

if TYPE_CHECKING:
    from karma_memory.state import MemoryState

DAY = 86_400.0
_LISTED = 50
"""Most instructions of which it is told what was done for each."""
_MANY = 1000
"""Most of one kind of evidence."""
_PLACED, _TAKEN = ("PutObject", "Place", "ThrowObject"), ("PickupObject", "Pick")
_ON, _OFF = ("SwitchOn", "ToggleOn"), ("SwitchOff", "ToggleOff")
_SKILLS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("put", "return", "tidy", "throw", "discard"), _PLACED),
    **dict.fromkeys(("take", "get", "bring", "give", "move"), (*_PLACED, *_TAKEN)),
    "touch": (*_PLACED, *_TAKEN, "OpenObject", "CloseObject"),
    "use": (*_PLACED, *_TAKEN, *_ON, "OpenObject"),
    "open": ("OpenObject",),
    "close": ("CloseObject",),
    "switch on": _ON,
    "start": _ON,
    "switch off": _OFF,
    "stop": _OFF,
    "slice": ("SliceObject",),
    "break": ("BreakObject",),
}
"""Verb, or its sense with its particle, → the skills that do it; what has none is looked for in what was asked for."""
_SAYING = ("say", "tell", "ask")
_LOOKING = (
    "Explore",
    "FindObject",
    "FindReceptacle",
    "FindRoom",
    "DescribeObject",
    "OpenObject",
    "GoToObject",
    "Navigate",
)


def collect(
    question: Question, state: MemoryState, *, scene: str, user: str, now: float, told: Callable[[], tuple[Said, ...]]
) -> Evidence:
    """Return what is known. `user`: who asks; what others said of themselves is not theirs to know.

    `told` looks for what is quoted where nothing was seen and done that answers.
    """
    scene = scene or state.long_term.current_scene
    graph = state.long_term.graph(scene)
    robot = state.working.last_active(scene)
    known = Scene(graph, here=robot.room if robot is not None else "") if graph is not None else None
    if question.kind in (Kind.HOLDING, Kind.ROBOT, Kind.ABLE):
        return of_robot(question, state, known, scene, now)
    evidence = _besides(question, _own(question, state, known, user, now))
    if evidence.gap in (None, Gap.FUTURE, Gap.NOT_LOOKED, Gap.NO_STATE, Gap.NO_SUCH_FLOOR):
        return evidence
    timed = question.time is not None and not question.time.lead
    if evidence.gap is Gap.NOT_THEN and question.kind in _AT_A_TIME and timed:
        return evidence  # what was told does not say how it was then
    said = told()
    if said and question.kind in (Kind.DID, Kind.WHY, Kind.HOW_OFTEN):
        return replace(evidence, said=said)  # nor what the robot did
    return Evidence(now, said=said) if said else evidence


def _besides(question: Question, evidence: Evidence) -> Evidence:
    """Return evidence without what does not count."""
    if question.besides is None:
        return evidence
    out = {*question.besides.categories, *question.besides.loosely}
    found = tuple(one for one in evidence.sightings if not out & {one.category, one.place})
    return replace(evidence, sightings=found, number=None if evidence.number is None else float(len(found)))


def _own(question: Question, state: MemoryState, known: Scene | None, user: str, now: float) -> Evidence:
    """Return what the robot saw and did itself."""
    time = question.time
    moments = [moment for moment in (time.at, time.since, time.until) if moment is not None] if time is not None else []
    if moments and min(moments) > now + 60.0:
        return Evidence(now, gap=Gap.FUTURE)
    if question.kind is Kind.TOLD:
        return Evidence(now, gap=Gap.NOBODY_SAID)
    of_past = {Kind.DID: _did, Kind.ASKED: _asked, Kind.WHY: _why, Kind.LOOKED: _looked, Kind.HOW_OFTEN: _how_often}
    if (ask := of_past.get(question.kind)) is not None:
        return ask(question, state, known, user, now)
    if known is None:
        return Evidence(now, gap=Gap.NEVER_SEEN)
    if time is not None and time.lead:
        time = _resolved(time, question.thing or (question.place.thing if question.place else None), state, known, now)
        question = question.model_copy(update={"time": time})
    if question.kind in _AT_A_TIME and time is not None and _is_past(time, now):
        return _then(question, state, known, user, now)
    of_scene: Mapping[Kind, Callable[[Question, Scene, float], Evidence]] = {
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
    if (look := of_scene.get(question.kind)) is not None:
        return look(question, known, now)
    match question.kind:
        case Kind.WHERE:
            return _where(question, state, known, user, now)
        case Kind.ABOUT:
            return _about_thing(question, state, known, user, now)
        case Kind.WHEN:
            return _when(question, state, known, user, now)
        case Kind.WHO:
            return _who(question, state, known, user, now)
        case Kind.HAPPENED:
            return _happened(question, state, known, user, now)
        case _:
            return Evidence(now, gap=Gap.NOT_HERE)


_AT_A_TIME = frozenset((Kind.WHERE, Kind.STATE, Kind.CONTENTS, Kind.COUNT, Kind.EXISTS, Kind.WHICH))
"""What may have been otherwise in the past."""


def _is_past(time: Span, now: float) -> bool:
    return time.at is not None or time.until is None or time.until < now - 60.0


def _then(question: Question, state: MemoryState, known: Scene, user: str, now: float) -> Evidence:
    """Return what was known of a time in the past."""
    assert question.time is not None
    meant = question.thing or (question.place.thing if question.place else None)
    then = known.then(_moment(question.time))
    found = _own(question.model_copy(update={"time": None}), state, then, user, now)
    if question.kind is Kind.WHERE and found.gap is None and not question.time.lead:
        said = tuple(one for one in found.said if one.stamp <= _moment(question.time))  # what was told since is no help
        found = replace(found, said=said, gap=None if said or found.sightings else Gap.NOT_THEN)
    if found.gap in (Gap.NEVER_SEEN, Gap.NO_SUCH_WORD) and meant is not None and known.known(meant):
        return Evidence(now, said=found.said, gap=Gap.NOT_THEN)
    if question.time.before and meant is not None and question.kind is Kind.WHERE and found.sightings:
        handled = _ids_handled(meant, question.time.deed, state, known, now)
        was = next((one for one in found.sightings if one.object_id in handled), found.sightings[0])
        here = next(iter(known.sightings_of(was.object_id)), None)
        return replace(found, sightings=(was,), moves=(Move(was, here, by_robot=True),))
    return found


def _resolved(time: Span, thing: Thing | None, state: MemoryState, known: Scene, now: float) -> Span | None:
    """Return the time of a clause that says when by what the robot did: "before you moved it".

    Where nothing of the kind was done, the clause as it is: nothing is known of then. None for "before" alone.
    """
    if thing is None:
        return None if time.text == time.lead else time
    for episode, handled in _handlings(thing, time.deed, state, known, now):
        then = [one.node for one in known.then(episode.start).current(thing) if one.node.id in handled]
        if time.before and not (then and all(node.relation == "held" for node in then)):
            found = (known.found_last(name, episode.start, episode.end or now) for name in handled)  # it may look first
            return time.model_copy(update={"at": max(filter(None, found), default=episode.start)})
        if time.after:
            return time.model_copy(update={"since": episode.end or now, "until": now})
        if time.meanwhile:
            return time.model_copy(update={"at": episode.start})
    return None if time.text == time.lead else time


def _span(time: Span | None, now: float, default: float) -> tuple[float, float]:
    """Return a stretch of time: of a moment, the hour around it."""
    if time is None:
        return now - default, now
    if time.at is not None:
        return time.at - 1800.0, time.at + 1800.0
    return time.since if time.since is not None else 0.0, time.until if time.until is not None else now


def _moment(time: Span) -> float:
    """Return the moment that a stretch of time is asked about by: its end."""
    if time.at is not None:
        return time.at
    return time.until if time.until is not None else time.since or 0.0


def _unknown(thing: Thing, known: Scene, now: float) -> Evidence:
    if thing.floor:
        return Evidence(now, gap=Gap.NO_SUCH_FLOOR)
    gap = Gap.NEVER_SEEN if thing.categories or thing.room or known.known(thing) else Gap.NO_SUCH_WORD
    return Evidence(now, gap=gap)


# Where things are, and how


def _where(question: Question, state: MemoryState, known: Scene, user: str, now: float) -> Evidence:
    thing = question.thing
    if thing is None:
        return Evidence(now, gap=Gap.NOT_HERE)
    said = _said_of(thing, state, user)
    if thing.room and not thing.categories:
        return Evidence(now, sightings=(), names=tuple(room.name for room in known.rooms(thing)), gap=Gap.NOT_HERE)
    found = tuple(map(known.sighting, known.current(thing, loosely=not thing.categories)[:_MANY]))
    if question.place is not None:
        there = {node.id for node in known.with_place(question.place)[1]}
        found = tuple(one for one in found if one.object_id in there) or found
    if question.deed or thing.other:
        handled = _ids_handled(thing, question.deed or "move", state, known, now)
        found = tuple(one for one in found if (one.object_id in handled) is not thing.other) or found
    if found:
        return Evidence(now, sightings=found[:_MANY], said=said)
    gone = tuple(map(known.sighting, known.past(thing)))[:1]
    if gone or said:
        return Evidence(now, sightings=gone, said=said)
    return _unknown(thing, known, now)


def _about_thing(question: Question, state: MemoryState, known: Scene, user: str, now: float) -> Evidence:
    """Return what is known of a thing; of a person, and where it is asked what was told, only that."""
    thing = question.thing
    if thing is None:
        return Evidence(now, gap=Gap.NOT_HERE)
    told = _said_of(thing, state, user, most=_MANY)
    if question.deed in _SAYING or not thing.categories:
        return Evidence(now, said=told, gap=None if told else Gap.NOBODY_SAID)
    return replace(_where(question, state, known, user, now), said=told)


def _state(question: Question, known: Scene, now: float) -> Evidence:
    thing = question.thing
    if thing is None:
        return Evidence(now, gap=Gap.NOT_HERE)
    beliefs = known.current(thing)
    if question.place is not None:
        there = {node.id for node in known.with_place(question.place)[1]}
        if beliefs and not (beliefs := [belief for belief in beliefs if belief.node.id in there]):
            return Evidence(now, gap=Gap.NO_STATE)
    if not beliefs:
        return _unknown(thing, known, now)
    flags = {STATES[question.state][0]} if question.state else {flag for flag, _, _ in STATES.values()}
    telling = tuple(known.sighting(belief) for belief in beliefs if flags & belief.node.states.keys())
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
        return _around(known, now)
    places, found = known.with_place(where)
    if not places:
        return _unknown(where.thing, known, now)
    if where.relation is Relation.IN and not where.thing.room:
        unseen = [place for place in places if not known.looked_into(place)]
        if len(unseen) == len(places):
            return Evidence(now, gap=Gap.NOT_LOOKED, look=_labels(unseen))
    if question.thing is not None and question.thing.categories:
        found = [node for node in found if node.category in question.thing.categories]
    things = [node for node in found if node.movable or where.relation is not Relation.IN]
    looked = max((place.last_seen for place in places), default=None)
    return Evidence(now, sightings=known.sightings(things[:_MANY]), looked=looked, number=float(len(things)))


def _around(known: Scene, now: float) -> Evidence:
    """Return what is where the robot is."""
    room = known.here()
    if room is None:
        return Evidence(now, gap=Gap.NOT_HERE)
    things = known.inside([room])
    return Evidence(now, sightings=known.sightings(things[:_MANY]), number=float(len(things)))


def _count(question: Question, known: Scene, now: float) -> Evidence:
    thing = question.thing
    if thing is None:
        return Evidence(now, gap=Gap.NOT_HERE)
    if question.place is not None and not thing.categories and means(thing.last_word, Sort.ANYTHING):
        return _contents(question, known, now)
    every_room = means(thing.text, Sort.ROOM)
    if every_room or (thing.room and not thing.categories):
        rooms = known.rooms(None if every_room else thing)
        names = tuple(map(room_name, rooms)) if every_room else ()
        return Evidence(now, sightings=known.sightings(rooms[:_MANY]), number=float(len(rooms)), names=names)
    nodes = [belief.node for belief in known.current(thing.model_copy(update={"plural": True}), loosely=False)]
    if question.place is not None:
        places, there = known.with_place(question.place)
        if not places:
            return _unknown(question.place.thing, known, now)
        if not any(map(known.looked_into, places)):
            return Evidence(now, gap=Gap.NOT_LOOKED, look=_labels(places))
        ids = {node.id for node in known.within(there)}
        nodes = [node for node in nodes if node.id in ids]
    elif not nodes and not known.known(thing):
        return replace(_unknown(thing, known, now), number=0.0)
    if question.state:
        flag, value, _ = STATES[question.state]
        if nodes and not any(flag in node.states for node in nodes):
            return Evidence(now, gap=Gap.NO_STATE)
        nodes = [node for node in nodes if node.states.get(flag) == value]
    return Evidence(now, sightings=known.sightings(nodes[:_MANY]), number=float(len(nodes)))


def _exists(question: Question, known: Scene, now: float) -> Evidence:
    counted = _count(question, known, now)
    if question.place is None or counted.gap is not None or counted.sightings or question.thing is None:
        return counted
    return replace(counted, elsewhere=tuple(map(known.sighting, known.current(question.thing, loosely=False))))


def _changed(question: Question, known: Scene, now: float) -> Evidence:
    since, until = _span(question.time, now, DAY)
    if question.thing is not None and question.thing.room and not question.thing.categories:
        there = Where(relation=Relation.IN, thing=question.thing)  # "has the kitchen changed?"
        question = question.model_copy(update={"thing": None, "place": there})
    if question.thing is not None and not known.known(question.thing):
        return _unknown(question.thing, known, now)
    moves = known.moves(since, until, question.thing, question.place)
    if question.thing is None:
        moves = _in_all(moves, known)
    return Evidence(now, moves=tuple(moves[:_MANY]), looked=since)


def _in_all(moves: Iterable[Move], known: Scene) -> list[Move]:
    """Return one change of each thing, from how it was at first to how it is at last; none of what is as it was.

    `moves`: the newest first.
    """
    by_thing: dict[str, list[Move]] = {}
    for move in moves:
        sighting = move.after or move.before
        by_thing.setdefault(sighting.object_id if sighting is not None else "", []).append(move)
    found = []
    for name, several in by_thing.items():
        after, (now, *_) = several[0].after, known.sightings_of(name) or (None,)
        if after is not None and now is not None and not Move(after, now).elsewhere and after.states == now.states:
            after = replace(after, until=None)  # it was seen again there
        move = Move(several[-1].before, after)
        found += [move] if move.elsewhere or move.otherwise else []
    return found


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
        return _unknown(thing, known, now)
    beliefs.sort(key=lambda belief: -math.prod(belief.node.size))
    return Evidence(now, sightings=tuple(map(known.sighting, beliefs)), number=max(beliefs[0].node.size))


def _route(question: Question, known: Scene, now: float) -> Evidence:
    goal = next(iter(known.rooms(question.thing)), None) if question.thing is not None else None
    origin = next(iter(known.rooms(question.place.thing)), None) if question.place is not None else known.here()
    if goal is None or origin is None:
        return Evidence(now, gap=Gap.NOT_HERE)
    way = known.way(origin, goal)
    return Evidence(now, names=way, gap=None if way else Gap.NOT_HERE)


def _how_long(question: Question, known: Scene, now: float) -> Evidence:
    thing = question.thing
    if thing is None or not (beliefs := known.current(thing)):
        return _unknown(thing, known, now) if thing is not None else Evidence(now, gap=Gap.NOT_HERE)
    belief = beliefs[0]
    if question.state and belief.node.states.get(STATES[question.state][0]) != STATES[question.state][1]:
        return Evidence(now, gap=Gap.NOT_THEN)  # as far as was seen, it is not so at all
    since = known.since(belief, STATES[question.state][0] if question.state else "")
    sighting = replace(known.sighting(belief), since=since)
    return Evidence(now, sightings=(sighting,), number=now - since)


# What was done and said


def _episodes(state: MemoryState, user: str | None, since: float, until: float) -> Iterator[Episode]:
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


def _skills(deed: str) -> tuple[str, ...]:
    """Return the skills that do what a verb says."""
    return _SKILLS.get(deed.partition(" ")[0]) or _SKILLS.get(_sense(deed), ())


def _says(episode: Episode, deed: str, thing: Thing | None = None) -> bool:
    """Whether an instruction has a verb, or one of its sense: "rinse" of "wash". `thing`: what it is done to."""
    name = words(thing.text) if thing is not None else ()  # the soap of "bring me the soap" is not for washing
    said = [word for word in words(episode.instruction) if word not in name]
    return deed.split()[0] in said or _sense(deed) in verb_senses(said)


def _deed(episode: Episode, question: Question, known: Scene | None, user: str) -> Deed:
    """Return what was done in an episode; of somebody else's, without their words."""
    own = episode.user in ("", user)
    asked, all_done = _skills(question.deed), [*_done(episode, known)] if known is not None else []
    done = [one for one in all_done if one.skill.startswith(asked)] if asked else []
    if question.thing is not None and not question.thing.pronoun:
        done = [one for one in done if one.thing in question.thing.categories] or done
    if question.besides is not None:
        done = [one for one in done if one.thing not in question.besides.categories]
    return Deed(
        episode.end if episode.end is not None else episode.start,
        episode.instruction if own else "",
        episode.user,
        episode.code is Code.SUCCESS and episode.verdict in (Code.UNSET, Code.SUCCESS),
        "" if episode.code is Code.SUCCESS else episode.message or episode.summary,
        tuple(done or [one for one in all_done if one.skill.startswith(_LASTING)] or all_done),
        episode.code is not Code.UNSET,
        f"{episodic.KIND}:{episode.id}",
    )


_LASTING = tuple(dict.fromkeys(skill for skills in (*_SKILLS.values(),) for skill in skills))
"""Skills whose outcome somebody may ask for."""


def _steps(episode: Episode) -> Iterator[Step]:
    """Yield the steps of an episode, what is put somewhere as the thing that was held, and not as taken up before."""
    held: Step | None = None
    for step in episode.steps:
        if step.skill.startswith(_TAKEN):
            if held is not None:
                yield held
            held = step if step.code is Code.SUCCESS else None
        elif step.skill.startswith(_PLACED):
            of = held if held is not None and not step.object else step
            yield replace(step, target=of.target, object=of.object)
            held = None if step.code is Code.SUCCESS else held
        else:
            yield step
    if held is not None:
        yield held


def _done(episode: Episode, known: Scene | None) -> Iterator[Done]:
    """Yield what was done in an episode, in its order."""
    for step in _steps(episode):
        if step.code is Code.SUCCESS:
            names = (known.category(name) if known is not None else name for name in (step.target, step.place))
            yield Done(step.skill, *names)


def _episodes_about(
    question: Question, thing: Thing, state: MemoryState, known: Scene | None, since: float, until: float
) -> list[Episode]:
    """Return the episodes of a stretch of time in which what is asked about was done with a thing, the newest first."""
    beliefs = (*known.current(thing), *known.past(thing)) if known is not None else ()
    ids = {belief.node.id for belief in beliefs}
    categories, deed = {*thing.categories, *thing.loosely}, question.deed
    places = {*question.place.thing.categories, *question.place.thing.loosely} if question.place is not None else set()
    skills = _skills(deed)

    def handled(step: Step) -> bool:
        if not (step.object in ids or step.target in categories) or (skills and not step.skill.startswith(skills)):
            return False
        return not places or known is None or not step.place or known.category(step.place) in places

    def about(episode: Episode) -> bool:
        says = bool(skills or not deed or _says(episode, deed, thing))
        if says and any(map(handled, _steps(episode))):
            return True
        tried = not episode.steps or episode.code is not Code.SUCCESS  # what it was for is in the words alone
        return tried and same_words(thing.text, episode.instruction) and (not deed or _says(episode, deed, thing))

    found = state.episodic.handling(ids | categories, thing.last_word)
    return [episode for episode in found if since <= episode.start <= until and about(episode)]


def _with_deed(episode: Episode, question: Question, known: Scene | None) -> bool:
    """Whether something was done at all: "what did you wash?", "what have you put on the table?"."""
    skills, place = _skills(question.deed), question.place
    places = {*place.thing.categories, *place.thing.loosely} if place is not None and known is not None else set()
    done = [one for one in _done(episode, known) if skills and one.skill.startswith(skills)]
    return any(not places or one.place in places for one in done) or (not places and _says(episode, question.deed))


def _handlings(
    thing: Thing, deed: str, state: MemoryState, known: Scene, now: float
) -> Iterator[tuple[Episode, set[str]]]:
    """Yield the episodes in which something was done with things of a kind, the newest first, and their ids."""
    ids = {belief.node.id for belief in (*known.current(thing), *known.past(thing))}
    skills = _skills(deed) or _SKILLS["move"]
    for episode in state.episodic.handling({*ids, *thing.categories}, thing.last_word):
        done = (one for one in _steps(episode) if one.code is Code.SUCCESS and one.skill.startswith(skills))
        found = {step.object or step.target for step in done if step.object in ids or step.target in thing.categories}
        if found and episode.start <= now:
            yield episode, found


def _ids_handled(thing: Thing, deed: str, state: MemoryState, known: Scene, now: float) -> set[str]:
    """Return the ids of the things of a kind with which something was done last."""
    return next((found for _, found in _handlings(thing, deed, state, known, now)), set())


def _did(question: Question, state: MemoryState, known: Scene | None, user: str, now: float) -> Evidence:
    since, until = _span(question.time, now, DAY if question.thing is None else math.inf)
    named = question.kind is not Kind.ASKED and (question.thing is not None or question.place is not None)
    episodes: Iterable[Episode]
    if question.thing is not None and not question.thing.pronoun:
        about = _episodes_about(question, question.thing, state, known, since, until)
        episodes = (one for one in about if named or one.user in ("", user))
    else:
        episodes = _episodes(state, None if named else user, since, until)  # what was done is there to be seen
        if question.kind is Kind.DID and question.thing is None and question.deed:
            episodes = (episode for episode in episodes if _with_deed(episode, question, known))
    deeds = (_deed(episode, question, known, user) for episode in episodes)
    told = tuple(itertools.islice((deed for deed in deeds if deed.text or deed.done), _MANY))
    return Evidence(now, deeds=told[:1] if question.last else told, gap=None if told else Gap.NOT_THEN)


def _happened(question: Question, state: MemoryState, known: Scene, user: str, now: float) -> Evidence:
    since, until = _span(question.time, now, DAY)
    if question.place is not None and not known.with_place(question.place)[0]:
        return _unknown(question.place.thing, known, now)
    episodes = [one for one in _episodes(state, user, since, until) if one.instruction]
    if question.place is not None:
        there = {node.id for node in known.with_place(question.place)[1]}
        episodes = [one for one in episodes if any({step.object, step.place} & there for step in one.steps)]
    plain = question.model_copy(update={"place": None})
    return Evidence(
        now,
        deeds=tuple(_deed(one, plain, known if len(episodes) <= _LISTED else None, user) for one in episodes[::-1]),
        moves=tuple(noticed(state, known, since, until, question.place)),
        said=tuple(told_in(state, since, until, user)) if question.place is None else (),
        looked=since,
    )


def _asked(question: Question, state: MemoryState, known: Scene | None, user: str, now: float) -> Evidence:
    evidence = _did(question.model_copy(update={"thing": None}), state, known, user, now)
    if question.undone:
        left = tuple(deed for deed in evidence.deeds if not deed.succeeded)
        return replace(evidence, deeds=left, gap=None)
    return evidence


def _why(question: Question, state: MemoryState, known: Scene | None, user: str, now: float) -> Evidence:
    deeds = _did(question, state, known, user, now).deeds
    if question.undone:
        deeds = tuple(deed for deed in deeds if not deed.succeeded)
    if not deeds and question.thing is None:
        deeds = _did(question.model_copy(update={"time": None}), state, known, user, now).deeds
        deeds = tuple(deed for deed in deeds if not (question.undone and deed.succeeded))
    return Evidence(now, deeds=deeds[:1], gap=None if deeds else Gap.NOT_THEN)


def _looked(question: Question, state: MemoryState, known: Scene | None, user: str, now: float) -> Evidence:
    since, until = _span(question.time, now, DAY)
    about = question.thing or (question.place.thing if question.place is not None else None)
    if about is not None and known is not None:
        places = [belief.node for belief in known.current(about)] or known.rooms(about)
        looked = [place for place in places if known.looked_into(place)]
        seen = max((place.last_seen for place in looked), default=None)
        return Evidence(now, looked=seen, names=_labels(places), gap=None if looked else Gap.NOT_LOOKED)
    steps = (step for episode in _episodes(state, user, since, until) for step in episode.steps)
    names = dict.fromkeys(step.target for step in steps if step.skill.startswith(_LOOKING) and step.target)
    return Evidence(now, names=tuple(names)[:_MANY], gap=None if names else Gap.NOT_THEN)


def _how_often(question: Question, state: MemoryState, known: Scene | None, user: str, now: float) -> Evidence:
    evidence = _did(question, state, known, user, now)
    done = tuple(deed for deed in evidence.deeds if deed.succeeded)
    return replace(evidence, deeds=done, number=float(len(done)), gap=None)


def _when(question: Question, state: MemoryState, known: Scene, user: str, now: float) -> Evidence:
    thing = question.thing
    if thing is None:
        return Evidence(now, gap=Gap.NOT_HERE)
    if question.deed not in ("see", "notice", "find", "spot", ""):
        deeds = [deed for deed in _did(question, state, known, user, now).deeds if deed.succeeded]
        if deeds:
            return Evidence(now, deeds=(deeds[-1 if question.first else 0],))
        return Evidence(now, gap=Gap.NOT_THEN)
    beliefs = [*known.current(thing), *known.past(thing)]
    if not beliefs:
        return _unknown(thing, known, now)
    seen = [known.sighting(belief) for belief in beliefs]
    chosen = min(seen, key=lambda one: one.since) if question.first else max(seen, key=lambda one: one.seen)
    return Evidence(now, sightings=(chosen,))


def _who(question: Question, state: MemoryState, known: Scene, user: str, now: float) -> Evidence:
    thing = question.thing
    if thing is None:
        return Evidence(now, gap=Gap.NOBODY_SAID)
    said = _said_of(thing, state, user) if question.deed in _SAYING else ()
    if said and question.deed != "ask":
        return Evidence(now, said=said)
    if question.deed in ("tell", "ask", "want", "order"):
        anything = question.model_copy(update={"deed": "", "place": None})
        about = _episodes_about(anything, thing, state, known, 0.0, now)
        others = (one for one in about if one.user not in ("", user))  # nobody asks what they said themselves
        if (asked := next(others, next(iter(about), None))) is not None and asked.user:
            deed = _deed(asked, anything, known, user)
            return Evidence(now, deeds=(deed,), names=("You" if asked.user == user else asked.user,))
    if question.deed in _SAYING:
        return Evidence(now, said=said, gap=None if said else Gap.NOBODY_SAID)
    moves = [move for move in known.moves(0.0, now, thing, None) if move.elsewhere]
    if not moves and known.known(thing) and _skills(question.deed) == _SKILLS["move"] and question.deed != "give":
        return Evidence(now, sightings=tuple(map(known.sighting, known.current(thing)))[:1])
    if question.place is not None and _skills(question.deed) == _PLACED:
        places = {place.id for place in known.with_place(question.place)[0]}
        moves = [move for move in moves if move.after is not None and move.after.place_id in places]
    after = next((move.after for move in moves[:1]), None)
    mine = [
        episode
        for episode, ids in _handlings(thing, "move", state, known, now)
        if after is not None and after.object_id in ids and episode.start <= after.since <= (episode.end or now) + 1.0
    ]
    before = [one.node for one in known.then(mine[0].start).current(thing)] if mine else []
    if after is not None and (after.object_id, after.place_id) in {(node.id, node.receptacle) for node in before}:
        return Evidence(now, gap=Gap.NOT_THEN)  # the robot only put it back
    if mine and question.deed == "give":
        return Evidence(now, gap=Gap.NOBODY_SAID)  # by whom it came to the home the robot did not see
    return Evidence(
        now,
        moves=tuple(replace(move, by_robot=bool(mine)) for move in moves[:1]),
        deeds=tuple(_deed(one, question, known, user) for one in mine[:1]),
        gap=None if moves else Gap.NOT_THEN,
    )


def _said_of(thing: Thing, state: MemoryState, user: str, most: int = 3) -> tuple[Said, ...]:
    """Return what the one who asks has told, by words, about a thing; the newest first."""
    if thing.pronoun or not thing.text or not state.may_use(user):
        return ()
    found = (
        Said(record.valid_from, record.text, record.user, record=record.id)
        for record in state.index.saying(state.told.kind, thing.last_word)
        if record.user in ("", user)
    )
    return tuple(sorted(found, key=lambda said: -said.stamp))[:most]


def _labels(places: Iterable[Node]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(place.label for place in places))
