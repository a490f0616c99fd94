# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Bags for tests, written by rosbags: frames of a world of boxes as a robot would record them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
from ament_index_python.packages import get_package_share_directory
from raycast import Intrinsics, pose, room, shoot, thing
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from rosbags.typesys.store import Typestore

from karma_perception.frames.camera import Frame

SMALL = Intrinsics(width=160, height=120, fx=80.0, fy=80.0, cx=79.5, cy=59.5)
START = 1_000
"""Seconds; the stamp of the first frame."""
PERIOD = 0.25
"""Seconds between frames; exact in binary."""

DEPTH, COLOR, INSTANCES = "/camera/depth/image_raw", "/camera/color/image_raw", "/camera/instances"
LABELS, INFO, POSE = "/camera/instance_labels", "/camera/depth/camera_info", "/camera/pose"
OPTICAL = "camera_optical_frame"
TYPES = {
    DEPTH: "sensor_msgs/msg/Image",
    COLOR: "sensor_msgs/msg/Image",
    INSTANCES: "sensor_msgs/msg/Image",
    LABELS: "karma_interfaces/msg/InstanceLabels",
    INFO: "sensor_msgs/msg/CameraInfo",
    POSE: "geometry_msgs/msg/PoseStamped",
}


@dataclass
class Recorded:
    """One message of a bag."""

    topic: str
    type: str
    time: float
    """Seconds; of receipt."""
    message: object
    raw: bytes = b""
    """Instead of the message."""


@dataclass
class Script:
    """The messages of a bag, which tests spoil before it is written."""

    messages: list[Recorded] = field(default_factory=list)

    def on(self, topic: str) -> list[Recorded]:
        return [m for m in self.messages if m.topic == topic]

    def drop(self, topic: str, *which: int) -> None:
        gone = self.on(topic) if not which else [self.on(topic)[i] for i in which]
        self.messages = [m for m in self.messages if all(m is not g for g in gone)]

    def rename(self, topic: str, name: str) -> None:
        for m in self.on(topic):
            m.topic = name

    def add(self, topic: str, kind: str, time: float, **values: object) -> None:
        self.messages.append(Recorded(topic, kind, time, types().types[kind](**values)))

    def write(self, path: Path, *, storage: str = "mcap", size: int | None = None) -> Path:
        """Write them; `size`: how much of the file to leave."""
        with Writer(path, version=9, storage_plugin=StoragePlugin[storage.upper()]) as writer:
            connections = {}
            for m in sorted(self.messages, key=lambda m: m.time):
                if m.topic not in connections:
                    connections[m.topic] = writer.add_connection(m.topic, m.type, typestore=types())
                data = m.raw or types().serialize_cdr(m.message, m.type)
                writer.write(connections[m.topic], round(m.time * 1e9), data)
        return path


@cache
def types() -> Typestore:
    store = get_typestore(Stores.LATEST)
    for name in ("InstanceLabel", "InstanceLabels"):
        text = (Path(get_package_share_directory("karma_interfaces")) / "msg" / f"{name}.msg").read_text()
        store.register(get_types_from_msg(text, f"karma_interfaces/msg/{name}"))
    return store


def make(kind: str, **values: object) -> object:
    return types().types[kind](**values)


def world_frames(count: int = 10) -> list[Frame]:
    """Look around in a room with a table, a mug on it, and a chair."""
    world = [
        *room(0.0, 0.0, 5.0, 4.0),
        thing("Table", (3.5, 2.0, 0.4), (1.0, 1.2, 0.8)),
        thing("Mug", (3.4, 2.1, 0.85), (0.1, 0.1, 0.1), movable=True, isFilled="false"),
        thing("Chair", (2.5, 0.8, 0.45), (0.5, 0.5, 0.9)),
    ]
    poses = [pose(1.0 + 0.05 * i, 2.0, -30.0 + 6.0 * i) for i in range(count)]
    return [shoot(world, p, stamp=START + PERIOD * i, intrinsics=SMALL) for i, p in enumerate(poses)]


def script(frames: list[Frame]) -> Script:
    """Return the messages of frames, each recorded 10 ms after its stamp."""
    result = Script()
    for frame in frames:
        for topic, message in messages_of(frame).items():
            result.messages.append(Recorded(topic, TYPES[topic], frame.stamp + 0.01, message))
    return result


