# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The panel to talk to the robot, without a browser and without a robot."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest
from viewing import Viewer, ended, jpeg, running, state

from karma_interfaces.action import ExecuteInstruction
from karma_interfaces.msg import Result
from karma_interfaces.srv import Feedback
from karma_view.known import Known
from karma_view.panels.speaker import ANOTHER, NOBODY
from karma_view.panels.talk import TalkPanel

NASTY = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "{{ 7 * 7 }} {% raw %}",
    "</style></div><b>",
    "# heading [link](javascript:alert(1))",
    "\u202eabc\u202c \u0000\u001b[31m",
    "مرحبا بالعالم",
    "y" * 100_000,
]


def talk(viewer: Viewer) -> TalkPanel:
    panel = TalkPanel(viewer)  # type: ignore[arg-type]
    panel.update(Known())
    return panel


def hear(viewer: Viewer, panel: TalkPanel, message: Any) -> None:
    viewer.robot.transcript.hear(message)
    panel.update(Known())


def until(true: Any) -> None:
    end = time.monotonic() + 10
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_an_instruction_is_given_with_the_options_and_as_the_user(viewer: Viewer) -> None:
    talk(viewer)
    viewer.user = "Anna"
    viewer.element("Instruction").value = "  Bring me the mug. "
    for option in ("Urgent", "Only plan", "Without memory"):
        viewer.element(option).value = True
    viewer.press("Do it")
    options = {"user": "Anna", "urgent": True, "dry_run": True, "ignore_memory": True}
    assert viewer.robot.asked == [("instruct", "Bring me the mug.", options)]
    assert viewer.element("Instruction").value == ""
    result = Result(code=Result.NOT_FOUND, message="There is no mug.")
    viewer.robot.on_result(ExecuteInstruction.Result(result=result))
    assert viewer.told == ["Not known: There is no mug."]


def test_an_instruction_that_cannot_be_given_stays_in_its_field(viewer: Viewer) -> None:
    talk(viewer)
    viewer.press("Do it")
    assert viewer.told == ["Instruction: Say what the robot is to do."]
    viewer.robot.error = "nobody offers the action 'execute_instruction'"
    viewer.element("Instruction").value = "Tidy up."
    viewer.press("Do it")
    assert viewer.told[1:] == ["Instruction: nobody offers the action 'execute_instruction'"]
    assert viewer.element("Instruction").value == "Tidy up."


def test_an_instruction_that_was_not_begun_goes_back_to_its_field(viewer: Viewer) -> None:
    talk(viewer)
    viewer.element("Instruction").value = "Tidy up."
    viewer.press("Do it")
    assert viewer.element("Instruction").value == ""
    result = Result(code=Result.UNAVAILABLE, message="The planner is not active.")
    viewer.robot.on_result(ExecuteInstruction.Result(result=result))
    assert viewer.told == ["Not done: The planner is not active."]
    assert viewer.element("Instruction").value == "Tidy up."


def test_pause_resume_cancel_and_stop_tell_what_came_of_them(viewer: Viewer) -> None:
    panel = talk(viewer)
    viewer.press("Robot", "Cancel")
    assert viewer.robot.asked == []
    hear(viewer, panel, state(running()))
    for option in ("Pause", "Resume", "Cancel"):
        viewer.press("Robot", option)
    viewer.press("Robot", "Stop all")
    assert viewer.robot.asked == [("pause",), ("resume",), ("cancel", "i1"), ("stop",)]
    assert viewer.told == [
        "Cancel: No instruction is being carried out.",
        "Pause: Paused.",
        "Resume: I go on.",
        "Cancel: The robot stops at the next safe point.",
        "Stop: 2 stopped.",
    ]


def test_what_is_on_its_way_is_dropped_though_nothing_runs_and_though_an_earlier_stop_has_no_answer(
    viewer: Viewer,
) -> None:
    talk(viewer)
    viewer.robot.on_the_way = {"i1"}
    viewer.press("Robot", "Cancel")
    assert viewer.told == ["Cancel: 1 dropped that had not been given yet."]
    viewer.robot.on_the_way = {"i2"}
    viewer.attempt("Stop", lambda: viewer.press("Robot", "Stop all"))
    assert viewer.robot.on_the_way == set()


@pytest.mark.parametrize("button", ["Robot/Pause", "Robot/Resume", "Robot/Cancel", "Robot/Stop all", "Do it"])
def test_with_the_graph_down_every_button_tells_so(viewer: Viewer, button: str) -> None:
    panel = talk(viewer)
    hear(viewer, panel, state(running()))
    viewer.robot.error = "is the graph running?"
    viewer.element("Instruction").value = "Tidy up."
    label, _, option = button.partition("/")
    viewer.press(label, option)
    assert len(viewer.told) == 1
    assert viewer.told[0].endswith("is the graph running?")


