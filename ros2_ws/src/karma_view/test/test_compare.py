# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is different between then and now, in words and in a viewer's own 3D view."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
import viser
from hypothesis import given, settings
from hypothesis import strategies as st
from journal_robot import AREA, ROOM, thing

from karma_perception.scene_graph import SceneGraph
from karma_view.scene.compare import FAR_M, Change, differences
from karma_view.scene.viewer_scene import Covers, ViewerScene


def home(*things):
    return SceneGraph(nodes={node.id: node for node in (ROOM, AREA, *things)})


COUNTER = thing("CounterTop|1", 0.0)
FRIDGE = thing("Fridge|1", 1.0, states={"isOpen": "false"})
APPLE = thing("Apple|1", 0.0, receptacle="CounterTop|1", relation="on")
EATEN = thing("Bread|1", 0.3)
MUG = thing("Mug|1", 2.0)
THEN = home(COUNTER, FRIDGE, APPLE, EATEN)
NOW = home(
    COUNTER,
    replace(FRIDGE, states={"isOpen": "true", "isDirty": "false"}),
    replace(APPLE, center=(1.0, 0.0, 1.0), receptacle="Fridge|1", relation="in", last_seen=9.0),
    MUG,
)


def test_what_moved_changed_came_and_went_is_told_in_words():
    assert [(one.change, one.words) for one in differences(THEN, NOW)] == [
        (Change.MOVED, "apple: on the counter top, kitchen 1 → in the fridge, kitchen 1"),
        (Change.STATE, "fridge: now open"),
        (Change.APPEARED, "mug: kitchen 1"),
        (Change.VANISHED, "bread: kitchen 1"),
    ]


def test_what_was_only_seen_again_or_measured_a_little_off_is_not_different():
    again = replace(COUNTER, last_seen=50.0, confidence=0.3, center=(FAR_M / 2, 0.0, 1.0))
    assert differences(home(COUNTER), home(again)) == ()
    (moved,) = differences(home(COUNTER), home(replace(COUNTER, center=(0.5, 0.0, 1.0))))
    assert moved.words == "counter top: 0.5 m away, kitchen 1"


def test_what_the_robot_holds_is_in_its_hand():
    (moved,) = differences(home(COUNTER, APPLE), home(COUNTER, replace(APPLE, receptacle="", relation="held")))
    assert moved.words == "apple: on the counter top, kitchen 1 → held by the robot, kitchen 1"


def test_furniture_has_moved_when_it_is_half_a_metre_away_and_comes_last():
    drawers = [replace(thing(f"Drawer|{n}", 0.0), movable=False) for n in range(4)]
    near = [replace(drawer, center=(0.4, 0.0, 1.0)) for drawer in drawers]
    assert differences(home(*drawers), home(*near)) == ()
    far = [replace(drawer, center=(0.6, 0.0, 1.0)) for drawer in drawers]
    gone = differences(home(APPLE, EATEN, *drawers), home(replace(APPLE, center=(0.2, 0.0, 1.0)), *far))
    assert [one.words for one in gone] == [
        "apple: 0.2 m away, kitchen 1",
        "bread: kitchen 1",
        *["drawer: 0.6 m away, kitchen 1"] * 4,
    ]
    put = replace(drawers[0], receptacle="CounterTop|1", relation="on")
    (moved,) = differences(home(COUNTER, drawers[0]), home(COUNTER, put))
    assert moved.words == "drawer: kitchen 1 → on the counter top, kitchen 1"


def test_states_are_told_as_everywhere_else():
    dirty = replace(MUG, states={"isDirty": "true", "isToggled": "true"})
    (changed,) = differences(home(dirty), home(replace(MUG, states={"isToggled": "true", "temperature": "Hot"})))
    assert changed.words == "mug: no longer dirty, now hot"


def test_a_room_that_has_another_id_now_is_the_same_where_its_name_and_place_are():
    again = replace(ROOM, id="kitchen again", center=(0.5, 0.0, 1.0))
    there = replace(again, center=(5.0, 0.0, 1.0))
    called = replace(again, name="pantry 1")

    def changes(room):
        return [
            (one.change, one.words) for one in differences(home(), SceneGraph(nodes={room.id: room, AREA.id: AREA}))
        ]

    assert changes(again) == []
    assert changes(there) == [(Change.APPEARED, "kitchen 1"), (Change.VANISHED, "kitchen 1")]
    assert changes(called) == [(Change.APPEARED, "pantry 1"), (Change.VANISHED, "kitchen 1")]


