# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Looking back: what a viewer presses, what the memory is asked for it, and what they see."""

import time

import pytest
import viser
from journal_robot import JournalRobot, happened
from looking_back import EVENTS, NOW, SEEN, TOLD, Viewer, journal, until


@pytest.fixture
def robot():
    return JournalRobot(journal())


@pytest.fixture
def viewer(robot):
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    viewer = Viewer(server, robot)
    yield viewer
    robot.open.set()
    viewer.panel.close()
    server.stop()


@pytest.fixture
def back(viewer):
    """A viewer who looks back, and still sees now."""
    viewer.set("Look back", True)
    viewer.settle()
    return viewer


def test_the_memory_is_asked_only_while_somebody_looks_back(viewer, robot):
    for _ in range(3):
        viewer.panel.update(NOW)
    assert robot.told == 0
    viewer.set("Look back", True)
    viewer.settle()
    told = robot.told
    assert told > 0
    assert viewer.element("Event").visible
    assert (viewer.element("Event").min, viewer.element("Event").max) == (2, 2 * EVENTS)
    viewer.set("Look back", False)
    viewer.panel._next_refresh = 0.0
    viewer.settle()
    assert robot.told == told


def test_the_slider_shows_what_was_known_and_its_time(back):
    back.set("Event", 10)
    back.settle()
    assert (back.then.stamp, back.x()) == (50.0, 5.0)
    assert "1970-01-01 00:00:50" in back.text()
    assert "looking it up" not in back.text()
    back.set("Event", 11)  # the memory's own: the next one counts
    back.settle()
    assert back.x() == 6.0
    assert back.client.scene._handle_from_node_name["/then"].visible


def test_a_slider_that_is_moved_fast_asks_for_the_last_place_and_never_twice_at_once(back, robot):
    robot.open.clear()
    back.set("Event", 4)
    until(lambda: robot.asked)
    for position in range(6, 2 * EVENTS, 2):
        back.set("Event", position)
    back.panel.update(NOW)
    assert "looking it up" in back.text()
    assert back.then is None
    robot.open.set()
    back.settle()
    assert back.then.stamp == 10.0 * (EVENTS - 1)
    assert [at for what, at in robot.asked if what == "graph"] == [20.0, 10.0 * (EVENTS - 1)]
    assert robot.most_at_once == 1


def test_now_is_there_at_once_whatever_is_being_looked_up(back, robot):
    back.set("Event", 4)
    back.settle()
    robot.open.clear()
    back.set("Event", 8)
    until(lambda: len([1 for what, _ in robot.asked if what == "graph"]) == 2)
    back.set("Go", "Now")
    assert back.then is None
    assert back.element("Event").value == 2 * EVENTS
    robot.open.set()
    back.settle()
    assert back.then is None
    assert back.told == []


def test_what_cannot_be_shown_leaves_the_time_as_it_is_and_says_why(back, robot):
    back.set("Event", 10)
    back.settle()
    then = back.then
    robot.horizon = 40.0
    back.set("Event", 4)
    back.settle()
    assert back.told == ["what was known then is not known any more"]
    robot.error = "the memory is down; start it"
    back.set("Event", 12)
    back.settle()
    assert "the memory is down; start it" in back.told
    assert back.then is then
    assert back.element("Event").value == 10
    assert "00:00:50" in back.text()
    robot.error, back.told[:] = "", []
    back.set("Event", 12)
    back.settle()
    assert (back.then.stamp, back.told) == (60.0, [])


def test_a_step_is_an_event_and_steps_add_up_while_the_memory_thinks(back, robot):
    back.set("Go", "« event")
    back.settle()
    assert back.x() == EVENTS
    for _ in range(5):
        back.set("Go", "« event")
    back.settle()
    assert back.x() == EVENTS - 5
    robot.open.clear()
    back.set("Event", 10)
    until(lambda: ("graph", 50.0) in robot.asked)
    back.set("Event", 20)
    back.set("Go", "event »")
    back.set("Go", "event »")
    robot.open.set()
    back.settle()
    assert (back.x(), back.element("Event").value) == (12.0, 24)
    assert robot.most_at_once == 1
    back.set("Event", 2)
    back.settle()
    back.set("Go", "« event")
    back.settle()
    assert back.x() == 1.0  # there is nothing before the first


