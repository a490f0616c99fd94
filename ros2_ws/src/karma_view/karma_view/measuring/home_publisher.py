# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A home in which something always moves: python -m karma_view.measuring.home_publisher OBJECTS RATE, until SIGTERM.

It publishes scene_graph as perception does. The first room's name is the time at which it was published, so that
whoever shows the home shows how late it is.
"""

from __future__ import annotations

import sys
import time

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from karma_interfaces.msg import SceneGraph, SceneNode
from karma_interfaces.srv import GetSceneGraph
from karma_perception.scene_graph import Vector

TICK = "tick "
"""In front of the time, nanoseconds of the monotonic clock."""
MOVED = 10
"""Things that move with every update."""
PER_ROOM = 50
ROOM_M = 5.0


def main() -> None:
    """Publish until the process is told to end."""
    objects, rate = int(sys.argv[1]), float(sys.argv[2])
    rclpy.init()
    node = rclpy.create_node("perception")
    qos = QoSProfile(depth=64, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    publisher = node.create_publisher(SceneGraph, "scene_graph", qos)
    nodes = home(objects)
    things = [one for one in nodes if one.layer == SceneNode.OBJECT]
    room = next(one for one in nodes if one.layer == SceneNode.ROOM)
    sequence = 1

    def full(_: object, response: GetSceneGraph.Response) -> GetSceneGraph.Response:
        response.result.code = 1
        response.graph = SceneGraph(scene="bench", sequence=sequence, full=True, nodes=nodes)
        return response

    def tick() -> None:
        nonlocal sequence
        sequence += 1
        moved = [things[(sequence * MOVED + number) % len(things)] for number in range(MOVED)]
        for thing in moved:
            thing.pose.position.z = 0.5 + (sequence % 20) * 0.05
        room.name = f"{TICK}{time.monotonic_ns()}"
        publisher.publish(SceneGraph(scene="bench", sequence=sequence, nodes=[room, *moved]))

    node.create_service(GetSceneGraph, "scene_graph/get_full", full)
    node.create_timer(1.0 / rate, tick)
    try:
        rclpy.spin(node)
    except (ExternalShutdownException, KeyboardInterrupt):
        return


def home(objects: int) -> list[SceneNode]:
    """Return a floor, rooms of PER_ROOM things each with an area, and the things."""
    nodes = [SceneNode(id="floor", layer=SceneNode.FLOOR, category="Floor", name="floor")]
    for number in range(objects):
        room, place = divmod(number, PER_ROOM)
        x, y = room % 10 * ROOM_M, room // 10 * ROOM_M
        if place == 0:
            nodes.append(_node("Room", room, SceneNode.ROOM, "floor", (x, y, 1.2), (4.8, 4.8, 2.4)))
            nodes.append(_node("Area", room, SceneNode.AREA, f"room{room}", (x, y, 0.5), (4.0, 4.0, 1.0)))
        at = (x - 2.0 + place % 8 * 0.5, y - 2.0 + place // 8 * 0.5, 0.5)
        nodes.append(_node("Mug", number, SceneNode.OBJECT, f"area{room}", at, (0.1, 0.1, 0.12)))
        nodes[-1].movable = True
    return nodes


def _node(category: str, number: int, layer: int, parent: str, center: Vector, size: Vector) -> SceneNode:
    kind = category.lower()
    node = SceneNode(id=f"{kind}{number}", layer=layer, parent=parent, confidence=1.0)
    node.category, node.name = category, f"{kind} {number}"
    node.pose.position.x, node.pose.position.y, node.pose.position.z = center
    node.pose.orientation.w = 1.0
    node.size.x, node.size.y, node.size.z = size
    return node


if __name__ == "__main__":
    main()
