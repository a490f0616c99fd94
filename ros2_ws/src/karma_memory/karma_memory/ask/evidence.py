# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The evidence for an answer: which memory is asked for what."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from karma_language.answers.evidence import Evidence, Gap, Move, Said
from karma_language.answers.speech import sentence, whose
from karma_language.answers.wording import TOLD_BESIDE
from karma_language.dialogue.utterances import orders_not_to
from karma_language.phrases.marking import mark
from karma_language.reading import OF_A_MOMENT, OWN, RULES, Kind, Question
from karma_language.things import Span, Thing, Where
from karma_language.told.quoting import may_be_one, names, of_another, same_owner
from karma_language.vocabulary import household
from karma_language.vocabulary.skill_words import MOVING
from karma_language.vocabulary.word_meanings import deeds_in
from karma_memory.ask.deeds import (
    PLACED,
    deed_of,
    during,
    episodes_about,
    handlings,
    has_state,
    ids_handled,
    made_so,
    skills_for,
    steps_of,
)
from karma_memory.ask.history import OF_DEEDS, SEEING, count_done, did, happened
from karma_memory.ask.looking_back import told_in
from karma_memory.ask.own_names import in_own_labels
from karma_memory.ask.quoting import each_once, may_hear, may_say_where, says_more
from karma_memory.ask.robot import of_robot
from karma_memory.ask.scene import Scene
from karma_memory.ask.spans import JUST, moment, stretch
from karma_memory.ask.things import MANY, OF_THINGS, ever_there, unknown
from karma_memory.scene_graph.graph import SceneGraph
from karma_memory.told.owners import ME, Owned
from karma_memory.told.statements import KIND

if TYPE_CHECKING:
    from karma_memory.state.state import MemoryState

_SAYING = ("say", "tell", "ask")
_TAKES = "PickupObject"
_MOST_SAID = 3
"""Sentences that are quoted for one thing."""


def collect(
    question: Question, state: MemoryState, *, scene: str, user: str, now: float, told: Callable[[], tuple[Said, ...]]
) -> Evidence:
    """Return what is known. `user`: who asks; what others said of themselves is not theirs to know.

    `told` looks for what is quoted where nothing was seen and done that answers.
    """
    scene = scene or state.long_term.current_scene
    graph = state.long_term.graph(scene)
    graph = graph if graph is not None else SceneGraph(scene)
    robot = state.working.last_active(scene)
    owners = state.owners.of(user, scene) if state.may_use(user) else {}
    known = Scene(graph, here=robot.room if robot is not None else "", owners=owners)
    if question.kind is Kind.CLOCK:
        return Evidence(now)
    if question.kind in (Kind.HOLDING, Kind.ROBOT, Kind.ABLE):
        return of_robot(question, state, known, scene, now)
    question = in_own_labels(_of_owner(question, user), graph, known)
    evidence = _called_so(question, _besides(question, _own(question, state, known, user, now)))
    if evidence.gap in (None, Gap.NO_STATE) and question.kind in TOLD_BESIDE and question.thing is not None:
        about = _said_of(question.thing, state, user, most=MANY)
        if question.kind in (Kind.EXISTS, Kind.COUNT) and not question.thing.owner:  # "I put it there" is over since
            seen = max((one.seen for one in (*evidence.sightings, *evidence.elsewhere)), default=0.0)
            about = tuple(said for said in about if said.stamp > seen)
        more = [one for one in about if says_more(question.quote, question.thing, one.text)]
        return replace(evidence, said=tuple(more[:1]))
    if question.kind is Kind.CONTENTS and question.thing is None and question.place is not None:
        last = max((one.seen for one in evidence.sightings), default=evidence.looked or 0.0)
        put = _said_of(question.place.thing, state, user, most=MANY)  # "I put the red pen in the box"
        put = tuple(said for said in may_say_where(question.quote, put) if said.stamp > last)
        if put:
            return replace(evidence, said=put[:_MOST_SAID])
    if evidence.gap in (None, Gap.FUTURE, Gap.NOT_LOOKED, Gap.NO_STATE, Gap.NO_SUCH_FLOOR):
        return evidence
    timed = question.time is not None and not question.time.lead
    unheard_of = question.thing is not None and not (question.thing.categories or question.thing.room)
    if evidence.gap is Gap.NOT_THEN and question.kind in OF_A_MOMENT and timed and not unheard_of:
        return evidence  # what was told does not say how it was then
    if question.kind is Kind.ABOUT and question.thing is None:
        return evidence  # whatever was told was looked through
    said = told()
    if question.deed == OWN:  # whose other things are does not say it, and which one is spoken of is not sure
        seen = question.thing is not None and known.known(question.thing)
        said = tuple(replace(one, answer="") if seen else one for one in said)
    if said and question.kind in (Kind.DID, Kind.WHY, Kind.HOW_OFTEN):
        return replace(evidence, said=said)  # nor what the robot did
    if not said and question.thing is not None and evidence.gap in (Gap.NEVER_SEEN, Gap.OTHERS, Gap.NO_SUCH_WORD):
        return replace(evidence, said=_said_of(question.thing, state, user, most=1))  # "we ran out of milk"
    return Evidence(now, said=said) if said else evidence


