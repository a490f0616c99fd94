# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma bench sim`: how fast the household renders, and how fast skills run without pictures."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from karma_eval.command_line import json_option, write_json
from karma_ros.interrupts import deferred


@click.command("sim")
@click.option("--scene", "scenes", multiple=True, help="May be repeated.  [default: FloorPlan1, FloorPlan201, home1]")
@click.option("--frames", default=120, show_default=True, type=click.IntRange(1), help="Of each scene and size.")
@click.option("--skills", default=2000, show_default=True, type=click.IntRange(1), help="Of each scene.")
@json_option("Write the figures there, too.")
def command(scenes: tuple[str, ...], frames: int, skills: int, json_file: Path | None) -> int:
    """Measure frames of RGB, depth and instances a second, and steps of skills a second without pictures.

    Ends with status 0 when there are at least 25 frames a second at 640x480 and 50 at 320x240, and 5,000 steps, in
    every scene.
    """
    with deferred():
        from sim_bridge.household.scenes import scene_names
        from sim_bridge.household.speed import FRAMES_WANTED, STEPS_WANTED, measure_frames, measure_steps

    chosen = scenes or ("FloorPlan1", "FloorPlan201", "home1")
    if unknown := set(chosen) - set(scene_names()):
        raise click.UsageError(f"no scene {', '.join(sorted(unknown))}; FloorPlan1 … FloorPlan430, home1 … home5")
    console = Console(highlight=False)
    table = Table("scene", *(f"{width}x{height}, frames/s" for width, height in FRAMES_WANTED), "steps/s")
    shown, stepped = [], []
    for scene in chosen:
        with console.status(scene):
            rows = [measure_frames(scene, width, height, frames) for width, height in FRAMES_WANTED]
            steps = measure_steps(scene, skills)
        shown += rows
        stepped.append(steps)
        table.add_row(scene, *(f"{row.fps:.0f}" for row in rows), f"{steps.steps_per_second:,.0f}")
    console.print(table)
    figures = {
        "frames": [asdict(row) for row in shown],
        "steps": [{**asdict(one), "steps_per_second": one.steps_per_second} for one in stepped],
    }
    write_json(json_file, figures)
    quick = all(row.fps >= FRAMES_WANTED[row.width, row.height] for row in shown)
    return 0 if quick and all(one.steps_per_second >= STEPS_WANTED for one in stepped) else 1
