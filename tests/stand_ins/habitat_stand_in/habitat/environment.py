# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0

import gzip
import json
import math
from pathlib import Path
from types import SimpleNamespace

import habitat_sim
import numpy as np
import yourdfpy
from habitat.spot import BASE_OFFSET, CAMERA_LINK, CAMERA_OFFSETS, CAMERA_TURN, EE_LINK, EE_OFFSET, START
from habitat_sim.physics import MotionType
from habitat_sim.scene import Box
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
        self._urdf = config[f"{_AGENT}.articulated_agent_urdf"]
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
        self.articulated_agent = Spot(self._urdf)
        self.maybe_update_articulated_agent()

    def shown(self):
        x, y, z = self.articulated_agent.base_pos
        return [*super().shown(), Box((x, y + 0.48, z), (0.24, 0.19, 0.24))]

    def get_articulated_object_manager(self):
        self.check_open()
        return SimpleNamespace(
            get_object_handles=lambda: ["spot"], get_object_by_handle=lambda handle: self.articulated_agent.sim_obj
        )

    def maybe_update_articulated_agent(self):
        mount = self.get_agent(0).scene_node.transformation
        for uuid, sensor in self._sensors.items():
            if uuid in CAMERA_OFFSETS:
                seen = self.articulated_agent.link(CAMERA_LINK) @ _camera(CAMERA_OFFSETS[uuid])
                sensor._sensor_object.node.transformation = mount.inverted() @ Matrix4.of(seen)


_SIZES = ("width", "height", "hfov")


class Spot:
    """habitat-lab's, whose links are where the URDF has them."""

    def __init__(self, urdf):
        self.sim_obj = SimpleNamespace(object_id=10_000)
        self._model = yourdfpy.URDF.load(urdf, load_meshes=False)
        self._joints = [self._model.joint_map[name] for name in self._model.actuated_joint_names]
        self._base, self._angle = Vector3(0, 0, 0), 0.0
        self.arm_joint_pos = START[:7]

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
    def arm_joint_limits(self):
        limits = [joint.limit for joint in self._joints[:7]]
        return tuple(np.array([getattr(limit, end) for limit in limits], np.float32) for end in ("lower", "upper"))

    @property
    def arm_joint_pos(self):
        return self._arm.copy()

    @arm_joint_pos.setter
    def arm_joint_pos(self, ctrl):
        if len(ctrl) != 7 or np.isnan(ctrl).any():
            raise ValueError("Control dimension does not match joint dimension")
        self._arm = np.array(ctrl, np.float32)
        self._model.update_cfg(np.array([*self._arm, *START[7:]], np.float64))

    def link(self, number):
        """Return where a link is (4, 4)."""
        c, s = math.cos(self._angle), math.sin(self._angle)
        x, y, z = self._base
        base = np.array([[c, 0, s, x], [0, 1, 0, y - BASE_OFFSET[1]], [-s, 0, c, z], [0, 0, 0, 1]])
        return base @ self._model.get_transform(self._joints[number].child, self._model.base_link)

    def ee_transform(self, ee_index=0):
        hand = self.link(EE_LINK)
        hand[:3, 3] += hand[:3, :3] @ EE_OFFSET
        return Matrix4.of(hand)


def _camera(offset):
    """Return a camera's transform (4, 4) on its link, as Manipulator.update makes it."""
    cy, sy = math.cos(CAMERA_TURN[1]), math.sin(CAMERA_TURN[1])
    transform = np.eye(4)
    transform[:3, :3] = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]]) @ [[0, 1, 0], [-1, 0, 0], [0, 0, 1]]
    transform[:3, 3] = offset
    return transform
