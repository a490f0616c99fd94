# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Rows of a robot's table: the topics that tell of it, and what names and numbers may be."""

from __future__ import annotations

import math
import re
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

Path_ = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*(\.([A-Za-z_][A-Za-z0-9_]*|[0-9]+))*$")]


def _ros_name(name: str) -> str:
    if re.fullmatch(r"/?[A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*", name) is None:
        raise ValueError(f"{name!r} is no name of ROS: write words of letters, digits and _, as in /arm/target_pose")
    return name


def _frame(name: str) -> str:
    if re.fullmatch(r"[^\s/]\S*", name) is None:
        raise ValueError(f"{name!r} is no frame: write its name without a / in front, as in base_link")
    return name


Name = Annotated[str, Field(max_length=256), AfterValidator(_ros_name)]
Frame = Annotated[str, AfterValidator(_frame)]
MessageType = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*/msg/[A-Z][A-Za-z0-9]*$")]
Seconds = Annotated[float, Field(gt=0.0, le=3600.0)]
Metres = Annotated[float, Field(gt=0.0, le=100.0)]


class Part(BaseModel):
    """A mapping in a table; a key that it does not know is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Source(Part):
    """A field of a topic."""

    topic: Name
    type: MessageType
    field: Path_
    latched: bool = False
    """Whether the publisher is transient local, and sends only changes."""
    best_effort: bool = False
    """Whether the publisher is, as many drivers of sensors are; a message that it sends only once may get lost."""
    by_receipt: bool = False
    """Whether the age of a message is counted from when it came only: its driver stamps by a clock of its own."""

    @model_validator(mode="after")
    def _either(self) -> Source:
        if self.latched and self.best_effort:
            raise ValueError("a latched topic is reliable: leave best_effort out")
        return self


class PoseSource(Part):
    """Where the robot and its camera are: transforms, or topics with a pose in the map."""

    base: Source | None = None
    """geometry_msgs/Pose of the base, as nav_msgs/Odometry's pose.pose."""
    camera: Source | None = None
    """geometry_msgs/Pose of the optical frame."""
    base_frame: Frame | None = None
    """With transforms."""
    camera_frame: Frame | None = None
    """With transforms: the optical frame."""
    max_age: Seconds = 5.0
    """An older pose counts as none."""

    @model_validator(mode="after")
    def _one(self) -> PoseSource:
        if (self.base is None) == (self.base_frame is None):
            raise ValueError("give either base (a topic) or base_frame (with transforms)")
        if self.camera is not None and self.camera_frame is not None:
            raise ValueError("give either camera (a topic) or camera_frame (with transforms)")
        return self


class Told(Source):
    """A topic that has to go on telling: a driver that has died tells no lies, but nothing true either."""

    max_age: Seconds | None = None
    """An older message counts as none. None: of a latched topic, as long as it has a publisher; else, `USUAL_AGE`."""
    USUAL_AGE: ClassVar[float]
    """Seconds."""

    @property
    def longest(self) -> float:
        """Seconds after which a message counts as none."""
        if self.max_age is not None:
            return self.max_age
        return math.inf if self.latched else self.USUAL_AGE


def _several(value: Any) -> Any:
    """Return a value of a table as a list of values."""
    return value if isinstance(value, list | tuple) else [value]


class EmergencyStop(Told):
    """A topic that says whether the robot is stopped; nothing moves while it does, or while nothing is known."""

    type: MessageType = "std_msgs/msg/Bool"
    field: Path_ = "data"
    USUAL_AGE: ClassVar[float] = 2.0
    stopped: bool = True
    """Value of a boolean field that means stopped."""
    released: Annotated[tuple[bool | int | str, ...], Field(min_length=1), BeforeValidator(_several)] | None = None
    """Values of a field that mean released, whatever its type; any other means stopped, one that is unknown, too."""

    @field_validator("stopped", mode="before")
    @classmethod
    def _two_valued(cls, stopped: Any) -> Any:
        if stopped is not True and stopped is not False:
            raise ValueError(
                f"{stopped!r} is neither true nor false: of what has more values than these, say which of them mean "
                "that the stop is released (released: 2, or a list), in place of stopped"
            )
        return stopped

    @model_validator(mode="after")
    def _one_rule(self) -> EmergencyStop:
        if self.released is not None and "stopped" in self.model_fields_set:
            raise ValueError("leave stopped out: all that is not released is stopped")
        return self

    def pressed(self, value: Any) -> bool:
        """Whether a value of the field has to be taken for stopped."""
        return bool(value == self.stopped) if self.released is None else value not in self.released


class Battery(Told):
    """A topic with the charge."""

    type: MessageType = "sensor_msgs/msg/BatteryState"
    field: Path_ = "percentage"
    USUAL_AGE: ClassVar[float] = 60.0
    scale: Annotated[float, Field(gt=0.0)] = 1.0
    """Factor that makes 0..1 of the field: 0.01 for one in percent."""
    minimum: Annotated[float, Field(ge=0.0, le=1.0)] = 0.15
    """Below, the robot drives to its dock only."""
    dock: str | None = None
    """One of `places`."""
