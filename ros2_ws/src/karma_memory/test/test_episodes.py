# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Episodes with their steps, and what they were about whatever happened to these (MEMENTO, appendices C.1, E.2)."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from karma_memory.encoding import dumps, loads
from karma_memory.episodic import Episode, EpisodicMemory, HandledObject, Step, handled_objects
from karma_memory.events import Code, Event, EventKind, SkillCall, SkillOutcome, SkillTarget
from karma_memory.recall.index import HybridIndex


def step(skill, thing, observation="", code=Code.SUCCESS):
    return Step(skill, thing.rpartition("_")[0], code, thing, observation=observation)


def moved(thing, looks):
    return [step("describe", thing, looks), step("navigate", thing), step("pick", thing), step("place", thing)]


STEPS = (*moved("bell_1", "A bronze bell."), step("describe", "bell_4", "A tin bell."), *moved("kite_2", "A red kite."))
LIVED = Episode("e", "Hang the bronze bell and the kite up.", "ann", "home", "start", 1.0, steps=STEPS)
OBJECTS = [HandledObject("bell_1", "bell", "A bronze bell."), HandledObject("kite_2", "kite", "A red kite.")]


def test_an_episode_has_what_the_robot_thought_did_and_was_told():
    memory = EpisodicMemory(HybridIndex())
    call = SkillCall("place", SkillTarget("kite_2", "kite"), SkillTarget("hook_7", "hook"), "on")
    outcome = SkillOutcome(call, Code.EXECUTION_FAILURE, "the hook is taken")
    memory.observe(Event("1", EventKind.EPISODE_START, 1.0, user="ann", scene="home", episode="e", text="hang it up"))
    memory.observe(Event("2", EventKind.SKILL_OUTCOME, 2.0, episode="e", text="the kite goes there", outcome=outcome))
    (episode,) = memory.episodes()
    failed = Code.EXECUTION_FAILURE
    assert episode.steps == (
        Step("place", "kite", failed, "kite_2", "hook_7", "the kite goes there", "the hook is taken"),
    )
    again = EpisodicMemory(HybridIndex())
    again.restore(loads(dumps(memory.snapshot())))
    assert again.episodes() == [episode]


def test_steps_of_older_states_have_no_more_than_they_had():
    memory = EpisodicMemory(HybridIndex())
    stored = loads(dumps(replace(LIVED, steps=())))
    memory.restore({"episodes": [{**stored, "steps": [["PickupObject", "Mug", "SUCCESS"]]}]})
    (episode,) = memory.episodes()
    assert episode.steps == (Step("PickupObject", "Mug", Code.SUCCESS),)
    assert loads(dumps(episode))["steps"] == [["PickupObject", "Mug", "SUCCESS"]]


def test_what_was_only_looked_at_or_not_grasped_was_not_moved():
    assert handled_objects(LIVED) == OBJECTS
    slipped = step("pick", "bell_4", code=Code.EXECUTION_FAILURE)
    assert handled_objects(replace(LIVED, steps=(*STEPS, slipped))) == OBJECTS
    assert handled_objects(replace(LIVED, steps=())) == []


def test_of_two_descriptions_the_one_that_fits_the_instruction_counts():
    other = step("describe", "bell_1", "A silver bell.")
    assert handled_objects(replace(LIVED, steps=(other, *STEPS))) == OBJECTS


def test_without_descriptions_it_is_known_what_was_moved():
    kept = tuple(one for one in STEPS if one.skill != "describe")
    assert handled_objects(replace(LIVED, steps=kept)) == [replace(one, looks="") for one in OBJECTS]


FOREIGN = [step("pick", "mask_1"), step("place", "drum_9"), step("navigate", "bell_1")]


@given(
    st.permutations(STEPS),
    st.lists(st.sampled_from(FOREIGN), max_size=2, unique=True),
    st.sampled_from(["", "pick", "place", "navigate"]),
)
def test_disorder_foreign_steps_and_the_lack_of_a_skill_change_nothing(steps, foreign, missing):
    kept = tuple(one for one in [*foreign, *steps] if one.skill != missing or one in foreign)
    found = handled_objects(replace(LIVED, steps=kept))
    assert {one for one in found if one in OBJECTS} == set(OBJECTS)
    if not missing:
        assert len(found) == len(OBJECTS)


def test_an_episode_that_a_person_called_wrong_is_no_success_any_more_unless_it_was_not_theirs():
    def told(*feedback):
        memory = EpisodicMemory(HybridIndex())
        memory.observe(Event("1", EventKind.EPISODE_START, 1.0, user="ann", scene="home", episode="e", text="tidy up"))
        memory.observe(Event("2", EventKind.EPISODE_END, 2.0, episode="e", text="done: all", code=Code.SUCCESS))
        for event in feedback:
            memory.observe(event)
        again = EpisodicMemory(HybridIndex())
        again.restore(loads(dumps(memory.snapshot())))
        assert again.episodes() == memory.episodes()
        return again.episodes()[0].text

    wrong = Event("3", EventKind.FEEDBACK, 3.0, user="ann", episode="e", text="No.", code=Code.EXECUTION_FAILURE)
    assert told() == '"tidy up": success, done: all'
    assert told(wrong) == '"tidy up": not as wanted, done: all'
    assert told(wrong, replace(wrong, id="4", code=Code.SUCCESS)) == told()
    assert told(replace(wrong, user="bob")) == told(replace(wrong, code=Code.UNSET)) == told()
