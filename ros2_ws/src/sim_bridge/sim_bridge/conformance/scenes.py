# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Beginning anew, other scenes, and the end."""

from __future__ import annotations

from sim_bridge.backend import Code
from sim_bridge.conformance.check import NonConformityError, NotApplicableError, check, require
from sim_bridge.conformance.images import require_same_pose
from sim_bridge.conformance.subject import Feature
from sim_bridge.conformance.trial import SEED, Trial


@check()
def the_scene_is_the_one_asked_for(trial: Trial) -> None:
    """The backend opens in the scene that it was opened with."""
    require(trial.backend.scene == trial.subject.scene, f"the scene {trial.subject.scene}", trial.backend.scene)


@check(Feature.RESET)
def reset_gives_the_start_back(trial: Trial) -> None:
    """After reset() robot and things are as at the start, with the gripper empty."""
    start, before = trial.backend.locate().robot, trial.backend.ground_truth()
    thing = trial.find(trial.subject.props.portable)
    trial.take(thing)
    name = trial.backend.reset(seed=SEED)
    require(name == trial.backend.scene == trial.subject.scene, f"the scene {trial.subject.scene}", name)
    require_same_pose(trial, start, trial.backend.locate().robot)
    if Feature.GROUND_TRUTH not in trial.subject.lacks:
        trial.compare(before, trial.backend.ground_truth(), "the things as at the start")
    trial.take(thing)


@check(Feature.RESET)
def one_seed_one_start(trial: Trial) -> None:
    """Two resets with the same seed give the same start."""
    starts = []
    for _ in range(2):
        trial.backend.reset(seed=SEED + 1)
        starts.append((trial.backend.locate().robot, trial.backend.ground_truth()))
    (pose, things), (other_pose, other_things) = starts
    require_same_pose(trial, pose, other_pose)
    trial.compare(things, other_things, "the same things after both resets")


@check()
def an_unknown_scene(trial: Trial) -> None:
    """reset() to a scene that there is not is a KeyError that names it; the old scene stays and works."""
    before = trial.backend.locate().robot
    for name in ("FloorPlan0815", "../../etc/passwd"):
        try:
            trial.backend.reset(name)
        except KeyError as error:
            require(name in str(error), f"a message that names {name}", error)
        else:
            raise NonConformityError(f"expected a KeyError for the scene {name!r}; got {trial.backend.scene}")
    require(trial.backend.scene == trial.subject.scene, f"{trial.subject.scene} still", trial.backend.scene)
    require_same_pose(trial, before, trial.backend.locate().robot)
    trial.go(trial.find(trial.subject.props.portable))


@check(Feature.RESET, Feature.SCENES)
def another_scene(trial: Trial) -> None:
    """reset() to another scene loads that one, and back again."""
    other = trial.subject.other_scene
    if not other:
        raise NotApplicableError("the subject names no other scene")
    there = {o.id for o in trial.backend.ground_truth()}
    for scene in (other, trial.subject.scene):
        name = trial.backend.reset(scene, SEED)
        require(name == trial.backend.scene == scene, f"the scene {scene}", name)
        if Feature.GROUND_TRUTH not in trial.subject.lacks:
            same = {o.id for o in trial.backend.ground_truth()} == there
            require(same == (scene == trial.subject.scene), f"the things of {scene}", "those of another scene")
        trial.expect(Code.SUCCESS, "Wait", duration=0.5)


@check(Feature.GROUND_TRUTH)
def the_truth_is_whole(trial: Trial) -> None:
    """ground_truth() holds every object that is seen, each once, and receptacles that there are."""
    truth = trial.backend.ground_truth()
    names = {o.id for o in truth}
    require(len(names) == len(truth) > 0, "every object once", f"{len(truth)} objects, {len(names)} ids")
    strays = [o.receptacle for o in truth if o.receptacle and o.receptacle not in names]
    require(not strays, "receptacles that there are", strays)
    seen = {s.id for found in trial.survey().values() for s in found}
    require(seen <= names, "all that is seen", sorted(seen - names))


@check(Feature.PICTURES)
def closing(trial: Trial) -> None:
    """close() may be called twice; what is asked of a closed backend is a RuntimeError that says so."""
    backend = trial.backend
    trial.close()
    backend.close()
    try:
        seen = backend.observe()
    except RuntimeError as error:
        require("closed" in str(error), "a message that says that the backend is closed", error)
    else:
        raise NonConformityError(f"expected a RuntimeError from observe() after close(); got {type(seen)}")
