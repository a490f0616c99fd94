# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the camera shows, and where it is: frames, units, stamps, and that picture and map agree."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sim_bridge.backend import Code, InstanceLabel, Located, Observation, Pose2D, SeenObject, Target
from sim_bridge.conformance.check import check, require
from sim_bridge.conformance.subject import Feature
from sim_bridge.conformance.trial import Trial

_ENOUGH = 30
"""Pixels of an object from which its place is judged."""


@check(Feature.PICTURES)
def arrays_of_an_observation(trial: Trial) -> None:
    """Colour, depth and instances have the size of the intrinsics and the types of the protocol; depth is in metres."""
    seen = trial.observe()
    k = seen.intrinsics
    shape = (k.height, k.width)
    _require_array("rgb", seen.rgb, (*shape, 3), np.uint8)
    require(seen.rgb.max() > seen.rgb.min(), "a picture of something", f"{seen.rgb.max()} everywhere")
    _require_array("depth", seen.depth, shape, np.float32)
    depth = seen.depth
    require(np.isfinite(depth).all() and depth.min() >= 0.0, "finite depth, 0 for none", "NaN, inf or less than 0")
    require((depth > 0).mean() > 0.5, "depth in most of the picture", f"in {(depth > 0).mean():.0%}")
    require(0.1 < np.median(depth[depth > 0]) < 30.0, "depth in metres", f"{np.median(depth[depth > 0])} in the middle")
    if seen.instances is not None:
        _require_array("instances", seen.instances, shape, np.uint16)


def _require_array(name: str, array: object, shape: tuple[int, ...], kind: type) -> None:
    fits = isinstance(array, np.ndarray) and array.shape == shape and array.dtype == kind
    got = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array)
    require(fits, f"{name} as {np.dtype(kind)} {shape}", got)


@check(Feature.PICTURES)
def intrinsics_of_the_camera(trial: Trial) -> None:
    """The intrinsics are in pixels of the picture: square ones, with the optical axis near the middle."""
    k = trial.observe().intrinsics
    wide = math.degrees(2 * math.atan(k.width / 2 / k.fx)) if k.fx > 0 else 0.0
    require(20.0 < wide < 170.0, "a field of view of a camera", f"{wide:.0f} degrees")
    require(abs(k.fx / k.fy - 1.0) < 0.05, "square pixels", f"fx {k.fx}, fy {k.fy}")
    centred = abs(k.cx / k.width - 0.5) < 0.1 and abs(k.cy / k.height - 0.5) < 0.1
    require(centred, "the optical axis near the middle", f"cx {k.cx}, cy {k.cy} of {k.width} x {k.height}")


@check()
def camera_frame(trial: Trial) -> None:
    """camera_pose is a rigid transform of an optical frame that looks ahead: z forward, x right, y down."""
    for _ in range(2):
        where = trial.backend.locate()
        pose = where.camera_pose
        _require_array("camera_pose", pose, (4, 4), np.float64)
        turn = pose[:3, :3]
        rigid = np.allclose(turn @ turn.T, np.eye(3), atol=1e-4) and np.allclose(pose[3], [0, 0, 0, 1])
        require(rigid and np.linalg.det(turn) > 0, "a rigid transform", pose.tolist())
        yaw = where.robot.yaw
        ahead, left = np.array([math.cos(yaw), math.sin(yaw), 0.0]), np.array([-math.sin(yaw), math.cos(yaw), 0.0])
        require(turn[:, 0] @ left < -0.7, "x of the camera to the robot's right", turn[:, 0].tolist())
        require(turn[2, 1] < 0.0, "y of the camera down", turn[:, 1].tolist())
        require(turn[:, 2] @ ahead > 0.3, "z of the camera ahead", turn[:, 2].tolist())
        above = pose[2, 3] - where.robot.z
        require(0.1 < above < 2.5, "the camera above the robot's floor", f"{above:.2f} m")
        aside = math.dist(pose[:2, 3], (where.robot.x, where.robot.y))
        require(aside < 1.0, "the camera on the robot", f"{aside:.2f} m aside")
        trial.go(trial.find(trial.subject.props.portable))


@check("GoToObject", Feature.PICTURES)
def locating_agrees_with_observing(trial: Trial) -> None:
    """locate() and observe() tell the same of robot and camera, before and after driving."""
    for categories in ((), trial.subject.props.container, trial.subject.props.portable):
        if categories:
            trial.go(trial.find(categories))
        _require_same_place(trial, trial.backend.locate(), trial.observe())


def _require_same_place(trial: Trial, located: Located, seen: Located) -> None:
    slack = trial.subject.tolerances
    apart = np.abs(located.camera_pose[:3, 3] - seen.camera_pose[:3, 3]).max()
    turned = np.abs(located.camera_pose[:3, :3] - seen.camera_pose[:3, :3]).max()
    require(apart <= slack.pose and turned <= slack.angle, "one camera pose", f"{apart:.3f} m, {turned:.3f} rad apart")
    require_same_pose(trial, located.robot, seen.robot)


def require_same_pose(trial: Trial, one: Pose2D, other: Pose2D) -> None:
    """Require that two readings of the robot's pose agree."""
    slack = trial.subject.tolerances
    apart = math.dist((one.x, one.y, one.z), (other.x, other.y, other.z))
    turned = abs(math.remainder(one.yaw - other.yaw, math.tau))
    require(apart <= slack.pose and turned <= slack.angle, f"the robot at {one}", other)


