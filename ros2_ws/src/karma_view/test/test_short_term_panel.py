# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0

import pytest
import viser
from remembering_robot import RememberingRobot, Viewer, short_term, unit

from karma_perception.scene_graph import SceneGraph
from karma_view.known import Known
from karma_view.panels import short_term as panel_module
from karma_view.panels.short_term import COURSE_S, FORGET, MARKED_S, SHOW, Course, News, ShortTermPanel, bars


@pytest.fixture(scope="module")
def server():
    started = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    yield started
    started.stop()


@pytest.fixture
def viewer(server):
    server.gui.reset()
    return Viewer(server.gui, RememberingRobot())


def test_who_looks_for_the_first_time_sees_no_news():
    news = News()
    news.learn(short_term(unit("Apple"), evicted=[("Fork", 90.0)]), 0.0)
    assert news.marks(0.0) == {}


def test_what_came_in_was_used_or_was_seen_is_told_apart_for_a_while():
    news = News()
    news.learn(short_term(unit("Mug", frequency=1), unit("Pan"), unit("Bowl")), 0.0)
    news.learn(short_term(unit("Mug", frequency=2), unit("Pan", stamp=130.0), unit("Bowl"), unit("Apple")), 1.0)
    expected = {"short_term:flat/Mug": "used", "short_term:flat/Pan": "seen", "short_term:flat/Apple": "new"}
    assert news.marks(1.0) == expected
    assert news.marks(1.0 + MARKED_S) == {}


def test_a_policy_that_halves_its_counts_used_nothing():
    news = News()
    news.learn(short_term(unit("Mug", frequency=8), unit("Pan", frequency=4)), 0.0)
    news.learn(short_term(unit("Pan", frequency=2), unit("Mug", frequency=4)), 1.0)
    assert news.marks(1.0) == {}


def test_where_uses_are_not_counted_the_order_tells_who_was_used():
    apple, mug, pan = (unit(name, segment="recent", frequency=0) for name in ("Apple", "Mug", "Pan"))
    news = News()
    news.learn(short_term(apple, mug, pan, policy="lru", window=0), 0.0)
    news.learn(short_term(mug, pan, apple, policy="lru", window=0), 1.0)
    assert news.marks(1.0) == {apple.id: "used"}


def test_an_eviction_names_what_took_its_place_where_that_is_sure():
    news = News()
    news.learn(short_term(unit("Mug"), unit("Fork", stamp=140.0)), 0.0)
    gone = short_term(unit("Mug"), unit("Pan", stamp=150.0), evicted=[("Fork", 150.0), ("Knife", 20.0)])
    news.learn(gone, 1.0)
    assert [news.successor(one) for one in gone.evicted] == ["Pan", ""]
    # It stays told when the newcomer was used since then, which gives it another time.
    later = short_term(unit("Mug"), unit("Pan", stamp=170.0), evicted=[("Fork", 150.0)])
    news.learn(later, 60.0)
    assert news.successor(later.evicted[0]) == "Pan"


def test_slots_of_a_window_and_of_the_others():
    memory = short_term(
        unit("A", segment="window"),
        unit("B", segment="protected"),
        unit("C", segment="probation"),
        capacity=6,
        window=2,
    )
    window, main = bars(memory)
    assert (window.size, window.free, len(window.units)) == (2, 1, 1)
    assert (main.size, main.free, [one.segment for one in main.units]) == (4, 2, ["probation", "protected"])


def test_a_full_memory_has_no_free_slot_though_its_window_grew():
    memory = short_term(
        unit("A", segment="window"),
        unit("B", segment="probation"),
        unit("C", segment="probation"),
        capacity=3,
        window=3,
    )
    assert [(bar.name, bar.size, bar.free) for bar in bars(memory)] == [("window", 3, 0), ("main", 0, 0)]


@pytest.mark.parametrize(("policy", "segment"), [("lru", "recent"), ("lfu", "frequent"), ("fifo", "queue")])
def test_a_policy_without_a_window_has_one_row_of_slots(policy, segment):
    memory = short_term(unit("A", segment=segment), policy=policy, capacity=5, window=0)
    (bar,) = bars(memory)
    assert (bar.name, bar.size, bar.free) == (segment, 5, 4)


def test_the_line_shows_what_was_looked_up_since_the_viewer_came():
    course = Course()
    course.learn(short_term(lookups=10, hits=5), 1000.0)
    assert course.lines(1000.0) is None
    course.learn(short_term(lookups=14, hits=8), 1030.0)
    lines = course.lines(1060.0)
    assert (lines["lookups"], lines["hits"]) == (4, 3)
    assert lines["steps"][0] == (pytest.approx(1 - 60 / COURSE_S), 0.0)
    assert lines["steps"][-1] == (1.0, 1.0)
    assert lines["found"][-1] == (1.0, 0.75)
    assert lines["rate"][-1] == (1.0, pytest.approx(8 / 14))


