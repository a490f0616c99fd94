# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Every backend against the same checks (`sim_bridge.conformance`).

To add one: write a context manager that brings up what the backend needs (a stand-in, servers), yields its
`Subject` and takes everything down again, or calls `pytest.skip` with the reason; put it into `BACKENDS`, with
marks where it has any:

    pytest.param(ai2thor_over_fifo, id="ai2thor-fifo", marks=pytest.mark.slow)

The declaration itself (what the backend lacks and why, its tolerances, its categories) belongs to the package, in
`sim_bridge/<backend>/conformance.py: subject(options) -> Subject`, where `./karma doctor --backend NAME --conformance`
finds it; use `dataclasses.replace(subject, open=...)` for a stand-in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial

import pytest

from sim_bridge.conformance.check import Check
from sim_bridge.conformance.subject import Subject
from sim_bridge.conformance.suite import CHECKS, run_check
from sim_bridge.conformance.trial import Trial
from sim_bridge.factory import BackendOptions
from sim_bridge.household import conformance as household_declaration
from sim_bridge.household.gl import RenderingUnavailableError
from sim_bridge.household.recorded import RecordingsMissingError
from sim_bridge.skills import SKILLS

pytestmark = pytest.mark.slow


@contextmanager
def household(scene: str) -> Iterator[Subject]:
    subject = household_declaration.subject(BackendOptions(scene=scene, image_width=320, image_height=240))
    try:
        subject.open().close()
    except (RecordingsMissingError, RenderingUnavailableError) as error:
        pytest.skip(str(error))
    yield subject


@contextmanager
def robot_over_ros() -> Iterator[Subject]:
    """A robot by its interfaces, with a simulated one and perception in other processes."""
    for package in ("rclpy", "karma_interfaces", "nav2_msgs", "control_msgs"):
        pytest.importorskip(package, reason=f"needs {package}: run ./karma test")
    import robot_home

    with robot_home.conforming() as subject:
        yield subject


BACKENDS: list[object] = [
    pytest.param(partial(household, "FloorPlan1"), id="household-kitchen"),
    pytest.param(partial(household, "home1"), id="household-home"),
    pytest.param(robot_over_ros, id="robot", marks=pytest.mark.ros),
]


@pytest.fixture(scope="module", params=BACKENDS)
def trial(request: pytest.FixtureRequest) -> Iterator[Trial]:
    """One backend, open for all checks."""
    bring_up: Callable[[], AbstractContextManager[Subject]] = request.param
    with bring_up() as subject:
        trial = Trial(subject)
        yield trial
        trial.close()


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_the_backend_conforms(trial: Trial, check: Check) -> None:
    result = run_check(check, trial)
    if result.verdict == "not applicable":
        pytest.skip(result.text)
    assert result.verdict == "pass", result.text


def test_every_skill_of_the_table_succeeds_in_some_check() -> None:
    assert {name for check in CHECKS for name in check.skills} == set(SKILLS)
