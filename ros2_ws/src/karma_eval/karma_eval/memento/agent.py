# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The robot: understands an instruction with what it remembers, explores, describes, picks and places.

It knows the instruction, the rooms and furniture, what its skills show it, and its memory; nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from karma_eval.memento.house import Result
from karma_eval.memento.skills import Call, Rooms, Run, Skills
from karma_language.arranging.places import PlaceRef, PlaceWords, kind
from planner_node.plan.arranging.grounding import (
    EXACT,
    NAMED,
    POSSIBLE,
    SURE,
    Candidate,
    Likeness,
    furniture_for,
    looks_like,
    names_category,
    usual_rooms,
)
from planner_node.plan.arranging.moves import Move, ThingRef, things_of
from planner_node.plan.arranging.remembered import Known, Past, combine, recalled_moves
from planner_node.plan.arranging.requests import read_request


class Agent:
    """Carries out instructions in one house."""

    def __init__(self, skills: Skills, likeness: Likeness, watch: Callable[[], None] = lambda: None) -> None:
        """`watch` is called after every skill."""
        self._skills = skills
        self.likeness = likeness
        self.rooms = skills.rooms
        self._watch = watch
        self._places = PlaceWords(skills.rooms)
        self._descriptions: dict[str, str] = {}
        self._explored: set[str] = set()
        self.thought = ""
        """What is being done at the moment, in words."""

    def carry_out(self, requests: Sequence[tuple[str, Sequence[Past]]]) -> Run:
        """Do what the parts of an instruction ask for, one after the other.

        Each comes with the past requests that it may refer to, best first: the first is meant whose things are here.
        """
        run = Run()
        for text, likely in requests:
            past = self._possible(run, likely)
            request = read_request(text, self._places, self.likeness)
            readings = combine(request, past, self._places, self.likeness)
            for reading in readings:
                moves, known, topics = reading
                errand = _Errand(self, run, topics, moves, known, least=POSSIBLE if reading is readings[-1] else NAMED)
                if errand.find():
                    errand.do()
                    break
        return run

    def _possible(self, run: Run, likely: Sequence[Past]) -> Past | None:
        """Return the first past request whose things are in the house, else the first."""
        self.thought = "which of the things that I remember are here"
        for past in likely:
            for room in [None, *self.rooms]:
                if room is not None:
                    self.explore(run, room)
                if self._all_here(run, past):
                    return past
        return likely[0] if likely else None

    def _all_here(self, run: Run, past: Past) -> bool:
        """Whether there is something like each thing of a past request; looks that are forgotten fit all."""
        here = [(c.category.replace("_", " "), c.name) for c in self.candidates()]
        return all(
            any(not looks or self.describe(run, name) == looks for sort, name in here if sort == category)
            for category, looks in self._spoken_of(past)
        )

    def _spoken_of(self, past: Past) -> list[tuple[str, str]]:
        """Return the objects of a past request that its words mean."""
        _, known = recalled_moves(past, self._places, self.likeness)
        return [(one.category, one.description) for ones in known.values() for one in ones]

    # skills, watched

    def call(self, run: Run, skill: str, target: str, *rest: str) -> Result:
        """Call a skill and note what came of it."""
        result: Result = getattr(self._skills, skill)(target, *rest)
        relation, place, *beside = rest if skill == "place" else ("", "")
        run.calls.append(Call(skill, target, result, place, relation, "".join(beside), self.thought))
        self._watch()
        if not result.done:
            run.trouble.append(f"{skill} {target}: {result.message}")
        return result

    def explore(self, run: Run, room: str) -> bool:
        """Explore a room, once; return whether it was new."""
        if room in self._explored:
            return False
        self._explored.add(room)
        return self.call(run, "explore", room).done

    def candidates(self) -> list[Candidate]:
        """Return what was seen so far."""
        return [
            Candidate(seen.name, seen.category, self._descriptions.get(seen.name, ""), seen.furniture, seen.room)
            for seen in self._skills.seen()
        ]

    def describe(self, run: Run, name: str) -> str:
        """Return what an object looks like."""
        if name not in self._descriptions:
            self._descriptions[name] = self.call(run, "describe", name).message
        return self._descriptions[name]


