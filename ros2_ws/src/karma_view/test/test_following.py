# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever messages the scene graph came in, the page knows it, and draws it as if it had always been so."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import viser
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from karma_interfaces.msg import Result
from karma_interfaces.srv import GetSceneGraph
from karma_perception.conversions import apply_message, from_update
from karma_perception.scene_graph import Edge, EdgeType, Layer, Node, SceneGraph
from karma_perception.stream import GraphStream
from karma_view.known import Known, Live, Pose
from karma_view.ros.hearing import Hearing
from karma_view.ros.transcript import Transcript
from karma_view.scene import labels
from karma_view.scene.home import HomeDrawing
from karma_view.scene.labels import Eye, LabelDrawing, Rank, labels_of, robot_text

ABOVE = Eye((0.0, 0.0, 60.0), (0.0, 1.0, 0.0, 0.0), math.radians(60), 4000.0, 4000.0)
"""Looks down; what is 2 m apart is written apart, and the robot far from all."""
ROOMS, OBJECTS = ("room|0", "room|1"), ("Mug|0", "Knife|1", "Table|2", "Drawer|3")
UNTOUCHED = {"position": (0.0, 0.0, 0.0), "wxyz": (1.0, 0.0, 0.0, 0.0), "visible": True}
"""Of a node in a browser."""
WITHIN = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@st.composite
def homes(draw: st.DrawFn) -> SceneGraph:
    """Rooms that come and go, things that move, are taken, put down and opened, parts of others."""
    nodes = [Node("floor", Layer.FLOOR, "Floor", "", "", (0, 0, 0), (1, 1, 1))]
    rooms = draw(st.sets(st.sampled_from(ROOMS), min_size=1))
    nodes += [
        Node(name, Layer.ROOM, "Kitchen", f"kitchen {name[-1]}", "floor", (4.0 * n, 8.0, 1.0), (3.0, 3.0, 2.0))
        for n, name in enumerate(sorted(rooms))
    ]
    nodes += [
        Node(f"area|{name}", Layer.AREA, "Area", "", name, (4.0 * n, 8.0, 1.0), (1, 1, 1))
        for n, name in enumerate(sorted(rooms))
    ]
    there = sorted(draw(st.sets(st.sampled_from(OBJECTS))))
    for name in there:
        x, turned = 3.0 * OBJECTS.index(name), draw(st.sampled_from([0.0, 0.7]))
        relation = draw(st.sampled_from(["", "on", "in", "held"]))
        node = Node(
            name, Layer.OBJECT, name[:-2], "", f"area|{draw(st.sampled_from(sorted(rooms)))}", (x, 0.0, 0.5), (1, 1, 1)
        )
        nodes.append(
            replace(
                node,
                center=(x + draw(st.sampled_from([0.0, 0.5])), 0.0, 0.5),
                movable=name < "N",
                relation=relation,
                receptacle=draw(st.sampled_from(there)) if relation in ("on", "in") else "",
                states=draw(st.sampled_from([{}, {"isOpen": "true"}])),
                yaw=turned,
            )
        )
    edges = [Edge(EdgeType.PART_OF, one, other) for one in there for other in there if one != other]
    told = draw(st.sets(st.sampled_from(edges), max_size=2)) if edges else ()
    return SceneGraph("home", 0.0, {node.id: node for node in nodes}, {edge.key: edge for edge in told})


class Browser:
    """What a viewer's browser has after what was sent to it: by name of a node, how it looks."""

    def __init__(self) -> None:
        self.nodes: dict[str, dict[str, Any]] = {}

    def take(self, message: Any) -> None:
        kind, name = type(message).__name__, getattr(message, "name", "")
        if kind == "RemoveSceneNodeMessage":
            self.nodes = {at: node for at, node in self.nodes.items() if at != name and not at.startswith(f"{name}/")}
        elif kind == "SceneNodeUpdateMessage":
            self.nodes[name] |= message.updates
        elif hasattr(message, "props"):
            props = {field.name: getattr(message.props, field.name) for field in fields(message.props)}
            self.nodes[name] = UNTOUCHED | self.nodes.get(name, {}) | props
        elif name in self.nodes:
            sent = {f.name: getattr(message, f.name) for f in fields(message) if f.name not in ("name", "owner")}
            self.nodes[name] |= sent

    def drawn(self, root: str, numbers: dict[str, int]) -> dict[str, dict[str, Any]]:
        """Return how the nodes below one look, by names that are the same whatever was drawn before."""
        ids = {str(number): key for key, number in numbers.items()}
        split = {name: name.rpartition("/") for name in self.nodes if name.startswith(f"{root}/")}
        return {
            f"{above}/{ids.get(last, last)}": {key: _plain(value) for key, value in self.nodes[name].items()}
            for name, (above, _, last) in split.items()
        }


def _plain(value: Any) -> Any:
    return np.asarray(value).tolist() if isinstance(value, np.ndarray | tuple) else value


@pytest.fixture(scope="module")
def server() -> Iterator[viser.ViserServer]:
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    yield server
    server.stop()


