# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import re
from pathlib import Path

import pytest

from karma import node_parameters
from karma.graph import MEMORY_NAMES, ArgumentError, GraphArguments, NodeDescription, describe_graph
from karma_ros import MANAGER
from sim_bridge.robot.table import BUNDLED

SHARE = Path(__file__).parents[1]


def by_name(arguments: GraphArguments) -> dict[str, NodeDescription]:
    return {node.name: node for node in describe_graph(arguments, SHARE)}


def test_nodes_come_in_the_order_of_the_architecture() -> None:
    names = [node.name for node in describe_graph(GraphArguments(), SHARE)]
    assert names == ["memory_server", "sim_bridge", "perception", "planner", MANAGER]


def test_manager_activates_karmas_own_nodes_and_nothing_else() -> None:
    nodes = {node.name: node for node in describe_graph(GraphArguments(rviz=True), Path(__file__).parents[1])}
    assert "base_link" in str(nodes["robot_state_publisher"].parameters["robot_description"])
    managed = nodes[MANAGER].parameters["node_names"]
    assert managed == ["memory_server", "sim_bridge", "perception", "planner"]
    assert set(nodes) - set(managed) == {MANAGER, "robot_state_publisher", "rviz"}


TRANSFORMS = (("/tf", "tf"), ("/tf_static", "tf_static"))


def test_all_that_publish_or_hear_transforms_do_so_in_the_namespace() -> None:
    arguments = GraphArguments(namespace="robot1", rviz=True, view=True)
    nodes = {node.name: node for node in describe_graph(arguments, Path(__file__).parents[1])}
    theirs = {name for name, node in nodes.items() if set(TRANSFORMS) <= set(node.remappings)}
    assert theirs == {"sim_bridge", "perception", "robot_state_publisher", "rviz"}
    assert {"/tf:=tf", "/tf_static:=tf_static"} <= set(nodes["perception"].command_line([]))


def test_the_page_is_a_node_that_nothing_waits_for() -> None:
    nodes = by_name(GraphArguments(view=True, namespace="robot2", memory="robot1", parameters=("view.port=8090",)))
    view = nodes["view"]
    assert (view.namespace, view.parameters, view.spare) == ("robot2", {"port": 8090}, True)
    assert ("memory/browse", "/robot1/memory/browse") in view.remappings
    assert "view" not in nodes[MANAGER].parameters["node_names"]
    assert not any(node.spare for node in nodes.values() if node is not view)
    with pytest.raises(ArgumentError, match="view is not started"):
        by_name(GraphArguments(parameters=("view.port=8090",)))


def test_arguments_reach_the_nodes_they_are_about() -> None:
    chosen = {"scene": "FloorPlan1", "llm": "qwen2.5:7b", "llm_url": "http://gpu:11434"}
    nodes = by_name(GraphArguments(**chosen, database="/tmp/m.sqlite3"))
    bridge = {"backend": "household", "scene": "FloorPlan1", "obstacles": "", "ai2thor_executable": ""}
    assert nodes["sim_bridge"].parameters == bridge
    model = {"llm": "qwen2.5:7b", "llm_url": "http://gpu:11434"}
    assert nodes["planner"].parameters == model
    assert nodes["memory_server"].parameters.items() >= model.items()  # for its reflection
    assert nodes["memory_server"].parameters == {"database": "/tmp/m.sqlite3", "robots": "", **model}


