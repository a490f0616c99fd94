# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""habitat-lab's own configuration for playing with Spot, changed only where this machine and this scene need it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

BASE = "benchmark/rearrange/play/play_spot.yaml"
"""What habitat-lab composes: RearrangeSim-v0 with a SpotRobot as main_agent."""

CAMERAS = {
    "head": {"color": "head_rgb", "depth": "head_depth", "instances": "head_panoptic"},
    "arm": {
        "color": "articulated_agent_arm_rgb",
        "depth": "articulated_agent_arm_depth",
        "instances": "articulated_agent_arm_panoptic",
    },
}
"""Camera → what it measures → uuid of habitat's sensor."""

NO_CUDA_DEVICE = -1
"""EGL takes what it finds, a GPU or the CPU."""

_AGENT = "habitat.simulator.agents.main_agent"
_SIZED = ("rgb_sensor", "depth_sensor", "panoptic_sensor")


def overrides(
    *,
    episodes: str,
    dataset: str,
    objects: list[str],
    spot: str,
    agent_radius: float,
    camera: str,
    width: int,
    height: int,
    hfov: int,
    seed: int,
) -> list[str]:
    """Return what is different from `BASE`. Paths are absolute; `agent_radius` in metres, `hfov` in degrees."""
    sensors = f"{_AGENT}.sim_sensors"
    changed = [
        f"habitat.seed={seed}",
        f"habitat.dataset.data_path='{episodes}'",
        "habitat.dataset.scenes_dir='.'",
        f"habitat.simulator.scene_dataset='{dataset}'",
        f"habitat.simulator.additional_object_paths=[{','.join(repr(path) for path in objects)}]",
        f"habitat.simulator.habitat_sim_v0.gpu_device_id={NO_CUDA_DEVICE}",
        "habitat.simulator.concur_render=False",
        "habitat.simulator.navmesh_include_static_objects=True",
        "habitat.simulator.debug_render_goal=False",
        f"{_AGENT}.articulated_agent_urdf='{spot}'",
        f"{_AGENT}.radius={agent_radius}",
        f"{_AGENT}.joint_start_noise=0.0",
        # The play task's only sensor that needs a target object.
        "~habitat.task.lab_sensors.arm_depth_bbox_sensor",
        f"+habitat/simulator/sim_sensors@{sensors}.head_panoptic_sensor=head_panoptic_sensor",
    ]
    for sensor in _SIZED:
        prefix = f"{sensors}.{camera}_{sensor}"
        changed += [f"{prefix}.width={width}", f"{prefix}.height={height}", f"{prefix}.hfov={hfov}"]
    return changed


def write_episode(path: Path, episode: dict[str, Any]) -> None:
    """Write an episode where habitat-lab's dataset reads it: a .json.gz file."""
    with gzip.open(path, "wt", encoding="utf-8") as file:
        json.dump({"episodes": [episode]}, file)


def write_defaults(folder: Path) -> None:
    """Write what habitat-sim reads from `data` in the working folder: shading without image-based lighting.

    Preparing that lighting takes 8 to 20 s each time a simulator starts. Switching it off doesn't keep habitat-sim from
    preparing it; pictures that don't exist do, which it reports and skips.
    """
    (folder / "data").mkdir(parents=True, exist_ok=True)
    shading = {
        "enable_direct_lights": True,
        "enable_ibl": False,
        "ibl_blut_filename": "none",
        "ibl_envmap_filename": "none",
    }
    (folder / "data" / "default.pbr_config.json").write_text(json.dumps(shading), encoding="utf-8")