@pytest.fixture
def draws(server: viser.ViserServer, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, dict[str, Any]]]:
    """Draw what was known one after the other, and return what a browser shows in the end."""
    browser = Browser()
    interface = server.scene._websock_interface
    queue = interface.queue_message
    monkeypatch.setattr(interface, "queue_message", lambda message: (browser.take(message), queue(message))[1])
    monkeypatch.setattr(labels, "PERIOD_S", 0.0)

    def drawn(*course: Known) -> dict[str, dict[str, Any]]:
        browser.nodes.clear()
        home, written = HomeDrawing(server.scene, "/now"), LabelDrawing(server, lambda: ABOVE)
        for known in course:
            home.update(known.graph)
            written.update(known)
        shown = browser.drawn("/now", home._numbers) | browser.drawn(labels.ROOT, written._numbers)
        home.remove()
        server.scene.remove_by_name(labels.ROOT)
        return shown

    return drawn


POSES = st.sampled_from([None, Pose((0.0, -12.0, 0.0), 0.0), Pose((3.0, -15.0, 0.0), 1.0)])


@WITHIN
@given(st.lists(st.tuples(homes(), POSES, st.booleans()), min_size=2, max_size=6))
def test_what_was_drawn_step_by_step_is_what_is_drawn_at_once(
    draws: Callable[..., dict[str, dict[str, Any]]], steps: list[tuple[SceneGraph, Pose | None, bool]]
) -> None:
    stream, graph, epoch, course = GraphStream(), SceneGraph(), 0, list[Known]()
    for home, pose, restarted in steps:
        epoch += restarted
        update = stream.advance(home, epoch)
        if update is not None:
            graph = apply_message(from_update(update, "map"), graph)
        course.append(Known(graph=graph, pose=pose))
    assert graph == apply_message(from_update(stream.full(), "map"), SceneGraph())
    at_once = draws(course[-1])
    assert draws(*course) == at_once
    texts = {shown["text"] for name, shown in at_once.items() if name.startswith(labels.ROOT) and "text" in shown}
    assert texts == {label.text for label in labels_of(course[-1]) if label.rank is not Rank.PART}  # those are far off
    assert (course[-1].pose is None) or robot_text(steps[-1][0]) in texts


HAPPENS = st.sampled_from(["seen", "seen", "seen", "lost", "new map", "asked", "answered"])


class Perception:
    """Publishes when a test says so, and answers when it says so: for each thing that it sees, whether it is held."""

    def __init__(self, steps: list[tuple[str, str]]) -> None:
        self.steps = deque(steps)
        self.stream, self.maps, self.home = GraphStream(), 0, SceneGraph("home")
        self.hearing: Any = None
        self.asked = False
        self.node = SimpleNamespace(
            create_subscription=lambda *_: None,
            destroy_subscription=lambda _: None,
            get_namespace=lambda: "/",
            resolve_topic_name=str,
            count_publishers=lambda _: 0,  # so that only a test asks
        )

    def go_on(self) -> None:
        """Publish, and have the whole asked for, until that is answered or all is done."""
        while self.steps:
            what, name = self.steps.popleft()
            if what == "answered" and self.asked:
                return
            if what in ("seen", "lost", "new map"):
                self.see(name, new_map=what == "new map", lost=what == "lost")
            elif what == "asked" and not self.asked and self.hearing._missing.is_set():
                self.hearing._ask()

    def see(self, name: str, *, new_map: bool = False, lost: bool = False) -> None:
        """Take a thing, or put it down where it is held."""
        known = {} if new_map else self.home.nodes
        relation = "" if name in known and known[name].relation == "held" else "held"
        node = Node(name, Layer.OBJECT, "Mug", "", "", (0, 0, 0), (1, 1, 1), relation=relation)
        self.maps += new_map
        self.home = SceneGraph("home", self.home.stamp + 1.0, {**known, name: node})
        update = self.stream.advance(self.home, self.maps)
        assert update is not None
        if not lost:
            self.hearing._on_graph(from_update(update, "map"))

    def call(self, *_: Any, timeout: float) -> Any:
        """Answer with the graph as it was when it was asked for, however much happens before the answer is there."""
        code = Result.SUCCESS if self.stream.sequence else Result.UNAVAILABLE
        graph = from_update(self.stream.full(), "map")
        self.asked = True
        self.go_on()
        self.asked = False
        return GetSceneGraph.Response(result=Result(code=code), graph=graph)


@settings(max_examples=200, deadline=None)
@example([("lost", "Mug|0"), ("seen", "Mug|0"), ("new map", "Mug|0")])
@example([("lost", "Mug|0"), ("seen", "Mug|0"), ("asked", "Mug|0"), ("new map", "Mug|0")])
@given(st.lists(st.tuples(HAPPENS, st.sampled_from(OBJECTS)), max_size=25))
def test_the_graph_is_known_whatever_is_lost_and_however_late_answers_come(steps: list[tuple[str, str]]) -> None:
    perception, live = Perception(steps), Live()
    perception.hearing = hearing = Hearing(perception, live, Transcript())  # type: ignore[arg-type]
    perception.go_on()
    perception.see(OBJECTS[0])  # what was lost before is missed when something comes after it
    for _ in range(2):
        if hearing._missing.is_set():
            hearing._ask()
    assert not hearing._missing.is_set(), "it would be asked for again and again"
    assert live.known.graph == perception.stream.graph
    hearing.close()
