# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""AI2-THOR's agent: what it does, how it moves, and the time that this takes a robot."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim_bridge.ai2thor.coordinates import camera_pose, to_map, to_rotation, to_yaw
from sim_bridge.ai2thor.failures import is_blocked, is_turn_hindered, refusal
from sim_bridge.ai2thor.launching import GRID, is_alive
from sim_bridge.ai2thor.navigation import Grid
from sim_bridge.ai2thor.rooms import Room, room_at
from sim_bridge.ai2thor.things import Thing, ground_of, things_in
from sim_bridge.backend import Code, Point, Pose2D, RefusedError, Target
from sim_bridge.simulation.body import Body, Moving
from sim_bridge.simulation.motion import turns
from sim_bridge.simulation.senses import Senses

TRAVEL_HORIZON = 15.0
"""Degrees by which the camera looks down while driving and looking around."""

_HORIZONS = -30.0, 60.0
"""Degrees that AI2-THOR's agent can look up and down."""

_TURN_STEP = math.radians(45.0)
_STILL = 0.2
"""Degrees of a turn that are not worth it."""

_OVERLOOKED = 1.5
"""Metres from a viewpoint within which all reachable positions are overlooked."""

_DETOURS = 4
"""Times that another way is looked for when something stands in the way."""

_AGAIN = "reset the scene to start it again; its log is ~/.ai2thor/log/unity.log"


