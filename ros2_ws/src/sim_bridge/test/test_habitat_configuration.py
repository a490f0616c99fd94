# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The worker against habitat-lab as it is: its configuration composed, its robot's joints, the names that are used.

habitat-lab is installed without what it needs to run: of it only the configuration is imported, the rest is read.
"""

from __future__ import annotations

import ast
import runpy
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any

import habitat_stand_in
import pytest

from sim_bridge.habitat.child import karma_habitat_worker
from sim_bridge.habitat.child.karma_habitat_worker import configuration

FOUND = find_spec("habitat")
pytestmark = pytest.mark.skipif(
    FOUND is None or find_spec("hydra") is None, reason="./karma test installs habitat-lab and hydra-core"
)
LAB = Path(FOUND.submodule_search_locations[0]) if FOUND and FOUND.submodule_search_locations else Path()


@pytest.fixture(scope="module")
def get_config() -> Iterator[Any]:
    """habitat-lab's own, imported past what needs habitat-sim."""
    package = ModuleType("habitat")
    package.__path__ = [str(LAB)]
    sys.modules["habitat"] = package
    yield import_module("habitat.config.default").get_config
    for name in [n for n in sys.modules if n.partition(".")[0] == "habitat"]:
        del sys.modules[name]


@pytest.mark.parametrize("camera", ["head", "arm"])
def test_the_real_configuration_composes_with_our_changes(get_config: Any, camera: str) -> None:
    changed = configuration.overrides(
        episodes="/tmp/a folder/episode.json.gz",
        dataset="/data/karma.scene_dataset_config.json",
        objects=["/data/objects", "/more objects"],
        spot="/data/spot.urdf",
        agent_radius=0.09,
        camera=camera,
        width=320,
        height=240,
        hfov=75,
        seed=7,
    )
    habitat = get_config(configuration.BASE, overrides=changed).habitat
    assert habitat.seed == 7
    assert habitat.dataset.type == "RearrangeDataset-v0"
    assert habitat.dataset.data_path == "/tmp/a folder/episode.json.gz"
    assert habitat.task.type == "RearrangeEmptyTask-v0"
    assert list(habitat.task.lab_sensors) == ["joint_sensor"]
    simulator = habitat.simulator
    assert simulator.type == "RearrangeSim-v0"
    assert list(simulator.agents_order) == ["main_agent"]
    assert simulator.scene_dataset == "/data/karma.scene_dataset_config.json"
    assert list(simulator.additional_object_paths) == ["/data/objects", "/more objects"]
    assert (simulator.habitat_sim_v0.gpu_device_id, simulator.habitat_sim_v0.enable_physics) == (-1, True)
    assert not simulator.concur_render
    agent = simulator.agents.main_agent
    assert (agent.articulated_agent_type, agent.articulated_agent_urdf) == ("SpotRobot", "/data/spot.urdf")
    assert agent.radius == 0.09
    uuids = {sensor.uuid: sensor for sensor in agent.sim_sensors.values()}
    for kind, uuid in configuration.CAMERAS[camera].items():
        assert (uuids[uuid].width, uuids[uuid].height, uuids[uuid].hfov) == (320, 240, 75), kind
    types = {kind: uuids[uuid].type for kind, uuid in configuration.CAMERAS[camera].items()}
    assert types == {
        "color": "HabitatSimRGBSensor",
        "depth": "HabitatSimDepthSensor",
        "instances": "HabitatSimSemanticSensor",
    }


def test_habitat_labs_spot_has_the_joints_of_ours() -> None:
    (call,) = calls("articulated_agents/robots/spot_robot.py", "MobileManipulatorParams")
    told = {k.arg: ast.unparse(k.value) for k in call.keywords}
    assert told["arm_joints"] == "list(range(0, 7))"
    assert told["gripper_joints"] == told["ee_links"] == "[7]"
    assert told["leg_joints"] == "list(range(8, 20))"
    assert told["arm_init_params"] == "np.array([0.0, -3.14, 0.0, 3.0, 0.0, 0.0, 0.0])"
    assert told["gripper_init_params"] == "np.array([-1.56])"
    assert ast.literal_eval(told["leg_init_params"]) == [0.0, 0.7, -1.5] * 4


def test_the_stand_ins_spot_is_habitat_labs() -> None:
    spot = runpy.run_path(str(Path(habitat_stand_in.__file__).parent / "habitat" / "spot.py"))
    (call,) = calls("articulated_agents/robots/spot_robot.py", "MobileManipulatorParams")
    told = {k.arg: k.value for k in call.keywords}
    joints = [numbers(told[f"{part}_init_params"]) for part in ("arm", "gripper", "leg")]
    assert list(spot["START"]) == [*chain(*joints)]
    assert list(spot["BASE_OFFSET"]) == numbers(told["base_offset"])
    assert [[spot["EE_LINK"]], [*spot["EE_OFFSET"]]] == [numbers(told["ee_links"]), numbers(told["ee_offset"])]
    assert isinstance(told["cameras"], ast.Dict)
    for key, value in zip(told["cameras"].keys, told["cameras"].values, strict=True):
        uuid = ast.literal_eval(key) if key else ""
        if uuid in spot["CAMERA_OFFSETS"]:
            assert isinstance(value, ast.Call)
            camera = {k.arg: k.value for k in value.keywords}
            assert numbers(camera["cam_offset_pos"]) == [*spot["CAMERA_OFFSETS"].pop(uuid)]
            assert numbers(camera["cam_orientation"]) == [*spot["CAMERA_TURN"]]
            assert ast.unparse(camera["attached_link_id"]) == str(spot["CAMERA_LINK"])
            assert ast.unparse(camera["relative_transform"]) == "mn.Matrix4.rotation_z(mn.Deg(-90))"
    assert not spot["CAMERA_OFFSETS"]