def test_a_question_comes_with_its_choices_and_goes_when_anybody_answered(viewer: Viewer) -> None:
    panel = talk(viewer)
    asking = running(user="Anna", question_id="q1", question="Which mug?", choices=["the red one", "the blue one"])
    hear(viewer, panel, state(asking))
    assert "Which mug?" in viewer.html()
    viewer.press("the blue one")
    assert viewer.robot.asked == [("answer", "q1", "the blue one", "")]
    hear(viewer, panel, state(running(user="Anna")))
    assert not viewer.has("the blue one")
    viewer.element("In words")
    assert panel._question._folder.visible is False
    viewer.press("", "No answer")
    assert viewer.told[-1] == "Answer: The robot does not ask any more."


def test_an_answer_in_words_and_none_at_all(viewer: Viewer) -> None:
    panel = talk(viewer)
    hear(viewer, panel, state(running(question_id="q1", question="Which mug?")))
    viewer.press("", "Answer")
    assert viewer.told == ["Answer: Say something, or press “No answer”."]
    panel._question._words.value = "the one by the sink"
    viewer.press("", "Answer")
    viewer.press("", "No answer")
    assert [asked[1:3] for asked in viewer.robot.asked] == [("q1", "the one by the sink"), ("q1", "")]


def test_who_is_not_asked_is_told_who_is(viewer: Viewer) -> None:
    panel = talk(viewer)
    hear(viewer, panel, state(running(user="Anna", question_id="q1", question="Which?", choices=["red"])))
    viewer.user = "Ben"
    viewer.press("red")
    assert viewer.robot.asked == []
    assert viewer.told == ["Answer: That is not your question: the robot asks Anna."]
    viewer.user = "Anna"
    viewer.robot.error = "no such question waits for your answer (any more)"
    viewer.press("red")
    assert viewer.told[1:] == ["Answer: no such question waits for your answer (any more)"]


def test_more_choices_than_fit_can_be_said_in_words(viewer: Viewer) -> None:
    panel = talk(viewer)
    hear(viewer, panel, state(running(question_id="q", question="?", choices=[f"mug {n}" for n in range(15)])))
    assert viewer.has("mug 11")
    assert not viewer.has("mug 12")
    assert "3 more choices" in viewer.html()


def test_what_one_can_do_here_is_told_until_the_viewer_has_said_something(viewer: Viewer) -> None:
    panel = talk(viewer)
    hear(viewer, panel, state(ended("Tidy up.", user="Anna")))  # by somebody else
    assert panel._first_visit._words.visible
    viewer.element("Instruction").value = "Bring me the mug."
    viewer.press("Do it")
    panel.update(Known())
    assert not panel._first_visit._words.visible


def test_an_answer_comes_with_its_picture_and_when_that_was_taken_until_the_next_is_given(viewer: Viewer) -> None:
    panel = talk(viewer)
    hear(viewer, panel, state(ended("Where is my mug?", message="On the table.", picture=[jpeg()])))
    box = panel._answer
    assert box._image.visible
    assert box._image.image.shape == (3, 4, 3)
    assert "Here, <time>on 1 January at 8:12</time>" in box._told.content
    hear(viewer, panel, state(ended("Where is my cup?", message="I don't know.", id="i2")))
    assert not box._image.visible
    assert not box._told.visible


def test_a_verdict_is_about_what_ended_last_as_the_user_and_with_words(viewer: Viewer) -> None:
    panel = talk(viewer)
    hear(viewer, panel, state(ended(user="Anna")))
    viewer.press("That was", "Right")
    assert viewer.told == ["Feedback: Only Anna, who gave it, can judge it."]
    viewer.user = "Anna"
    viewer.press("That was", "Right")
    panel._verdict._words.value = "the blue one"
    viewer.press("That was", "Wrong")
    assert panel._verdict._words.value == ""
    assert viewer.robot.asked == [
        ("feedback", "i1", "", Feedback.Request.RIGHT, "Anna"),
        ("feedback", "i1", "the blue one", Feedback.Request.WRONG, "Anna"),
    ]
    assert viewer.told[-1] == "Feedback: I will remember: the shelf."


def test_words_stay_while_they_are_written_and_are_about_what_they_were_begun_for(viewer: Viewer) -> None:
    panel = talk(viewer)
    hear(viewer, panel, state(ended("Tidy up.")))
    words = panel._verdict._words
    words.value = "the mug goes"
    hear(viewer, panel, state(running("Fetch it.", id="i2", question_id="q1", question="Which mug?")))
    assert not panel._verdict._folder.visible
    hear(viewer, panel, state(ended("Fetch it.", id="i2")))
    assert (words.value, panel._verdict._folder.visible) == ("the mug goes", True)
    viewer.press("That was", "Wrong")
    assert viewer.robot.asked == [("feedback", "i1", "the mug goes", Feedback.Request.WRONG, "")]
    panel.update(Known())
    viewer.press("That was", "Right")
    assert viewer.robot.asked[-1] == ("feedback", "i2", "", Feedback.Request.RIGHT, "")


