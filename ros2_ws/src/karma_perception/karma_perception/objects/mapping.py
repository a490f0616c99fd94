# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Objects over many frames: boxes that grow with every view, identities that survive moves, and what has vanished."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from karma_perception.frames.camera import FloatArray, Frame, box_corners
from karma_perception.objects.absence import Cupboards, absence
from karma_perception.objects.association import agreement
from karma_perception.objects.detection import Detections
from karma_perception.objects.grasp import Grasp, in_gripper
from karma_perception.objects.instances import FrameObjects, ObjectObservation
from karma_perception.objects.mapped_object import MappedObject
from karma_perception.objects.point_clouds import statistical_outliers
from karma_perception.objects.seen_space import SeenSpace
from karma_perception.objects.succession import Successions
from karma_perception.objects.tracking import Tracker, look, strayed
from karma_perception.objects.visibility import FrameVisibility, Visibility
from karma_perception.objects.voxels import VoxelSet

_AGREES = 0.3
"""Share of the space of an object's box and a view's, that both fill if the view shows the object as it is known."""

_NEARER = 0.8
"""Of the distance from which a thing is first seen: had its place been seen from there, it would have been, too."""

_SPARSE = 8
"""Of so many points of a frame, one says which places have been seen."""


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
    outliers_every: int = 4
    """Sightings after which points that stand off are looked for, where masks are made from boxes."""
    outlier_ratio: float = 2.0
    """Standard deviations by which the distance of such a point from its neighbours exceeds the mean."""
    miss_decay: float = 0.65
    """Factor on the confidence for each frame that should show an object and does not."""
    undetected_decay: float = 0.8
    """The same where a surface is still there that a detector without identities may have overlooked."""
    released: float = 0.4
    """Confidence at most of what the gripper has let go, until it is seen."""
    forget_below: float = 0.2
    """Confidence below which an object has vanished."""
    min_pixels: float = 4.0
    """An object whose larger side would be smaller than this in the image is not missed."""
    miss_range: float = 5.0
    """Metres; farther objects are not missed."""
    gripper: tuple[float, float, float] = (0.0, 0.2, 0.45)
    """Metres, optical frame; where a held object is taken to be while it is not in view."""


