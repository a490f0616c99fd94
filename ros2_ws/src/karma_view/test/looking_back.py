# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A viewer who looks back, without a browser, and the journal of a memory that is asked."""

import time
from types import SimpleNamespace

from journal_robot import happened, thing

from karma_interfaces.msg import MemoryEvent
from karma_perception.scene_graph import SceneGraph
from karma_ros.client import GraphError
from karma_view.known import Known
from karma_view.panels.time import TimePanel
from karma_view.scene.viewer_scene import Covers

SEEN, TOLD = MemoryEvent.OBSERVATION, MemoryEvent.TOLD
NOW = Known(stamp=1000.0, graph=SceneGraph(nodes={"Apple|1": thing("Apple|1", 9.0)}))
EVENTS = 20


def journal(count=EVENTS, **fields):
    """An apple on its way, with one of two places of the journal taken by the memory's own notes."""
    return [
        happened(2 * n, 10.0 * n, SEEN, thing("Apple|1", float(n)), text=f"apple {n}", **fields)
        for n in range(1, count + 1)
    ]


def until(condition):
    deadline = time.monotonic() + 10.0
    while not condition():
        assert time.monotonic() < deadline, "that never came about"
        time.sleep(0.01)


class Viewer:
    """A session with nothing but the time in it, on a real server without a browser."""

    def __init__(self, server, robot):
        self.robot, self.then, self.now = robot, None, "/now"
        self.client = SimpleNamespace(gui=server.gui, scene=server.scene)
        self.covers = Covers(server.scene)
        self.labels = SimpleNamespace(changes=())
        self.told = []
        self.flown = []
        self.panel = TimePanel(self)

    @property
    def at(self):
        return self.then.stamp if self.then else 0.0

    def fly_to(self, node):
        self.flown.append(node.center)

    def attempt(self, what, do, *, often=False):
        try:
            do()
        except GraphError as error:
            self.told.append(str(error))
            return False
        return True

    def element(self, label):
        handles = self.client.gui._gui_input_handle_from_uuid.values()
        return next(handle for handle in handles if handle._impl.props.label == label)

    def set(self, label, value):
        """Do what a browser does when somebody changes an element or presses a button."""
        handle = self.element(label)
        handle._impl.value = value
        for callback in handle._impl.update_cb:
            callback(SimpleNamespace(target=handle, client=self.client))

    def rows(self):
        return [row for row in self.panel._events._rows if row.visible]

    def text(self):
        return self.panel._text.content

    def settle(self):
        """Let the page draw until nothing is asked any more."""
        self.panel.update(NOW)
        until(lambda: not any(self.panel._latest.busy(what) for what in ("the time", "the span of the journal")))
        until(lambda: not self.panel._latest.busy("the list of events"))
        self.panel.update(NOW)

    def x(self):
        """Return where this viewer sees the apple."""
        return (self.then or NOW).graph.nodes["Apple|1"].center[0]