@pytest.mark.parametrize(
    "file",
    [
        "articulated_agents/articulated_agent_base.py",
        "articulated_agents/manipulator.py",
        "tasks/rearrange/articulated_agent_manager.py",
    ],
)
def test_the_names_of_sensors_that_habitat_lab_wants_are_given_to_an_older_habitat_sim(file: str) -> None:
    given = (Path(karma_habitat_worker.__path__[0]) / "compatibility.py").read_text(encoding="utf-8")
    attributes = [n for n in ast.walk(parsed(file)) if isinstance(n, ast.Attribute)]
    asked = {n.attr for n in attributes if ast.unparse(n.value) == "self._sim" and "sensor" in n.attr}
    asked_of_one = {n.attr for n in attributes if ast.unparse(n.value).startswith("self._sim.get_sensor(")}
    assert "sensors" in asked
    assert all(f"simulator.{name} = " in given for name in asked - {"get_sensor_observations"})
    assert all(f"sensor.{name} = " in given for name in asked_of_one)


def test_the_head_camera_is_ours_to_put() -> None:
    """habitat-lab puts every camera whose name begins with one of Spot's cameras: the head's must not."""
    (call,) = calls("articulated_agents/robots/spot_robot.py", "MobileManipulatorParams")
    (cameras,) = (k.value for k in call.keywords if k.arg == "cameras")
    assert isinstance(cameras, ast.Dict)
    prefixes = [ast.literal_eval(key) for key in cameras.keys if key is not None]
    assert not [u for u in configuration.CAMERAS["head"].values() if any(u.startswith(p) for p in prefixes)]
    assert all(any(u.startswith(p) for p in prefixes) for u in configuration.CAMERAS["arm"].values())


def test_an_episode_has_the_fields_of_habitat_labs() -> None:
    from sim_bridge.habitat.episodes import _FORM

    fields = fields_of("datasets/rearrange/rearrange_dataset.py", "RearrangeEpisode")
    fields |= fields_of("core/dataset.py", "BaseEpisode") | fields_of("core/dataset.py", "Episode")
    assert set(_FORM) <= fields


@pytest.mark.parametrize(
    ("file", "kind", "used"),
    [
        (
            "tasks/rearrange/rearrange_sim.py",
            "RearrangeSim",
            {"articulated_agent", "maybe_update_articulated_agent", "reset", "reconfigure"},
        ),
        ("articulated_agents/articulated_agent_base.py", "ArticulatedAgentBase", {"base_pos", "base_rot"}),
        (
            "articulated_agents/manipulator.py",
            "Manipulator",
            {"arm_joint_pos", "arm_joint_limits", "ee_transform", "update"},
        ),
        ("core/env.py", "Env", {"reset", "close", "sim"}),
    ],
)
def test_what_the_worker_uses_of_a_class_is_there(file: str, kind: str, used: set[str]) -> None:
    assert used <= fields_of(file, kind)


def test_what_the_worker_imports_is_there() -> None:
    source = (Path(karma_habitat_worker.__path__[0]) / "simulation.py").read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("habitat."):
            there = parsed(f"{str(node.module).partition('.')[2].replace('.', '/')}.py")
            functions = {n.name: n for n in there.body if isinstance(n, ast.FunctionDef)}
            assert {a.name for a in node.names} <= set(functions)
            calls_here = [c for c in ast.walk(ast.parse(source)) if isinstance(c, ast.Call)]
            for call in calls_here:
                name = ast.unparse(call.func)
                if name in functions:
                    arguments = functions[name].args
                    needed = len(arguments.args) - len(arguments.defaults)
                    assert needed <= len(call.args) <= len(arguments.args), name


def parsed(file: str) -> ast.Module:
    return ast.parse((LAB / file).read_text(encoding="utf-8"))


def calls(file: str, name: str) -> list[ast.Call]:
    return [n for n in ast.walk(parsed(file)) if isinstance(n, ast.Call) and ast.unparse(n.func) == name]


def numbers(node: ast.expr) -> list[float]:
    """Return the numbers of a list, a vector or an array."""
    if isinstance(node, ast.Call):
        return [*chain.from_iterable(numbers(argument) for argument in node.args)]
    if isinstance(node, ast.List):
        return [*chain.from_iterable(numbers(element) for element in node.elts)]
    return [ast.literal_eval(node)]


def fields_of(file: str, kind: str) -> set[str]:
    (found,) = (n for n in ast.walk(parsed(file)) if isinstance(n, ast.ClassDef) and n.name == kind)
    names = {n.name for n in found.body if isinstance(n, ast.FunctionDef)}
    names |= {n.target.id for n in found.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)}
    return names
