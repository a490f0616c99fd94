# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What of the home one viewer sees in 3D: as it is now, as it was known then, or what is different."""

from __future__ import annotations

from typing import Any

import viser

from karma.view.compare import Difference, DifferenceDrawing, differences
from karma.view.home import HomeDrawing
from karma_perception.scene_graph import SceneGraph

THEN = "/then"
COMPARED = "/compared"


class ViewerScene:
    """Draws for one viewer what the others don't see, and hides for them what all share."""

    def __init__(self, scene: viser.SceneApi, now: str) -> None:
        """`scene`: the viewer's own. `now`: name of the drawing that all viewers share."""
        self._scene = scene
        self._now = now
        self._mask: Any = None
        """The viewer's own node of the shared drawing's name: viser shows it instead of that one, with the drawing's
        nodes below it. It stays, once it is there: with it, other nodes of the viewer's own below it would go."""
        self._then: HomeDrawing | None = None
        self._compared = DifferenceDrawing(scene, COMPARED)
        self._pair: tuple[SceneGraph, SceneGraph] | None = None
        """What was compared last, then and now."""
        self._drawn: tuple[Any, ...] | None = None
        """Of the differences that are drawn, what the drawing shows."""
        self.differences: tuple[Difference, ...] = ()
        """Between then and now; empty while they are not compared."""

    def update(self, now: SceneGraph, then: SceneGraph | None, *, compare: bool = False) -> None:
        """Show the home as it was known then, or what is different now; without `then` as it is now."""
        self._show_now(visible=then is None or compare)
        if then is None or compare:
            self._remove_then()
        else:
            if self._then is None:
                self._then = HomeDrawing(self._scene, THEN)
            self._then.update(then)
        self._compare((then, now) if then is not None and compare else None)

    def _show_now(self, *, visible: bool) -> None:
        if self._mask is None:
            if visible:
                return
            self._mask = self._scene.add_frame(self._now, show_axes=False)
        self._mask.visible = visible

    def _remove_then(self) -> None:
        if self._then is not None:
            self._then.remove()
            self._then = None

    def _compare(self, pair: tuple[SceneGraph, SceneGraph] | None) -> None:
        if pair is None:
            self._pair = self._drawn = None
            self.differences = ()
            self._compared.remove()
            return
        if self._pair is not None and pair[0] is self._pair[0] and pair[1] is self._pair[1]:
            return
        self._pair = pair
        self.differences = differences(*pair)
        drawn = tuple(
            (d.change, d.words, d.node.center, d.node.size, d.then and d.then.center) for d in self.differences
        )
        if drawn != self._drawn:
            self._drawn = drawn
            self._compared.update(self.differences)
