# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which topics of a recording are the camera's.

Those that the user names, else those with the names that KARMA and common drivers use, else the only one of its kind.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from karma_perception.recording.bag import Bag, BagError, Topic
from karma_perception.recording.images import COMPRESSED, RAW

IMAGES = (RAW, COMPRESSED)
INFO = "sensor_msgs/msg/CameraInfo"
LABELS = "karma_interfaces/msg/InstanceLabels"
POSES = (
    "geometry_msgs/msg/PoseStamped",
    "geometry_msgs/msg/PoseWithCovarianceStamped",
    "geometry_msgs/msg/TransformStamped",
    "nav_msgs/msg/Odometry",
)
TRANSFORMS = "tf2_msgs/msg/TFMessage"
_TRANSFORMS_ROS1 = "tf/msg/tfMessage"

_DEPTH = re.compile(r"(16UC1|32FC1|mono16)\b")
_GREY = re.compile(r"(^|/)(infra\d?|ir|left|right|confidence)(/|_|$)")
"""Names of pictures that are not the color camera's."""
_INSTANCES = re.compile(r"instance|segment|mask|label|semantic")

# RealSense, Azure Kinect, OpenNI (TUM), ZED; first those whose pixels are the other camera's, too.
_KNOWN_DEPTH = (
    "camera/depth/image_raw",
    "aligned_depth_to_color/image_raw",
    "depth_to_rgb/image_raw",
    "depth_registered/image_rect",
    "depth_registered/image_raw",
    "depth_registered/image",
    "depth/depth_registered",
    "depth/image_rect_raw",
    "depth/image_raw",
    "depth/image",
)
_KNOWN_COLOR = (
    "camera/color/image_raw",
    "rgb/image_rect_color",
    "color/image_raw",
    "color/image_rect_raw",
    "rgb/image_raw",
    "rgb/image_color",
    "left/image_rect_color",
)


@dataclass(frozen=True)
class TopicArguments:
    """What the user says; empty: to be found."""

    color: str = ""
    depth: str = ""
    color_info: str = ""
    depth_info: str = ""
    instances: str = ""
    labels: str = ""
    namespace: str = ""
    """Of the robot: only topics in it count, and transforms everywhere."""


@dataclass(frozen=True)
class CameraTopics:
    """The topics of the camera; empty where there is none."""

    depth: str
    color: str
    depth_info: str
    color_info: str
    instances: str = ""
    labels: str = ""


def choose_topics(
    bag: Bag, encodings: Mapping[str, str], given: TopicArguments, *, with_instances: bool
) -> CameraTopics:
    """Return the camera's topics. `encodings`: of the first picture on each topic.

    `BagError`, with what there is, when one is missing or several could be meant.
    """
    topics = within(bag.topics, given.namespace)
    images = [t for t in topics if t.type in IMAGES and t.count]
    instances = labels = ""
    if with_instances:
        labels = choose(
            "instance labels", given.labels, [t for t in topics if t.type == LABELS], bag, ("instance_labels",)
        )
        masks = [t for t in images if _INSTANCES.search(t.name) and encodings.get(t.name) in ("16UC1", "mono16")]
        instances = choose("instance images", given.instances, masks, bag, ("camera/instances",))
    rest = [t for t in images if t.name != instances and not _INSTANCES.search(t.name)]
    depths = [t for t in rest if _DEPTH.match(encodings.get(t.name, "")) and not _GREY.search(t.name)]
    if not depths and not given.depth:
        pictures = "".join(f"\n  {t.name} ({encodings.get(t.name, '')[:48] or 'not readable'})" for t in rest)
        raise BagError(
            f"{bag.path} has no topic with depth, encoded as 16UC1, mono16 or 32FC1; name it with --depth if it is "
            f"among these:{pictures or listed(bag.topics)}"
        )
    depth = choose("depth", given.depth, _raw_first(depths), bag, _KNOWN_DEPTH)
    colors = [t for t in rest if t not in depths and not _GREY.search(t.name)] or [t for t in rest if t not in depths]
    color = choose("color", given.color, _raw_first(colors), bag, _KNOWN_COLOR, needed=not with_instances)
    return CameraTopics(
        depth=depth,
        color=color,
        depth_info=_named_info(given.depth_info, bag) or _beside(depth, bag),
        color_info=_named_info(given.color_info, bag) or _beside(color, bag),
        instances=instances,
        labels=labels,
    )