def test_a_simulated_robot_is_started_with_the_graph_and_a_robot_of_ones_own_is_there_already(tmp_path: Path) -> None:
    nodes = by_name(GraphArguments(backend="robot", namespace="robot1"))
    assert next(iter(nodes)) == "simulated_robot"
    assert nodes["simulated_robot"].namespace == "robot1"
    assert "simulated_robot" not in nodes[MANAGER].parameters["node_names"]
    assert nodes["perception"].remappings == TRANSFORMS
    assert nodes["perception"].parameters["last_seen_period"] == 0.5
    assert nodes["perception"].parameters["backlog"] <= 10, "a skill waits for all frames that wait"

    table = tmp_path / "mine.yaml"
    table.write_text(
        "robot: mine\npose: {base_frame: base_link}\nskills: {Wait: []}\nmap_frame: world\n"
        "camera: {color: /head/rgb, depth: /head/depth, info: /head/info}\nperception: {pose_source: transforms}\n"
    )
    nodes = by_name(GraphArguments(backend="robot", robot=str(table), dry_run=True))
    assert "simulated_robot" not in nodes
    assert nodes["sim_bridge"].parameters["robot"] == str(table)
    assert nodes["sim_bridge"].parameters["dry_run"] is True
    assert nodes["perception"].parameters["pose_source"] == "transforms"
    assert nodes["perception"].parameters["map_frame"] == "world"
    assert ("camera/color/image_raw", "/head/rgb") in nodes["perception"].remappings
    assert "camera/depth/image_raw:=/head/depth" in nodes["perception"].command_line([])
    assert not any(set(TRANSFORMS) & set(node.remappings) for node in nodes.values()), "its driver uses /tf"
    table.write_text(table.read_text() + "transforms: tf\n")
    nodes = by_name(GraphArguments(backend="robot", robot=str(table)))
    assert set(TRANSFORMS) <= set(nodes["perception"].remappings) & set(nodes["sim_bridge"].remappings)


def test_every_node_has_time_to_end_and_what_moves_a_robot_has_it_also_when_it_is_orphaned(tmp_path: Path) -> None:
    table = tmp_path / "mine.yaml"
    table.write_text("robot: mine\npose: {base_frame: base_link}\nskills: {Wait: []}\ncancel: 20\n")
    nodes = by_name(GraphArguments(backend="robot", robot=str(table)))
    assert nodes["sim_bridge"].ending > 2 * 20, "for a goal to be cancelled, and for stop where that does not help"
    assert nodes["planner"].ending >= nodes["sim_bridge"].ending, "it waits for the skill that it stops"
    nodes |= {f"simulated {name}": node for name, node in by_name(GraphArguments(rviz=True, view=True)).items()}
    assert all(node.ending > 0 for node in nodes.values())
    assert [name for name, node in nodes.items() if node.moves_robot] == ["sim_bridge"]


def test_the_manager_takes_the_nodes_down_within_its_own_time(tmp_path: Path) -> None:
    manager = by_name(GraphArguments())[MANAGER]
    assert manager.parameter_file is not None
    declared = node_parameters.declared_parameters(manager.parameter_file)
    assert float(str(declared["take_down_timeout"])) < manager.ending


def test_a_robots_table_that_is_missing_or_wrong_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="there is no robot table 'mine'"):
        by_name(GraphArguments(backend="robot", robot="mine"))
    table = tmp_path / "mine.yaml"
    table.write_text("robot: mine\n")
    with pytest.raises(ArgumentError, match=r"pose: Field required"):
        by_name(GraphArguments(backend="robot", robot=str(table)))


MINE = "robot: mine\npose: {base_frame: base_link}\nskills: {Wait: []}\nperception:\n  pose_source: transforms\n"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("camera_hight: 0.7", r"mine\.yaml:6: perception\.camera_hight: .*did you mean camera_height"),
        ("camera_height: high", r"mine\.yaml:6: perception\.camera_height: camera_height is a float, not 'high'"),
        ("camera_height: true", "camera_height is a float, not True"),
        ("backlog: 4.5", "backlog is an int, not 4.5"),
        ("class_table: 7", "class_table is a text, not 7"),
        ("use_sim_time: 1", "use_sim_time is true or false, not 1"),
        ("samples: many\n  grid: 0.2", r"samples is an int, not 'many'.*\n.*mine\.yaml:7: perception\.grid: "),
    ],
)
def test_what_a_table_sets_for_perception_is_one_of_its_parameters(tmp_path: Path, line: str, told: str) -> None:
    table = tmp_path / "mine.yaml"
    table.write_text(f"{MINE}  {line}\n")
    with pytest.raises(ArgumentError, match=told):
        by_name(GraphArguments(backend="robot", robot=str(table)))


