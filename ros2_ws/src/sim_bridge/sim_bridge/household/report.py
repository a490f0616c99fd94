# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How good the scenes are, as a table: `python -m sim_bridge.household.report`.

For each scene: is all free space connected, and what share of the things that can be carried and that nothing closed
hides is seen and in reach from some free cell. That is judged by lines of sight; `--rendered` judges by pictures, too.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tqdm import tqdm

from sim_bridge.backend import Skill, execute
from sim_bridge.household.accessibility import accessible
from sim_bridge.household.backend import HouseholdBackend
from sim_bridge.household.pictured import unpictured
from sim_bridge.household.recorded import recording
from sim_bridge.household.renderer import HouseholdRenderer
from sim_bridge.household.rooms import room_scene
from sim_bridge.household.scenes import scene_names

REQUIRED = 0.95
"""Share of the objects in view and in reach that every scene must have."""


@dataclass(frozen=True)
class SceneReport:
    """The figures of one scene; shares from 0 to 1."""

    scene: str
    rooms: int
    cells: int
    objects: int
    pickupables: int
    """That nothing closed hides."""
    reachable: float
    """Share of those that are seen and in reach from a free cell."""
    explored: float
    """Share of those that Explore without a target sees."""
    pictured: float | None
    """Share of those that a picture taken from a free cell in reach shows; None where none were taken."""
    moved: int
    """How many things are not where they were recorded, because no robot could get at them there; those that were only
    raised with the bottom of a basin are not counted."""
    connected: float
    """Share of the free cells that can be driven to from the start."""
    unreachable: tuple[str, ...]
    """Ids of those that are not both in view and in reach from anywhere."""
    unpictured: tuple[str, ...]
    """Ids of those that no such picture shows."""

    @property
    def good(self) -> bool:
        """Whether the scene is as every scene must be."""
        seen = self.reachable if self.pictured is None else min(self.reachable, self.pictured)
        return seen >= REQUIRED and self.connected == 1.0


def inspect(name: str, camera: HouseholdRenderer | None = None) -> SceneReport:
    """Examine one scene, with a camera also by pictures. KeyError for an unknown one."""
    backend = HouseholdBackend(name)
    world, grid = backend.world, backend.grid
    carried = [n for n, s in world.specs.items() if s.movable and not world.closed_around(n)]
    missing = tuple(n for n in carried if not accessible(world, grid, backend.sight, n))
    hidden = unpictured(backend, carried, camera) if camera else ()
    outcome = execute(backend, Skill("Explore"))
    seen = {s.id for s in outcome.seen}
    return SceneReport(
        scene=name,
        rooms=len(world.scene.rooms),
        cells=len(grid.cells),
        objects=len(world.specs),
        pickupables=len(carried),
        reachable=1.0 - len(missing) / max(len(carried), 1),
        explored=sum(n in seen for n in carried) / max(len(carried), 1),
        pictured=1.0 - len(hidden) / max(len(carried), 1) if camera else None,
        moved=sum(_moved(r.floor_plan) for r in world.scene.rooms),
        connected=len(grid.components()[0]) / len(grid.cells),
        unreachable=missing,
        unpictured=hidden,
    )


def _moved(floor_plan: str) -> int:
    recorded = {o.id: o.box.center[:2] for o in recording(floor_plan).objects}
    return sum(o.movable and o.box.center[:2] != recorded[o.id] for o in room_scene(floor_plan).objects)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; return 1 when a scene falls short."""
    parser = argparse.ArgumentParser(prog="python -m sim_bridge.household.report", description=__doc__)
    parser.add_argument("--scene", action="append", metavar="NAME", help="only this scene; may be given again")
    parser.add_argument("--rendered", action="store_true", help="judge by pictures, too: one to two minutes more")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, too")
    options = parser.parse_args(arguments)
    unknown = set(options.scene or ()) - set(scene_names())
    if unknown:
        parser.error(f"no scene {', '.join(sorted(unknown))}")
    camera = HouseholdRenderer(width=640, height=480) if options.rendered else None
    return _report_scenes(options.scene or list(scene_names()), camera, options.json)


def _report_scenes(names: list[str], camera: HouseholdRenderer | None, file: Path | None) -> int:
    reports = [inspect(n, camera) for n in tqdm(names, unit="scene", disable=None)]
    print(
        f"{'scene':<14}{'rooms':>6}{'cells':>7}{'objects':>9}{'carried':>9}{'reached':>9}{'pictured':>10}{'explored':>10}"
        f"{'moved':>7}{'connected':>11}"
    )
    for r in reports:
        pictured = "-" if r.pictured is None else f"{r.pictured:.1%}"
        short = "" if r.good else "  short: " + ", ".join(dict.fromkeys((*r.unreachable, *r.unpictured)))
        print(
            f"{r.scene:<14}{r.rooms:>6}{r.cells:>7}{r.objects:>9}{r.pickupables:>9}{r.reachable:>9.1%}{pictured:>10}"
            f"{r.explored:>10.1%}{r.moved:>7}{r.connected:>11.1%}{short}"
        )
    good = sum(r.good for r in reports)
    print(
        f"{good} of {len(reports)} scenes: one free space, and {REQUIRED:.0%} of what can be carried in view and reach"
    )
    _write(file, [asdict(r) for r in reports])
    return 0 if good == len(reports) else 1


def _write(file: Path | None, figures: list[dict[str, object]]) -> None:
    if file is not None:
        file.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
