# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""One scene: the robot explores it, a person moves things behind its back, the robot explores it again."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace

import numpy as np

from karma_eval.perception.handling import Handled, handle_things
from karma_eval.perception.perceiver import HIDDEN, KNOWN, PLAIN, Effort, Perceiver
from karma_eval.perception.scoring import (
    Counts,
    Matching,
    areas_in_right_room,
    indistinguishable,
    kept,
    match,
    rooms_f1,
)
from karma_eval.perception.stage import Options, Stage
from karma_eval.perception.truth import VisibleTruth
from karma_perception.scene_graph import Layer, SceneGraph
from sim_bridge.backend import Skill
from sim_bridge.household.renderer import HouseholdRenderer


@dataclass(frozen=True)
class Score:
    """How well one pipeline did in one scene."""

    counts: Counts
    """Of objects, after the second exploration."""
    strict: Counts
    """The same where everything has to be found of which any picture showed anything at all."""
    errors: tuple[float, ...]
    """Metres, of each object that was found; to the centre of what was visible of it."""
    true_errors: tuple[float, ...]
    """Metres, of each thing that can be carried; to the centre of its whole box."""
    moved: int
    """Objects that were moved, well visible before and after, and whose old place was seen again."""
    moved_kept: int
    """Of these, those that are the same node before and after."""
    moved_exact: int
    """Of these, those that are no other's that looks the same, either."""
    moved_all: int
    """Objects that were moved and well visible before and after, wherever else the robot looked."""
    moved_all_kept: int
    moved_all_exact: int
    stayed: int
    """Likewise of the objects that were not moved."""
    stayed_kept: int
    areas: tuple[tuple[str, str], ...]
    """Of each area node the room that it is put in, and the room that it is in."""
    rooms: tuple[str, ...]
    """All rooms that can be walked into."""
    floors: int
    effort: Effort
    invented: tuple[str, ...]
    """Nodes that are nothing that was in any picture."""
    overlooked: tuple[str, ...]
    lost: tuple[str, ...]
    """Objects, moved or not, that were visible before and after and are not the same node."""
    handled: Handled = field(default_factory=Handled)

    @property
    def rooms_f1(self) -> float:
        """How well the area nodes are divided into rooms."""
        return rooms_f1(self.areas, self.rooms)

    @property
    def areas_right(self) -> int:
        """Area nodes in the room that they are in."""
        return areas_in_right_room(self.areas)


@dataclass(frozen=True)
class SceneResult:
    """Figures of one scene."""

    scene: str
    rooms: int
    floors: int
    frames: int
    scores: Mapping[str, Score]
    """`KNOWN`, `HIDDEN` and `PLAIN`, as far as asked for."""


def run_scene(
    scene: str,
    options: Options,
    kinds: Sequence[str] = (KNOWN, HIDDEN),
    on_frame: Callable[[], object] = lambda: None,
) -> tuple[SceneResult, dict[str, SceneGraph]]:
    """Explore a scene, move things, explore again; return how well the mappers did, and what each knew then.

    KeyError for an unknown scene; RenderingUnavailableError where nothing can be rendered.
    """
    with ExitStack() as stack:
        renderer = stack.enter_context(closing(HouseholdRenderer(width=options.width, height=options.height)))
        perceivers = {kind: stack.enter_context(closing(Perceiver(kind))) for kind in kinds}
        stage = Stage(scene, options, perceivers, renderer, on_frame)
        stage.run(Skill("Explore"), options.max_frames)
        first = {name: _match(p.graph(), stage.truth) for name, p in perceivers.items()}
        visible = stage.visible()
        moved = _move_things(stage)
        stage.run(Skill("Explore"), options.max_frames)
        graphs = {name: p.graph() for name, p in perceivers.items()}
        scores = {
            name: _score(stage, graphs[name], first[name], visible, moved, p.effort()) for name, p in perceivers.items()
        }
        for name, handled in handle_things(stage, [kind for kind in kinds if kind != PLAIN]).items():
            scores[name] = replace(scores[name], handled=handled)
        rooms = stage.backend.world.scene.rooms
        return SceneResult(scene, len(rooms), len({r.storey for r in rooms}), stage.frames, scores), graphs


def _move_things(stage: Stage) -> tuple[str, ...]:
    """Move things that have been seen, in every room; return everything that is elsewhere now."""
    backend, visible = stage.backend, stage.visible()
    chance = random.Random(f"moves {stage.options.seed} {backend.scene}")  # noqa: S311
    world = backend.world
    by_room = defaultdict(list)
    for name, spec in world.specs.items():
        if spec.movable and name in visible:
            by_room[spec.room].append(name)
    before = dict(world.boxes)
    for names in by_room.values():
        chance.shuffle(names)
        left = stage.options.moves
        for name in names:
            if left and stage.move(name, _open_places(stage, name, chance)):
                left -= 1
    return tuple(n for n in world if n in before and world.boxes[n].center != before[n].center)


def _open_places(stage: Stage, name: str, chance: random.Random) -> list[str]:
    """Return the other furniture that has been seen, and that shuts nothing in, in random order."""
    world, visible = stage.backend.world, stage.visible()
    places = [n for n in world.specs if n in visible and stage.is_surface(n) and n != world.parents[name]]
    chance.shuffle(places)
    return places


def _match(graph: SceneGraph, truth: VisibleTruth) -> Matching:
    return match(graph.layer(Layer.OBJECT), truth.targets().values())


def _score(
    stage: Stage, graph: SceneGraph, first: Matching, visible: Set[str], moved: Sequence[str], effort: Effort
) -> Score:
    targets = stage.truth.targets()
    second = _match(graph, stage.truth)
    twice = {name for name, t in targets.items() if t.visible and name in visible}
    moved_all = twice & set(moved)
    # Until its old place is in view again, there may as well be two of a thing, for all that one could see.
    known_moved = moved_all & stage.truth.emptied
    stayed = twice - set(moved)
    world, grid = stage.backend.world, stage.backend.grid
    exact = set(kept(twice, first, second))

    def look_kept(names: set[str]) -> set[str]:
        looks = indistinguishable({n: (targets[n].category, world.boxes[n].size) for n in names})
        return set(kept(names, first, second, looks))

    same = look_kept(known_moved) | (exact & stayed)
    carried = [
        float(np.linalg.norm(np.subtract(graph.nodes[node].center, world.boxes[name].center)))
        for name, node in second.nodes.items()
        if targets[name].visible and world.specs[name].movable
    ]
    areas = tuple(
        (a.parent, grid.rooms[grid.nearest(a.center[0], a.center[1], grid.storey_of(a.center[2]))])
        for a in graph.layer(Layer.AREA)
    )
    return Score(
        counts=second.counts,
        strict=match(graph.layer(Layer.OBJECT), (replace(t, visible=True) for t in targets.values())).counts,
        errors=second.errors,
        true_errors=tuple(carried),
        moved=len(known_moved),
        moved_kept=len(same & known_moved),
        moved_exact=len(exact & known_moved),
        moved_all=len(moved_all),
        moved_all_kept=len(look_kept(moved_all)),
        moved_all_exact=len(exact & moved_all),
        stayed=len(stayed),
        stayed_kept=len(same & stayed),
        areas=areas,
        rooms=tuple(sorted(set(grid.rooms))),
        floors=len(graph.layer(Layer.FLOOR)),
        effort=effort,
        invented=second.invented,
        overlooked=second.overlooked,
        lost=tuple(sorted((known_moved | stayed) - same)),
    )
