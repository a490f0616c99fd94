# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What every skill of a robot works with: its table, its calls, where it is, and what perception has seen."""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Sequence

from sim_bridge.backend import Code, Point, Pose2D, Progress, RefusedError, SeenObject, Target
from sim_bridge.robot.approach import facing
from sim_bridge.robot.calling import POLL, Caller
from sim_bridge.robot.condition import RobotCondition
from sim_bridge.robot.perceived import Layer, Node, Perceived
from sim_bridge.robot.ports import Interfaces
from sim_bridge.robot.table import SETTLE, Drive, Table
from sim_bridge.robot.trail import Trail
from sim_bridge.simulation.body import Moving

_FASTER = 1.5, 0.1
"""Factor on the limit, and metres a second above it, at which a robot is too fast: measuring is not exact."""
_REFRESHED = 1.5
"""Seconds after which perception would have told of something in view: it tells of what it saw before now and then."""


class Body:
    """A robot while it runs one skill after the other."""

    def __init__(
        self, table: Table, interfaces: Interfaces, condition: RobotCondition, caller: Caller, *, dry_run: bool
    ) -> None:
        self.table = table
        self.interfaces = interfaces
        self.condition = condition
        self.caller = caller
        self.dry_run = dry_run
        self.held: SeenObject | None = None
        """What it has taken itself."""
        self.begin()

    def begin(self) -> None:
        """Begin to count for another skill."""
        self.caller.rehearsed.clear()
        self.caller.doubts.clear()
        self.began = time.monotonic()
        self.since = self.interfaces.now()
        """Stamp when the skill began."""
        self.steps = 0
        """Viewpoints looked around from."""
        self.distance = 0.0
        self._last: tuple[float, Pose2D] | None = None
        self._trail = Trail()

    @property
    def perceived(self) -> Perceived:
        """Perception's map."""
        return self.interfaces.perceived()

    @property
    def drive(self) -> Drive:
        """How it drives."""
        if self.table.drive is None:
            raise RefusedError(Code.PRECONDITION_FAILURE, f"{self.table.robot} does not drive")
        return self.table.drive

    @property
    def reach(self) -> float:
        """Metres from the middle of its base that the arm reaches; infinite where only the arm knows: it stays put."""
        return self.table.drive.reach if self.table.drive is not None else math.inf

    def pose(self) -> Pose2D:
        """Return where it is, and add up how far it went."""
        robot, now = self.condition.located().robot, time.monotonic()
        if self._last is not None:
            moved = math.dist((robot.x, robot.y), (self._last[1].x, self._last[1].y))
            if moved > 0.005:  # less is noise
                self.distance += moved
                self._last = now, robot
        else:
            self._last = now, robot
        self._trail.add(now, robot.x, robot.y)
        return robot

    def progress(self, step: str) -> Progress:
        """Report where it is."""
        return Progress(time.monotonic() - self.began, step, self.pose(), look=False)

    def too_fast(self) -> str:
        """Return how much too fast it is, empty where it is not."""
        speed = self._trail.speed
        factor, more = _FASTER
        if speed <= self.table.speed * factor + more:
            return ""
        return f"it drove {speed:.2f} m/s where the table allows {self.table.speed:.2f}: it was stopped"

    def go(self, goal: Pose2D, step: str, place: str = "") -> Moving:
        """Drive to a pose, or to a named place of the table. RefusedError where it does not get there."""
        drive = self.drive
        if not self.dry_run and (reason := self.condition.why_not_drive(place)):
            raise RefusedError(Code.UNAVAILABLE, reason)
        frame = {"frame_id": self.table.map_frame}
        half = goal.yaw / 2
        values = {
            "goal.x": goal.x,
            "goal.y": goal.y,
            "goal.yaw": goal.yaw,
            "goal.pose": {
                "header": frame,
                "pose": {
                    "position": {"x": goal.x, "y": goal.y, "z": goal.z},
                    "orientation": {"x": 0.0, "y": 0.0, "z": math.sin(half), "w": math.cos(half)},
                },
            },
            "limits.speed": self.table.speed,
        }

        def watch() -> str:
            return self.too_fast() or self.condition.why_not_drive(place)

        for call in (*drive.before, drive.navigate):
            self._trail.clear()
            yield from self.caller.make(call, values, lambda: self.progress(step), watch)
        if self.dry_run:
            return
        yield from self._be_told_since(time.monotonic(), step)
        robot = self.pose()
        off = math.dist((robot.x, robot.y), (goal.x, goal.y))
        if off > drive.tolerance:
            raise RefusedError(
                Code.EXECUTION_FAILURE,
                f"{drive.navigate} says that the robot has arrived, and it is {off:.2f} m away from its goal",
            )

    def _be_told_since(self, moment: float, step: str) -> Moving:
        """Wait until it is told where the robot is at a moment (monotonic clock) or later.

        What it was told on the way may come after the answer that it has arrived. RefusedError (UNAVAILABLE) where
        nothing is told for as long as the table lets a pose get old.
        """
        while self.condition.pose_age() > time.monotonic() - moment:
            time.sleep(POLL)
            yield self.progress(step)

    def look_at(self, point: Point, step: str) -> Moving:
        """Point the camera at something, where the robot can."""
        if self.table.look is None:
            return
        position = dict(zip("xyz", point, strict=True))
        values = {
            "point.position": position,
            "point.stamped": {"header": {"frame_id": self.table.map_frame}, "point": position},
            "limits.speed": self.table.speed,
        }
        yield from self.caller.make(self.table.look, values, lambda: self.progress(step))

    def turn_to(self, point: Sequence[float], step: str) -> Moving:
        """Turn the base to a point (x, y), where it is."""
        robot = self.pose()
        pose = facing(robot.x, robot.y, point, robot.z)
        if abs(math.remainder(pose.yaw - robot.yaw, math.tau)) > math.radians(15.0):
            yield from self.go(pose, step)

    def hold_still(self, step: str, duration: float) -> Moving:
        """Do nothing for some seconds."""
        until = time.monotonic() + duration
        while not self.dry_run and (left := until - time.monotonic()) > 0.0:
            time.sleep(min(left, POLL))
            yield self.progress(step)

    def settle(
        self, step: str, *, target: Target | None = None, every: bool = False
    ) -> Generator[Progress, None, Node | None]:
        """Wait until perception's map is newer than now; return the target if it is seen, as soon as it is.

        With a target until it would have been told of; with `every`, until every thing in view would. RefusedError
        (TIMEOUT) when perception is behind by more than `drive.settle` seconds: what is there is not known then; it is
        UNAVAILABLE where the camera shows nothing at all.
        """
        since, until = self.interfaces.now(), time.monotonic() + self._patience + _REFRESHED
        looked = since + (_REFRESHED if target is not None or every else 0.0)
        while not self.dry_run:
            changes = self.perceived.changes
            found = self.seen(target, since) if target is not None else None
            if (found is not None and not every) or self.perceived.stamp >= looked:
                return found
            if time.monotonic() >= until:
                camera = self.table.camera
                if camera is not None:
                    self.interfaces.picture(camera)
                raise RefusedError(Code.TIMEOUT, self._behind())
            self.perceived.wait(changes, POLL)
            yield self.progress(step)
        return None

    @property
    def _patience(self) -> float:
        """Seconds that perception may be behind."""
        return self.table.drive.settle if self.table.drive is not None else SETTLE

    def _behind(self) -> str:
        stamp = self.perceived.stamp
        late = f"it is {self.interfaces.now() - stamp:.0f} s behind" if stamp else "it has not told of anything yet"
        return (
            f"perception has not looked at what is in view now: {late}, and the table allows {self._patience:g} s "
            "(drive: settle). Is it running, does it get pictures, and is the machine fast enough for it?"
        )

    def seen(self, target: Target, since: float) -> Node | None:
        """Return the object that a target means if it has been seen since then (stamp)."""
        robot = self.pose()
        return self.perceived.find(target, (robot.x, robot.y), since)

    def known(self, target: Target) -> Node | None:
        """Return the object that a target means, whenever it was seen."""
        return self.seen(target, 0.0)

    def known_by_now(self, target: Target, step: str) -> Generator[Progress, None, Node | None]:
        """Return the object that a target means; None only where perception's map, as it is now, has none.

        RefusedError as `settle`.
        """
        node = self.known(target)
        if node is None:
            yield from self.settle(step)
            node = self.known(target)
        return node

    def look(self, step: str) -> Generator[Progress, None, list[Node]]:
        """Return the objects that are in view now, nearest first, when perception has told of all of them.

        RefusedError as `settle`.
        """
        since = self.interfaces.now()
        yield from self.settle(step, every=True)
        robot = self.pose()
        nodes = [node for node in self.perceived.layer(Layer.OBJECT) if node.last_seen >= since]
        return sorted(nodes, key=lambda node: math.dist(node.center[:2], (robot.x, robot.y)))

    def seen_so_far(self) -> tuple[SeenObject, ...]:
        """Return what has been seen since the skill began."""
        return tuple(node.seen for node in self.perceived.layer(Layer.OBJECT) if node.last_seen >= self.since)