def test_the_line_forgets_what_is_long_ago_and_begins_anew_with_the_memory():
    course = Course()
    course.learn(short_term(lookups=10, hits=5), 0.0)
    course.learn(short_term(lookups=12, hits=6), 10.0)
    assert course.lines(10.0 + COURSE_S + 1.0) is None
    course.learn(short_term(lookups=13, hits=7), 500.0)
    assert course.lines(500.0)["lookups"] == 1
    course.learn(short_term(lookups=1, hits=0), 501.0)
    assert course.lines(501.0) is None


def test_labels_are_shown_and_not_interpreted(viewer):
    panel = ShortTermPanel(viewer)
    panel.update(Known(short_term=short_term(unit("<script>alert(1)</script>"), evicted=[("<b>Pan</b>", 1.0)])))
    html = panel._picture.content + panel._happened.content
    assert "<script>" not in html
    assert "&lt;script&gt;alert(1)" in html
    assert "<b>Pan" not in html.replace("<b>&lt;b&gt;Pan", "")


def test_a_large_memory_says_how_seldom_it_is_told(viewer):
    panel = ShortTermPanel(viewer)
    large = short_term(*(unit(f"Mug{number}") for number in range(3000)), capacity=3000)
    panel.update(Known(short_term=large))
    assert "told at most every 3 seconds" in panel._picture.content
    viewer.at = 150.0
    panel.update(Known(short_term=short_term(*large.units, capacity=3000)))
    assert "told at most" not in panel._picture.content
    viewer.at = 0.0
    panel.update(Known(short_term=short_term(unit("Apple"))))
    assert "told at most" not in panel._picture.content


def test_how_seldom_is_what_the_memory_server_keeps_to():
    topic = pytest.importorskip("karma_memory.ros.short_term_topic", reason="ROS 2 is not installed")
    assert panel_module.UNITS_PER_S == topic.UNITS_PER_SECOND


def test_back_from_the_past_is_no_news(viewer, monkeypatch):
    panel = ShortTermPanel(viewer)
    now = short_term(unit("Apple"), lookups=3, hits=2)
    panel.update(Known(short_term=now))
    viewer.at = 150.0
    panel.update(Known(short_term=short_term(unit("Mug"))))
    assert "As it was at" in panel._picture.content
    assert not panel._happened.visible
    assert panel._do.options == (SHOW,)  # a unit of the past can't be forgotten
    panel._act(FORGET)
    assert not viewer.client.gui._modal_handle_from_uuid
    viewer.at = 0.0
    monkeypatch.setattr(panel_module, "MOVE_S", 0.0)
    panel.update(Known(short_term=now))
    assert "just came in" not in panel._picture.content
    assert panel._happened.visible
    panel.update(Known(short_term=short_term(unit("Apple"), unit("Pan"))))
    assert "just came in" in panel._picture.content


def test_the_unit_that_was_chosen_stays_chosen_when_it_moves(viewer):
    panel = ShortTermPanel(viewer)
    panel.update(Known(short_term=short_term(unit("Apple", stamp=100.0), unit("Mug", stamp=50.0))))
    panel._unit.value = "Mug is on the Table, in kitchen 1"
    moved = unit("Mug", stamp=160.0)
    moved.text = "Mug is held by the robot"
    panel.update(Known(short_term=short_term(unit("Apple", stamp=100.0), moved)))
    assert panel._unit.value == "Mug is held by the robot"


def test_units_of_one_text_can_be_told_apart(viewer):
    one, other = unit("Mug"), unit("Mug")
    other.id = "short_term:flat/Mug_2"
    panel = ShortTermPanel(viewer)
    panel.update(Known(short_term=short_term(one, other)))
    assert panel._unit.options == ("Mug is on the Table, in kitchen 1", "Mug is on the Table, in kitchen 1 (2)")


def test_a_unit_is_forgotten_when_the_viewer_agreed(viewer, monkeypatch):
    asked = []
    monkeypatch.setattr(panel_module, "confirm", lambda *question: asked.append(question))
    viewer.user = "anna"
    panel = ShortTermPanel(viewer)
    panel.update(Known(short_term=short_term(unit("Apple"))))
    panel._act(FORGET)
    assert viewer.robot.forgotten == []
    ((_, _, text, _, do),) = asked
    assert text == "Apple is on the Table, in kitchen 1"
    do()
    assert viewer.robot.forgotten == [("short_term:flat/Apple", "anna")]


def test_a_large_memory_lists_what_was_used_last(viewer):
    units = [unit(f"Thing{number}", segment="recent", stamp=float(number + 1)) for number in range(500)]
    panel = ShortTermPanel(viewer)
    panel.update(Known(short_term=short_term(*units, policy="lru", capacity=1000, window=0)))
    assert "Thing499 is" in panel._picture.content
    assert "Thing100 is" not in panel._picture.content
    assert len(panel._picture.content) < 60_000


def test_a_unit_is_shown_in_the_home_where_the_scene_graph_has_it(viewer):
    panel = ShortTermPanel(viewer)
    apple = unit("Apple")
    panel.update(Known(short_term=short_term(apple)))
    panel._act(SHOW)
    assert viewer.gone_to == []
    assert viewer.said[0][0] == SHOW
    panel.update(Known(short_term=short_term(apple), graph=SceneGraph(nodes={"Apple": None})))
    panel._act(SHOW)
    assert viewer.gone_to == ["Apple"]