def _of_owner(question: Question, user: str) -> Question:
    """Return a question with "me" for who asks, where they name themselves as the owner of its thing."""
    if question.thing is None or not user or question.thing.owner.casefold() != user.casefold():
        return question
    return question.model_copy(update={"thing": question.thing.model_copy(update={"owner": ME})})


def _called_so(question: Question, evidence: Evidence) -> Evidence:
    """Return evidence whose things have the owner that the question names, where it is the same: "mum", the mother."""
    asked = question.thing.owner if question.thing is not None else ""
    seen = (replace(one, owner=asked) if asked and same_owner(one.owner, asked) else one for one in evidence.sightings)
    return replace(evidence, sightings=tuple(seen))


def _besides(question: Question, evidence: Evidence) -> Evidence:
    """Return evidence without what does not count."""
    if question.besides is None:
        return evidence
    out = {*question.besides.categories, *question.besides.loosely}
    found = tuple(one for one in evidence.sightings if not out & {one.category, one.place})
    return replace(evidence, sightings=found, number=None if evidence.number is None else float(len(found)))


def _own(question: Question, state: MemoryState, known: Scene, user: str, now: float) -> Evidence:
    """Return what the robot saw and did itself."""
    if question.kind is Kind.TOLD:
        return Evidence(now, gap=Gap.NOBODY_SAID)
    time = question.time
    moments = [moment for moment in (time.at, time.since, time.until) if moment is not None] if time is not None else []
    if moments and min(moments) > now + 60.0:
        return Evidence(now, gap=Gap.FUTURE)
    if (ask := OF_DEEDS.get(question.kind)) is not None:
        return ask(question, state, known, user, now)
    if question.kind is Kind.EXISTS and time is not None and time.bare:
        return ever_there(question, known, now)
    if time is not None and time.lead:
        time = _resolved(time, question, state, known, now)
        question = question.model_copy(update={"time": time})
    if question.kind in OF_A_MOMENT and time is not None and time.is_past(now):
        return _then(question, state, known, user, now)
    if question.kind is Kind.COUNT and question.deed and question.thing is not None:
        return count_done(question, state, known, user, now)
    if (look := OF_THINGS.get(question.kind)) is not None:
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
            return happened(question, state, known, user, now)
        case _:
            return Evidence(now, gap=Gap.NOT_HERE)


