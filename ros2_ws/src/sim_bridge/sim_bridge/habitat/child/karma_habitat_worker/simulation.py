# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Habitat's Spot in a scene, as a handful of primitive operations; what to do with them is decided by the bridge.

Everything is in Habitat's frame: metres, y up, angles about y. Objects are moved kinematically and no time is
simulated, as habitat-lab's oracle skills do: a thing is where it was put.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import habitat
import habitat_sim
import magnum as mn
import numpy as np
from habitat.sims.habitat_simulator.sim_utilities import (
    get_ao_default_link,
    get_bb_corners,
    link_is_open,
    set_link_normalized_joint_position,
)
from habitat_sim.utils.common import orthonormalize_rotation_shear

from . import compatibility, configuration
from .transforms import RequestError, array, listed, matrix, vector

_WRIST = 5
"""Index among the arm's joints of the one that tilts the hand."""

_FOLDED_TILT = 0.14
"""Radians by which the folded forearm points upwards."""

_CELL = 0.0301
"""Metres; the navmesh is made from cells no larger than this."""

_LESS = 1e-4
"""Metres by which a radius is less than its cells: habitat-sim rounds it up to whole ones, in floats of 32 bits."""

_OUT_OF_SIGHT = 2000.0
"""Metres below the floor; habitat's cameras see 1000."""

_PROBED = (48, 64)
"""Rows and columns of the picture by which OpenGL is tried."""


