# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0

import gzip
import json
import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from habitat_sim.nav import PathFinder
from habitat_sim.physics import MotionType
from habitat_sim.scene import Rays, Rigid
from magnum import Matrix4, Vector3


def get_config(base, overrides):
    assert base == "benchmark/rearrange/play/play_spot.yaml"
    return dict(o.split("=", 1) for o in overrides if "=" in o)


class Env:
    def __init__(self, config):
        self.sim = Simulator({k: v.strip("'") for k, v in config.items()})

    def reset(self):
        self.sim.update()

    def close(self):
        self.sim.closed = True


class Simulator:
    semantic_scene = SimpleNamespace(regions=[])

    def __init__(self, config):
        self.closed = False
        with gzip.open(config["habitat.dataset.data_path"], "rt") as file:
            (episode,) = json.load(file)["episodes"]
        folder = Path(episode["scene_dataset_config"]).parent
        scene = json.loads((folder / "scenes" / f"{episode['scene_id']}.scene_instance.json").read_text())
        stage = scene["stage_instance"]["template_name"]
        self._stage = Rigid(folder / "stages" / f"{stage}.stage_config.json", -1, motion=MotionType.STATIC)
        self._objects, self._next = {}, 0
        for placed in scene["object_instances"]:
            config_file = folder / "objects" / f"{placed['template_name']}.object_config.json"
            self.add(config_file, placed["translation"], MotionType[placed["motion_type"]])
        for handle, transform in episode["rigid_objs"]:
            folders = [Path(p) for p in episode["additional_obj_config_paths"]]
            (file,) = [f / handle for f in folders if (f / handle).is_file()]
            self.add(file, [row[3] for row in transform[:3]], MotionType.DYNAMIC)
        agent = "habitat.simulator.agents.main_agent"
        self.habitat_config = SimpleNamespace(
            agents=SimpleNamespace(
                main_agent=SimpleNamespace(
                    radius=float(config[f"{agent}.radius"]), height=1.41, max_climb=0.2, max_slope=45.0
                )
            )
        )
        assert Path(config[f"{agent}.articulated_agent_urdf"]).is_file()
        mount = np.eye(4)
        mount[:3, 3] = (0.5, 0.3, -0.2)
        self._default_agent = SimpleNamespace(scene_node=SimpleNamespace(transformation=Matrix4.of(mount)))
        self._sensors = {}
        for camera, (prefix, suffixes) in {
            "head": ("head", ("rgb", "depth", "panoptic")),
            "arm": ("articulated_agent_arm", ("rgb", "depth", "panoptic")),
        }.items():
            for suffix in suffixes:
                sized = f"{agent}.sim_sensors.{camera}_{suffix}_sensor"
                size = [int(config.get(f"{sized}.{k}", 16)) for k in ("width", "height", "hfov")]
                self._sensors[f"{prefix}_{suffix}"] = Sensor(self, suffix, *size)
        self.articulated_agent = Spot(self)
        self.pathfinder = PathFinder()

    def add(self, config, position=(0, 0, 0), motion=MotionType.DYNAMIC):
        found = self._objects[self._next] = Rigid(config, self._next, position, motion)
        self._next += 1
        return found

    def get_rigid_object_manager(self):
        handles = {o.handle: o for o in self._objects.values()}
        return SimpleNamespace(
            get_object_handles=lambda: sorted(handles),
            get_object_by_handle=handles.__getitem__,
            add_object_by_template_id=lambda template: self.add(self._templates[template]),
            remove_object_by_id=self._objects.pop,
        )

    def get_articulated_object_manager(self):
        return SimpleNamespace(get_object_handles=lambda: ["spot"], get_object_by_handle=lambda _: SpotObject)

    def get_object_template_manager(self):
        def load(path):
            self._templates = {7: path}
            return [7] if Path(path).is_file() else []

        return SimpleNamespace(load_configs=load)

    def recompute_navmesh(self, finder, settings):
        assert settings.include_static_objects
        fixed = [self._stage, *(o for o in self._objects.values() if o.motion_type == MotionType.STATIC)]
        rays = Rays(fixed)
        low, high = self._stage.vertices.min(axis=0), self._stage.vertices.max(axis=0)
        return finder.build(settings, rays.distance, rays.drop, low, high)

    def maybe_update_articulated_agent(self):
        self.update()

    def update(self):
        hand = self.articulated_agent.ee_transform()._m
        turn = np.array([[0, 0, -1.0, 0], [0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1]])  # looks along the hand's x
        tilt = self.articulated_agent.arm_joint_pos[5] + 0.14
        c, s = math.cos(-tilt), math.sin(-tilt)
        nod = np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
        mount = self._default_agent.scene_node.transformation
        for suffix in ("rgb", "depth", "panoptic"):
            node = self._sensors[f"articulated_agent_arm_{suffix}"]._sensor_object.node
            node.transformation = mount.inverted() @ Matrix4.of(hand @ nod @ turn)

    def rays(self):
        """Return the rays for now, made again only when something moved."""
        key = tuple((o.object_id, o.visual_scene_nodes[0].semantic_id, *o.translation) for o in self._objects.values())
        if getattr(self, "_rays", (None,))[0] != key:
            self._rays = (key, Rays([self._stage, *self._objects.values()]))
        return self._rays[1]


SpotObject = SimpleNamespace(
    object_id=10_000, is_articulated=True, get_link_ids=lambda: [0], get_link_visual_nodes=lambda link: [SpotNode]
)
SpotNode = SimpleNamespace(translate=lambda vector: None)


class Spot:
    sim_obj = SpotObject
    arm_joint_limits = ([-3.2] * 7, [3.2] * 7)

    def __init__(self, sim):
        self.base_pos, self.base_rot = Vector3(0, 0, 0), 0.0
        self.arm_joint_pos = [0.0, -3.14, 0.0, 3.0, 0.0, 0.0, 0.0]

    def ee_transform(self):
        c, s = math.cos(self.base_rot), math.sin(self.base_rot)
        x, y, z = self.base_pos
        return Matrix4.of([[c, 0, s, x + 0.6 * c], [0, 1, 0, y + 0.7], [-s, 0, c, z - 0.6 * s], [0, 0, 0, 1]])


class Sensor:
    def __init__(self, sim, kind, width, height, hfov):
        self._sim, self._kind = sim, kind
        self._sensor_object = SimpleNamespace(node=SimpleNamespace(transformation=Matrix4.of(np.eye(4))))
        focal = width / 2 / math.tan(math.radians(hfov) / 2)
        u, v = np.meshgrid((np.arange(width) - (width - 1) / 2) / focal, (np.arange(height) - (height - 1) / 2) / focal)
        self._rays = np.stack([u, -v, -np.ones_like(u)], axis=-1).reshape(-1, 3)
        self._shape = (height, width)

    def draw_observation(self):
        mount = self._sim._default_agent.scene_node.transformation
        pose = (mount @ self._sensor_object.node.transformation)._m
        depth, numbers, colors = self._sim.rays().cast(pose[:3, 3], self._rays @ pose[:3, :3].T)
        picture = {"depth": depth, "panoptic": numbers, "rgb": colors}[self._kind]
        self._picture = picture.reshape(*self._shape, *picture.shape[1:])

    def get_observation(self):
        return self._picture