def _then(question: Question, state: MemoryState, known: Scene, user: str, now: float) -> Evidence:
    """Return what was known of a time in the past."""
    assert question.time is not None
    meant = question.thing or (question.place.thing if question.place else None)
    if moment(question.time) < known.began():
        return Evidence(now, gap=Gap.NOT_THEN)
    then = known.then(moment(question.time))
    found = _own(question.model_copy(update={"time": None}), state, then, user, now)
    if question.kind is Kind.WHERE and found.gap is None and not question.time.lead:
        said = tuple(one for one in found.said if one.stamp <= moment(question.time))  # what was told since is no help
        found = replace(found, said=said, gap=None if said or found.sightings else Gap.NOT_THEN)
    if found.gap in (Gap.NEVER_SEEN, Gap.NO_SUCH_WORD) and meant is not None and known.known(meant):
        return Evidence(now, said=found.said, gap=Gap.NOT_THEN)
    if question.time.before and meant is not None and question.kind is Kind.WHERE and found.sightings:
        handled = ids_handled(meant, question.time.deed, state, known, now)
        moves = [
            Move(one, next(iter(known.sightings_of(one.object_id)), None), by_robot=one.object_id in handled)
            for one in found.sightings
        ]
        move = max(moves, key=lambda one: (one.by_robot, one.elsewhere))
        return replace(found, sightings=found.sightings[:1], moves=(move,))
    return found


def _resolved(time: Span, question: Question, state: MemoryState, known: Scene, now: float) -> Span | None:
    """Return the time of a clause that says when by what the robot did: "before you moved it".

    "Before" alone is before the last change that a question is about; None where there was none. Where nothing of the
    kind was done, the clause as it is: nothing is known of then.
    """
    thing = question.thing or (question.place.thing if question.place else None)
    if thing is None:
        return None if time.bare else time
    for episode, handled in handlings(thing, time.deed, state, known, now):
        start = episode.start - JUST  # who puts it at once puts it as the episode begins
        then = [one.node for one in known.then(start).current(thing) if one.node.id in handled]
        if time.after:
            return time.model_copy(update={"since": episode.end or now, "until": now})
        if not (time.before or _TAKES in skills_for(time.deed)):
            return time.model_copy(update={"at": episode.start})
        to = {step.place for step in steps_of(episode) if step.place}
        found = (known.found_last(name, start, episode.end or now, to) for name in handled)  # it may look first
        at = max(filter(None, found), default=None)
        if at is not None or not (then and all(node.relation == "held" for node in then)):
            return time.model_copy(update={"at": at if at is not None else start})
    if not time.bare:
        return time
    of_state = question.kind in (Kind.STATE, Kind.WHICH)
    changes = known.moves(0.0, now, question.thing, question.place)
    counted = (one.before for one in changes if (one.otherwise if of_state else one.elsewhere))
    was = next((one for one in counted if one is not None), None)
    return time.model_copy(update={"at": (was.until or was.since) - JUST}) if was is not None else None


def _where(question: Question, state: MemoryState, known: Scene, user: str, now: float) -> Evidence:
    thing = question.thing
    if thing is None:
        return Evidence(now, gap=Gap.NOT_HERE)
    if question.storey:
        on, seen_at_all = known.floors_of(thing), known.known(thing) or known.rooms_of(thing)
        seen_at = tuple(map(known.sighting, known.current(thing)[:MANY])) if on and thing.categories else ()
        gap = None if on else Gap.NOT_HERE
        return Evidence(now, names=on, sightings=seen_at, gap=gap) if seen_at_all else unknown(thing, known, now)
    past = question.time is not None and question.time.before  # where it belongs says nothing of that
    said = () if past else _said_of(thing, state, user)
    if thing.is_room:
        return OF_THINGS[Kind.ROUTE](question, known, now) if known.rooms(thing) else unknown(thing, known, now)
    found = tuple(map(known.sighting, known.current(thing, loosely=not thing.categories)[:MANY]))
    seen = max((one.seen for one in found), default=0.0)
    said = tuple(replace(s, room=_room_told(s.text, thing, known)) if s.stamp > seen else s for s in said)
    if question.place is not None:
        there = {node.id for node in known.with_place(question.place)[1]}
        found = tuple(one for one in found if one.object_id in there) or found
    if question.deed or thing.other:
        handled = ids_handled(thing, question.deed or "move", state, known, now)
        found = tuple(one for one in found if (one.object_id in handled) is not thing.other) or found
    if question.usual and found and (mostly := known.mostly(found[0].object_id)) is not None:
        return Evidence(now, sightings=found[:1], said=said, moves=(Move(known.sighting(mostly), found[0]),))
    if found:  # whose they are is heeded; where they were then is over
        return Evidence(now, sightings=found[:MANY], said=_of_no_owner(said, known))
    gone = tuple(map(known.sighting, known.past(thing)))[:1]
    said = may_say_where(f"where is {thing.text}?", said)
    if gone or said:
        return Evidence(now, sightings=gone, said=said)
    return unknown(thing, known, now)


