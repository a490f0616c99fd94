# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The peer: viser as its examples use it, a box and a label for each object, all drawn again with every update.

python -m karma_view.measuring.plain_page PORT, until SIGTERM.
"""

from __future__ import annotations

import sys

import rclpy
import viser
from rclpy.executors import ExternalShutdownException
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from karma_interfaces.msg import SceneGraph, SceneNode


def main() -> None:
    """Serve until the process is told to end."""
    server = viser.ViserServer(host="127.0.0.1", port=int(sys.argv[1]), verbose=False)
    rclpy.init()
    node = rclpy.create_node("plain_page")
    nodes: dict[str, SceneNode] = {}

    def draw(message: SceneGraph) -> None:
        nodes.update((one.id, one) for one in message.nodes)
        for one in nodes.values():
            at, size = one.pose.position, one.size
            position = (at.x, at.y, at.z)
            if one.layer == SceneNode.OBJECT:
                server.scene.add_box(f"/{one.id}", dimensions=(size.x, size.y, size.z), position=position)
            server.scene.add_label(f"/{one.id}/label", one.name, position=position)

    qos = QoSProfile(depth=64, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    node.create_subscription(SceneGraph, "scene_graph", draw, qos)
    try:
        rclpy.spin(node)
    except (ExternalShutdownException, KeyboardInterrupt):
        return


if __name__ == "__main__":
    main()
