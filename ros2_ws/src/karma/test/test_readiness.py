# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What would only fail is said before anything is started."""

import socket
from pathlib import Path

import pytest

from karma import readiness
from karma.graph import ArgumentError, GraphArguments
from karma.readiness import ready_graph

SHARE = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        ({"scene": "nowhere"}, "no scene 'nowhere': they are FloorPlan1-30"),
        ({"scene": "hom1"}, "did you mean home1"),
        ({"scene": "FloorPlan31"}, "no scene 'FloorPlan31'"),
        ({"backend": "habitat", "scene": "nowhere"}, "no scene 'nowhere'"),
        ({"backend": "ai2thor", "scene": "FlorPlan1"}, "no scene 'FlorPlan1': did you mean FloorPlan1"),
        ({"backend": "ai2thor", "scene": "home1"}, "no scene 'home1': they are FloorPlan1-30.*401-430$"),
        ({"backend": "ai2thor", "scene": "/no/house.json"}, "there is no house /no/house.json"),
        ({"backend": "robot", "scene": "nowhere"}, "no scene 'nowhere'"),
    ],
)
def test_a_scene_that_is_not_there_stops_the_start(chosen: dict[str, str], told: str) -> None:
    with pytest.raises(ArgumentError, match=told):
        ready_graph(GraphArguments(**chosen), SHARE)


def test_scenes_that_only_their_backend_knows_are_left_to_it(tmp_path: Path) -> None:
    table = tmp_path / "mine.yaml"
    table.write_text("robot: mine\npose: {base_frame: base_link}\nskills: {Wait: []}\n")
    ready_graph(GraphArguments(backend="robot", robot=str(table), scene="my flat"), SHARE)
    ready_graph(GraphArguments(backend="ai2thor", scene="Procedural"), SHARE)
    ready_graph(GraphArguments(backend="ai2thor", scene="FloorPlan_Train1_1"), SHARE)
    ready_graph(GraphArguments(backend="ai2thor", scene="my kitchen", build="/my/build"), SHARE)
    dataset = ("sim_bridge.habitat_dataset=/my/hssd.scene_dataset_config.json",)
    ready_graph(GraphArguments(backend="habitat", scene="102344193", parameters=dataset), SHARE)


def test_a_simulated_robot_without_its_messages_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "find_spec", lambda name: None if name == "nav2_msgs" else object())
    with pytest.raises(ArgumentError, match=r"needs nav2_msgs: install ros-\$ROS_DISTRO-nav2-msgs;"):
        ready_graph(GraphArguments(backend="robot"), SHARE)
    ready_graph(GraphArguments(), SHARE)


def test_a_page_whose_port_is_taken_stops_the_start() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        arguments = GraphArguments(view=True, parameters=(f"view.port={port}",))
        with pytest.raises(ArgumentError, match=f"the page: port {port} on 127.0.0.1 is taken.*view.port"):
            ready_graph(arguments, SHARE)
    ready_graph(arguments, SHARE)


@pytest.mark.parametrize("folder", ["/proc/self", "/dev/null"])
def test_a_memory_that_can_be_kept_nowhere_stops_the_start(folder: str, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=f"in {folder}/new/a.sqlite3: {folder} can't be written to. Name another"):
        ready_graph(GraphArguments(database=f"{folder}/new/a.sqlite3"), SHARE)
    ready_graph(GraphArguments(database=str(tmp_path / "new" / "a.sqlite3")), SHARE)
    ready_graph(GraphArguments(database="postgresql://somewhere/karma"), SHARE)
