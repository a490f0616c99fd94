# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import time
from types import SimpleNamespace

import pytest
import viser
from remembering_robot import RememberingRobot, Viewer, click, guideline, record, short_term, unit
from viser._messages import GuiRemoveMessage, GuiUpdateMessage

from karma_interfaces.msg import InstructionStatus, MemoryEvent, PlannerState
from karma_view.known import Known
from karma_view.panels import people
from karma_view.panels.people import CLOSE, CORRECT, FORGET, NOBODY, PAGE, PeoplePanel, line_of
from karma_view.ros.robot import to_time


@pytest.fixture(scope="module")
def server():
    started = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    yield started
    started.stop()


@pytest.fixture
def robot():
    return RememberingRobot(
        _=[guideline("g1", "Take the knife before you slice", 0.75), record("long_term", "o1", "Mug is on the Table")],
        anna=[
            record("told", "t1", "My sister is called Eva", user="anna"),
            record("facts", "f1", "anna's sister is called Eva", user="anna"),
        ],
        ben=[record("preferences", "p1", "ben prefers it cold", user="ben")],
    )


@pytest.fixture
def viewer(server, robot, monkeypatch):
    server.gui.reset()
    monkeypatch.setattr(people, "CHANGE_S", 0.0)
    return Viewer(server.gui, robot)


def settle(panel, known=None):
    """Have the panel ask what it wants to know, and show it."""
    deadline = time.monotonic() + 10.0
    quiet = 0
    while quiet < 2:
        assert time.monotonic() < deadline
        panel.update(known or Known())
        quiet = 0 if panel._changed or panel._asking is not None else quiet + 1
        time.sleep(0.002)


def shown(panel):
    return [line.record.text for line in panel._lines if line._button.visible]


def html(panel):
    return panel._state.content + "".join(line._title.content for line in panel._lines if line._title.visible)


def choose(panel, user):
    """Choose as a person does, whom a browser is of."""
    panel._who.value = user
    panel._on_who(SimpleNamespace(client=object()))


def open_(viewer, panel, text):
    """Press the line of a record; return the modal that it opens, its HTML, and its parts by their labels."""
    (line,) = [line for line in panel._lines if line._button.visible and line.record.text == text]
    click(line._button)
    modal = list(viewer.client.gui._modal_handle_from_uuid.values())[-1]
    parts = list(modal._children.values())
    written = "".join(part.content for part in parts if hasattr(part, "content"))
    return modal, written, {part.label: part for part in parts if hasattr(part, "label")}


def test_nobodys_view_holds_nothing_of_anybody(viewer):
    panel = PeoplePanel(viewer)
    settle(panel)
    assert shown(panel) == ["Take the knife before you slice"]
    assert "confidence 75 %" in open_(viewer, panel, "Take the knife before you slice")[1]
    assert panel._who.options == (NOBODY, "anna", "ben")


def test_the_viewers_own_are_shown_until_they_choose_somebody(viewer):
    panel = PeoplePanel(viewer)
    settle(panel)
    viewer.user = "anna"
    settle(panel)
    assert shown(panel)[0] == "anna's sister is called Eva"
    choose(panel, "ben")
    settle(panel)
    assert "ben prefers it cold" in shown(panel)
    viewer.user = "carla"
    settle(panel)
    assert panel._who.value == "ben"


def test_who_is_called_as_the_page_calls_nobody_and_who_turns_the_writing_are_told_apart(viewer, robot):
    robot.memories[NOBODY] = [record("facts", "f2", "anna likes tea \u202egnp", user=NOBODY)]
    robot.memories["an\u202ena"] = []
    panel = PeoplePanel(viewer)
    settle(panel)
    assert set(panel._who.options) == {NOBODY, "anna", "ben", f"{NOBODY} (2)", "an na"}
    assert panel._who.value == NOBODY
    assert shown(panel) == ["Take the knife before you slice"]
    viewer.user = NOBODY
    settle(panel)
    assert panel._who.value == f"{NOBODY} (2)"
    (line,) = [line for line in panel._lines if line._button.visible and "anna likes tea" in line._button.label]
    assert "\u202e" not in line._button.label
    settle(panel)
    assert panel._who.value == f"{NOBODY} (2)"


