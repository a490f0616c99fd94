# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Goals to wishes, which task planning makes true; and what is to be done around that: how many, and which."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from karma_language.answers.speech import a
from karma_language.vocabulary.states import FLOOR
from planner_node.ground.names import SEVERAL
from planner_node.plan.conditions import reason_to_skip
from planner_node.plan.handling import Handling
from planner_node.plan.setting import Setting
from planner_node.plan.several import Several
from planner_node.plan.steps import GoalFailed, Step, Steps
from planner_node.plan.task_planning.domain import HOLDING, ON
from planner_node.plan.task_planning.literals import Literal
from planner_node.plan.task_planning.pursuing import Pursuit
from planner_node.plan.task_planning.situation import Role, Wish
from planner_node.plan.written import follow
from planner_node.skills import Code, Node, Point, SkillCall, Target
from planner_node.understand.goals import ALL, SET, Goal, ObjectRef, Predicate
from planner_node.whereabouts import whereabouts
from planner_node.world import SEEN, Belief

BROUGHT_ABOUT = {
    Predicate.CLEAN: "clean",
    Predicate.FILL: "filled",
    Predicate.HEAT: "hot",
    Predicate.COOL: "cold",
    Predicate.SLICE: "sliced",
    Predicate.BREAK: "broken",
}
"""Goals that are reached by bringing something about anew: what is washed again is washed."""
_STATES = ("clean", "hot", "cold", "sliced", "filled")
"""States that adjectives ask for → predicates of the physics."""

_SURFACES = (
    "CounterTop", "DiningTable", "CoffeeTable", "SideTable", "Desk", "Dresser", "Bed", "Shelf",
    "TVStand", "Sofa", "Ottoman", "Stool", "Chair", "ArmChair",
)  # fmt: skip
"""What things are put on in a room where no furniture is named, in this order, before what else is there."""


