# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What rviz is told to show is what nodes publish."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path
from typing import Any

import yaml

SOURCES = Path(__file__).parents[2]
FILE = SOURCES / "karma" / "rviz" / "karma.rviz"
FOREIGN = {"robot_description": "robot_state_publisher"}


def displays() -> list[dict[str, Any]]:
    return list(yaml.safe_load(FILE.read_text())["Visualization Manager"]["Displays"])


def topics() -> dict[str, dict[str, Any]]:
    found = {}
    for display in displays():
        topic = display.get("Topic") or display.get("Description Topic")
        if topic:
            found[topic.get("Value")] = topic
    return found


def test_every_topic_is_published_by_a_node_of_the_graph() -> None:
    said = set()
    patterns = ("*/*/*_node.py", "*/*/*_publisher.py", "*/*/ros_*.py", "*/*/*_markers.py", "sim_bridge/*/*.py")
    for file in chain.from_iterable(map(SOURCES.glob, patterns)):
        said |= set(re.findall(r'"([a-z_]+(?:/[a-z_]+)*)"', file.read_text()))
    assert {topic for topic in topics() if topic not in said} == FOREIGN.keys()
    assert {
        "scene_graph/markers",
        "planner/markers",
        "memory/answer_markers",
        "odom",
        "camera/color/image_raw",
    } <= topics().keys()


def test_what_is_published_once_is_asked_for_as_such() -> None:
    assert topics()["planner/markers"]["Durability Policy"] == "Transient Local"
    assert topics()["scene_graph/floor_plan"]["Durability Policy"] == "Transient Local"
    assert topics()["robot_description"]["Durability Policy"] == "Transient Local"
    assert all(not topic.startswith("/") for topic in topics()), "names must follow the namespace"
