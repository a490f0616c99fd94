# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The household simulator in this process as the planner's robot (see planner_node.skills.Robot)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from karma_eval.household.skills import skill_table
from planner_node.skills import Code, Node, Outcome, Point, SkillCall, SkillTable, Target
from sim_bridge import backend as sim
from sim_bridge.household.backend import HouseholdBackend

LOOKING = "looking around"
"""What the simulator says while the robot turns to look around."""


@dataclass(frozen=True)
class Look:
    """Where the robot looked around from, metres, and how far it had driven until then."""

    position: Point
    driven: float


class HouseholdRobot:
    """Carries out skills in a simulated home.

    What the planner gets is what the bridge would report over ROS, stamped with the robot's clock.
    """

    def __init__(self, backend: HouseholdBackend, *, began: float = 0.0) -> None:
        """`began`: seconds on the robot's clock when the simulation began, so that the past of a memory stays past."""
        self.backend = backend
        self.began = began
        self.watch: Callable[[Outcome], None] = lambda outcome: None
        """Called after every skill."""
        self.looks: list[Look] = []
        """Those of the last skill, in their order."""

    @property
    def clock(self) -> float:
        """The robot's time, seconds."""
        return self.began + self.backend.robot.clock

    def skills(self) -> SkillTable:
        """Return the simulator's skill table."""
        return skill_table()

    def execute(self, call: SkillCall, on_feedback: Callable[[str], None], cancelled: Callable[[], bool]) -> Outcome:
        """Run one skill; see planner_node.skills.Robot."""
        skill = sim.Skill(
            call.skill, _target(call.target), _target(call.receptacle), call.relation, call.positions, call.duration
        )
        self.looks = []
        running = self.backend.run(skill)
        for item in running:
            if isinstance(item, sim.Outcome):
                return self._ended(call, item)
            if item.step.startswith(LOOKING):
                self.looks.append(Look(self._position, self.backend.robot.odometer))
            on_feedback(item.step)
            if cancelled():
                running.close()  # type: ignore[attr-defined]  # an iterator that is a generator
                return self._ended(call, self.backend.so_far())
        raise RuntimeError(f"the simulator ended {call.skill} without an outcome")

    @property
    def _position(self) -> Point:
        pose = self.backend.robot.pose
        return (pose.x, pose.y, pose.z)

    def _ended(self, call: SkillCall, ended: sim.Outcome) -> Outcome:
        outcome = Outcome(
            call,
            Code(int(ended.code)),
            ended.message,
            tuple(as_node(seen, self.clock) for seen in ended.seen),
            ended.explore_steps,
            ended.duration,
            ended.distance,
            self.clock,
            self._position,
        )
        self.watch(outcome)
        return outcome


def as_node(seen: sim.SeenObject, stamp: float) -> Node:
    """Return an object that a skill has shown, as a node of the scene graph."""
    return Node(
        seen.id,
        seen.category,
        position=seen.center,
        size=seen.size,
        movable=seen.movable,
        receptacle=seen.receptacle,
        relation=seen.relation,
        states=dict(seen.states),
        last_seen=stamp,
    )


def _target(target: Target) -> sim.Target:
    return sim.Target(target.id, target.category, target.position)
