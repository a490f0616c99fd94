# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""AI2-THOR's actions, done in the household simulator; what fails is told in AI2-THOR's words."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from itertools import product
from typing import Any

from sim_bridge.backend import Point, RefusedError
from sim_bridge.household import interactions
from sim_bridge.household.model import Box
from sim_bridge.household.placement import refusal, spot
from sim_bridge.household.processes import settle
from sim_bridge.household.recorded import floor_plans
from sim_bridge.simulation.categories import HANGING, SURFACE
from unity_stand_in.metadata import prefab, vector
from unity_stand_in.stage import BODY, FAR, Stage

_UP, _DOWN = -30.0, 60.0
"""Degrees that the camera can be tilted."""

_DRIFT = 2e-5
"""Degrees by which Unity's camera is off after it was tilted down: 60.00002, where 60 was meant."""

_SHOULDER = 0.09
"""Metres by which the shoulder of ManipulaTHOR's arm is ahead of the agent's middle."""

_ARM = 0.6325
"""Metres from there that the arm reaches."""

ARM_BASE = 0.45, 1.8
"""Metres above the floor between which MoveArmBase moves the shoulder."""

_GRASP = 0.1
"""Metres around the hand in which things are picked up."""

Vector = Mapping[str, float]

ASKING = frozenset(
    {"GetScenesInBuild", "GetReachablePositions", "GetInteractablePoses", "GetSpawnCoordinatesAboveReceptacle"}
)
"""Actions that change nothing."""


class ActionError(Exception):
    """An action is not possible; the message is AI2-THOR's."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code


class ThrownError(ActionError):
    """An action threw an exception of C#, which Unity tells with its kind and where it came from."""

    def __init__(self, kind: str, message: str) -> None:
        where = "at UnityStandardAssets.Characters.FirstPerson.PhysicsRemoteFPSAgentController"
        super().__init__(f"{kind}: {message}. trace:   {where}")


def _invalid(message: str) -> ThrownError:
    return ThrownError("InvalidOperationException", message)


def _out_of_range(message: str) -> ThrownError:
    said = f"Specified argument was out of the range of valid values.\nParameter name: {message}"
    return ThrownError("ArgumentOutOfRangeException", said)


def actions_of(stage: Stage) -> dict[str, Callable[..., Any]]:
    """Return what the agent of a scene can do, by name: the parameters are those of AI2-THOR."""
    handling = _ArmHandling(stage) if stage.has_arm else _Handling(stage)
    found = {}
    for source in (_Scenes(stage), _Moving(stage), handling):
        for name in dir(source):
            if not name.startswith("_"):
                found["".join(part.capitalize() for part in name.split("_"))] = getattr(source, name)
    return found


class _Scenes:
    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    def get_scenes_in_build(self) -> list[str]:
        return [*(f"{name}_physics" for name in floor_plans()), "Procedural"]

    def reset(self, sceneName: str) -> None:  # noqa: N803 - AI2-THOR's names, here and below
        if sceneName != "Procedural":
            self._stage.load(sceneName.removesuffix("_physics"))

    def initialize(self, **setup: Any) -> dict[str, float]:
        stage = self._stage
        stage.setup = setup
        stage.hand = (stage.x, stage.z, BODY) if stage.has_arm else None
        return {"cameraNearPlane": 0.1, "cameraFarPlane": FAR}

    def create_house(self, house: Mapping[str, Any]) -> None:
        """Build a house; the stand-in knows those of the household, by what `houses.house_of` wrote into them."""
        try:
            self._stage.load(house["metadata"]["household"])
        except KeyError as error:
            raise ThrownError("ArgumentException", f"the stand-in has no such house: {error}") from error

    def change_resolution(self, x: int, y: int) -> None:
        self._stage.width, self._stage.height = x, y

    def change_quality(self, quality: str) -> None:
        pass


