# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Chooses which views of which objects are worth a picture, and no more of them than agreed."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy import ndimage

from karma_perception.frames.camera import FloatArray, Frame
from karma_perception.objects.detection import Detections
from karma_perception.objects.mapped_object import MappedObject
from karma_perception.scene_graph import Layer, Node, SceneGraph
from karma_perception.views.options import ViewOptions, room_key
from karma_perception.views.quality import PixelBox, sharpness, whole

DAY = 86_400.0
"""Seconds."""


@dataclass(frozen=True, eq=False)
class View:
    """A picture of one object of the scene graph."""

    node: Node
    stamp: float
    """When it was taken, seconds."""
    box: PixelBox
    """What of the frame it shows."""
    jpeg: bytes = field(repr=False)


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A view that may go out."""

    id: str
    states: Mapping[str, str]
    center: FloatArray
    score: float
    stamp: float
    box: PixelBox
    pixels: NDArray[np.uint8]
    first: bool
    """Whether nothing has gone out of how the object is."""


@dataclass
class _Sent:
    """What went out of an object last, and how often today."""

    states: Mapping[str, str]
    center: FloatArray
    score: float
    day: int
    count: int = 0


class ViewChooser:
    """Keeps the best view of each object, state and place, until it is told that the scene graph has it.

    Its score is size x wholeness x sharpness (see quality.py), each of 0..1; distance is in the size. Not thread-safe.
    """

    def __init__(self, options: ViewOptions | None = None) -> None:
        self._options = options or ViewOptions()
        self._sent: dict[str, _Sent] = {}
        self._waiting: dict[str, _Candidate] = {}
        self._day = -1
        self._count = 0
        """Pictures of this day."""

    def reset(self) -> None:
        """Begin anew: a new map has begun, and ids are given anew. What went out today stays counted."""
        self._sent.clear()
        self._waiting.clear()

    def look(
        self, frame: Frame, detections: Detections, shown: Mapping[str, int], objects: Mapping[str, MappedObject]
    ) -> None:
        """See which objects a frame shows well. `shown`: id of an object → its value in the frame's label image."""
        if frame.rgb is None or not shown:
            return
        mask = detections.mask
        counts = np.bincount(mask.ravel(), minlength=max(shown.values()) + 1)
        slices = ndimage.find_objects(mask, max_label=len(counts) - 1)
        found: list[tuple[float, MappedObject, PixelBox]] = []
        for object_id, value in shown.items():
            known = objects.get(object_id)
            place = slices[value - 1] if value else None
            if known is None or known.held or place is None:
                continue
            rows, columns = place
            box = detections.boxes.get(value, (columns.start, rows.start, columns.stop, rows.stop))
            if max(box[2] - box[0], box[3] - box[1]) < self._options.least_side:
                continue
            size = min(1.0, float(counts[value]) / self._options.full_pixels) ** 0.5
            best = self._to_beat(known, frame.stamp)
            if size > best and (bound := size * whole(frame, box, known.low, known.high)) > best:
                found.append((bound, known, box))
        for bound, known, box in sorted(found, key=lambda item: -item[0])[: self._options.per_frame]:
            self._consider(frame, known, box, bound)

    def take(self, graph: SceneGraph) -> Iterator[View]:
        """Yield, once, the views that are to go out, of objects that are in the graph as they looked."""
        for candidate in list(self._waiting.values()):
            node = graph.nodes.get(candidate.id)
            fits = node is not None and node.states == candidate.states and node.relation != "held"
            if node is None or not fits or _apart(node.center, candidate.center) > self._options.moved:
                if graph.stamp >= candidate.stamp:
                    del self._waiting[candidate.id]  # it looks otherwise by now
                continue
            settled = graph.stamp - candidate.stamp >= self._options.settle
            if not (candidate.first or settled) or not self._may_picture(graph, node):
                continue
            del self._waiting[candidate.id]
            if self._count_in(candidate):
                yield View(node, candidate.stamp, candidate.box, self._encoded(candidate.pixels))

    def _to_beat(self, known: MappedObject, stamp: float) -> float:
        """Return the score that a view has to exceed; infinite where the object has been pictured enough today."""
        sent, waiting = self._sent.get(known.id), self._waiting.get(known.id)
        day = int(stamp // DAY)
        if sent is not None and sent.day == day and sent.count >= self._options.per_object:
            return float("inf")
        if self._day == day and self._count >= self._options.per_day:
            return float("inf")
        best = 0.0
        if waiting is not None and self._alike(known, waiting.states, waiting.center):
            best = waiting.score
        if sent is not None and self._alike(known, sent.states, sent.center):
            best = max(best, self._options.better * sent.score)
        return best

    def _alike(self, known: MappedObject, states: Mapping[str, str], center: FloatArray) -> bool:
        return dict(known.states) == states and _apart(known.center, center) <= self._options.moved

    def _consider(self, frame: Frame, known: MappedObject, box: PixelBox, bound: float) -> None:
        """Keep a view if it is better than what there is."""
        assert frame.rgb is not None
        outer = self._widened(box, frame)
        left, top, right, bottom = outer
        picture = Image.fromarray(np.ascontiguousarray(frame.rgb[top:bottom, left:right]))
        picture.thumbnail((self._options.side, self._options.side))
        pixels = np.asarray(picture)
        score = bound * sharpness(pixels)
        if score <= self._to_beat(known, frame.stamp):
            return
        sent = self._sent.get(known.id)
        first = sent is None or not self._alike(known, sent.states, sent.center)
        self._waiting.pop(known.id, None)
        self._waiting[known.id] = _Candidate(
            known.id, dict(known.states), known.center, score, frame.stamp, outer, pixels, first
        )
        if len(self._waiting) > self._options.waiting:
            del self._waiting[next(iter(self._waiting))]

    def _count_in(self, candidate: _Candidate) -> bool:
        """Note that a view goes out; return whether it may, today."""
        day = int(candidate.stamp // DAY)
        if day != self._day:
            self._day, self._count = day, 0
        before = self._sent.pop(candidate.id, None)
        count = before.count if before is not None and before.day == day else 0
        may = count < self._options.per_object and self._count < self._options.per_day
        self._count += may
        self._sent[candidate.id] = _Sent(candidate.states, candidate.center, candidate.score, day, count + may)
        if len(self._sent) > self._options.known:
            del self._sent[next(iter(self._sent))]
        return may

    def _may_picture(self, graph: SceneGraph, node: Node) -> bool:
        """Whether the room in which an object is may be pictured."""
        if not self._options.private_rooms:
            return True
        area = graph.nodes.get(node.parent)
        room = graph.nodes.get(area.parent) if area is not None else None
        if room is None or room.layer is not Layer.ROOM or room.category == "Room":
            return False
        return not self._options.private_rooms & {room_key(name) for name in (room.category, room.name, room.id)}

    def _widened(self, box: PixelBox, frame: Frame) -> PixelBox:
        """Return a box with what is shown around an object, as far as the image goes."""
        left, top, right, bottom = box
        margin, least = self._options.margin, self._options.context
        across, down = (
            round(max(margin * (end - begin), (least - (end - begin)) / 2))
            for begin, end in ((left, right), (top, bottom))
        )
        k = frame.intrinsics
        return max(0, left - across), max(0, top - down), min(k.width, right + across), min(k.height, bottom + down)

    def _encoded(self, pixels: NDArray[np.uint8]) -> bytes:
        data = io.BytesIO()
        Image.fromarray(pixels).save(data, format="JPEG", quality=self._options.quality, subsampling=0)
        return data.getvalue()


def _apart(one: tuple[float, float, float] | FloatArray, other: FloatArray) -> float:
    return float(np.linalg.norm(np.asarray(one) - other))
