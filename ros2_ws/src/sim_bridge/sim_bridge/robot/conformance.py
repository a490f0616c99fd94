# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a physical robot declares about itself (`sim_bridge.conformance`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from sim_bridge.backend import SeenObject, Target
from sim_bridge.conformance.subject import Feature, Subject, Tolerances
from sim_bridge.factory import BackendOptions, open_backend
from sim_bridge.robot.backend import RobotBackend
from sim_bridge.robot.perceived import Layer
from sim_bridge.robot.table import find_table, read_table
from sim_bridge.skills import SKILLS


def subject(options: BackendOptions) -> Subject:
    """Return the robot of a table, which moves real things."""
    table = read_table(find_table(options.robot))
    lacks: dict[Feature | str, str] = {name: "not in the robot's table" for name in SKILLS if name not in table.skills}
    lacks["Explore"] = "it needs positions"
    lacks[Feature.EXTENTS] = "a box in perception's map grows as more of the thing is seen"
    lacks[Feature.INSTANCES] = "its camera knows no objects: perception does"
    lacks[Feature.ROOMS] = "rooms are perception's, and grow as the robot looks around"
    lacks[Feature.AFFORDANCES] = "what can be done to a thing shows only when it is tried"
    lacks[Feature.RESET] = lacks[Feature.SCENES] = "a real home can't be reset"
    lacks[Feature.GROUND_TRUTH] = "nobody knows how a real home really is"
    if table.camera is None:
        lacks[Feature.PICTURES] = "the robot's table names no camera"
    tolerance = table.drive.tolerance if table.drive is not None else 0.0
    return Subject(
        name="robot",
        open=lambda: open_backend(options),
        scene=options.scene,
        lacks=lacks,
        tolerances=Tolerances(
            arrival=tolerance,
            reach=1.6 if table.drive is None else table.drive.reach,
            speed=1.5 * table.speed + 0.1,
            pause=300.0,  # by the clock on the wall, with all that it waits for
            clock=10.0,  # likewise
        ),
        real=True,
        known=lambda backend: at_hand(o.seen for o in cast(RobotBackend, backend).map_by_now().layer(Layer.OBJECT)),
    )


def at_hand(objects: Iterable[SeenObject]) -> Mapping[str, Target]:
    """Return where one thing of each category is that lies open and is not switched on."""
    objects = tuple(objects)
    shut = {o.id for o in objects if o.states.get("isOpen") == "false"}
    return {
        o.category: Target(o.id, o.category, o.center)
        for o in reversed(objects)
        if o.receptacle not in shut and o.states.get("isToggled") != "true"
    }
