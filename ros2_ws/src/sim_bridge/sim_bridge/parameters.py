# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The bridge node's parameters: one table, from which the node declares them."""

from __future__ import annotations

import math
import shutil
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from karma_ros.parameters import Effect, Parameter, existing_file
from sim_bridge.factory import BackendOptions
from sim_bridge.household.scenes import require_scene
from sim_bridge.scenes import BACKENDS, DEFAULT_SCENES, DEFAULT_SCENES_TOLD


def _interpreter(program: str) -> None:
    """ValueError for a text that is neither empty nor a program."""
    if program and shutil.which(Path(program).expanduser()) is None:
        raise ValueError("there is no such program")


def _obstacles(file: str) -> None:
    """Raise ValueError or OSError for a file that holds no obstacles."""
    if file:
        from sim_bridge.household.obstacles import read_obstacles

        read_obstacles(Path(file).expanduser())


def _table(robot: str) -> None:
    """ValueError for a robot's table that is missing or wrong."""
    from sim_bridge.robot.table import find_table, read_table

    read_table(find_table(robot))


PARAMETERS = (
    Parameter("backend", "household", "What to run.", choices=BACKENDS),
    Parameter(
        "scene",
        "",
        "Scene to load: a floor plan (FloorPlan1) or a home (home1), a house file for AI2-THOR. Empty: "
        f"{DEFAULT_SCENES_TOLD}.",
    ),
    Parameter("seed", 0, "Seed of all that is random.", 0, 2**31 - 1),
    Parameter("publish_images", True, "Whether the camera is rendered and published."),
    Parameter("image_width", 640, "Width of the images, pixels.", 16, 4096),
    Parameter("image_height", 480, "Height of the images, pixels.", 16, 4096),
    Parameter("hfov", math.radians(90), "Horizontal field of view of the camera, radians.", 0.1, 2.6),
    Parameter("max_depth", 10.0, "Range of the depth sensor, metres; depth is 0 beyond.", 0.1, 50.0),
    Parameter(
        "frame_rate",
        10.0,
        "Views a second of wall time that are published while a skill moves the robot. The skill waits for them, so "
        "that a slow reader misses none: lower it when perception falls behind. 0: only one after each skill.",
        0.0,
        100.0,
        effect=Effect.AT_ONCE,
    ),
    Parameter(
        "idle_rate",
        2.0,
        "Views a second that are published while the robot is idle and something has just changed; after 5 s, where "
        "nothing changes, one every 5 s. 0: none.",
        0.0,
        100.0,
        effect=Effect.AT_ONCE,
    ),
    Parameter(
        "depth_noise",
        0.0,
        "Standard deviation of the depth at 1 m, metres; grows with the square of the distance.",
        0.0,
        1.0,
    ),
    Parameter("missed_instances", 0.0, "Probability that an instance is missing from an image.", 0.0, 1.0),
    Parameter("actuation_failure", 0.0, "Probability that a movement of the arm fails.", 0.0, 1.0),
    Parameter(
        "obstacles",
        "",
        "YAML file with obstacles of the household's scene: skills that are refused until something is so; empty: none "
        "(docs/household.md).",
        check=_obstacles,
    ),
    Parameter(
        "ai2thor_executable",
        "",
        "AI2-THOR: the executable of a local build; empty: the client's own, downloaded on its first start.",
        check=existing_file,
    ),
    Parameter(
        "ai2thor_platform",
        "auto",
        "AI2-THOR: Linux64 (X11), CloudRendering (Vulkan, no display), or auto: as there is a display.",
        choices=("auto", "Linux64", "CloudRendering"),
    ),
    Parameter("ai2thor_agent", "default", "AI2-THOR: default, or arm (ManipulaTHOR's).", choices=("default", "arm")),
    Parameter("ai2thor_server", "fifo", "AI2-THOR: how client and build talk.", choices=("fifo", "wsgi")),
    Parameter(
        "habitat_python",
        "",
        "Interpreter that has habitat-sim and habitat-lab; empty: what KARMA_HABITAT_PYTHON names (docs/habitat.md).",
        check=_interpreter,
    ),
    Parameter("habitat_camera", "head", "Camera of Habitat's Spot that is used.", choices=("head", "arm")),
    Parameter(
        "habitat_dataset",
        "",
        "Scene dataset (.scene_dataset_config.json) in which Habitat finds the scene; empty: the household's scenes.",
        check=existing_file,
    ),
    Parameter(
        "habitat_episodes",
        "",
        "Episodes of habitat-lab, PARTNR or MEMENTO (.json, .json.gz); the scene is then an episode's id.",
        check=existing_file,
    ),
    Parameter(
        "habitat_objects",
        "",
        "CSV file that says what the objects of habitat_dataset are; empty: the names of their files do.",
        check=existing_file,
    ),
    Parameter("habitat_spot", "", "URDF of Habitat's Spot; empty: one made of boxes.", check=existing_file),
    Parameter(
        "robot",
        "simulated",
        "Table of a physical robot: a YAML file, or the name of one that comes with KARMA (docs/robots.md).",
        check=_table,
    ),
    Parameter("dry_run", False, "Whether a physical robot moves nothing and only says what it would call."),
    Parameter(
        "people_move",
        0.0,
        "Objects that people move, on average, in each of the robot's pauses; the robot is not told.",
        0.0,
        60.0,
        effect=Effect.AT_ONCE,
    ),
    Parameter(
        "people_move_after",
        5.0,
        "Seconds without a skill that make a pause in which people move things: longer than it thinks between skills.",
        0.0,
        3600.0,
        effect=Effect.AT_ONCE,
    ),
)


def require_scene_of(values: Mapping[str, Any]) -> None:
    """ValueError, with the closest names, where it is known that the backend of these values has no such scene.

    A real robot's scene is any name; a local build of AI2-THOR, a dataset and a list of episodes have scenes of their
    own, and the client's build has RoboTHOR's besides the floor plans.
    """
    backend = values["backend"]
    scene = values["scene"] or DEFAULT_SCENES[backend]
    if backend == "ai2thor" and scene.endswith(".json"):
        if not Path(scene).expanduser().is_file():
            raise ValueError(f"there is no house {scene}")
        return
    foreign = {
        "ai2thor": values["ai2thor_executable"] or scene.startswith(("FloorPlan_", "Procedural")),
        "habitat": values["habitat_dataset"] or values["habitat_episodes"],
        "robot": True,
    }
    if not foreign.get(backend):
        try:
            require_scene(scene, homes=backend != "ai2thor")
        except KeyError as error:
            raise ValueError(error.args[0]) from None


def backend_options(values: Mapping[str, Any], namespace: str = "") -> BackendOptions:
    """Return the options of the backend that these values choose for a node in a namespace.

    `use_sim_time`, which is every node's, may be among them.
    """
    own = {field.name for field in fields(BackendOptions)}
    chosen = {name: value for name, value in values.items() if name in own}
    return BackendOptions(**chosen, pictures=values["publish_images"], namespace=namespace)
