# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The node's parameters: one table with type, range and description, and the options they make."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

from karma_perception.frames.transforms import Mount
from karma_perception.objects.instances import ExtractionOptions
from karma_perception.objects.mapping import MappingOptions
from karma_perception.pipeline import PipelineOptions
from karma_perception.places.grid import GridOptions
from karma_perception.places.place import PlaceOptions
from karma_perception.states.options import VisionOptions
from karma_perception.views.options import ViewOptions, private_rooms
from karma_ros.parameters import Parameter, ParameterError, Value, checked, existing_file


def camera_mount(text: str) -> Mount:
    """Return the mount that six numbers in a text are; `ParameterError` when they are not."""
    try:
        x, y, z, roll, pitch, yaw = (float(word) for word in text.split())
    except ValueError:
        x = math.nan
    if not math.isfinite(x) or not all(map(math.isfinite, (y, z, roll, pitch, yaw))):
        raise ParameterError(
            f"camera_mount is {text!r}; expected x y z (m) roll pitch yaw (rad) in the robot's base frame, "
            "e.g. '0.1 0 1.1 0 0.3 0' for a camera 1.1 m up that looks 0.3 rad down"
        )
    return x, y, z, roll, pitch, yaw


def _mount_if_any(text: str) -> None:
    """ValueError for a text that is neither empty nor a mount."""
    if text:
        camera_mount(text)


def _class_table(path: str) -> None:
    """Raise ValueError or OSError for a file that is no class table."""
    if path:
        from karma_perception.class_table import read_class_table

        read_class_table(Path(path).expanduser())


_P = PlaceOptions()
_G = GridOptions()
_M = MappingOptions()
_E = ExtractionOptions()
_V = VisionOptions()
_I = ViewOptions()

PARAMETERS: tuple[Parameter, ...] = (
    Parameter("map_frame", "map", "Frame that camera poses must be in; the graph is in it too."),
    Parameter(
        "pose_source",
        "topic",
        "What tells where the camera is: the topic camera/pose, transforms to the depth's frame, or odometry.",
        choices=("topic", "transforms", "odometry"),
    ),
    Parameter(
        "camera_mount",
        "",
        "With odometry: the camera in the robot's base frame as x y z (m) roll pitch yaw (rad), x forward, z up.",
        check=_mount_if_any,
    ),
    Parameter(
        "sensor_reliability",
        "reliable",
        "QoS of the camera topics: best_effort for drivers that publish so.",
        choices=("reliable", "best_effort"),
    ),
    Parameter(
        "detector",
        "instances",
        "Where instances come from: the topics camera/instances and camera/instance_labels, or a network.",
        choices=("instances", "onnx"),
    ),
    Parameter(
        "detector_model",
        "",
        "ONNX file of the network; `./karma detector FILE` says whether it fits.",
        check=existing_file,
    ),
    Parameter(
        "detector_labels",
        "",
        "Label file of the network; empty: the model's own labels, or COCO's.",
        check=existing_file,
    ),
    Parameter("detector_score", 0.4, "Least score of what the network finds.", 0.01, 1.0),
    Parameter("detector_overlap", 0.5, "Overlap of two boxes of a class from which the better one stays.", 0.0, 1.0),
    Parameter("detector_threads", 2, "CPU threads of the network.", 1, 256),
    Parameter(
        "class_table",
        "",
        "YAML file: names, movability and states of classes; empty: the one built in.",
        check=_class_table,
    ),
    Parameter("scene", "home", "Name of the place, where camera/instance_labels does not tell it (detector: onnx)."),
    Parameter(
        "states",
        "source",
        "Where the states of objects come from: the instance labels, nowhere, or a vision-language model in Ollama.",
        choices=("source", "none", "vision"),
    ),
    Parameter("states_model", _V.model, "The vision-language model, as Ollama names it."),
    Parameter("llm_url", _V.url, "URL of the model's server: Ollama, or one of OpenAI's protocol, which ends in /v1."),
    Parameter("states_timeout", _V.timeout, "Seconds for an answer of the model.", 0.1, 3600.0),
    Parameter("states_period", _V.period, "Seconds between two looks at the same object.", 0.0, 3600.0),
    Parameter("pictures", True, "Whether pictures of things go to the memory."),
    Parameter(
        "private_rooms",
        "Bathroom, Bedroom",
        "Kinds or names of rooms of which there are no pictures; with any, nor of rooms of no known kind.",
    ),
    Parameter("picture_side", _I.side, "Pixels of a picture's longer side, at most.", 32, 2048),
    Parameter("pictures_per_object", _I.per_object, "Pictures of one thing in a day, at most.", 1, 10_000),
    Parameter("pictures_per_day", _I.per_day, "Pictures of all things in a day, at most.", 1, 1_000_000),
    Parameter("publish_rate", 4.0, "Most updates of scene_graph per second.", 0.1, 50.0),
    Parameter(
        "last_seen_period",
        5.0,
        "Seconds after which a node is sent again only because it was seen, and scene_graph though nothing changed.",
        0.0,
        3600.0,
    ),
    Parameter(
        "backlog",
        48,
        "Frames that may wait, up to 512 MiB; when there are more, the least telling ones are dropped.",
        2,
        1000,
    ),
    Parameter("map_file", "", "File to go on with, and to save the map to; empty: every start begins a new map."),
    Parameter("map_save_period", 300.0, "Seconds between two saves of the map, besides the one at the end.", 1.0, 1e6),
    Parameter("camera_height", _P.camera_height, "Metres from the robot's floor to its camera.", 0.0, 5.0),
    Parameter("samples", _E.samples, "Pixels of a frame that are used, besides small instances.", 100, 10_000_000),
    Parameter("max_range", _E.max_range, "Metres; depth beyond is not used.", 0.5, 100.0),
    Parameter("min_points", _E.min_points, "Points that an instance needs to be placed.", 1, 1000),
    Parameter("voxel_size", _M.voxel_size, "Metres; resolution of an object's points.", 0.01, 1.0),
    Parameter("miss_decay", _M.miss_decay, "Factor on the confidence for each frame that misses an object.", 0.0, 1.0),
    Parameter("forget_below", _M.forget_below, "Confidence below which an object has vanished.", 0.0, 1.0),
    Parameter("grid_size", _G.resolution, "Metres; cell of the free-space grid.", 0.02, 0.5),
    Parameter("robot_radius", _G.robot_radius, "Metres; of the robot's footprint.", 0.0, 2.0),
    Parameter("robot_height", _G.robot_height, "Metres; what hangs higher is driven under.", 0.1, 3.0),
    Parameter("max_extent", _G.max_extent, "Metres; largest side of the mapped region.", 5.0, 1000.0),
    Parameter("area_spacing", _P.area_spacing, "Metres between area nodes.", 0.3, 10.0),
    Parameter("door_width", _P.door_width, "Metres; narrower passages separate rooms.", 0.1, 5.0),
)


