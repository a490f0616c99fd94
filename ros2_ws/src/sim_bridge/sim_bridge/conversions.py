# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Between ROS messages and the types of this package."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import KeyValue
from geometry_msgs.msg import Point as PointMsg
from geometry_msgs.msg import Pose, PoseStamped, Quaternion, TransformStamped, Vector3
from nav_msgs.msg import Odometry
from numpy.typing import NDArray
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import Header

from karma_interfaces.msg import (
    InstanceLabel,
    InstanceLabels,
    Result,
    SceneEdge,
    SceneGraph,
    SceneNode,
    SkillCall,
    SkillOutcome,
    SkillParameter,
    SkillTarget,
)
from karma_interfaces.msg import SkillSpec as SkillSpecMsg
from sim_bridge.backend import (
    Code,
    Intrinsics,
    Located,
    Observation,
    Outcome,
    Point,
    Pose2D,
    SeenObject,
    Skill,
    Target,
)
from sim_bridge.skills import SkillSpec

EXACT = 1e-4
"""Variance, m2 or rad2, of what a simulator tells exactly: 1 cm or 0.6 degrees, as filters divide by it."""
UNKNOWN = 1e6
"""Variance of what is not told: roll and pitch of a base that stays upright, and velocities."""
MAP, ODOM, BASE = "map", "odom", "base_link"
CAMERA, OPTICAL = "camera_link", "camera_optical_frame"

_INNER_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

_OPTICAL_IN_CAMERA = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
"""Axes of camera_optical_frame (z forward, x right, y down) in camera_link (x forward, y left, z up); REP-103."""


def skill_from(call: SkillCall) -> Skill:
    """Return the skill that a message calls; nothing is checked here."""
    return Skill(
        name=call.skill,
        target=_target_from(call.target),
        receptacle=_target_from(call.receptacle),
        relation=call.relation,
        positions=tuple(_xyz(p) for p in call.positions),
        duration=float(call.duration),
    )


def outcome_to(outcome: Outcome, call: SkillCall, stamp: Time, robot: Pose2D | None = None) -> SkillOutcome:
    """Return the message of an outcome; `robot`: where the robot is then."""
    return SkillOutcome(
        call=call,
        result=result_to(outcome.code, outcome.message),
        seen=[node_to(seen, stamp) for seen in outcome.seen],
        explore_steps=outcome.explore_steps,
        duration=outcome.duration,
        distance=outcome.distance,
        position=[base_pose_to(robot).position] if robot is not None else [],
        stamp=stamp,
    )


def result_to(code: Code, message: str = "") -> Result:
    """Return the message of a result code and its text."""
    return Result(code=int(code), message=message)


def spoken(category: str) -> str:
    """Return a category as people say it: SoapBottle, soap bottle; CD, cd."""
    return _INNER_CAPITAL.sub(" ", category).lower()


def node_to(seen: SeenObject, stamp: Time) -> SceneNode:
    """Return an object as a node of a scene graph, its box axis-aligned in the map."""
    x, y, z = seen.center
    return SceneNode(
        id=seen.id,
        layer=SceneNode.OBJECT,
        category=seen.category,
        name=spoken(seen.category),
        pose=Pose(position=PointMsg(x=x, y=y, z=z), orientation=Quaternion(w=1.0)),
        size=_vector(seen.size),
        movable=seen.movable,
        receptacle=seen.receptacle,
        relation=seen.relation,
        states=_states(seen.states),
        confidence=1.0,
        last_seen=stamp,
    )


def graph_to(objects: Iterable[SeenObject], scene: str, stamp: Time) -> SceneGraph:
    """Return objects as a full scene graph of object nodes and the relations between them."""
    nodes = [node_to(seen, stamp) for seen in objects]
    kinds = {"on": SceneEdge.ON, "in": SceneEdge.IN}
    centers = {node.id: node.pose.position for node in nodes}
    edges = [
        SceneEdge(
            type=kinds[node.relation],
            source=node.id,
            target=node.receptacle,
            weight=math.dist(_xyz(centers[node.id]), _xyz(centers[node.receptacle])),
        )
        for node in nodes
        if node.relation in kinds and node.receptacle in centers
    ]
    return SceneGraph(header=Header(stamp=stamp, frame_id=MAP), scene=scene, full=True, nodes=nodes, edges=edges)


def skill_spec_to(spec: SkillSpec) -> SkillSpecMsg:
    """Return a row of the skill table as a message."""
    return SkillSpecMsg(
        name=spec.name,
        description=spec.description,
        parameters=[
            SkillParameter(
                name=p.name, type=p.type, required=p.required, choices=list(p.choices), description=p.description
            )
            for p in spec.parameters
        ],
        preconditions=list(spec.preconditions),
        effects=list(spec.effects),
        irreversible=spec.irreversible,
    )


def image_to(pixels: NDArray[np.generic], encoding: str, stamp: Time) -> Image:
    """Return (height, width) or (height, width, channels) pixels as an image in the optical frame."""
    packed = array("B")  # the one type that the message takes without looking at every byte
    packed.frombytes(np.ascontiguousarray(pixels).data.cast("B"))
    height, width = pixels.shape[:2]
    return Image(
        header=Header(stamp=stamp, frame_id=OPTICAL),
        height=height,
        width=width,
        encoding=encoding,
        is_bigendian=0,
        step=len(packed) // height,
        data=packed,
    )