def test_again_otherwise_is_for_who_gave_it(viewer: Viewer) -> None:
    panel = talk(viewer)
    hear(viewer, panel, state(ended(user="Anna")))
    viewer.press("That was", "Again, otherwise")
    assert viewer.told == ["Again: Only Anna, who gave it, can have it done otherwise."]
    viewer.user = "Anna"
    viewer.press("That was", "Again, otherwise")
    assert viewer.robot.asked == [("instruct", "Bring me the mug.", {"user": "Anna", "retry_of": "i1"})]


def test_the_memory_s_users_and_those_who_spoke_can_be_chosen(viewer: Viewer) -> None:
    viewer.robot.users = ["Anna", "two\nlines", NOBODY, "Z" * 39 + "… (2)", "Z" * 200, "Z" * 201]
    panel = talk(viewer)
    chosen = viewer.element("I am")
    until(lambda: "Anna" in chosen.options)
    hear(viewer, panel, state(running(user="Ben")))
    assert len(set(chosen.options)) == len(chosen.options) == 8
    assert "Ben" in chosen.options
    names = {}
    for option in chosen.options:
        chosen.value = option
        names[option] = viewer.user
    assert names[NOBODY] == names[ANOTHER] == ""
    assert {"Anna", "Ben", NOBODY, "Z" * 39 + "… (2)", "Z" * 200, "Z" * 201} == set(names.values()) - {""}


def test_somebody_new_gives_a_name(viewer: Viewer) -> None:
    panel = talk(viewer)
    chosen, form = viewer.element("I am"), panel._speaker._form
    chosen.value = ANOTHER
    assert form.visible
    for bad in ("", "two\nlines", "x" * 300):
        viewer.element("My name").value = bad
        form.submit()
        assert viewer.user == ""
    assert len(viewer.told) == 3
    viewer.element("My name").value = " Cleo "
    form.submit()
    assert (viewer.user, chosen.value, form.visible) == ("Cleo", "Cleo", False)


def test_a_memory_that_does_not_answer_is_asked_again_later_and_nobody_is_disturbed(viewer: Viewer) -> None:
    viewer.robot.error = "nobody offers the service 'memory/browse'"
    panel = talk(viewer)
    until(lambda: panel._speaker._ask_at < float("inf"))
    viewer.robot.error = ""
    panel._speaker._ask_at = 0.0
    panel.update(Known())
    until(lambda: "Anna" in viewer.element("I am").options)
    assert viewer.told == []


def test_who_looks_at_the_past_is_told_that_talking_happens_now(viewer: Viewer) -> None:
    panel = talk(viewer)
    viewer.at = 43_200.0
    hear(viewer, panel, state(running(question_id="q1", question="Which mug?")))
    assert "You look at 1970-01-01 12:00:00. What you say happens now." in viewer.html()
    assert "Which mug?" in viewer.html()


def test_nothing_is_sent_when_nothing_changed(viewer: Viewer) -> None:
    panel = talk(viewer)
    until(lambda: "Anna" in viewer.element("I am").options)
    hear(viewer, panel, state(running(question_id="q1", question="Which?", choices=["a"], step="wait")))
    viewer.sent.clear()
    panel.update(Known())
    hear(viewer, panel, state(running(question_id="q1", question="Which?", choices=["a"], step="wait more")))
    assert viewer.sent == []


@pytest.mark.parametrize("text", NASTY, ids=lambda text: text[:12].encode("unicode_escape").decode())
def test_whatever_is_said_is_shown_and_not_interpreted(viewer: Viewer, text: str) -> None:
    panel = talk(viewer)
    viewer.user = text
    status = {"user": text, "question_id": "q1", "question": text, "choices": [text]}
    hear(viewer, panel, state(running(text, **status)))
    hear(viewer, panel, state(ended(text, Result.NOT_FOUND, text, user=text)))
    assert viewer.html_sent()
    for sent in viewer.html_sent():
        for tag in ("<script", "<img", "<b>", "</style>", "49", "\u202e", "\x00", "\x1b"):
            assert tag not in sent
        assert len(sent) < 20_000


def test_stop_waits_for_none_of_the_threads_in_which_viewers_are_answered(viewer: Viewer) -> None:
    talk(viewer)
    gui, answer, stop = viewer.client.gui, threading.Event(), viewer.element("Robot")
    waiting = [gui._thread_executor.submit(answer.wait, 20) for _ in range(gui._thread_executor._max_workers)]
    try:
        stop._impl.value = "Stop all"
        (pressed,) = (callback for callback in stop._impl.update_cb if inspect.iscoroutinefunction(callback))
        asyncio.run_coroutine_threadsafe(pressed(SimpleNamespace(target=stop)), gui._event_loop).result(5)
        until(lambda: ("stop",) in viewer.robot.asked)
        assert not any(one.done() for one in waiting)
    finally:
        answer.set()