class _Moving:
    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    def pass_(self) -> None:
        pass

    def done(self) -> None:
        pass

    def move_ahead(self, moveMagnitude: float | None = None) -> None:  # noqa: N803
        self._move(moveMagnitude or float(self._stage.setup.get("gridSize", 0.25)))

    def move_back(self, moveMagnitude: float | None = None) -> None:  # noqa: N803
        self._move(-(moveMagnitude or float(self._stage.setup.get("gridSize", 0.25))))

    def _move(self, far: float) -> None:
        stage = self._stage
        angle = math.radians(round(stage.rotation))
        dx, dz = far * math.sin(angle), far * math.cos(angle)
        if not stage.is_free(stage.x + dx, stage.z + dz):
            if stage.has_arm:
                target = f"({stage.x + dx:.1f}, {BODY:.1f}, {stage.z + dz:.1f})"
                said = f"Collided with static structure in scene: 'Furniture', could not reach target: '{target}'."
                raise ActionError(said)
            raise ActionError(f"Furniture is blocking Agent 0 from moving by ({dx:.4f}, 0.0000, {dz:.4f}).")
        stage.stand(round(stage.x + dx, 4), round(stage.z + dz, 4), stage.rotation, stage.horizon)

    def rotate_right(self, degrees: float | None = None) -> None:
        self._turn(90.0 if degrees is None else degrees)

    def rotate_left(self, degrees: float | None = None) -> None:
        self._turn(-(90.0 if degrees is None else degrees))

    def _turn(self, degrees: float) -> None:
        stage = self._stage
        if degrees == 0 and not stage.has_arm:
            raise _invalid("Cannot rotate by 0 degrees as this previously defaulted to rotating by a diferent amount.")
        stage.stand(stage.x, stage.z, stage.rotation + degrees, stage.horizon)

    def look_up(self, degrees: float = 0.0) -> None:
        self._tilt("LookUp", degrees, -1.0, "up beyond 30 degrees above")

    def look_down(self, degrees: float = 0.0) -> None:
        self._tilt("LookDown", degrees, 1.0, "down beyond 60 degrees below")

    def _tilt(self, action: str, degrees: float, sign: float, beyond: str) -> None:
        stage = self._stage
        if degrees < 0:
            raise ActionError(f"{action} action requires positive degree value. Invalid value used: {degrees}")
        if Decimal(f"{degrees:.7g}") % Decimal("0.1"):
            raise ActionError(f"{action} action requires degree value to be a multiple of 0.1f")
        horizon = stage.horizon + sign * (degrees or 30.0)
        if not _UP <= round(horizon, 1) <= _DOWN:
            raise ActionError(f"can't look {beyond} the forward horizon")
        stage.stand(stage.x, stage.z, stage.rotation, horizon + (_DRIFT if sign > 0 else 0.0))

    def teleport(
        self,
        position: Vector | None = None,
        rotation: Vector | None = None,
        horizon: float | None = None,
        standing: bool | None = None,
        forceAction: bool = False,  # noqa: N803
    ) -> None:
        stage = self._stage
        at = position or vector((stage.x, stage.z, BODY))
        yaw = rotation or {"x": 0.0, "y": stage.rotation, "z": 0.0}
        # Unity's own angle of a camera that looks up is 330 degrees, not -30.
        self._require_free(at, yaw, stage.horizon % 360.0 if horizon is None else horizon, forced=forceAction)
        stage.stand(at["x"], at["z"], yaw["y"], stage.horizon if horizon is None else horizon)

    def _require_free(self, at: Vector, rotation: Vector, horizon: float, *, forced: bool) -> None:
        stage = self._stage
        if forced:
            return
        if abs(rotation["x"]) >= 0.01 or abs(rotation["z"]) >= 0.01:
            said = "No agents currently can change in pitch or roll. So, you must set rotation(x=0, y=yaw, z=0)."
            raise _out_of_range(f"{said} You gave {_told(rotation)}.")
        if not _UP <= horizon <= _DOWN:
            raise _out_of_range(f"Each horizon must be in [-30:60]. You gave {horizon:.7g}.")
        if not stage.contains(at["x"], at["z"]):
            said = f"Teleport position {_told(at)} out of scene bounds! Ignore this by setting forceAction=true."
            raise _out_of_range(said)
        grid = float(stage.setup.get("gridSize", 0.25))
        if stage.setup.get("snapToGrid", True) and any(abs(math.remainder(at[axis], grid)) > 1e-4 for axis in "xz"):
            raise _out_of_range(f"Teleport position {_told(at)} is not on the grid of size {grid}.")
        if not stage.is_free(at["x"], at["z"]):
            raise _invalid("Collided with: Furniture.")
        if abs(at["y"] - BODY) > 0.05:
            said = "After teleporting and adjusting agent position to floor, there was too large a change"
            raise _invalid(f"{said}({abs(at['y'] - BODY):.7g} > 0.05) in the y component.")

    def teleport_full(self, position: Vector, rotation: Vector, horizon: float, standing: bool) -> None:
        self.teleport(position, rotation, horizon, standing)

    def get_reachable_positions(self) -> list[dict[str, float]]:
        points, storeys = self._stage.grid.points.tolist(), self._stage.grid.storeys.tolist()
        return [{"x": x, "y": BODY, "z": y} for (x, y, _), s in zip(points, storeys, strict=True) if s == 0]

    def get_interactable_poses(
        self,
        objectId: str,  # noqa: N803
        positions: Sequence[Vector] | None = None,
        rotations: Sequence[float] | None = None,
        horizons: Sequence[float] | None = None,
        standings: Sequence[bool] | None = None,
        maxDistance: float | None = None,  # noqa: N803
        maxPoses: int | None = None,  # noqa: N803
    ) -> list[dict[str, Any]]:
        stage = self._stage
        _known(stage, objectId)
        found = []
        for at in positions or self.get_reachable_positions():
            for rotation, horizon in product(
                rotations or (0.0, 90.0, 180.0, 270.0), horizons or (-30.0, 0.0, 30.0, 60.0)
            ):
                if stage.visible(objectId, stage.view(at["x"], at["z"], rotation, horizon)):
                    found.append({**at, "rotation": rotation, "horizon": horizon, "standing": True})
        return found[:maxPoses]


