# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A scene with objects and sensors. HABITAT_STAND_IN_SENSORS=private makes it the habitat-sim from before 2026-02."""

import json
import os
from pathlib import Path

import numpy as np
from habitat_sim.fields import Closed, Typed
from habitat_sim.nav import NavMeshSettings, PathFinder
from habitat_sim.physics import MotionType
from habitat_sim.scene import Node, Pictures, Rays, Rigid
from magnum import checked

_PRIVATE_SENSORS = os.environ.get("HABITAT_STAND_IN_SENSORS") == "private"


class SimulatorConfiguration(Closed):
    scene_id = Typed(str)
    scene_dataset_config_file = Typed(str)
    gpu_device_id = Typed(int)


class CameraSensorSpec(Closed):
    uuid = Typed(str)
    resolution = Typed(list)


class AgentConfiguration(Closed):
    sensor_specifications = Typed(list)


class Configuration:
    def __init__(self, sim_cfg, agents):
        self.sim_cfg, self.agents = checked(sim_cfg, SimulatorConfiguration), checked(agents, list)


class Simulator:
    semantic_scene = None

    def __init__(self, config):
        if config.sim_cfg.gpu_device_id != -1:
            raise RuntimeError("unable to find CUDA device: this is a build without")
        self._open = True
        self._objects, self._handles, self._templates, self._next = {}, {}, {}, 0
        self._stage, self._pictures = None, Pictures()
        if config.sim_cfg.scene_id != "NONE":
            self._load(Path(config.sim_cfg.scene_dataset_config_file).parent, config.sim_cfg.scene_id)
        self._agent = Agent()
        self.pathfinder = PathFinder()
        self._sensors = {}
        for spec in config.agents[0].sensor_specifications:
            self.add(spec.uuid, "rgb", *reversed(spec.resolution), 90)
        print("Renderer: rays by Open3D", flush=True)

    if not _PRIVATE_SENSORS:

        @property
        def sensors(self):
            return self._sensors

        def get_sensor(self, uuid):
            return self._sensors[uuid]

    def _load(self, folder, name):
        scene = json.loads((folder / "scenes" / f"{name}.scene_instance.json").read_text())
        stage = scene["stage_instance"]["template_name"]
        self._stage = Rigid(folder / "stages" / f"{stage}.stage_config.json", -1, "stage", motion=MotionType.STATIC)
        for placed in scene["object_instances"]:
            config = folder / "objects" / f"{placed['template_name']}.object_config.json"
            self.instance(config, placed["translation"], MotionType[placed["motion_type"]])

    def instance(self, config, position=(0, 0, 0), motion=MotionType.DYNAMIC):
        """Make an object of its file, with the next free number of its name."""
        name = Path(config).name.split(".")[0]
        handle = next(h for k in range(10_000) if (h := f"{name}_:{k:04d}") not in self._handles)
        found = self._objects[self._next] = self._handles[handle] = Rigid(config, self._next, handle, position, motion)
        self._next += 1
        return found

    def add(self, uuid, kind, width, height, hfov):
        """Make a sensor at the agent."""
        self._sensors[uuid] = Sensor(self, kind, width, height, hfov)

    def get_agent(self, agent_id):
        return [self._agent][agent_id]

    def get_sensor_observations(self):
        for sensor in self._sensors.values():
            sensor.draw_observation()
        return {uuid: sensor.get_observation() for uuid, sensor in self._sensors.items()}

    def get_rigid_object_manager(self):
        return RigidObjects(self)

    def get_object_template_manager(self):
        return Templates(self)

    def recompute_navmesh(self, pathfinder, navmesh_settings):
        self.check_open()
        settings = checked(navmesh_settings, NavMeshSettings)
        fixed = [o for o in self._objects.values() if o.motion_type == MotionType.STATIC]
        rays = Rays([self._stage, *(fixed if settings.include_static_objects else ())])
        low, high = self._stage.vertices.min(axis=0), self._stage.vertices.max(axis=0)
        return checked(pathfinder, PathFinder).build(settings, rays.distance, rays.drop, low, high)

    def shown(self):
        """Return what is drawn."""
        return [self._stage, *self._objects.values()] if self._stage is not None else []

    def picture(self, kind, eye, *size):
        """Return what a camera at a transform (4, 4) sees now."""
        self.check_open()
        return self._pictures.taken(self.shown(), eye, *size)[kind]

    def check_open(self):
        """Raise RuntimeError once this is closed."""
        if not self._open:
            raise RuntimeError("the simulator is closed")

    def close(self, destroy=True):
        self._open = False
        self._sensors.clear()


class Agent:
    def __init__(self):
        mount = np.eye(4)
        mount[:3, 3] = (0.5, 0.3, -0.2)
        self.scene_node = Node(mount)


class RigidObjects:
    """What finds nothing answers None, and says so in habitat-sim's log."""

    def __init__(self, simulator):
        simulator.check_open()
        self._simulator = simulator

    def get_object_handles(self):
        return sorted(self._simulator._handles)

    def get_object_by_handle(self, handle):
        return self._simulator._handles.get(checked(handle, str))

    def add_object_by_template_id(self, object_lib_id):
        config = self._simulator._templates.get(checked(object_lib_id, int))
        return self._simulator.instance(config) if config is not None else None

    def remove_object_by_id(self, object_id):
        gone = self._simulator._objects.pop(checked(object_id, int))
        del self._simulator._handles[gone.handle]
        gone.remove()


class Templates:
    def __init__(self, simulator):
        simulator.check_open()
        self._simulator = simulator

    def load_configs(self, path):
        file = Path(checked(path, str))
        if not file.is_file() or not file.name.endswith(".object_config.json"):
            return []
        try:
            json.loads(file.read_text())
        except ValueError:
            return [-1]
        number = len(self._simulator._templates)
        self._simulator._templates[number] = file
        return [number]


class Sensor:
    def __init__(self, sim, kind, width, height, hfov):
        self._sim, self._kind, self._size = sim, kind, (width, height, hfov)
        self._sensor_object = SensorObject()

    if not _PRIVATE_SENSORS:

        @property
        def sensor_object(self):
            return self._sensor_object

    def draw_observation(self):
        mount = self._sim.get_agent(0).scene_node.transformation
        pose = (mount @ self._sensor_object.node.transformation)._m
        self._picture = self._sim.picture(self._kind, pose, *self._size)

    def get_observation(self):
        return self._picture


class SensorObject:
    def __init__(self):
        self.node = Node(np.eye(4))