def with_info(found: CameraTopics, bag: Bag, namespace: str, *, apart: bool) -> CameraTopics:
    """Return the topics with a camera info for the depth: the only one there is when none lies beside the images.

    `apart`: the color's own tells nothing about the depth. `BagError` when there is none or several could be meant.
    """
    if found.depth_info or (found.color_info and not apart):
        return found
    infos = [t for t in within(bag.topics, namespace) if t.type == INFO and t.count and t.name != found.color_info]
    if len(infos) == 1:
        return replace(found, depth_info=infos[0].name)
    if infos:
        raise BagError(f"several topics could be the depth's camera info; choose one with --info:{listed(infos)}")
    raise BagError(
        f"{bag.path} has no camera info for {found.depth}: say --intrinsics FX FY CX CY, or name one with --info; "
        f"it has:{listed(bag.topics)}"
    )


def choose(
    what: str, given: str, candidates: Sequence[Topic], bag: Bag, known: Sequence[str] = (), *, needed: bool = True
) -> str:
    """Return the name of the topic that is meant; "" when there is none and it is not `needed`."""
    if given:
        return find(bag, given)
    for name in known:
        named = [t for t in candidates if t.name == f"/{name}" or t.name.endswith(f"/{name}")]
        if len(named) == 1:
            return named[0].name
    if len(candidates) == 1:
        return candidates[0].name
    option = "--" + what.replace(" images", "").replace("instance labels", "labels").replace(" ", "-")
    if candidates:
        raise BagError(f"several topics could be {what}; choose one with {option}:{listed(candidates)}")
    if needed:
        network = ", or have a network find instances with --detector onnx" if "instance" in what else ""
        raise BagError(
            f"{bag.path} has no topic with {what}; if it is among these, name it with {option}{network}:"
            f"{listed(bag.topics)}"
        )
    return ""


def find(bag: Bag, name: str) -> str:
    """Return the topic's name as the bag has it, with its slash. `BagError` when it is not there."""
    for topic in bag.topics:
        if topic.name.lstrip("/") == name.lstrip("/"):
            return topic.name
    raise BagError(f"{bag.path} has no topic {name}; it has:{listed(bag.topics)}")


def within(topics: Sequence[Topic], namespace: str) -> list[Topic]:
    """Return the topics of a namespace; all for an empty one."""
    prefix = f"/{namespace.strip('/')}/" if namespace.strip("/") else "/"
    return [t for t in topics if f"/{t.name.lstrip('/')}".startswith(prefix)]


def transform_topics(topics: Sequence[Topic], namespace: str) -> list[Topic]:
    """Return the topics with transforms: those of the namespace and those of all robots."""
    found = [t for t in topics if t.type in (TRANSFORMS, _TRANSFORMS_ROS1)]
    own = within(found, namespace)
    return own + [t for t in found if t not in own and t.name.lstrip("/") in ("tf", "tf_static")]


def listed(topics: Sequence[Topic]) -> str:
    """Return topics as lines."""
    if not topics:
        return " none"
    return "".join(f"\n  {t.name} ({t.type}, {t.count} messages)" for t in topics)


def _raw_first(topics: Sequence[Topic]) -> list[Topic]:
    """Return the topics without the compressed ones whose raw pictures are there, too."""
    names = {t.name for t in topics}
    return [t for t in topics if base_of(t.name) == t.name or base_of(t.name) not in names]


def base_of(name: str) -> str:
    """Return the topic whose pictures a compressed one carries: image_transport appends the transport's name."""
    return re.sub(r"/(compressed|compressedDepth|png|jpeg)$", "", name)


def _named_info(given: str, bag: Bag) -> str:
    """Return the topic of camera infos that the user names; `BagError` when it is not there, or something else."""
    if not given:
        return ""
    name = find(bag, given)
    if any(t.name == name and t.type == INFO for t in bag.topics):
        return name
    infos = [t for t in bag.topics if t.type == INFO]
    raise BagError(f"{name} is no {INFO}; these are:{listed(infos)}")


def _beside(image: str, bag: Bag) -> str:
    """Return the camera info in the folder of an image topic; "" when there is none."""
    name = base_of(image).rpartition("/")[0] + "/camera_info"
    return name if image and any(t.name == name and t.type == INFO and t.count for t in bag.topics) else ""