class _Objects:
    """What the agents have in common."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._world = stage.world

    def _interactable(self, name: str, forced: bool) -> None:
        _known(self._stage, name)
        if not forced and not self._stage.visible(name):
            raise ThrownError("NullReferenceException", "Target object not found within the specified visibility.")

    def open_object(self, objectId: str, forceAction: bool = False, openness: float = 1.0) -> None:  # noqa: N803
        world = self._world
        self._interactable(objectId, forceAction)
        if not 0.0 <= openness <= 1.0:
            raise ActionError("openness must be in [0:1]")
        if not world.can(objectId, "openable"):
            raise ActionError(f"{objectId} is not an Openable object")
        if world.is_(objectId, "isToggled"):
            raise ActionError("Target must be OFF to open!")
        world.set_state(objectId, "isOpen", openness > 0.0)  # also where it is so already: that is no failure
        settle(world)

    def close_object(self, objectId: str, forceAction: bool = False) -> None:  # noqa: N803
        self.open_object(objectId, forceAction, 0.0)

    def toggle_object_on(self, objectId: str, forceAction: bool = False) -> None:  # noqa: N803
        self._toggle(objectId, forceAction, value=True)

    def toggle_object_off(self, objectId: str, forceAction: bool = False) -> None:  # noqa: N803
        self._toggle(objectId, forceAction, value=False)

    def _toggle(self, name: str, forced: bool, *, value: bool) -> None:
        world = self._world
        self._interactable(name, forced)
        word = "on" if value else "off"
        if any(name in spec.controls for spec in world.specs.values()):
            said = "target object is controlled by another sim object. target object cannot be turned on/off directly"
            raise ActionError(said)
        if not world.can(name, "toggleable"):
            raise ActionError("object is not toggleable.")
        if world.is_(name, "isToggled") == value:
            raise ActionError(f"can't toggle object {word} if it's already {word}!")
        if value and world.category(name) == "Microwave" and world.is_(name, "isOpen"):
            raise ActionError("Target must be closed to Toggle On!")
        if value and world.is_(name, "isBroken"):
            raise ActionError("Target is broken and cannot be Toggled On!")
        _done(interactions.set_toggled, world, name, value)

    def slice_object(self, objectId: str, forceAction: bool = False) -> None:  # noqa: N803
        world = self._world
        self._interactable(objectId, forceAction)
        if objectId == world.held and not self._stage.has_arm:
            raise ActionError("target object cannot be sliced if it is in the agent's hand")
        if not world.can(objectId, "sliceable"):
            raise ActionError(f"{prefab(objectId, world.category(objectId))} Does not have the CanBeSliced property!")
        interactions.divide(world, objectId)

    def break_object(self, objectId: str, forceAction: bool = False) -> None:  # noqa: N803
        world = self._world
        self._interactable(objectId, forceAction)
        if not world.can(objectId, "breakable"):
            raise ActionError(f"{prefab(objectId, world.category(objectId))} does not have the CanBreak property!!")
        _done(interactions.break_object, world, objectId)

    def get_spawn_coordinates_above_receptacle(
        self,
        objectId: str,  # noqa: N803
        anywhere: bool = False,
    ) -> list[dict[str, float]]:
        world = self._world
        if objectId not in world.specs:
            raise ActionError("Object ID appears to be invalid.")
        if not anywhere and not self._stage.visible(objectId):
            raise ActionError("No valid Receptacle found in view")
        if not world.can(objectId, "receptacle"):
            raise ThrownError("NullReferenceException", "Object reference not set to an instance of an object")
        box = world.boxes[objectId]
        top = box.low[2] + SURFACE.get(world.category(objectId), (1.0,))[0] * box.size[2]
        (x0, y0), (x1, y1) = box.low[:2], box.high[:2]
        steps = [(i + 0.5) / 8 for i in range(8)]
        return [vector((x0 + a * (x1 - x0), y0 + b * (y1 - y0), top)) for a in steps for b in steps]

    def place_object_at_point(self, objectId: str, position: Vector) -> bool:  # noqa: N803
        world = self._world
        if objectId not in world.specs:
            raise ActionError(f"Cannot find object with id {objectId}.")
        x, y = position["x"], position["z"]
        if not self._stage.contains(x, y):
            raise ActionError(f"Position coordinate ({_told(position)}) is not within scene bounds")
        under = [
            (world.specs[n].movable, math.prod(world.boxes[n].size[:2]), n)
            for n in world
            if n != objectId
            and world.can(n, "receptacle")
            and world.boxes[n].low[0] <= x <= world.boxes[n].high[0]
            and world.boxes[n].low[1] <= y <= world.boxes[n].high[1]
            and world.boxes[n].low[2] - 0.01 <= position["y"] <= world.boxes[n].high[2] + 0.01
            and not world.hides(n)
            and not refusal(world, objectId, n)
        ]
        for _, _, receptacle in sorted(under):
            box = spot(world, objectId, receptacle, (x, y))
            if box is not None and math.dist(box.center[:2], (x, y)) < 0.1:
                world.place(objectId, receptacle, box)
                settle(world)
                return True
        raise ActionError("Spawn area not clear (Furniture) is in the way, can't place object at that point")

    def _floor(self) -> str:
        stage = self._stage
        room = stage.grid.rooms[stage.grid.nearest(stage.x, stage.z, 0)]
        return next(n for n, s in self._world.specs.items() if s.category == "Floor" and s.room == room)


class _Handling(_Objects):
    """The default agent's hand."""

    def pickup_object(self, objectId: str, forceAction: bool = False, manualInteract: bool = False) -> None:  # noqa: N803
        world = self._world
        self._interactable(objectId, forceAction)
        if not world.specs[objectId].movable:
            raise _invalid(f"{objectId} must have the property CanPickup to be picked up.")
        if world.held:
            raise _invalid("Agent hand has something in it already! Can't pick up anything else")
        world.hold(objectId)

    def put_object(
        self,
        objectId: str,  # noqa: N803
        forceAction: bool = False,  # noqa: N803
        placeStationary: bool = True,  # noqa: N803
        randomSeed: int = 0,  # noqa: N803
    ) -> None:
        world = self._world
        self._interactable(objectId, forceAction)
        if not world.held:
            raise ActionError("Can't place an object if Agent isn't holding anything")
        if not world.can(objectId, "receptacle"):
            raise ActionError("This target object is NOT a receptacle!")
        if world.hides(objectId):
            raise ActionError("Target openable Receptacle is CLOSED, can't place if target is not open!")
        held, onto = (prefab(n, world.category(n)) for n in (world.held, objectId))
        if world.category(objectId) in HANGING and world.children(objectId):
            raise ActionError(f"{onto} is full right now")
        if refusal(world, world.held, objectId):
            raise ActionError(f"{held} is not a valid Object Type to be placed in {onto}")
        try:
            interactions.put(world, objectId, (self._stage.x, self._stage.z))
        except RefusedError as error:
            raise ActionError("No valid positions to place object found") from error

    def throw_object(self, moveMagnitude: float, forceAction: bool = False) -> None:  # noqa: N803
        if not self._world.held:
            raise _invalid("Nothing in Hand to Throw!")
        stage = self._stage
        angle = math.radians(stage.rotation)
        ahead = (stage.x + 1.5 * math.sin(angle), stage.z + 1.5 * math.cos(angle))
        landing = stage.grid.points[stage.grid.nearest(*ahead, 0)]
        _done(interactions.throw, self._world, self._floor(), (float(landing[0]), float(landing[1])))

    def drop_hand_object(self, forceAction: bool = False) -> None:  # noqa: N803
        if not self._world.held:
            raise _invalid("Nothing is in the agent's hand to drop!")
        _done(interactions.put, self._world, self._floor(), (self._stage.x, self._stage.z))


