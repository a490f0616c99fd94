# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How fast the household's camera is: `python -m sim_bridge.household.render_bench --json FILE`."""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from sim_bridge.household.renderer import HouseholdRenderer
from sim_bridge.household.scenes import load_scene
from sim_bridge.household.stills import still
from sim_bridge.household.views import EYE_HEIGHT, camera_pose, free_view

TARGETS = {(640, 480): 25.0, (320, 240): 50.0}
"""Frames a second of RGB, depth and instances."""


@dataclass(frozen=True)
class Speed:
    """One scene at one size."""

    scene: str
    width: int
    height: int
    frames: int
    fps: float
    """Frames a second of wall time while the camera turns and drives."""
    cpu_ms: float
    """Processor time of a frame, milliseconds: what a busy machine does not change."""
    median_ms: float
    worst_ms: float


def measure(scene_name: str, width: int, height: int, frames: int) -> Speed:
    """Render a full turn from the start of a scene and return the speed."""
    scene = load_scene(scene_name)
    snapshot = still(scene)
    renderer = HouseholdRenderer(width=width, height=height)
    try:
        renderer.render(snapshot, free_view(scene))
        x, y, z = snapshot.robot.x, snapshot.robot.y, snapshot.robot.z
        times = []
        cpu = time.process_time()
        for i in range(frames):
            begin = time.perf_counter()
            renderer.render(snapshot, camera_pose((x, y, z + EYE_HEIGHT), i * math.tau / frames, math.radians(20)))
            times.append(time.perf_counter() - begin)
        cpu = time.process_time() - cpu
    finally:
        renderer.close()
    return Speed(
        scene_name,
        width,
        height,
        frames,
        fps=frames / sum(times),
        cpu_ms=1e3 * cpu / frames,
        median_ms=1e3 * statistics.median(times),
        worst_ms=1e3 * max(times),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table, write the same figures as JSON; 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", nargs="+", default=["FloorPlan1", "FloorPlan201", "home1"], metavar="SCENE")
    parser.add_argument("--frames", type=int, default=120)
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    if options.frames < 1:
        parser.error("--frames must be at least 1")
    print(f"{'scene':<14}{'size':>10}{'fps':>8}{'target':>8}{'median ms':>11}{'worst ms':>10}{'CPU ms':>8}")
    rows = []
    for scene in options.scenes:
        for (width, height), target in TARGETS.items():
            try:
                row = measure(scene, width, height, options.frames)
            except KeyError as error:
                parser.error(str(error.args[0]))
            rows.append(row)
            print(
                f"{scene:<14}{f'{width}x{height}':>10}{row.fps:>8.1f}{target:>8.0f}{row.median_ms:>11.1f}"
                f"{row.worst_ms:>10.1f}{row.cpu_ms:>8.1f}",
                flush=True,
            )
    missed = [r for r in rows if r.fps < TARGETS[r.width, r.height]]
    if options.json:
        figures = {"rows": [asdict(r) for r in rows], "targets_met": not missed}
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