def pipeline_options(values: Mapping[str, Value]) -> PipelineOptions:
    """Return the options that parameter values make; KeyError for a missing one."""
    grid = GridOptions(
        resolution=float(values["grid_size"]),
        robot_radius=float(values["robot_radius"]),
        robot_height=float(values["robot_height"]),
        max_extent=float(values["max_extent"]),
    )
    return PipelineOptions(
        extraction=ExtractionOptions(
            samples=int(values["samples"]), max_range=float(values["max_range"]), min_points=int(values["min_points"])
        ),
        mapping=MappingOptions(
            voxel_size=float(values["voxel_size"]),
            miss_decay=float(values["miss_decay"]),
            forget_below=float(values["forget_below"]),
        ),
        places=PlaceOptions(
            grid=grid,
            area_spacing=float(values["area_spacing"]),
            door_width=float(values["door_width"]),
            camera_height=float(values["camera_height"]),
        ),
    )


def view_options(values: Mapping[str, Value]) -> ViewOptions | None:
    """Return what is pictured, None where nothing is; KeyError for a missing value."""
    if not values["pictures"]:
        return None
    return ViewOptions(
        private_rooms=private_rooms(str(values["private_rooms"])),
        side=int(values["picture_side"]),
        per_object=int(values["pictures_per_object"]),
        per_day=int(values["pictures_per_day"]),
    )


def parameter_values(chosen: Mapping[str, object]) -> dict[str, Value]:
    """Return the value of every parameter: the chosen ones, checked as the node would, and the defaults.

    A whole number will do where a fraction is expected. `ParameterError` for what the node would refuse.
    """
    known = {p.name: p for p in PARAMETERS}
    values = {p.name: p.default for p in PARAMETERS}
    for name, value in chosen.items():
        if name not in known:
            raise ParameterError(f"there is no parameter {name!r}; there are {', '.join(sorted(known))}")
        values[name] = checked(known[name], value)
    return values
