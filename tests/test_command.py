# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The script ./karma from outside: a graph that is started, used and ended like a person would."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")

from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from up_command import END_S, KARMA, START_S, Up

from karma_ros.client import GraphClient

pytestmark = [pytest.mark.ros, pytest.mark.slow]

Eventually = Callable[..., bool]


@pytest.fixture
def up(tmp_path: Path, free_domain: int, eventually: Eventually) -> Iterator[Up]:
    running = Up(tmp_path, free_domain)
    yield running
    with contextlib.suppress(ProcessLookupError):
        running.process.kill()
    running.process.wait()
    assert eventually(lambda: running.left_over() == {}), running.left_over()


def test_a_graph_that_died_says_why_to_who_waits_for_it(tmp_path: Path, eventually: Eventually) -> None:
    dead = Up(tmp_path, 0, ["sh", "-c", "echo the scene is broken"])
    with pytest.raises(AssertionError, match="the scene is broken"):
        eventually(dead.ready)
    assert dead.interrupt() == 0


def test_do_against_up_works_and_ctrl_c_leaves_no_process(up: Up, eventually: Eventually, tmp_path: Path) -> None:
    assert eventually(up.ready, START_S), up.log.read_text()
    file = tmp_path / "do.json"
    command = [KARMA, "do", "put the potato in the microwave and turn it on", "--json", str(file)]
    done = subprocess.run(command, env=up.environment, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr + up.log.read_text()
    assert json.loads(file.read_text())["success"] is True

    wrong = subprocess.run(
        [KARMA, "do", "put the moon in the fridge"],
        env=up.environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert wrong.returncode == 1
    assert "moon" in wrong.stderr

    (tmp_path / "plan.txt").write_text("# my plan\nFetchObject('Apple')\n")
    unknown = subprocess.run(
        [KARMA, "do", "--plan", str(tmp_path / "plan.txt")],
        env=up.environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert unknown.returncode == 1
    assert "line 2: there is no skill 'FetchObject'" in unknown.stderr
    assert "./karma skills" in unknown.stderr

    slow_down(int(up.environment["ROS_DOMAIN_ID"]))
    said = tmp_path / "explore.log"
    with said.open("wb") as log:
        exploring = subprocess.Popen(
            [KARMA, "do", "explore the home"], env=up.environment, stderr=log, start_new_session=True
        )
    assert eventually(lambda: "look around" in said.read_text(), END_S), said.read_text()
    exploring.terminate()
    assert exploring.wait(END_S) == 143
    assert "terminated" in said.read_text()
    assert eventually(lambda: "'explore the home': CANCELED" in up.log_of("planner")), up.log_of("planner")

    second = subprocess.run(
        [KARMA, "up"], env=up.environment, capture_output=True, text=True, timeout=END_S, check=False
    )
    assert second.returncode == 1
    assert "already running in domain" in second.stderr

    up.process.send_signal(signal.SIGINT)
    assert up.process.wait(END_S) == 130
    assert up.left_over() == {}


def slow_down(domain: int) -> None:
    """Have the robot show a view a second on its way: exploring takes longer than it takes to stop it."""
    value = ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=1.0)
    request = SetParameters.Request(parameters=[Parameter(name="frame_rate", value=value)])
    with GraphClient(name="karma_test", domain_id=domain) as client:
        assert client.call(SetParameters, "sim_bridge/set_parameters", request).results[0].successful


@pytest.mark.parametrize(
    ("after", "number", "status"), [(0.3, signal.SIGINT, 130), (1.0, signal.SIGTERM, 143), (2.5, signal.SIGINT, 130)]
)
def test_signal_during_the_start_leaves_no_process(up: Up, after: float, number: int, status: int) -> None:
    time.sleep(after)
    up.process.send_signal(number)
    ended = up.process.wait(END_S)
    # On a busy machine it comes before the command runs; then it is the system that ends the process.
    assert ended == status or (ended == -number and not up.printed("starting")), up.log.read_text()
    assert up.left_over() == {}


def test_what_a_node_refuses_ends_the_start_with_what_it_says_of_it(free_domain: int, tmp_path: Path) -> None:
    obstacles = tmp_path / "obstacles.yaml"
    obstacles.write_text("- nonsense\n")
    environment = os.environ | {"ROS_DOMAIN_ID": str(free_domain)}
    command = [KARMA, "up", "--scene", "FloorPlan1", "--obstacles", obstacles, "--database", tmp_path / "m.sqlite3"]
    wrong = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=END_S, check=False)
    assert wrong.returncode == 1
    assert "sim_bridge: " in wrong.stderr
    assert "obstacles.yaml has to hold one list, `obstacles`" in wrong.stderr


def test_a_mistyped_scene_ends_the_command_before_anything_is_made(tmp_path: Path) -> None:
    environment = os.environ | {"HOME": str(tmp_path)}
    wrong = subprocess.run([KARMA, "up", "--scene", "nowhere"], env=environment, capture_output=True, text=True)
    assert wrong.returncode == 2
    assert "no scene 'nowhere'" in wrong.stderr
    assert list(tmp_path.rglob("*.sqlite3*")) == []


def test_killing_the_command_ends_every_process(up: Up, eventually: Eventually) -> None:
    assert eventually(up.ready, START_S), up.log.read_text()
    assert len(up.left_over()) >= 6
    up.process.kill()
    assert eventually(lambda: up.left_over() == {}), up.left_over()


def test_killing_the_supervisor_ends_the_command_with_an_error(up: Up, eventually: Eventually) -> None:
    assert eventually(up.ready, START_S), up.log.read_text()
    (supervisor,) = [pid for pid, command in up.left_over().items() if "supervisord" in command]
    os.kill(supervisor, signal.SIGKILL)
    assert up.process.wait(END_S) == 1
    assert up.printed("supervisor of the graph has ended"), up.log.read_text()
    assert eventually(lambda: up.left_over() == {}), up.left_over()


def test_files_of_the_folder_in_which_it_is_called_are_not_run(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("raise SystemExit('code of a stranger')")
    done = subprocess.run(
        [Path(__file__).parents[1] / "karma", "skills"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "stranger" in done.stderr) == (0, False), done.stderr
