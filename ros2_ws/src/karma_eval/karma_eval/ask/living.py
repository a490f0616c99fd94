# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Days in a home: people move, use, cut up and take away things, mostly unseen; the robot patrols and hears things.

Everything the robot could know goes to the memory as perception and the planner send it: deltas of the scene graph,
starts and ends of episodes, outcomes of skills, told words. What the robot does itself is in errands.py.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from karma_eval.ask.errands import BIN, USERS, Errands
from karma_eval.ask.home import Home, Thing, area, plain
from karma_eval.ask.ledger import Heard, Ledger
from karma_eval.ask.times import DAY, HOUR
from karma_language.vocabulary import household
from karma_language.vocabulary.states import STATES
from karma_memory import Edge, Event, EventKind, Memory, Node
from karma_memory.scene import Point
from karma_memory.scene_graph.follower import GraphUpdate, SceneFollower

_REFRESH = 60.0
_TELLINGS = (
    "the {thing} was a present from my grandmother",
    "the {thing} cost me forty euros",
    "I bought the {thing} in Oslo",
    "the {thing} needs a repair before Sunday",
    "I want to sell the {thing} next month",
    "the {thing} must never get wet",
)
OWNERS = ("Tom", "Grandma Rosa", "Mia", "Uncle Karl")
_OWNED = ("the {thing} belongs to {owner}", "the {thing} is {owner}'s")
_MOVED = ("I put the {thing} {into} the {place}", "I've put the {thing} {into} the {place}")
_TOGGLED = ("isToggled", "isOpen")
_HABITS = ((0.3, "turn"), (0.04, "cut"), (0.06, "take"), (0.04, "empty"), (0.56, "move"))
"""How often people do what."""


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
        self.watch: Callable[[str, Point, float], None] = lambda text, position, stamp: None
        """Called with everything that the robot sees, does and hears, as a text, a position and a time."""
        self.shut = rng.choice([room for room in home.rooms if room not in ("kitchen", "living_room")])
        """Room that the robot never comes to."""
        self.errands = Errands(self, memory, rng)

    def described(self, thing: Thing) -> str:
        """Return what is seen of a thing, as a sentence."""
        place = self.home.things.get(thing.place)
        where = f" {thing.relation} the {place.noun}" if place is not None else ""
        states = [name for name, (flag, value, _) in STATES.items() if thing.states.get(flag) == value]
        return f"{thing.noun}{where} in the {plain(thing.room)}{', '.join(['', *states])}"

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
            plan.append((midnight + hour * HOUR + next(slots) * 60.0, self.errands.next))
            if hour % 2:
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
        gone = [name for name in ledger.spells if name not in ids
                and (spell := ledger.believed(name)) is not None and spell.room == room
                and not (spell.relation == "in" and self.home.things[spell.place].closed)]  # fmt: skip
        first = room not in ledger.rooms
        ledger.rooms[room] = stamp
        for thing in seen:
            ledger.see(thing, stamp)
            self.watch(self.described(thing), thing.position, stamp)
            if thing.hides and not thing.closed:
                ledger.opened.add(thing.id)
        for name in gone:
            ledger.miss(name, stamp)
        nodes = (*(self.home.nodes(room, stamp) if first else ()), *(thing.node(stamp) for thing in seen))
        known = {*map(area, ledger.rooms)}
        edges = tuple(one for one in self.home.edges if {one.source, one.target} <= known) if first else ()
        self.publish(stamp, nodes, tuple(gone), edges)

    def publish(
        self, stamp: float, nodes: tuple[Node, ...], gone: tuple[str, ...] = (), edges: tuple[Edge, ...] = ()
    ) -> None:
        """Let the memory know what perception sees, and what is gone."""
        self._sequence += 1
        first = self._sequence == 1
        update = GraphUpdate(self.home.name, self._sequence, stamp, first, nodes, gone, edges)
        self._memory.observe_graph(update, self._follower, robot="robot")

    # People do things

    def _people(self, stamp: float) -> None:
        (habit,) = self._rng.choices([name for _, name in _HABITS], [share for share, _ in _HABITS])
        getattr(self, f"_{habit}")()

    def _movable(self) -> list[Thing]:
        return [one for one in self.home.things.values() if one.movable and one.room]

    def _turn(self) -> None:
        """Open, close or switch something."""
        turned = self._rng.choice([one for one in self.home.things.values() if not one.movable and self._flags(one)])
        flag = self._rng.choice(self._flags(turned))
        turned.states[flag] = "false" if turned.states[flag] == "true" else "true"

    @staticmethod
    def _flags(thing: Thing) -> list[str]:
        return [name for name in _TOGGLED if name in thing.states]

    def _cut(self) -> None:
        """Cut something up."""
        whole = [one for one in self._movable() if one.sliceable]
        if whole:
            self.home.cut(self._rng.choice(whole))

    def _take(self) -> None:
        """Take something along, or eat it."""
        self.home.leave(self._rng.choice(self._movable()))

    def _empty(self) -> None:
        """Empty the bins."""
        for thing in self._movable():
            if self.home.things[thing.place].category == BIN:
                self.home.leave(thing)

    def _move(self) -> None:
        """Put something elsewhere."""
        thing = self._rng.choice(self._movable())
        if "isDirty" in thing.states and self._rng.random() < 0.3:
            thing.states["isDirty"] = "true"
        surfaces = [one for one in self.home.things.values() if one.holds and one.id != thing.place]
        self.home.put(thing, self._rng.choice(thing.usual(surfaces) if self._rng.random() < 0.6 else surfaces))

    # People tell things

    def _tell(self, stamp: float) -> None:
        thing = self._rng.choice([one for one in self._movable() if not household().kind(one.category).whole])
        user = self._rng.choice(USERS)
        kind = self._rng.random()
        if kind < 0.4 and (moved := self._moved_by(user, stamp)) is not None:
            heard = moved
        elif kind < 0.7:
            owner = self._rng.choice(OWNERS)
            text = self._rng.choice(_OWNED).format(thing=thing.noun, owner=owner)
            heard = Heard(stamp, user, text, thing.category, owner=owner)
        else:
            heard = Heard(stamp, user, self._rng.choice(_TELLINGS).format(thing=thing.noun), thing.category)
        self.ledger.heard.append(heard)
        at = self.home.things[heard.thing] if heard.thing else thing
        self.watch(f"{user} said: {heard.text}", self.home.rooms[at.room].position, stamp)
        told = Event(f"told-{stamp}", EventKind.TOLD, stamp, user=user, scene=self.home.name, text=heard.text)
        self._memory.remember([told])

    def _moved_by(self, user: str, stamp: float) -> Heard | None:
        """Let somebody put something elsewhere, and say so; None where all is ambiguous."""
        ledger, things = self.ledger, self.home.things
        known = [things[one] for one in ledger.spells if ledger.believed(one) is not None]
        alone = [one for one in known if one.room and len(ledger.of(one.category)) == 1]
        movable = [one for one in alone if one.movable]
        places = [one for one in alone if one.holds and not one.hides]
        if not movable or not places:
            return None
        thing, place = self._rng.choice(movable), self._rng.choice(places)
        if thing.place == place.id:
            return None
        self.home.put(thing, place)
        text = self._rng.choice(_MOVED).format(thing=thing.noun, into=place.preposition, place=place.noun)
        return Heard(stamp, user, text, thing.category, thing.id, place.id)


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
