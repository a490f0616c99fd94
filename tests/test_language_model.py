# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The demo's instructions to a real robot graph with a real language model, which is far too small to understand them.

What it gets wrong is repaired or refused, in words for a person; nothing unsafe or unasked is done, nothing hangs, and
the rules do the same work afterwards. Perception is left out, and the simulator renders nothing: it is about words.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")

from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters

from karma.client import GraphClient
from karma.demo.script import SCRIPT, Instruct
from karma.result_codes import code_name
from karma_interfaces.action import ExecuteInstruction

pytestmark = [pytest.mark.ros, pytest.mark.slow]

PATIENCE_S = 120.0
NODES = {
    "memory_server": ("karma_memory.memory_node", ["embedder:=lexical"]),
    "sim_bridge": ("sim_bridge.bridge_node", ["scene:=FloorPlan1", "publish_images:=false"]),
    "planner": ("planner_node.planner_node", ["llm_window:=1000", "llm_answer:=40", "llm_repairs:=1"]),
}
"""Node → module and parameters. A short window and answer, for a slow machine."""
INSTRUCTIONS = [step.text for step in SCRIPT if isinstance(step, Instruct)]
UNSAFE = {"ThrowObject", "Throw", "BreakObject", "Break"}
ENDED = {"SUCCESS", "NOT_UNDERSTOOD", "AMBIGUOUS", "NOT_FOUND", "PRECONDITION_FAILURE", "PLANNING_FAILURE", "REFUSED"}
"""Codes with which an instruction may end whatever a model says; the others are defects or time-outs."""


class Robot:
    """A memory server, a simulator and a planner, and a client of theirs."""

    def __init__(self, folder: Path, domain: int) -> None:
        self._folder = folder
        self._environment = {**os.environ, "ROS_DOMAIN_ID": str(domain), "ROS_LOG_DIR": str(folder / "log")}
        self._processes: list[subprocess.Popen[bytes]] = []
        self.client = GraphClient(name="karma_test", domain_id=domain)

    def start(self, name: str, *more: str) -> None:
        module, parameters = NODES[name]
        file = ["database:=" + str(self._folder / "memory.sqlite3")] if name == "memory_server" else []
        ros = [part for text in (*parameters, *file, *more) for part in ("-p", text)]
        with (self._folder / f"{name}.output").open("ab") as output:
            command = [sys.executable, "-m", module, "--ros-args", *ros]
            self._processes.append(
                subprocess.Popen(command, env=self._environment, stdout=output, stderr=subprocess.STDOUT)
            )

    def bring(self, name: str, *transitions: int) -> None:
        for transition in transitions:
            request = ChangeState.Request(transition=Transition(id=transition))
            assert self.client.call(ChangeState, f"{name}/change_state", request, timeout=PATIENCE_S).success

    def use(self, model: str) -> None:
        """Let the planner understand with another model, or the rules."""
        self.bring("planner", Transition.TRANSITION_DEACTIVATE, Transition.TRANSITION_CLEANUP)
        value = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=model)
        request = SetParameters.Request(parameters=[Parameter(name="llm", value=value)])
        assert self.client.call(SetParameters, "planner/set_parameters", request).results[0].successful
        self.bring("planner", Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_ACTIVATE)

    def do(self, text: str, steps: list[str] | None = None) -> Any:
        """Have an instruction carried out; `steps` gets what is shown of its progress."""
        return self.client.run_action(
            ExecuteInstruction,
            "execute_instruction",
            ExecuteInstruction.Goal(instruction=text),
            on_feedback=lambda feedback: None if steps is None else steps.append(feedback.step),
            timeout=PATIENCE_S,
            connect_timeout=PATIENCE_S,
        )

    def close(self) -> None:
        for process in self._processes:
            process.send_signal(signal.SIGINT)
        for process in self._processes:
            process.wait(PATIENCE_S)
        self.client.close()


@pytest.fixture
def robot(ollama_daemon: Any, tmp_path: Path, free_domain: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[Robot]:
    monkeypatch.setenv("ROS_DOMAIN_ID", str(free_domain))
    robot = Robot(tmp_path, free_domain)
    try:
        robot.start("memory_server")
        robot.start("sim_bridge")
        robot.start("planner", f"llm:={ollama_daemon.model}", f"ollama_host:={ollama_daemon.host}")
        for name in NODES:
            robot.bring(name, Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_ACTIVATE)
        yield robot
    finally:
        robot.close()


def test_every_instruction_of_the_demo_ends_with_a_reason_and_nothing_unasked_is_done(robot: Robot) -> None:
    steps: list[str] = []
    for text in INSTRUCTIONS:
        result = robot.do(text, steps)
        code = code_name(result.result)
        assert code in ENDED, (text, result.result)
        assert code == "SUCCESS" or len(result.result.message) > 20, (text, result.result)
        assert not {outcome.call.skill for outcome in result.skills} & UNSAFE
        assert bool(result.goals) or not result.skills, "without goals nothing is done"
    assert any(step.startswith("ask smollm2") for step in steps)
    robot.use("offline")
    result = robot.do("Bring me an apple.")
    assert code_name(result.result) == "SUCCESS", result.result