def messages_of(frame: Frame) -> dict[str, object]:
    camera = header(frame.stamp, OPTICAL)
    k = frame.intrinsics
    labels = [
        make(
            "karma_interfaces/msg/InstanceLabel",
            value=value,
            id=label.id,
            category=label.category,
            score=label.score,
            movable=label.movable,
            states=[make("diagnostic_msgs/msg/KeyValue", key=a, value=b) for a, b in label.states.items()],
        )
        for value, label in frame.labels.items()
    ]
    return {
        INFO: camera_info(camera, k),
        POSE: make(
            "geometry_msgs/msg/PoseStamped", header=header(frame.stamp, "map"), pose=ros_pose(frame.camera_pose)
        ),
        LABELS: make(
            "karma_interfaces/msg/InstanceLabels",
            header=camera,
            scene=frame.scene,
            resets=frame.resets,
            held=frame.held,
            labels=labels,
        ),
        INSTANCES: image(camera, frame.instances, "16UC1"),
        COLOR: image(camera, frame.rgb, "rgb8"),
        DEPTH: image(camera, frame.depth, "32FC1"),
    }


def header(stamp: float, frame: str) -> object:
    time = make("builtin_interfaces/msg/Time", sec=int(stamp), nanosec=round(stamp % 1 * 1e9))
    return make("std_msgs/msg/Header", stamp=time, frame_id=frame)


def image(head: object, pixels: np.ndarray, encoding: str) -> object:
    data = np.ascontiguousarray(pixels).view(np.uint8).reshape(-1)
    height, width = pixels.shape[:2]
    return make(
        "sensor_msgs/msg/Image",
        header=head,
        height=height,
        width=width,
        encoding=encoding,
        is_bigendian=0,
        step=len(data) // height,
        data=data,
    )


def compressed(head: object, form: str, data: bytes) -> object:
    return make("sensor_msgs/msg/CompressedImage", header=head, format=form, data=np.frombuffer(data, np.uint8))


def camera_info(head: object, k: Intrinsics) -> object:
    return make(
        "sensor_msgs/msg/CameraInfo",
        header=head,
        height=k.height,
        width=k.width,
        distortion_model="plumb_bob",
        d=np.zeros(5),
        k=np.array([k.fx, 0.0, k.cx, 0.0, k.fy, k.cy, 0.0, 0.0, 1.0]),
        r=np.eye(3).ravel(),
        p=np.array([k.fx, 0.0, k.cx, 0.0, 0.0, k.fy, k.cy, 0.0, 0.0, 0.0, 1.0, 0.0]),
        binning_x=0,
        binning_y=0,
        roi=make("sensor_msgs/msg/RegionOfInterest", x_offset=0, y_offset=0, height=0, width=0, do_rectify=False),
    )


def ros_pose(matrix: np.ndarray) -> object:
    x, y, z = matrix[:3, 3].tolist()
    a, b, c, d = quaternion(matrix[:3, :3])
    return make(
        "geometry_msgs/msg/Pose",
        position=make("geometry_msgs/msg/Point", x=x, y=y, z=z),
        orientation=make("geometry_msgs/msg/Quaternion", x=a, y=b, z=c, w=d),
    )


def odometry(stamp: float, matrix: np.ndarray, parent: str = "odom", child: str = "base_link") -> dict[str, object]:
    zero = make("geometry_msgs/msg/Vector3", x=0.0, y=0.0, z=0.0)
    twist = make("geometry_msgs/msg/Twist", linear=zero, angular=zero)
    return {
        "header": header(stamp, parent),
        "child_frame_id": child,
        "pose": make("geometry_msgs/msg/PoseWithCovariance", pose=ros_pose(matrix), covariance=np.zeros(36)),
        "twist": make("geometry_msgs/msg/TwistWithCovariance", twist=twist, covariance=np.zeros(36)),
    }


def transforms(stamp: float, *links: tuple[str, str, np.ndarray]) -> dict[str, object]:
    """Return the fields of a TFMessage; links: parent, child, transform."""
    result = []
    for parent, child, matrix in links:
        x, y, z = matrix[:3, 3].tolist()
        a, b, c, d = quaternion(matrix[:3, :3])
        transform = make(
            "geometry_msgs/msg/Transform",
            translation=make("geometry_msgs/msg/Vector3", x=x, y=y, z=z),
            rotation=make("geometry_msgs/msg/Quaternion", x=a, y=b, z=c, w=d),
        )
        result.append(
            make(
                "geometry_msgs/msg/TransformStamped",
                header=header(stamp, parent),
                child_frame_id=child,
                transform=transform,
            )
        )
    return {"transforms": result}


def quaternion(r: np.ndarray) -> tuple[float, float, float, float]:
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_matrix(r).as_quat().tolist()
    return (x, y, z, w)
