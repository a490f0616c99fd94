# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is written in the 3D view: for each viewer what matters most from where they look, and nothing over another."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
import viser
from numpy.typing import NDArray

from karma_perception.scene_graph import Layer, Node, SceneGraph, Vector
from karma_view.known import Known, Pose
from karma_view.scene.compare import Difference
from karma_view.scene.home import parts_of
from karma_view.scene.layout import css_size
from karma_view.wording import name_of, spoken, text_of

MOST = 150
"""Labels at once."""
NEAR = 2.5
"""Metres from the eye within which parts, such as drawers and knobs, are labelled."""
SMALL = 0.35
"""Metres across, of what can't be moved: what is smaller, such as a burner or a switch, is labelled as parts are."""
PERIOD_S = 0.4
"""Between two choices while the viewer moves."""
ROBOT_HEIGHT = 1.25
"""Metres."""
ROOT = "/labels"
"""The viewer's own node above all labels."""

# CSS pixels; viser writes in this size at a scale of 1.
_CHARACTER = 7.5
_LINE = 18.0


class Rank(IntEnum):
    """What is labelled before what, where there is no place for both."""

    CHOSEN = 0
    CHANGED = 1
    ROBOT = 2
    ROOM = 3
    THING = 4
    FURNITURE = 5
    PART = 6


SCALES = {
    Rank.CHOSEN: 1.0,
    Rank.CHANGED: 0.9,
    Rank.ROBOT: 1.0,
    Rank.ROOM: 1.1,
    Rank.THING: 0.8,
    Rank.FURNITURE: 0.75,
    Rank.PART: 0.75,
}
"""Of the letters."""


@dataclass(frozen=True)
class Label:
    """A text at a place."""

    id: str
    """Of the node; empty: the robot."""
    rank: Rank
    text: str
    position: Vector
    """Metres, map frame; the text stands above it."""


@dataclass(frozen=True)
class Eye:
    """From where a picture is taken."""

    position: tuple[float, ...]
    """Metres, map frame."""
    wxyz: tuple[float, ...]
    """Rotation from the camera (x right, y down, z ahead) to map."""
    fov: float
    """Vertical, radians."""
    width: float
    """CSS pixels."""
    height: float

    @classmethod
    def of(cls, camera: viser.CameraHandle) -> Eye:
        """Return a viewer's."""
        size = css_size(camera.image_width, camera.image_height)
        return cls(tuple(camera.position), tuple(camera.wxyz), camera.fov, *size)


def labels_of(known: Known, chosen: str = "", changes: Sequence[Difference] = ()) -> list[Label]:
    """Return all labels that there could be, one for each object.

    `chosen`: id of the object that the viewer chose; `changes`: what the viewer compares, told instead of what is.
    """
    graph = known.graph
    labels = [_changed_label(change) for change in changes if change.node.layer is Layer.OBJECT]
    told = {label.id for label in labels}
    if known.pose is not None:
        labels.append(_robot_label(known.pose, graph))
    parts = parts_of(graph)
    for node in graph.nodes.values():
        rank = _rank(node, parts)
        if rank is not None and node.id not in told:
            labels.append(_label(node, Rank.CHOSEN if node.id == chosen else rank))
    return labels


def _label(node: Node, rank: Rank) -> Label:
    x, y, z = node.center
    if node.layer is Layer.OBJECT:
        return Label(node.id, rank, text_of(node), (x, y, z + node.size[2] / 2))
    return Label(node.id, rank, node.name or spoken(node.category), node.center)


def _changed_label(change: Difference) -> Label:
    x, y, z = change.node.center
    text = f"{name_of(change.node)}: {change.change.value}"
    return Label(change.node.id, Rank.CHANGED, text, (x, y, z + change.node.size[2] / 2))


def _robot_label(pose: Pose, graph: SceneGraph) -> Label:
    x, y, z = pose.position
    return Label("", Rank.ROBOT, robot_text(graph), (x, y, z + ROBOT_HEIGHT))


def robot_text(graph: SceneGraph) -> str:
    """Return what is written at the robot: what it holds."""
    held = sorted(text_of(node) for node in graph.nodes.values() if node.relation == "held")
    return f"robot, holds {', '.join(held)}" if held else "robot"


