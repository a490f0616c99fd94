# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the robot does for people in a home's days, what it fails at, and what it refuses."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from karma_eval.ask.home import Thing, plain
from karma_eval.ask.ledger import Deed
from karma_language.vocabulary import household
from karma_memory import Code, Event, EventKind, Memory, SkillCall, SkillOutcome, SkillTarget
from karma_memory.scene import Point

if TYPE_CHECKING:
    from karma_eval.ask.living import Living

USERS = ("Ann", "Ben", "Lea")
_SKILL_S = 6.0
"""Seconds that a skill takes."""
BIN = "GarbageCan"
_TURNED = {
    ("isToggled", "true"): ("switch on", "SwitchOn"),
    ("isToggled", "false"): ("switch off", "SwitchOff"),
    ("isOpen", "true"): ("open", "OpenObject"),
    ("isOpen", "false"): ("close", "CloseObject"),
}
"""Flag and its new value → verb and skill."""
Step = tuple[str, Thing, Callable[[], list[Thing]]]
"""A skill, its target, and what it does, which returns what is seen then."""
_PORTABLE = tuple(sorted(one for one in household().that_can("pickup") if not household().kind(one).whole))
_BRING, _PUT = "bring me the {thing}", "put the {thing} {into} the {place}"
_PUTTING: dict[str, tuple[str, Callable[[Thing], bool]]] = {
    "move": (_PUT, lambda place: True),
    "bring": (_BRING, lambda place: not place.hides),
    "throw": ("throw the {thing} away", lambda place: place.category == BIN),
    "clean": ("wash the {thing}", lambda place: place.category == "SinkBasin"),
}
"""Verb → what people say, and where things are put: anywhere, before somebody, into the bin, where they are washed."""
_ERRANDS = ("move", "bring", "fail", "clean", "turn", "slice", "move", "fail", "throw", "bring", "open", "fail")
"""What the robot is asked for, in turn."""


@dataclass(frozen=True)
class Failure:
    """Why an instruction is not carried out. `{thing}`, `{room}` and `{place}` are filled."""

    words: str
    reason: str
    code: Code
    skill: str = ""
    """That fails; "" where nothing is begun."""
    message: str = ""
    """What that skill says."""
    seen: bool = True
    """Whether the thing is known."""


_FAILURES = (
    Failure(_BRING, "I found no {thing}. I looked around.", Code.NOT_FOUND, "Explore",
            "{thing} was not seen from 18 viewpoints: it may be in something closed, or not here", seen=False),
    Failure(_BRING, "I can't get to the {thing}: the door of the {room} is blocked.", Code.EXECUTION_FAILURE,
            "GoToObject", "no way leads there"),
    Failure(_BRING, "I won't do that: there is broken glass around the {thing}. Nothing was done.", Code.REFUSED),
    Failure(_PUT, "The {place} is full: there is no room for the {thing}.", Code.PRECONDITION_FAILURE,
            "PutObject", "no free space"),
    Failure(_BRING, "The {thing} is too heavy for my gripper: it slipped out three times.", Code.EXECUTION_FAILURE,
            "PickupObject", "the grasp failed"),
    Failure(_PUT, "I won't do that: somebody could hurt themselves on the {thing} there. Nothing was done.",
            Code.REFUSED),
)  # fmt: skip


