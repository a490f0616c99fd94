# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A robot in a home for tests: the simulated robot and perception as processes, and the backend that talks to them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import rclpy
from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor

from karma_interfaces.srv import GetSceneGraph, ResetScene
from sim_bridge.backend import BackendUnavailableError, SeenObject
from sim_bridge.conformance.subject import Feature, Subject
from sim_bridge.factory import BackendOptions, open_backend
from sim_bridge.robot import conformance
from sim_bridge.robot.ros_senses import node_from

PATIENCE = 60.0
OPTIONS = BackendOptions(backend="robot", scene="FloorPlan1")
VIEWPOINTS = ((1.0, -1.0, 0.0), (-1.0, -1.0, 0.0), (-1.0, 1.0, 0.0))
"""As a person would tell it where to look from: the flat butter knife shows from beside its counter alone."""
NODES = {
    "simulated_robot": (
        "sim_bridge.simulated_robot_node",
        *("scene:=FloorPlan1", "image_width:=320", "image_height:=240", "frame_rate:=5.0", "idle_rate:=6.0"),
    ),
    "perception": ("karma_perception.perception_node", "last_seen_period:=0.2", "publish_rate:=10.0"),
}


class Services:
    """Calls services of the processes."""

    def __init__(self, domain: int) -> None:
        self._context = Context()
        rclpy.init(context=self._context, args=[], domain_id=domain)
        self._node = rclpy.create_node("tester", context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._clients: dict[str, Any] = {}

    def call(self, kind: Any, name: str, request: Any) -> Any:
        if name not in self._clients:  # each is kept: Fast DDS drops an answer to one that the server does not know yet
            self._clients[name] = self._node.create_client(kind, name)
        client = self._clients[name]
        assert client.wait_for_service(PATIENCE), f"nobody offers {name}"
        for _ in range(3):
            future = client.call_async(request)
            self._executor.spin_until_future_complete(future, PATIENCE / 3)
            if future.done():
                return future.result()
        raise AssertionError(f"{name} did not answer")

    def truth(self) -> tuple[SeenObject, ...]:
        graph = self.call(GetSceneGraph, "sim/ground_truth", GetSceneGraph.Request()).graph
        return tuple(node_from(node).seen for node in graph.nodes)

    def close(self) -> None:
        self._executor.shutdown()
        self._node.destroy_node()
        rclpy.shutdown(context=self._context)


class ResettableRobot:
    """The robot's backend, with what only a simulator can do done by the simulated robot's services."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._backend = self._open()

    def _open(self) -> Any:
        backend: Any = open_backend(OPTIONS)
        backend.condition.wait_until_known(PATIENCE)  # how fast a busy machine finds its drivers is not what is tested
        return backend

    def __getattr__(self, name: str) -> Any:
        return getattr(self._backend, name)

    def reset(self, scene: str = "", seed: int | None = None) -> str:
        if scene not in ("", self._backend.scene):
            return str(self._backend.reset(scene, seed))
        answer = self._services.call(ResetScene, "sim/reset", ResetScene.Request(seed=-1 if seed is None else seed))
        if answer.result.code != 1:
            raise BackendUnavailableError(answer.result.message)
        anew = self._backend.interfaces.now()
        self._backend.close()  # what was in the gripper is not any more
        self._backend = self._open()
        self._see_since(anew)
        return str(answer.scene)

    def _see_since(self, stamp: float) -> None:
        """Wait until perception has seen the home as it is since then: what it told before is of the last trial."""
        perceived, until = self._backend.interfaces.perceived(), time.monotonic() + PATIENCE
        while perceived.stamp < stamp:
            assert time.monotonic() < until, "perception has not seen the home since it was put back to its start"
            perceived.wait(perceived.changes, PATIENCE)

    def ground_truth(self) -> tuple[SeenObject, ...]:
        return self._services.truth()


@contextmanager
def running(domain: int) -> Iterator[Services]:
    """Run the simulated robot and perception in a domain, which the environment must name, too.

    What they log goes to this process's own output: pytest shows it with the check that fails.
    """
    environment = {**os.environ, "ROS_DOMAIN_ID": str(domain), "PYTHONPATH": os.pathsep.join(sys.path)}
    processes = {}
    services = Services(domain)
    try:
        for name, (module, *parameters) in NODES.items():
            arguments = [part for parameter in parameters for part in ("-p", parameter)]
            processes[name] = subprocess.Popen(
                [sys.executable, "-m", module, "--ros-args", *arguments], env=environment
            )
        for transition, reached in (
            (Transition.TRANSITION_CONFIGURE, State.PRIMARY_STATE_INACTIVE),
            (Transition.TRANSITION_ACTIVATE, State.PRIMARY_STATE_ACTIVE),
        ):
            request = ChangeState.Request(transition=Transition(id=transition))
            if not services.call(ChangeState, "perception/change_state", request).success:  # an answer may be lost
                state = services.call(GetState, "perception/get_state", GetState.Request()).current_state.id
                assert state == reached
        yield services
    finally:
        for process in processes.values():
            process.terminate()
        for process in processes.values():
            process.wait(PATIENCE)
        services.close()


@contextmanager
def conforming() -> Iterator[Subject]:
    """Run a robot's processes in a domain of its own, and yield what it declares, with what a simulator adds."""
    domain = int(os.environ.get("KARMA_TEST_DOMAIN_ID", 101 - os.getpid() % 100))
    before = os.environ.get("ROS_DOMAIN_ID")
    os.environ["ROS_DOMAIN_ID"] = str(domain)
    try:
        with running(domain) as services:
            subject = conformance.subject(OPTIONS)
            there = conformance.at_hand(services.truth())
            simulated = (Feature.RESET, Feature.GROUND_TRUTH, "Explore")
            yield replace(
                subject,
                open=lambda: ResettableRobot(services),
                lacks={what: why for what, why in subject.lacks.items() if what not in simulated},
                known=lambda _: there,
                viewpoints=VIEWPOINTS,
            )
    finally:
        os.environ.pop("ROS_DOMAIN_ID")
        if before is not None:
            os.environ["ROS_DOMAIN_ID"] = before
