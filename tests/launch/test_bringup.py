# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The launch file, run by launch itself: only where a full ROS installation is."""

from __future__ import annotations

import pytest

pytest.importorskip("launch", reason="needs launch, which comes with a full ROS installation only")
pytest.importorskip("launch_ros", reason="needs launch_ros, which comes with a full ROS installation only")
pytest.importorskip("launch_pytest", reason="needs launch_pytest, which comes with a full ROS installation only")

import time
from pathlib import Path

import launch_pytest
from ament_index_python.packages import get_package_share_directory
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription, SetEnvironmentVariable
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_pytest.actions import ReadyToTest
from std_srvs.srv import Trigger

from karma_ros.client import GraphClient
from karma_ros.domain import claim_domain

pytestmark = [pytest.mark.ros, pytest.mark.slow]
ACTIVE_WITHIN_S = 180.0


@pytest.fixture(scope="module")
def domain():
    with claim_domain(None) as claimed:
        yield claimed


@launch_pytest.fixture(scope="module")
def bringup(domain, tmp_path_factory):
    file = Path(get_package_share_directory("karma")) / "launch" / "bringup.launch.py"
    database = tmp_path_factory.mktemp("launch") / "memory.sqlite3"
    arguments = {"scene": "FloorPlan1", "namespace": "robot2", "database": str(database)}
    return LaunchDescription(
        [
            SetEnvironmentVariable("ROS_DOMAIN_ID", str(domain)),
            IncludeLaunchDescription(PythonLaunchDescriptionSource(str(file)), launch_arguments=arguments.items()),
            ReadyToTest(),
        ]
    )


@pytest.mark.launch(fixture=bringup)
def test_launched_graph_becomes_active_in_its_namespace(domain) -> None:
    deadline = time.monotonic() + ACTIVE_WITHIN_S
    with GraphClient(name="karma_launch_test", namespace="robot2", domain_id=domain) as client:
        while True:
            left = deadline - time.monotonic()
            answer = client.call(Trigger, "lifecycle_manager/is_active", Trigger.Request(), timeout=left)
            if answer.success:
                return
            assert time.monotonic() < deadline, answer.message