@dataclass
class _Errand:
    """One request being carried out."""

    agent: Agent
    run: Run
    topics: Sequence[PlaceRef]
    """Places that the request speaks of besides."""
    moves: Sequence[Move]
    known: Mapping[ThingRef, list[Known]]
    least: float
    """How well a thing must fit its name when the whole house was explored."""
    bound: dict[ThingRef, list[str]] = field(default_factory=dict)
    last: str = ""
    """Furniture where something was put last."""
    origin: dict[str, str] = field(default_factory=dict)

    def find(self) -> bool:
        """Find out which objects are meant; return whether any is there."""
        for thing in things_of(self.moves):
            self.agent.thought = f"find: {thing.phrase}"
            source = next((m.source for m in self.moves if thing in m.things and m.source is not None), None)
            self.bound[thing] = self._find(thing, source)
            for name in self.bound[thing]:
                category = next((c.category for c in self.agent.candidates() if c.name == name), "")
                self.run.objects[name] = (category, self.agent.describe(self.run, name))
            if not self.bound[thing]:
                self.run.trouble.append(f"I found no {thing.phrase}")
        return any(self.bound.values())

    def do(self) -> None:
        """Do the moves in their order."""
        self.origin = {c.name: c.furniture for c in self.agent.candidates()}
        for move in self.moves:
            self.agent.thought = f"move: {', '.join(thing.phrase for thing in move.things)}"
            self._move(move)

    # finding

    def _find(self, thing: ThingRef, source: PlaceRef | None) -> list[str]:
        wanted = self.known.get(thing) or [Known(thing)]
        taken = {name for names in self.bound.values() for name in names}
        found: list[str] = []
        for one in wanted:
            name = self._find_one(one, source, taken | set(found))
            if name:
                found.append(name)
        if found and len(wanted) == 1 and (thing.plural or thing.count > 1):
            self._explore_all()
            category = kind(found[0])
            alike = [
                c for c in self.agent.candidates() if kind(c.name) == category and c.name not in taken | set(found)
            ]
            alike.sort(key=lambda c: source is not None and not self._is_at(c, source))
            found += [c.name for c in alike][: None if thing.plural else thing.count - 1]
        return found

    def _find_one(self, one: Known, source: PlaceRef | None, taken: set[str]) -> str:
        """Return the object that is meant; rooms are explored until one surely is."""
        best = self._best(one, source, taken, NAMED)
        for room in self._rooms_to_look_in(source):
            if best[0] >= 1.0 + SURE:
                break
            if self.agent.explore(self.run, room):
                best = self._best(one, source, taken, NAMED)
        return best[1] or self._best(one, source, taken, self.least)[1]

    def _best(self, one: Known, source: PlaceRef | None, taken: set[str], least: float) -> tuple[float, str]:
        """Return the best candidate seen so far: of its name first, then by what it looks like, then by where it is.

        Scores: up to 1 for the name, up to 1 for the looks; something of the right name for which no looks were told is
        sure where it is at the place that was named.
        """
        texts = self._told(one)
        free = [c for c in self.agent.candidates() if c.name not in taken and c.furniture]
        likely = [
            (score, c) for c in free if (score := self._named(one, c.category)) >= EXACT or not self._meant(one, c)
        ]
        top = max((score for score, _ in likely), default=0.0)
        ranked = []
        for score, candidate in likely:
            if score < max(least, top - 0.2):
                continue
            at_source = source is None or self._is_at(candidate, source)
            looks = 1.0 if at_source else 0.5
            if one.description:
                looks = (
                    1.0
                    if self.agent.describe(self.run, candidate.name) == one.description
                    else 0.8
                    * looks_like([one.description], self.agent.describe(self.run, candidate.name), self.agent.likeness)
                )
            elif texts:
                looks = looks_like(texts, self.agent.describe(self.run, candidate.name), self.agent.likeness)
            ranked.append((score + looks + (0.05 if at_source else 0.0), candidate.name))
        return max(ranked, default=(0.0, ""), key=lambda item: item[0])

    def _meant(self, one: Known, candidate: Candidate) -> bool:
        """Whether another thing of the request is called exactly as a candidate is."""
        others = (thing for thing in things_of(self.moves) if thing != one.thing and not self.known.get(thing))
        return any(names_category(thing, candidate.category, self.agent.likeness) >= EXACT for thing in others)

    def _told(self, one: Known) -> list[str]:
        phrase = one.thing.phrase
        bare = phrase == one.thing.head and len(phrase.split()) <= 1
        return [f"{one.thing.head} {text}" for text in one.thing.told] + (
            [] if bare and not one.thing.told else [phrase]
        )

    def _named(self, one: Known, category: str) -> float:
        if one.category:
            return 1.0 if category.replace("_", " ") == one.category else 0.0
        return names_category(one.thing, category, self.agent.likeness)

    def _rooms_to_look_in(self, source: PlaceRef | None) -> list[str]:
        named = [source, *self.topics, *(m.source for m in self.moves), *(m.to for m in self.moves)]
        rooms = self.agent.rooms
        first = [room for ref in named if ref is not None for room in rooms if self._in(room, ref)]
        return list(dict.fromkeys([*first, *rooms]))

    def _in(self, room: str, ref: PlaceRef) -> bool:
        if ref.rooms:
            return kind(room) in ref.rooms
        return any(kind(name) in ref.furniture for name in self.agent.rooms[room])

    def _is_at(self, candidate: Candidate, ref: PlaceRef) -> bool:
        return (not ref.rooms or kind(candidate.room) in ref.rooms) and (
            not ref.furniture or kind(candidate.furniture) in ref.furniture
        )

    def _explore_all(self) -> None:
        for room in self.agent.rooms:
            self.agent.explore(self.run, room)

    # moving

    def _move(self, move: Move) -> None:
        names = [name for thing in move.things for name in self.bound.get(thing, ())]
        beside = ""
        if isinstance(move.beside, ThingRef):
            beside = next(iter(self.bound.get(move.beside, ())), "")
        options = self._destinations(move, names, beside)
        if not options:
            self.run.trouble.append(f"I don't know where to put {', '.join(t.phrase for t in move.things)}")
            return
        place = options[0]
        if isinstance(move.beside, PlaceRef):
            room = self._room_of(place)
            near = furniture_for(move.beside, {room: self.agent.rooms[room]})
            beside = next((name for name in near if name != place), "")
        used: set[str] = set()
        for name in names:
            if move.to is not None and move.to.other and not move.together:
                others = [option for option in options if option != self.origin.get(name)] or options
                fresh = [option for option in others if option not in used] if move.to.several else []
                place = (fresh or others)[0]
                used.add(place)
            self._put(name, move.relation, place, beside)
            if move.together:
                beside = name
        self.last = place

    def _destinations(self, move: Move, names: Sequence[str], beside: str) -> list[str]:
        """Return the furniture, or the floors, where a move may put its things, best first."""
        where = {c.name: c.furniture for c in self.agent.candidates()}
        if move.to is None:
            if beside in where:
                return [where[beside]]
            if isinstance(move.beside, PlaceRef):
                return self._near_floor(move.beside)
            return [place for place in (self.last, *(where.get(name, "") for name in names)) if place][:1]
        if isinstance(move.beside, PlaceRef) and not move.to.rooms and move.to.furniture == ("floor",):
            return self._near_floor(move.beside)
        ref = move.to
        if self.last and not ref.rooms and not ref.other and kind(self.last) in ref.furniture:
            return [self.last]
        preferred = self._likely_rooms(ref, names)
        here = {room: self.agent.rooms[room] for room in preferred[:1]}
        nearby = furniture_for(ref, here) if ref.other and not ref.rooms else []
        now = {self.origin.get(name, "") for name in names} | {where.get(name, "") for name in names}
        if nearby:
            return [place for place in nearby if place not in now] or self._elsewhere(ref, here)
        return furniture_for(ref, self.agent.rooms, preferred, now)

    def _elsewhere(self, ref: PlaceRef, here: Rooms) -> list[str]:
        """Return all furniture of a sort in the rooms of the same kind: none of it is free of the things."""
        kinds = {kind(room) for room in here}
        return furniture_for(ref, {room: names for room, names in self.agent.rooms.items() if kind(room) in kinds})

    def _near_floor(self, ref: PlaceRef) -> list[str]:
        near = furniture_for(ref, self.agent.rooms, [self._room_of(self.last)] if self.last else [])
        room = self._room_of(near[0]) if near else ""
        return [name for name in self.agent.rooms.get(room, ()) if name.startswith("floor_")]

    def _likely_rooms(self, ref: PlaceRef, names: Sequence[str]) -> list[str]:
        """Return the rooms to think of first: where a thing went last, the topic's, where such furniture usually is."""
        rooms = [self._room_of(self.last)] if self.last else []
        rooms = [room for room in rooms if any(kind(name) in ref.furniture for name in self.agent.rooms[room])]
        for topic in self.topics:
            rooms += [room for room in self.agent.rooms if kind(room) in topic.rooms]
        rooms += usual_rooms(ref, self.agent.rooms)
        rooms += [self._room_of(self.origin[name]) for name in names if self.origin.get(name)]
        return list(dict.fromkeys(rooms))

    def _room_of(self, furniture: str) -> str:
        return next((room for room, names in self.agent.rooms.items() if furniture in names), "")

    def _put(self, name: str, relation: str, place: str, beside: str) -> None:
        """Fetch an object and put it down."""
        run = self.run
        self.agent.call(run, "navigate", name)
        if not self.agent.call(run, "pick", name).done:
            return
        self.agent.call(run, "navigate", place)
        if relation == "within":
            self.agent.call(run, "open", place)
        if self.agent.call(run, "place", name, relation, place, beside if beside != name else "").done:
            return
        if not self.agent.call(run, "place", name, relation, place).done and relation == "within":
            self.agent.call(run, "place", name, "on", place)