class Methods:
    """How goals are reached."""

    def __init__(self, handling: Handling, person: Point | None = None) -> None:
        """`person`: where the instruction was given, metres, map frame; None when unknown."""
        self._do = handling
        self._world = handling.world
        self._grounding = handling.grounding
        self._lexicon = handling.lexicon
        self._pursuit = Pursuit(handling)
        self._person = person
        self._wanted_in_hand = False
        self._setting = Setting(handling, self._pursuit)
        self._several = Several(handling)
        self._methods: Mapping[Predicate, Callable[[Goal, int], Steps[None]]] = {
            Predicate.PLACE: self._place,
            Predicate.PUT_DOWN: self._put_down,
            Predicate.HOLD: self._hold,
            Predicate.BRING: self._bring,
            Predicate.EXAMINE: self._examine,
            Predicate.THROW: self._throw,
            Predicate.FIND: self._find,
            Predicate.GO_TO: self._go_to,
            **dict.fromkeys(BROUGHT_ABOUT, self._bring_about),
            **dict.fromkeys(SET, self._setting.set),
        }

    def begin(self) -> Steps[None]:
        """Find out what has to be known before anything is done."""
        yield from self._do.feel_gripper()

    def reason_to_skip(self, goal: Goal, pursue: Callable[[Callable[[], Steps[None]]], None]) -> str:
        """Return why there is nothing to do for a goal with a condition; empty where there is. May look for things."""

        def look_for(ref: ObjectRef) -> Steps[None]:
            noted = len(self._do.notes)
            yield from self._do.reach(ref)
            del self._do.notes[noted:]  # which one was taken: none was

        return reason_to_skip(
            goal, self._world, self._grounding, self._lexicon, lambda ref: pursue(partial(look_for, ref))
        )

    def achieve(self, goal: Goal) -> Steps[None]:
        """Reach a goal for as many objects as it speaks of. GoalFailed says why it can't be."""
        self._grounding.goal = goal
        if goal.predicate is Predicate.EXPLORE:
            yield from self._do.exploring.everywhere("", "look around everywhere", lambda outcome: False)
            return
        if goal.predicate is Predicate.FOLLOW:
            self._wanted_in_hand = True  # whoever writes the calls says what becomes of what is held
            yield from follow(goal, self._world, self._grounding)
            return
        assert goal.object is not None
        method = self._methods[goal.predicate]
        number = yield from self._how_many(goal.object)
        yield from self._several.reach(goal, number, method)
        if number < SEVERAL and self._is_plural(goal.object):
            try:
                yield from method(goal, number)
            except GoalFailed as failure:
                if failure.code is not Code.NOT_FOUND:
                    raise
                self._do.notes.append(f"I found only one of the {goal.object.noun}.")

    def tidy(self) -> Steps[None]:
        """Put down a tool that nobody asked for, and close the doors that nobody asked to be open."""
        if self._world.held and not self._wanted_in_hand:
            yield from self._do.empty_hand()
        yield from self._do.close_all()

    def _how_many(self, ref: ObjectRef) -> Steps[int]:
        if ref.count not in (1, ALL) and not self._grounding.are_enough_alike(ref):
            yield from self._do.exploring.everywhere("", f"look for {ref}", lambda outcome: False)
        if ref.count != ALL:
            return max(ref.count, self._grounding.count_bound(ref), 1)
        known = self._grounding.candidates(ref)
        if not any(belief.source == SEEN for belief in known):  # those that are remembered need not be all
            yield from self._do.exploring.everywhere("", f"look for every {ref.noun}", lambda outcome: False)
            known = self._grounding.candidates(ref)
        if not known:
            yield from self._do.reach(ref)
            known = self._grounding.candidates(ref)
        return len(known) + self._grounding.count_bound(ref) - (1 if self._grounding.bound(ref) else 0)

    def _is_plural(self, ref: ObjectRef) -> bool:
        """Whether all of several things are meant: "the spoons", not "every spoon"."""
        noun = self._lexicon.noun(ref.noun)
        portable = self._lexicon.any_can(ref.categories, "pickup")
        return ref.count == ALL and noun is not None and noun.plural and portable

    # Goals

    def _place(self, goal: Goal, index: int) -> Steps[None]:
        ref, place = _object(goal), goal.destination
        if place is None:
            yield from self._put_back(ref, index)
            return
        if place.room and not place.categories:
            place = self._surfaces_of(place)
        if place.other and not self._grounding.bound(place):
            name = yield from self._do.reach(ref, index)
            self._grounding.moves_from(place, self._world.around(name))
        for end in self._grounding.candidates(place)[:1]:
            self._grounding.heads_for(ref, index, end.node.position)
        if there := (yield from self._another_than_there(ref, index, place)):
            try:
                yield from self._put_at(ref, index, place, goal.relation, there)
            except GoalFailed as failure:
                if failure.code not in (Code.NOT_FOUND, Code.PRECONDITION_FAILURE, Code.EXECUTION_FAILURE):
                    raise
            else:
                return
        if (yield from self._is_there(ref, index, place)):
            self._say_it_is_there(self._grounding.bound(ref, index))
        else:
            yield from self._put_at(ref, index, place, goal.relation)

    def _surfaces_of(self, room: ObjectRef) -> ObjectRef:
        """Return the furniture in a room that something can be put on: tables before others, the floor last."""
        there = (b.node.category for b in self._world if self._grounding.in_room(b.node, room))
        known = dict.fromkeys(c for c in there if self._lexicon.can(c, "hold") and not self._lexicon.can(c, "pickup"))
        own = [c for c in known if self._lexicon.kind(c).either and not self._lexicon.can(c, "open")]
        fixed = [c for c in _SURFACES if self._lexicon.can(c, "hold")]
        return replace(room, categories=tuple(dict.fromkeys((*fixed, *own, *(c for c in known if c == FLOOR)))))

    def _put_back(self, ref: ObjectRef, index: int) -> Steps[None]:
        """Put it where it was before this instruction took it; there is nothing to do for what was not taken."""
        name = self._grounding.bound(ref, index)
        if name not in self._world.taken_from:
            return
        receptacle, relation = self._world.taken_from[name]
        holder = self._world.get(receptacle)
        if holder is None:
            raise GoalFailed(Code.PRECONDITION_FAILURE, f"I don't know where the {ref.noun} was before.")
        noun = self._do.noun_of(receptacle)
        place = ObjectRef((holder.node.category,), noun, entity=-next(self._pursuit.entities), id=receptacle)
        yield from self._put_at(ref, index, place, relation)

    def _say_it_is_there(self, name: str) -> None:
        """Note, once for all things alike, that a thing is already where it is to be."""
        belief = self._world.get(name)
        holder = belief.node.receptacle if belief is not None else ""
        where = f"{belief.node.relation or 'on'} the {self._do.noun_of(holder)}" if belief and holder else "there"
        note = f"The {self._do.noun_of(name)} is {where} already."
        if note not in self._do.notes:
            self._do.notes.append(note)

    def _put_at(
        self, ref: ObjectRef, index: int, place: ObjectRef, relation: str, avoid: frozenset[str] = frozenset()
    ) -> Steps[None]:
        """Bring an object there, in the states asked for, none of those to `avoid`."""
        yield from self._sliced_first(ref, index)
        wanted = (*_with_states(ref), Literal(ON, ("x", "d")))
        roles = {"x": Role(ref, index, avoid), "d": Role(place)}
        if not (yield from self._pursuit.bring_about(Wish(wanted, roles, relation))):
            self._say_it_is_there(self._grounding.bound(ref, index))
        self._wanted_in_hand = False

    def _another_than_there(self, ref: ObjectRef, index: int, place: ObjectRef) -> Steps[frozenset[str]]:
        """Return what is there already, where someone who asks for "a bottle" to be put there means another one.

        Empty where nothing is there, or no other one was seen. Goes to where one is, if none was seen yet.
        """
        fixed = not self._lexicon.any_can(place.categories, "pickup")
        told = ref.definite or ref.count != 1 or ref.states or ref.id or self._grounding.bound(ref, index)
        if told or not fixed or self._world.held:
            return frozenset()
        seen = self._seen(ref, index)
        if not seen:
            yield from self._do.reach(ref, index)
            seen = self._seen(ref, index)
        there = frozenset(b.id for b in seen if self._grounding.is_at(b.id, place))
        return there if len(there) < len(seen) else frozenset()

    def _seen(self, ref: ObjectRef, index: int) -> list[Belief]:
        return [belief for belief in self._grounding.candidates(ref, index) if belief.source == SEEN]

    def _is_there(self, ref: ObjectRef, index: int, place: ObjectRef) -> Steps[bool]:
        """Whether the object is where it is to be, in the states asked for; goes there to see."""
        for belief in self._grounding.candidates(ref, index)[:1]:
            if not self._fits(belief.id, ref, place):
                continue
            name = yield from self._do.reach(ref, index)
            if self._fits(name, ref, place):  # it may be another one
                holder = self._world.get(name)
                self._grounding.bind(place, 0, holder.node.receptacle if holder else "")
                return True
        return False

    def _fits(self, name: str, ref: ObjectRef, place: ObjectRef) -> bool:
        return self._grounding.is_at(name, place) and all(self._world.has(name, state) for state in ref.states)

    def _put_down(self, goal: Goal, index: int) -> Steps[None]:
        if not self._world.held:
            raise GoalFailed(
                Code.PRECONDITION_FAILURE, f"I am not holding the {_object(goal).noun}: there is nothing to put down."
            )
        self._wanted_in_hand = False
        yield from self._do.empty_hand()

    def _hold(self, goal: Goal, index: int) -> Steps[None]:
        ref = _object(goal)
        yield from self._sliced_first(ref, index)
        wanted = (*_with_states(ref), Literal(HOLDING, ("x",)))
        taken = yield from self._pursuit.bring_about(Wish(wanted, {"x": Role(ref, index)}))
        if goal.predicate is Predicate.HOLD and not taken:
            self._do.notes.append(f"I hold the {self._do.noun_of(self._world.held)} already.")
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

    def _bring_about(self, goal: Goal, index: int) -> Steps[None]:
        """Make it clean, filled, hot, cold, sliced or broken; with what, where the instruction says so."""
        ref = _object(goal)
        predicate = BROUGHT_ABOUT[goal.predicate]
        avoid = frozenset[str]()
        if predicate == "sliced":
            chosen = self._grounding.bound(ref, index)
            if chosen and self._world.has(chosen, "sliced"):
                return
            avoid = frozenset(b.id for b in self._world.of(self._lexicon.slices.values()))
            ref = replace(ref, states=ref.states - {"sliced"})
        else:
            yield from self._sliced_first(ref, index)
        roles = {"x": Role(ref, index, avoid)}
        if goal.destination is not None:
            roles["d"] = Role(goal.destination)
        slices = (o for o in _with_states(ref) if o.predicate == "sliced")
        yield from self._pursuit.bring_about(
            Wish((*slices, Literal(predicate, ("x",))), roles, anew=frozenset({predicate}))
        )
        if predicate == "sliced":
            self._wanted_in_hand = False

    def _examine(self, goal: Goal, index: int) -> Steps[None]:
        ref, lamp = _object(goal), goal.destination
        if goal.relation:
            name = yield from self._do.reach(ref, index)
            yield from self._do.open(name, f"look into the {self._do.noun_of(name)}")
            inside = ", ".join(a(self._do.noun_of(one.id)) for one in self._world.contents(name))
            self._do.notes.append(f"In the {self._do.noun_of(name)} I see {inside or 'nothing'}.")
            return
        if lamp is None:
            yield from self._find(goal, index)
            return
        yield from self._hold(goal, index)
        roles = {"x": Role(ref, index), "d": Role(lamp)}
        yield from self._do.reach(lamp)
        yield from self._pursuit.bring_about(Wish((Literal(HOLDING, ("x",)), Literal("toggled", ("d",))), roles))

    def _throw(self, goal: Goal, index: int) -> Steps[None]:
        ref = _object(goal)
        yield from self._hold(goal, index)
        self._wanted_in_hand = False
        outcome = yield Step(SkillCall("ThrowObject"), f"throw the {ref.noun}")
        if not outcome.ok:
            raise GoalFailed(outcome.code, f"I can't throw the {ref.noun}: {outcome.message}")

    def _sliced_first(self, ref: ObjectRef, index: int) -> Steps[None]:
        """Slice it where slices are asked for and none are known: what is done then is done to a slice."""
        best = self._grounding.candidates(ref, index)
        if "sliced" in ref.states and not (best and self._world.has(best[0].id, "sliced")):
            yield from self._bring_about(Goal(Predicate.SLICE, ref), index)

    def _find(self, goal: Goal, index: int) -> Steps[None]:
        name = yield from self._do.reach(_object(goal), index)
        self._do.notes.append(whereabouts(name, self._world, self._lexicon))

    def _go_to(self, goal: Goal, index: int) -> Steps[None]:
        ref = _object(goal)
        if ref.categories:
            yield from self._do.reach(ref, index)
            return
        room = next(iter(self._world.rooms_called(ref.room)), Node("", self._lexicon.room(ref.room)))
        target = Target(room.id, room.category, room.position)
        outcome = yield Step(SkillCall("Navigate", target), f"go to the {ref.noun}")
        if not outcome.ok:
            raise GoalFailed(outcome.code, f"I can't get to the {ref.noun}: {outcome.message}")


def _object(goal: Goal) -> ObjectRef:
    assert goal.object is not None
    return goal.object


def _with_states(ref: ObjectRef) -> tuple[Literal, ...]:
    """Return what the adjectives ask for."""
    return tuple(Literal(state, ("x",)) for state in _STATES if state in ref.states)
