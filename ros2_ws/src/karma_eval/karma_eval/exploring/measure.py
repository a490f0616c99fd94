# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""One scene, explored frontier by frontier and as the simulator's own Explore does; its relations against the truth."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np

from karma_eval.perception.stage import Options, Stage
from karma_perception.frames.camera import Frame
from karma_perception.pipeline import PerceptionPipeline
from karma_perception.places.frontiers import Frontier
from karma_perception.scene_graph import EdgeType, Layer, Node, SceneGraph
from sim_bridge.backend import Skill
from sim_bridge.household.renderer import HouseholdRenderer
from sim_bridge.simulation.categories import HANGING, relation_of

MOST_LOOKS = 100
"""Frontiers that are gone to in one scene at most."""

SAME = 0.5
"""Metres; a frontier as near to one that was looked at before is not looked at again (plan/exploring.py)."""

BESIDE = 0.9
"""Metres to an area node within which a cell is known to be reachable: half the diagonal of a node's square."""

SUPPORT = 0.05
"""Metres between a thing's true underside and the height of a support."""


@dataclass(frozen=True)
class Explored:
    """What an exploration showed."""

    looks: int
    """Places that were looked around from."""
    frames: int
    seconds: float
    """Simulated."""
    cells: float
    """Share of the cells that the robot can reach that the graph has an area node for."""
    visible: frozenset[str]
    """Objects that some picture showed well."""
    objects: frozenset[str]
    """Objects in the graph."""


@dataclass(frozen=True)
class Relations:
    """What the graph says of the things that can be carried and were seen well, against the simulator's truth."""

    things: int
    receptacle: int
    """That have the true receptacle."""
    built_in: int
    """That have it, or a part of it, or what it is a part of: a basin for its sink."""
    relation: int
    """With the right "on" or "in"."""
    supported: int
    """Whose true underside is as high as a support of their true receptacle."""
    supports: int
    """Whose true receptacle is in the graph and nothing that they hang on."""


@dataclass(frozen=True)
class SceneResult:
    """Figures of one scene."""

    scene: str
    frontiers: Explored
    own: Explored
    relations: Relations
    """After the simulator's own exploring."""


class _Eyes:
    """A pipeline in this process, which makes a graph now and then as the node does."""

    def __init__(self) -> None:
        self.pipeline = PerceptionPipeline()
        self._frames = 0

    def perceive(self, frame: Frame) -> None:
        """Take a frame into account."""
        self.pipeline.update(frame)
        self._frames += 1
        if self._frames % 5 == 0:
            self.pipeline.graph()

    begin = perceive

    def graph(self) -> SceneGraph:
        """Return the scene graph as it is known now."""
        return self.pipeline.graph()


def run_scene(scene: str, options: Options, on_frame: Callable[[], object] = lambda: None) -> SceneResult:
    """Explore a scene twice, each time anew.

    KeyError for an unknown scene; RenderingUnavailableError where nothing can be rendered.
    """
    results = []
    with ExitStack() as stack:
        renderer = HouseholdRenderer(width=options.width, height=options.height)
        stack.callback(renderer.close)
        for explore in (_by_frontiers, _by_itself):
            eyes = _Eyes()
            stage = Stage(scene, options, {"": eyes}, renderer, on_frame)
            looks = explore(stage, eyes)
            results.append(_explored(stage, eyes.graph(), looks))
    truth = stage.backend.world
    things = [n for n in results[1].visible if n in truth.specs and truth.specs[n].movable]
    return SceneResult(scene, results[0], results[1], _relations(stage, eyes.graph(), things))


def _by_frontiers(stage: Stage, eyes: _Eyes) -> int:
    """Look around where the robot is, then at one frontier after the other; return the number of looks."""
    grid = stage.backend.grid
    x, y, z = grid.points[stage.backend.robot.cell].tolist()
    position, looked_at = (x, y, z), list[Frontier]()
    for look in range(1, MOST_LOOKS + 1):
        stage.run(Skill("Explore", positions=(position,)))
        left = [f for f in eyes.pipeline.frontiers() if not any(_same(f, other) for other in looked_at)]
        if not left:
            return look
        looked_at.append(left[0])
        position = left[0].position
    return MOST_LOOKS


def _by_itself(stage: Stage, eyes: _Eyes) -> int:
    return stage.run(Skill("Explore")).explore_steps


def _same(one: Frontier, other: Frontier) -> bool:
    return math.dist(one.position, other.position) < SAME or math.dist(one.middle, other.middle) < SAME


def _explored(stage: Stage, graph: SceneGraph, looks: int) -> Explored:
    areas = np.array([a.center for a in graph.layer(Layer.AREA)]).reshape(-1, 3)
    points = stage.backend.grid.points
    known = np.zeros(len(points), dtype=bool)
    for area in areas:
        level = np.abs(points[:, 2] - area[2]) < 0.5
        known |= level & (np.linalg.norm(points[:, :2] - area[:2], axis=1) <= BESIDE)
    return Explored(
        looks=looks,
        frames=stage.frames,
        seconds=stage.backend.robot.clock,
        cells=float(known.mean()),
        visible=frozenset(name for name, target in stage.truth.targets().items() if target.visible),
        objects=frozenset(n.id for n in graph.layer(Layer.OBJECT)),
    )


def _relations(stage: Stage, graph: SceneGraph, things: Iterable[str]) -> Relations:
    world = stage.backend.world
    whole = {a: b for kind, a, b in graph.edges if kind is EdgeType.PART_OF}
    rows = []
    for name in sorted(things):
        node = graph.nodes.get(name)
        if node is None:
            continue
        parent = world.parents[name]
        holder = "" if parent not in world.specs or world.category(parent) == "Floor" else parent
        relation = relation_of(world.category(holder)) if holder else ""
        right = node.receptacle == holder
        built = right or (bool(node.receptacle) and _kin(node.receptacle, holder, whole))
        fits = _fits(graph.nodes.get(holder), world.boxes[name].low[2], world.category(holder) if holder else "")
        rows.append((right, built, right and node.relation == relation, fits is True, fits is not None))
    sums = np.array(rows, dtype=int).reshape(-1, 5).sum(axis=0).tolist()
    return Relations(len(rows), *sums)


def _kin(one: str, other: str, whole: Mapping[str, str]) -> bool:
    """Whether one is a part of the other."""
    return other in (whole.get(one, None), whole.get(whole.get(one, ""), None)) or one in (
        whole.get(other, None),
        whole.get(whole.get(other, ""), None),
    )


def _fits(holder: Node | None, underside: float, category: str) -> bool | None:
    """Whether a support of the holder is as high as a thing's underside; None where it hangs or none is known."""
    if holder is None or category in HANGING:
        return None
    return any(abs(height - underside) <= SUPPORT for height in holder.support_heights)
