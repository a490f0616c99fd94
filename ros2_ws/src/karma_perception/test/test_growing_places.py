# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Rooms and areas keep their ids while the map grows, whatever the home and the way through it."""

from types import SimpleNamespace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from karma_perception.places.places import PlaceMap

RANGE = 3.0
DOOR = 0.8


def sheet(x0, x1, y0, y1):
    """Return the middles of cells of 5 cm, (n, 2)."""
    return np.stack(np.meshgrid(np.arange(x0, x1, 0.05) + 0.025, np.arange(y0, y1, 0.05) + 0.025), -1).reshape(-1, 2)


class Home:
    """Rooms in a row along x, 3 m deep, each with a door in the middle of the wall to the next."""

    def __init__(self, widths):
        self.edges = np.concatenate(([0.0], np.cumsum(np.array(widths) + 0.1)))
        self.floors, self.walls = [], []
        for left, right in zip(self.edges[:-1], self.edges[1:] - 0.1, strict=True):
            self.floors.append(sheet(left, right, 0.0, 3.0))
            self.walls.append(np.concatenate([sheet(left, right, y, y + 0.1) for y in (-0.1, 3.0)]))
            inner = right < self.edges[-1] - 0.2
            sides = [sheet(right, right + 0.1, 0.0, 3.0)] + ([sheet(-0.1, 0.0, 0.0, 3.0)] if left == 0.0 else [])
            side = np.concatenate(sides)
            way = inner & (np.abs(side[:, 1] - 1.5) < DOOR / 2) & (side[:, 0] > 0)
            self.floors[-1] = np.concatenate((self.floors[-1], side[way]))
            self.walls[-1] = np.concatenate((self.walls[-1], side[~way]))

    def room(self, x):
        return min(int(np.searchsorted(self.edges, x + 1e-9, side="right")) - 1, len(self.floors) - 1)

    def look(self, places, x):
        """See what is within range of the room one is in, and of the doorway's far side."""
        here = np.array([x, 1.5])
        floor, wall = self.floors[self.room(x)], self.walls[self.room(x)]
        if self.room(x) > 0:  # the wall to the room before is seen from this side, too
            before = self.walls[self.room(x) - 1]
            wall = np.concatenate((wall, before[np.abs(before[:, 0] - self.edges[self.room(x)] + 0.05) < 0.06]))
        floor, wall = (p[np.linalg.norm(p - here, axis=1) < RANGE] for p in (floor, wall))
        points = np.concatenate(
            [np.column_stack((floor, np.zeros(len(floor))))]
            + [np.column_stack((wall, np.full(len(wall), z))) for z in (0.5, 1.0)]
        )
        frame = SimpleNamespace(position=np.array([x, 1.5, 1.1]))
        for _ in range(2):
            places.integrate(frame, points, np.arange(len(points)) >= len(floor))
        places.refresh()


@settings(max_examples=20, deadline=None)
@given(
    widths=st.lists(st.floats(2.0, 4.5), min_size=1, max_size=4),
    start=st.floats(0.0, 1.0),
    steps=st.lists(st.floats(-0.7, 0.7), max_size=6),
)
def test_ids_of_rooms_and_areas_stay_while_the_map_grows(widths, start, steps):
    home, places = Home(widths), PlaceMap()
    end = home.edges[-1] - 0.6
    x = 0.5 + start * (end - 0.5)
    tour = list(np.arange(x, end, 0.5)) + list(np.arange(end, 0.5, -0.5))  # to one end, then to the other
    here, rooms, areas, retired = x, {}, {}, set()
    for x in [*np.clip(here + np.cumsum(steps), 0.5, end), *tour]:
        home.look(places, x)
        now_rooms = {r.id: r for r in places.rooms}
        now_areas = {a.id: a for a in places.areas}
        assert not retired & now_areas.keys(), "an id came back for something else"
        retired |= areas.keys() - now_areas.keys()
        for name in areas.keys() & now_areas.keys():
            shift = np.subtract(now_areas[name].center, areas[name].center)
            assert np.abs(shift).max() <= 1.25, f"{name} is elsewhere: not the same area"
        for name in rooms.keys() & now_rooms.keys():
            old, new = rooms[name], now_rooms[name]
            overlap = min(old.high[0], new.high[0]) - max(old.low[0], new.low[0])
            assert overlap >= 0.5 * (old.high[0] - old.low[0]), f"{name} is elsewhere: not the same room"
        rooms, areas = now_rooms, now_areas
    assert len(rooms) == len(widths)
    assert len(retired) <= 0.2 * (len(retired) + len(areas))
    for area in areas.values():
        inside = [i for i in range(len(widths)) if home.edges[i] <= area.center[0] < home.edges[i + 1] - 0.1]
        room = rooms[area.room]
        assert not inside or home.room((room.low[0] + room.high[0]) / 2) == inside[0]