def test_a_step_on_to_what_was_told_late_does_not_go_back_in_time(back, robot):
    robot.entries = [
        happened(2 * n, stamp, SEEN, text=f"event {n}")
        for n, stamp in enumerate((10000.0, 10020.0, 10019.0, 10030.0, 50.0, 10040.0), 1)
    ]
    back.set("Event", 4)
    back.settle()
    seen = []
    for _ in range(4):
        back.set("Go", "event »")
        back.settle()
        seen.append(back.then.stamp)
    assert seen == [10020.0, 10030.0, 50.0, 10040.0]  # a clock that is far off is believed
    back.set("Event", 6)
    back.settle()
    assert back.then.stamp == 10019.0
    assert "02:46:59" in back.text()


def test_beyond_the_newest_event_and_at_the_end_of_the_slider_is_now(back):
    back.set("Go", "« event")
    back.settle()
    assert back.then is not None
    back.set("Go", "event »")
    back.settle()
    assert back.then is None
    back.set("Event", 10)
    back.settle()
    back.set("Event", 2 * EVENTS)
    assert back.then is None


def test_playing_shows_one_event_after_the_other_up_to_now(back, robot):
    back.set("Play", "as fast as it goes")
    back.set("Go", "Play")
    seen = []
    while back.panel._playing:
        until(lambda: not back.panel._latest.busy("the time"))
        if not seen or back.x() != seen[-1]:
            seen.append(back.x())
        back.panel.update(NOW)
    back.settle()
    assert seen[:EVENTS] == list(range(1, EVENTS + 1))
    assert back.then is None
    assert robot.most_at_once == 1
    assert not back.panel._playing


def test_a_pause_stays_where_it_is(back):
    back.set("Play", "as fast as it goes")
    back.set("Go", "Play")
    back.settle()
    back.set("Go", "Pause")
    back.settle()
    x = back.x()
    assert x < EVENTS
    back.settle()
    assert back.x() == x


def test_the_slider_grows_with_the_journal_and_stays_at_now(back, robot):
    robot.entries.append(happened(99, 999.0, SEEN))
    back.panel._next_refresh = 0.0
    back.settle()
    assert (back.element("Event").max, back.element("Event").value) == (99, 99)
    back.set("Event", 4)
    back.settle()
    robot.entries.append(happened(120, 1000.0, SEEN))
    back.panel._next_refresh = 0.0
    back.settle()
    assert (back.element("Event").max, back.element("Event").value) == (120, 4)


def test_a_memory_that_does_not_answer_is_told_once_and_asked_again(viewer, robot):
    robot.error = "the memory is down; start it"
    viewer.set("Look back", True)
    viewer.panel.update(NOW)
    for _ in range(3):
        viewer.panel._next_refresh = 0.0
        viewer.settle()
    assert viewer.told == ["the memory is down; start it"]
    assert "does not answer" in viewer.text()
    assert not viewer.element("Event").visible  # nobody knows yet from where to where it goes
    robot.error, robot.entries = "", []
    viewer.panel._next_refresh = 0.0
    viewer.settle()
    assert "Nothing has happened yet" in viewer.text()
    robot.entries = journal()
    viewer.panel._next_refresh = 0.0
    viewer.settle()
    assert viewer.element("Event").max == 2 * EVENTS
    assert viewer.element("Event").visible
    viewer.set("Look back", False)
    assert not viewer.element("Event").visible


