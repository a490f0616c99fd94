# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0

import gzip
import json
import math
from pathlib import Path
from types import SimpleNamespace

import habitat_sim
import numpy as np
from habitat_sim.physics import MotionType
from habitat_sim.scene import Node
from magnum import Matrix4, Vector3, checked

_AGENT = "habitat.simulator.agents.main_agent"
_CAMERAS = {"head": "head", "arm": "articulated_agent_arm"}


def get_config(config_path, overrides):
    assert config_path == "benchmark/rearrange/play/play_spot.yaml"
    return {key: value.strip("'") for key, _, value in (o.partition("=") for o in overrides) if value}


class Env:
    def __init__(self, config):
        with gzip.open(config["habitat.dataset.data_path"], "rt") as file:
            (episode,) = json.load(file)["episodes"]
        self.sim = RearrangeSim(config, episode)

    def reset(self):
        self.sim.reconfigure()

    def close(self):
        self.sim.close()


class RearrangeSim(habitat_sim.Simulator):
    def __init__(self, config, episode):
        settings = habitat_sim.SimulatorConfiguration()
        settings.scene_id, settings.scene_dataset_config_file = episode["scene_id"], episode["scene_dataset_config"]
        settings.gpu_device_id = int(config["habitat.simulator.habitat_sim_v0.gpu_device_id"])
        agent = habitat_sim.AgentConfiguration()
        agent.sensor_specifications = []
        super().__init__(habitat_sim.Configuration(settings, [agent]))
        self._episode = episode
        body = SimpleNamespace(radius=float(config[f"{_AGENT}.radius"]), height=1.41, max_climb=0.2, max_slope=45.0)
        self.habitat_config = SimpleNamespace(agents=SimpleNamespace(main_agent=body))
        assert Path(config[f"{_AGENT}.articulated_agent_urdf"]).is_file()
        assert config["habitat.simulator.concur_render"] == "False", "no semantic scene is loaded"
        for camera, prefix in _CAMERAS.items():
            for kind in ("rgb", "depth", "panoptic"):
                sized = f"{_AGENT}.sim_sensors.{camera}_{kind}_sensor"
                self.add(f"{prefix}_{kind}", kind, *(int(config.get(f"{sized}.{k}", 16)) for k in _SIZES))
        self.articulated_agent = None

    def reconfigure(self):
        for handle, transform in self._episode["rigid_objs"]:
            folders = [Path(p) for p in self._episode["additional_obj_config_paths"]]
            (file,) = [f / handle for f in folders if (f / handle).is_file()]
            self.instance(file, [row[3] for row in transform[:3]], MotionType.DYNAMIC)
        self.articulated_agent = Spot()
        self.maybe_update_articulated_agent()

    def get_articulated_object_manager(self):
        self.check_open()
        return SimpleNamespace(
            get_object_handles=lambda: ["spot"], get_object_by_handle=lambda handle: self.articulated_agent.sim_obj
        )

    def maybe_update_articulated_agent(self):
        hand = self.articulated_agent.ee_transform()._m
        turn = np.array([[0, 0, -1.0, 0], [0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1]])  # looks along the hand's x
        tilt = self.articulated_agent.arm_joint_pos[5] + 0.14
        c, s = math.cos(-tilt), math.sin(-tilt)
        nod = np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
        mount = self.get_agent(0).scene_node.transformation
        for uuid in self.sensors:
            if uuid.startswith(_CAMERAS["arm"]):
                node = self.get_sensor(uuid).sensor_object.node
                node.transformation = mount.inverted() @ Matrix4.of(hand @ nod @ turn)


_SIZES = ("width", "height", "hfov")


class Articulated:
    object_id, is_articulated = 10_000, True

    def __init__(self):
        self._nodes = {link: [Node(np.eye(4))] for link in range(-1, 20)}

    def get_link_ids(self):
        return [link for link in self._nodes if link >= 0]

    def get_link_visual_nodes(self, link_id):
        return self._nodes[link_id]


class Spot:
    arm_joint_limits = (np.full(7, -3.2, np.float32), np.full(7, 3.2, np.float32))

    def __init__(self):
        self.sim_obj = Articulated()
        self._base, self._angle = Vector3(0, 0, 0), 0.0
        self._arm = np.array([0.0, -3.14, 0.0, 3.0, 0.0, 0.0, 0.0], np.float32)

    @property
    def base_pos(self):
        return self._base

    @base_pos.setter
    def base_pos(self, position):
        self._base = checked(position, Vector3)

    @property
    def base_rot(self):
        return self._angle

    @base_rot.setter
    def base_rot(self, rotation_y_rad):
        self._angle = checked(rotation_y_rad, float)

    @property
    def arm_joint_pos(self):
        return self._arm.copy()

    @arm_joint_pos.setter
    def arm_joint_pos(self, ctrl):
        if len(ctrl) != len(self._arm) or np.isnan(ctrl).any():
            raise ValueError("Control dimension does not match joint dimension")
        self._arm[:] = ctrl

    def ee_transform(self, ee_index=0):
        c, s = math.cos(self._angle), math.sin(self._angle)
        x, y, z = self._base
        return Matrix4.of([[c, 0, s, x + 0.6 * c], [0, 1, 0, y + 0.7], [-s, 0, c, z - 0.6 * s], [0, 0, 0, 1]])
