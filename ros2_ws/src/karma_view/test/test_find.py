# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import viser
from builtin_interfaces.msg import Time
from sensor_msgs.msg import CompressedImage
from viewing import jpeg

from karma_interfaces.msg import Recollection, SceneNode
from karma_interfaces.srv import Ask
from karma_perception.scene_graph import Layer, Node, SceneGraph
from karma_ros.client import GraphError
from karma_view.known import Known
from karma_view.panels.find import FindPanel

ROOM = Node("room", Layer.ROOM, "Kitchen", "kitchen <1>", "floor", (0, 0, 1), (4, 4, 2))
AREA = Node("area", Layer.AREA, "Area", "", "room", (0, 0, 1), (1, 1, 2))
TABLE = Node("table", Layer.OBJECT, "DiningTable", "", "area", (1, 0, 1), (1, 1, 1), support_heights=(1.0,))
MUG = Node("mug", Layer.OBJECT, "Mug", "", "area", (1, 0, 1), (0.1, 0.1, 0.1), True, "table", "on")
KNOWN = Known(graph=SceneGraph(nodes={node.id: node for node in (ROOM, AREA, TABLE, MUG)}))


class FakeRobot:
    simulator = True
    answer: Any = Ask.Response(age=-1.0)
    broken = False

    def __init__(self) -> None:
        self.moved: list[tuple[str, str]] = []
        self.asked: list[tuple[str, str, float]] = []

    def can_move(self) -> bool:
        return self.simulator

    def move(self, thing: str, receptacle: str) -> None:
        if self.broken:
            raise GraphError("does not fit")
        self.moved.append((thing, receptacle))

    def ask(self, question: str, *, user: str = "", at: float = 0.0) -> Any:
        if self.broken:
            raise GraphError("no memory")
        self.asked.append((question, user, at))
        return self.answer


class FakeSession:
    now, user, at = "/now", "ann", 0.0

    def __init__(self, client: Any) -> None:
        self.client, self.robot = client, FakeRobot()
        self.selection, self.labels = SimpleNamespace(node=None), SimpleNamespace(visible=True)
        self.shown: list[tuple[str, bool]] = []
        self.covers = SimpleNamespace(show=lambda name, visible: self.shown.append((name, visible)))
        self.said: list[tuple[str, bool]] = []
        self.gone: list[str] = []
        self.times: list[float] = []

    def say(self, title: str, text: str, *, failed: bool = False) -> None:
        self.said.append((text, failed))

    def go_to(self, name: str) -> bool:
        self.gone.append(name)
        return name in KNOWN.graph.nodes

    def look_back_to(self, at: float) -> None:
        self.times.append(at)

    def attempt(self, what: str, do: Any, *, often: bool = False) -> bool:
        try:
            do()
        except GraphError as error:
            self.say(what, str(error), failed=True)
            return False
        return True


@pytest.fixture
def session() -> Iterator[FakeSession]:
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    yield FakeSession(server)
    server.stop()


@pytest.fixture
def panel(session: FakeSession) -> FindPanel:
    panel = FindPanel(session)  # type: ignore[arg-type]
    panel.update(KNOWN)
    return panel


def click(handle: Any) -> None:
    for callback in handle._impl.update_cb:
        callback(SimpleNamespace(target=handle))


def named(session: FakeSession, label: str) -> Any:
    found = [h for h in session.client.gui._gui_input_handle_from_uuid.values() if h.label == label]
    assert len(found) == 1, label
    return found[0]


def remembered(text: str, node: Node | None = None, kind: str = "long_term", at: int = 100) -> Recollection:
    about = [SceneNode(id=node.id)] if node else []
    return Recollection(text=text, kind=kind, valid_from=Time(sec=at), object=about)


def search(session: FakeSession, panel: FindPanel, query: str) -> list[Any]:
    panel._query.value = query
    click(named(session, "Search"))
    return panel._buttons


def test_a_question_is_answered_with_what_that_rests_on(session: FakeSession, panel: FindPanel) -> None:
    session.robot.answer = Ask.Response(
        answer="The <i>mug</i> is on the table.",
        known=True,
        evidence=[
            remembered("Mug is on the DiningTable, in kitchen, at [1.00, 0.00, 1.00]", MUG),
            remembered("place(mug, table, on)", kind="episodic", at=90),
        ],
        picture=[jpeg()],
    )
    assert search(session, panel, "where is my mug?") == [], "what it rests on is not told twice"
    assert session.robot.asked == [("where is my mug?", "ann", 0.0)]
    assert "The &lt;i&gt;mug&lt;/i&gt; is on the table." in panel._told.content
    box = panel._answer
    facts = [button.label for button in box._buttons]
    assert facts == ["00:01:40 Mug is on the dining table, in kitchen", "00:01:30 place mug on table"]
    assert box._image.visible
    assert box._image.image.shape == (3, 4, 3)
    assert "Here, <time>on 1 January at 8:12</time>" in box._told.content
    click(box._buttons[0])
    assert (session.gone, session.times) == (["mug"], []), "what is in the home is flown to"
    click(box._buttons[1])
    click(named(session, "Show the home as it was then"))
    assert session.times == [90.0, 100.0]


