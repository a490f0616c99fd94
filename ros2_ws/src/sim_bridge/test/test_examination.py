# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What `./karma doctor --backend NAME` finds."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from types import ModuleType

import pytest

from sim_bridge import examination
from sim_bridge.backend import BackendUnavailableError
from sim_bridge.conformance.check import Result
from sim_bridge.conformance.suite import CHECKS
from sim_bridge.examination import examine, subject_of
from sim_bridge.factory import BackendOptions
from sim_bridge.findings import Finding
from sim_bridge.household import doctor
from sim_bridge.household.gl import RenderingUnavailableError
from sim_bridge.household.recorded import RecordingsMissingError

HOUSEHOLD = BackendOptions(scene="", pictures=False)


@pytest.fixture
def no_recordings(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: str) -> None:
        raise RecordingsMissingError("install procthor")

    monkeypatch.setattr(doctor, "recording", missing)


def test_a_scene_is_opened_and_the_camera_read() -> None:
    found = list(examine(BackendOptions(scene="", image_width=64, image_height=48)))
    if any(f.verdict == "missing" for f in found):
        pytest.skip(found[-1].text)
    assert [f.subject for f in found] == ["recorded rooms", "rendering", "scene", "camera"]
    assert {f.verdict for f in found} == {"works"}
    assert "64 x 48" in found[-1].text


@pytest.mark.usefixtures("no_recordings")
def test_nothing_is_opened_where_something_essential_is_missing() -> None:
    assert list(examine(HOUSEHOLD)) == [Finding("recorded rooms", "missing", "install procthor", essential=True)]


def test_a_renderer_that_is_not_there_is_told_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> ModuleType:
        raise RenderingUnavailableError("install libegl1")

    monkeypatch.setattr(doctor, "import_mujoco", missing)
    found = list(doctor.checks(BackendOptions()))
    assert found[-1] == Finding("rendering", "missing", "install libegl1", essential=True)


def test_a_backend_that_does_not_open_is_told_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def unavailable(_: BackendOptions) -> None:
        raise BackendUnavailableError("the licence has expired: renew it")

    monkeypatch.setattr(examination, "open_backend", unavailable)
    last = list(examine(HOUSEHOLD))[-1]
    assert (last.subject, last.verdict, last.text) == ("scene", "missing", "the licence has expired: renew it")


def test_a_backend_without_pictures_has_no_camera() -> None:
    found = list(examine(HOUSEHOLD))
    if found[0].verdict == "missing":
        pytest.skip(found[0].text)
    assert [(f.subject, f.verdict) for f in found[1:]] == [("scene", "works"), ("camera", "broken")]


def test_a_time_that_nobody_tells_is_said_before_anything_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "checks", lambda _: [])
    monkeypatch.setattr(examination, "find_spec", lambda name: None if name == "rclpy" else find_spec(name))
    found = list(examine(replace(HOUSEHOLD, use_sim_time=True)))
    assert [(f.subject, f.verdict, f.essential) for f in found] == [("/clock", "missing", True)]
    assert "./karma setup" in found[0].text


@pytest.mark.parametrize("name", ["gazebo", "household.doctor", "../household"])
def test_a_backend_that_there_is_not_is_told(name: str) -> None:
    (found,) = examine(BackendOptions(backend=name))
    assert (found.verdict, found.essential) == ("missing", True)
    assert subject_of(BackendOptions(backend=name)) is None


def test_the_conformance_suite_is_told_check_by_check() -> None:
    found = list(examine(HOUSEHOLD, conformance=True))
    if found[0].verdict == "missing":
        pytest.skip(found[0].text)
    told = {f.subject: f for f in found}
    assert len(found) == 3 + len(CHECKS)
    assert told["unknown skill"].verdict == "works"
    assert told["stamps"].text == "no PICTURES: it was opened without pictures"
    assert not any(f.essential and f.verdict != "works" for f in found)


def test_a_check_that_fails_is_essential(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examination, "run_checks", lambda _: iter([Result("stamps", "fail", "expected seconds")]))
    last = list(examine(HOUSEHOLD, conformance=True))[-1]
    assert (last.subject, last.verdict, last.text, last.essential) == ("stamps", "broken", "expected seconds", True)
