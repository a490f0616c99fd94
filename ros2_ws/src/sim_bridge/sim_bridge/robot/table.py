# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The table of a robot: its interfaces, its limits, and which calls carry out which skill. See docs/robots.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import Field, PrivateAttr, ValidationError, field_validator, model_validator

from sim_bridge.robot import placeholders
from sim_bridge.robot.calls import Call, check_known
from sim_bridge.robot.sources import Battery, EmergencyStop, Frame, Metres, Name, Part, PoseSource, Seconds, Source
from sim_bridge.robot.yaml_lines import Place, given_twice, line_of
from sim_bridge.skills import SKILLS, SkillSpec

BUNDLED = Path(__file__).with_name("tables")
"""Where the tables are that come with KARMA."""

LOOKING = ("Explore", "GoToObject", "FindObject", "FindReceptacle", "FindRoom", "DescribeObject")
"""Skills that take no calls of their own: they drive where they have to, and look at perception's map."""

DRIVING = ("Explore", "GoToObject", "Navigate", "Pick", "Place")
"""Skills that need `drive`."""

HANDLING = tuple(name for name in SKILLS if name not in (*LOOKING, "Navigate", "Pick", "Place", "Wait"))
"""Skills that need calls."""

COMPOSED: Mapping[str, str] = {"Pick": "PickupObject", "Place": "PutObject"}
"""Skills that drive first, and whose calls are another's."""


class TableError(ValueError):
    """A robot's table is missing or wrong; the message says where, and what to write instead."""


_KNOWN_DRIVING, _KNOWN_LOOKING = ("goal", "limits"), ("point", "limits")
_KNOWN_HANDLING = ("target", "receptacle", "place", "held", "relation", "duration", "limits")


SETTLE = 20.0
"""Seconds that perception may be behind, where the table does not say."""


class Drive(Part):
    """How the base drives."""

    navigate: Call
    before: tuple[Call, ...] = ()
    """Calls before it drives: stow the arm, limit the speed."""
    tolerance: Metres = 0.5
    """Distance to its goal at which it has arrived."""
    stand_off: Metres = 0.6
    """From the nearest side of what it goes to."""
    reach: Metres = 1.2
    """From the middle of the base to the nearest side of what the arm handles, horizontally."""
    radius: Metres = 0.3
    """Of the robot's footprint."""
    tries: Annotated[int, Field(ge=1, le=16)] = 8
    """Places to stand that are tried for one thing."""
    looks: Annotated[int, Field(ge=1, le=24)] = 6
    """Directions that it looks into where it looks around."""
    settle: Seconds = SETTLE
    """That perception may be behind the camera."""

    @field_validator("navigate", "before")
    @classmethod
    def _values(cls, calls: Call | tuple[Call, ...]) -> Call | tuple[Call, ...]:
        for call in calls if isinstance(calls, tuple) else (calls,):
            check_known(call, _KNOWN_DRIVING)
        return calls


class Camera(Part):
    """Topics of the camera's driver; perception listens to them under KARMA's names."""

    color: Name = "camera/color/image_raw"
    depth: Name = "camera/depth/image_raw"
    info: Name = "camera/depth/camera_info"
    timeout: Seconds = 5.0
    """For a picture and its depth, of one stamp."""