class _ArmHandling(_Objects):
    """ManipulaTHOR's arm, which reaches a sphere around its shoulder and hits nothing; it has no hand to throw with."""

    def move_arm_base(self, y: float, normalizedY: bool = True) -> None:  # noqa: N803
        if normalizedY and not 0.0 <= y <= 1.0:
            raise _out_of_range(f"y={y} value must be in [0, 1] when normalizedY=true.")
        stage, (low, high) = self._stage, ARM_BASE
        height = low + y * (high - low) if normalizedY else y
        if not low <= height <= high:
            raise _out_of_range(f"height={height} value must be in [{low}, {high}].")
        if stage.hand is not None:
            stage.hand = (*stage.hand[:2], stage.hand[2] + height - stage.shoulder_height)
        stage.shoulder_height = height

    def move_arm(
        self,
        position: Vector,
        coordinateSpace: str = "armBase",  # noqa: N803
        restrictMovement: bool = False,  # noqa: N803
        speed: float = 1.0,
        returnToStart: bool = True,  # noqa: N803
        fixedDeltaTime: float = 0.02,  # noqa: N803
    ) -> None:
        """Move the hand to a point, or as far as it goes: that is a success to AI2-THOR."""
        stage = self._stage
        angle, base = math.radians(stage.rotation), stage.shoulder_height
        shoulder = (stage.x + _SHOULDER * math.sin(angle), stage.z + _SHOULDER * math.cos(angle), base)
        if coordinateSpace == "world":
            target = (position["x"], position["z"], position["y"])
        elif coordinateSpace == "armBase":
            right, ahead = position["x"], position["z"]
            x = stage.x + ahead * math.sin(angle) + right * math.cos(angle)
            z = stage.z + ahead * math.cos(angle) - right * math.sin(angle)
            target = (x, z, base + position["y"])
        else:
            raise ThrownError("ArgumentException", f"Invalid coordinateSpace: {coordinateSpace}")
        away = math.dist(shoulder, target)
        if away > _ARM and restrictMovement:
            said = f"Invalid target: Position '{_told(position)}' in space '{coordinateSpace}' is behind shoulder."
            raise _invalid(said)
        share = min(1.0, _ARM / away) if away else 0.0
        x, y, z = (s + share * (t - s) for s, t in zip(shoulder, target, strict=True))
        stage.hand = x, y, z

    def pickup_object(
        self,
        objectIdCandidates: Sequence[str] | None = None,  # noqa: N803
        objectId: str | None = None,  # noqa: N803
    ) -> None:
        if objectId is not None:
            raise _invalid("You are passing in iTHOR PickupObject parameters (objectId) to the arm agent!")
        world, stage = self._world, self._stage
        hand = stage.hand or stage.eye
        for name in list(world) if objectIdCandidates is None else objectIdCandidates:
            if not world.specs[name].movable or world.closed_around(name) or world.held:
                continue
            if _distance(world.boxes[name], hand) <= _GRASP:
                world.hold(name)
        if not world.held:
            meant = "" if objectIdCandidates is None else " (specified by objectId)"
            raise ActionError(f"No objects{meant} were valid to be picked up by the arm")

    def throw_object(self, moveMagnitude: float, forceAction: bool = False) -> None:  # noqa: N803
        raise _invalid("Nothing in Hand to Throw!")

    def drop_hand_object(self, forceAction: bool = False) -> None:  # noqa: N803
        raise _invalid("Nothing is in the agent's hand to drop!")

    def put_object(self, objectId: str, forceAction: bool = False, placeStationary: bool = True) -> None:  # noqa: N803
        self._interactable(objectId, forceAction)
        raise ActionError("Can't place an object if Agent isn't holding anything")

    def release_object(self) -> None:
        world, stage = self._world, self._stage
        if not world.held:
            return
        x, y, z = stage.hand or stage.eye
        held = world.boxes[world.held]
        bottom = z - held.size[2] / 2
        under = [
            (world.boxes[n].high[2], n)
            for n in world
            if world.can(n, "receptacle")
            and not world.is_held(n)
            and world.boxes[n].low[0] <= x <= world.boxes[n].high[0]
            and world.boxes[n].low[1] <= y <= world.boxes[n].high[1]
            and world.boxes[n].low[2] <= bottom + 0.01
            and not world.hides(n)
        ]
        for _, receptacle in sorted(under, reverse=True):
            try:
                interactions.put(world, receptacle, (x, y))
            except RefusedError:
                continue
            return
        _done(interactions.put, world, self._floor(), (stage.x, stage.z))


def _known(stage: Stage, name: str) -> None:
    if name not in stage.world.specs:
        raise ThrownError("ArgumentException", f"objectId: {name} is not the objectId on any object in the scene!")


def _done(action: Callable[..., object], *arguments: object) -> None:
    try:
        action(*arguments)
    except RefusedError as error:
        raise _invalid(error.message) from error


def _distance(box: Box, point: Point) -> float:
    gaps = [max(lo - p, 0.0, p - hi) for p, lo, hi in zip(point, box.low, box.high, strict=True)]
    return math.hypot(*gaps)


def _told(point: Vector) -> str:
    return f"({point['x']:.6f}, {point['y']:.6f}, {point['z']:.6f})"
