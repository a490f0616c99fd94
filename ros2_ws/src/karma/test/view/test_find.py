# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import viser

from karma.client import GraphError
from karma.view.known import Known
from karma.view.panels.find import FindPanel
from karma_perception.scene_graph import Layer, Node, SceneGraph

ROOM = Node("room", Layer.ROOM, "Kitchen", "kitchen <1>", "floor", (0, 0, 1), (4, 4, 2))
AREA = Node("area", Layer.AREA, "Area", "", "room", (0, 0, 1), (1, 1, 2))
TABLE = Node("table", Layer.OBJECT, "DiningTable", "", "area", (1, 0, 1), (1, 1, 1), support_heights=(1.0,))
MUG = Node("mug", Layer.OBJECT, "Mug", "", "area", (1, 0, 1), (0.1, 0.1, 0.1), True, "table", "on")
KNOWN = Known(graph=SceneGraph(nodes={node.id: node for node in (ROOM, AREA, TABLE, MUG)}))


class FakeRobot:
    simulator = True
    recollections: tuple[Any, ...] = ()
    broken = False

    def __init__(self) -> None:
        self.moved: list[tuple[str, str]] = []

    def can_move(self) -> bool:
        return self.simulator

    def move(self, thing: str, receptacle: str) -> None:
        if self.broken:
            raise GraphError("does not fit")
        self.moved.append((thing, receptacle))

    def recall(self, query: str, *, user: str = "", at: float = 0.0) -> Any:
        if self.broken:
            raise GraphError("no memory")
        return SimpleNamespace(recollections=self.recollections)

    def ask(self, question: str, *, user: str = "", at: float = 0.0) -> Any:
        return SimpleNamespace(known=True, answer=f"{user} asked: <i>{question}</i>")


class FakeSession:
    now, user, at = "/now", "ann", 0.0

    def __init__(self, client: Any) -> None:
        self.client, self.robot = client, FakeRobot()
        self.selection, self.labels = SimpleNamespace(node=None), SimpleNamespace(visible=True)
        self.shown: list[tuple[str, bool]] = []
        self.said: list[tuple[str, bool]] = []
        self.gone: list[str] = []

    def show(self, name: str, visible: bool) -> None:
        self.shown.append((name, visible))

    def say(self, title: str, text: str, *, failed: bool = False) -> None:
        self.said.append((text, failed))

    def go_to(self, name: str) -> None:
        self.gone.append(name)

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


def remembered(text: str, *nodes: Node, kind: str = "episodic") -> Any:
    return SimpleNamespace(text=text, kind=kind, object=[SimpleNamespace(id=node.id) for node in nodes])


def search(session: FakeSession, panel: FindPanel, query: str) -> list[Any]:
    panel._query.value = query
    click(named(session, "Search"))
    return panel._buttons


def test_a_click_on_what_was_found_goes_there(session: FakeSession, panel: FindPanel) -> None:
    session.robot.recollections = (
        remembered("Mug is at [1.00, 0.00, 1.00]", MUG, kind="short_term"),
        remembered("DiningTable is at [1.00, 0.00, 1.00]", TABLE, kind="long_term"),
        remembered("put on the table", TABLE),
        remembered("ann likes <b>tea</b>"),
    )
    buttons = search(session, panel, "where is my mug?")
    assert [(button.label, button.disabled) for button in buttons] == [
        ("mug: on the dining table, kitchen <1>", False),
        ("put on the table", False),
        ("ann likes <b>tea</b>", True),
    ]
    assert "ann asked: &lt;i&gt;where is my mug?&lt;/i&gt;" in panel._told.content
    click(buttons[1])
    assert session.gone == ["table"]
    guesses = [button.label for button in search(session, panel, "elephant")]
    assert guesses[:2] == [
        "mug: on the dining table, kitchen <1>",
        "dining table: kitchen <1>",
    ]
    assert "Nothing that was seen" in panel._told.content
    session.robot.recollections = ()
    assert search(session, panel, "elephant") == [], "the old results are gone"


def test_what_is_remembered_is_told_in_words_and_once(session: FakeSession, panel: FindPanel) -> None:
    session.robot.recollections = (
        remembered("place(mug, table, on)"),
        remembered("place(mug, table, on)", TABLE),
        remembered("ann likes tea", kind="told"),
        remembered("ann likes tea", kind="told"),
    )
    buttons = search(session, panel, "tea")
    assert [(button.label, button.disabled) for button in buttons] == [
        ("place mug on table", False),
        ("ann likes tea", True),
    ]


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
