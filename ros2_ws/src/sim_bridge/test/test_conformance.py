# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Every backend against the same checks (`sim_bridge.conformance`).

To add one: write a context manager that brings up what the backend needs (a stand-in, servers), yields its
`Subject` and takes everything down again, or calls `pytest.skip` with the reason; put it into `BACKENDS`, with
marks where it has any:

    pytest.param(ai2thor_over_fifo, id="ai2thor-fifo", marks=pytest.mark.slow)

The declaration itself (what the backend lacks and why, its tolerances, its categories) belongs to the package: that of
the simulators is in `sim_bridge/simulation/conformance.py: subject(options) -> Subject`, a robot's in `robot/`, where
`./karma doctor --backend NAME --conformance` finds it; use `dataclasses.replace(subject, open=...)` for a stand-in.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pytest
from habitat_stand_in import write_interpreter

from sim_bridge.conformance.check import Check
from sim_bridge.conformance.subject import Subject
from sim_bridge.conformance.suite import CHECKS, run_check
from sim_bridge.conformance.trial import Trial
from sim_bridge.factory import BackendOptions
from sim_bridge.habitat.interpreter import PYTHON_VARIABLE
from sim_bridge.household.gl import RenderingUnavailableError
from sim_bridge.household.recorded import RecordingsMissingError
from sim_bridge.simulation.conformance import subject as subject_of
from sim_bridge.skills import SKILLS

pytestmark = pytest.mark.slow


@contextmanager
def household(scene: str) -> Iterator[Subject]:
    subject = subject_of(BackendOptions(scene=scene, image_width=320, image_height=240))
    try:
        subject.open().close()
    except (RecordingsMissingError, RenderingUnavailableError) as error:
        pytest.skip(str(error))
    yield subject


@contextmanager
def ai2thor(scene: str, server: str, agent: str = "default", width: int = 160) -> Iterator[Subject]:
    """The real client, and a stand-in for Unity."""
    pytest.importorskip("ai2thor.controller", reason="./karma test installs it")
    from unity_stand_in import EXECUTABLE

    options = BackendOptions("ai2thor", scene, image_width=width, image_height=width * 3 // 4)
    options = replace(options, ai2thor_executable=str(EXECUTABLE), ai2thor_server=server, ai2thor_agent=agent)
    yield subject_of(options)


@contextmanager
def habitat_stand_in(scene: str) -> Iterator[Subject]:
    if find_spec("open3d") is None:
        pytest.skip("the stand-in for habitat-sim needs Open3D, which is there for x86-64 only")
    with tempfile.TemporaryDirectory() as folder:
        python = write_interpreter(Path(folder))
        yield subject_of(_habitat(scene, 160, 120, str(python)))


@contextmanager
def habitat(scene: str) -> Iterator[Subject]:
    if not os.environ.get(PYTHON_VARIABLE):
        pytest.skip(f"{PYTHON_VARIABLE} names no interpreter that has habitat-sim")
    yield subject_of(_habitat(scene, 320, 240))


def _habitat(scene: str, width: int, height: int, python: str = "") -> BackendOptions:
    return BackendOptions("habitat", scene, image_width=width, image_height=height, habitat_python=python)


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
    pytest.param(partial(ai2thor, "FloorPlan1", "fifo", width=320), id="ai2thor-fifo"),
    pytest.param(partial(ai2thor, "FloorPlan10", "wsgi"), id="ai2thor-wsgi"),
    pytest.param(partial(ai2thor, "FloorPlan1", "fifo", "arm"), id="ai2thor-arm"),
    pytest.param(partial(habitat_stand_in, "FloorPlan1"), id="habitat-stand-in"),
    pytest.param(partial(habitat, "FloorPlan1"), id="habitat-kitchen", marks=pytest.mark.habitat),
    pytest.param(partial(habitat, "home1"), id="habitat-home", marks=pytest.mark.habitat),
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