def camera_info_to(k: Intrinsics, stamp: Time) -> CameraInfo:
    """Return the intrinsics of a camera without distortion."""
    return CameraInfo(
        header=Header(stamp=stamp, frame_id=OPTICAL),
        height=k.height,
        width=k.width,
        distortion_model="plumb_bob",
        d=[0.0] * 5,
        k=[k.fx, 0.0, k.cx, 0.0, k.fy, k.cy, 0.0, 0.0, 1.0],
        r=[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        p=[k.fx, 0.0, k.cx, 0.0, 0.0, k.fy, k.cy, 0.0, 0.0, 0.0, 1.0, 0.0],
    )


def labels_to(observation: Observation, scene: str, resets: int, stamp: Time) -> InstanceLabels:
    """Return the labels of an observation's instance image of a scene that was reset so often."""
    labels = [
        InstanceLabel(
            value=value,
            id=label.id,
            category=label.category,
            score=label.score,
            movable=label.movable,
            states=_states(label.states),
        )
        for value, label in observation.labels.items()
    ]
    header = Header(stamp=stamp, frame_id=OPTICAL)
    return InstanceLabels(header=header, scene=scene, resets=resets, held=observation.held, labels=labels)


def pose_to(transform: NDArray[np.float64], stamp: Time) -> PoseStamped:
    """Return a (4, 4) transform to the map as a stamped pose."""
    x, y, z = transform[:3, 3].tolist()
    pose = Pose(position=PointMsg(x=x, y=y, z=z), orientation=quaternion_to(transform[:3, :3]))
    return PoseStamped(header=Header(stamp=stamp, frame_id=MAP), pose=pose)


def base_pose_to(robot: Pose2D) -> Pose:
    """Return the pose of the robot's base in the map."""
    return Pose(
        position=PointMsg(x=robot.x, y=robot.y, z=robot.z),
        orientation=Quaternion(z=math.sin(robot.yaw / 2), w=math.cos(robot.yaw / 2)),
    )


def odometry_to(robot: Pose2D, stamp: Time) -> Odometry:
    """Return the pose of the base as odometry without drift: odom is map. `twist` is not told, and says so."""
    odometry = Odometry(header=Header(stamp=stamp, frame_id=ODOM), child_frame_id=BASE)
    odometry.pose.pose = base_pose_to(robot)
    odometry.pose.covariance = _diagonal((EXACT, EXACT, EXACT, UNKNOWN, UNKNOWN, EXACT))
    odometry.twist.covariance = _diagonal((UNKNOWN,) * 6)
    return odometry


def moving_transforms(located: Located, stamp: Time) -> list[TransformStamped]:
    """Return odom → base_link and base_link → camera_link of one instant; the camera can tilt."""
    base = np.eye(4)
    c, s = math.cos(located.robot.yaw), math.sin(located.robot.yaw)
    base[:2, :2] = [[c, -s], [s, c]]
    base[:3, 3] = located.robot.x, located.robot.y, located.robot.z
    camera = np.array(located.camera_pose)
    camera[:3, :3] = camera[:3, :3] @ _OPTICAL_IN_CAMERA.T
    return [
        _transform(ODOM, BASE, base, stamp),
        _transform(BASE, CAMERA, np.linalg.inv(base) @ camera, stamp),
    ]


def fixed_transforms(stamp: Time) -> list[TransformStamped]:
    """Return map → odom (a simulator's odometry does not drift) and camera_link → camera_optical_frame."""
    optical = np.eye(4)
    optical[:3, :3] = _OPTICAL_IN_CAMERA
    return [_transform(MAP, ODOM, np.eye(4), stamp), _transform(CAMERA, OPTICAL, optical, stamp)]


def quaternion_to(rotation: NDArray[np.float64]) -> Quaternion:
    """Return a (3, 3) rotation matrix as a unit quaternion with w >= 0."""
    m = np.asarray(rotation, dtype=np.float64)
    squares = np.array(
        [m[0, 0] - m[1, 1] - m[2, 2], m[1, 1] - m[0, 0] - m[2, 2], m[2, 2] - m[0, 0] - m[1, 1], m.trace()]
    )
    largest = int(np.argmax(squares))  # divide by the largest component: the others can vanish
    q = np.empty(4)
    q[largest] = 0.5 * math.sqrt(1 + squares[largest])
    quarter = 0.25 / q[largest]
    if largest == 3:
        q[:3] = quarter * np.array([m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]])
    else:
        i, j, k = largest, (largest + 1) % 3, (largest + 2) % 3
        q[j], q[k], q[3] = quarter * (m[j, i] + m[i, j]), quarter * (m[k, i] + m[i, k]), quarter * (m[k, j] - m[j, k])
    x, y, z, w = (q if q[3] >= 0 else -q).tolist()
    return Quaternion(x=x, y=y, z=z, w=w)


def _transform(parent: str, child: str, matrix: NDArray[np.float64], stamp: Time) -> TransformStamped:
    message = TransformStamped(header=Header(stamp=stamp, frame_id=parent), child_frame_id=child)
    message.transform.translation = _vector(matrix[:3, 3].tolist())
    message.transform.rotation = quaternion_to(matrix[:3, :3])
    return message


def _target_from(target: SkillTarget) -> Target:
    return Target(target.id, target.category, _xyz(target.position) if target.has_position else None)


def _diagonal(variances: Sequence[float]) -> list[float]:
    """Return the 6x6 covariance, row by row, of x, y, z, roll, pitch and yaw that don't depend on each other."""
    return np.diag(np.array(variances, np.float64)).ravel().tolist()


def _xyz(point: PointMsg) -> Point:
    return (point.x, point.y, point.z)


def _vector(values: Iterable[float]) -> Vector3:
    x, y, z = values
    return Vector3(x=x, y=y, z=z)


def _states(states: Mapping[str, str]) -> list[KeyValue]:
    return [KeyValue(key=key, value=value) for key, value in states.items()]
