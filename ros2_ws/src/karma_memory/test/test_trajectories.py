# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import json

import pytest
from attempts import FAILED, Life
from hypothesis import given, settings
from hypothesis import strategies as st
from world import FRIDGE, home, thing

from karma_memory import Code, EventKind, PolicySettings
from karma_memory.encoding import dumps
from karma_memory.episodic import trajectories
from karma_memory.episodic.attempts import KEPT_STEPS
from karma_memory.episodic.goals import categories, goals_in, task_types
from karma_memory.projection import EditError
from karma_memory.state.state import MemoryState

CLEAN = "clean the fork"
GOALS = ("clean(Fork)", "place(Fork, Drawer, in)")


def test_goals_are_read_from_their_texts():
    goals = goals_in("wash it. clean(Fork); place(2 clean Fork from Sink, Drawer, in); explore()")
    (named,) = goals_in("place(red fruit=Apple|Tomato, sink=, in)")
    assert [(thing.noun, thing.categories) for thing in named.things] == [
        ("red fruit", ("Apple", "Tomato")),
        ("sink", ()),
    ]
    assert named.key == ("place", "Apple", "", "in")
    assert [(g.predicate, g.categories, g.relation) for g in goals] == [
        ("clean", ("Fork",), ""),
        ("place", ("Fork", "Drawer"), "in"),
        ("explore", (), ""),
    ]
    assert task_types(goals) == ("clean", "place", "explore")
    assert categories(goals) == ("Fork", "Drawer")
    assert goals_in("put the fork (a clean one) away") == []


def test_an_attempt_is_a_way_through_states():
    """Appendix B.1.2: nodes are states with room and summary, edges are actions with their outcome."""
    life = Life(home())
    fridge = "Fridge|1"
    life.start("e1", "put the apple away", "place(Apple, Fridge, in)")
    life.does("e1", "PickupObject", "Apple|1")
    life.does("e1", "PutObject", "", fridge, code=FAILED, message="It is closed.")
    opened = thing(fridge, FRIDGE.position, movable=False, states={"isOpen": "true"})
    life.does("e1", "OpenObject", fridge, nodes=(opened,))
    inside = thing("Apple|1", FRIDGE.position, receptacle=fridge, relation="in")
    life.does("e1", "PutObject", "", fridge, relation="in", nodes=(inside,))
    life.end("e1")
    steps = life.state.trajectories.attempt("e1").steps
    assert [(step.before.summary, step.action.text, step.done, step.after.summary) for step in steps] == [
        ("holding nothing", "PickupObject Apple", True, "holding Apple"),
        ("holding Apple", "PutObject Apple in/on Fridge", False, "holding Apple"),
        ("holding Apple", "OpenObject Fridge", True, "holding Apple; Fridge isOpen"),
        (
            "holding Apple; Fridge isOpen",
            "PutObject Apple in Fridge",
            True,
            "holding nothing; Apple in Fridge; Fridge isOpen",
        ),
    ]
    assert steps[-1].after.room == "kitchen"
    assert life.state.trajectories.attempt("e1").room == "Kitchen"


def test_what_a_place_does_to_a_thing_is_no_detour():
    """A slice is put into the fridge and taken again: it is cold now, though the goals spoke of the apple."""
    life = Life(home())
    fridge = "Fridge|1"
    life.start("e1", "chill a slice of the apple", "place(Apple, Bin, in)")
    life.does("e1", "GoToObject", fridge)
    life.does("e1", "PickupObject", "AppleSliced|1")
    life.does("e1", "PutObject", "", fridge)
    cold = thing("AppleSliced|1", FRIDGE.position, relation="held", states={"temperature": "Cold"})
    life.does("e1", "PickupObject", "AppleSliced|1", nodes=(cold,))
    life.end("e1")
    assert len(life.state.trajectories.attempt("e1").way) == 3


def test_the_best_ways_that_worked_are_told():
    """Appendix C.2."""
    life = Life()
    life.attempt(
        "long", CLEAN, GOALS,
        [("PickupObject", "Fork|1", ""), ("PutObject", "", "Table|1"), ("PickupObject", "Fork|1", ""),
         ("PutObject", "", "Sink|1"), ("ToggleOn", "Faucet|1", "")],
    )  # fmt: skip
    life.attempt(
        "failed", CLEAN, GOALS,
        [("PickupObject", "Fork|1", ""), ("ToggleOn", "Faucet|1", "", "Nothing is in the sink.")],
        FAILED,
    )  # fmt: skip
    life.attempt(
        "short", CLEAN, GOALS,
        [("GoToObject", "Fork|1", ""), ("PickupObject", "Fork|1", ""), ("PutObject", "", "Sink|1"),
         ("ToggleOn", "Faucet|1", "")],
    )  # fmt: skip
    life.attempt("unlike", "open the safe", ["open(Safe)"], [("OpenObject", "Safe|1", "")])
    life.attempt("ann's", CLEAN, GOALS, [("CleanObject", "Fork|1", "")], user="ann")
    found = {
        r.record.id: r.record.text
        for r in life.ask("trajectory", "wash it: clean(Fork), place(Fork, Drawer, in)").recollections
    }
    assert found == {
        "trajectory:short": (
            "Worked before, 2 times, clean, place: PickupObject Fork; PutObject Fork in/on Sink; ToggleOn Faucet"
        ),
    }  # fmt: skip
    assert "trajectory:ann's" in {r.record.id for r in life.ask("trajectory", "clean(Fork)", user="ann").recollections}