class Errands:
    """The robot's work in a home."""

    def __init__(self, living: Living, memory: Memory, rng: random.Random) -> None:
        self._living, self._home, self._ledger = living, living.home, living.ledger
        self._memory, self._rng = memory, rng
        self._number = self._failed = 0

    def next(self, stamp: float) -> None:
        """Do, or fail to do, what somebody asks for."""
        what = _ERRANDS[self._number % len(_ERRANDS)]
        self._number += 1
        near = [thing for name, thing in self._home.things.items() if thing.room != self._living.shut
                and (spell := self._ledger.believed(name)) is not None and spell.alike(thing)
                and not self._home.hidden(thing)]  # fmt: skip
        movable = [one for one in near if one.movable and len(self._ledger.of(one.category)) == 1]
        places = [one for one in near if one.holds and not one.closed]
        deed = Deed(self._rng.choice(USERS), "", what, "", stamp)
        if what == "fail":
            self._fail(deed, movable, places)
        elif what in ("turn", "open"):
            self._turn(deed, near, "isToggled" if what == "turn" else "isOpen")
        elif what == "slice":
            self._slice(deed, [one for one in movable if one.sliceable])
        elif movable:
            self._put(deed, movable, places)

    def _put(self, deed: Deed, movable: Sequence[Thing], places: Sequence[Thing]) -> None:
        cleans = deed.verb == "clean"
        things = [one for one in movable if not cleans or ("isDirty" in one.states and one.category != "Cloth")]
        if not things:
            return
        thing = self._rng.choice(things)
        words, fits = _PUTTING[deed.verb]
        good = [one for one in places if fits(one) and (one.id != thing.place or cleans)]
        if not good:
            return
        place = self._rng.choice(good)
        deed.text, deed.thing, deed.place = _filled(words, thing, place), thing.id, place.id

        def held() -> list[Thing]:
            thing.place, thing.relation = "", "held"
            return [thing]

        def put() -> list[Thing]:
            self._home.put(thing, place)
            return [thing, place]

        def wash() -> list[Thing]:
            thing.states["isDirty"] = "false"
            return [thing]

        steps: list[Step] = [
            ("GoToObject", thing, lambda: [thing]),
            ("PickupObject", thing, held),
            ("GoToObject", place, lambda: [place]),
            ("PutObject", place, put),
        ]
        faucets = (one for one in self._home.things.values() if (one.room, one.category) == (place.room, "Faucet"))
        if cleans and (faucet := next(faucets, None)) is not None:
            steps += [("SwitchOn", faucet, wash), ("SwitchOff", faucet, lambda: [])]
        self._do(deed, steps)

    def _turn(self, deed: Deed, near: Iterable[Thing], flag: str) -> None:
        fixed = [one for one in near if not one.movable and one.category != "Faucet" and flag in one.states]
        alone = [one for one in fixed if one.closed is (flag == "isOpen") and len(self._ledger.of(one.category)) == 1]
        if not alone:
            return
        thing = self._rng.choice(alone)
        value = "false" if thing.states[flag] == "true" else "true"
        deed.verb, skill = _TURNED[flag, value]
        deed.text, deed.thing = f"{deed.verb} the {thing.noun}", thing.id

        def turn() -> list[Thing]:
            thing.states[flag] = value
            return [thing, *(self._home.inside(thing.id) if not thing.closed else ())]

        if deed.verb == "open":
            self._ledger.opened.add(thing.id)
        self._do(deed, [("GoToObject", thing, lambda: [thing]), (skill, thing, turn)])

    def _slice(self, deed: Deed, wholes: Sequence[Thing]) -> None:
        if not wholes:
            return
        whole = self._rng.choice(wholes)
        deed.text, deed.thing, deed.place = f"slice the {whole.noun}", whole.id, whole.place
        steps = [("GoToObject", whole, lambda: [whole]), ("SliceObject", whole, lambda: self._home.cut(whole))]
        self._do(deed, steps, gone=whole.id)

    def _do(self, deed: Deed, steps: Sequence[Step], *, gone: str = "") -> None:
        """Do an instruction's steps. `gone`: id of what is no more when they are done."""
        start, stamp = self._start(deed), deed.start
        place = self._home.rooms[self._home.things[deed.thing].room].position
        events, touched = [start], dict[str, Thing]()
        for number, (skill, target, act) in enumerate(steps, 1):
            stamp += _SKILL_S
            seen = act()
            touched |= {thing.id: thing for thing in seen}
            removed = (gone,) if gone and number == len(steps) else ()
            for name in removed:
                touched.pop(name, None)
                self._ledger.miss(name, stamp)
            for thing in seen:
                self._ledger.see(thing, stamp)
                self._living.watch(self._living.described(thing), thing.position, stamp)
            nodes = tuple(thing.node(stamp) for thing in seen)
            to = SkillTarget(target.id)
            call = SkillCall(skill, receptacle=to) if skill == "PutObject" else SkillCall(skill, to)
            outcome = SkillOutcome(call, Code.SUCCESS, seen=nodes, duration=_SKILL_S, stamp=stamp)
            events.append(replace(_outcome(start, number, outcome, target.id), nodes=nodes, removed=removed))
        deed.end = stamp
        done = f"done: {deed.verb}({self._home.things[deed.thing].noun})"
        self._remember(deed, [*events, _end(start, stamp, Code.SUCCESS, done)], "Done.", place)
        nodes = tuple(thing.node(stamp) for thing in touched.values())
        self._living.publish(stamp, nodes, (gone,) if gone else ())

    def _fail(self, deed: Deed, near: Sequence[Thing], places: Sequence[Thing]) -> None:
        failure = _FAILURES[self._failed % len(_FAILURES)]
        self._failed += 1
        if not (near and places):
            return
        known = {thing.category for thing in self._home.things.values()}
        missing = self._rng.choice([one for one in _PORTABLE if one not in known])
        thing = self._rng.choice(near) if failure.seen else Thing("", missing, "", movable=True)
        place = self._rng.choice(places)
        deed.text, deed.reason, message = (
            _filled(said, thing, place) for said in (failure.words, failure.reason, failure.message)
        )
        deed.verb, deed.thing = "bring" if failure.words == _BRING else "move", thing.id or missing
        deed.refused, deed.end = failure.code is Code.REFUSED, deed.start
        start = self._start(deed)
        events = [start]
        if failure.skill:
            deed.end += _SKILL_S
            call = SkillCall(failure.skill, SkillTarget(thing.id, "" if thing.id else missing))
            outcome = SkillOutcome(call, failure.code, message, duration=_SKILL_S, stamp=deed.end)
            events.append(_outcome(start, 1, outcome, deed.thing))
        deed.end += 1.0
        said = f"done: nothing | not done: {deed.verb}({thing.noun})"
        events.append(_end(start, deed.end, failure.code, said, message=deed.reason))
        self._remember(deed, events, f"Failed: {deed.reason}", (0.0, 0.0, 0.0))

    def _start(self, deed: Deed) -> Event:
        self._ledger.deeds.append(deed)
        name = f"episode-{int(deed.start)}"
        return Event(name, EventKind.EPISODE_START, deed.start, user=deed.user, scene=self._home.name, episode=name,
                     text=deed.text)  # fmt: skip

    def _remember(self, deed: Deed, events: Sequence[Event], came: str, position: Point) -> None:
        self._living.watch(f"{deed.user} asked: {deed.text}. {came}", position, deed.end)
        self._memory.remember(events)


def _outcome(start: Event, number: int, outcome: SkillOutcome, target: str) -> Event:
    return replace(start, id=f"{start.id}-{number}", kind=EventKind.SKILL_OUTCOME, stamp=outcome.stamp,
                   outcome=outcome, text=f"{outcome.call.skill}({target})")  # fmt: skip


def _end(start: Event, stamp: float, code: Code, text: str, message: str = "") -> Event:
    return replace(start, id=f"{start.id}-end", kind=EventKind.EPISODE_END, stamp=stamp, code=code, message=message,
                   text=text)  # fmt: skip


def _filled(text: str, thing: Thing, place: Thing) -> str:
    return text.format(thing=thing.noun, room=plain(thing.room), into=place.preposition, place=place.noun)