def _room_told(said: str, thing: Thing, known: Scene) -> str:
    """Return the room of the place that words name: of the sofa, in "I put the keys on the sofa"; "" for none."""
    places = [one for one in mark(said, household()).things if one.categories and one.categories != thing.categories]
    rooms = {seen.room for seen in map(known.sighting, known.current(places[-1]))} if places else set()
    return rooms.pop() if len(rooms) == 1 else ""


def _about_thing(question: Question, state: MemoryState, known: Scene, user: str, now: float) -> Evidence:
    """Return what is known of a thing; of a person, and where it is asked what was told, only that."""
    thing = question.thing
    if thing is None:
        told = tuple(reversed(told_in(state, *stretch(question.time, now, now), user)))
        return Evidence(now, said=told, gap=None if told else Gap.NOBODY_SAID)
    if thing.text == RULES and state.may_use(user):
        told = tuple(
            Said(one.valid_from, one.text, user, record=f"{KIND}:{one.id}")
            for one in state.told.of(user)
            if state.rules.resting_on(one.id) or orders_not_to(one.text)
        )
    else:
        told = _said_of(thing, state, user, most=MANY)
    if question.deed in _SAYING or not thing.categories:
        return Evidence(now, said=told, gap=None if told else Gap.NOBODY_SAID)
    return replace(_where(question, state, known, user, now), said=told)


def _when(question: Question, state: MemoryState, known: Scene, user: str, now: float) -> Evidence:
    thing = question.thing
    if thing is None:
        return Evidence(now, gap=Gap.NOT_HERE)
    if question.deed and question.deed not in SEEING:
        every = question.model_copy(update={"first": False})
        deeds = [deed for deed in did(every, state, known, user, now).deeds if deed.succeeded]
        if deeds:
            return Evidence(now, deeds=(deeds[-1 if question.first else 0],))
        return Evidence(now, gap=Gap.NOT_THEN)
    beliefs = [*known.current(thing), *known.past(thing)]
    if not beliefs:
        return unknown(thing, known, now)
    seen = [known.sighting(belief) for belief in beliefs]
    chosen = min(seen, key=lambda one: one.since) if question.first else max(seen, key=lambda one: one.seen)
    return Evidence(now, sightings=(chosen,))