graphs = st.lists(
    st.builds(
        lambda name, x, holder, states: thing(name, x, receptacle=holder, relation="on" * bool(holder), states=states),
        st.sampled_from(["Apple|1", "Mug|1", "Fridge|1", "Pan|1"]),
        st.sampled_from([0.0, 0.01, 1.0]),
        st.sampled_from(["", "Fridge|1", "Gone|1"]),
        st.sampled_from([{}, {"isOpen": "true"}, {"isOpen": "false"}]),
    ),
    max_size=4,
).map(lambda things: home(*things))


@settings(max_examples=100, deadline=None)
@given(graphs, graphs)
def test_each_thing_is_different_at_most_once_and_the_other_way_round_as_well(then, now):
    there, back = differences(then, now), differences(now, then)
    ids = [one.node.id for one in there]
    assert len(ids) == len(set(ids))
    turned = {Change.APPEARED: Change.VANISHED, Change.VANISHED: Change.APPEARED}
    assert {(one.node.id, turned.get(one.change, one.change)) for one in there} == {
        (one.node.id, one.change) for one in back
    }
    assert differences(then, then) == ()


@pytest.fixture
def scene():
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    yield server.scene
    server.stop()


def drawn(scene):
    return {name for name, handle in scene._handle_from_node_name.items() if handle.visible}


def test_a_viewer_sees_now_then_or_both_compared_and_nothing_is_left_behind(scene):
    covers = Covers(scene)
    view = ViewerScene(scene, "/now", covers)
    view.update(NOW, None)
    assert not drawn(scene)  # what all share is enough
    view.update(NOW, THEN)
    assert "/now" not in drawn(scene)
    assert {"/then", "/then/rooms", "/then/things"} <= drawn(scene)
    covers.show("/now/things", False)
    view.update(NOW, THEN)
    assert "/then/things" not in drawn(scene)  # what a viewer switched off is off at all times
    view.update(NOW, THEN, compare=True)
    shown = drawn(scene)
    assert "/now" in shown
    assert covers.shown("/now/camera/live") is False
    assert not any(name.startswith("/then") for name in shown)
    assert {f"/compared/{part}" for part in ("moved0", "was0", "way0", "state1", "appeared2", "vanished3")} <= shown
    assert len(view.differences) == 4
    view.update(NOW, None, compare=True)
    assert drawn(scene) == {"/now", "/now/camera", "/now/camera/live"}
    covers.show("/now/camera", False)
    view.update(NOW, THEN, compare=True)
    view.update(NOW, None)
    assert drawn(scene) == {"/now", "/now/camera/live"}  # below a layer that is off
    assert covers.shown("/now/things") is False
    assert view.differences == ()


def test_differences_are_drawn_anew_when_now_changes_and_only_then(scene):
    view = ViewerScene(scene, "/now", Covers(scene))
    view.update(NOW, THEN, compare=True)
    before = scene._handle_from_node_name["/compared"]
    view.update(replace(NOW, stamp=9.0), THEN, compare=True)
    assert scene._handle_from_node_name["/compared"] is before
    view.update(THEN, THEN, compare=True)
    assert view.differences == ()
    assert "/compared/moved0" not in scene._handle_from_node_name


def test_rooms_are_told_and_not_drawn(scene):
    larder = replace(ROOM, id="larder", name="larder", center=(9.0, 0.0, 1.0))
    view = ViewerScene(scene, "/now", Covers(scene))
    view.update(home(larder, MUG), home(), compare=True)
    assert [one.words for one in view.differences] == ["mug: kitchen 1", "larder"]
    of_it = {name for name in drawn(scene) if name.startswith("/compared/")}
    assert of_it == {"/compared/appeared0"}
    assert tuple(scene._handle_from_node_name["/compared/appeared0"].dimensions) == MUG.size


def test_what_is_clicked_on_in_the_past_is_chosen(scene):
    chosen = []
    view = ViewerScene(scene, "/now", Covers(scene), on_pick=lambda client, name: chosen.append((client, name)))
    view.update(NOW, THEN)
    x, y, _ = FRIDGE.center
    batch = next(h for n, h in scene._handle_from_node_name.items() if n.startswith("/then/things/"))
    event = SimpleNamespace(client_id=7, ray_origin=(x, y, 9.0), ray_direction=(0.0, 0.0, -1.0))
    batch._impl.click_cb[0].callback(event)
    assert chosen == [(7, FRIDGE.id)]
