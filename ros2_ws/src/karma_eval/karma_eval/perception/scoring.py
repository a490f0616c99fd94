# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How well a scene graph agrees with what was visible: objects, positions, identities, rooms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from karma_eval.perception.truth import Target
from karma_perception.scene_graph import Node

_FAR = 1e6
_GLIMPSED = 1e3
"""Cost of a pair whose target need not have been found, so that those that must be come first."""

NEAR = 0.1
"""Metres between the centres of a node and of what was visible, within which they may be the same thing."""

SHARE = 0.25
"""The same as a share of the diagonal of what was visible, for larger things."""

ALIKE = 0.03
"""Metres by which the extents of things that can be told apart differ at least."""


@dataclass(frozen=True)
class Counts:
    """Nodes and targets that were paired, and those that were not."""

    found: int = 0
    invented: int = 0
    """Nodes that are nothing that was in any picture."""
    overlooked: int = 0
    """Targets that had to be found."""

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.found + other.found, self.invented + other.invented, self.overlooked + other.overlooked)

    @property
    def precision(self) -> float:
        """Share of the nodes that are right; 1 when there is none."""
        return _ratio(self.found, self.found + self.invented)

    @property
    def recall(self) -> float:
        """Share of the targets that were found; 1 when there is none."""
        return _ratio(self.found, self.found + self.overlooked)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return _ratio(2 * self.found, 2 * self.found + self.invented + self.overlooked)


@dataclass(frozen=True)
class Matching:
    """Which node is which target."""

    nodes: Mapping[str, str]
    """Id of a target → id of its node."""
    errors: tuple[float, ...]
    """Metres between the centres of a node and of what was visible, of the targets that had to be found."""
    counts: Counts
    invented: tuple[str, ...]
    overlooked: tuple[str, ...]


def match(nodes: Iterable[Node], targets: Iterable[Target]) -> Matching:
    """Pair object nodes with targets of their class one to one, by the least sum of distances between centres.

    A target that was only glimpsed may be found or not: its node counts neither way.
    """
    found, wanted = sorted(nodes, key=lambda n: n.id), sorted(targets, key=lambda t: t.id)
    cost = np.full((len(found), len(wanted)), _FAR)
    for j, target in enumerate(wanted):
        center = (target.low + target.high) / 2
        limit = max(NEAR, SHARE * float(np.linalg.norm(target.high - target.low)))
        for i, node in enumerate(found):
            if node.category == target.category:
                distance = float(np.linalg.norm(np.array(node.center) - center))
                if distance <= limit:
                    cost[i, j] = distance + (0.0 if target.visible else _GLIMPSED)
    pairs = [(i, j) for i, j in zip(*linear_sum_assignment(cost), strict=True) if cost[i, j] < _FAR]
    errors = tuple(float(cost[i, j]) for i, j in pairs if wanted[j].visible)
    matched_nodes, matched_targets = {i for i, _ in pairs}, {j for _, j in pairs}
    invented = tuple(n.id for i, n in enumerate(found) if i not in matched_nodes)
    overlooked = tuple(t.id for j, t in enumerate(wanted) if t.visible and j not in matched_targets)
    return Matching(
        nodes={wanted[j].id: found[i].id for i, j in pairs},
        errors=errors,
        counts=Counts(len(errors), len(invented), len(overlooked)),
        invented=invented,
        overlooked=overlooked,
    )


def kept(
    names: Iterable[str], before: Matching, after: Matching, looks: Mapping[str, tuple[str, ...]] | None = None
) -> tuple[str, ...]:
    """Return which of the targets are the same node before and after.

    `looks`: target → those that nothing tells it from, if it was moved. Nobody can say which of them is which, so a
    node of one of them will do.
    """
    looks = looks or {}
    same = []
    for name in names:
        origins = {before.nodes[n] for n in (name, *looks.get(name, ())) if n in before.nodes}
        if after.nodes.get(name) in origins:
            same.append(name)
    return tuple(same)


def indistinguishable(boxes: Mapping[str, tuple[str, Sequence[float]]]) -> dict[str, tuple[str, ...]]:
    """Return the others that each thing can't be told from: of its class, and of its size within `ALIKE`.

    `boxes`: name → class, and extents in metres; the simulator gives all things of a class one colour.
    """
    sizes = {name: np.sort(np.array(size)) for name, (_, size) in boxes.items()}
    return {
        a: tuple(
            b for b in boxes if b != a and boxes[b][0] == boxes[a][0] and np.all(np.abs(sizes[a] - sizes[b]) <= ALIKE)
        )
        for a in boxes
    }


def rooms_f1(areas: Sequence[tuple[str, str]], rooms: Iterable[str] = ()) -> float:
    """Return how well the area nodes are divided into rooms: F1 for each true room, and of these the mean.

    `areas`: the room that each node is put in, and the room that it is in; `rooms`: the true ones, also those without a
    node, which were not found. Each true room is compared with the found room that shares the most nodes with it, no
    found room with two. 0 when there is no area.
    """
    both = Counter(areas)
    found, true = sorted({f for f, _ in areas}), sorted({t for _, t in areas} | set(rooms))
    if not areas:
        return 0.0
    shared = np.array([[both[f, t] for t in true] for f in found])
    rows, columns = linear_sum_assignment(-shared)
    sizes = shared.sum(axis=0), shared.sum(axis=1)
    scores = [2 * shared[i, j] / (sizes[1][i] + sizes[0][j]) for i, j in zip(rows, columns, strict=True)]
    return float(sum(scores) / len(true))


def areas_in_right_room(areas: Sequence[tuple[str, str]]) -> int:
    """Return how many of the area nodes are in the found room that stands for the room that they are in."""
    both = Counter(areas)
    found, true = sorted({f for f, _ in areas}), sorted({t for _, t in areas})
    if not areas:
        return 0
    shared = np.array([[both[f, t] for t in true] for f in found])
    return int(shared[linear_sum_assignment(-shared)].sum())


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