def _who(question: Question, state: MemoryState, known: Scene, user: str, now: float) -> Evidence:
    thing = question.thing
    if thing is None:
        return Evidence(now, gap=Gap.NOBODY_SAID)
    if question.deed == OWN:
        time = question.time
        then = known.then(moment(time)) if time is not None and time.is_past(now) else known
        return _whose(thing, question.place, then, now)
    said = _said_of(thing, state, user) if question.deed in _SAYING else ()
    if said and question.deed != "ask":
        return Evidence(now, said=said)
    if question.deed in ("ask", "want", "order"):
        anything, wanted = question.model_copy(update={"deed": "", "place": None}), deeds_in(question.quote)
        about = episodes_about(anything, thing, state, known, 0.0, now)
        said_to = ((one, deeds_in(one.instruction)) for one in about)
        about = [one for one, deeds in said_to if not (wanted and deeds) or wanted & deeds]  # "to SWITCH it off"
        others = (one for one in about if one.user not in ("", user))  # nobody asks what they said themselves
        if (asked := next(others, next(iter(about), None))) is not None and asked.user:
            deed = deed_of(asked, anything, known, user)
            return Evidence(now, deeds=(deed,), names=("You" if asked.user == user else asked.user,))
    if question.deed in _SAYING:
        return Evidence(now, said=said, gap=None if said else Gap.NOBODY_SAID)
    if has_state(question.state, known.current(thing)):
        return made_so(question, thing, state, known, user, now)
    moves = [move for move in known.moves(0.0, now, thing, None) if move.elsewhere]
    if not moves and (
        told := [one for one in _said_of(thing, state, user, MANY) if says_more(question.quote, thing, one.text)]
    ):
        return Evidence(now, said=tuple(told[:1]))  # "I moved the pillow"
    if not moves and known.known(thing) and skills_for(question.deed) == MOVING and question.deed != "give":
        return Evidence(now, sightings=tuple(map(known.sighting, known.current(thing)))[:1])
    if question.place is not None and skills_for(question.deed) == PLACED:
        places = {place.id for place in known.with_place(question.place)[0]}
        moves = [move for move in moves if move.after is not None and move.after.place_id in places]
    after = next((move.after for move in moves[:1]), None)
    mine = [
        episode
        for episode, ids in handlings(thing, "move", state, known, now)
        if after is not None and after.object_id in ids and during(episode, after.since, now)
    ]
    before = [one.node for one in known.then(mine[0].start).current(thing)] if mine else []
    if after is not None and (after.object_id, after.place_id) in {(node.id, node.receptacle) for node in before}:
        return Evidence(now, gap=Gap.NOT_THEN)  # the robot only put it back
    if mine and question.deed == "give":
        return Evidence(now, gap=Gap.NOBODY_SAID)  # by whom it came to the home the robot did not see
    return Evidence(
        now,
        moves=tuple(replace(move, by_robot=bool(mine)) for move in moves[:1]),
        deeds=tuple(deed_of(one, question, known, user) for one in mine[:1]),
        gap=None if moves else Gap.NOT_THEN,
    )


def _whose(thing: Thing, where: Where | None, known: Scene, now: float) -> Evidence:
    """Return whose things are, to who asks; whether they are somebody's, where a question names one."""
    asked, thing = thing.owner, thing.model_copy(update={"owner": ""})
    found = [belief.node.id for belief in known.current(thing)]
    if where is not None:
        there = {node.id for node in known.with_place(where)[1]}
        found = [name for name in found if name in there]
    owned = [known.owners[name] for name in found if name in known.owners]
    if not owned or thing.other or (thing.plural and len(owned) < len(found)):
        return Evidence(now, gap=Gap.NOBODY_SAID)
    whom = {(one.source, one.owner): one for one in owned}

    def answer(one: Owned) -> str:
        if not asked or (may_be_one(one.owner, asked) and not same_owner(one.owner, asked)):
            return sentence(whose(one.owner))
        return f"{'Yes' if same_owner(one.owner, asked) else 'No'}: {whose(one.owner)}"

    said = (
        Said(one.since, one.text, one.user, answer=answer(one), record=one.words if one.text else "")
        for one in whom.values()
    )
    return Evidence(now, said=tuple(said)[:_MOST_SAID])


def _of_no_owner(said: Iterable[Said], known: Scene) -> tuple[Said, ...]:
    """Return what people said without what says whose things are."""
    heeded = {one.words for one in known.owners.values() if one.ids}
    return tuple(one for one in said if one.record not in heeded)


def _said_of(thing: Thing, state: MemoryState, user: str, most: int = _MOST_SAID) -> tuple[Said, ...]:
    """Return what the one who asks has told, by words, about a thing, and then nobody; the newest first."""
    if thing.pronoun or not thing.text or not state.may_use(user):
        return ()
    found = (
        Said(record.valid_from, record.text, record.user, record.user == user, record=record.id)
        for record in state.index.saying(state.told.kind, thing.last_word)
        if may_hear(record, user) and names(thing, record.text) and not of_another(thing, record.text)
    )
    told = reversed(each_once(found))
    return tuple(sorted(told, key=lambda one: not one.own))[:most]