def test_whole_numbers_of_a_table_are_floats_to_perception(tmp_path: Path) -> None:
    table = tmp_path / "mine.yaml"
    table.write_text(f"{MINE}  camera_height: 1\n  backlog: 4\n  use_sim_time: true\n")
    set_by_table = by_name(GraphArguments(backend="robot", robot=str(table)))["perception"].parameters
    assert (set_by_table["camera_height"], type(set_by_table["camera_height"])) == (1.0, float)
    assert (set_by_table["backlog"], type(set_by_table["backlog"])) == (4, int)
    assert set_by_table["use_sim_time"] is True


def test_a_file_that_a_table_names_for_perception_is_looked_for_beside_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "robots").mkdir()
    (tmp_path / "robots" / "mine.yaml").write_text(f"{MINE}  detector_model: yolo.onnx\n  class_table: ~/mine.csv\n")
    set_by_table = by_name(GraphArguments(backend="robot", robot="robots/mine.yaml"))["perception"].parameters
    assert set_by_table["detector_model"] == str(tmp_path / "robots" / "yolo.onnx")
    assert set_by_table["class_table"] == str(Path("~/mine.csv").expanduser())


@pytest.mark.parametrize("robot", [file.stem for file in BUNDLED.glob("*.yaml")])
def test_the_tables_that_come_with_karma_can_be_started(robot: str) -> None:
    assert by_name(GraphArguments(backend="robot", robot=robot))["perception"].parameters["backlog"] == 8


def test_what_only_a_physical_robot_has_is_refused_elsewhere() -> None:
    for chosen in ({"dry_run": True}, {"robot": "mine.yaml"}, {"robot": "simulated"}):
        with pytest.raises(ArgumentError, match=f"{next(iter(chosen))} is for the backend robot, .*backend robot"):
            GraphArguments(**chosen)
    assert GraphArguments(backend="robot", dry_run=True).robot == "simulated"


@pytest.mark.parametrize(("named", "meant"), [("venv/bin/python", "{}/venv/bin/python"), ("python3.9", None)])
def test_habitats_python_may_be_named_from_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str, meant: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KARMA_HABITAT_PYTHON", named)
    bridge = by_name(GraphArguments(backend="habitat"))["sim_bridge"].parameters
    assert bridge.get("habitat_python") == (meant and meant.format(tmp_path)), (
        "a node looks for it from a folder of its own"
    )


def test_a_chosen_parameter_reaches_its_node_and_prevails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    chosen = (
        "sim_bridge.habitat_camera=arm",
        "sim_bridge.habitat_episodes=val=1/episodes.json.gz",
        "sim_bridge.people_move=2",
        "sim_bridge.image_width=320",
        "sim_bridge.publish_images=false",
        "perception.last_seen_period=0.25",
        "planner.use_sim_time=true",
        "planner.safety_rules=",
    )
    arguments = GraphArguments(backend="robot", namespace="robot2", parameters=chosen)
    nodes = {node.name: node for node in describe_graph(arguments, Path(__file__).parents[1])}
    bridge = nodes["sim_bridge"].parameters
    assert bridge["backend"] == "robot"
    assert bridge["habitat_camera"] == "arm"
    assert bridge["habitat_episodes"] == str(tmp_path / "val=1" / "episodes.json.gz"), (
        "nodes have a folder of their own"
    )
    assert (bridge["people_move"], type(bridge["people_move"])) == (2.0, float)
    assert bridge["image_width"] == 320
    assert bridge["publish_images"] is False
    assert nodes["perception"].parameters["last_seen_period"] == 0.25
    assert nodes["planner"].parameters["use_sim_time"] is True
    assert nodes["planner"].parameters["safety_rules"] == ""


