# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Goals and calls of skills, as the planner writes them, are told to people in words wherever they are read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from viewing import Viewer, ended, outcome, running, state

from karma.view.history import words
from karma.view.known import Known
from karma.view.panels.plan import PlanPanel
from karma.view.panels.talk import TalkPanel
from karma.view.recording import caption
from karma.view.wording import calls_in_words, recollected
from karma_interfaces.msg import MemoryEvent, Recollection, Result, SkillCall, SkillTarget

EPISODE = Recollection(kind="episodic", text='"look around": success, done: explore()')


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("explore()", "explore"),
        ("plan explore()", "plan explore"),
        ("go_to(kitchen)", "go to kitchen"),
        ("examine(book, lamp)", "examine book → lamp"),
        ("place(2 mugs from table, sink, in)", "place 2 mugs from table in sink"),
        ("place(red fruit=Apple|Tomato, sink=, in)", "place red fruit in sink"),
        ("open(fridge) if not open(fridge)", "open fridge if fridge is not open"),
        ("hold(mug) if there(mug on table)", "hold mug if mug on table is there"),
        ("Explore(Mug, 3 positions) failed", "Explore Mug from 3 viewpoints failed"),
        ("done: clean(fork); explore() | not done: open(box)", "done: clean fork; explore | not done: open box"),
        ("the fork (a clean one) and the mug(s)", "the fork (a clean one) and the mug(s)"),
        ("f(g(x)", "f(g x"),
    ],
)
def test_what_is_written_as_a_call_is_told_in_words(written: str, told: str) -> None:
    assert calls_in_words(written) == told


@given(st.text(st.sampled_from("ab1_ ,()=|;if"), max_size=40))
def test_any_text_can_be_told_and_one_without_calls_stays(text: str) -> None:
    told = calls_in_words(text)
    assert told == text or "(" in text


def test_what_a_person_told_stays_as_it_is() -> None:
    assert recollected(Recollection(kind="told", text="call f(x)")) == "call f(x)"
    assert recollected(EPISODE) == '"look around": success, done: explore'


def test_no_call_is_shown_as_it_is_written(viewer: Viewer) -> None:
    call = SkillCall(skill="Explore")
    status = {"goals": ["explore()"], "recalled": [EPISODE], "done": [outcome(call, message="Explore() ended")]}
    going_on = running(step="plan explore()", **status)
    over = ended(code=Result.EXECUTION_FAILURE, message="Explore() failed 3 times", **status)
    plan, talk = PlanPanel(viewer), TalkPanel(viewer)  # type: ignore[arg-type]
    for now in (going_on, over):
        viewer.robot.transcript.hear(state(now))
        for panel in (plan, talk):
            panel.update(Known(planner=state(now)))
        assert "()" not in caption(Known(planner=state(now)))
    for told in ("explore</bdi>", "plan explore", "done: explore", "Explore ended", "Explore failed 3 times"):
        assert told in viewer.html()
    assert "()" not in viewer.html()


def test_events_name_skills_and_categories() -> None:
    thing = "Apple|-00.47|+01.15"
    done = outcome(
        SkillCall(skill="PickupObject", target=SkillTarget(id=thing, category="Apple")), message=f"has {thing}"
    )
    picked = MemoryEvent(kind=MemoryEvent.SKILL_OUTCOME, text=f"PickupObject({thing})", outcome=[done])
    assert words(picked) == "PickupObject Apple: SUCCESS has Apple"
    over = MemoryEvent(kind=MemoryEvent.EPISODE_END, text="done: explore()", result=Result(code=Result.SUCCESS))
    assert words(over) == "SUCCESS done: explore"
