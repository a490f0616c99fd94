# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Frames in, scene graph out: detection, mapping, places and relations put together."""

from __future__ import annotations

import time
from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from karma_perception.frames.camera import Frame
from karma_perception.frames.clock import FrameClock
from karma_perception.objects.detection import Detector, InstanceImageDetector
from karma_perception.objects.instances import ExtractionOptions, observe_objects
from karma_perception.objects.mapped_object import MappedObject
from karma_perception.objects.mapping import MappingOptions, ObjectMap
from karma_perception.objects.oriented_boxes import OrientedBoxes, UprightBox
from karma_perception.objects.parts import part_of
from karma_perception.objects.relations import Placement, near_pairs, place_objects
from karma_perception.objects.supports import SupportHeights
from karma_perception.places.floor_plan import Occupancy
from karma_perception.places.frontiers import Frontier
from karma_perception.places.place import PlaceOptions
from karma_perception.places.places import PlaceMap
from karma_perception.places.rooms import room_kind
from karma_perception.scene_graph import Edge, EdgeType, Layer, Node, SceneGraph, Vector
from karma_perception.states.estimator import SeenInstance, SourceStates, StateEstimator
from karma_perception.views.chooser import View, ViewChooser

ROOM_HEIGHT = 2.5
"""Metres; what a room's box is high, since ceilings are rarely seen."""


@dataclass(frozen=True)
class PipelineOptions:
    """Options of all steps."""

    extraction: ExtractionOptions = field(default_factory=ExtractionOptions)
    mapping: MappingOptions = field(default_factory=MappingOptions)
    places: PlaceOptions = field(default_factory=PlaceOptions)


@dataclass(frozen=True, eq=False)
class MapState:
    """All that a map knows, for a pipeline that goes on with it."""

    scene: str
    resets: int
    now: float
    """Seconds; the newest observation in it."""
    objects: ObjectMap
    places: PlaceMap


