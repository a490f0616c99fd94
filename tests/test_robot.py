# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A robot by its interfaces: what its table lacks is refused before anything moves, and its home is searched again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")
pytest.importorskip("nav2_msgs", reason="./karma test builds what is used of it")

import yaml
from action_msgs.msg import GoalStatus, GoalStatusArray
from geometry_msgs.msg import Point
from home_graph import Home
from rclpy.qos import DurabilityPolicy, QoSProfile

from karma.graph import GraphArguments
from karma.supervision import running_graph
from karma_interfaces.action import ExecuteInstruction, ExecuteSkill
from karma_interfaces.msg import SkillCall
from karma_interfaces.srv import GetSceneGraph, ListSkills
from karma_ros.client import GraphClient
from karma_ros.result_codes import code_name
from sim_bridge.robot.table import find_table

pytestmark = pytest.mark.ros

LACKING = {"PickupObject", "PutObject", "Pick", "Place", "SliceObject"}


@pytest.fixture
def home(tmp_path: Path, free_domain: int) -> Iterator[Home]:
    table = yaml.safe_load(find_table("simulated").read_text(encoding="utf-8"))
    table["skills"] = {name: calls for name, calls in table["skills"].items() if name not in LACKING}
    table["server"] = 0.5
    (tmp_path / "handless.yaml").write_text(yaml.safe_dump(table), encoding="utf-8")
    home = Home(tmp_path, free_domain)
    try:
        home.start("memory_server")
        home.start("sim_bridge", "backend:=robot", "robot:={folder}/handless.yaml")
        home.start("planner")
        yield home
    finally:
        home.close()


def test_what_a_robot_has_no_skill_for_is_refused_at_planning_time(home: Home) -> None:
    skills = home.client.call(ListSkills, "list_skills", ListSkills.Request(), timeout=60.0).skills
    assert not LACKING & {skill.name for skill in skills}
    assert {"GoToObject", "OpenObject"} <= {skill.name for skill in skills}
    (explore,) = (skill for skill in skills if skill.name == "Explore")
    assert [p.name for p in explore.parameters if p.required] == ["positions"]
    for order in ("Slice the tomato.", "Put the apple in the bowl."):
        code, message, done = home.do(order)
        assert (code, done) == ("PLANNING_FAILURE", []), message
        assert "no skill of this robot can" in message


COMMAND = """
import sys, time
from dataclasses import replace
from pathlib import Path
from karma.environment import share_folder
from karma.graph import GraphArguments, describe_graph
from karma_ros import MANAGER
from karma.supervision import running_nodes
from karma.supervision.silence import Silence
log, domain = Path(sys.argv[1]), int(sys.argv[3])
nodes = {n.name: n for n in describe_graph(GraphArguments(backend="robot", robot=sys.argv[2]), share_folder())}
manager = replace(nodes[MANAGER], parameters={"node_names": ["sim_bridge"]})
with running_nodes([nodes["sim_bridge"], manager], namespace="", log_folder=log, domain_id=domain) as graph:
    graph.wait_active(120.0)
    print(graph._supervisor.pid, graph.pids["sim_bridge"], flush=True)
    with Silence(graph) as silence:
        while True:
            for news in silence.look():
                print(news, file=sys.stderr, flush=True)
            time.sleep(0.5)
"""
"""As ./karma up: a robot's bridge under supervision."""


@pytest.mark.parametrize("lost", ["command", "supervisor", "bridge"])
def test_a_robot_stops_when_what_supervises_its_bridge_is_killed_and_when_that_hangs(
    lost: str, tmp_path: Path, free_domain: int, eventually: Callable[..., bool]
) -> None:
    table = tmp_path / "mine.yaml"
    table.write_text(find_table("simulated").read_text(encoding="utf-8"), encoding="utf-8")
    environment = {**os.environ, "ROS_DOMAIN_ID": str(free_domain)}
    ros = [part for text in ("speed:=0.05", "publish_images:=false") for part in ("-p", text)]
    robot = subprocess.Popen(
        [sys.executable, "-m", "sim_bridge.simulated_robot_node", "--ros-args", *ros], env=environment
    )
    up = [sys.executable, "-c", COMMAND, str(tmp_path / "log"), str(table), str(free_domain)]
    command = subprocess.Popen(up, env=environment, stdout=subprocess.PIPE, text=True)
    goals: list[int] = []

    def hear(told: GoalStatusArray) -> None:
        goals[:] = [goal.status for goal in told.status_list]

    try:
        with GraphClient(name="karma_test", domain_id=free_domain) as client:
            latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
            client.node.create_subscription(GoalStatusArray, "navigate_to_pose/_action/status", hear, latched)
            assert command.stdout is not None
            supervisor, keeper = map(int, command.stdout.readline().split())
            call = SkillCall(skill="Navigate")
            call.target.has_position, call.target.position = True, Point(x=-1.0, y=1.0)  # 11 m
            action = client.action(ExecuteSkill, "execute_skill")
            assert eventually(action.server_is_ready)
            action.send_goal_async(ExecuteSkill.Goal(call=call))
            assert eventually(lambda: goals == [GoalStatus.STATUS_EXECUTING]), goals
            if lost == "bridge":
                (bridge,) = map(int, Path(f"/proc/{keeper}/task/{keeper}/children").read_text().split())
                os.kill(bridge, signal.SIGSTOP)
            else:
                os.kill(command.pid if lost == "command" else supervisor, signal.SIGKILL)
            assert eventually(lambda: goals == [GoalStatus.STATUS_CANCELED], 180.0), goals
            if lost != "bridge":  # ROS's own log: what a node prints goes to the supervisor, which is dead
                logs = tmp_path / "log" / "ros"
                assert eventually(lambda: any("stopped at 'driving" in log.read_text() for log in logs.iterdir()))
    finally:
        command.kill()
        command.wait()
        robot.terminate()
        robot.wait()


@pytest.mark.slow
def test_in_a_kitchen_that_was_seen_whole_a_thing_is_found_without_memory(tmp_path: Path) -> None:
    """No frontier is left then: the robot looks again where it has been."""
    arguments = GraphArguments(backend="robot", scene="FloorPlan1", database=str(tmp_path / "memory.sqlite3"))
    with running_graph(arguments, log_folder=tmp_path / "log") as running:
        running.wait_active(120.0)
        with GraphClient(name="karma_test", domain_id=running.domain_id) as client:
            for text in ("Explore the home.", "Bring me an apple."):
                goal = ExecuteInstruction.Goal(instruction=text, ignore_memory=True)
                done = client.run_action(
                    ExecuteInstruction, "execute_instruction", goal, timeout=300.0, connect_timeout=60.0
                )
                assert code_name(done.result) == "SUCCESS", done.result.message
                assert done.explore_steps >= 1
            truth = client.call(GetSceneGraph, "sim/ground_truth", GetSceneGraph.Request()).graph.nodes
            assert [node.category for node in truth if node.relation == "held"] == ["Apple"]
