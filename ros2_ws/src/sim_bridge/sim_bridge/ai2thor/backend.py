# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""AI2-THOR behind the bridge's protocol."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sim_bridge.ai2thor.frames import Camera
from sim_bridge.ai2thor.launching import end, is_alive, launch, require_scene
from sim_bridge.ai2thor.moving_things import relocate
from sim_bridge.ai2thor.robot import Robot
from sim_bridge.ai2thor.rooms import Room, room_of_floor_plan, rooms_of_house
from sim_bridge.ai2thor.things import described
from sim_bridge.backend import BackendUnavailableError, Observation, SeenObject
from sim_bridge.factory import BackendOptions
from sim_bridge.simulation.backend import SimulatedBackend
from sim_bridge.simulation.senses import SensorNoise


class Ai2ThorBackend(SimulatedBackend):
    """AI2-THOR's client and build, a scene, and the agent in it. See `sim_bridge.backend.Backend`."""

    robot: Robot

    def __init__(self, options: BackendOptions) -> None:
        """Start AI2-THOR with a scene of its build (FloorPlan1), or a ProcTHOR house: the path of its JSON file.

        BackendUnavailableError, KeyError or ValueError when that is not possible; the message says what to do.
        """
        noise = SensorNoise(options.depth_noise, options.missed_instances)
        super().__init__(options.seed, options.actuation_failure, noise)
        self._options = options
        self._camera = Camera(options.max_depth, noise, options.seed)
        self._controller: Any = None
        try:
            self._load(options.scene)
        except BaseException:
            self.close()
            raise

    def _load(self, scene: str) -> None:
        """Begin a scene, with AI2-THOR started where it does not run."""
        house = read_house(Path(scene)) if scene.endswith(".json") else None
        scene = scene if house else scene.removesuffix("_physics")
        try:
            if self._controller is not None and is_alive(self._controller):
                if house is None:
                    require_scene(self._controller, scene)
                self._controller.reset(house or scene)
            else:
                self.close()
                self._controller = launch(self._options, house or scene)
            if house and "agent" in house.get("metadata", {}):
                self._enter(house["metadata"]["agent"])
        except (RuntimeError, TimeoutError, OSError, ValueError) as error:
            if isinstance(error, BackendUnavailableError):
                raise
            said = " ".join(str(error).split())[:300]
            raise BackendUnavailableError(f"AI2-THOR can't load {scene}: {said}") from error
        bounds = self._controller.last_event.metadata["sceneBounds"]
        self._begin(scene, rooms_of_house(house) if house else (room_of_floor_plan(scene, bounds),))

    def _enter(self, start: Mapping[str, Any]) -> None:
        """Put the agent where a house begins; RuntimeError with AI2-THOR's reason where it can't stand there."""
        entered = self._controller.step(action="TeleportFull", **start)
        if not entered:
            raise RuntimeError(f"its agent can't stand where the file says: {entered.metadata['errorMessage']}")

    def _begin(self, scene: str, rooms: tuple[Room, ...]) -> None:
        self._reseed()
        self._camera.reseed(self._seed)
        self.robot = Robot(
            self._controller,
            rooms,
            senses=self._senses,
            fails=self._fails,
            half_width=self._options.hfov / 2,
            arm=self._options.ai2thor_agent == "arm",
        )
        self._scene = scene

    @property
    def scene(self) -> str:
        """Name of the loaded scene."""
        return self._scene

    def reset(self, scene: str = "", seed: int | None = None) -> str:
        """Load `scene` (empty: the current one again) as at its start; see `Backend.reset`.

        A build that has ended is started again.
        """
        if seed is not None:
            self._seed = seed
        self._load(scene or self._scene)
        return self._scene

    def observe(self) -> Observation:
        """Return what the camera sees. RuntimeError after `close`, and without pictures."""
        if self._controller is None:
            raise RuntimeError("AI2-THOR is closed")
        robot = self.robot
        return self._camera.observe(robot.event, self.locate(), robot.things, stamp=robot.clock, held=robot.holding.id)

    def ground_truth(self) -> tuple[SeenObject, ...]:
        """Return every object as it really is, for judging only."""
        things = self.robot.things
        return tuple(described(t, things) for t in things.values())

    def _relocate(self, name: str, receptacle: str) -> None:
        relocate(self.robot, name, receptacle, self._people)

    def close(self) -> None:
        """End AI2-THOR."""
        controller, self._controller = self._controller, None
        if controller is not None:
            end(controller)


def read_house(file: Path) -> Mapping[str, Any]:
    """Read a ProcTHOR house; KeyError when there is no such file, BackendUnavailableError when it is no house."""
    try:
        house = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise KeyError(f"there is no house {file}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise BackendUnavailableError(f"{file} can't be read as a ProcTHOR house in JSON: {error}") from error
    try:
        rooms = rooms_of_house(house)
    except (KeyError, TypeError, ValueError):
        rooms = ()
    if not rooms:
        raise BackendUnavailableError(f"{file} is no ProcTHOR house: it has no rooms as ProcTHOR tells them")
    return house  # type: ignore[no-any-return]