@check("Wait", Feature.PICTURES)
def stamps(trial: Trial) -> None:
    """Stamps grow with what is done, in seconds: a wait of 2 s lies 2 s apart."""
    times = [trial.observe().stamp]
    for _ in range(2):
        trial.expect(Code.SUCCESS, "Wait", duration=2.0)
        times.append(trial.observe().stamp)
    require(all(map(math.isfinite, times)), "stamps in seconds", times)
    for before, after in itertools.pairwise(times):
        slack = trial.subject.tolerances.clock
        require(2.0 - slack <= after - before <= 2.0 + 2 * slack, "stamps 2 s apart", f"{after - before} s")
    trial.go(trial.find(trial.subject.props.container))
    require(trial.observe().stamp > times[-1], "a later stamp after a drive", trial.observe().stamp)


@check(Feature.PICTURES)
def nothing_below_the_floor(trial: Trial) -> None:
    """Depth, intrinsics and camera pose together put the floor at the robot's feet."""
    for categories in (trial.subject.props.container, trial.subject.props.portable):
        trial.go(trial.find(categories))
        seen = trial.observe()
        lowest = float(np.percentile(_points(seen, seen.depth > 0)[:, 2], 2)) - seen.robot.z
        slack = trial.subject.tolerances.box
        require(lowest >= -slack, "nothing below the floor", f"points {-lowest:.2f} m below it")


def _points(seen: Observation, mask: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the pixels of a mask as points (n, 3) in the map frame."""
    v, u = np.nonzero(mask & (seen.depth > 0))
    k, z = seen.intrinsics, seen.depth[v, u].astype(np.float64)
    rays = np.stack([(u - k.cx) / k.fx * z, (v - k.cy) / k.fy * z, z, np.ones_like(z)])
    return (seen.camera_pose @ rays)[:3].T


def _views(trial: Trial) -> Iterator[tuple[Target, Observation, dict[str, SeenObject]]]:
    """Yield three things, the picture before each, and what is known of the objects in view by id."""
    props = trial.subject.props
    for categories in (props.portable, props.container, props.surface):
        target = trial.find(categories)
        reports = trial.go(target).seen
        if Feature.GROUND_TRUTH not in trial.subject.lacks:
            reports = trial.backend.ground_truth()
        elif "FindObject" not in trial.subject.lacks:
            reports = trial.do("FindObject").seen
        yield target, trial.observe(), {o.id: o for o in reports}


@check("GoToObject", Feature.PICTURES, Feature.INSTANCES)
def labels_of_the_instances(trial: Trial) -> None:
    """The labels name exactly the values in the instance image, and the thing in front is among them."""
    for target, seen, known in _views(trial):
        assert seen.instances is not None
        values = set(np.unique(seen.instances).tolist()) - {0}
        require(values == set(seen.labels), "a label for each value and no other", values ^ set(seen.labels))
        names = [label.id for label in seen.labels.values()]
        require(len(names) == len(set(names)), "a value for each object", sorted(names))
        require(target.id in names, f"{target.id} in the picture", names)
        for label in seen.labels.values():
            _require_label(label, known)


def _require_label(label: InstanceLabel, known: dict[str, SeenObject]) -> None:
    require(label.id and label.category and 0.0 < label.score <= 1.0, "a label with a score up to 1", label)
    if label.id in known:
        true = known[label.id]
        told, tells = (label.category, label.movable), (true.category, true.movable)
        require(told == tells, f"{label.id} as {tells}", told)


@check("GoToObject", Feature.PICTURES, Feature.INSTANCES, Feature.RECOGNITION)
def pictured_things_are_where_they_are_reported(trial: Trial) -> None:
    """Pixels of an object, by depth and camera pose, lie in the box that is reported of it."""
    judged = 0
    for _, seen, known in _views(trial):
        for value, label in seen.labels.items():
            mask = np.asarray(seen.instances == value)
            if label.id not in known or label.id == seen.held or mask.sum() < _ENOUGH:
                continue
            points, box = _points(seen, mask), known[label.id]
            if len(points) < _ENOUGH:
                continue
            off = np.maximum(np.abs(points - box.center) - np.array(box.size) / 2, 0.0)
            inside = float((off.max(axis=1) <= trial.subject.tolerances.box).mean())
            require(inside >= 0.9, f"the pixels of {label.id} in its box {box.center} {box.size}", f"{inside:.0%}")
            judged += 1
    require(judged >= 3, "three objects that are pictured and reported", judged)


@check("GoToObject", Feature.PICTURES, Feature.INSTANCES, Feature.RECOGNITION)
def a_things_centre_is_pictured_in_its_mask(trial: Trial) -> None:
    """The reported centre of a thing in front projects into the rectangle of its mask, at the depth shown there."""
    target, seen, known = next(_views(trial))
    value = next((v for v, label in seen.labels.items() if label.id == target.id), 0)
    require(value and target.id in known, f"{target.id} in the picture", [s.id for s in seen.labels.values()])
    mask = (seen.instances == value) & (seen.depth > 0)
    v, u = np.nonzero(mask)
    x, y, z, _ = np.linalg.inv(seen.camera_pose) @ [*known[target.id].center, 1.0]
    k, slack = seen.intrinsics, trial.subject.tolerances
    at = (k.fx * x / z + k.cx, k.fy * y / z + k.cy)
    inside = u.min() - slack.pixels <= at[0] <= u.max() + slack.pixels
    inside = inside and v.min() - slack.pixels <= at[1] <= v.max() + slack.pixels
    require(inside, f"the centre in columns {u.min()}-{u.max()}, rows {v.min()}-{v.max()}", at)
    half = math.dist((0, 0, 0), known[target.id].size) / 2
    shown = float(np.median(seen.depth[mask]))
    require(abs(shown - z) <= half + slack.box, f"a depth of {z:.2f} m within {half:.2f} m", f"{shown:.2f} m")