class ObjectMap:
    """All objects of one scene."""

    def __init__(self, options: MappingOptions | None = None) -> None:
        self._options = options or MappingOptions()
        self._objects: dict[str, MappedObject] = {}
        self._tracker = Tracker()
        self._successions = Successions()
        self._grasp = Grasp()
        self._space = SeenSpace()
        self.shown: Mapping[str, int] = {}
        """Id of each object that the last frame shows → its value in the frame's label image."""

    @property
    def objects(self) -> Mapping[str, MappedObject]:
        """Id → object."""
        return self._objects

    def update(self, frame: Frame, detections: Detections, seen: FrameObjects) -> None:
        """Take a frame into account."""
        by_value = {o.value: o for o in seen.observations}
        values = {o.label.id: o.value for o in seen.observations if o.label.id in self._objects}
        for value in seen.glimpsed:
            label = detections.instances.get(value)
            if label is not None and label.id in self._objects:
                values.setdefault(label.id, value)
        views = self._look(frame, detections, values)
        values |= {o.label.id: o.value for o in seen.observations if o.label.id}
        anonymous = [o for o in seen.observations if not o.label.id]
        held = self._held(frame, detections, views)
        gripped = in_gripper(held, anonymous, frame) if frame.held else None
        if gripped is not None:
            anonymous.remove(gripped)
            if held is not None:
                values[held.id] = gripped.value
        self._recognise(anonymous, values, views, held, frame)

        for object_id, value in values.items():
            known = self._objects.get(object_id)
            found = by_value.get(value)
            if known is None:
                if found is not None:
                    self._add(object_id, found, frame)
            else:
                self._refresh(known, found, views.get(object_id), frame)
                if found is not None and detections.boxes:
                    self._drop_outliers(known)
        self._hold(held, frame, values)
        cupboards = Cupboards(self._objects.values())
        self._forget(frame, detections, values, views, cupboards)
        shown = [(self._objects[name], value) for name, value in values.items() if name in self._objects]
        self._succeed(cupboards)
        self.shown = {known.id: value for known, value in shown}
        points = seen.points[::_SPARSE]
        self._space.note(points, _distances(points, frame))

    def shift_time(self, seconds: float) -> None:
        """Add to all times of the past, because the clock was set: what was known stays older than what is to come."""
        for o in self._objects.values():
            o.shift_time(seconds)
        self._successions.shift_time(seconds)

    def _held(self, frame: Frame, detections: Detections, views: Mapping[str, Visibility]) -> MappedObject | None:
        """Return what the gripper holds: what the source says, else what must be it."""
        named = self._objects.get(frame.held)
        if named is not None:
            return named
        missing = (self._objects[n] for n, view in views.items() if absence(self._objects[n], view, detections))
        return self._objects.get(self._grasp.holds(frame, missing))

    def _recognise(
        self,
        anonymous: Sequence[ObjectObservation],
        values: dict[str, int],
        views: dict[str, Visibility],
        held: MappedObject | None,
        frame: Frame,
    ) -> None:
        """Add to `values` the objects that observations without an identity are; join what turns out to be one object.

        Points of an object that lie on the mask of another of its class are marked in `views`: they are not its own.
        """
        known = [o for o in self._objects.values() if not o.identified and o is not held]
        near = {o.id for o in known if _distance(o, frame) <= self._reach(o)}
        tracks = self._tracker.match(anonymous, known, views, near)
        values |= tracks.values
        for stays, goes in tracks.doubles:
            if stays in self._objects and goes in self._objects:
                self._join(self._objects[stays], self._objects.pop(goes), values, views)
        masks: dict[str, list[int]] = {}
        for o in anonymous:
            masks.setdefault(o.label.category, []).append(o.value)
        for name in values.keys() & views.keys():
            if not self._objects[name].identified:
                others = masks.get(self._objects[name].category, [])
                views[name] = replace(views[name], relabelled=strayed(views[name], values[name], others))

    def _join(
        self, known: MappedObject, other: MappedObject, values: dict[str, int], views: dict[str, Visibility]
    ) -> None:
        """Make one object of two; its points are looked at again with the next frame."""
        known.voxels.insert(other.voxels.points, other.voxels.ranges)
        known.low, known.high = known.voxels.bounds(self._options.trim)
        known.nearest = min(known.nearest, other.nearest)
        known.sightings += other.sightings
        known.born, known.turned_up = min(known.born, other.born), known.turned_up and other.turned_up
        known.confirmed = max(known.confirmed, other.confirmed)
        views.pop(known.id, None)
        views.pop(other.id, None)
        value = values.pop(other.id, None)
        if value is not None:
            values.setdefault(known.id, value)

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
        return {o.id: flags.part(end - n, end) for o, n, end in zip(objects, lengths, ends.tolist(), strict=True)}

    def _add(self, object_id: str, found: ObjectObservation, frame: Frame) -> None:
        voxels = VoxelSet(self._options.voxel_size, self._options.max_voxels)
        distances = _distances(found.points, frame)
        voxels.insert(found.points, distances)
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
            nearest=float(np.median(distances)),
            born=frame.stamp,
            stay=object_id,
            turned_up=self._space.seen_from(low, high) < _NEARER * float(np.min(distances)),
            confirmed=frame.stamp,
            colors=found.colors,
        )

    def _refresh(
        self,
        known: MappedObject,
        found: ObjectObservation | None,
        view: Visibility | None,
        frame: Frame,
    ) -> None:
        """Take a new view of a known object into account; `found` is None when only a few pixels of it show."""
        known.last_seen = frame.stamp
        known.misses, known.seen_through = 0, False
        if found is None:
            return
        score = float(np.clip(found.label.score, 0.0, 1.0))
        known.confidence = min(1.0, known.confidence + (1.0 - known.confidence) * 0.5 * score)
        known.states = dict(found.label.states)
        known.sightings += 1
        if found.colors is not None:
            known.colors = found.colors if known.colors is None else 0.8 * known.colors + 0.2 * found.colors
        if known.held or self._displaced(known, found, view):
            known.voxels = VoxelSet(self._options.voxel_size, self._options.max_voxels)
        elif view is not None and len(view.in_view) == len(known.voxels):
            gone = view.seen_through
            if known.movable or not known.identified:
                gone = gone | view.relabelled
            known.voxels.remove(gone)
        self._sharpen(known, found, frame)
        known.low, known.high = known.voxels.bounds(self._options.trim)

    def _sharpen(self, known: MappedObject, found: ObjectObservation, frame: Frame) -> None:
        """Add the points that are not much farther from the camera than the object has been.

        The error of depth grows with the square of the distance: far points would blur what was seen from near. Those
        of a movable object that were there before are left out once it was seen whole from near.
        """
        distances = _distances(found.points, frame)
        distance = float(np.median(distances))
        if not found.cut or not len(known.voxels):
            known.nearest = min(known.nearest, distance)
        limit = self._reach(known)
        if distance <= limit and agreement(known.candidate(), look(found)) >= _AGREES:
            known.confirmed = frame.stamp
        near = distances <= limit if len(known.voxels) else np.ones(len(distances), dtype=bool)
        known.voxels.insert(found.points[near], distances[near])
        blurred = known.voxels.ranges > limit
        if known.movable and not blurred.all():
            known.voxels.remove(blurred)

    def _reach(self, known: MappedObject) -> float:
        """Return the distance up to which views of an object are as exact as those that it is known by, metres."""
        return max(self._options.sharp_range, 1.5 * known.nearest)

    def _drop_outliers(self, known: MappedObject) -> None:
        """Forget the points that stand off from the others, now and then, of what is seen in masks made from boxes.

        Such masks take in some of what is beside and behind. Exact masks have nothing to drop, and lose thin parts.
        """
        if known.sightings != 2 and known.sightings % self._options.outliers_every:
            return
        gone = statistical_outliers(known.voxels.points, self._options.outlier_ratio)
        if 0 < np.count_nonzero(gone) < 0.5 * len(gone):
            known.voxels.remove(gone)
            known.low, known.high = known.voxels.bounds(self._options.trim)

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

    def _hold(self, held: MappedObject | None, frame: Frame, values: Mapping[str, int]) -> None:
        """Mark what the gripper holds, and carry it along while it is out of view."""
        for known in self._objects.values():
            if known.held and known is not held and not known.identified:
                # It is somewhere near, and no longer here: what turns up there is it.
                known.misses, known.confidence = 1, min(known.confidence, self._options.released)
            known.held = known is held
        if held is not None and held.id not in values:
            target = frame.camera_pose[:3, :3] @ np.array(self._options.gripper) + frame.position
            half = held.size / 2
            held.low, held.high = target - half, target + half
            held.voxels = VoxelSet(self._options.voxel_size, self._options.max_voxels)
            held.voxels.insert(box_corners(held.low, held.high))
            held.last_seen = frame.stamp
            held.misses = 0

    def _forget(
        self,
        frame: Frame,
        detections: Detections,
        values: Mapping[str, int],
        views: Mapping[str, Visibility],
        cupboards: Cupboards,
    ) -> None:
        """Lower the confidence of what should be in view and is not; remove what has been missed too often."""
        missed = []
        for object_id, view in views.items():
            known = self._objects[object_id]
            if object_id in values or known.held or not self._conspicuous(known, frame):
                continue
            gone = absence(known, view, detections)
            if gone is None or cupboards.hide(known, gone):
                continue
            known.seen_through |= gone.seen_through and _distance(known, frame) <= self._reach(known)
            known.misses += 1
            known.confidence *= self._options.miss_decay if gone.seen_through else self._options.undetected_decay
            missed.append(known)
        for known in missed:
            if known.confidence < self._options.forget_below:
                del self._objects[known.id]
                if not known.identified:
                    self._successions.lose(known)

    def _succeed(self, cupboards: Cupboards) -> None:
        """Give what has turned up the identity of the thing that it was, before somebody moved it."""
        anonymous = [o for o in self._objects.values() if not o.identified]
        changes = self._successions.changes(anonymous, cupboards.contents(anonymous))
        for name in changes.emptied:
            del self._objects[name]
        renamed = {name: self._objects.pop(name) for name in changes.names}
        for name, known in renamed.items():
            known.id = changes.names[name]
            self._objects[known.id] = known
        for known in changes.returned:
            self._objects[known.id] = known

    def _conspicuous(self, known: MappedObject, frame: Frame) -> bool:
        distance = _distance(known, frame)
        pixels = float(np.max(known.size)) * frame.intrinsics.fx / max(distance, 1e-3)
        return distance <= self._options.miss_range and pixels >= self._options.min_pixels


def _distance(known: MappedObject, frame: Frame) -> float:
    return float(np.linalg.norm(known.center - frame.position))


def _distances(points: FloatArray, frame: Frame) -> FloatArray:
    return np.asarray(np.linalg.norm(points - frame.position, axis=1))


def _share_inside(points: FloatArray, low: FloatArray, high: FloatArray) -> float:
    if not len(points):
        return 0.0
    outside = ((points < low) | (points > high)).view(np.uint8)
    return float(np.count_nonzero((outside[:, 0] | outside[:, 1] | outside[:, 2]) == 0)) / len(points)
