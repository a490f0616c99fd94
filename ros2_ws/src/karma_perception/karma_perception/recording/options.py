# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a user may say about a recording."""

from __future__ import annotations

from dataclasses import dataclass, field

from karma_perception.frames.transforms import Mount
from karma_perception.recording.topics import TopicArguments


@dataclass(frozen=True, kw_only=True)
class RecordingOptions:
    """How frames are made of a recording; what is empty is found."""

    topics: TopicArguments = field(default_factory=TopicArguments)
    pose: str = ""
    """Topic of the camera's or the robot's pose, or "tf"."""
    pose_of: str = ""
    """Frame whose pose that topic tells. Empty: odometry's own child frame, else the camera's optical frame."""
    map_frame: str = ""
    """Frame of the map. Empty: the pose's; with transforms map, world or odom, else the root."""
    camera_frame: str = ""
    """The depth camera's optical frame. Empty: the one that its images name."""
    mount: Mount | None = None
    """The camera in the frame of the pose; None: from transforms, or the pose is that of the optical frame."""
    up: str = "z"
    """Axis of the map frame that points up: x, y, z, -x, -y or -z."""
    slop: float = 0.03
    """Seconds by which the stamps of a depth image and of what belongs to it may differ."""
    pose_gap: float = 0.5
    """Seconds between two poses between which the camera's is interpolated."""
    depth_unit: float | None = None
    """Metres that one unit of a depth image stands for; None: 0.001 for integers, 1 for floats (REP-118)."""
    intrinsics: tuple[float, float, float, float] | None = None
    """fx, fy, cx, cy in pixels of the depth image, instead of the camera infos'."""
    rate: float = 0.0
    """Most frames a second of the recording; 0: all."""
