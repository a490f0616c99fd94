# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A physical robot behind the bridge's protocol."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from sim_bridge.backend import (
    BackendUnavailableError,
    Code,
    Located,
    Observation,
    Outcome,
    Progress,
    RefusedError,
    SeenObject,
    Skill,
)
from sim_bridge.robot import handling, looking
from sim_bridge.robot.body import Body
from sim_bridge.robot.calling import Caller
from sim_bridge.robot.condition import RobotCondition
from sim_bridge.robot.perceived import Perceived
from sim_bridge.robot.ports import Interfaces
from sim_bridge.robot.table import Table
from sim_bridge.simulation.body import Running
from sim_bridge.skills import SkillError, SkillSpec, validate

_LOOK_AGAIN = 0.05
"""Seconds."""
_SKILLS: dict[str, Callable[[Body, Skill], Running]] = {
    "Explore": looking.explore,
    "GoToObject": looking.go_to_object,
    "Navigate": looking.navigate,
    "FindObject": looking.find_object,
    "FindReceptacle": looking.find_receptacle,
    "FindRoom": looking.find_room,
    "DescribeObject": looking.describe,
    "PutObject": handling.put,
    "ThrowObject": handling.throw,
    "Pick": handling.pick,
    "Place": handling.place,
    "Wait": handling.wait,
}
"""What runs which skill; all others are handling."""


class RobotBackend:
    """A robot and its skills, by its table. See `sim_bridge.backend.Backend`."""

    def __init__(
        self,
        table: Table,
        interfaces: Interfaces,
        *,
        scene: str,
        tell: Callable[[str], None],
        dry_run: bool = False,
    ) -> None:
        """`scene`: name of the place. `tell` is given what an operator should know. `dry_run`: make no calls."""
        self.table = table
        self.interfaces = interfaces
        self.condition = RobotCondition(table, interfaces)
        self._scene = scene
        self._dry_run = dry_run
        self._closed = False
        caller = Caller(table, interfaces, self.condition, tell=tell, dry_run=dry_run)
        self._body = Body(table, interfaces, self.condition, caller, dry_run=dry_run)

    def bring_to_rest(self) -> None:
        """Have cancelled and stopped what a bridge that died, or somebody else, began; not in a dry run."""
        if not self._dry_run:
            self._body.caller.bring_to_rest()

    def wait_until_known(self) -> None:
        """Wait, as long as the table gives servers, until the robot has told where and in what state it is."""
        self.condition.wait_until_known(self.table.server)

    def map_by_now(self) -> Perceived:
        """Return perception's map, waiting for it, as long as the table gives servers, where it has told nothing."""
        perceived, until = self.interfaces.perceived(), time.monotonic() + self.table.server
        while not perceived.stamp and time.monotonic() < until:
            time.sleep(_LOOK_AGAIN)
        return perceived

    @property
    def scene(self) -> str:
        """Name of the place."""
        return self._scene

    @property
    def skills(self) -> Mapping[str, SkillSpec]:
        """The rows of the skill table that the robot has."""
        return self.table.specs

    def reset(self, scene: str = "", seed: int | None = None) -> str:
        """Nobody can put a home back as it was: BackendUnavailableError, and KeyError for another home."""
        if scene not in ("", self._scene):
            raise KeyError(f"the robot is in {self._scene}, and can't be put into {scene!r}")
        raise BackendUnavailableError("a real home can't be reset: only simulators begin a scene anew")

    def locate(self) -> Located:
        """Return where the robot and its camera are. RefusedError (UNAVAILABLE) when that is not known."""
        return self.condition.located()

    def observe(self) -> Observation:
        """Return the camera's newest picture with its depth. RefusedError (UNAVAILABLE) when none comes."""
        if self._closed:
            raise RuntimeError("this robot's backend is closed: open another one")
        camera = self.table.camera
        if camera is None:
            raise RefusedError(Code.UNAVAILABLE, "the robot's table names no camera: add one")
        seen = self.interfaces.picture(camera)
        located = self.locate()
        held = self._body.held
        return replace(
            seen, robot=located.robot, camera_pose=located.camera_pose, held=held.id if held is not None else ""
        )

    def run(self, skill: Skill) -> Iterator[Progress | Outcome]:
        """Run a skill step by step; see `Backend.run`."""
        self._body.begin()
        try:
            self._check(skill)
            outcome = yield from _SKILLS.get(skill.name, handling.handle)(self._body, skill)
        except SkillError as error:
            outcome = Outcome(Code.INVALID_ARGUMENT, str(error))
        except RefusedError as error:
            outcome = Outcome(error.code, error.message, self._seen(skill), self._body.steps)
        if self._dry_run and outcome.code is Code.SUCCESS:
            would = "; then ".join(self._body.caller.rehearsed) or "nothing"
            outcome = Outcome(Code.UNAVAILABLE, f"dry run, nothing was moved: {skill.name} would call {would}")
        yield self._complete(outcome)

    def so_far(self) -> Outcome:
        """Return what the skill that was stopped did until then; see `Backend.so_far`."""
        doubts = "; ".join(self._body.caller.doubts)
        code = Code.TIMEOUT if doubts else Code.CANCELED
        return self._complete(Outcome(code, doubts, self._body.seen_so_far(), self._body.steps))

    def ground_truth(self) -> tuple[SeenObject, ...]:
        """Nobody knows how a real home really is: RefusedError (UNAVAILABLE)."""
        raise RefusedError(Code.UNAVAILABLE, "only simulators know how everything really is")

    def close(self) -> None:
        """Let go of the robot's interfaces."""
        if not self._closed:
            self._closed = True
            self.interfaces.close()

    def _check(self, skill: Skill) -> None:
        """Raise SkillError for a call that the robot can't carry out, whatever the world is like."""
        validate(skill)
        if skill.name not in self.skills:
            raise SkillError(f"{self.table.robot} has no {skill.name}: it has {', '.join(self.skills)}")
        if skill.name == "Explore" and not skill.positions:
            raise SkillError("Explore needs positions: this robot knows no free space by itself")

    def _seen(self, skill: Skill) -> tuple[SeenObject, ...]:
        """Return what a skill that failed has seen, where that is what it is for."""
        return self._body.seen_so_far() if skill.name in ("Explore", "GoToObject") else ()

    def _complete(self, outcome: Outcome) -> Outcome:
        return replace(outcome, duration=time.monotonic() - self._body.began, distance=self._body.distance)