def test_a_choice_of_which_the_panel_is_not_told_yet_stays(viewer):
    panel = PeoplePanel(viewer)
    settle(panel)
    panel._who.value = "ben"  # viser tells of it later, in another thread
    settle(panel)
    choose(panel, panel._who.value)
    settle(panel)
    assert "ben prefers it cold" in shown(panel)


def test_who_is_not_known_to_the_memory_is_shown_what_holds_for_everybody(viewer):
    viewer.user = "carla"
    panel = PeoplePanel(viewer)
    settle(panel)
    assert panel._who.value == "carla"
    assert shown(panel) == ["Take the knife before you slice"]


def test_kinds_have_headings_and_can_be_chosen(viewer):
    viewer.user = "anna"
    panel = PeoplePanel(viewer)
    settle(panel)
    assert "<h4>Facts</h4>" in html(panel)
    assert "<h4>What was told</h4>" in html(panel)
    panel._kind.value = "Places and things"
    settle(panel)
    assert shown(panel) == ["Mug is on the Table"]


def test_only_a_page_is_asked_for(viewer, robot):
    robot.memories["anna"] = [record("facts", f"f{number}", f"fact {number:04}", user="anna") for number in range(2500)]
    viewer.user = "anna"
    panel = PeoplePanel(viewer)
    panel._kind.value = "Facts"
    settle(panel)
    assert shown(panel) == [f"fact {number:04}" for number in range(PAGE)]
    panel._on_turn("Next")
    settle(panel)
    assert shown(panel)[0] == f"fact {PAGE:04}"
    assert all(question["limit"] == PAGE for question in robot.browsed)
    panel._words.value = "FACT 2499"
    settle(panel)
    assert shown(panel) == ["fact 2499"]
    assert not panel._turn.visible


def test_no_more_is_searched_than_is_said(viewer, robot, monkeypatch):
    monkeypatch.setattr(people, "FETCHED", 10)
    monkeypatch.setattr(people, "MOST_FETCHED", 20)
    robot.memories["anna"] = [record("facts", f"f{number}", f"fact {number:04}", user="anna") for number in range(50)]
    viewer.user = "anna"
    panel = PeoplePanel(viewer)
    panel._kind.value = "Facts"
    panel._words.value = "fact"
    settle(panel)
    assert "of 20 with these words" in html(panel)
    assert "Only the first 20 were searched" in html(panel)


def test_texts_are_shown_and_not_interpreted(viewer, robot):
    robot.memories["anna"] = [
        record("profile", "x", "<img src=x onerror=alert(1)>", user="<i>anna", told="<b>so", objects=["<u>mug"])
    ]
    viewer.user = "anna"
    panel = PeoplePanel(viewer)
    settle(panel)
    written = open_(viewer, panel, "<img src=x onerror=alert(1)>")[1]
    for tag in ("<img", "<i>anna", "<b>so", "<u>"):
        assert tag not in written


def test_a_line_is_one_fact_with_how_and_when_it_came_to_be_known():
    told = "I am allergic to nuts and my sister is called Eva"
    sister = record("facts", "f1", told, since=29_520.0, name="Sister: Eva", told=told)
    assert line_of(sister) == "Sister: Eva · told on 1 January at 8:12"
    seen = record("long_term", "o1", "Mug is on the CoffeeTable, at [1.00, 2.00, 0.50]\n", since=29_520.0)
    assert line_of(seen) == "Mug is on the coffee table · seen on 1 January at 8:12"


def test_what_was_forgotten_is_gone_from_the_list(viewer, robot):
    viewer.user = "anna"
    panel = PeoplePanel(viewer)
    settle(panel)
    modal, written, parts = open_(viewer, panel, "anna's sister is called Eva")
    assert "stay in Events" in written
    assert "./karma memory forget --user" in written
    settle(panel)
    assert robot.forgotten == []
    click(parts[FORGET])
    assert modal.closed
    settle(panel)
    assert robot.forgotten == [("facts:f1", "anna")]
    assert "anna's sister is called Eva" not in shown(panel)


