# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Goals to skills: one method for each predicate, built from `handling`.

A method looks at the world before each step, so that running it again after a failure continues where things stand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from planner_node.conditions import reason_to_skip
from planner_node.handling import Handling
from planner_node.skills import Code, Point, SkillCall, Target
from planner_node.steps import GoalFailed, Step, Steps
from planner_node.understand.goals import ALL, Goal, ObjectRef, Predicate
from planner_node.world import Belief, across
from planner_node.written_plans import follow

_BASINS = ("SinkBasin", "Sink", "BathtubBasin")
_TAP_NEAR_BASIN = 1.2
"""Metres, horizontally, between a tap and the middle of a basin that it can be for."""

_SWITCHED_BY = {"StoveBurner": "StoveKnob"}
_ORDER_OF_STATES = ("sliced", "clean", "hot", "cold", "filled")


class Methods:
    """How goals are reached."""

    def __init__(self, handling: Handling, person: Point | None = None) -> None:
        """`person`: where the instruction was given, metres, map frame; None when unknown."""
        self._do = handling
        self._world = handling.world
        self._grounding = handling.grounding
        self._lexicon = handling.lexicon
        self._person = person
        self._wanted_in_hand = False
        self._methods: dict[Predicate, Callable[[Goal, int], Steps[None]]] = {
            Predicate.PLACE: self._place,
            Predicate.PUT_DOWN: self._put_down,
            Predicate.HOLD: self._hold,
            Predicate.BRING: self._bring,
            Predicate.CLEAN: self._clean,
            Predicate.HEAT: self._heat,
            Predicate.COOL: self._cool,
            Predicate.SLICE: self._slice,
            Predicate.BREAK: self._break,
            Predicate.FILL: self._fill,
            Predicate.OPEN: self._open,
            Predicate.CLOSE: self._close,
            Predicate.SWITCH_ON: self._switch,
            Predicate.SWITCH_OFF: self._switch,
            Predicate.EXAMINE: self._examine,
            Predicate.THROW: self._throw,
            Predicate.FIND: self._find,
            Predicate.GO_TO: self._go_to,
        }

    def begin(self) -> Steps[None]:
        """Find out what has to be known before anything is done."""
        yield from self._do.feel_gripper()

    def reason_to_skip(self, goal: Goal, perform: Callable[[Steps[None]], None]) -> str:
        """Return why there is nothing to do for a goal with a condition; empty where there is. May look for things."""
        return reason_to_skip(goal, self._world, self._grounding, lambda look: perform(self.achieve(look)))

    def achieve(self, goal: Goal) -> Steps[None]:
        """Reach a goal for as many objects as it speaks of. GoalFailed says why it can't be."""
        if goal.predicate is Predicate.EXPLORE:
            yield from self._do.exploring.everywhere("", "look around everywhere", lambda outcome: False)
            return
        if goal.predicate is Predicate.FOLLOW:
            self._wanted_in_hand = True  # whoever writes the calls says what becomes of what is held
            yield from follow(goal, self._world, self._grounding)
            return
        assert goal.object is not None
        method = self._methods[goal.predicate]
        for index in range((yield from self._how_many(goal.object))):
            yield from method(goal, index)

    def tidy(self) -> Steps[None]:
        """Put down a tool that nobody asked for, and close the doors that nobody asked to be open."""
        if self._world.held and not self._wanted_in_hand:
            yield from self._do.empty_hand()
        yield from self._do.close_all()

    def _how_many(self, ref: ObjectRef) -> Steps[int]:
        if ref.count != ALL:
            return max(ref.count, self._grounding.count_bound(ref), 1)
        known = self._grounding.candidates(ref)
        if not known:
            yield from self._do.exploring.everywhere("", f"look for every {ref.noun}", lambda outcome: False)
            known = self._grounding.candidates(ref)
        if not known:
            yield from self._do.reach(ref)
            known = self._grounding.candidates(ref)
        return len(known) + self._grounding.count_bound(ref) - (1 if self._grounding.bound(ref) else 0)

    # Goals

    def _place(self, goal: Goal, index: int) -> Steps[None]:
        ref, place = _object(goal), goal.destination
        assert place is not None
        if place.room and not place.categories:
            place = _surfaces_of(place, self._lexicon.that_can("hold"), self._lexicon.that_can("pickup"))
        if (yield from self._is_there(ref, index, place)):
            return
        yield from self._with_states(ref, index)
        name = yield from self._do.take(ref, index)
        self._grounding.bind(ref, index, name)
        yield from self._do.put(place, goal.relation)
        self._wanted_in_hand = False

    def _is_there(self, ref: ObjectRef, index: int, place: ObjectRef) -> Steps[bool]:
        """Whether the object is where it is to be, in the states asked for; goes there to see."""
        for belief in self._grounding.candidates(ref, index)[:1]:
            fits = all(self._world.has(belief.id, state) for state in ref.states)
            if not fits or not self._grounding.is_at(belief.id, place):
                continue
            name = yield from self._do.reach(ref, index)
            if self._grounding.is_at(name, place):
                holder = self._world.get(name)
                self._grounding.bind(place, 0, holder.node.receptacle if holder else "")
                return True
        return False

    def _put_down(self, goal: Goal, index: int) -> Steps[None]:
        if not self._world.held:
            raise GoalFailed(
                Code.PRECONDITION_FAILURE, f"I am not holding the {_object(goal).noun}: there is nothing to put down."
            )
        self._wanted_in_hand = False
        yield from self._do.empty_hand()

    def _hold(self, goal: Goal, index: int) -> Steps[None]:
        ref = _object(goal)
        yield from self._with_states(ref, index)
        yield from self._do.take(ref, index)
        self._wanted_in_hand = True

    def _bring(self, goal: Goal, index: int) -> Steps[None]:
        yield from self._hold(goal, index)
        if self._person is not None and "Navigate" in self._do.table:
            outcome = yield Step(
                SkillCall("Navigate", Target(position=self._person)), f"bring the {_object(goal).noun}"
            )
            if not outcome.ok:
                raise GoalFailed(
                    outcome.code, f"I have the {_object(goal).noun}, but can't get to you: {outcome.message}"
                )

    def _clean(self, goal: Goal, index: int) -> Steps[None]:
        yield from self._wash(goal, index)

    def _fill(self, goal: Goal, index: int) -> Steps[None]:
        yield from self._wash(goal, index)

    def _wash(self, goal: Goal, index: int) -> Steps[None]:
        """Into a basin with a tap, tap on, tap off."""
        ref = _object(goal)
        yield from self._do.take(ref, index)
        refused: set[str] = set()
        complaint = "there is no sink with a tap"
        for _ in range(6):
            named = goal.destination
            basin = named if named and set(named.categories) & set(_BASINS) else ObjectRef(_BASINS, "sink")
            try:
                name = yield from self._do.put(basin, avoid=frozenset(refused))
            except GoalFailed as failure:
                raise GoalFailed(
                    failure.code, f"I can't wash the {ref.noun}: {complaint}; {failure.message}"
                ) from failure
            tap = yield from self._tap_of(name)
            if tap is not None:
                try:
                    yield from self._do.switch(tap.id, on=True)
                    yield from self._do.switch(tap.id, on=False)
                except GoalFailed as failure:
                    complaint = failure.message
                else:
                    return
            refused.add(name)
            yield from self._do.take(ref, index)
        raise GoalFailed(Code.EXECUTION_FAILURE, f"I can't wash the {ref.noun}: {complaint}")

    def _tap_of(self, basin: str) -> Steps[Belief | None]:
        """Return the tap nearest to a basin, looking for one when none is known."""
        for attempt in range(2):
            belief = self._world.get(basin)
            where = belief.node.position if belief else None
            taps = sorted(self._world.of(["Faucet"]), key=lambda b: across(b.node.position, where))
            if taps and across(taps[0].node.position, where) <= _TAP_NEAR_BASIN:
                return taps[0]
            if attempt == 0:
                here = (where,) if where else ()
                yield Step(SkillCall("Explore", Target(category="Faucet"), positions=here), "look for the tap")
        return None

    def _heat(self, goal: Goal, index: int) -> Steps[None]:
        ref = _object(goal)
        yield from self._with_states(replace(ref, states=ref.states & {"sliced"}), index)
        yield from self._do.take(ref, index)
        oven = yield from self._do.put(goal.destination or ObjectRef(("Microwave",), "microwave"))
        yield from self._do.switch(oven, on=True)
        yield from self._do.switch(oven, on=False)

    def _cool(self, goal: Goal, index: int) -> Steps[None]:
        yield from self._do.take(_object(goal), index)
        yield from self._do.put(goal.destination or ObjectRef(("Fridge",), "fridge"))

    def _slice(self, goal: Goal, index: int) -> Steps[None]:
        ref = _object(goal)
        chosen = self._grounding.bound(ref, index)
        if chosen and self._world.has(chosen, "sliced"):
            return
        held = self._world.get(self._world.held)
        if held is None or held.node.category not in self._lexicon.slicers:
            yield from self._do.take(ObjectRef(self._lexicon.slicers, "knife"))
        pieces = frozenset(b.id for b in self._world.of(self._lexicon.slices.values()))
        name = yield from self._do.reach(_whole(ref), index, pieces)
        outcome = yield self._step("SliceObject", name, f"slice the {ref.noun}")
        if not outcome.ok and outcome.code is not Code.EXECUTION_FAILURE:
            yield from self._do.stand_at(name, again=True)
            outcome = yield self._step("SliceObject", name, f"slice the {ref.noun}")
        if not outcome.ok:
            raise GoalFailed(outcome.code, f"I can't slice the {ref.noun}: {outcome.message}")
        self._grounding.replace(name, [node.id for node in outcome.seen])
        self._wanted_in_hand = False

    def _break(self, goal: Goal, index: int) -> Steps[None]:
        ref = _object(goal)
        name = yield from self._do.reach(ref, index)
        outcome = yield self._step("BreakObject", name, f"break the {ref.noun}")
        if not outcome.ok:
            raise GoalFailed(outcome.code, f"I can't break the {ref.noun}: {outcome.message}")
        self._grounding.replace(name, [node.id for node in outcome.seen])

    def _open(self, goal: Goal, index: int) -> Steps[None]:
        name = yield from self._do.reach(_object(goal), index)
        yield from self._do.open(name)
        self._do.keep_open(name)

    def _close(self, goal: Goal, index: int) -> Steps[None]:
        name = yield from self._do.reach(_object(goal), index)
        yield from self._do.close(name)

    def _switch(self, goal: Goal, index: int) -> Steps[None]:
        ref = _object(goal)
        on = goal.predicate is Predicate.SWITCH_ON
        name = yield from self._do.reach(_switches(ref), index)
        yield from self._do.switch(name, on=on)

    def _examine(self, goal: Goal, index: int) -> Steps[None]:
        ref, lamp = _object(goal), goal.destination
        if lamp is None:
            yield from self._find(goal, index)
            return
        yield from self._with_states(ref, index)
        yield from self._do.take(ref, index)
        self._wanted_in_hand = True
        name = yield from self._do.reach(lamp)
        yield from self._do.switch(name, on=True)

    def _throw(self, goal: Goal, index: int) -> Steps[None]:
        ref = _object(goal)
        yield from self._do.take(ref, index)
        outcome = yield Step(SkillCall("ThrowObject"), f"throw the {ref.noun}")
        if not outcome.ok:
            raise GoalFailed(outcome.code, f"I can't throw the {ref.noun}: {outcome.message}")

    def _find(self, goal: Goal, index: int) -> Steps[None]:
        name = yield from self._do.reach(_object(goal), index)
        self._do.notes.append(self._world.whereabouts(name))

    def _go_to(self, goal: Goal, index: int) -> Steps[None]:
        ref = _object(goal)
        if ref.categories:
            yield from self._do.reach(ref, index)
            return
        rooms = [room for room in self._world.rooms.values() if room.category == ref.room]
        target = Target(rooms[0].id, ref.room, rooms[0].position) if rooms else Target(category=ref.room)
        outcome = yield Step(SkillCall("Navigate", target), f"go to the {ref.noun}")
        if not outcome.ok:
            raise GoalFailed(outcome.code, f"I can't get to the {ref.noun}: {outcome.message}")

    # States asked for by adjectives

    def _with_states(self, ref: ObjectRef, index: int) -> Steps[None]:
        """Bring about what the adjectives ask for, where the object chosen does not have it."""
        wanted = [state for state in _ORDER_OF_STATES if state in ref.states]
        if not wanted:
            return
        best = self._grounding.candidates(ref, index)
        if best and all(self._world.has(best[0].id, state) for state in wanted):
            return
        for state in wanted:
            chosen = self._grounding.bound(ref, index) or (best[0].id if best else "")
            if chosen and self._world.has(chosen, state):
                continue
            goal = Goal(Predicate.CLEAN, ref)
            method = {"sliced": self._slice, "hot": self._heat, "cold": self._cool}.get(state, self._clean)
            yield from method(goal, index)

    def _step(self, skill: str, name: str, text: str) -> Step:
        belief = self._world.get(name)
        return Step(SkillCall(skill, Target(name, belief.node.category if belief else "")), text)


def _object(goal: Goal) -> ObjectRef:
    assert goal.object is not None
    return goal.object


def _whole(ref: ObjectRef) -> ObjectRef:
    """Return the reference to what is still in one piece."""
    return replace(ref, states=ref.states - {"sliced"})


def _switches(ref: ObjectRef) -> ObjectRef:
    return replace(ref, categories=tuple(dict.fromkeys(_SWITCHED_BY.get(c, c) for c in ref.categories)))


def _surfaces_of(place: ObjectRef, holders: tuple[str, ...], portable: tuple[str, ...]) -> ObjectRef:
    fixed = tuple(
        c
        for c in ("CounterTop", "DiningTable", "CoffeeTable", "SideTable", "Desk", "Dresser", "Bed", "Shelf")
        if c in holders
    )
    return replace(place, categories=tuple(c for c in fixed if c not in portable))
