# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Starting the process that runs Habitat, and what is said when that is not possible or it goes wrong."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
from habitat_stand_in import write_interpreter

from sim_bridge.backend import BackendUnavailableError
from sim_bridge.habitat import client
from sim_bridge.habitat.child.karma_habitat_worker import wire
from sim_bridge.habitat.client import HabitatClient, WorkerError
from sim_bridge.habitat.episodes import scene_alone
from sim_bridge.habitat.interpreter import PYTHON_VARIABLE, explained, find_python, worker_environment


@pytest.fixture
def python(tmp_path: Path) -> str:
    return str(write_interpreter(tmp_path))


def test_without_an_interpreter_it_is_said_what_to_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PYTHON_VARIABLE, raising=False)
    with pytest.raises(BackendUnavailableError, match=rf"habitat_python or in {PYTHON_VARIABLE}"):
        find_python()
    monkeypatch.setenv(PYTHON_VARIABLE, "/nowhere/python")
    with pytest.raises(BackendUnavailableError, match="'/nowhere/python' is no program"):
        find_python()
    assert find_python(sys.executable) == sys.executable


def test_an_interpreter_may_be_named_from_here(python: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_python(f"./{Path(python).name}") == python, "the worker has a working folder of its own"


def test_the_worker_says_what_it_runs_on(python: str, tmp_path: Path) -> None:
    worker = HabitatClient(python, tmp_path)
    assert worker.versions["habitat_sim"] == "0.3.3"
    assert worker.versions["habitat_lab"].startswith("0.3.3"), "the stand-in's, or the real one's where it is installed"
    began = time.monotonic()
    worker.close()
    worker.close()
    assert time.monotonic() - began < 5, "it goes by itself"
    with pytest.raises(WorkerError, match="closed"):
        worker.objects()


@pytest.mark.parametrize("missing", ["habitat_sim", "magnum", "habitat"])
def test_an_interpreter_without_habitat_is_told(tmp_path: Path, missing: str) -> None:
    (tmp_path / missing).mkdir()
    (tmp_path / missing / "__init__.py").write_text(f"raise ModuleNotFoundError('No module', name='{missing}')")
    python = str(write_interpreter(tmp_path, f'export PYTHONPATH="{tmp_path}:$PYTHONPATH"'))
    with pytest.raises(BackendUnavailableError, match=rf"can't import {missing}.*docs/habitat\.md"):
        HabitatClient(python, tmp_path)


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        ("ValueError('mutable default <class X> for field y is not allowed')", "Python 3.9 or 3.10 only"),
        ("ImportError('numpy.core.multiarray failed to import')", "another numpy"),
        ("ImportError('libEGL.so.1: cannot open shared object file')", "libegl1"),
    ],
)
def test_what_fails_while_habitat_is_imported_is_explained(tmp_path: Path, raised: str, said: str) -> None:
    (tmp_path / "habitat").mkdir()
    (tmp_path / "habitat" / "__init__.py").write_text(f"raise {raised}")
    python = str(write_interpreter(tmp_path, f'export PYTHONPATH="{tmp_path}:$PYTHONPATH"'))
    with pytest.raises(BackendUnavailableError, match=f"(?s){said}.*Traceback"):
        HabitatClient(python, tmp_path)


def test_a_crash_says_where_it_was(tmp_path: Path) -> None:
    (tmp_path / "habitat").mkdir()
    (tmp_path / "habitat" / "__init__.py").write_text("import os\n\n\ndef crash():\n    os.abort()\n\n\ncrash()")
    python = str(write_interpreter(tmp_path, f'export PYTHONPATH="{tmp_path}:$PYTHONPATH"'))
    with pytest.raises(BackendUnavailableError, match=r"(?s)status -6.*in crash"):
        HabitatClient(python, tmp_path)


def test_an_empty_scene_is_drawn_and_what_drew_it_is_told(python: str, tmp_path: Path) -> None:
    worker = HabitatClient(python, tmp_path)
    try:
        assert worker.probe() == "rays by Open3D"
    finally:
        worker.close()


@pytest.mark.parametrize(
    ("program", "said"),
    [("exit 3", r"could not run the worker.*status 3"), ("echo no such luck; exit 1", r"no such luck")],
)
def test_what_is_no_python_is_told_with_its_last_words(tmp_path: Path, program: str, said: str) -> None:
    with pytest.raises(BackendUnavailableError, match=f"(?s){said}"):
        HabitatClient(str(write_interpreter(tmp_path, program)), tmp_path)


def test_another_version_of_the_protocol_is_refused(
    python: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "VERSION", wire.VERSION + 1)
    with pytest.raises(BackendUnavailableError, match="two versions of KARMA"):
        HabitatClient(python, tmp_path)


def test_what_habitat_refuses_is_told_and_the_worker_goes_on(python: str, tmp_path: Path) -> None:
    worker = HabitatClient(python, tmp_path)
    try:
        for _ in range(2):
            with pytest.raises(WorkerError, match="no scene is loaded"):
                worker.render()
        with pytest.raises(WorkerError, match=r"could not load: .*No such file"):
            worker.load(
                episode=scene_alone("x", tmp_path / "none.json"),
                spot=tmp_path / "none.urdf",
                agent_radius=0.1,
                view={"camera": "head", "width": 8, "height": 8, "hfov": 90, "seed": 0},
            )
    finally:
        worker.close()


def test_a_worker_that_dies_is_told_at_once(python: str, tmp_path: Path) -> None:
    worker = HabitatClient(python, tmp_path)
    worker._process.kill()
    worker._process.wait()
    with pytest.raises(WorkerError, match=r"ended at objects \(status -9\)"):
        worker.objects()
    worker.close()


def test_a_worker_that_hangs_is_given_up(python: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_END_TIMEOUT", 0.2)
    worker = HabitatClient(python, tmp_path)
    worker._process.send_signal(19)
    with pytest.raises(WorkerError, match=r"did not objects within 0 s|did not .* within"):
        worker._call("objects", timeout=0.2)
    worker.close()
    assert worker._process.returncode == -9


def test_our_packages_and_libraries_are_kept_from_it() -> None:
    ours = {
        "PATH": "/bin",
        "PYTHONPATH": "/karma",
        "VIRTUAL_ENV": "/karma",
        "AMENT_PREFIX_PATH": "/karma",
        "_ROS_WHEELS_BOOTSTRAP_COMPLETE": "1",
        "LD_LIBRARY_PATH": f"{sys.prefix}/lib:/opt/driver",
        "CUDA_VISIBLE_DEVICES": "0",
    }
    theirs = worker_environment(ours)
    assert theirs["PATH"] == "/bin"
    assert theirs["CUDA_VISIBLE_DEVICES"] == "0"
    assert theirs["LD_LIBRARY_PATH"] == "/opt/driver"
    assert theirs["PYTHONPATH"] == str(Path(client.__file__).parent / "child")
    assert not {"VIRTUAL_ENV", "AMENT_PREFIX_PATH", "_ROS_WHEELS_BOOTSTRAP_COMPLETE"} & set(theirs)


def test_what_habitat_says_of_a_missing_display_is_explained() -> None:
    said = explained("Platform::WindowlessEglApplication: unable to find EGL device for CUDA device 0")
    assert "libegl1" in said
    assert said.endswith("CUDA device 0")
    assert explained("something else") == "something else"