class Simulation:
    """One scene at a time; None before `load`."""

    def __init__(self, folder: Path) -> None:
        """Use `folder`, the working folder, for what habitat wants as files."""
        compatibility.publish_sensors()
        self._folder = folder
        self._env: Any = None
        self._sensors: dict[str, Any] = {}
        self._camera = ""
        self._numbers: dict[int, Any] = {}
        self._fixed: set[int] = set()
        self._next = 1
        self._held = 0
        self._base: Any = None
        self._hand: Any = None
        self._angle = 0.0

    def probe(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return a picture (48, 64, 3) of an empty scene: needs OpenGL, but neither habitat-lab nor any file."""
        configuration.write_defaults(self._folder)
        settings = habitat_sim.SimulatorConfiguration()
        settings.scene_id = "NONE"
        settings.gpu_device_id = configuration.NO_CUDA_DEVICE
        camera = habitat_sim.CameraSensorSpec()
        camera.uuid = "color"
        camera.resolution = list(_PROBED)
        agent = habitat_sim.AgentConfiguration()
        agent.sensor_specifications = [camera]
        simulator = habitat_sim.Simulator(habitat_sim.Configuration(settings, [agent]))
        try:
            picture = np.array(simulator.get_sensor_observations()["color"])
        finally:
            simulator.close()
        return {}, {"color": picture[..., :3].astype(np.uint8)}

    def load(self, *, episode: dict[str, Any], camera: str, **settings: Any) -> dict[str, Any]:
        """Load an episode's scene; return what is in it. `settings`: as `configuration.overrides` takes them."""
        self.close()
        configuration.write_defaults(self._folder)
        episodes = self._folder / "data" / "episode.json.gz"
        configuration.write_episode(episodes, episode)
        changed = configuration.overrides(
            episodes=str(episodes),
            dataset=episode["scene_dataset_config"],
            objects=[str(path) for path in episode["additional_obj_config_paths"]],
            camera=camera,
            **settings,
        )
        self._env = habitat.Env(config=habitat.get_config(configuration.BASE, overrides=changed))
        self._env.reset()
        self._camera = camera
        self._sensors = {kind: self._sim.get_sensor(uuid) for kind, uuid in configuration.CAMERAS[camera].items()}
        self._make_navmesh()
        self._number_objects()
        self._arrive()
        return {
            "objects": [self._described(number) for number in self._numbers],
            "robot": self._robot_pose(),
            "navmesh_bounds": [listed(corner) for corner in self._sim.pathfinder.get_bounds()],
        }

    def close(self) -> None:
        """Close the scene, if there is one."""
        if self._env is not None:
            self._env.close()
        self._env, self._sensors, self._numbers, self._next, self._held = None, {}, {}, 1, 0
        self._fixed = set()

    @property
    def _sim(self) -> Any:
        if self._env is None:
            raise RequestError("no scene is loaded")
        return self._env.sim

    def _make_navmesh(self) -> None:
        """Compute the navmesh for this robot around what never moves, and only then let all be moved.

        Whatever touches a cell fills it, up to a cell too much; so the radius is a cell less.
        """
        sim = self._sim
        agent = sim.habitat_config.agents.main_agent
        settings = habitat_sim.nav.NavMeshSettings()
        settings.set_defaults()
        settings.cell_size = agent.radius / math.ceil(agent.radius / _CELL)
        settings.agent_radius = agent.radius - settings.cell_size - _LESS
        settings.agent_height = agent.height
        settings.agent_max_climb = agent.max_climb
        settings.agent_max_slope = agent.max_slope
        settings.include_static_objects = True
        if not sim.recompute_navmesh(sim.pathfinder, settings) or not sim.pathfinder.is_loaded:
            raise RequestError("no navmesh could be made of the scene: it has no floor that the robot fits on")

    def _number_objects(self) -> None:
        sim = self._sim
        rigid, jointed = sim.get_rigid_object_manager(), sim.get_articulated_object_manager()
        robot = sim.articulated_agent.sim_obj.object_id
        for handle in rigid.get_object_handles():
            self._number(rigid.get_object_by_handle(handle))
        for handle in jointed.get_object_handles():
            found = jointed.get_object_by_handle(handle)
            if found.object_id != robot:
                self._number(found)

    def _arrive(self) -> None:
        """Note where the robot is, and take along what it holds.

        Then keep it out of the head's pictures: from above its back it would see little but its folded arm.
        """
        robot = self._sim.articulated_agent
        self._base, self._angle, self._hand = robot.base_pos, float(robot.base_rot), robot.ee_transform().translation
        if self._camera == "head":
            robot.base_pos = self._base - mn.Vector3(0.0, _OUT_OF_SIGHT, 0.0)
        if self._held:
            self._carry()

    def _number(self, found: Any, number: int = 0) -> int:
        """Give an object a number, which is what the instance image shows, and make it hold still."""
        number = number or self._next
        self._next = max(self._next, number + 1)
        self._numbers[number] = found
        for node in _drawn(found):
            node.semantic_id = number
        kinds = habitat_sim.physics.MotionType
        if found.motion_type == kinds.STATIC:
            self._fixed.add(number)
        if found.motion_type != kinds.KINEMATIC:
            found.motion_type = kinds.KINEMATIC
        return number

    def _object(self, number: int) -> Any:
        found = self._numbers.get(number)
        if found is None:
            raise RequestError(f"there is no object {number}")
        return found

    def _described(self, number: int) -> dict[str, Any]:
        found = self._object(number)
        corners = np.array([listed(found.transformation.transform_point(c)) for c in get_bb_corners(found.aabb)])
        link = get_ao_default_link(found, True) if found.is_articulated else None
        return {
            "number": number,
            "handle": found.handle,
            "template": _template(found),
            "position": listed(found.translation),
            "low": corners.min(axis=0).tolist(),
            "high": corners.max(axis=0).tolist(),
            "fixed": number in self._fixed or bool(found.is_articulated),
            "openable": link is not None,
            "opened": link is not None and bool(link_is_open(found, link)),
        }

    def rooms(self) -> dict[str, Any]:
        """Say which regions the scene names."""
        scene = self._sim.semantic_scene
        rooms = []
        for region in scene.regions if scene is not None else ():
            low, high = region.aabb.min, region.aabb.max
            kind = region.category.name() if region.category is not None else ""
            rooms.append({"name": str(region.id), "kind": str(kind), "low": listed(low), "high": listed(high)})
        return {"rooms": rooms}

    def objects(self) -> dict[str, Any]:
        """Say where every object is now."""
        return {"objects": [self._described(number) for number in self._numbers]}

    def snap(self, points: Any, start: Any) -> Any:
        """Return the nearest points (n, 3) of the navmesh, NaN where there is none or no way to it from `start`."""
        finder = self._sim.pathfinder
        found = np.array([listed(finder.snap_point(vector(p))) for p in points]).reshape(-1, 3)
        for row in np.flatnonzero(np.isfinite(found).all(axis=1)):
            if not len(self.path(start, found[row])):
                found[row] = math.nan
        return found

    def path(self, start: Any, end: Any) -> Any:
        """Return the corners (n, 3) of the shortest way over the navmesh, none where there is no way."""
        way = habitat_sim.nav.ShortestPath()
        way.requested_start, way.requested_end = vector(start), vector(end)
        found = self._sim.pathfinder.find_path(way)
        return np.array([listed(p) for p in way.points] if found else [], dtype=np.float64).reshape(-1, 3)

    def stand(self, position: Any, angle: float, tilt: float, eye: Any) -> dict[str, Any]:
        """Put the robot on a point of the floor, facing `angle`, and aim its camera.

        `eye` is the transform (4, 4) that the head's camera gets. The arm's camera is where the hand is, which is
        tilted by `tilt` radians, positive upwards.
        """
        robot = self._sim.articulated_agent
        robot.base_rot = angle
        robot.base_pos = vector(position)
        if self._camera == "arm":
            joints = [float(j) for j in robot.arm_joint_pos]
            low, high = robot.arm_joint_limits
            joints[_WRIST] = min(max(_FOLDED_TILT - tilt, float(low[_WRIST])), float(high[_WRIST]))
            robot.arm_joint_pos = joints
        self._sim.maybe_update_articulated_agent()
        # The hand's cameras are up to 3 cm apart: all are put where the depth is measured.
        self._put_camera(eye if self._camera == "head" else self._camera_pose())
        self._arrive()
        return self._robot_pose()

    def _robot_pose(self) -> dict[str, Any]:
        return {
            "position": listed(self._base),
            "angle": self._angle,
            "hand": listed(self._hand),
            "camera": self._camera_pose().tolist(),
        }

    def _camera_pose(self) -> Any:
        mount = self._sim.get_agent(0).scene_node.transformation
        return array(mount @ self._sensors["depth"].sensor_object.node.transformation)

    def _put_camera(self, transform: Any) -> None:
        mount = self._sim.get_agent(0).scene_node.transformation
        local = orthonormalize_rotation_shear(mount.inverted() @ matrix(transform))
        for sensor in self._sensors.values():
            sensor.sensor_object.node.transformation = local

    def _see(self, kind: str) -> Any:
        sensor = self._sensors[kind]
        sensor.draw_observation()
        return np.array(sensor.get_observation())

    def render(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what the camera sees: where it is, and color (h, w, 3), depth (h, w) in metres, instances (h, w)."""
        camera = self._camera_pose().tolist()
        color = self._see("color")[..., :3].astype(np.uint8)
        depth = self._see("depth").astype(np.float32)
        instances = self._see("instances").astype(np.uint32)
        return {"camera": camera}, {"color": color, "depth": depth, "instances": instances}

    def look(self, eyes: Any, numbers: bool, middle: bool) -> dict[str, Any]:
        """Say what a camera at each of some transforms (n, 4, 4) would see; the camera then goes back.

        With `numbers` the objects and how many pixels each fills, with `middle` the depth in the middle of the image.
        """
        before = self._camera_pose()
        seen: list[Any] = []
        depths: list[float] = []
        for eye in eyes:
            self._put_camera(eye)
            if numbers:
                found, counts = np.unique(self._see("instances"), return_counts=True)
                known = [k for k in range(len(found)) if int(found[k]) in self._numbers]
                seen.append([[int(found[k]), int(counts[k])] for k in known])
            if middle:
                depth = self._see("depth")
                depths.append(float(depth[depth.shape[0] // 2, depth.shape[1] // 2]))
        self._put_camera(before)
        return {"seen": seen, "depths": depths}

    def move(self, number: int, shift: Any) -> dict[str, Any]:
        """Move an object by a vector."""
        found = self._object(number)
        found.translation = found.translation + vector(shift)
        return self._described(number)

    def reform(self, number: int, config: str, position: Any) -> dict[str, Any]:
        """Give an object (0: a new one) the form that an object file describes, at a position."""
        rigid = self._sim.get_rigid_object_manager()
        templates = self._sim.get_object_template_manager().load_configs(config)
        if not templates or templates[0] < 0:
            raise RequestError(f"habitat-sim can't load {config}")
        found = rigid.add_object_by_template_id(templates[0])
        if found is None:
            raise RequestError(f"habitat-sim can't make an object of {config}")
        if number:
            rigid.remove_object_by_id(self._object(number).object_id)
        number = self._number(found, number)
        found.translation = vector(position)
        return self._described(number)

    def remove(self, number: int) -> None:
        """Take an object out of the scene."""
        if number == self._held:
            self._held = 0
        self._sim.get_rigid_object_manager().remove_object_by_id(self._object(number).object_id)
        del self._numbers[number]

    def set_opened(self, number: int, opened: bool) -> dict[str, Any]:
        """Open or close the door or drawer of a jointed object, as far as it goes."""
        found = self._object(number)
        link = get_ao_default_link(found, True) if found.is_articulated else None
        if link is None:
            raise RequestError(f"{found.handle} has no joint to open")
        set_link_normalized_joint_position(found, link, 1.0 if opened else 0.0)
        return self._described(number)

    def hold(self, number: int) -> dict[str, Any]:
        """Fix an object to the hand; 0: let go, and leave it where it is."""
        if number:
            self._object(number)
        self._held = number
        if number:
            self._carry()
        return self._robot_pose()

    def _carry(self) -> None:
        self._object(self._held).translation = self._hand


def _drawn(found: Any) -> Any:
    """Return the nodes that draw an object."""
    if not found.is_articulated:
        return found.visual_scene_nodes
    return [node for link in (-1, *found.get_link_ids()) for node in found.get_link_visual_nodes(link)]


def _template(found: Any) -> str:
    """Return the name of the file that an object was made from: habitat's handle is that and a number."""
    return str(found.handle).rsplit("_:", 1)[0]
