# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Days in a home: people move and use things, mostly unseen; the robot patrols, does what it is told, and hears things.

Everything the robot could know goes to the memory as perception and the planner send it: deltas of the scene graph,
starts and ends of episodes, outcomes of skills, told words.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from karma_eval.ask.home import Home, Thing, usual
from karma_eval.ask.ledger import Deed, Heard, Ledger
from karma_language.states import STATES
from karma_language.vocabulary import household
from karma_memory import Code, Edge, Event, EventKind, Memory, Node, SkillCall, SkillOutcome, SkillTarget
from karma_memory.scene import Point
from karma_memory.scene_graph.follower import GraphUpdate, SceneFollower

USERS = ("Ann", "Ben", "Lea")
HOUR, DAY = 3600.0, 86_400.0
_SKILL_S = 6.0
"""Seconds that a skill takes."""
_REFRESH = 60.0
_TELLINGS = (
    "the {thing} was a present from my grandmother",
    "the {thing} cost me forty euros",
    "I bought the {thing} in Oslo",
    "the {thing} belongs to our neighbour Tom",
    "the {thing} needs a repair before Sunday",
    "I want to sell the {thing} next month",
    "the {thing} must never get wet",
)
_TURNED = {"isToggled": {"true": "switch on", "false": "switch off"}, "isOpen": {"true": "open", "false": "close"}}
_SKILLS = {"switch on": "SwitchOn", "switch off": "SwitchOff", "open": "OpenObject", "close": "CloseObject"}