def test_without_goals_words_and_things_decide():
    life = Life(home())
    life.attempt("e1", "polish the brass apple", [], [("CleanObject", "Apple|1", "")])
    life.attempt("e2", "shut the fridge", [], [("CloseObject", "Fridge|1", "")])
    assert [r.record.id for r in life.ask("trajectory", "please polish the apple").recollections] == ["trajectory:e1"]
    assert not life.ask("trajectory", "water the plant").recollections
    assert len(life.ask("trajectory").recollections) == 2  # without a question: the newest


def test_another_scene_helps_where_this_one_is_new():
    life = Life()
    life.attempt("e1", CLEAN, GOALS, [("CleanObject", "Fork|1", "")], scene="home2")
    question = f"{CLEAN} {'; '.join(GOALS)}"
    (there,) = life.ask("trajectory", question, scene="home1").recollections
    (here,) = life.ask("trajectory", question, scene="home2").recollections
    assert "0.50" in there.why[0]
    assert "1.00" in here.why[0]


def test_what_differs_in_one_thing_is_alike_here_and_not_elsewhere():
    """0.3 for the same types of task, 0.3/3 for one of three things: as much as is asked for; half of it elsewhere."""
    life = Life()
    life.attempt("e1", "pack it", ("place(Fork, Drawer, in)",), [("PickupObject", "Fork|1", "")], scene="home2")
    two = ("hold(Fork)", "place(Fork, Drawer, in)", "close(Drawer)")
    life.attempt("e2", "stow it", two, [("PickupObject", "Fork|1", "")], scene="home2")

    def found(question: str, scene: str) -> set[str]:
        return {r.record.id for r in life.ask("trajectory", question, scene=scene).recollections}

    assert "trajectory:e1" in found("place(Spoon, Drawer, in)", "home2")
    assert not found("place(Spoon, Drawer, in)", "home1")
    assert "trajectory:e2" in found("hold(Fork); place(Fork, Cabinet, in); close(Drawer)", "home2")
    assert "trajectory:e2" not in found("hold(Fork); place(Fork, Cabinet, in); close(Drawer)", "home1")


def test_an_attempt_tells_what_its_words_were_taken_for_in_the_end():
    life = Life(home())
    asked, meant = ("place(tool=Fork|Spoon, Drawer, in)",), ("place(tool=Spoon, Drawer, in)",)
    life.start("e1", "pack the tool", *asked)
    life.does("e1", "PickupObject", "Fork|1")
    life.end("e1", goals=meant)
    (found,) = life.ask("trajectory", "place(tool=Spoon, Drawer, in)").recollections
    assert found.record.task.goals == meant


def test_what_a_person_says_of_it_counts_more_than_its_code_unless_it_is_somebody_elses():
    life = Life()
    life.attempt("e1", CLEAN, GOALS, [("CleanObject", "Fork|1", "")], user="ann")
    known = life.state.trajectories.attempt
    assert known("e1").succeeded
    life.says("e1", FAILED, user="bob")
    assert known("e1").succeeded
    life.says("e1", Code.UNSET, user="ann")
    assert known("e1").succeeded
    life.says("e1", FAILED, user="ann")
    assert known("e1").succeeded is False
    life.start("e2")
    assert known("e2").succeeded is None


def test_the_oldest_attempts_and_steps_give_way(monkeypatch):
    monkeypatch.setattr(trajectories, "KEPT_ATTEMPTS", 2)
    life = Life()
    for number in range(4):
        life.attempt(f"e{number}", "open it", ["open(Safe)"], [("OpenObject", f"Safe|{number}", "")])
    memory = life.state.trajectories
    assert [attempt.id for attempt in memory.attempts()] == ["e2", "e3"]
    life.start("many")
    for _ in range(KEPT_STEPS + 3):
        life.does("many", "OpenObject", "Safe|1")
    assert len(memory.attempt("many").steps) == KEPT_STEPS


def test_an_episode_that_is_forgotten_is_no_attempt_any_more():
    life = Life()
    life.attempt("e1", "open it", ["open(Safe)"], [("OpenObject", "Safe|1", "")])
    with pytest.raises(EditError, match="forget the episode"):
        life.state.trajectories.check_edit("trajectory:e1", "")
    life.happens(EventKind.EDIT, target="episodic:e1", text="another summary")
    assert life.state.trajectories.attempt("e1")
    life.happens(EventKind.EDIT, target="episodic:e1")
    assert not life.state.trajectories.attempts()
    life.does("e1", "OpenObject", "Safe|1")
    assert not life.state.trajectories.attempts()


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.sampled_from(["OpenObject", "CloseObject", "PickupObject", "PutObject"]), max_size=8), st.integers(0, 8)
)
def test_an_attempt_that_is_restored_in_the_middle_goes_on_as_if_it_had_not_been(skills, cut):
    life = Life(home())
    life.start("e1", "put the apple away", "place(Apple, Fridge, in)")
    events = []
    for skill in skills:
        events.append(
            life.does("e1", skill, "Apple|1", "Fridge|1", nodes=(thing("Apple|1", (float(len(events)), 0.0, 1.0)),))
        )
    again = MemoryState(PolicySettings())
    for event in life.events[: 2 + cut]:
        again.apply(event)
    restored = MemoryState(PolicySettings())
    restored.restore(json.loads(dumps(again.snapshot())))
    for event in life.events[2 + cut :]:
        restored.apply(event)
    assert dumps(restored.snapshot()) == dumps(life.state.snapshot())