@pytest.mark.parametrize("act", [FORGET, CORRECT])
def test_what_is_closed_is_not_changed_just_before(viewer, monkeypatch, act):
    """A browser that takes both at once removes first, and complains of what it can't change any more."""
    viewer.user = "anna"
    panel = PeoplePanel(viewer)
    settle(panel)
    modal, _, parts = open_(viewer, panel, "anna's sister is called Eva")
    of_it = set(modal._children)
    sent = []
    interface = viewer.client.gui._websock_interface
    queue = interface.queue_message
    monkeypatch.setattr(interface, "queue_message", lambda message: (sent.append(message), queue(message)))
    click(parts[act])
    click(parts[act])  # pressed twice, it is done once
    assert modal.closed
    assert {message.uuid for message in sent if isinstance(message, GuiRemoveMessage)} >= of_it
    assert not [message for message in sent if isinstance(message, GuiUpdateMessage) and message.uuid in of_it]


def test_what_is_only_looked_at_stays(viewer, robot):
    viewer.user = "anna"
    panel = PeoplePanel(viewer)
    settle(panel)
    modal, _, parts = open_(viewer, panel, "anna's sister is called Eva")
    click(parts[CLOSE])
    assert modal.closed
    assert robot.forgotten == []


def test_after_the_last_of_a_page_was_forgotten_the_one_before_is_shown(viewer, robot):
    robot.memories["anna"] = [record("facts", f"f{number}", f"fact {number:02}", user="anna") for number in range(11)]
    viewer.user = "anna"
    panel = PeoplePanel(viewer)
    panel._kind.value = "Facts"
    settle(panel)
    panel._on_turn("Next")
    settle(panel)
    assert shown(panel) == ["fact 10"]
    click(open_(viewer, panel, "fact 10")[2][FORGET])
    settle(panel)
    assert shown(panel) == [f"fact {number:02}" for number in range(10)]


def test_a_correction_is_seen(viewer):
    viewer.user = "anna"
    panel = PeoplePanel(viewer)
    settle(panel)
    modal, _, parts = open_(viewer, panel, "anna's sister is called Eva")
    assert parts["It should say"].value == "anna's sister is called Eva"
    parts["It should say"].value = "anna's sister is called Maria"
    click(parts[CORRECT])
    assert modal.closed
    settle(panel)
    assert "anna's sister is called Maria" in shown(panel)


def test_what_can_not_be_corrected_says_why_and_what_was_written_stays(viewer):
    panel = PeoplePanel(viewer)
    settle(panel)
    modal, _, parts = open_(viewer, panel, "Take the knife before you slice")
    parts["It should say"].value = "Take the fork"
    robot_said = (CORRECT, "a guideline can be forgotten, not rewritten")
    click(parts[CORRECT])
    assert viewer.said == [robot_said]
    assert not modal.closed
    assert parts["It should say"].value == "Take the fork"


def test_where_something_comes_from_is_told(viewer, robot):
    said = MemoryEvent(id="t1", stamp=to_time(50.0), kind=MemoryEvent.TOLD, user="anna", text="Eva is my <b>sister")
    later = MemoryEvent(id="f1", stamp=to_time(70.0), kind=MemoryEvent.EDIT, user="anna", text="a later one")
    robot.told = [said, later]
    viewer.user = "anna"
    panel = PeoplePanel(viewer)
    settle(panel)
    written = open_(viewer, panel, "My sister is called Eva")[1]
    assert "this was told (<bdi>anna</bdi>)" in written
    assert "Eva is my &lt;b&gt;sister" in written
    assert "a later one" in open_(viewer, panel, "anna's sister is called Eva")[1]
    assert "this was" not in open_(viewer, panel, "Take the knife before you slice")[1], "the event is gone"


def test_the_past_is_shown_and_can_not_be_changed(viewer, robot):
    viewer.user = "anna"
    viewer.at = 60.0
    panel = PeoplePanel(viewer)
    settle(panel)
    assert {question["at"] for question in robot.browsed} == {60.0}
    assert "What was known in the past can't be changed" in html(panel)
    assert open_(viewer, panel, "My sister is called Eva")[2].keys() == {CLOSE}
    viewer.at = 0.0
    settle(panel)
    assert {CORRECT, FORGET, CLOSE} <= open_(viewer, panel, "My sister is called Eva")[2].keys()