class Living:
    """Lets days pass in a home."""

    def __init__(self, home: Home, memory: Memory, began: float, rng: random.Random) -> None:
        """`began`: midnight before the first day, seconds."""
        self.home = home
        self.ledger = Ledger(home)
        self._memory = memory
        self._rng = rng
        self._follower = SceneFollower(_REFRESH)
        self._sequence = 0
        self._began = began
        self._number = 0
        self.watch: Callable[[str, Point, float], None] = lambda text, position, stamp: None
        """Called with everything that the robot sees, does and hears, as a text, a position and a time."""
        self.shut = rng.choice([room for room in home.rooms if room not in ("kitchen", "living_room")])
        """Room that the robot never comes to."""

    def noun(self, thing: Thing) -> str:
        """Return what people call a thing."""
        return household().kind(thing.category).noun

    def described(self, thing: Thing) -> str:
        """Return what is seen of a thing, as a sentence."""
        place = self.home.things.get(thing.place)
        where = f" {thing.relation} the {self.noun(place)}" if place is not None else ""
        states = [name for name, (flag, value, _) in STATES.items() if thing.states.get(flag) == value]
        return f"{self.noun(thing)}{where} in the {thing.room.replace('_', ' ')}{', '.join(['', *states])}"

    def day(self, number: int) -> float:
        """Let a day pass, from seven to seven, and return when it ends."""
        midnight = self._began + number * DAY
        rng = self._rng
        if number == 0:
            self.ledger.began = midnight + 7 * HOUR
            for minute, room in enumerate(self._rooms()):
                self.look(room, midnight + 7 * HOUR + 120.0 * minute)
        plan: list[tuple[float, Callable[[float], object]]] = []
        for hour in range(8, 19):
            slots = iter(rng.sample(range(2, 58, 4), 6))
            plan += [(midnight + hour * HOUR + next(slots) * 60.0, self._people) for _ in range(2)]
            plan += [(midnight + hour * HOUR + next(slots) * 60.0, self._patrol) for _ in range(2)]
            if hour % 2 == number % 2:
                plan.append((midnight + hour * HOUR + next(slots) * 60.0, self._instruction))
            if hour % 4 == 1:
                plan.append((midnight + hour * HOUR + next(slots) * 60.0, self._tell))
        for stamp, act in sorted(plan, key=lambda one: one[0]):
            act(stamp)
        return midnight + 19 * HOUR + 600.0

    # The robot looks

    def _rooms(self) -> list[str]:
        return [room for room in self.home.rooms if room != self.shut]

    def _patrol(self, stamp: float) -> None:
        self.look(self._rng.choice(self._rooms()), stamp)

    def look(self, room: str, stamp: float) -> None:
        """Look around in a room."""
        ledger = self.ledger
        seen = self.home.visible(room)
        ids = {thing.id for thing in seen}
        gone = [
            name
            for name in ledger.spells
            if (spell := ledger.believed(name)) is not None
            and spell.room == room
            and name not in ids
            and not (spell.relation == "in" and self.home.things[spell.place].closed)
        ]
        first = room not in ledger.rooms
        ledger.rooms.add(room)
        for thing in seen:
            ledger.see(thing, stamp)
            self.watch(self.described(thing), thing.position, stamp)
            if thing.hides and not thing.closed:
                ledger.opened.add(thing.id)
        for name in gone:
            ledger.miss(name, stamp)
        nodes = (*(self.home.nodes(room, stamp) if first else ()), *(thing.node(stamp) for thing in seen))
        known = {area for one in ledger.rooms for area in (f"area {one}",)}
        edges = tuple(one for one in self.home.edges if {one.source, one.target} <= known) if first else ()
        self._publish(stamp, nodes, tuple(gone), edges)

    def _publish(
        self, stamp: float, nodes: tuple[Node, ...], gone: tuple[str, ...] = (), edges: tuple[Edge, ...] = ()
    ) -> None:
        """Let the memory know what perception sees."""
        self._sequence += 1
        first = self._sequence == 1
        update = GraphUpdate(self.home.name, self._sequence, stamp, first, nodes, gone, edges)
        self._memory.observe_graph(update, self._follower, robot="robot")

    # People do things

    def _people(self, stamp: float) -> None:
        rng, home = self._rng, self.home
        things = [*home.things.values()]
        if rng.random() < 0.3:
            turned = rng.choice([one for one in things if {*one.states} & {*_TURNED} and not one.movable])
            flag = rng.choice([name for name in _TURNED if name in turned.states])
            turned.states[flag] = "false" if turned.states[flag] == "true" else "true"
            return
        thing = rng.choice([one for one in things if one.movable])
        if "isDirty" in thing.states and rng.random() < 0.3:
            thing.states["isDirty"] = "true"
        surfaces = [one for one in things if one.holds and one.id != thing.place]
        home.put(thing, rng.choice(usual(thing, surfaces) if rng.random() < 0.6 else surfaces))

    def _tell(self, stamp: float) -> None:
        thing = self._rng.choice([one for one in self.home.things.values() if one.movable])
        user = self._rng.choice(USERS)
        text = self._rng.choice(_TELLINGS).format(thing=self.noun(thing))
        self.ledger.heard.append(Heard(stamp, user, text, thing.category))
        self.watch(f"{user} said: {text}", self.home.rooms[thing.room].position, stamp)
        self._memory.remember(
            [Event(f"told-{stamp}", EventKind.TOLD, stamp, user=user, scene=self.home.name, text=text)]
        )

    # The robot does what it is told

    def _instruction(self, stamp: float) -> None:
        rng = self._rng
        self._number += 1
        what = ("move", "bring", "fail", "clean", "turn", "move", "bring", "open")[self._number % 8]
        near = [
            thing
            for name, thing in self.home.things.items()
            if (spell := self.ledger.believed(name)) is not None
            and spell.alike(thing)
            and not self.home.hidden(thing)
            and thing.room != self.shut
        ]
        movable = [one for one in near if one.movable and len(self.ledger.of(one.category)) == 1]
        user = rng.choice(USERS)
        if what in ("move", "bring") and movable:
            thing = rng.choice(movable)
            open_places = [one for one in near if one.holds and not one.closed and one.id != thing.place]
            place = rng.choice([one for one in open_places if what == "move" or not one.hides])
            text = f"put the {self.noun(thing)} {_into(place)} the {self.noun(place)}"
            if what == "bring":
                text = f"bring me the {self.noun(thing)}"
            self._carry(Deed(user, text, what, thing.id, stamp, place=place.id), thing, place)
        elif what == "clean":
            basin = [one for one in near if one.category == "SinkBasin"]
            dishes = [one for one in movable if "isDirty" in one.states and one.category != "Cloth"]
            if basin and dishes:
                thing = rng.choice(dishes)
                self._carry(
                    Deed(user, f"wash the {self.noun(thing)}", what, thing.id, stamp, place=basin[0].id),
                    thing,
                    basin[0],
                    washed=True,
                )
        elif what in ("turn", "open"):
            flag = "isToggled" if what == "turn" else "isOpen"
            closed = [
                one
                for one in near
                if not one.movable
                and one.category != "Faucet"
                and flag in one.states
                and one.closed is (what == "open")
            ]
            alone = [one for one in closed if len(self.ledger.of(one.category)) == 1]
            if alone:
                self._turn(user, rng.choice(alone), flag, stamp)
        else:
            self._fail(user, stamp, near)

    def _carry(self, deed: Deed, thing: Thing, place: Thing, *, washed: bool = False) -> None:
        def held() -> list[Thing]:
            thing.place, thing.relation = "", "held"
            return [thing]

        def put() -> list[Thing]:
            self.home.put(thing, place)
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
            (one for one in self.home.things.values() if (one.room, one.category) == (place.room, "Faucet")), None
        )
        if washed and faucet is not None:
            steps += [("SwitchOn", faucet, wash), ("SwitchOff", faucet, lambda: [])]
        self._episode(deed, steps)

    def _turn(self, user: str, thing: Thing, flag: str, stamp: float) -> None:
        value = "false" if thing.states[flag] == "true" else "true"
        verb = _TURNED[flag][value]

        def turn() -> list[Thing]:
            thing.states[flag] = value
            return [thing, *(self.home.inside(thing.id) if not thing.closed else ())]

        deed = Deed(user, f"{verb} the {self.noun(thing)}", verb, thing.id, stamp)
        if verb == "open":
            self.ledger.opened.add(thing.id)
        self._episode(deed, [("GoToObject", thing, lambda: [thing]), (_SKILLS[verb], thing, turn)])

    def _fail(self, user: str, stamp: float, near: Sequence[Thing]) -> None:
        rng = self._rng
        known = {thing.category for thing in self.home.things.values()}
        if rng.random() < 0.5:
            category = rng.choice([one for one in _PORTABLE if one not in known])
            noun = household().kind(category).noun
            deed = Deed(user, f"bring me the {noun}", "bring", category, stamp)
            deed.reason = f"I found no {noun}. I looked around."
            call = SkillCall("Explore", SkillTarget(category=category))
            message = f"{category} was not seen from 18 viewpoints: it may be in something closed, or not here"
            code = Code.NOT_FOUND
        else:
            thing = rng.choice([one for one in near if one.movable])
            room = self.home.rooms[thing.room].name.replace("_", " ")
            deed = Deed(user, f"bring me the {self.noun(thing)}", "bring", thing.id, stamp)
            deed.reason = f"I can't get to the {self.noun(thing)}: the door of the {room} is blocked."
            call = SkillCall("GoToObject", SkillTarget(thing.id))
            message, code = "no way leads there", Code.EXECUTION_FAILURE
        start = self._start(deed)
        outcome = SkillOutcome(call, code, message, duration=_SKILL_S, stamp=stamp + _SKILL_S)
        skill = replace(
            start, id=f"{start.id}-1", kind=EventKind.SKILL_OUTCOME, stamp=outcome.stamp, outcome=outcome,
            text=f"{call.skill}({call.target.id or call.target.category})",
        )  # fmt: skip
        deed.end = outcome.stamp + 1.0
        end = replace(
            start, id=f"{start.id}-end", kind=EventKind.EPISODE_END, stamp=deed.end, code=code, message=deed.reason,
            text=f"done: nothing | not done: bring({deed.text.removeprefix('bring me the ')})",
        )  # fmt: skip
        self.watch(f"{deed.user} asked: {deed.text}. Failed: {deed.reason}", (0.0, 0.0, 0.0), deed.end)
        self._memory.remember([start, skill, end])

    def _start(self, deed: Deed) -> Event:
        self.ledger.deeds.append(deed)
        name = f"episode-{int(deed.start)}"
        return Event(
            name,
            EventKind.EPISODE_START,
            deed.start,
            user=deed.user,
            scene=self.home.name,
            episode=name,
            text=deed.text,
        )

    def _episode(self, deed: Deed, steps: Sequence[tuple[str, Thing, Callable[[], list[Thing]]]]) -> None:
        start, stamp = self._start(deed), deed.start
        events, touched = [start], list[Thing]()
        for number, (skill, target, act) in enumerate(steps):
            stamp += _SKILL_S
            seen = act()
            touched += seen
            for thing in seen:
                self.ledger.see(thing, stamp)
                self.watch(self.described(thing), thing.position, stamp)
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
                    nodes=nodes, text=f"{skill}({target.id})",
                )
            )  # fmt: skip
        deed.end = stamp
        noun = self.noun(self.home.things[deed.thing])
        events.append(
            replace(
                start, id=f"{start.id}-end", kind=EventKind.EPISODE_END, stamp=stamp, code=Code.SUCCESS,
                text=f"done: {deed.verb}({noun})",
            )
        )  # fmt: skip
        self.watch(f"{deed.user} asked: {deed.text}. Done.", self.home.things[deed.thing].position, stamp)
        self._memory.remember(events)
        self._publish(stamp, tuple(thing.node(stamp) for thing in {one.id: one for one in touched}.values()))


def _into(place: Thing) -> str:
    return "in" if place.hides or household().kind(place.category).relation == "in" else "on"


_PORTABLE = tuple(sorted(one for one in household().that_can("pickup") if not household().kind(one).whole))


def days(
    home: Home,
    memory: Memory,
    began: float,
    count: int,
    rng: random.Random,
    *,
    watch: Callable[[str, Point, float], None] | None = None,
) -> Iterator[tuple[Living, float]]:
    """Yield a home's life after each day, and when that is. `watch`: see Living."""
    living = Living(home, memory, began, rng)
    living.watch = watch or living.watch
    for number in range(count):
        yield living, living.day(number)
