# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Objects over many frames: boxes that grow with every view, identities that survive moves, and what has vanished."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from karma_perception.association import Candidate, associate
from karma_perception.camera import FloatArray, Frame
from karma_perception.detection import Detections
from karma_perception.objects import FrameObjects, ObjectObservation
from karma_perception.visibility import FrameVisibility, Visibility
from karma_perception.voxels import VoxelSet


@dataclass(frozen=True)
class MappingOptions:
    """How observations become objects."""

    voxel_size: float = 0.02
    """Metres."""
    max_voxels: int = 1500
    """Per object; larger objects get larger voxels."""
    trim: float = 0.005
    """Share of voxels cut off at either end of each axis for the box."""
    margin: float = 0.05
    """Metres around a remembered box within which a new view still belongs to it; what `slack` is for furniture."""
    slack: float = 0.025
    """Metres behind a point of a movable object where a surface shows that the point is no longer there."""
    sharp_range: float = 2.0
    """Metres up to which depth is exact enough to add to what was seen from nearer."""
    miss_decay: float = 0.65
    """Factor on the confidence for each frame that should show an object and does not."""
    forget_below: float = 0.2
    """Confidence below which an object has vanished."""
    min_pixels: float = 4.0
    """An object whose larger side would be smaller than this in the image is not missed."""
    miss_range: float = 5.0
    """Metres; farther objects are not missed."""
    gripper: tuple[float, float, float] = (0.0, 0.2, 0.45)
    """Metres, optical frame; where a held object is taken to be while it is not in view."""


@dataclass(eq=False)
class MappedObject:
    """One object as it is known now."""

    id: str
    category: str
    movable: bool
    voxels: VoxelSet
    low: FloatArray
    high: FloatArray
    last_seen: float
    """Seconds."""
    confidence: float
    """0..1."""
    identified: bool
    """Whether its id is the source's."""
    states: Mapping[str, str] = field(default_factory=dict)
    held: bool = False
    nearest: float = np.inf
    """Metres; the smallest distance at which it was seen."""
    misses: int = 0
    """Frames in a row that should have shown it and did not."""

    @property
    def center(self) -> FloatArray:
        """(3,) centre of the box, metres, map frame."""
        return (self.low + self.high) / 2

    @property
    def size(self) -> FloatArray:
        """(3,) full extents of the box, metres."""
        return self.high - self.low

    @property
    def volume(self) -> float:
        """Volume of the box, cubic metres."""
        return float(np.prod(self.size))


