# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The table of a robot: its interfaces, its limits, and which calls carry out which skill. See docs/robots.md."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationError,
    field_validator,
    model_validator,
)

from sim_bridge.backend import Code
from sim_bridge.robot import placeholders
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
CodeName = Literal[
    "NOT_FOUND", "PRECONDITION_FAILURE", "EXECUTION_FAILURE", "CANCELED", "TIMEOUT", "UNAVAILABLE", "INTERNAL_ERROR"
]


_POSITIONS = tuple(f"${name}" for name in placeholders.NAMES if name.endswith("position"))


class TableError(ValueError):
    """A robot's table is missing or wrong; the message says where, and what to write instead."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Condition(_Part):
    """What a field must be."""

    field: Path_
    equals: bool | int | float | str | None = None
    at_least: float | None = None
    at_most: float | None = None

    @model_validator(mode="after")
    def _one(self) -> Condition:
        if self.equals is None and self.at_least is None and self.at_most is None:
            raise ValueError("say what the field must be: equals, at_least or at_most")
        return self

    def met(self, value: Any) -> bool:
        """Whether a field's value is as it must be."""
        if self.equals is not None:
            return bool(value == self.equals)
        low = self.at_least is None or value >= self.at_least
        return bool(low and (self.at_most is None or value <= self.at_most))


class Source(_Part):
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


class Confirm(Source):
    """What a topic must tell after a call has begun, before that counts as done: not every server tells the truth."""

    equals: bool | int | float | str | None = None
    near: str | None = None
    """Placeholder of a position that the field must be near."""
    tolerance: Metres = 0.1
    timeout: Seconds = 5.0

    @model_validator(mode="after")
    def _one(self) -> Confirm:
        if (self.equals is None) == (self.near is None):
            raise ValueError("give either equals or near")
        if self.near not in (None, *_POSITIONS):
            raise ValueError("near takes a position, such as $target.position")
        return self


class Reading(_Part):
    """How an answer is read."""

    success: tuple[Condition, ...] = ()
    """All of them hold when it was done; an action must have succeeded as well."""
    code: Path_ | None = None
    """Field with the server's own code."""
    message: Path_ | None = None
    """Field with what a person may read."""
    codes: dict[int | str, CodeName] = {}
    """The server's code → ours; any other is EXECUTION_FAILURE."""

    def meaning(self, code: Any) -> Code:
        """Return what a server's code means."""
        return Code[self.codes.get(code, "EXECUTION_FAILURE")]


class Call(_Part):
    """One call of an action, a service or a topic."""

    action: Name | None = None
    service: Name | None = None
    topic: Name | None = None
    type: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*/(action|srv|msg)/[A-Z][A-Za-z0-9]*$")]
    request: dict[str, Any] | str = {}
    """Mirrors the message; leaves may be placeholders, and so may the whole."""
    timeout: Seconds = 30.0
    """Until the answer."""
    silence: Seconds | None = None
    """Actions: longest time without feedback, for servers that give it steadily."""
    reading: Reading | None = None
    """None: as usual for the type (`sim_bridge.robot.readings`)."""
    confirm: Confirm | None = None

    @field_validator("request")
    @classmethod
    def _known(cls, request: dict[str, Any] | str) -> dict[str, Any] | str:
        if isinstance(request, str) and not request.startswith("$"):
            raise ValueError("a request is a mapping, or a placeholder such as $target.pose")
        placeholders.check(request)
        if not _finite(request):
            raise ValueError("a request takes no .nan and no .inf")
        return request

    @model_validator(mode="after")
    def _one(self) -> Call:
        kinds = {"action": "action", "service": "srv", "topic": "msg"}
        given = [kind for kind in kinds if getattr(self, kind) is not None]
        if len(given) != 1:
            raise ValueError("a call names one of action, service and topic")
        if self.type.split("/")[1] != kinds[given[0]]:
            raise ValueError(f"the type of {given[0]} {self.name} is written package/{kinds[given[0]]}/Name")
        if self.silence is not None and self.action is None:
            raise ValueError("only an action gives feedback: leave silence out")
        return self

    @property
    def used(self) -> Iterator[str]:
        """Names of the placeholders that it uses."""
        yield from placeholders.used(self.request)
        if self.confirm is not None and self.confirm.near is not None:
            yield self.confirm.near[1:]

    @property
    def kind(self) -> str:
        """action, service or topic."""
        return "action" if self.action else "service" if self.service else "topic"

    @property
    def name(self) -> str:
        """Name of what is called."""
        return self.action or self.service or self.topic or ""

    def __str__(self) -> str:
        return f"the {self.kind} {self.name} ({self.type})"


class PoseSource(_Part):
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


_KNOWN_DRIVING, _KNOWN_LOOKING = ("goal", "limits"), ("point", "limits")
_KNOWN_HANDLING = ("target", "receptacle", "place", "held", "relation", "duration", "limits")


def _check_known(call: Call, kinds: tuple[str, ...]) -> None:
    for name in call.used:
        if name.split(".")[0] not in kinds:
            known = ", ".join(f"${known}" for known in placeholders.NAMES if known.split(".")[0] in kinds)
            raise ValueError(f"${name} has no value here: {call} may use {known}")


SETTLE = 20.0
"""Seconds that perception may be behind, where the table does not say."""


class Drive(_Part):
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
            _check_known(call, _KNOWN_DRIVING)
        return calls


class Camera(_Part):
    """Topics of the camera's driver; perception listens to them under KARMA's names."""

    color: Name = "camera/color/image_raw"
    depth: Name = "camera/depth/image_raw"
    info: Name = "camera/depth/camera_info"
    timeout: Seconds = 5.0
    """For a picture and its depth, of one stamp."""


class Table(_Part):
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
    places: dict[str, tuple[float, float, float]] = {}
    """Name → x, y, yaw: metres and radians, map frame."""
    camera: Camera | None = None
    perception: dict[str, bool | int | float | str] = {}
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
            _check_known(look, _KNOWN_LOOKING)
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
                _check_known(call, _KNOWN_HANDLING)
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
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        data = yaml.safe_load(text)
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


def _finite(value: Any) -> bool:
    """Return whether all numbers in a request are."""
    if isinstance(value, Mapping):
        return all(map(_finite, value.values()))
    if isinstance(value, list):
        return all(map(_finite, value))
    return not isinstance(value, float) or math.isfinite(value)
