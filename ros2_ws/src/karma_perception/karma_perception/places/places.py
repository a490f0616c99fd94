# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Storeys, rooms and areas: where the robot can be (KARMA 3.3).

Area nodes are spread evenly over the reachable part of the free space: one for each lattice square and room that the
square touches. Two of them are joined where one can drive from one to the other without passing a third.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from karma_perception.frames.camera import FloatArray, Frame
from karma_perception.places.areas import Anchors, place_anchors
from karma_perception.places.floor_plan import Occupancy, occupancy
from karma_perception.places.frontiers import Border, Frontier, driving_distances, find_borders
from karma_perception.places.grid import (
    BoolGrid,
    GridOptions,
    StoreyGrid,
    covered_area,
    dense_height,
    fill_holes,
    fill_underfoot,
    move_grid,
)
from karma_perception.places.place import Area, Passage, PlaceOptions, Room, Storey
from karma_perception.places.reach import OwnerGrid, spread, touching
from karma_perception.places.rooms import RoomGrid, keep_numbers, segment

_HOLE = 1.0
"""Square metres; enclosed gaps in what was seen of a room, up to this, belong to it."""

_BLIND = 4.0
"""Square metres; the largest piece of floor that a camera on the robot can't see because it is right below."""

_STEP = 0.25
"""Metres; a robot that is farther above or below a storey's floor is on stairs."""

_FLOOR = 1.5
"""Square metres seen at the height of the robot's wheels that make a storey: more than a tread."""

_EIGHT = np.ones((3, 3), dtype=bool)


class Level:
    """One storey's grid and what was computed from it last."""

    def __init__(self, number: int, height: float, options: GridOptions) -> None:
        self.number = number
        self.grid = StoreyGrid(height, options)
        self.origin = (0, 0)
        self.rooms: RoomGrid = np.zeros((0, 0), np.int32)
        self.owner: OwnerGrid = np.zeros((0, 0), np.int32)
        """Number of the area from which a cell is reached, 0 = none; around furniture too, but not through walls."""
        self.distance: FloatArray = np.zeros((0, 0))
        self.anchors: Anchors = {}
        self.areas: dict[int, Area] = {}
        self.regions: dict[int, Room] = {}
        self.passages: tuple[Passage, ...] = ()
        self.state: tuple[tuple[int, int], NDArray[np.int8]] | None = None
        self.free: BoolGrid = np.zeros((0, 0), np.bool_)
        self.blocked: BoolGrid = np.zeros((0, 0), np.bool_)
        self.standable: BoolGrid = np.zeros((0, 0), np.bool_)
        self.borders: tuple[Border, ...] | None = None
        """Frontiers, None where they have not been asked for since the last change."""

    def found(self, options: PlaceOptions) -> tuple[Border, ...]:
        """Return the frontiers, looked for once after each change."""
        if self.borders is None:
            self.borders = find_borders(
                *(self.free, self.blocked, self.standable),
                resolution=self.grid.resolution,
                radius=options.grid.robot_radius,
            )
        return self.borders


