# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The planner's neighbours as small processes: `python fake_graph.py bridge|memory|both [MODE] --ros-args -r ...`.

Bridge modes: "" answers at once; "slow": every skill takes a minute, with feedback; "deaf": as slow, and does not heed
cancel requests; "garbage": answers nonsense; "drowsy": accepts a goal after six seconds only; "mute": as slow,
without feedback, and `list_skills` answers no more from the first one on. Every skill that is stopped is told on the
topic `stopped`. Memory modes: "" answers at once; "slow": takes half a second for what it is told; "garbage".
"""

from __future__ import annotations

import os
import sys
import time
from typing import Any

import rclpy
from geometry_msgs.msg import Point, Pose
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String

from karma_interfaces.action import ExecuteSkill
from karma_interfaces.msg import MemoryEvent, Recollection, Result, SceneNode, SkillOutcome, SkillParameter, SkillSpec
from karma_interfaces.srv import Ask, GetSceneGraph, ListSkills, Recall, Remember

# Kept for a test that begins to listen later.
TOLD_QOS = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)

OBJECTS = {"Apple1": ("Apple", 1.0), "DiningTable1": ("DiningTable", 3.0)}
SKILLS = {
    "Explore": ("", ""),
    "GoToObject": ("located(target)", "reachable(target)"),
    "PickupObject": ("reachable(target); handempty()", "holding(target); not handempty()"),
    "PutObject": ("holding(?); reachable(receptacle)", "handempty(); not holding(?); on(?, receptacle)"),
    "OpenObject": ("reachable(target); closed(target)", "not closed(target)"),
    "CloseObject": ("reachable(target); not closed(target)", "closed(target)"),
    "Navigate": ("", ""),
}
# What each needs and does, literals separated by semicolons.


def node(name: str) -> SceneNode:
    category, x = OBJECTS[name]
    pose = Pose(position=Point(x=x, y=0.0, z=1.0))
    return SceneNode(id=name, layer=SceneNode.OBJECT, category=category, pose=pose, movable=category == "Apple")


class Bridge(Node):
    """Has skills that do nothing but say that they worked."""

    def __init__(self, mode: str) -> None:
        super().__init__("fake_bridge")
        self._mode = mode
        self._begun = False
        self._stopped = self.create_publisher(String, "stopped", TOLD_QOS)
        group = ReentrantCallbackGroup()
        self.create_service(ListSkills, "list_skills", self._list, callback_group=group)
        self._server = ActionServer(
            self,
            ExecuteSkill,
            "execute_skill",
            self._execute,
            goal_callback=self._goal,
            cancel_callback=lambda _: CancelResponse.REJECT if mode == "deaf" else CancelResponse.ACCEPT,
            callback_group=group,
        )

    def _goal(self, goal: Any) -> GoalResponse:
        time.sleep(6.0 if self._mode == "drowsy" else 0.0)
        return GoalResponse.ACCEPT

    def _list(self, request: Any, response: Any) -> Any:
        if self._mode == "mute" and self._begun:
            time.sleep(60.0)
        response.result = Result(code=Result.SUCCESS)
        name = "receptacle" if self._mode != "garbage" else "no such field"
        for skill, (needs, effects) in SKILLS.items():
            wanted = [SkillParameter(name=name, type="?", required=True)] if skill == "PutObject" else []
            if "target" in needs:
                wanted.append(SkillParameter(name="target", type="object", required=True))
            literals = {
                "preconditions": needs.split("; ") if needs else [],
                "effects": effects.split("; ") if effects else [],
            }
            response.skills.append(SkillSpec(name=skill, parameters=wanted, **literals))
        return response

    def _execute(self, handle: Any) -> Any:
        self._begun = True
        call = handle.request.call
        outcome = SkillOutcome(call=call, result=Result(code=Result.SUCCESS), duration=1.0)
        if self._mode in ("slow", "deaf", "drowsy", "mute"):
            for _ in range(600):
                if self._mode != "mute":
                    handle.publish_feedback(ExecuteSkill.Feedback(step=f"at {call.skill}"))
                time.sleep(0.1)
                if handle.is_cancel_requested:
                    self._stopped.publish(String(data=call.skill))
                    outcome.result = Result(code=Result.CANCELED, message="stopped")
                    handle.canceled()
                    return ExecuteSkill.Result(outcome=outcome)
        if self._mode == "garbage":
            outcome.result = Result(code=999, message="\x00" * 10)
            outcome.seen = [SceneNode(id="", layer=77, pose=Pose(position=Point(x=float("nan"))))] * 3
        elif call.skill == "Explore":
            outcome.seen, outcome.explore_steps = [node(name) for name in OBJECTS], 3
        handle.succeed()
        return ExecuteSkill.Result(outcome=outcome)


class Memory(Node):
    """Remembers where the apple and the table are, and counts what it is told."""

    def __init__(self, mode: str) -> None:
        super().__init__("fake_memory")
        self._mode = mode
        self.create_service(Recall, "memory/recall", self._recall)
        self.create_service(Ask, "memory/ask", self._ask)
        self.create_service(Remember, "memory/remember", self._remember)
        self.create_service(GetSceneGraph, "memory/get_scene_graph", self._graph)
        self._told = self.create_publisher(MemoryEvent, "told", TOLD_QOS)
        self._known: set[str] = set()

    def _recall(self, request: Any, response: Any) -> Any:
        if self._mode == "garbage":
            response.result = Result(code=999)
            return response
        response.result = Result(code=Result.SUCCESS)
        response.recollections = [
            Recollection(kind="short_term", id="st/Apple1", text="an apple", object=[node("Apple1")])
        ]
        return response

    def _ask(self, request: Any, response: Any) -> Any:
        response.result = Result(code=999 if self._mode == "garbage" else Result.SUCCESS)
        return response

    def _remember(self, request: Any, response: Any) -> Any:
        time.sleep(0.5 if self._mode == "slow" else 0.0)
        response.result = Result(code=Result.SUCCESS)
        response.ids = [event.id for event in request.events]
        for event in request.events:
            if event.id not in self._known:  # the planner sends again what it has no answer to
                self._known.add(event.id)
                self._told.publish(event)
        return response

    def _graph(self, request: Any, response: Any) -> Any:
        response.result = Result(code=Result.SUCCESS)
        response.graph.scene = "fake"
        response.graph.nodes = [node("DiningTable1")]
        return response


def main() -> None:
    kind, *modes = [argument for argument in sys.argv[1:3] if not argument.startswith("--")]
    rclpy.init()
    made = {"bridge": (Bridge,), "memory": (Memory,), "both": (Bridge, Memory)}[kind]
    fakes = [fake(modes[0] if modes else "") for fake in made]
    executor = MultiThreadedExecutor(num_threads=16)  # a request that is not answered holds one
    for fake in fakes:
        executor.add_node(fake)
    try:
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        for fake in fakes:
            fake.destroy_node()
        rclpy.try_shutdown()
        os._exit(0)  # a skill may go on for a minute


if __name__ == "__main__":
    main()
