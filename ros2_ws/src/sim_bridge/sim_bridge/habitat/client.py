# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The bridge's side of the worker that runs in Habitat's Python: starting it, talking to it, and what may go wrong.

All positions here are in the map frame, metres; the worker speaks Habitat's.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim_bridge.backend import BackendUnavailableError, Point
from sim_bridge.habitat.child.karma_habitat_worker import wire
from sim_bridge.habitat.frames import camera_to_habitat, camera_to_map, to_habitat, to_map
from sim_bridge.habitat.interpreter import explained, worker_environment

_START_TIMEOUT = 300.0
_LOAD_TIMEOUT = 600.0
_CALL_TIMEOUT = 120.0
_END_TIMEOUT = 10.0
"""Seconds."""

_LOG_LINES = 40

_EYES = 64
"""Views that are asked for at once: how long one takes to draw depends on the machine."""

Array = NDArray[np.float64]


class WorkerError(BackendUnavailableError):
    """Habitat refused or failed; the message says what it said."""


@dataclass(frozen=True)
class HabitatObject:
    """An object of the scene that Habitat has loaded."""

    number: int
    """What the instance image shows."""
    handle: str
    template: str
    """Name of the file that it was made from."""
    position: Point
    """Of its origin."""
    low: Point
    """Lowest corner of its axis-aligned box, likewise the highest."""
    high: Point
    fixed: bool
    """Whether the scene has it as immovable."""
    openable: bool
    opened: bool


@dataclass(frozen=True)
class HabitatRoom:
    """A region that the scene names."""

    name: str
    kind: str
    low: Point
    high: Point


@dataclass(frozen=True)
class RobotPose:
    """Where Habitat has the robot."""

    position: Point
    """Of the floor below its base."""
    yaw: float
    hand: Point
    camera: Array
    """(4, 4) transform from camera_optical_frame to map."""


@dataclass(frozen=True)
class LoadedScene:
    """What a scene consists of."""

    objects: tuple[HabitatObject, ...]
    robot: RobotPose
    navmesh_low: Point
    navmesh_high: Point


@dataclass(frozen=True)
class Pictures:
    """What the camera sees: color (h, w, 3), depth (h, w) in metres, instances (h, w), and the camera's pose."""

    color: NDArray[np.uint8]
    depth: NDArray[np.float32]
    instances: NDArray[np.uint32]
    camera: Array


