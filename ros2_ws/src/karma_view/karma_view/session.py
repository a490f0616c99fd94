# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""One viewer: what they look at, as whom, and at what time."""

from __future__ import annotations

import logging
from typing import Protocol

import viser

from karma_perception.scene_graph import Node, SceneGraph
from karma_view.asking import Asking
from karma_view.known import Known
from karma_view.panels.camera import CameraPanel
from karma_view.panels.export import ExportPanel
from karma_view.panels.find import FindPanel
from karma_view.panels.people import PeoplePanel
from karma_view.panels.plan import PlanPanel
from karma_view.panels.short_term import ShortTermPanel
from karma_view.panels.talk import TalkPanel
from karma_view.panels.time import TimePanel
from karma_view.ros.robot import Robot
from karma_view.scene.labels import Eye, LabelDrawing
from karma_view.scene.layout import css_size, is_small
from karma_view.scene.recording import Recorder
from karma_view.scene.viewer_scene import Covers
from karma_view.scene.viewpoint import Viewpoint
from karma_view.text import render

logger = logging.getLogger(__name__)


class Panel(Protocol):
    """A part of what a viewer sees."""

    def update(self, known: Known) -> None:
        """Show what is known, at whatever time the viewer looks at; called often, mostly with nothing new."""


class Session:
    """What one viewer sees, does and has chosen. Its panels are made once and updated as long as the viewer stays."""

    def __init__(self, client: viser.ClientHandle, robot: Robot, now: str, recorder: Recorder) -> None:
        """`now`: name of the drawing that all viewers share."""
        self.client = client
        self.robot = robot
        self.now = now
        self.user = ""
        """As whom the viewer speaks, and whose memories are shown; empty: nobody in particular."""
        self.then: Known | None = None
        """What was known at the time that the viewer looks at; None: they look at now."""
        self.attempt = Asking(self.say).attempt
        """Does something that the viewer asked for."""
        client.gui.add_html(render("style") + render("touch"))
        small = is_small(*css_size(client.camera.image_width, client.camera.image_height))
        camera = CameraPanel(self, folded=small)
        self.selection = camera.selection
        self.labels = LabelDrawing(client, lambda: Eye.of(client.camera))
        self._viewpoint = Viewpoint(client, folded=small)
        self._graph = SceneGraph()
        """What is drawn for the viewer."""
        self.covers = Covers(client.scene)
        tabs = client.gui.add_tab_group()
        with tabs.add_tab("Talk"):
            talk = TalkPanel(self)
        with tabs.add_tab("Plan"):
            plan = PlanPanel(self)
        with tabs.add_tab("Short-term"):
            short_term = ShortTermPanel(self)
        with tabs.add_tab("People"):
            people = PeoplePanel(self)
        with tabs.add_tab("Find"):
            find = FindPanel(self)
        with tabs.add_tab("Export"):
            self._export = ExportPanel(self, recorder)
        client.gui.add_html(render("utc"))
        self._panels: tuple[Panel, ...] = (talk, plan, short_term, people, find, self._export, camera)
        self._over_home: tuple[Panel, ...] = (self.selection, self._viewpoint, self.labels)
        """What goes with the home as it is drawn."""
        self._time = TimePanel(self, folded=small)

    @property
    def at(self) -> float:
        """The time that the viewer looks at, seconds in the robot's clock; 0: now."""
        then = self.then
        return 0.0 if then is None else then.stamp

    def update(self, now: Known) -> None:
        """Show what is known now, or was when the viewer looks at. A panel that fails does the others no harm."""
        shown = self.then or now
        drawn = now if self._time.compares else shown
        self._graph = drawn.graph
        for panels, known in ((self._over_home, drawn), (self._panels, shown), ((self._time,), now)):
            for panel in panels:
                try:
                    panel.update(known)
                except Exception:
                    logger.exception("%s could not be shown", type(panel).__name__)

    def choose(self, name: str) -> None:
        """Mark an object, by its id, and show what is known of it; empty: none."""
        self.labels.chosen = name
        self.selection.choose(name)

    def go_to(self, name: str) -> bool:
        """Mark an object and fly there, where it is in the home that is looked at; blocks meanwhile.

        Returns whether it is there.
        """
        if (node := self._graph.nodes.get(name)) is not None:
            self.fly_to(node)
        return node is not None

    def look_back_to(self, at: float) -> None:
        """Show what was known at a time, seconds in the robot's clock."""
        self._time.look_at(at)

    def fly_to(self, node: Node) -> None:
        """Mark an object and fly to where `node` has it; blocks meanwhile."""
        self.choose(node.id)
        self._viewpoint.fly_to(node)

    def show_home(self) -> None:
        """Fly to where the whole home is seen; blocks meanwhile."""
        self._viewpoint.show_home()

    def say(self, title: str, text: str, *, failed: bool = False) -> None:
        """Tell the viewer something in a corner of the page, for a while."""
        self.client.add_notification(
            title, text, color="red" if failed else "green", auto_close_seconds=10.0 if failed else 5.0
        )

    def close(self) -> None:
        """Give everything back: the viewer has gone."""
        self._time.close()
        self._export.close()
