# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The keys that package.xml may use, each looked up in rosdistro.

Looked up on 28 November 2026 in github.com/ros/rosdistro as of 22 August 2026 (commit 8468e88c): rosdep/base.yaml and
rosdep/python.yaml for Ubuntu and Debian, {jazzy,kilted,lyrical}/distribution.yaml for ROS packages. Look up a new key
there before you add it here. All are there for Ubuntu 24.04; what version comes with a key is not checked.
"""

from __future__ import annotations

SYSTEM = frozenset(
    {
        "python3-click",
        "python3-cryptography",
        "python3-httpx",
        "python3-hypothesis",
        "python3-jinja2",
        "python3-matplotlib",
        "python3-networkx",
        "python3-numpy",
        "python3-pil",
        "python3-pydantic",
        "python3-pytest",
        "python3-rich",
        "python3-scipy",
        "python3-tqdm",
        "python3-uvicorn",
        "python3-yaml",
        "supervisor",
    }
)
"""Packages of the operating system."""

FROM_PYPI = frozenset(
    {
        "python3-mcp-pip",
        "python3-mujoco-pip",
        "python3-ollama-pip",
        "python3-onnxruntime-pip",
        "python3-openai-pip",
        "python3-rapidfuzz-pip",
        "python3-rosbags-pip",
        "python3-trimesh-pip",
        "python3-yourdfpy-pip",
    }
)
"""rosdep installs them with pip. A package that names one can't be released into a ROS distribution."""

ROS = frozenset(
    {
        "action_msgs",
        "ament_cmake",
        "ament_index_python",
        "builtin_interfaces",
        "control_msgs",
        "diagnostic_msgs",
        "geometry_msgs",
        "launch",
        "launch_ros",
        "lifecycle_msgs",
        "nav2_msgs",
        "nav_msgs",
        "rcl_interfaces",
        "rclpy",
        "robot_state_publisher",
        "rosgraph_msgs",
        "rosidl_default_generators",
        "rosidl_default_runtime",
        "rosidl_parser",
        "rviz2",
        "sensor_msgs",
        "std_msgs",
        "std_srvs",
        "tf2_msgs",
        "unique_identifier_msgs",
        "visualization_msgs",
        "xacro",
    }
)
"""Released in Jazzy, Kilted and Lyrical."""
