# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a frame says about points that were seen before: hidden now, still there, or gone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karma_perception.frames.camera import FloatArray, Frame, project

_HERE = 0.04
_HERE_FAR = 0.01
"""Metres, and metres for each square metre of distance, that a surface may be off a point and still be its own."""

_TOLERANCE = 0.015
"""Metres that a surface may lie before a point without hiding it."""


@dataclass(frozen=True, eq=False)
class Visibility:
    """One flag for each remembered point, (n,) each."""

    in_view: NDArray[np.bool_]
    """Inside the image, with depth measured all around it, and not hidden behind something nearer."""
    seen_through: NDArray[np.bool_]
    """In view, and what is measured there lies clearly behind the point."""
    relabelled: NDArray[np.bool_]
    """Its pixel shows nothing nearer, and no pixel around shows the point's own object there, rather than behind it."""
    shows: NDArray[np.int32]
    """The label of its pixel where a surface is measured about where the point is (0: of nothing), -1 elsewhere."""

    beyond: FloatArray
    """Metres by which what its pixel shows lies behind the point; negative: before it."""

    def part(self, first: int, last: int) -> Visibility:
        """Return the flags of the points from `first` to `last`, which is left out."""
        part = slice(first, last)
        return Visibility(
            self.in_view[part], self.seen_through[part], self.relabelled[part], self.shows[part], self.beyond[part]
        )


class FrameVisibility:
    """Tests remembered points against one frame.

    Of every point's 3 x 3 pixels the nearest depth counts, so that rounding at a silhouette takes nothing away.
    """

    def __init__(self, frame: Frame, mask: NDArray[np.uint16]) -> None:
        self._frame = frame
        self._depth = np.pad(frame.depth, 1, mode="edge")
        columns = np.minimum(np.minimum(self._depth[:, :-2], self._depth[:, 1:-1]), self._depth[:, 2:])
        self._nearest = np.minimum(np.minimum(columns[:-2], columns[1:-1]), columns[2:]).ravel()
        self._mask = np.pad(mask, 1, mode="edge")

    def test(self, points: FloatArray, labels: NDArray[np.intp], behind: FloatArray) -> Visibility:
        """Test points, (n, 3), map frame.

        `labels`, (n,): the label that each would have here (-1: none); `behind`, (n,): metres that are clearly behind.
        """
        pixels, z, inside = project(self._frame, points)
        measured = self._nearest[pixels]
        least = z - (_TOLERANCE + 0.005 * z)
        in_view = inside & (measured > 0) & (measured >= least)
        farthest = z + behind + 0.01 * z
        seen_through = in_view & (measured > farthest)
        v, u = np.divmod(pixels, self._frame.intrinsics.width)
        own = np.zeros(len(points), dtype=bool)
        for dv in range(3):
            for du in range(3):
                own |= (self._mask[v + dv, u + du] == labels) & (self._depth[v + dv, u + du] <= farthest)
        exact = self._depth[v + 1, u + 1]
        shown = inside & (exact > 0) & (exact >= least)
        here = inside & (exact > 0) & (np.abs(exact - z) <= _HERE + _HERE_FAR * z * z)
        shows = np.where(here, self._mask[v + 1, u + 1].astype(np.int32), np.int32(-1))
        return Visibility(in_view, seen_through, shown & ~own, shows, exact - z)

    def may_see(self, centers: FloatArray, radii: FloatArray) -> NDArray[np.bool_]:
        """Return which spheres, centres (n, 3) and radii (n,), may touch the field of view."""
        k = self._frame.intrinsics
        optical = (centers - self._frame.position) @ self._frame.camera_pose[:3, :3]
        x, y, z = optical.T
        reach = 1.5 * radii
        return np.asarray(
            (z > -radii)
            & (x > -k.cx / k.fx * z - reach)
            & (x < (k.width - k.cx) / k.fx * z + reach)
            & (y > -k.cy / k.fy * z - reach)
            & (y < (k.height - k.cy) / k.fy * z + reach)
        )
