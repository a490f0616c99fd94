# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The memory, the simulator's bridge and the planner as processes of a test, and a client of theirs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from std_srvs.srv import Trigger

from karma_interfaces.action import ExecuteInstruction
from karma_interfaces.srv import Ask, GetSceneGraph
from karma_ros.client import GraphClient
from karma_ros.result_codes import code_name

PATIENCE_S = 90.0
NODES = {
    "memory_server": ("karma_memory.memory_node", "database:={folder}/memory.sqlite3", "embedder:=lexical"),
    "sim_bridge": (
        "sim_bridge.bridge_node",
        *("backend:=household", "scene:={scene}", "image_width:=64", "image_height:=48", "idle_rate:=0.0"),
    ),
    "planner": ("planner_node.planner_node", "llm:=offline", "question_timeout:=0.0"),
}


_ENDS = {
    Transition.TRANSITION_CONFIGURE: State.PRIMARY_STATE_INACTIVE,
    Transition.TRANSITION_ACTIVATE: State.PRIMARY_STATE_ACTIVE,
    Transition.TRANSITION_DEACTIVATE: State.PRIMARY_STATE_INACTIVE,
    Transition.TRANSITION_CLEANUP: State.PRIMARY_STATE_UNCONFIGURED,
}
"""Transition → the state that it ends in."""


class Home:
    """The processes, and a client of theirs."""

    def __init__(self, folder: Path, domain: int, scene: str = "FloorPlan1") -> None:
        self.folder = folder
        self._scene = scene
        self._environment = {**os.environ, "ROS_DOMAIN_ID": str(domain), "ROS_LOG_DIR": str(folder / "log")}
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._started: set[str] = set()
        self.client = GraphClient(name="karma_test", domain_id=domain)
        self._orders = ThreadPoolExecutor(4)

    def start(self, name: str, *more: str, configured: bool = True) -> None:
        module, *parameters = NODES[name]
        ros = [
            part for text in (*parameters, *more) for part in ("-p", text.format(folder=self.folder, scene=self._scene))
        ]
        with (self.folder / f"{name}.output").open("ab") as output:
            self._processes[name] = subprocess.Popen(
                [sys.executable, "-m", module, "--ros-args", *ros],
                env=self._environment,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        # A process discovers readers in the order in which they were made: when it answers the second, it knows the
        # first, and drops no answer to it. Until then, one that was killed may be asked in its place.
        self.client.service(ChangeState, f"{name}/change_state")
        self.client.call(GetState, f"{name}/get_state", GetState.Request(), timeout=PATIENCE_S, repeat=1.0)
        assert self._change(name, Transition.TRANSITION_CONFIGURE) is configured
        if configured:
            assert self._change(name, Transition.TRANSITION_ACTIVATE)
        if configured and name == "memory_server":  # it reads what reads English with the first question
            self.client.call(Ask, "memory/ask", Ask.Request(question="What time is it?"), timeout=PATIENCE_S)
        if configured and name in self._started and {"memory_server", "planner"} <= self._processes.keys():
            self._wait_for_memory()
        self._started.add(name)

    def _wait_for_memory(self) -> None:
        """Return when the planner has found the memory again, of which one was restarted."""
        until = time.monotonic() + PATIENCE_S
        while self.do("What time is it?", dry_run=True)[0] == "UNAVAILABLE":
            assert time.monotonic() < until, "the planner has not found the memory"

    def _change(self, name: str, transition: int) -> bool:
        """Return whether a node has changed its state, be it by a request of which the answer was lost."""
        request = ChangeState.Request(transition=Transition(id=transition))
        if self.client.call(ChangeState, f"{name}/change_state", request, timeout=PATIENCE_S, repeat=60).success:
            return True
        state = self.client.call(GetState, f"{name}/get_state", GetState.Request(), timeout=PATIENCE_S).current_state.id
        return bool(state == _ENDS[transition])

    def reconfigure(self, name: str, **values: str | float) -> None:
        """Let a node begin anew with other values of some of its parameters."""
        for transition in (Transition.TRANSITION_DEACTIVATE, Transition.TRANSITION_CLEANUP):
            assert self._change(name, transition)
        self.set(name, **values)
        for transition in (Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_ACTIVATE):
            assert self._change(name, transition)

    def set(self, name: str, **values: str | float) -> None:
        """Give parameters of a node other values."""
        request = SetParameters.Request(parameters=[_parameter(key, value) for key, value in values.items()])
        response = self.client.call(SetParameters, f"{name}/set_parameters", request, timeout=PATIENCE_S)
        assert all(result.successful for result in response.results), response.results

    def stop(self, name: str, number: int = signal.SIGINT) -> None:
        self._processes[name].send_signal(number)
        self._processes.pop(name).wait(PATIENCE_S)

    def close(self) -> None:
        for name in reversed(list(self._processes)):
            self.stop(name)
        self._orders.shutdown(wait=False, cancel_futures=True)
        self.client.close()

    def order(self, text: str, feedback: list[Any] | None = None, **more: Any) -> Future[Any]:
        return self._orders.submit(
            self.client.run_action,
            ExecuteInstruction,
            "execute_instruction",
            ExecuteInstruction.Goal(instruction=text, **more),
            on_feedback=(feedback if feedback is not None else []).append,
            timeout=PATIENCE_S,
            connect_timeout=PATIENCE_S,
        )

    def do(self, text: str, **more: Any) -> tuple[str, str, list[str]]:
        result = self.order(text, **more).result(PATIENCE_S)
        return code_name(result.result), result.result.message, [done.call.skill for done in result.skills]

    def trigger(self, name: str) -> str:
        response = self.client.call(Trigger, name, Trigger.Request(), timeout=PATIENCE_S)
        assert response.success
        return str(response.message)

    def truth(self, category: str) -> Any:
        return next(node for node in self.truths() if node.category == category)

    def truths(self) -> Any:
        """Return everything as it is in the simulator, as karma_interfaces/SceneNode."""
        request = GetSceneGraph.Request()
        return self.client.call(GetSceneGraph, "sim/ground_truth", request, timeout=PATIENCE_S).graph.nodes


def _parameter(name: str, value: str | float) -> Parameter:
    if isinstance(value, str):
        made = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=value)
    elif isinstance(value, int):
        made = ParameterValue(type=ParameterType.PARAMETER_INTEGER, integer_value=value)
    else:
        made = ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=value)
    return Parameter(name=name, value=made)