class PlaceMap:
    """Storeys, rooms and areas of one scene, as far as they have been seen."""

    def __init__(self, options: PlaceOptions | None = None) -> None:
        self._options = options or PlaceOptions()
        self._levels: list[Level] = []
        self._current: Level | None = None
        self._next_area = 1
        self._next_room = 1
        self._stairs: dict[tuple[int, int], tuple[FloatArray, FloatArray]] = {}
        self._last: FloatArray | None = None

    def integrate(self, frame: Frame, points: FloatArray, structure: BoolGrid) -> None:
        """Add one frame's points, (n, 3), map frame; `structure`, (n,), marks those of the building.

        ValueError when the camera is too far from what is mapped; then nothing has changed.
        """
        camera = frame.position
        level = self._level(camera, points)
        if level is None:
            return
        level.grid.integrate(points, structure, camera)
        if level not in self._levels:
            self._levels.append(level)
        if self._current is not None and level is not self._current and self._last is not None:
            pair = (self._current.number, level.number)
            self._stairs[min(pair), max(pair)] = (self._last, camera) if pair[0] < pair[1] else (camera, self._last)
            self._current.grid.leave()
        self._current = level
        self._last = camera.copy()

    def refresh(self) -> bool:
        """Compute rooms and areas anew where enough has changed; return whether anything was."""
        changed = [self._refresh(level) for level in self._levels]
        return any(changed)

    @property
    def storeys(self) -> tuple[Storey, ...]:
        """Floors, in the order they were found."""
        found = []
        for level in self._levels:
            regions = level.regions.values()
            if regions:
                low = (min(r.low[0] for r in regions), min(r.low[1] for r in regions))
                high = (max(r.high[0] for r in regions), max(r.high[1] for r in regions))
                found.append(Storey(_floor_id(level.number), level.number, level.grid.height, low, high))
        return tuple(found)

    @property
    def rooms(self) -> tuple[Room, ...]:
        """Rooms that have at least one area."""
        return tuple(r for level in self._levels for r in level.regions.values())

    @property
    def areas(self) -> tuple[Area, ...]:
        """Area nodes."""
        return tuple(a for level in self._levels for a in level.areas.values())

    @property
    def passages(self) -> tuple[Passage, ...]:
        """Reachability between areas, stairs included."""
        return (*(p for level in self._levels for p in level.passages), *self._stair_passages())

    @property
    def floor_plan(self) -> Occupancy:
        """What is known of the floor that the robot is on, of the first before its place is known."""
        level = self._current or next(iter(self._levels), None)
        return occupancy(level.grid if level is not None else None)

    def frontiers(self) -> tuple[Frontier, ...]:
        """Return where exploring can go on, as of the last refresh: what can be driven to, nearest first."""
        if self._current is None or self._last is None:
            return ()
        levels = {level.number: level for level in self._levels}
        fields = driving_distances(
            (self._current.number, self._last),
            {n: level.standable for n, level in levels.items()},
            {n: level.origin for n, level in levels.items()},
            [(a, foot, b, head) for (a, b), (foot, head) in self._stairs.items()],
            self._options.grid.resolution,
        )
        found = [
            self._frontier(levels[n], border, field)
            for n, field in fields.items()
            for border in levels[n].found(self._options)
        ]
        return tuple(sorted((f for f in found if np.isfinite(f.distance)), key=lambda f: (f.distance, f.position)))

    def area_of(self, low: FloatArray, high: FloatArray) -> str:
        """Return the id of the area from which a box, corners (3,), is reached; "" while there is none."""
        level = self._level_below(float(low[2]))
        if level is None or not level.areas:
            return ""
        origin = np.array(level.origin)
        first = np.floor(low[:2] / level.grid.resolution).astype(int) - origin - 1
        last = np.floor(high[:2] / level.grid.resolution).astype(int) - origin + 2
        first, last = np.maximum(first, 0), np.minimum(last, level.owner.shape)
        if np.all(first < last):
            window = (slice(first[0], last[0]), slice(first[1], last[1]))
            distance = np.where(level.owner[window] > 0, level.distance[window], np.inf)
            best = np.unravel_index(int(np.argmin(distance)), distance.shape)
            if np.isfinite(distance[best]):
                return level.areas[int(level.owner[window][best])].id
        middle = (low[:2] + high[:2]) / 2
        return min(level.areas.values(), key=lambda a: float(np.hypot(*(middle - np.array(a.center[:2]))))).id

    def _level(self, camera: FloatArray, points: FloatArray) -> Level | None:
        """Return the storey that the robot is on, which may be a new one; None on the stairs between two."""
        expected = float(camera[2]) - self._options.camera_height
        around = points[np.abs(points[:, 2] - expected) <= _STEP]
        if self._levels:
            nearest = min(self._levels, key=lambda level: abs(level.grid.height - expected))
            off = abs(nearest.grid.height - expected)
            if off <= _STEP:
                return nearest
            if off < self._options.min_storey or covered_area(around, self._options.grid.resolution) < _FLOOR:
                return None
        height = dense_height(around[:, 2], expected, _STEP) if len(around) >= 100 else expected
        return Level(len(self._levels), height, self._options.grid)

    def _level_below(self, z: float) -> Level | None:
        """Return the storey whose floor is under the height z, or the lowest."""
        if not self._levels:
            return None
        under = [level for level in self._levels if level.grid.height <= z + 0.3]
        if under:
            return max(under, key=lambda level: level.grid.height)
        return min(self._levels, key=lambda level: level.grid.height)

    def _refresh(self, level: Level) -> bool:
        grid = level.grid
        if 0 in grid.shape:
            return False
        wall = grid.walls
        free = grid.free
        free |= fill_underfoot(free, grid.blocked, grid.path, int(_BLIND / grid.resolution**2))
        state = (free + 2 * wall + 4 * (grid.furniture >= 2)).astype(np.int8)
        needed = max(1, int(self._options.refresh_area / grid.resolution**2))
        if level.state is not None:
            origin, before = level.state
            changed = np.count_nonzero(move_grid(before, origin, grid.origin, grid.shape) != state)
            if changed < needed and level.areas:
                return False
        level.state = (grid.origin, state)

        standable = self._standable(grid, free)
        level.rooms = self._segment(level, free | standable, wall, standable)
        level.origin = grid.origin
        level.free, level.blocked, level.standable, level.borders = free, grid.blocked, standable, None
        level.anchors, self._next_area = place_anchors(
            standable,
            level.rooms,
            grid.origin,
            level.anchors,
            edge=max(1, round(self._options.area_spacing / grid.resolution)),
            enough=self._options.min_area / grid.resolution**2,
            next_number=self._next_area,
        )
        self._connect(level, standable, wall)
        self._describe_rooms(level)
        return True

    def _standable(self, grid: StoreyGrid, free: BoolGrid) -> BoolGrid:
        """Return the cells where the robot's middle can be, as far as they are joined to where it has been."""
        open_space = ndimage.binary_closing(np.pad(free, 2), structure=_EIGHT)[2:-2, 2:-2] & ~grid.blocked
        clearance = np.asarray(ndimage.distance_transform_edt(np.pad(open_space, 1)))[1:-1, 1:-1] * grid.resolution
        standable = clearance > self._options.grid.robot_radius - 0.25 * grid.resolution
        core = ndimage.binary_erosion(grid.path, iterations=1) | (grid.path & standable)
        labels, _ = ndimage.label(standable | core, structure=_EIGHT)
        reached = np.unique(labels[core])
        return np.asarray(np.isin(labels, reached[reached > 0]))

    def _segment(self, level: Level, free: BoolGrid, wall: BoolGrid, standable: BoolGrid) -> RoomGrid:
        """Return the rooms that one can stand in, numbered as before."""
        grid = level.grid
        inside = np.pad(free | (grid.furniture >= 2), 4)
        inside = ndimage.binary_closing(inside, structure=_EIGHT, iterations=2)[4:-4, 4:-4]
        inside = (fill_holes(inside | wall, int(_HOLE / grid.resolution**2)) & ~wall) | free
        rooms = segment(
            inside,
            self._options.door_width / grid.resolution,
            max(1, int(self._options.min_room / grid.resolution**2)),
        )
        rooms[~np.isin(rooms, rooms[standable])] = 0
        old = move_grid(level.rooms, level.origin, grid.origin, grid.shape)
        numbered, self._next_room = keep_numbers(rooms, old, self._next_room)
        return numbered

    def _connect(self, level: Level, standable: BoolGrid, wall: BoolGrid) -> None:
        """Find the area that every cell is reached from, and join areas whose cells touch."""
        grid = level.grid
        anchors = [a for group in level.anchors.values() for a in group]
        cells = np.array([a.cell for a in anchors], dtype=np.intp).reshape(-1, 2) - np.array(grid.origin)
        numbers = np.array([a.number for a in anchors], dtype=np.int32)
        level.owner, level.distance = spread(cells, numbers, standable, ~wall, grid.resolution)
        positions = grid.positions(cells).tolist()
        level.areas = {
            a.number: Area(
                id=f"area_{a.number}",
                number=a.number,
                storey=level.number,
                room=_room_id(int(level.rooms[c[0], c[1]])),
                center=(x, y, grid.height),
            )
            for a, c, (x, y) in zip(anchors, cells, positions, strict=True)
        }
        level.passages = tuple(
            Passage(f"area_{a}", f"area_{b}", distance)
            for (a, b), distance in sorted(touching(level.owner, level.distance, standable, grid.resolution).items())
        )

    def _describe_rooms(self, level: Level) -> None:
        grid = level.grid
        used = {a.room for a in level.areas.values()}
        boxes = ndimage.find_objects(level.rooms)
        level.regions = {}
        for number, box in enumerate(boxes, start=1):
            if box is None or _room_id(number) not in used:
                continue
            (x0, x1), (y0, y1) = ((s.start, s.stop) for s in box)
            low = (np.array([x0, y0]) + np.array(grid.origin)) * grid.resolution
            high = (np.array([x1, y1]) + np.array(grid.origin)) * grid.resolution
            level.regions[number] = Room(
                _room_id(number),
                number,
                level.number,
                (float(low[0]), float(low[1])),
                (float(high[0]), float(high[1])),
            )

    def _frontier(self, level: Level, border: Border, distances: FloatArray) -> Frontier:
        ends = (np.array([border.stand, border.middle]) + np.array(level.origin) + 0.5) * level.grid.resolution
        (x, y), (u, v) = ends.tolist()
        height = level.grid.height
        return Frontier(
            position=(x, y, height),
            heading=border.heading,
            middle=(u, v, height),
            size=border.length,
            distance=float(distances[border.stand]),
            room=_room_id(int(level.rooms[border.stand])),
        )

    def _stair_passages(self) -> Iterator[Passage]:
        for (lower, upper), (foot, head) in self._stairs.items():
            ends = []
            for number, camera in ((lower, foot), (upper, head)):
                level = self._levels[number]
                base = np.array([camera[0], camera[1], level.grid.height + 0.1])
                ends.append(self.area_of(base, base))
            if ends[0] and ends[1]:
                yield Passage(ends[0], ends[1], float(np.linalg.norm(foot - head)))


def _floor_id(number: int) -> str:
    return f"floor_{number}"


def _room_id(number: int) -> str:
    return f"room_{number}" if number else ""