class Table(Part):
    """A robot's table."""

    robot: Annotated[str, Field(min_length=1, max_length=64)]
    map_frame: Frame = "map"
    pose: PoseSource
    transforms: Literal["/tf", "tf"] = "/tf"
    """Topic of its transforms: that of all robots, or one in its namespace, as with Nav2's nodes in a namespace."""
    drive: Drive | None = None
    speed: Annotated[float, Field(gt=0.0, le=20.0)] = 0.5
    """Metres a second; a robot that is faster is stopped."""
    look: Call | None = None
    """Points the camera at $point."""
    emergency_stop: tuple[EmergencyStop, ...] = ()
    battery: Battery | None = None
    places: dict[str, tuple[float, float, float]] = Field(default_factory=dict)
    """Name → x, y, yaw: metres and radians, map frame."""
    camera: Camera | None = None
    perception: dict[str, bool | int | float | str] = Field(default_factory=dict)
    """Parameters of perception that the robot needs: pose_source, detector, camera_height, ..."""
    server: Seconds = 5.0
    """For a server to be found."""
    cancel: Seconds = 4.0
    """For a cancelled goal to end, and for `stop` to answer."""
    stop: tuple[Call, ...] = ()
    """Calls that stop what services and topics have begun, which can't be cancelled."""
    skills: dict[str, tuple[Call, ...]]
    _file: Path | None = PrivateAttr(None)
    _root: yaml.Node | None = PrivateAttr(None)

    @field_validator("look")
    @classmethod
    def _look(cls, look: Call | None) -> Call | None:
        if look is not None:
            check_known(look, _KNOWN_LOOKING)
        return look

    @field_validator("stop")
    @classmethod
    def _unconditional(cls, stop: tuple[Call, ...]) -> tuple[Call, ...]:
        for call in stop:
            if call.confirm is not None:
                raise ValueError("stopping is not confirmed by a topic: leave confirm out")
            try:
                placeholders.fill(call.request, {})
            except placeholders.NoValueError as error:
                raise ValueError(f"stopping is about nothing: {error}") from error
        return stop

    @field_validator("skills")
    @classmethod
    def _skills(cls, skills: dict[str, tuple[Call, ...]]) -> dict[str, tuple[Call, ...]]:
        for name, calls in skills.items():
            if name not in SKILLS:
                raise ValueError(f"no skill is called {name}: they are {', '.join(SKILLS)}")
            if name in HANDLING and not calls:
                raise ValueError(f"{name} needs calls that carry it out")
            if name not in HANDLING and calls:
                raise ValueError(f"{name} takes no calls of its own: write []")
            if name in COMPOSED and COMPOSED[name] not in skills:
                raise ValueError(f"{name} needs {COMPOSED[name]}, whose calls it makes")
            for call in calls:
                check_known(call, _KNOWN_HANDLING)
        return skills

    @model_validator(mode="after")
    def _whole(self) -> Table:
        drivers = [name for name in self.skills if name in DRIVING]
        if drivers and self.drive is None:
            raise ValueError(f"{drivers[0]} needs drive")
        if self.battery is not None and self.battery.dock is not None and self.battery.dock not in self.places:
            raise ValueError(f"the dock {self.battery.dock!r} is none of places")
        return self

    @property
    def placed_calls(self) -> Iterator[tuple[Place, Call]]:
        """All that it calls, to drive, to look, for skills and to stop, and where in the table."""
        if self.drive is not None:
            yield from ((("drive", "before", k), call) for k, call in enumerate(self.drive.before))
            yield ("drive", "navigate"), self.drive.navigate
        if self.look is not None:
            yield ("look",), self.look
        for name, calls in self.skills.items():
            yield from ((("skills", name, k), call) for k, call in enumerate(calls))
        yield from ((("stop", k), call) for k, call in enumerate(self.stop))

    @property
    def calls(self) -> tuple[Call, ...]:
        """All that it calls."""
        return tuple(call for _, call in self.placed_calls)

    @property
    def unstoppable(self) -> tuple[Call, ...]:
        """Calls that may move the robot and can't be cancelled: services, and topics but those of `before`."""
        return tuple(
            call
            for place, call in self.placed_calls
            if call.action is None and place[0] != "stop" and (call.service or place[:2] != ("drive", "before"))
        )

    @property
    def sources(self) -> Iterator[tuple[Place, Source]]:
        """All topics that tell of the robot, and where in the table."""
        for name, source in (("base", self.pose.base), ("camera", self.pose.camera)):
            if source is not None:
                yield ("pose", name), source
        if self.battery is not None:
            yield ("battery",), self.battery
        yield from ((("emergency_stop", k), stop) for k, stop in enumerate(self.emergency_stop))

    @property
    def folder(self) -> Path:
        """Where its file is; the working folder where it has none."""
        return self._file.parent if self._file is not None else Path()

    def where(self, place: Place) -> str:
        """Return file, line and field of a place, for who has to mend it."""
        return _where(self._file, self._root, place)

    @property
    def specs(self) -> Mapping[str, SkillSpec]:
        """The robot's rows of the skill table: it has no free space of its own, so it explores where it is sent."""
        rows = {name: SKILLS[name] for name in SKILLS if name in self.skills}
        if "Explore" in rows:
            parameters = tuple(
                replace(p, required=p.required or p.name == "positions") for p in rows["Explore"].parameters
            )
            rows["Explore"] = replace(
                rows["Explore"],
                description="Look around at the positions in order until the target is seen.",
                parameters=parameters,
            )
        return rows


def find_table(name: str) -> Path:
    """Return the file of a table: one that comes with KARMA, by its name, or a path. TableError when there is none."""
    bundled = BUNDLED / f"{name}.yaml"
    file = bundled if "/" not in name and bundled.is_file() else Path(name).expanduser()
    if not file.is_file():
        known = ", ".join(sorted(f.stem for f in BUNDLED.glob("*.yaml")))
        raise TableError(f"there is no robot table {name!r}: give the path of a YAML file, or one of {known}")
    return file


def read_table(file: Path) -> Table:
    """Read a table. TableError names file, line and field of what is wrong."""
    try:
        text = file.read_text(encoding="utf-8")
        root = yaml.compose(text, Loader=yaml.CSafeLoader)
        data = yaml.load(text, yaml.CSafeLoader)
    except OSError as error:
        raise TableError(f"can't read {file}: {error.strerror}") from error
    except (yaml.YAMLError, ValueError, LookupError, RecursionError) as error:  # 30 February, `!!int ''`
        raise TableError(f"{file} is no YAML: {error}") from error
    if not isinstance(data, dict):
        raise TableError(f"{file} has to be a mapping: robot, pose, drive, skills, ...")
    if twice := [f"{file}:{line}: {key} is given twice: leave one out" for line, key in given_twice(root)]:
        raise TableError("\n".join(twice))
    try:
        table = Table.model_validate(data)
    except ValidationError as error:
        wrong = [
            f"{_where(file, root, problem['loc'])}: {problem['msg'].removeprefix('Value error, ')}"
            for problem in error.errors()
        ]
        raise TableError("\n".join(wrong)) from error
    table._file, table._root = file, root
    return table


def _where(file: Path | None, root: yaml.Node | None, place: Place) -> str:
    field = ".".join(map(str, place)) or "the table"
    return field if file is None else f"{file}:{line_of(root, place)}: {field}"