def test_a_memory_that_stops_to_answer_is_told_beside_what_is_shown_until_it_answers_again(back, robot):
    back.set("Event", 10)
    back.settle()
    robot.error = "the memory is down; start it"
    back.panel._next_refresh = 0.0
    back.settle()
    assert "does not answer" in back.text()
    assert "00:00:50" in back.text()
    robot.error = ""
    back.panel._next_refresh = 0.0
    back.settle()
    assert "does not answer" not in back.text()
    assert back.then.stamp == 50.0


def test_what_the_page_itself_fails_at_is_not_looked_up_for_ever(back, robot, monkeypatch, caplog):
    monkeypatch.setattr(robot, "graph_at", lambda at: 1 / 0)
    back.set("Event", 10)
    back.settle()
    assert "ooking it up" not in back.text()
    assert "Now." in back.text()
    assert "ZeroDivisionError" in caplog.text
    assert back.element("Event").value == 2 * EVENTS
    monkeypatch.undo()
    back.set("Event", 10)
    back.settle()
    assert back.x() == 5


def test_events_are_listed_by_pages_and_a_click_goes_there(back):
    labels = [row.label for row in back.rows()]
    assert labels[-1] == "1970-01-01 00:03:20 · seen · apple 20"
    assert len(labels) == 10
    back.set("Page", "Earlier")
    back.settle()
    assert back.rows()[0].label.endswith("apple 1")
    back.set("Page", "Earlier")
    back.settle()
    assert back.rows()[0].label.endswith("apple 1")  # there are no more
    back.set(back.rows()[2].label, True)
    back.settle()
    assert (back.x(), back.element("Event").value) == (3.0, 6)
    assert [row.color for row in back.rows()[:4]] == ["gray", "gray", "blue", "gray"]
    back.set("Page", "Later")
    back.settle()
    assert back.rows()[0].label.endswith("apple 11")


def test_events_are_filtered_by_kind_and_by_words(back, robot):
    robot.entries.append(happened(99, 999.0, TOLD, text="Tea is in the <b>cupboard</b>", user="ann"))
    back.panel._next_refresh = 0.0
    back.set("Kind", "told")
    back.settle()
    assert [row.label for row in back.rows()] == ["1970-01-01 00:16:39 · told · ann · Tea is in the <b>cupboard</b>"]
    back.set("Kind", "all")
    back.set("Words", "ANN tea")
    back.settle()
    assert len(back.rows()) == 1
    back.set("Words", "coffee")
    back.settle()
    assert back.rows() == []
    assert "There are none" in back.panel._events._said.content
    back.set("Go", "« event")
    back.settle()
    assert "&lt;b&gt;cupboard" in back.text()


def test_what_is_different_now_is_told_while_it_is_compared(back):
    back.set("Event", 10)
    back.set("Compare", True)
    back.settle()
    assert "apple: 4.0 m away" in back.panel._differences.content
    back.set("Fly to", back.element("Fly to").options[1])
    assert back.flown == [NOW.graph.nodes["Apple|1"].center]
    assert "/compared/way0" in back.client.scene._handle_from_node_name
    back.set("Go", "Now")
    back.settle()
    assert "apple" not in back.panel._differences.content
    assert not back.element("Fly to").visible
    assert "/compared" not in back.client.scene._handle_from_node_name


def test_of_a_hundred_thousand_events_few_are_told(viewer, robot):
    robot.entries = journal(1) + [happened(n, float(n), SEEN) for n in range(3, 100_001)]
    viewer.set("Look back", True)
    viewer.settle()
    viewer.set("Event", 54_321)
    viewer.settle()
    viewer.set("Go", "« event")
    viewer.settle()
    assert viewer.then.stamp == 54_320.0
    assert robot.told < 1000


def test_who_has_left_asks_for_nothing_and_sees_nothing(back, robot):
    robot.open.clear()
    back.set("Event", 10)
    until(lambda: robot.asked)
    back.panel.close()
    asked = len(robot.asked)
    back.set("Event", 12)
    robot.open.set()
    time.sleep(0.1)
    assert back.then is None
    assert len(robot.asked) == asked