def test_each_nodes_file_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    original = node_parameters.declared_parameters
    monkeypatch.setattr(node_parameters, "declared_parameters", lambda file: read.append(file.stem) or original(file))
    chosen = ("planner.max_skills=3", "sim_bridge.seed=7", "planner.use_sim_time=true", "sim_bridge.hfov=60")
    assert node_parameters.read_parameters(chosen, SHARE / "config") == {
        "planner": {"max_skills": 3, "use_sim_time": True},
        "sim_bridge": {"seed": 7, "hfov": 60.0},
    }
    assert read == ["planner", "sim_bridge"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("habitat_camera=arm", r"NODE\.PARAMETER=VALUE"),
        ("sim_bridge.habitat_camera", r"NODE\.PARAMETER=VALUE"),
        ("bridge.habitat_camera=arm", "no node 'bridge' .*did you mean sim_bridge"),
        ("sim_bridge.habitat_datasets=x", "no parameter 'habitat_datasets' .*did you mean habitat_dataset"),
        ("sim_bridge.scene=home2", "no parameter 'scene'"),
        ("sim_bridge.robot=mine.yaml", "no parameter 'robot'"),
        ("sim_bridge.image_width=wide", "an int.*'wide'"),
        ("sim_bridge.hfov=", "a float.*''"),
        ("sim_bridge.publish_images=yes", "true or false.*'yes'"),
        ("memory_server.capacity=20", "memory_server is not started"),
    ],
)
def test_a_chosen_parameter_that_is_none_stops_the_start(text: str, told: str) -> None:
    with pytest.raises(ArgumentError, match=told):
        describe_graph(GraphArguments(memory="robot1", parameters=(text,)), Path(__file__).parents[1])


def test_obstacles_are_a_file_that_is_there_wherever_the_nodes_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ArgumentError, match=r"there is no file locked\.yaml"):
        GraphArguments(obstacles="locked.yaml")
    (tmp_path / "locked.yaml").touch()
    parameters = by_name(GraphArguments(obstacles="locked.yaml"))["sim_bridge"].parameters
    assert parameters["obstacles"] == str(tmp_path / "locked.yaml")


def test_a_robot_without_a_memory_of_its_own_uses_the_names_of_another() -> None:
    nodes = by_name(GraphArguments(namespace="robot2", memory="/robot1"))
    assert "memory_server" not in nodes
    assert nodes[MANAGER].parameters["node_names"] == ["sim_bridge", "perception", "planner"]
    line = nodes["planner"].command_line([])
    assert "memory/recall:=/robot1/memory/recall" in line
    assert "memory/events:=/robot1/memory/events" in line
    served = by_name(GraphArguments(namespace="robot1", robots="robot2, robot3"))["memory_server"]
    assert served.parameters["robots"] == "robot2, robot3"
    assert served.remappings == ()


def test_every_name_of_the_memory_server_is_shared() -> None:
    """But for what it shows in rviz, which no node reads."""
    package = Path(__file__).parents[2] / "karma_memory" / "karma_memory"
    nodes = {package / "memory_node.py", *(package / "ros").glob("*.py")} - {package / "ros" / "answer_markers.py"}
    said = [name for node in nodes for name in re.findall(r'"(memory/\w+)"', node.read_text())]
    assert set(said) == set(MEMORY_NAMES)


def test_two_robots_and_two_scenes_never_share_a_memory() -> None:
    chosen = {
        by_name(GraphArguments(scene=scene, namespace=namespace))["memory_server"].parameters["database"]
        for scene in ("home1", "home2")
        for namespace in ("", "robot1", "/robot2")
    }
    assert len(chosen) == 6


def test_the_memory_alone_is_its_server_and_what_activates_it() -> None:
    arguments = GraphArguments(
        only="memory", namespace="robot1", llm="qwen2.5:7b", parameters=("memory_server.limit=5",)
    )
    nodes = by_name(arguments)
    assert list(nodes) == ["memory_server", MANAGER]
    assert nodes[MANAGER].parameters["node_names"] == ["memory_server"]
    told = nodes["memory_server"].parameters
    assert told.items() >= {"llm": "qwen2.5:7b", "limit": 5, "database": "~/.karma/robot1/memory.sqlite3"}.items()
    other = by_name(GraphArguments(only="memory", database="/tmp/m.sqlite3"))["memory_server"].parameters
    assert other["database"] == "/tmp/m.sqlite3"


