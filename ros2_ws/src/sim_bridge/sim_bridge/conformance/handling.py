# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Skills that carry, cut, break and throw, and what they are refused for."""

from __future__ import annotations

import math

from sim_bridge.backend import Code, Outcome, Pose2D, Target
from sim_bridge.conformance.check import NotApplicableError, check, require
from sim_bridge.conformance.looking import reported
from sim_bridge.conformance.subject import Feature
from sim_bridge.conformance.trial import Trial

_CLEARLY = 0.75
"""Metres beyond its reach that the arm does not reach the middle of a thing: as much as half of a large one."""

_PLACES = 8
"""From how many a thing is tried at most."""


def require_held(trial: Trial, name: str) -> None:
    """Require that the gripper holds the object with this id; empty for none. Asks whoever can tell."""
    if Feature.GROUND_TRUTH not in trial.subject.lacks:
        held = [o.id for o in trial.backend.ground_truth() if o.relation == "held"]
        require(held == ([name] if name else []), f"{name or 'nothing'} in the gripper", held)
    if Feature.PICTURES not in trial.subject.lacks:
        held_now = trial.backend.observe().held
        require(held_now == name, f"{name or 'nothing'} held in the observation", held_now or "nothing")


def require_lies(trial: Trial, outcome: Outcome, thing: Target, receptacle: Target, relation: str = "") -> None:
    """Require that an object is reported on or in a receptacle, and is there."""
    if Feature.RECOGNITION in trial.subject.lacks:
        return
    seen = reported(outcome, thing)
    relations = (relation,) if relation else ("on", "in")
    lies = seen.receptacle == receptacle.id and seen.relation in relations
    require(lies, f"{thing.id} {' or '.join(relations)} {receptacle.id}", f"{seen.relation} {seen.receptacle}")
    if Feature.GROUND_TRUTH not in trial.subject.lacks:
        true = next(o for o in trial.backend.ground_truth() if o.id == thing.id)
        where = (true.receptacle, true.relation)
        require(where == (seen.receptacle, seen.relation), f"{thing.id} where it is reported", where)


@check("GoToObject", "PickupObject", "PutObject")
def picking_up_and_putting_down(trial: Trial) -> None:
    """PickupObject takes a thing into the gripper, PutObject puts it down where it is reported from then on."""
    props = trial.subject.props
    thing, surface = trial.find(props.portable), trial.find(props.surface)
    require_held(trial, "")
    outcome = trial.take(thing)
    if Feature.RECOGNITION not in trial.subject.lacks:
        relation = reported(outcome, thing).relation
        require(relation == "held", f"{thing.id} reported as held", relation)
    require_held(trial, thing.id)
    trial.go(surface)
    require_held(trial, thing.id)
    outcome = trial.expect(Code.SUCCESS, "PutObject", None, surface)
    require_lies(trial, outcome, thing, surface)
    require_held(trial, "")
    if Feature.RECOGNITION not in trial.subject.lacks and "FindObject" not in trial.subject.lacks:
        require_lies(trial, trial.expect(Code.SUCCESS, "FindObject", Target(id=thing.id)), thing, surface)
    trial.expect(Code.SUCCESS, "PickupObject", Target(id=thing.id, category=thing.category))


@check("Pick", "Place")
def picking_and_placing(trial: Trial) -> None:
    """Pick and Place drive there themselves; a relation that is asked for is the one that comes about."""
    props = trial.subject.props
    thing, surface = trial.find(props.portable), trial.find(props.surface)
    trial.expect(Code.SUCCESS, "Pick", thing)
    require_held(trial, thing.id)
    outcome = trial.expect(Code.SUCCESS, "Place", Target(id=thing.id), surface, relation="on")
    require_lies(trial, outcome, thing, surface, "on")
    require_held(trial, "")


@check("GoToObject")
def an_empty_gripper_has_nothing_to_give(trial: Trial) -> None:
    """PutObject, Place and ThrowObject with an empty gripper are PRECONDITION_FAILURE."""
    surface = trial.find(trial.subject.props.surface)
    trial.go(surface)
    for name in ("PutObject", "Place", "ThrowObject"):
        if name not in trial.subject.lacks:
            with trial.unchanged():
                trial.expect(Code.PRECONDITION_FAILURE, name, None, surface)


@check("GoToObject", "PickupObject")
def a_full_gripper_takes_nothing_more(trial: Trial) -> None:
    """PickupObject and Pick with a thing in the gripper are PRECONDITION_FAILURE, and it stays there."""
    thing = trial.find(trial.subject.props.portable)
    other = trial.find(trial.subject.props.second, but=thing)
    trial.take(thing)
    trial.go(other)
    for name in ("PickupObject", "Pick"):
        if name not in trial.subject.lacks:
            with trial.unchanged():
                trial.expect(Code.PRECONDITION_FAILURE, name, other)
    require_held(trial, thing.id)


@check("Pick")
def placing_what_is_not_held(trial: Trial) -> None:
    """Place with another target than what the gripper holds is PRECONDITION_FAILURE."""
    thing = trial.find(trial.subject.props.portable)
    other = trial.find(trial.subject.props.second, but=thing)
    surface = trial.find(trial.subject.props.surface)
    trial.expect(Code.SUCCESS, "Pick", thing)
    trial.expect(Code.PRECONDITION_FAILURE, "Place", other, surface)
    require_held(trial, thing.id)


