# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A start that does not work: every way says what to do, none waits for long, none leaves a process behind."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from sim_bridge.ai2thor import launching
from sim_bridge.ai2thor.launching import drawing_platform, end, is_alive, launch, why_not_started
from sim_bridge.backend import BackendUnavailableError
from sim_bridge.factory import BackendOptions

pytest.importorskip("ai2thor.controller", reason="./karma test installs it")

from unity_stand_in import EXECUTABLE

STAND_IN = BackendOptions("ai2thor", ai2thor_executable=str(EXECUTABLE), pictures=False)


@pytest.fixture
def program(tmp_path: Path):
    """Make a program of a few lines of Python."""

    def make(*lines: str) -> str:
        file = tmp_path / "build"
        file.write_text("\n".join((f"#!{sys.executable}", "import os, sys, time", *lines)))
        file.chmod(0o755)
        return str(file)

    return make


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("DISPLAY", raising=False)


@pytest.mark.parametrize(
    ("name", "value"), [("ai2thor_platform", "Windows"), ("ai2thor_server", "smoke"), ("ai2thor_agent", "drone")]
)
def test_an_option_that_there_is_not_is_refused_with_those_that_there_are(name: str, value: str) -> None:
    with pytest.raises(ValueError, match=f"{name} is .*: choose one of"):
        launch(replace(STAND_IN, **{name: value}), "FloorPlan1")


def test_a_build_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BackendUnavailableError, match="there is no /nowhere"):
        launch(BackendOptions(ai2thor_executable="/nowhere/thor"), "FloorPlan1")
    with pytest.raises(BackendUnavailableError, match="name the executable of the unpacked build"):
        launch(BackendOptions(ai2thor_executable=str(tmp_path)), "FloorPlan1")


def test_a_file_that_is_no_program(tmp_path: Path) -> None:
    (tmp_path / "build").write_text("no program")
    with pytest.raises(BackendUnavailableError, match="chmod"):
        launch(BackendOptions(ai2thor_executable=str(tmp_path / "build")), "FloorPlan1")


@pytest.fixture
def no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sim_bridge.ai2thor.launching._has_display", lambda: False)
    monkeypatch.setattr("ctypes.util.find_library", lambda name: None)


@pytest.mark.usefixtures("no_display")
@pytest.mark.parametrize("platform", ["auto", "Linux64"])
def test_no_display(platform: str) -> None:
    with pytest.raises(BackendUnavailableError, match=r"there is none: .*libvulkan1.*ai2thor-xorg"):
        launch(BackendOptions(ai2thor_platform=platform), "FloorPlan1")


@pytest.mark.usefixtures("no_display")
def test_without_a_display_vulkan_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    assert drawing_platform("auto", local=True) == "auto"
    assert drawing_platform("CloudRendering", local=False) == "CloudRendering"
    monkeypatch.setattr("ctypes.util.find_library", lambda name: "libvulkan.so.1")
    assert drawing_platform("auto", local=False) == "CloudRendering"


def test_no_build_and_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*arguments: object, **options: object) -> None:
        raise ConnectionError("no network")

    monkeypatch.setattr("ai2thor.build.requests.head", unreachable)
    with pytest.raises(BackendUnavailableError, match=r"could not be downloaded: .*ai2thor_executable"):
        launch(BackendOptions(ai2thor_platform="CloudRendering"), "FloorPlan1")


@pytest.mark.parametrize("server", ["fifo", "wsgi"])
@pytest.mark.parametrize(
    "lines",
    [("sys.exit(3)",), ("p = os.environ.get('AI2THOR_FIFO_SERVER_PIPE_PATH')", "p and open(p, 'wb')", "sys.exit(3)")],
)
def test_a_build_that_ends_at_once_is_noticed_at_once(program, lines: tuple[str, ...], server: str) -> None:
    began = time.monotonic()
    with pytest.raises(BackendUnavailableError, match=r"ended before it could be used \(it ended with status 3\)"):
        launch(BackendOptions(ai2thor_executable=program(*lines), ai2thor_server=server), "FloorPlan1")
    assert time.monotonic() - began < 30


def test_a_build_that_says_nothing_is_given_up_and_killed(
    program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launching, "START_TIMEOUT", 2.0)
    path = program(
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))",
        "open(os.environ['AI2THOR_FIFO_SERVER_PIPE_PATH'], 'wb')",
        "time.sleep(600)",
    )
    with pytest.raises(BackendUnavailableError, match="did not answer within 2 s"):
        launch(BackendOptions(ai2thor_executable=path), "FloorPlan1")
    assert not Path("/proc", (tmp_path / "pid").read_text()).exists()


def test_a_script_that_no_interpreter_runs(tmp_path: Path) -> None:
    file = tmp_path / "build"
    file.write_text("#!/nowhere/interpreter\n")
    file.chmod(0o755)
    with pytest.raises(BackendUnavailableError, match="could not be run"):
        launch(BackendOptions(ai2thor_executable=str(file)), "FloorPlan1")


def test_a_build_without_the_scene_names_those_that_are_close() -> None:
    with pytest.raises(KeyError, match=r"did you mean FloorPlan1"):
        launch(STAND_IN, "FloorPlan1000")


@pytest.mark.parametrize("server", ["fifo", "wsgi"])
def test_a_client_that_is_ended_leaves_nothing(server: str, tmp_path: Path) -> None:
    spaced = tmp_path / "a build"  # the client splits its command line at spaces
    spaced.symlink_to(EXECUTABLE)
    controller = launch(replace(STAND_IN, ai2thor_server=server, ai2thor_executable=str(spaced)), "FloorPlan1")
    process = controller.server.unity_proc
    assert is_alive(controller)
    end(controller)
    assert process.poll() is not None
    assert not is_alive(controller)
    end(controller)  # harmless


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("The following builds were found, but had missing dependencies. Platform Linux64 failed", "can't draw here"),
        ("vulkaninfo failed to run, please ask your administrator to install", "vulkan-tools"),
        ("Confirm that Vulkan is properly configured on this system", "Vulkan driver"),
        ("HTTPSConnectionPool(host='s3', port=443): Max retries exceeded", "could not be downloaded"),
        ("something else", "RuntimeError: something else"),
    ],
)
def test_what_the_client_says_is_translated(said: str, told: str) -> None:
    assert told in why_not_started(RuntimeError(said), "")