@pytest.mark.parametrize(
    ("more", "told"),
    [
        *(
            ({name: value}, f"^{name} is for nodes that are not started with only memory")
            for name, value in {
                **{"backend": "robot", "scene": "home1", "build": "/x", "obstacles": "/x.yaml", "robot": "spot"},
                **dict.fromkeys(("dry_run", "rviz", "view"), True),
            }.items()
        ),
        ({"memory": "robot2"}, "only memory starts a memory, and the one to be used is that of robot2"),
        ({"only": "planner"}, "unknown part 'planner': only takes memory"),
        ({"parameters": ("planner.skill_timeout=9",)}, "planner is not started with these arguments"),
    ],
)
def test_what_does_not_go_with_the_memory_alone_is_refused(more: dict[str, object], told: str) -> None:
    with pytest.raises(ArgumentError, match=told):
        by_name(GraphArguments(**{"only": "memory", **more}))


def test_scene_cannot_lead_the_default_database_out_of_its_folder() -> None:
    database = by_name(GraphArguments(scene="../../etc/x"))["memory_server"].parameters["database"]
    assert database == "~/.karma/.._.._etc_x.sqlite3"


def test_namespace_and_files_are_on_the_command_line_and_later_files_prevail() -> None:
    node = by_name(GraphArguments(namespace="robot2"))["planner"]
    line = node.command_line([Path("/run/planner.yaml")])
    assert line[:5] == ["--ros-args", "-r", "__node:=planner", "-r", "__ns:=/robot2"]
    files = [str(SHARE / "config" / "planner.yaml"), "/run/planner.yaml"]
    assert line[5:] == [*(word for file in files for word in ("--params-file", file)), "--disable-external-lib-logs"]


def test_a_build_and_a_house_are_files_for_ai2thor_alone() -> None:
    arguments = GraphArguments(backend="ai2thor", scene="house.json", build="thor/AI2-THOR")
    bridge = by_name(arguments)["sim_bridge"].parameters
    assert bridge["scene"] == str(Path.cwd() / "house.json")
    assert bridge["ai2thor_executable"] == str(Path.cwd() / "thor/AI2-THOR")
    with pytest.raises(ArgumentError, match="build is for the backend ai2thor"):
        GraphArguments(build="thor/AI2-THOR")


@pytest.mark.parametrize(
    ("chosen", "scene"),
    [
        ({}, "home1"),
        ({"backend": "ai2thor"}, "FloorPlan1"),
        ({"backend": "habitat"}, "home1"),
        ({"backend": "robot"}, "home1"),  # the simulated one, which is in the household
        ({"backend": "robot", "robot": "mine.yaml"}, "home"),  # whose memory is not that of the simulated home
        ({"backend": "ai2thor", "scene": "FloorPlan201"}, "FloorPlan201"),
    ],
)
def test_every_backend_has_a_scene_of_its_own_where_none_is_named(chosen: dict[str, str], scene: str) -> None:
    assert GraphArguments(**chosen).scene == scene


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("backend", "holodeck"),
        ("scene", " "),
        ("llm", ""),
        ("llm_url", ""),
        ("obstacles", "/nowhere/locked.yaml"),
        ("namespace", "2robots"),
        ("namespace", "a b"),
        ("namespace", "a//b"),
        ("robots", "robot2,3"),
        ("memory", "no good"),
    ],
)
def test_bad_argument_is_refused(field: str, value: str) -> None:
    with pytest.raises(ArgumentError):
        GraphArguments(**{field: value})


@pytest.mark.parametrize("more", [{"database": "/tmp/m.sqlite3"}, {"robots": "robot3"}, {"namespace": "robot1"}])
def test_a_shared_memory_is_described_where_it_is(more: dict[str, str]) -> None:
    with pytest.raises(ArgumentError, match="robot1"):
        GraphArguments(**{"memory": "robot1"} | more)