class ObjectMap:
    """All objects of one scene."""

    def __init__(self, options: MappingOptions | None = None) -> None:
        self._options = options or MappingOptions()
        self._objects: dict[str, MappedObject] = {}
        self._numbers: dict[str, int] = {}

    @property
    def objects(self) -> Mapping[str, MappedObject]:
        """Id → object."""
        return self._objects

    def update(self, frame: Frame, detections: Detections, seen: FrameObjects) -> None:
        """Take a frame into account."""
        values = self._match(seen.observations)
        for value in seen.glimpsed:
            label = detections.instances.get(value)
            if label is not None and label.id in self._objects:
                values.setdefault(label.id, value)
        views = self._look(frame, detections, values)

        for observation in seen.observations:
            if observation.label.id and observation.label.id not in self._objects:
                values[observation.label.id] = observation.value
        by_value = {o.value: o for o in seen.observations}
        for object_id, value in values.items():
            known = self._objects.get(object_id)
            found = by_value.get(value)
            if known is None:
                if found is not None:
                    self._add(object_id, found, frame)
            else:
                self._refresh(known, found, views.get(object_id), frame, detections)
        self._hold(frame, values)
        self._forget(frame, values, views, detections.identified)

    def _match(self, observations: Sequence[ObjectObservation]) -> dict[str, int]:
        """Return object id → value in the label image; observations that are nobody's get a new id."""
        values: dict[str, int] = {}
        anonymous = []
        for o in observations:
            if not o.label.id:
                anonymous.append(o)
            elif o.label.id in self._objects:
                values[o.label.id] = o.value
        known = [o for o in self._objects.values() if not o.identified]
        found = associate(
            [Candidate(o.label.category, o.low, o.high) for o in anonymous],
            [Candidate(o.category, o.low, o.high, missing=o.movable and o.misses > 0) for o in known],
        )
        for o, index in zip(anonymous, found, strict=True):
            values[known[index].id if index is not None else self._new_id(o.label.category)] = o.value
        return values

    def _new_id(self, category: str) -> str:
        number = self._numbers.get(category, 0) + 1
        self._numbers[category] = number
        return f"{category}_{number}"

    def _look(self, frame: Frame, detections: Detections, values: Mapping[str, int]) -> dict[str, Visibility]:
        """Test the remembered points of the objects that may be in view; id → flags in the order of their voxels."""
        objects = [o for o in self._objects.values() if not o.held]
        if not objects:
            return {}
        visibility = FrameVisibility(frame, detections.mask)
        centers = np.array([o.center for o in objects])
        radii = np.array([float(np.linalg.norm(o.size)) / 2 for o in objects])
        objects = [o for o, near in zip(objects, visibility.may_see(centers, radii), strict=True) if near]
        if not objects:
            return {}
        lengths = [len(o.voxels) for o in objects]
        labels = np.repeat(np.array([values.get(o.id, -1) for o in objects], dtype=np.intp), lengths)
        slack = np.repeat([self._options.slack if o.movable else self._options.margin for o in objects], lengths)
        flags = visibility.test(np.concatenate([o.voxels.points for o in objects]), labels, slack)
        ends = np.cumsum(lengths)
        return {
            o.id: Visibility(
                flags.in_view[end - n : end], flags.seen_through[end - n : end], flags.relabelled[end - n : end]
            )
            for o, n, end in zip(objects, lengths, ends, strict=True)
        }

    def _add(self, object_id: str, found: ObjectObservation, frame: Frame) -> None:
        voxels = VoxelSet(self._options.voxel_size, self._options.max_voxels)
        voxels.insert(found.points)
        low, high = voxels.bounds(self._options.trim)
        label = found.label
        self._objects[object_id] = MappedObject(
            id=object_id,
            category=label.category,
            movable=label.movable,
            voxels=voxels,
            low=low,
            high=high,
            last_seen=frame.stamp,
            confidence=float(np.clip(label.score, 0.0, 1.0)),
            identified=bool(label.id),
            states=dict(label.states),
            nearest=float(np.median(_distances(found.points, frame))),
        )

    def _refresh(
        self,
        known: MappedObject,
        found: ObjectObservation | None,
        view: Visibility | None,
        frame: Frame,
        detections: Detections,
    ) -> None:
        """Take a new view of a known object into account; `found` is None when only a few pixels of it show."""
        known.last_seen = frame.stamp
        known.misses = 0
        if found is None:
            return
        score = float(np.clip(found.label.score, 0.0, 1.0))
        known.confidence = min(1.0, known.confidence + (1.0 - known.confidence) * 0.5 * score)
        known.states = dict(found.label.states)
        if known.held or self._displaced(known, found, view):
            known.voxels = VoxelSet(self._options.voxel_size, self._options.max_voxels)
        elif view is not None and len(view.in_view) == len(known.voxels):
            gone = view.seen_through
            if known.movable and detections.identified:
                gone = gone | view.relabelled
            known.voxels.remove(gone)
        known.voxels.insert(self._sharp(known, found.points, frame))
        known.low, known.high = known.voxels.bounds(self._options.trim)

    def _sharp(self, known: MappedObject, points: FloatArray, frame: Frame) -> FloatArray:
        """Return the points that are not much farther from the camera than the object has been.

        The error of depth grows with the square of the distance: far points would blur what was seen from near.
        """
        distance = _distances(points, frame)
        known.nearest = min(known.nearest, float(np.median(distance)))
        limit = max(self._options.sharp_range, 1.5 * known.nearest) if len(known.voxels) else np.inf
        return np.asarray(points[distance <= limit])

    def _displaced(self, known: MappedObject, found: ObjectObservation, view: Visibility | None) -> bool:
        """Whether the object is somewhere else now, and not only seen from another side."""
        margin = self._options.margin
        new_in_old = _share_inside(found.points, known.low - margin, known.high + margin)
        old_in_new = _share_inside(known.voxels.points, found.low - margin, found.high + margin)
        if new_in_old >= 0.5 or old_in_new >= 0.5:
            return False
        left = view is not None and np.count_nonzero(view.seen_through | view.relabelled) >= 0.5 * len(view.in_view)
        gap = np.maximum(0.0, np.maximum(found.low - known.high, known.low - found.high))
        return bool(left or (known.movable and float(np.linalg.norm(gap)) > 0.3))

    def _hold(self, frame: Frame, values: Mapping[str, int]) -> None:
        """Mark what the gripper holds, and carry it along while it is out of view."""
        for known in self._objects.values():
            known.held = bool(frame.held) and known.id == frame.held
        held = self._objects.get(frame.held)
        if held is not None and held.id not in values:
            target = frame.camera_pose[:3, :3] @ np.array(self._options.gripper) + frame.position
            half = held.size / 2
            held.low, held.high = target - half, target + half
            held.voxels = VoxelSet(self._options.voxel_size, self._options.max_voxels)
            held.voxels.insert(_corners(held.low, held.high))
            held.last_seen = frame.stamp
            held.misses = 0

    def _forget(
        self, frame: Frame, values: Mapping[str, int], views: Mapping[str, Visibility], identified: bool
    ) -> None:
        """Lower the confidence of what should be in view and is not; remove what has been missed too often."""
        vanished = set()
        shut = [o for o in self._objects.values() if o.states.get("isOpen") == "false"]
        for object_id, view in views.items():
            known = self._objects[object_id]
            if object_id in values or known.held or not self._conspicuous(known, frame):
                continue
            if known.movable and any(_within(known.center, o) for o in shut):
                continue  # where it is can't be seen, though a part of it may have stuck out before
            absent: NDArray[np.bool_] = view.in_view if identified else view.seen_through
            if np.count_nonzero(absent) < 0.5 * len(absent):
                continue
            known.misses += 1
            known.confidence *= self._options.miss_decay
            if known.confidence < self._options.forget_below:
                vanished.add(object_id)
        for object_id in vanished:
            del self._objects[object_id]

    def _conspicuous(self, known: MappedObject, frame: Frame) -> bool:
        distance = float(np.linalg.norm(known.center - frame.position))
        pixels = float(np.max(known.size)) * frame.intrinsics.fx / max(distance, 1e-3)
        return distance <= self._options.miss_range and pixels >= self._options.min_pixels


def _within(point: FloatArray, o: MappedObject) -> bool:
    return bool(np.all(point >= o.low) and np.all(point <= o.high))


def _distances(points: FloatArray, frame: Frame) -> FloatArray:
    return np.asarray(np.linalg.norm(points - frame.position, axis=1))


def _share_inside(points: FloatArray, low: FloatArray, high: FloatArray) -> float:
    if not len(points):
        return 0.0
    outside = ((points < low) | (points > high)).view(np.uint8)
    return float(np.count_nonzero((outside[:, 0] | outside[:, 1] | outside[:, 2]) == 0)) / len(points)


def _corners(low: FloatArray, high: FloatArray) -> FloatArray:
    pairs: Iterable[tuple[float, float]] = zip(low.tolist(), high.tolist(), strict=True)
    return np.array(np.meshgrid(*pairs)).reshape(3, -1).T
