# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the robot does for people in a home's days, what it fails at, and what it refuses."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from karma_eval.ask.home import Thing, sliceable
from karma_eval.ask.ledger import Deed
from karma_language.vocabulary import household
from karma_memory import Code, Event, EventKind, Memory, SkillCall, SkillOutcome, SkillTarget

if TYPE_CHECKING:
    from karma_eval.ask.living import Living

USERS = ("Ann", "Ben", "Lea")
_SKILL_S = 6.0
"""Seconds that a skill takes."""
_BIN = "GarbageCan"
_TURNED = {"isToggled": {"true": "switch on", "false": "switch off"}, "isOpen": {"true": "open", "false": "close"}}
_SKILLS = {"switch on": "SwitchOn", "switch off": "SwitchOff", "open": "OpenObject", "close": "CloseObject"}
_PORTABLE = tuple(sorted(one for one in household().that_can("pickup") if not household().kind(one).whole))
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


_BRING, _PUT = "bring me the {thing}", "put the {thing} {into} the {place}"
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
        near = [
            thing
            for name, thing in self._home.things.items()
            if (spell := self._ledger.believed(name)) is not None
            and spell.alike(thing)
            and not self._home.hidden(thing)
            and thing.room != self._living.shut
        ]
        movable = [one for one in near if one.movable and len(self._ledger.of(one.category)) == 1]
        places = [one for one in near if one.holds and not one.closed]
        user = self._rng.choice(USERS)
        if what == "fail":
            self._fail(user, stamp, movable, places)
        elif what in ("turn", "open"):
            self._turn(user, stamp, near, "isToggled" if what == "turn" else "isOpen")
        elif what == "slice":
            self._slice(user, stamp, [one for one in movable if sliceable(one)])
        elif movable:
            self._put(Deed(user, "", what, "", stamp), movable, places)

    def _put(self, deed: Deed, movable: Sequence[Thing], places: Sequence[Thing]) -> None:
        """Put something somewhere: anywhere, before somebody, into the bin, or where it can be washed."""
        things = [
            one for one in movable if deed.verb != "clean" or ("isDirty" in one.states and one.category != "Cloth")
        ]
        fits: dict[str, Callable[[Thing], bool]] = {
            "move": lambda place: True,
            "bring": lambda place: not place.hides,
            "throw": lambda place: place.category == _BIN,
            "clean": lambda place: place.category == "SinkBasin",
        }
        if not things:
            return
        thing = self._rng.choice(things)
        good = [one for one in places if fits[deed.verb](one) and (one.id != thing.place or deed.verb == "clean")]
        if not good:
            return
        place = self._rng.choice(good)
        words = {"move": _PUT, "bring": _BRING, "throw": "throw the {thing} away", "clean": "wash the {thing}"}
        deed.text, deed.thing, deed.place = self._filled(words[deed.verb], thing, place), thing.id, place.id
        self._carry(deed, thing, place)

    def _filled(self, text: str, thing: Thing, place: Thing) -> str:
        noun = self._living.noun
        room = thing.room.replace("_", " ")
        return text.format(thing=noun(thing), room=room, into=into(place), place=noun(place))

    def _carry(self, deed: Deed, thing: Thing, place: Thing) -> None:
        def held() -> list[Thing]:
            thing.place, thing.relation = "", "held"
            return [thing]

        def put() -> list[Thing]:
            self._home.put(thing, place)
            return [thing, place]

        def wash() -> list[Thing]:
            thing.states["isDirty"] = "false"
            return [thing]

        steps: list[tuple[str, Thing, Callable[[], list[Thing]]]] = [
            ("GoToObject", thing, lambda: [thing]),
            ("PickupObject", thing, held),
            ("GoToObject", place, lambda: [place]),
            ("PutObject", place, put),
        ]
        faucet = next(
            (one for one in self._home.things.values() if (one.room, one.category) == (place.room, "Faucet")), None
        )
        if deed.verb == "clean" and faucet is not None:
            steps += [("SwitchOn", faucet, wash), ("SwitchOff", faucet, lambda: [])]
        self._episode(deed, steps)

    def _turn(self, user: str, stamp: float, near: Iterable[Thing], flag: str) -> None:
        fixed = [one for one in near if not one.movable and one.category != "Faucet" and flag in one.states]
        alone = [one for one in fixed if one.closed is (flag == "isOpen") and len(self._ledger.of(one.category)) == 1]
        if not alone:
            return
        thing = self._rng.choice(alone)
        value = "false" if thing.states[flag] == "true" else "true"
        verb = _TURNED[flag][value]

        def turn() -> list[Thing]:
            thing.states[flag] = value
            return [thing, *(self._home.inside(thing.id) if not thing.closed else ())]

        deed = Deed(user, f"{verb} the {self._living.noun(thing)}", verb, thing.id, stamp)
        if verb == "open":
            self._ledger.opened.add(thing.id)
        self._episode(deed, [("GoToObject", thing, lambda: [thing]), (_SKILLS[verb], thing, turn)])

    def _slice(self, user: str, stamp: float, wholes: Sequence[Thing]) -> None:
        if not wholes:
            return
        whole = self._rng.choice(wholes)
        deed = Deed(user, f"slice the {self._living.noun(whole)}", "slice", whole.id, stamp, place=whole.place)
        steps = [("GoToObject", whole, lambda: [whole]), ("SliceObject", whole, lambda: self._home.cut(whole))]
        self._episode(deed, steps, gone=whole.id)

    def _fail(self, user: str, stamp: float, near: Sequence[Thing], places: Sequence[Thing]) -> None:
        failure = _FAILURES[self._failed % len(_FAILURES)]
        self._failed += 1
        if not (near and places):
            return
        known = {thing.category for thing in self._home.things.values()}
        missing = self._rng.choice([one for one in _PORTABLE if one not in known])
        thing = self._rng.choice(near) if failure.seen else Thing("", missing, "", movable=True)
        place = self._rng.choice(places)
        text, reason, message = (
            self._filled(said, thing, place) for said in (failure.words, failure.reason, failure.message)
        )
        verb = "bring" if failure.words == _BRING else "move"
        deed = Deed(user, text, verb, thing.id or missing, stamp, reason=reason, refused=failure.code is Code.REFUSED)
        start = self._start(deed)
        events, target = [start], SkillTarget(thing.id, "" if thing.id else missing)
        if failure.skill:
            deed.end = stamp + _SKILL_S
            outcome = SkillOutcome(
                SkillCall(failure.skill, target), failure.code, message, duration=_SKILL_S, stamp=deed.end
            )
            events.append(
                replace(
                    start, id=f"{start.id}-1", kind=EventKind.SKILL_OUTCOME, stamp=deed.end, outcome=outcome,
                    text=f"{failure.skill}({thing.id or missing})",
                )
            )  # fmt: skip
        deed.end = (deed.end or stamp) + 1.0
        noun = self._living.noun(thing)
        events.append(
            replace(
                start, id=f"{start.id}-end", kind=EventKind.EPISODE_END, stamp=deed.end, code=failure.code,
                message=reason, text=f"done: nothing | not done: {verb}({noun})",
            )
        )  # fmt: skip
        self._living.watch(f"{user} asked: {text}. Failed: {reason}", (0.0, 0.0, 0.0), deed.end)
        self._memory.remember(events)

    def _start(self, deed: Deed) -> Event:
        self._ledger.deeds.append(deed)
        name = f"episode-{int(deed.start)}"
        return Event(
            name,
            EventKind.EPISODE_START,
            deed.start,
            user=deed.user,
            scene=self._home.name,
            episode=name,
            text=deed.text,
        )

    def _episode(
        self, deed: Deed, steps: Sequence[tuple[str, Thing, Callable[[], list[Thing]]]], *, gone: str = ""
    ) -> None:
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
            outcome = SkillOutcome(
                SkillCall(skill, receptacle=to) if skill == "PutObject" else SkillCall(skill, to),
                Code.SUCCESS,
                seen=nodes,
                duration=_SKILL_S,
                stamp=stamp,
            )
            events.append(
                replace(
                    start, id=f"{start.id}-{number}", kind=EventKind.SKILL_OUTCOME, stamp=stamp, outcome=outcome,
                    nodes=nodes, removed=removed, text=f"{skill}({target.id})",
                )
            )  # fmt: skip
        deed.end = stamp
        noun = self._living.noun(self._home.things[deed.thing])
        events.append(
            replace(
                start, id=f"{start.id}-end", kind=EventKind.EPISODE_END, stamp=stamp, code=Code.SUCCESS,
                text=f"done: {deed.verb}({noun})",
            )
        )  # fmt: skip
        self._living.watch(f"{deed.user} asked: {deed.text}. Done.", place, stamp)
        self._memory.remember(events)
        nodes = tuple(thing.node(stamp) for thing in touched.values())
        self._living.publish(stamp, nodes, (gone,) if gone else ())


def into(place: Thing) -> str:
    """Return the preposition that people say of a place that something is put to."""
    return "in" if place.hides or household().kind(place.category).relation == "in" else "on"