class BlockedError(Exception):
    """Something stands in the robot's way; `what` AI2-THOR says."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


class Agent(Body):
    """The agent of a scene that is loaded; every motion is a generator of `Progress` that can be left at any step."""

    rooms: tuple[Room, ...]

    def __init__(
        self,
        controller: Any,
        rooms: tuple[Room, ...],
        *,
        senses: Senses,
        fails: Callable[[], bool],
        half_width: float,
        arm: bool = False,
    ) -> None:
        """`arm`: the agent is ManipulaTHOR's."""
        super().__init__(rooms, senses, fails, half_width)
        self._controller = controller
        self.arm = arm
        self._read: tuple[Any, dict[str, Thing]] = (None, {})
        self.ground = ground_of(self.event.metadata["objects"])
        """Height of the floor, AI2-THOR's metres."""
        self.survey()

    # What AI2-THOR does and knows

    @property
    def event(self) -> Any:
        """The last event."""
        return self._controller.last_event

    def act(self, action: str, **arguments: Any) -> Any:
        """Have AI2-THOR do something and return what it returns; RefusedError, with its reason, when it doesn't."""
        metadata = self._step(action, **arguments)
        if not metadata["lastActionSuccess"]:
            raise refusal(action, metadata["errorMessage"], str(arguments.get("objectId", "")))
        return metadata["actionReturn"]

    def _step(self, action: str, **arguments: Any) -> Any:
        if not is_alive(self._controller):
            raise RefusedError(Code.UNAVAILABLE, f"AI2-THOR has ended: {_AGAIN}")
        try:
            return self._controller.step(action=action, **arguments).metadata
        except ValueError as error:  # the client's answer to an action or an argument that the build does not know
            message = f"this build of AI2-THOR can't do {action}: {error}: use one of version 5"
            raise RefusedError(Code.UNAVAILABLE, message) from error
        except (RuntimeError, TimeoutError, OSError) as error:
            said = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise RefusedError(Code.UNAVAILABLE, f"AI2-THOR broke down ({said}): {_AGAIN}") from error

    @property
    def things(self) -> dict[str, Thing]:
        """Every object, by id."""
        event = self.event
        if self._read[0] is not event:
            arm = event.metadata.get("arm") or {}
            self._read = event, things_in(event.metadata["objects"], self.ground, arm.get("heldObjects") or ())
        return self._read[1]

    def thing(self, name: str) -> Thing:
        """Return an object; RefusedError when it is gone."""
        if name not in self.things:
            raise RefusedError(Code.NOT_FOUND, f"{name} is gone")
        return self.things[name]

    @property
    def held(self) -> Thing | None:
        """What is in the gripper; of a plate with things on it, the plate."""
        held = [t for t in self.things.values() if t.held]
        grasped = {o["objectId"] for o in self.event.metadata["inventoryObjects"] or ()}
        return next((t for t in held if t.id in grasped), held[0] if held else None)

    @property
    def holding(self) -> Target:
        """Id and category of what is in the gripper; both empty where that is empty."""
        held = self.held
        return Target(held.id, held.category) if held else Target()

    def carries(self, name: str) -> bool:
        """Whether an object is in the gripper, or on or in what is."""
        held = self.held
        return held is not None and (name == held.id or (name in self.things and held.id in self.things[name].holders))

    # Where it is

    @property
    def pose(self) -> Pose2D:
        """Pose of the base."""
        agent = self.event.metadata["agent"]
        x, y, _ = to_map(agent["position"], self.ground)
        return Pose2D(x, y, to_yaw(agent["rotation"]["y"]))

    @property
    def eye(self) -> Point:
        """Where the camera is."""
        return to_map(self.event.metadata["cameraPosition"], self.ground)

    @property
    def hand(self) -> Point:
        """Where the middle of ManipulaTHOR's hand is."""
        return to_map(self.event.metadata["arm"]["handSphereCenter"], self.ground)

    @property
    def camera_pose(self) -> NDArray[np.float64]:
        """(4, 4) transform from camera_optical_frame to map."""
        return camera_pose(self.eye, self.pose.yaw, self.event.metadata["agent"]["cameraHorizon"])

    @property
    def horizon(self) -> float:
        """Degrees by which the camera looks down, to a tenth."""
        return round(float(self.event.metadata["agent"]["cameraHorizon"]), 1)

    @property
    def cell(self) -> int:
        """The reachable position that it is at."""
        pose = self.pose
        return self.grid.nearest(pose.x, pose.y)

    @property
    def points(self) -> NDArray[np.float64]:
        """(cells, 2): x, y of each cell in metres."""
        return self.grid.points

    @property
    def cell_rooms(self) -> Sequence[str]:
        """The room of each cell."""
        return [room_at(self.rooms, (x, y)).name for x, y in self.points.tolist()]

    @property
    def room(self) -> Room:
        """The room that it is in."""
        pose = self.pose
        return room_at(self.rooms, (pose.x, pose.y))

    def survey(self) -> None:
        """Learn which positions can be reached as things are now."""
        positions = self.act("GetReachablePositions") or [self.event.metadata["agent"]["position"]]
        self.grid = Grid((to_map(p, self.ground) for p in positions), GRID)
        self._height = float(positions[0]["y"])

    # How it moves

    def pass_time(self, seconds: float) -> None:
        """Let time pass, AI2-THOR's too."""
        self.act("Pass")
        self.clock += seconds

    def viewpoints(self, positions: Sequence[Point]) -> Sequence[int]:
        """Return the cells nearest to positions; for none, cells from which all free space is seen."""
        return [self.grid.nearest(x, y) for x, y, _ in positions] or self.grid.cover(_OVERLOOKED)

    def closest(self, cells: Sequence[int]) -> int:
        """Return the cell that is the shortest way off."""
        distance = self.grid.distances(self.cell, self.pose.yaw)
        return min(cells, key=lambda c: (distance[c], c))

    def has_way(self, cell: int) -> bool:
        """Whether it can drive to a cell, as far as is known."""
        return bool(self.grid.path(self.cell, self.pose.yaw, cell))

    def drive(self, cell: int, step: str) -> Moving:
        """Drive to a cell, around what turns out to be in the way; RefusedError where there is no way."""
        blocked = ""
        for _ in range(_DETOURS):
            path = self.grid.path(self.cell, self.pose.yaw, cell)
            if not path:
                break
            try:
                yield from self.follow(path, step)
            except BlockedError as error:
                blocked = error.what
            else:
                return
        if blocked:
            message = f"there is no way left for {step}: {blocked.strip()} Close or move it, or go elsewhere"
            raise RefusedError(Code.EXECUTION_FAILURE, message)
        raise RefusedError(Code.PRECONDITION_FAILURE, f"there is no way from here for {step}")

    def follow(self, path: tuple[int, ...], step: str) -> Moving:
        """Drive along cells, the first of which it stands on; BlockedError where something is in the way."""
        for here, there in itertools.pairwise(path):
            yield from self.turn(self.grid.heading(here, there), step)
            self.level()
            before = self.pose
            metadata = self._step("MoveAhead", moveMagnitude=GRID)
            if not metadata["lastActionSuccess"]:
                if not is_blocked(metadata["errorMessage"]):
                    raise refusal("MoveAhead", metadata["errorMessage"])
                self.grid.bar(here, there)
                raise BlockedError(metadata["errorMessage"])
            now = self.pose
            moved = math.hypot(now.x - before.x, now.y - before.y)
            self.drove(moved)
            yield self.progress(step)

    def turn(self, yaw: float, step: str, most: float = _TURN_STEP) -> Moving:
        """Turn on the spot to a heading, the shorter way, by `most` radians at once."""
        for heading in turns(self.pose.yaw, yaw, most):
            if self._rotate(to_rotation(heading)):
                yield self.progress(step)

    def _rotate(self, rotation: float) -> bool:
        """Turn to a rotation in degrees; return whether it was worth it."""
        now = self.event.metadata["agent"]["rotation"]["y"]
        degrees = math.remainder(rotation - now, 360.0)
        if abs(degrees) < _STILL:
            return False
        action = "RotateRight" if degrees > 0 else "RotateLeft"
        self._turn_or_appear(action, abs(degrees), rotation, self.horizon)
        return True

    def level(self) -> None:
        """Tilt the camera as for driving and looking around."""
        self.tilt(TRAVEL_HORIZON)

    def tilt(self, horizon: float) -> bool:
        """Tilt the camera to a horizon in degrees, as far as it goes; return whether it was worth it.

        AI2-THOR tilts by tenths of a degree, and refuses what is no multiple of them.
        """
        low, high = _HORIZONS
        wanted = round(min(max(horizon, low), high), 1)
        degrees = round(wanted - self.horizon, 1)
        if abs(degrees) < _STILL:
            return False
        rotation = self.event.metadata["agent"]["rotation"]["y"]
        self._turn_or_appear("LookDown" if degrees > 0 else "LookUp", abs(degrees), rotation, wanted)
        return True

    def _turn_or_appear(self, action: str, degrees: float, rotation: float, horizon: float) -> None:
        """Turn the body or the camera; at once to the end of it where something is in the way of the hand or the arm.

        The end is told whole: AI2-THOR takes the horizon that it has itself as 330 degrees where that is -30, and as
        60.00002, both of which it refuses.
        """
        metadata = self._step(action, degrees=degrees)
        if not metadata["lastActionSuccess"]:
            if not is_turn_hindered(metadata["errorMessage"]):
                raise refusal(action, metadata["errorMessage"])
            self.act("Teleport", rotation={"x": 0.0, "y": rotation, "z": 0.0}, horizon=horizon)
        self.turned(math.radians(degrees))

    def face(self, point: Point, step: str) -> Moving:
        """Turn to a point and look at it."""
        x, y, z = self.eye
        pose = self.pose
        dx, dy = point[0] - pose.x, point[1] - pose.y
        flat = math.hypot(point[0] - x, point[1] - y)
        if math.hypot(dx, dy) > 0.05:
            yield from self.turn(math.atan2(dy, dx), step)
        if self.tilt(math.degrees(math.atan2(z - point[2], max(flat, 1e-3)))):
            yield self.progress(step)
