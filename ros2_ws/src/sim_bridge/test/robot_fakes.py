# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A robot without ROS: what its interfaces would tell, and what they were told."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy as np

from sim_bridge.backend import Code, Pose2D, RefusedError, SeenObject
from sim_bridge.robot.calls import Call
from sim_bridge.robot.perceived import Layer, Node, Perceived
from sim_bridge.robot.ports import Answer, Ending, Heard, Said
from sim_bridge.robot.table import Table

FASTER = 20.0
"""The clock of the stamps, so that nobody has to wait for perception for long."""
DRIVE = {
    "navigate": {
        "action": "navigate_to_pose",
        "type": "nav2_msgs/action/NavigateToPose",
        "request": {"pose": "$goal.pose"},
        "timeout": 0.6,
    },
    "settle": 0.3,
}
GRIPPER = {
    "action": "gripper",
    "type": "control_msgs/action/GripperCommand",
    "request": {"command": {"position": 0.0}},
    "reading": {"success": [{"field": "stalled", "equals": True}]},
}
TABLE: dict[str, Any] = {
    "robot": "fake",
    "pose": {"base": {"topic": "odom", "type": "nav_msgs/msg/Odometry", "field": "pose.pose"}},
    "drive": DRIVE,
    "server": 0.2,
    "cancel": 0.2,
    "speed": 20.0,
    "skills": {
        "Explore": [],
        "GoToObject": [],
        "Navigate": [],
        "FindObject": [],
        "Wait": [],
        "PickupObject": [GRIPPER],
        "PutObject": [{"service": "release", "type": "std_srvs/srv/Trigger"}],
        "OpenObject": [{"service": "open", "type": "std_srvs/srv/SetBool", "request": {"data": True}}],
    },
}


def table(**changes: Any) -> Table:
    return Table.model_validate({**TABLE, **changes})


def answer(ending: Ending = Ending.DONE, **fields: Any) -> Answer:
    return Answer(ending, fields.get)


class FakePending:
    """Answers when it is told to."""

    def __init__(self, interfaces: FakeInterfaces, call: Call, reply: Answer | None) -> None:
        self._interfaces = interfaces
        self._call = call
        self._reply = reply

    def poll(self, wait: float) -> Answer | None:
        if self._reply is None:
            time.sleep(min(wait, 0.01))
        return self._reply

    @property
    def alive(self) -> bool:
        return self._interfaces.alive

    @property
    def silence(self) -> float:
        return self._interfaces.silence

    @property
    def accepted(self) -> bool:
        return self._interfaces.accepts

    def cancel(self, wait: float) -> bool:
        self._interfaces.cancelled.append(self._call.name)
        return self._interfaces.obeys


class FakeInterfaces:
    """Drives at once where it is sent, and answers what it is told to."""

    def __init__(self) -> None:
        self.at = Pose2D(0.0, 0.0, 0.0)
        self.topics: dict[str, Any] = {}
        self.sent: list[tuple[str, Mapping[str, Any]]] = []
        self.cancelled: list[str] = []
        self.left: dict[str, int | None] = {}
        """Action → goals that it still carries out; None where it does not say."""
        self.answers: dict[str, Callable[[Mapping[str, Any]], Answer | None]] = {"navigate_to_pose": self.drive}
        self.missing: set[str] = set()
        self.alive, self.obeys, self.accepts, self.silence = True, True, True, 0.0
        self.odometry_age = 0.0
        self.ages: dict[str, float] = {}
        """Topic → seconds since its last message."""
        self.stamps: dict[str, float] = {}
        """Topic → stamp of its last message's header, by `now`."""
        self.underway: dict[str, float] = {}
        """Topic → seconds from the stamp of its last message until it came."""
        self.silent: dict[str, str] = {}
        """Topic → why nothing can be heard on it."""
        self.publishers: dict[str, list[Said]] = {}
        """Topic → what each publisher said; where it is not named here, one says what is in `topics`."""
        self.map = Perceived()
        self.looks: Callable[[], None] = lambda: None
        """Called where time passes: perception sees."""
        self._sequence = 0

    def drive(self, request: Mapping[str, Any]) -> Answer:
        pose = request["pose"]["pose"]
        yaw = 2 * math.atan2(pose["orientation"]["z"], pose["orientation"]["w"])
        self.at = Pose2D(pose["position"]["x"], pose["position"]["y"], yaw)
        return answer()

    def see(self, *objects: SeenObject, layer: Layer = Layer.OBJECT, parent: str = "") -> None:
        """Have perception tell of objects that it sees now."""
        nodes = [Node(o, layer, o.id, parent, (), self.now()) for o in objects]
        self._tell(self.now(), nodes)

    def tell_late(self, behind: float) -> None:
        """Have perception tell, without an object, what the camera showed some seconds ago."""
        self._tell(self.now() - behind, [])

    def _tell(self, stamp: float, nodes: list[Node]) -> None:
        self._sequence += 1
        self.map.apply(stamp=stamp, sequence=self._sequence, full=False, nodes=nodes, removed=())

    def ready(self, call: Call) -> bool:
        return call.name not in self.missing

    def begin(self, call: Call, request: Mapping[str, Any]) -> FakePending:
        self.sent.append((call.name, request))
        reply = self.answers.get(call.name, lambda _: answer(success=True))
        return FakePending(self, call, reply(request))

    def cancel_all(self, call: Call) -> Callable[[float], int | None]:
        assert self.ready(call)
        self.cancelled.append(call.name)
        return lambda wait: self.left.get(call.name, 0)

    def latest(self, topic: str, field: str) -> Heard | None:
        self.looks()
        if topic == "odom":
            half = self.at.yaw / 2
            pose = SimpleNamespace(
                position=SimpleNamespace(x=self.at.x, y=self.at.y, z=0.0),
                orientation=SimpleNamespace(x=0.0, y=0.0, z=math.sin(half), w=math.cos(half)),
            )
            return Heard(pose, self.odometry_age, None, self.underway.get(topic))
        if topic not in self.topics:
            return None
        return Heard(self.topics[topic], self.ages.get(topic, 0.0), self.stamps.get(topic), self.underway.get(topic))

    def said(self, topic: str, field: str) -> list[Said]:
        if topic in self.publishers:
            return self.publishers[topic]
        heard = self.latest(topic, field)
        return [Said("", heard)] if heard is not None and not self.silent.get(topic) else []

    def why_silent(self, topic: str) -> str:
        return self.silent.get(topic, "")

    def transform(self, parent: str, child: str) -> tuple[Any, tuple[Heard, ...]] | None:
        return np.eye(4), (Heard(child, 0.0),)

    def perceived(self) -> Perceived:
        return self.map

    def now(self) -> float:
        return FASTER * time.time()

    def picture(self, camera: Any) -> NoReturn:
        raise RefusedError(Code.UNAVAILABLE, f"no picture came on {camera.color}")

    def close(self) -> None:
        pass


APPLE = SeenObject("Apple|1", "Apple", (2.0, 0.0, 0.9), (0.1, 0.1, 0.1), movable=True)
TABLE_TOP = SeenObject("DiningTable|1", "DiningTable", (2.3, 0.0, 0.4), (0.9, 2.0, 0.8), movable=False)
