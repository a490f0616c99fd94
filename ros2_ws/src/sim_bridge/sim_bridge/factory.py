# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Opens the backend that is asked for by name, importing only what that one needs."""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass, replace
from pathlib import Path

from sim_bridge.backend import Backend, BackendUnavailableError
from sim_bridge.scenes import BACKENDS, DEFAULT_SCENES

OWN_SENSORS = frozenset({"robot"})
"""Backends whose camera and place their own drivers publish."""


@dataclass(frozen=True)
class BackendOptions:
    """What is chosen when a backend is opened.

    `sim_bridge.parameters` says what the node's parameters of these names mean.
    """

    backend: str = "household"
    scene: str = ""
    seed: int = 0
    pictures: bool = True
    """The parameter publish_images; without, `observe` is not possible."""
    image_width: int = 640
    image_height: int = 480
    hfov: float = math.radians(90)
    max_depth: float = 10.0
    depth_noise: float = 0.0
    missed_instances: float = 0.0
    actuation_failure: float = 0.0
    obstacles: str = ""
    ai2thor_executable: str = ""
    ai2thor_platform: str = "auto"
    ai2thor_agent: str = "default"
    ai2thor_server: str = "fifo"
    habitat_python: str = ""
    habitat_camera: str = "head"
    habitat_dataset: str = ""
    habitat_episodes: str = ""
    habitat_objects: str = ""
    habitat_spot: str = ""
    robot: str = "simulated"
    dry_run: bool = False
    listen_only: bool = False
    """Whether a physical robot goes on with what it does when it is opened; else it is brought to rest first."""
    namespace: str = ""
    """Of a physical robot's relative names."""
    use_sim_time: bool = False
    """Whether a physical robot's time is that of /clock, as that of one in Gazebo or Isaac Sim is."""


def with_scene(options: BackendOptions) -> BackendOptions:
    """Return the options with the backend's own scene where they name none."""
    return options if options.scene else replace(options, scene=DEFAULT_SCENES[options.backend])


def open_backend(options: BackendOptions) -> Backend:
    """Open a backend. Call this on the thread that will use it.

    BackendUnavailableError for a backend that is not there, KeyError for an unknown scene, ValueError for an option out
    of range.
    """
    if options.backend not in BACKENDS:
        raise BackendUnavailableError(f"unknown backend {options.backend!r}: choose one of {', '.join(BACKENDS)}")
    options = with_scene(options)
    if options.backend == "ai2thor":
        from sim_bridge.ai2thor.backend import Ai2ThorBackend

        return Ai2ThorBackend(options)
    if options.backend == "habitat":
        from sim_bridge.habitat.backend import HabitatBackend

        return HabitatBackend(options)
    if options.backend == "robot":
        return _open_robot(options)
    return _open_household(options)


def _open_robot(options: BackendOptions) -> Backend:
    from sim_bridge.robot.backend import RobotBackend
    from sim_bridge.robot.ros_interfaces import RosInterfaces
    from sim_bridge.robot.table import TableError, find_table, read_table

    try:
        table = read_table(find_table(options.robot))
        interfaces = RosInterfaces(
            table, namespace=options.namespace, dry_run=options.dry_run, use_sim_time=options.use_sim_time
        )
    except TableError as error:
        raise BackendUnavailableError(str(error)) from error
    tell = logging.getLogger("sim_bridge.robot").warning
    try:
        backend = RobotBackend(table, interfaces, scene=options.scene, tell=tell, dry_run=options.dry_run)
        if not options.listen_only:
            backend.bring_to_rest()
        backend.wait_until_known()
    except BaseException:
        interfaces.close()  # else its thread goes on, and ends the process with an abort
        raise
    return backend


def _open_household(options: BackendOptions) -> Backend:
    from sim_bridge.household.backend import HouseholdBackend
    from sim_bridge.household.obstacles import read_obstacles
    from sim_bridge.household.renderer import HouseholdRenderer
    from sim_bridge.household.views import intrinsics_for
    from sim_bridge.simulation.senses import SensorNoise

    noise = SensorNoise(options.depth_noise, options.missed_instances)
    renderer = None
    try:
        if options.pictures:
            renderer = HouseholdRenderer(
                width=options.image_width,
                height=options.image_height,
                hfov=options.hfov,
                max_depth=options.max_depth,
                noise=noise,
            )
        return HouseholdBackend(
            options.scene,
            renderer=renderer,
            seed=options.seed,
            failure_probability=options.actuation_failure,
            noise=noise,
            intrinsics=intrinsics_for(options.image_width, options.image_height, options.hfov),
            obstacles=read_obstacles(Path(options.obstacles)) if options.obstacles else (),
        )
    except Exception:
        if renderer is not None:
            renderer.close()
        raise