class PerceptionPipeline:
    """Builds the scene graph of one scene at a time. Not thread-safe."""

    def __init__(
        self,
        options: PipelineOptions | None = None,
        detector: Detector | None = None,
        states: StateEstimator | None = None,
        views: ViewChooser | None = None,
    ) -> None:
        """Without `detector`, instances come from the frames' instance images; without `states`, from there, too.

        Without `views`, no pictures are made.
        """
        self._options = options or PipelineOptions()
        self._detector: Detector = detector or InstanceImageDetector()
        self._detecting: deque[float] = deque(maxlen=100)
        self.states: StateEstimator = states or SourceStates()
        self._views = views
        self.scene = ""
        self._resets = 0
        self.epoch = 0
        """Grows with every new map: another scene, or the same one put back to its start or with its clock set back."""
        self._clock = FrameClock()
        self._resumed_at = 0.0
        self._objects = ObjectMap(self._options.mapping)
        self._places = PlaceMap(self._options.places)
        self._supports = SupportHeights()
        self._boxes = OrientedBoxes(self._options.mapping.trim)

    def update(self, frame: Frame) -> None:
        """Take a frame into account; one of another scene, start or clock begins a new map.

        `FrameError`, or ValueError for a pose that cannot belong to this map; then the graph has not changed.
        """
        begin = time.perf_counter()
        detections = self._detector.detect(frame)
        self._detecting.append(time.perf_counter() - begin)
        seen = observe_objects(frame, detections, self._options.extraction)
        same = self.epoch > 0 and (frame.scene, frame.resets) == (self.scene, self._resets)
        clock = self._clock if same else FrameClock()
        fresh = clock.advance(frame.stamp) or not same
        places = PlaceMap(self._options.places) if fresh else self._places
        places.integrate(frame, seen.points, seen.structure)
        if fresh:
            self._start(frame, clock, places)
        elif self._resumed_at:
            # The clock may have been set back while nothing ran; what is known was seen before this frame.
            self._objects.shift_time(min(0.0, frame.stamp - self._resumed_at))
        self._resumed_at = 0.0
        self._objects.update(frame, detections, seen)
        self._estimate_states(frame)
        if self._views is not None:
            self._views.look(frame, detections, self._objects.shown, self._objects.objects)

    @property
    def objects(self) -> Mapping[str, MappedObject]:
        """Id → object, with the points of its surface. Not to be changed."""
        return self._objects.objects

    @property
    def stamp(self) -> float:
        """Seconds; of the newest frame, 0 before the first."""
        return self._clock.now

    @property
    def detector_milliseconds(self) -> float:
        """Mean time that the detector took, over the last frames; 0 before the first."""
        times = tuple(self._detecting)
        return 1000.0 * sum(times) / len(times) if times else 0.0

    @property
    def voxels(self) -> int:
        """Points kept of the surfaces of all objects."""
        return sum(len(o.voxels) for o in self._objects.objects.values())

    @property
    def floor_plan(self) -> Occupancy:
        """What is known of the floor that the robot is on."""
        return self._places.floor_plan

    def frontiers(self) -> tuple[Frontier, ...]:
        """Return where exploring can go on, nearest first."""
        self._places.refresh()
        return self._places.frontiers()

    def graph(self) -> SceneGraph:
        """Return the scene graph as it is known now."""
        self._places.refresh()
        nodes: dict[str, Node] = {}
        objects = self._objects.objects
        area_of = {o.id: self._places.area_of(o.low, o.high) for o in objects.values()}
        self._add_places(nodes, area_of)
        placements = place_objects(objects, [s.height for s in self._places.storeys])
        heights = self._supports.of(objects, placements)
        boxes = self._boxes.of(objects)
        for o in objects.values():
            if area_of[o.id]:
                nodes[o.id] = _object_node(o, boxes[o.id], area_of[o.id], placements[o.id], heights[o.id])
        return SceneGraph(self.scene, self._clock.now or self._resumed_at, nodes, self._edges(nodes, placements))

    def take_views(self, graph: SceneGraph) -> tuple[View, ...]:
        """Return, once, the pictures of objects that are to go out, where `graph`, as others know it, has them so."""
        return tuple(self._views.take(graph)) if self._views is not None else ()

    def state(self) -> MapState:
        """Return what the map knows. It goes on changing with the pipeline: write it before the next frame."""
        now = self._clock.now or self._resumed_at
        return MapState(self.scene, self._resets, now, self._objects, self._places)

    def resume(self, state: MapState) -> None:
        """Go on with a map that was saved, wherever the robot is now and however long ago it was."""
        self.epoch += 1
        self.scene, self._resets = state.scene, state.resets
        self._clock, self._resumed_at = FrameClock(), state.now
        self._forget_looks()
        self._objects, self._places = state.objects, state.places
        self._supports = SupportHeights()

    def _start(self, frame: Frame, clock: FrameClock, places: PlaceMap) -> None:
        self.epoch += 1
        self.scene, self._resets = frame.scene, frame.resets
        self._clock = clock
        self._forget_looks()
        self._objects = ObjectMap(self._options.mapping)
        self._places = places
        self._supports = SupportHeights()

    def _forget_looks(self) -> None:
        """Forget how things looked: a new map begins, and ids are given anew."""
        self.states.reset()
        if self._views is not None:
            self._views.reset()

    def _estimate_states(self, frame: Frame) -> None:
        """Show the estimator what the frame shows, and give the objects the states that it knows now."""
        objects = self._objects.objects.values()
        seen = [SeenInstance(o.id, o.category, o.low, o.high) for o in objects if o.last_seen == frame.stamp]
        self.states.observe(frame, seen)
        for o in objects:
            o.states = self.states.states(o.id, o.states)

    def _add_places(self, nodes: dict[str, Node], area_of: Mapping[str, str]) -> None:
        places = self._places
        heights = {s.number: s.height for s in places.storeys}
        for s in places.storeys:
            name = "ground floor" if s.number == 0 else f"floor {s.number}"
            nodes[s.id] = Node(s.id, Layer.FLOOR, "Floor", name, "", *_extents(s.low, s.high, s.height))
        room_of = {a.id: a.room for a in places.areas}
        contents: dict[str, list[str]] = defaultdict(list)
        for object_id, area in area_of.items():
            if area:
                contents[room_of[area]].append(self._objects.objects[object_id].category)
        kinds: dict[str, int] = defaultdict(int)
        for r in sorted(places.rooms, key=lambda r: r.number):
            kind = room_kind(contents[r.id])
            kinds[kind] += 1
            name = f"room {r.number}" if not kind else _spoken(kind) + (f" {kinds[kind]}" if kinds[kind] > 1 else "")
            box = _extents(r.low, r.high, heights[r.storey])
            nodes[r.id] = Node(r.id, Layer.ROOM, kind or "Room", name, f"floor_{r.storey}", *box)
        spacing = self._options.places.area_spacing
        for a in places.areas:
            nodes[a.id] = Node(a.id, Layer.AREA, "Area", f"area {a.number}", a.room, a.center, (spacing, spacing, 0.0))

    def _edges(
        self, nodes: Mapping[str, Node], placements: Mapping[str, Placement]
    ) -> dict[tuple[EdgeType, str, str], Edge]:
        edges = [Edge(EdgeType.REACHABLE, p.a, p.b, p.distance) for p in self._places.passages]
        objects = self._objects.objects
        for object_id, placement in placements.items():
            if placement.receptacle:
                kind = EdgeType.IN if placement.relation == "in" else EdgeType.ON
                edges.append(_between(kind, objects[object_id], objects[placement.receptacle]))
        edges += [_between(EdgeType.PART_OF, objects[part], objects[whole]) for part, whole in part_of(objects).items()]
        edges += [Edge(EdgeType.NEAR, a, b, d) for a, b, d in near_pairs(objects)]
        return {e.key: e for e in edges if e.source in nodes and e.target in nodes}


def _between(kind: EdgeType, source: MappedObject, target: MappedObject) -> Edge:
    return Edge(kind, source.id, target.id, float(np.linalg.norm(source.center - target.center)))


def _object_node(o: MappedObject, box: UprightBox, area: str, placement: Placement, heights: tuple[float, ...]) -> Node:
    return Node(
        id=o.id,
        layer=Layer.OBJECT,
        category=o.category,
        name=_spoken(o.category),
        parent=area,
        center=_vector(box.center.tolist()),
        size=_vector(box.size.tolist()),
        yaw=box.yaw,
        movable=o.movable,
        receptacle=placement.receptacle,
        relation=placement.relation,
        support_heights=heights,
        states=dict(o.states),
        confidence=o.confidence,
        last_seen=o.last_seen,
    )


def _extents(low: tuple[float, float], high: tuple[float, float], floor: float) -> tuple[Vector, Vector]:
    center = ((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, floor + ROOM_HEIGHT / 2)
    return center, (high[0] - low[0], high[1] - low[1], ROOM_HEIGHT)


def _vector(values: list[float]) -> Vector:
    x, y, z = values
    return (x, y, z)


def _spoken(category: str) -> str:
    """Return a CamelCase class as words: "living room"."""
    words = "".join(
        f" {c.lower()}" if c.isupper() and i and not category[i - 1].isupper() else c for i, c in enumerate(category)
    )
    return words.lower().strip()