@check("GoToObject", Feature.AFFORDANCES)
def what_a_thing_does_not_afford(trial: Trial) -> None:
    """Skills on things that are not made for them are PRECONDITION_FAILURE and change nothing."""
    props = trial.subject.props
    container, surface, thing = (trial.find(p) for p in (props.container, props.surface, props.portable))
    for target, names in (
        (container, ("PickupObject", "SliceObject", "BreakObject")),
        (surface, ("PickupObject", "OpenObject", "CloseObject", "SwitchOn", "ToggleOff", "BreakObject")),
        (thing, ("OpenObject", "CloseObject", "SwitchOn", "SwitchOff", "ToggleOn")),
    ):
        trial.go(target)
        for name in names:
            if name not in trial.subject.lacks:
                with trial.unchanged():
                    trial.expect(Code.PRECONDITION_FAILURE, name, target)


@check("GoToObject")
def what_is_out_of_reach(trial: Trial) -> None:
    """The arm does not reach across the room: PRECONDITION_FAILURE, or NOT_FOUND where it is not in view."""
    props, refused = trial.subject.props, set[Code]()
    attempts = ((props.container, "OpenObject"), (props.portable, "PickupObject"))
    for categories, name in attempts:
        if name in trial.subject.lacks or not categories:
            continue
        target = trial.find(categories)
        for place in _far_from(trial, target)[:_PLACES]:
            arrived = trial.do("GoToObject", place).code is Code.SUCCESS  # not all that is seen can be driven to
            if arrived and _is_out_of_reach(trial, target, trial.backend.locate().robot):
                with trial.unchanged():
                    outcome = trial.expect((Code.PRECONDITION_FAILURE, Code.NOT_FOUND), name, target)
                refused.add(outcome.code)
            if Code.PRECONDITION_FAILURE in refused:
                return  # that was in view: no need for another place
    if not refused:
        raise NotApplicableError("nothing is so far from another thing that it is out of reach from there")


def _far_from(trial: Trial, target: Target) -> list[Target]:
    """Return what lies out of reach of a target, first that from which the robot is so wherever it stops for it.

    Of these the nearest, since the target may be in view from there; of the others the farthest.
    """
    places = [(thing, Pose2D(*thing.position[:2], 0.0)) for thing in trial.things() if thing.position is not None]
    far = [(_apart(target, pose), thing) for thing, pose in places if _is_out_of_reach(trial, target, pose)]
    sure = 2 * trial.subject.tolerances.reach + _CLEARLY
    return [thing for _, thing in sorted(far, key=lambda pair: (pair[0] < sure, abs(pair[0] - sure)))]


def _is_out_of_reach(trial: Trial, target: Target, robot: Pose2D) -> bool:
    return _apart(target, robot) > trial.subject.tolerances.reach + _CLEARLY


def _apart(target: Target, robot: Pose2D) -> float:
    """Return the horizontal distance in metres from the robot to the middle of something."""
    assert target.position is not None
    return math.dist(target.position[:2], (robot.x, robot.y))


@check("GoToObject", "PickupObject", "SliceObject")
def slicing(trial: Trial) -> None:
    """SliceObject makes new things in the place of the whole, with the knife that stays in the gripper."""
    knife = trial.find(trial.subject.props.knife)
    whole = trial.find(trial.subject.props.sliceable)
    if "Explore" not in trial.subject.lacks and Feature.RECOGNITION not in trial.subject.lacks:
        trial.expect(Code.SUCCESS, "Explore", knife)  # something so flat is seen from some sides only
    trial.take(knife)
    trial.go(whole)
    outcome = trial.expect(Code.SUCCESS, "SliceObject", whole)
    if Feature.RECOGNITION not in trial.subject.lacks:
        slices = [seen for seen in outcome.seen if seen.category.startswith(whole.category)]
        require(slices and all(seen.id != whole.id and seen.movable for seen in slices), "slices", outcome.seen)
    require_held(trial, knife.id)


@check("GoToObject", Feature.AFFORDANCES)
def slicing_without_a_knife(trial: Trial) -> None:
    """SliceObject needs a knife in the gripper: PRECONDITION_FAILURE with none, and with something else."""
    whole = trial.find(trial.subject.props.sliceable)
    other = trial.find(trial.subject.props.portable, but=whole)
    trial.go(whole)
    with trial.unchanged():
        trial.expect(Code.PRECONDITION_FAILURE, "SliceObject", whole)
    trial.take(other)
    trial.go(whole)
    with trial.unchanged():
        trial.expect(Code.PRECONDITION_FAILURE, "SliceObject", whole)


@check("GoToObject", "BreakObject")
def breaking(trial: Trial) -> None:
    """BreakObject breaks what can break, and reports what came of it."""
    thing = trial.find(trial.subject.props.breakable)
    trial.go(thing)
    outcome = trial.expect(Code.SUCCESS, "BreakObject", thing)
    if Feature.RECOGNITION not in trial.subject.lacks:
        broken = [s for s in outcome.seen if s.states.get("isBroken") == "true" or s.id != thing.id]
        require(broken, f"{thing.id} reported as broken, or what came of it", outcome.seen)


@check("GoToObject", "PickupObject", "ThrowObject")
def throwing(trial: Trial) -> None:
    """ThrowObject empties the gripper."""
    thing = trial.find(trial.subject.props.portable)
    trial.take(thing)
    trial.expect(Code.SUCCESS, "ThrowObject")
    require_held(trial, "")