def choose(labels: Sequence[Label], eye: Eye, shown: frozenset[str] = frozenset(), most: int = MOST) -> list[Label]:
    """Return those to write, at most `most`, so that none is over another.

    What matters more comes first (Rank), then what is `shown` already, so that labels don't flicker, then what is near.
    """
    if not labels:
        return []
    across, down, depth = _projected(np.array([label.position for label in labels]), eye)
    seen = (depth > 0.1) & (across > 0) & (across < eye.width) & (down > 0) & (down < eye.height)
    order = sorted(
        map(int, np.flatnonzero(seen)),
        key=lambda i: (labels[i].rank, labels[i].id not in shown, depth[i], labels[i].id),
    )
    boxes = np.empty((most, 4))
    taken: list[Label] = []
    for i in order:
        label = labels[i]
        if len(taken) == most:
            break
        if label.rank is Rank.PART and depth[i] > NEAR:
            continue
        half, height = SCALES[label.rank] * _CHARACTER * len(label.text) / 2, SCALES[label.rank] * _LINE
        box = across[i] - half, down[i] - height, across[i] + half, down[i]
        others = boxes[: len(taken)]
        apart = (
            (others[:, 0] >= box[2]) | (others[:, 2] <= box[0]) | (others[:, 1] >= box[3]) | (others[:, 3] <= box[1])
        )
        if apart.all():
            boxes[len(taken)] = box
            taken.append(label)
    return taken


class LabelDrawing:
    """The labels of one viewer, in their own part of the scene, or of all recordings."""

    def __init__(
        self, owner: viser.ClientHandle | viser.ViserServer, look: Callable[[], Eye], root: str = ROOT
    ) -> None:
        """`owner`: of the scene; `look`: says from where it is looked at; `root`: name of a node that is made here."""
        self._owner = owner
        self._look = look
        self._name = root
        self._root = owner.scene.add_frame(root, show_axes=False)
        self._handles: dict[str, tuple[Label, Any]] = {}
        """By id of the node."""
        self._numbers: dict[str, int] = {}
        self._graph = SceneGraph()
        """What the present choice was made from."""
        self._followed: tuple[SceneGraph, Pose | None] = self._graph, None
        self._from: tuple[str, Sequence[Difference], Pose | None, Eye] | None = None
        """What the present choice was made from, beside the graph."""
        self._next = 0.0
        self.chosen = ""
        """Id of the object that the viewer chose."""
        self.changes: Sequence[Difference] = ()
        """What is different from the time that the viewer compares with; the same object as long as it is the same."""

    @property
    def visible(self) -> bool:
        """Whether there are labels at all."""
        return self._root.visible

    @visible.setter
    def visible(self, visible: bool) -> None:
        self._root.visible = visible

    def update(self, known: Known) -> None:
        """Write what matters from where the viewer looks now."""
        if not self._root.visible:
            return
        self._follow(known)
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + PERIOD_S
        eye = self._look()
        made_from = self.chosen, self.changes, known.pose, eye
        if known.graph is self._graph and made_from == self._from:
            return
        self._graph, self._from = known.graph, made_from
        chosen = choose(labels_of(known, self.chosen, self.changes), eye, frozenset(self._handles))
        with self._owner.atomic():
            for name in self._handles.keys() - {label.id for label in chosen}:
                self._handles.pop(name)[1].remove()
            for label in chosen:
                self._write(label)

    def _follow(self, known: Known) -> None:
        """Write the labels that there are where their objects are now, as they are now."""
        if known.graph is self._followed[0] and known.pose is self._followed[1]:
            return
        self._followed = known.graph, known.pose
        with self._owner.atomic():
            for name, (label, handle) in list(self._handles.items()):
                node = known.graph.nodes.get(name)
                if label.rank is Rank.CHANGED:  # of both times: chosen anew when the comparison is
                    continue
                if node is not None:
                    self._write(_label(node, label.rank))
                elif label.rank is Rank.ROBOT and known.pose is not None:
                    self._write(_robot_label(known.pose, known.graph))
                else:
                    del self._handles[name]
                    handle.remove()

    def _write(self, label: Label) -> None:
        before = self._handles.get(label.id)
        if before is not None and before[0] == label:
            return
        if before is not None and before[0].rank is label.rank:
            handle = before[1]
            handle.text, handle.position = label.text, label.position
        else:
            name = f"{self._name}/{self._numbers.setdefault(label.id, len(self._numbers))}"
            handle = self._owner.scene.add_label(
                name,
                label.text,
                position=label.position,
                font_screen_scale=SCALES[label.rank],
                anchor="bottom-center",
            )
        self._handles[label.id] = label, handle


def _rank(node: Node, parts: frozenset[str]) -> Rank | None:
    if node.layer is Layer.ROOM:
        return Rank.ROOM
    if node.layer is not Layer.OBJECT:
        return None
    if node.movable and node.id not in parts:
        return Rank.THING
    return Rank.PART if node.id in parts or max(node.size) < SMALL else Rank.FURNITURE


def _projected(points: NDArray[np.float64], eye: Eye) -> tuple[NDArray[np.float64], ...]:
    """Return pixels from the left and from the top, and metres ahead of the eye."""
    rotation = viser.transforms.SO3(np.array(eye.wxyz)).as_matrix()
    right, below, ahead = ((points - np.array(eye.position)) @ rotation).T
    focal = eye.height / 2 / math.tan(eye.fov / 2)
    scale = focal / np.maximum(ahead, 1e-6)
    return eye.width / 2 + right * scale, eye.height / 2 + below * scale, ahead
