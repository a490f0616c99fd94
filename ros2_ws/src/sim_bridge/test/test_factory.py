# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Backends by name, parameters by table."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import fields

import pytest

from karma_ros.parameters import Effect
from sim_bridge.backend import BackendUnavailableError
from sim_bridge.factory import BackendOptions, open_backend
from sim_bridge.household.recorded import RecordingsMissingError, recording
from sim_bridge.parameters import PARAMETERS, backend_options
from sim_bridge.scenes import DEFAULT_SCENES
from sim_bridge.simulation.backend import SimulatedBackend


@pytest.fixture
def recordings() -> None:
    try:
        recording("FloorPlan1")
    except RecordingsMissingError as error:
        pytest.skip(str(error))


@pytest.mark.usefixtures("recordings")
def test_the_household_opens_without_pictures_and_people_can_move_things_in_it() -> None:
    backend = open_backend(BackendOptions(scene="FloorPlan1", pictures=False))
    assert backend.scene == "FloorPlan1"
    assert isinstance(backend, SimulatedBackend)
    backend.close()


def test_habitat_without_an_interpreter_says_what_to_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KARMA_HABITAT_PYTHON", raising=False)
    with pytest.raises(BackendUnavailableError, match="habitat_python"):
        open_backend(BackendOptions(backend="habitat", scene="FloorPlan1"))


def test_an_unknown_backend_is_told_the_known_ones() -> None:
    with pytest.raises(BackendUnavailableError, match="household, ai2thor, habitat, robot"):
        open_backend(BackendOptions(backend="matrix"))


@pytest.mark.usefixtures("recordings")
@pytest.mark.parametrize("bad", [{"scene": "FloorPlan999"}, {"actuation_failure": 2.0}, {"missed_instances": -1.0}])
def test_bad_options_are_refused(bad: dict[str, object]) -> None:
    options = BackendOptions(**{"scene": "FloorPlan1", "image_width": 32, "image_height": 24, **bad})  # type: ignore[arg-type]
    with pytest.raises((KeyError, ValueError)):
        open_backend(options)


def test_opening_without_pictures_loads_no_renderer() -> None:
    code = (
        "import sys\n"
        "from sim_bridge.factory import BackendOptions, open_backend\n"
        "try: open_backend(BackendOptions(scene='FloorPlan1', pictures=False))\n"
        "except Exception as error: assert 'recorded' in str(error), error\n"
        "print('mujoco' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_every_option_of_a_backend_is_a_parameter_with_the_same_default() -> None:
    assert backend_options({p.name: p.default for p in PARAMETERS}) == BackendOptions()
    others = {"namespace", "use_sim_time", "listen_only"}  # every node has the first two; the third is the doctor's
    assert len(fields(BackendOptions)) - len(others) == sum(p.effect is Effect.CONFIGURATION for p in PARAMETERS)
    assert backend_options({p.name: p.default for p in PARAMETERS}, "/robot2").namespace == "/robot2"


@pytest.mark.parametrize("parameter", PARAMETERS, ids=lambda p: p.name)
def test_every_parameter_is_described_and_its_default_in_range(parameter: object) -> None:
    low, high = parameter.low, parameter.high  # type: ignore[attr-defined]
    assert parameter.description.endswith(".")  # type: ignore[attr-defined]
    if low is not None:
        assert low <= parameter.default <= high  # type: ignore[attr-defined]


def test_a_backend_opens_its_own_scene_where_none_is_named() -> None:
    backend = open_backend(BackendOptions(pictures=False))
    assert backend.scene == DEFAULT_SCENES["household"]
    backend.close()
