# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What of the home one viewer sees in 3D: as it is now, as it was known then, or what is different."""

from __future__ import annotations

from typing import Any

import viser

from karma_perception.scene_graph import SceneGraph
from karma_view.scene.compare import Difference, DifferenceDrawing, differences
from karma_view.scene.home import HIDDEN, HomeDrawing, Pick
from karma_view.scene.robot_drawing import camera_root

THEN = "/then"
COMPARED = "/compared"


class Covers:
    """Frames of one viewer's own that stand for those that all viewers share, to show or hide what is below them."""

    def __init__(self, scene: viser.SceneApi) -> None:
        """`scene`: the viewer's own."""
        self._scene = scene
        self._covers: dict[str, viser.FrameHandle] = {}
        """By name of the shared frame. They stay: with one, others of the viewer's own below it would go."""

    def show(self, name: str, visible: bool) -> None:
        """Show or hide, for this viewer alone, a frame that all viewers share and what is below it.

        `name`: of a frame of the server's scene that stands at the origin, such as /now or /now/things. A node of the
        viewer's own covers it: in viser such a node stands for the shared one, to its children, too.
        """
        cover = self._covers.get(name)
        if cover is None:
            self._covers[name] = self._scene.add_frame(name, show_axes=False, visible=visible)
        else:
            cover.visible = visible

    def shown(self, name: str) -> bool | None:
        """Whether a shared frame is shown to this viewer; None: as it is to all."""
        cover = self._covers.get(name)
        return None if cover is None else cover.visible


class ViewerScene:
    """Draws for one viewer what the others don't see, and hides for them what all share."""

    def __init__(self, scene: viser.SceneApi, now: str, covers: Covers, *, on_pick: Pick | None = None) -> None:
        """`scene`: the viewer's own, and its `covers`. `now`: name of the drawing that all viewers share.

        `on_pick`: gets what is clicked on in the home as it was.
        """
        self._on_pick = on_pick
        self._scene = scene
        self._now = now
        self._covers = covers
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
        visible, compared = then is None or compare, then is not None and compare
        if not visible or self._covers.shown(self._now) is False:
            self._covers.show(self._now, visible)
        camera = camera_root(self._now)
        if compared or self._covers.shown(camera) is False:
            self._covers.show(camera, not compared)
        if then is None or compare:
            self._remove_then()
        else:
            if self._then is None:
                self._then = HomeDrawing(self._scene, THEN, on_pick=self._on_pick)
            self._then.update(then)
            for layer, frame in self._then.layers.items():
                frame.visible = self._layer_shown(layer)
        self._compare((then, now) if then is not None and compare else None)

    def _layer_shown(self, layer: str) -> bool:
        shown = self._covers.shown(f"{self._now}/{layer}")
        return layer not in HIDDEN if shown is None else shown

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