def test_one_question_at_a_time_and_the_newest_wish_counts(viewer, robot, monkeypatch):
    robot.may_answer.clear()
    viewer.user = "anna"
    panel = PeoplePanel(viewer)
    for kind in ("Facts", "Preferences", "What was told"):
        panel._kind.value = kind
        began = time.monotonic()
        panel.update(Known())
        assert time.monotonic() - began < 5.0  # who draws doesn't wait for the answer, which never comes
    assert len(robot.browsed) == 1
    monkeypatch.setattr(people, "LONG_S", 0.0)
    panel.update(Known())
    assert "The memory is asked" in html(panel)
    robot.may_answer.set()
    settle(panel)
    assert "The memory is asked" not in html(panel)
    assert shown(panel) == ["My sister is called Eva"]
    assert robot.at_once == 1
    assert len(robot.browsed) == 2


def test_a_memory_that_does_not_answer_is_not_said_to_be_empty(viewer, robot, monkeypatch):
    viewer.user = "anna"
    panel = PeoplePanel(viewer)
    panel._kind.value = "Episodes"
    settle(panel)
    assert "holds nothing" in html(panel)
    robot.may_answer.clear()
    monkeypatch.setattr(people, "SILENT_S", 0.0)
    panel._changed = True
    while panel._changed:  # not at once after an answer that took long
        panel.update(Known())
        time.sleep(0.002)
    panel.update(Known())
    assert "The memory does not answer yet." in html(panel)
    assert "holds nothing" not in html(panel)
    monkeypatch.setattr(people, "SILENT_S", 60.0)
    robot.may_answer.set()
    settle(panel)
    assert "does not answer" not in html(panel)
    assert "holds nothing" in html(panel)


def test_it_asks_when_something_changed_and_else_after_a_while(viewer, robot, monkeypatch):
    panel = PeoplePanel(viewer)
    settle(panel)
    asked = len(robot.browsed)
    settle(panel)
    assert len(robot.browsed) == asked
    known = Known(short_term=short_term(unit("Mug")))
    settle(panel, known)
    assert len(robot.browsed) == asked + 1
    known = Known(short_term=known.short_term, planner=PlannerState(instruction=[InstructionStatus(id="1")]))
    settle(panel, known)
    ended = PlannerState(instruction=[InstructionStatus(id="1", ended=True)])
    settle(panel, Known(short_term=known.short_term, planner=ended))
    assert len(robot.browsed) == asked + 3
    now = time.monotonic()
    monkeypatch.setattr(people.time, "monotonic", lambda: now + people.USUAL_S + 1.0)
    panel.update(Known(short_term=known.short_term, planner=ended))
    panel._asking.join(10.0)
    assert len(robot.browsed) == asked + 4


def test_it_asks_at_most_once_a_second(viewer, robot, monkeypatch):
    monkeypatch.setattr(people, "CHANGE_S", 1.0)
    clock = [100.0]
    monkeypatch.setattr(people.time, "monotonic", lambda: clock[0])
    panel = PeoplePanel(viewer)
    for number in range(50):  # ten updates and two changes in each second
        clock[0] += 0.1
        panel.update(Known(short_term=short_term(unit("Mug", stamp=float(number // 5 + 1)))))
        if panel._asking is not None:
            panel._asking.join(10.0)
    assert 3 <= len(robot.browsed) <= 5


def test_who_does_not_answer_is_told_of_once_and_what_was_seen_stays(viewer, robot):
    viewer.user = "anna"
    panel = PeoplePanel(viewer)
    settle(panel)
    robot.trouble = "the memory server is not there"
    for _ in range(3):
        panel._changed = True
        settle(panel)
    assert viewer.said == []
    assert html(panel).count("the memory server is not there") == 1
    assert "My sister is called Eva" in shown(panel)
    robot.trouble = ""
    panel._changed = True
    settle(panel)
    assert "not there" not in html(panel)
