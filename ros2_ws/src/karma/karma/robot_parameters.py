# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the table of a physical robot means for the nodes of the graph."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from karma.node_parameters import FILES, ParameterError, ParameterValue, declared_parameters, typed_value
from sim_bridge.robot.table import Table, find_table, read_table

_BRIDGE_END_S = 5
"""Seconds in which a bridge whose robot is at rest has ended."""


@dataclass(frozen=True)
class RobotParameters:
    """What a physical robot's table means for the nodes."""

    bridge: Mapping[str, ParameterValue]
    perception: Mapping[str, ParameterValue]
    topics: tuple[tuple[str, str], ...]
    transforms: str
    ending: int
    """Seconds that the bridge may take to bring the robot to rest and to end."""


def perception_of(table: Table, config: Path) -> dict[str, ParameterValue]:
    """Return the parameters of perception that a robot's table sets; `config`: the folder of the nodes' files.

    A file is meant from the table's folder. ParameterError names file, line and field of what is none, or has another
    type.
    """
    if not table.perception:
        return {}
    declared = declared_parameters(config / "perception.yaml")
    values: dict[str, ParameterValue] = {}
    wrong = []
    for name, value in table.perception.items():
        try:
            values[name] = typed_value(name, value, declared)
            if value and f"perception.{name}" in FILES:
                values[name] = str((table.folder / Path(str(value)).expanduser()).absolute())
        except ParameterError as error:
            wrong.append(f"{table.where(('perception', name))}: {error}; {config / 'perception.yaml'} lists them")
    if wrong:
        raise ParameterError("\n".join(wrong))
    return values


def robot_parameters(robot: str, scene: str, config: Path, *, dry_run: bool) -> RobotParameters:
    """Read a robot's table, by its path or name, and say what it means. TableError, and what `perception_of` raises."""
    file = find_table(robot)
    table = read_table(file)
    names = ("color", "depth", "info")
    own = ("camera/color/image_raw", "camera/depth/image_raw", "camera/depth/camera_info")
    camera = (
        [(ours, getattr(table.camera, name)) for name, ours in zip(names, own, strict=True)] if table.camera else []
    )
    return RobotParameters(
        bridge={"robot": str(file.absolute()), "dry_run": dry_run},
        # The robot's skills go by what is in view now, so perception tells of it often, and few frames wait: each of
        # them is one that a skill waits for, too, where the camera is faster than perception.
        perception={
            "last_seen_period": 0.5,
            "backlog": 8,
            "map_frame": table.map_frame,
            "scene": scene,
            **perception_of(table, config),
        },
        topics=tuple((ours, theirs) for ours, theirs in camera if ours != theirs),
        transforms=table.transforms,
        # A goal is cancelled, and where that does not help, `stop` is called; the rest is for the bridge's own end.
        ending=math.ceil(2 * table.cancel) + _BRIDGE_END_S,
    )