class HabitatClient:
    """A worker process. Every call waits for its answer; WorkerError where there is none or habitat refuses."""

    def __init__(self, python: str, folder: Path) -> None:
        """Start the worker with an interpreter in a working folder of its own.

        BackendUnavailableError when it can't run: no habitat-sim, no habitat-lab, another version, no OpenGL.
        """
        self._log = folder / "worker.log"
        self._closed = False
        ours, theirs = socket.socketpair()
        self._connection = ours
        with theirs, self._log.open("wb") as log:
            command = [python, "-m", "karma_habitat_worker", str(theirs.fileno())]
            try:
                self._process = subprocess.Popen(  # noqa: S603 - the user names the interpreter
                    command,
                    cwd=folder,
                    env=worker_environment(os.environ),
                    pass_fds=[theirs.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                )
            except OSError as error:
                ours.close()
                raise BackendUnavailableError(f"{python} can't be started: {error}") from error
        try:
            self.versions: Mapping[str, Any] = self._first_words(python)
        except BaseException:
            self.close()
            raise

    def _first_words(self, python: str) -> Mapping[str, Any]:
        try:
            fields = self._receive(_START_TIMEOUT).fields
        except WorkerError as error:
            raise BackendUnavailableError(
                f"{python} could not run the worker; is it Python 3.9 or later with numpy? {error}"
            ) from error
        if fields.get("error") == "import":
            raise BackendUnavailableError(
                f"{python} can't import {explained(str(fields.get('message')))}; it must have habitat-sim and "
                f"habitat-lab (docs/habitat.md says how to install them)\n{self.log()}".strip()
            )
        if fields.get("protocol") != wire.VERSION:
            raise BackendUnavailableError(
                f"the worker speaks version {fields.get('protocol')} and the bridge {wire.VERSION}: they are of two "
                "versions of KARMA; set it up again"
            )
        if not fields.get("bullet"):
            raise BackendUnavailableError(f"the habitat-sim of {python} was built without Bullet: build it --bullet")
        return fields

    def probe(self) -> str:
        """Have an empty scene drawn; return what OpenGL drew it with, as far as it says so."""
        self._call("probe", timeout=_LOAD_TIMEOUT)
        return ", ".join(dict.fromkeys(re.findall(r"^Renderer: (.+)$", self._written(), re.MULTILINE)))

    def load(
        self, *, episode: Mapping[str, Any], spot: Path, agent_radius: float, view: Mapping[str, Any]
    ) -> LoadedScene:
        """Load an episode's scene, seen by `view`: camera, width, height, hfov and seed."""
        arguments = {"episode": episode, "spot": str(spot), "agent_radius": agent_radius, **view}
        fields = self._call("load", arguments, timeout=_LOAD_TIMEOUT).fields
        low, high = _box(*fields["navmesh_bounds"])
        return LoadedScene(tuple(map(_object, fields["objects"])), _robot(fields["robot"]), low, high)

    def rooms(self) -> tuple[HabitatRoom, ...]:
        """Return the regions that the scene names."""
        rooms = self._call("rooms").fields["rooms"]
        return tuple(HabitatRoom(r["name"], r["kind"], *_box(r["low"], r["high"])) for r in rooms)

    def objects(self) -> dict[int, HabitatObject]:
        """Return where every object is now, by number."""
        return {o["number"]: _object(o) for o in self._call("objects").fields["objects"]}

    def snap(self, points: Array, start: Point) -> Array:
        """Return the nearest points (n, 3) of the navmesh, NaN where there is none that a way from `start` leads to."""
        arrays = {"points": to_habitat(points)}
        return to_map(self._call("snap", {"start": _listed(start)}, arrays).arrays["result"])

    def path(self, start: Point, end: Point) -> Array:
        """Return the corners (n, 3) of the shortest way over the navmesh, from start to end; none without a way."""
        return to_map(self._call("path", {"start": _listed(start), "end": _listed(end)}).arrays["result"])

    def stand(self, position: Point, yaw: float, pitch: float, eye: Array) -> RobotPose:
        """Put the robot on the floor at a position and aim its camera: `pitch` the arm's, `eye` (4, 4) the head's."""
        arguments = {"position": _listed(position), "angle": yaw, "tilt": pitch}
        return _robot(self._call("stand", arguments, {"eye": camera_to_habitat(eye)}).fields)

    def render(self) -> Pictures:
        """Return what the camera sees."""
        reply = self._call("render")
        arrays = reply.arrays
        return Pictures(arrays["color"], arrays["depth"], arrays["instances"], camera_to_map(reply.fields["camera"]))

    def seen_from(self, eyes: Sequence[Array]) -> list[dict[int, int]]:
        """Return for each camera pose (4, 4) the objects in its picture: number → pixels."""
        return [dict(seen) for seen in self._look(eyes, "seen")]

    def depth_from(self, eyes: Sequence[Array]) -> list[float]:
        """Return for each camera pose (4, 4) the depth in the middle of its picture, metres, 0 for none."""
        return [float(depth) for depth in self._look(eyes, "depths")]

    def _look(self, eyes: Sequence[Array], wanted: str) -> list[Any]:
        kinds = {"numbers": wanted == "seen", "middle": wanted == "depths"}
        found: list[Any] = []
        for k in range(0, len(eyes), _EYES):
            arrays = {"eyes": np.array([camera_to_habitat(eye) for eye in eyes[k : k + _EYES]])}
            found += self._call("look", kinds, arrays).fields[wanted]
        return found

    def move(self, number: int, shift: Point) -> HabitatObject:
        """Move an object by a vector."""
        return _object(self._call("move", {"number": number, "shift": _listed(shift)}).fields)

    def reform(self, number: int, config: Path, position: Point) -> HabitatObject:
        """Give an object (0: a new one) the form of an object file, at a position."""
        arguments = {"number": number, "config": str(config), "position": _listed(position)}
        return _object(self._call("reform", arguments).fields)

    def remove(self, number: int) -> None:
        """Take an object out of the scene."""
        self._call("remove", {"number": number})

    def set_opened(self, number: int, opened: bool) -> HabitatObject:
        """Open or close a jointed object."""
        return _object(self._call("set_opened", {"number": number, "opened": opened}).fields)

    def hold(self, number: int) -> RobotPose:
        """Fix an object to the hand; 0: let go."""
        return _robot(self._call("hold", {"number": number}).fields)

    def close(self) -> None:
        """End the worker, with force if it doesn't go by itself."""
        self._closed = True
        self._connection.close()
        for sent in (None, signal.SIGTERM, signal.SIGKILL):
            if sent is not None:
                self._process.send_signal(sent)
            try:
                self._process.wait(_END_TIMEOUT)
            except subprocess.TimeoutExpired:
                continue
            break

    def _call(
        self,
        operation: str,
        arguments: Mapping[str, Any] | None = None,
        arrays: Mapping[str, Any] | None = None,
        *,
        timeout: float = _CALL_TIMEOUT,
    ) -> wire.Message:
        if self._closed:
            raise WorkerError("this backend is closed: open another one")
        request = wire.Message({"operation": operation, "arguments": dict(arguments or {})}, dict(arrays or {}))
        try:
            wire.send(self._connection, request)
        except (wire.WireError, OSError) as error:
            raise self._gone(operation) from error
        reply = self._receive(timeout, operation)
        if "error" in reply.fields:
            message = explained(str(reply.fields.get("message")))
            raise WorkerError(f"habitat could not {operation}: {message}\n{self.log()}".strip())
        return reply

    def _receive(self, timeout: float, operation: str = "start") -> wire.Message:
        self._connection.settimeout(timeout)
        try:
            return wire.receive(self._connection)
        except TimeoutError as error:
            self._connection.close()
            raise WorkerError(f"habitat did not {operation} within {timeout:.0f} s\n{self.log()}".strip()) from error
        except (wire.WireError, OSError) as error:
            raise self._gone(operation) from error

    def _gone(self, operation: str) -> WorkerError:
        try:
            status: object = self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            status = "none yet"
        hint = explained(self.log())
        return WorkerError(f"the habitat process ended at {operation} (status {status}): {hint}".strip())

    def log(self) -> str:
        """Return the last lines that the worker wrote."""
        return "\n".join(self._written().strip().splitlines()[-_LOG_LINES:])

    def _written(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace") if self._log.exists() else ""


def _object(fields: Mapping[str, Any]) -> HabitatObject:
    low, high = _box(fields["low"], fields["high"])
    return HabitatObject(**{**fields, "position": _point(fields["position"]), "low": low, "high": high})


def _robot(fields: Mapping[str, Any]) -> RobotPose:
    return RobotPose(
        _point(fields["position"]), float(fields["angle"]), _point(fields["hand"]), camera_to_map(fields["camera"])
    )


def _box(low: Any, high: Any) -> tuple[Point, Point]:
    """Return the corners of Habitat's box as those of the map's."""
    corners = to_map([low, high])
    (x0, y0, z0), (x1, y1, z1) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
    return (x0, y0, z0), (x1, y1, z1)


def _point(values: Any) -> Point:
    x, y, z = to_map(values).tolist()
    return x, y, z


def _listed(point: Point) -> list[float]:
    x, y, z = to_habitat(point).tolist()
    return [x, y, z]
