# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Long-term memory (KARMA, section 3.3): a hierarchical 3D scene graph per scene, floor > room > area > object."""

from karma_memory.scene_graph.beliefs import Belief
from karma_memory.scene_graph.follower import GraphUpdate, SceneFollower
from karma_memory.scene_graph.graph import SceneGraph
from karma_memory.scene_graph.habits import LikelyPlace, likely_places
from karma_memory.scene_graph.queries import Sighting, contents, path_between, where_is
from karma_memory.scene_graph.spark_dsg import SparkDsgError, from_spark_dsg, to_spark_dsg
from karma_memory.scene_graph.text import area_line, area_lines, describe

__all__ = [
    "Belief",
    "GraphUpdate",
    "LikelyPlace",
    "SceneFollower",
    "SceneGraph",
    "Sighting",
    "SparkDsgError",
    "area_line",
    "area_lines",
    "contents",
    "describe",
    "from_spark_dsg",
    "likely_places",
    "path_between",
    "to_spark_dsg",
    "where_is",
]
