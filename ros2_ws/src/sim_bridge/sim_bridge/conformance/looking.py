# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Skills that look, and what they report."""

from __future__ import annotations

import math

from sim_bridge.backend import Code, Outcome, SeenObject, Target
from sim_bridge.conformance.check import NonConformityError, check, require
from sim_bridge.conformance.subject import Feature
from sim_bridge.conformance.trial import Trial


def reported(outcome: Outcome, target: Target) -> SeenObject:
    """Return what an outcome reports of an object, which must be there."""
    for seen in outcome.seen:
        if seen.id == target.id:
            require(seen.category == target.category, f"{target.id} to stay a {target.category}", seen)
            return seen
    raise NonConformityError(f"expected {target.id} to be reported; got {[seen.id for seen in outcome.seen]}")


@check("Explore", Feature.RECOGNITION)
def exploring_finds_a_thing(trial: Trial) -> None:
    """Explore ends with SUCCESS when the target is in view, and reports it."""
    for props in (trial.subject.props.portable, trial.subject.props.container):
        wanted = trial.find(props).category
        outcome = trial.expect(Code.SUCCESS, "Explore", Target(category=wanted))
        require(any(seen.category == wanted for seen in outcome.seen), f"a {wanted} among what is seen", outcome.seen)


@check("Explore", Feature.RECOGNITION, Feature.EXTENTS, Feature.GROUND_TRUTH)
def exploring_tells_the_truth(trial: Trial) -> None:
    """What Explore reports is there: its ids, categories, places and receptacles are the true ones."""
    truth = {o.id: o for o in trial.backend.ground_truth()}
    for seen in trial.expect(Code.SUCCESS, "Explore").seen:
        require(seen.id in truth, "an object that there is", seen.id)
        true = truth[seen.id]
        require((seen.category, seen.movable) == (true.category, true.movable), f"{true}", seen)
        away = math.dist(seen.center, true.center)
        require(away <= trial.subject.tolerances.box, f"{seen.id} where it is", f"{away:.2f} m off")
        where, is_at = (seen.receptacle, seen.relation), (true.receptacle, true.relation)
        require(where == is_at, f"{seen.id} {is_at}", where)
        require(not seen.receptacle or seen.receptacle in truth, "a receptacle that there is", seen.receptacle)


@check()
def exploring_only_where_it_is_told_to(trial: Trial) -> None:
    """Explore with positions looks from there and no farther, and ends with NOT_FOUND for what is not there."""
    here = trial.backend.locate().robot
    target = Target(category=trial.subject.props.absent)
    outcome = trial.expect(Code.NOT_FOUND, "Explore", target, positions=((here.x, here.y, here.z),))
    require(outcome.explore_steps == 1, "1 explore step at 1 position", outcome.explore_steps)


@check(Feature.RECOGNITION)
def what_is_not_there_is_not_found(trial: Trial) -> None:
    """Every skill on something that is not there is NOT_FOUND."""
    absent = Target(category=trial.subject.props.absent)
    for name in ("FindObject", "FindReceptacle", "DescribeObject", "GoToObject", "PickupObject", "Pick", "Navigate"):
        if name not in trial.subject.lacks:
            with trial.unchanged():
                trial.expect(Code.NOT_FOUND, name, absent)
    for name in ("OpenObject", "CloseObject", "SwitchOn", "ToggleOff", "BreakObject"):
        if name not in trial.subject.lacks:
            with trial.unchanged():
                trial.expect(Code.NOT_FOUND, name, Target(id=f"{absent.category}|1", category=absent.category))


@check("GoToObject", Feature.RECOGNITION)
def what_is_remembered_where_it_is_not_is_not_found(trial: Trial) -> None:
    """GoToObject with a remembered position at which the target is not any more is NOT_FOUND."""
    surface = trial.find(trial.subject.props.surface)
    trial.go(surface)
    trial.expect(Code.NOT_FOUND, "GoToObject", Target(category=trial.subject.props.absent, position=surface.position))


@check("GoToObject", "FindObject", "DescribeObject", Feature.RECOGNITION)
def finding_and_describing_a_thing_in_view(trial: Trial) -> None:
    """FindObject and DescribeObject report what is in view, where the exploration saw it."""
    thing = trial.find(trial.subject.props.portable)
    trial.go(thing)
    described = trial.expect(Code.SUCCESS, "DescribeObject", thing)
    for outcome in (
        described,
        trial.expect(Code.SUCCESS, "FindObject", Target(category=thing.category)),
        trial.expect(Code.SUCCESS, "FindObject"),
    ):
        seen = reported(outcome, thing)
        require(seen.movable, f"{thing.id} to be movable", seen)
        assert thing.position is not None
        off = math.dist(seen.center, thing.position)
        require(off <= trial.subject.tolerances.box, f"{thing.id} at {thing.position}", f"{seen.center}")
    require(described.message, "a description in words", "none")


@check("GoToObject", "FindReceptacle", Feature.RECOGNITION)
def finding_receptacles_in_view(trial: Trial) -> None:
    """FindReceptacle reports what things can be put on or in, and nothing else."""
    surface, thing = trial.find(trial.subject.props.surface), trial.find(trial.subject.props.portable)
    trial.go(surface)
    reported(trial.expect(Code.SUCCESS, "FindReceptacle", Target(category=surface.category)), surface)
    trial.go(thing)
    if thing.category not in ("Bowl", "Cup", "Mug", "Plate"):
        found = trial.expect(Code.SUCCESS, "FindReceptacle").seen
        require(thing.id not in {seen.id for seen in found}, "receptacles only", thing.id)


@check("FindRoom", "Navigate", Feature.ROOMS)
def rooms(trial: Trial) -> None:
    """FindRoom reports rooms with their extents; Navigate drives into them by name; others are NOT_FOUND."""
    known = trial.expect(Code.SUCCESS, "FindRoom").seen
    require(known, "a room", "none")
    for room in known[:3]:
        require(room.id and room.category and min(room.size[:2]) > 0.5, "a room of some metres", room)
        require(not room.movable, "rooms to stay where they are", room)
        reported(trial.expect(Code.SUCCESS, "FindRoom", Target(category=room.id)), Target(room.id, room.category))
        trial.expect(Code.SUCCESS, "Navigate", Target(category=room.id))
        robot = trial.backend.locate().robot
        inside = all(
            abs(at - middle) <= size / 2 + trial.subject.tolerances.arrival
            for at, middle, size in zip((robot.x, robot.y), room.center, room.size, strict=False)
        )
        require(inside, f"the robot in {room}", robot)
    trial.expect(Code.NOT_FOUND, "FindRoom", Target(category="ballroom"))
