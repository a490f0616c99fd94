# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Skills that open, close and switch, and what is shut in."""

from __future__ import annotations

from sim_bridge.backend import Code, Outcome, Target
from sim_bridge.conformance.check import check, require
from sim_bridge.conformance.handling import require_lies
from sim_bridge.conformance.looking import reported
from sim_bridge.conformance.subject import Feature
from sim_bridge.conformance.trial import Trial


def _require_state(trial: Trial, outcome: Outcome, target: Target, state: str, value: str) -> None:
    if Feature.RECOGNITION in trial.subject.lacks or Feature.STATES in trial.subject.lacks:
        return
    states = reported(outcome, target).states
    require(states.get(state) == value, f"{target.id} with {state} {value}", dict(states))


@check("GoToObject", "OpenObject", "CloseObject")
def opening_and_closing(trial: Trial) -> None:
    """OpenObject and CloseObject change what is reported of the target; what is so already is PRECONDITION_FAILURE."""
    target = trial.find(trial.subject.props.container)
    knows = Feature.STATES not in trial.subject.lacks
    trial.go(target)
    if knows:
        trial.expect(Code.PRECONDITION_FAILURE, "CloseObject", target)
    _require_state(trial, trial.expect(Code.SUCCESS, "OpenObject", target), target, "isOpen", "true")
    if knows:
        with trial.unchanged():
            trial.expect(Code.PRECONDITION_FAILURE, "OpenObject", target)
    _require_state(trial, trial.expect(Code.SUCCESS, "CloseObject", target), target, "isOpen", "false")


@check("SwitchOn", "SwitchOff", "ToggleOn", "ToggleOff", "GoToObject")
def switching(trial: Trial) -> None:
    """SwitchOn and SwitchOff, ToggleOn and ToggleOff are the same; what is so already is PRECONDITION_FAILURE."""
    target = trial.find(trial.subject.props.switch)
    trial.go(target)
    for on, off in (("SwitchOn", "SwitchOff"), ("ToggleOn", "ToggleOff")):
        for name, other, value in ((on, on, "true"), (off, off, "false")):
            _require_state(trial, trial.expect(Code.SUCCESS, name, target), target, "isToggled", value)
            if Feature.STATES not in trial.subject.lacks:
                with trial.unchanged():
                    trial.expect(Code.PRECONDITION_FAILURE, other, target)


@check("GoToObject", "PickupObject", "OpenObject", "PutObject", "CloseObject")
def storing_in_a_container(trial: Trial) -> None:
    """A closed container takes nothing; an open one takes a thing in, which then can be seen and is found in it."""
    props = trial.subject.props
    thing, container = trial.find(props.portable), trial.find(props.container)
    trial.take(thing)
    trial.go(container)
    if Feature.STATES not in trial.subject.lacks:
        with trial.unchanged():
            trial.expect(Code.PRECONDITION_FAILURE, "PutObject", None, container)
    trial.expect(Code.SUCCESS, "OpenObject", container)
    outcome = trial.expect(Code.SUCCESS, "PutObject", None, container, relation="in")
    require_lies(trial, outcome, thing, container, "in")
    trial.expect(Code.SUCCESS, "CloseObject", container)
    trial.need(Feature.RECOGNITION, Feature.STATES)
    trial.expect(Code.NOT_FOUND, "FindObject", Target(id=thing.id, category=thing.category))
    require_lies(trial, trial.expect(Code.SUCCESS, "OpenObject", container), thing, container, "in")


@check("GoToObject", "Pick", "OpenObject", "PutObject", "CloseObject", Feature.RECOGNITION, Feature.STATES)
def what_is_remembered_in_something_closed(trial: Trial) -> None:
    """GoToObject with a position in a closed container is PRECONDITION_FAILURE: opening it may show the target."""
    props = trial.subject.props
    thing, container = trial.find(props.portable), trial.find(props.container)
    trial.expect(Code.SUCCESS, "Pick", thing)
    trial.go(container)
    trial.expect(Code.SUCCESS, "OpenObject", container)
    put = trial.expect(Code.SUCCESS, "PutObject", None, container)
    trial.expect(Code.SUCCESS, "CloseObject", container)
    remembered = Target(thing.id, thing.category, reported(put, thing).center)
    outcome = trial.expect(Code.PRECONDITION_FAILURE, "GoToObject", remembered)
    require(container.category in outcome.message, f"{container.category} in the message", outcome.message)