def test_what_is_not_known_is_said_and_the_last_answer_goes(session: FakeSession, panel: FindPanel) -> None:
    session.robot.answer = Ask.Response(
        known=True, evidence=[remembered("ann likes tea", kind="told")], picture=[jpeg()]
    )
    search(session, panel, "what do I like?")
    session.robot.answer = Ask.Response(answer="I don't know.", age=-1.0, look=["CoffeeTable"])
    assert search(session, panel, "where is my elephant?") == []
    assert "I don&#39;t know." in panel._told.content
    assert "coffee table" in panel._told.content
    box = panel._answer
    assert box._buttons == []
    assert [part.visible for part in (box._image, box._facts, box._then)] == [False] * 3


def test_a_category_is_found_where_it_is_no_question(session: FakeSession, panel: FindPanel) -> None:
    session.robot.answer = Ask.Response(answer="I don't know.", age=-1.0)
    (button,) = search(session, panel, "mug")
    assert button.label == "mug: on the dining table, kitchen <1>"
    assert "I don" not in panel._told.content
    click(button)
    assert session.gone == ["mug"]


@pytest.mark.parametrize("data", [b"", b"no picture", bytes(jpeg(5000).data)])
def test_what_is_no_picture_is_not_shown(session: FakeSession, panel: FindPanel, data: bytes) -> None:
    session.robot.answer = Ask.Response(known=True, answer="Yes.", picture=[CompressedImage(data=data)])
    search(session, panel, "is it?")
    assert "Yes." in panel._told.content
    assert not panel._answer._image.visible


def test_what_is_seen_is_found_without_the_memory(session: FakeSession, panel: FindPanel) -> None:
    session.robot.broken = True
    assert [button.label for button in search(session, panel, "mug")] == ["mug: on the dining table, kitchen <1>"]
    assert session.said == [("no memory", True)]


def test_nothing_asked_is_nothing_sought(session: FakeSession, panel: FindPanel) -> None:
    assert search(session, panel, "  ") == []
    assert session.said[0][1]


def test_layers_are_switched_for_the_viewer(session: FakeSession, panel: FindPanel) -> None:
    for label in ("floor plan", "labels"):
        box = named(session, label)
        box._impl.value = False
        click(box)
    assert session.shown == [("/now/floor_plan", False)]
    assert not session.labels.visible
    assert not named(session, "areas").value


def test_a_thing_is_moved_to_where_the_person_says(session: FakeSession, panel: FindPanel) -> None:
    assert panel._hand.visible
    click(named(session, "Move"))
    assert session.robot.moved == []
    session.selection.node = MUG
    panel.update(KNOWN)
    assert named(session, "Move").disabled, "where to?"
    panel._place.value = "dining table: kitchen <1>"
    panel.update(KNOWN)
    assert not named(session, "Move").disabled
    click(named(session, "Move"))
    assert session.robot.moved == [("mug", "table")]
    assert session.said[-1] == ("The mug is now at the dining table (kitchen <1>). The robot does not know.", False)
    session.selection.node = TABLE
    panel.update(KNOWN)
    assert named(session, "Move").disabled
    click(named(session, "Move"))
    assert session.robot.moved == [("mug", "table")], "furniture stays"


def test_the_place_is_marked_so_that_places_of_a_kind_can_be_told_apart(session: FakeSession) -> None:
    nodes = session.client.scene._handle_from_node_name
    other = replace(TABLE, id="table 2", center=(3.0, 0.0, 1.0))
    two = Known(graph=replace(KNOWN.graph, nodes={**KNOWN.graph.nodes, other.id: other}))
    panel = FindPanel(session)  # type: ignore[arg-type]
    panel.update(two)
    assert "/place" not in nodes
    panel._place.value = "dining table: kitchen <1> (2)"
    panel.update(two)
    assert nodes["/place"].position.tolist() == [3.0, 0.0, 1.0]
    panel._place.value = "dining table: kitchen <1>"
    panel.update(two)
    assert nodes["/place"].position.tolist() == [1.0, 0.0, 1.0]
    panel._place.value = ""
    panel.update(two)
    assert "/place" not in nodes


def test_what_cannot_be_moved_is_told(session: FakeSession, panel: FindPanel) -> None:
    session.selection.node, session.robot.broken = MUG, True
    panel._place.value = "dining table: kitchen <1>"
    click(named(session, "Move"))
    assert session.said == [("does not fit", True)]


def test_people_do_not_move_things_of_a_real_robot(session: FakeSession) -> None:
    session.robot.simulator = False
    panel = FindPanel(session)  # type: ignore[arg-type]
    panel.update(KNOWN)
    assert not panel._hand.visible
