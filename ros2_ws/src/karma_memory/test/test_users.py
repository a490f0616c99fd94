# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What users agree to, what is shown to whom, and what an erasure leaves, whatever happened before."""

import pytest
from histories import events_of, histories
from hypothesis import given, settings
from hypothesis import strategies as st
from journal_store import Files
from world import APPLE, SCENE, event, home, live, outcome, seen, thing, told

from karma_memory import Code, EventKind, InvalidEventError, PolicySettings, Query
from karma_memory.encoding import dumps
from karma_memory.events import OWN_KINDS
from karma_memory.privacy.consent import Consent
from karma_memory.projection import EditError
from karma_memory.state.state import MemoryState
from karma_memory.users.erasure import forget_user

NO = Consent(keep=False)
INSTRUCTION = {"user": "ann", "episode": "of ann"}
users = st.sampled_from(["", "ann", "bob", "carol"])


def asked(start):
    """Return what happens when ann has something done."""
    return [
        told("ann likes tea", start, user="ann"),
        event(EventKind.EPISODE_START, start + 1, text="bring the apple", **INSTRUCTION),
        outcome("PickupObject", thing("Apple|1", (8.0, 0.0, 1.0), seen=start + 2), stamp=start + 2, **INSTRUCTION),
        event(EventKind.EPISODE_END, start + 3, text="done", code=Code.SUCCESS, **INSTRUCTION),
    ]


@pytest.mark.parametrize("assumed", [True, False])
def test_what_a_user_has_not_agreed_to_is_not_kept_but_where_things_are_is(store, assumed):
    with store.memory(assume_consent=assumed) as memory:
        memory.remember([home()])
        if assumed:
            memory.users.set_consent("ann", NO, 1.0)
        assert memory.remember(asked(5.0)).sequences == (0, 0, memory.last_sequence, 0)
        data = memory.users.data("ann")
        assert not data["memories"]
        assert [item["kind"] for item in data["events"]] == (["CONFIGURE"] if assumed else [])
        assert memory.scene_graph(SCENE).node("Apple|1").position == (8.0, 0.0, 1.0)
        assert memory.remember([told("it is cold", 9.0, id="cold")]).sequences == (memory.last_sequence,)  # nobody's
        with pytest.raises(EditError, match="does not agree"):
            memory.edit("told:cold", "it is warm", user="ann", stamp=9.0)


def test_consent_can_be_changed_and_outlives_a_restart_and_a_compaction(store):
    with store.memory() as memory:
        memory.users.set_consent("ann", NO, 1.0)
        memory.remember([home(2.0), seen(APPLE, stamp=3.0), seen(APPLE, stamp=90.0)])
        memory.upkeep.compact(50.0)
        memory.upkeep.snapshot()
    with store.memory() as memory:
        assert memory.remember([told("ann likes tea", 91.0, user="ann")]).sequences == (0,)
        memory.users.set_consent("ann", Consent(keep=True, retention=9.0), 92.0)
        (kept,) = memory.remember([told("ann likes tea", 93.0, user="ann")]).sequences
        assert kept == memory.last_sequence - 1  # then comes its reading
        assert memory.users.data("ann")["consent"] == {"keep": True, "retention": 9.0}
        assert memory.settings.capacity == 10  # a consent is no setting of short-term memory
    for keep, retention in (("no", 0.0), (True, -1.0)):
        with pytest.raises(InvalidEventError):
            Consent(keep, retention)


def test_what_one_user_said_is_in_no_prompt_of_another(store):
    with store.memory() as memory:
        memory.remember([home(), *asked(400.0), told("bob likes coffee", 400.0, user="bob")])
        for user, kept, hidden in (("ann", "tea", "coffee"), ("bob", "coffee", "tea"), ("", "", "likes")):
            for text in ("what does ann like, and bob", "bring", ""):
                answer = memory.recall(Query(text, user=user, limit=100, token_budget=10_000))
                assert hidden not in answer.prompt
                assert user == "ann" or "bring the apple" not in answer.prompt
            assert kept in answer.prompt


def test_a_user_is_shown_everything_that_is_theirs_and_nothing_else(store):
    with store.memory() as memory:
        live(memory)
        memory.remember([*asked(400.0), told("bob likes coffee", 400.0, user="bob")])
        data = memory.users.data("ann", pictures=True)
        assert sorted(item["text"] for item in data["memories"]) == [
            '"bring the apple": success, done',
            *3 * ["ann likes tea"],  # told twice, and a fact
            "task, worked: PickupObject",
        ]
        kinds = [*2 * ["TOLD", "READING"], "EPISODE_START", "READING", "SKILL_OUTCOME", "EPISODE_END"]
        assert [item["kind"] for item in data["events"]] == kinds
        assert "bob" not in dumps(data)
        assert not memory.users.data("nobody known")["events"]
        with pytest.raises(ValueError, match="name the user"):
            memory.users.data("")


@settings(max_examples=60, deadline=None)
@given(histories, users, st.sampled_from(["", "apple", "the kitchen table", "bring"]))
def test_no_answer_has_anything_of_another_user(history, user, text):
    state = MemoryState(PolicySettings())
    for item in events_of(history):
        state.apply(item)
    query = Query(text, user=user, limit=1000)
    answer = state.answer(query, state.search(query, None))
    hidden = {record.id for record in state.index.records.values() if record.user not in ("", user)}
    assert not {item.record.id for item in answer.recollections} & hidden


@settings(max_examples=15, deadline=None)
@given(history=histories, share=st.floats(0.0, 1.0))
def test_after_an_erasure_all_is_as_if_the_user_had_never_been(quick_folder, history, share):
    """Whatever happened, and however much of it was compacted: others keep theirs, and a replay gives the same."""
    store = Files(quick_folder).new("erased")
    events = [item for item in events_of(history) if item.kind not in OWN_KINDS]
    with store.memory() as memory:
        for item in events:
            memory._live.commit([item], checked=False)
        if events:
            memory.upkeep.compact(events[0].stamp + share * (events[-1].stamp - events[0].stamp))
        memory.upkeep.snapshot()
        bobs = personal(memory, "bob")
    forget_user(store.location, "ann")
    gone = [item.id for item in events if item.user == "ann"]
    with store.memory() as memory:
        state = dumps(memory._state.snapshot())
        assert not [name for name in ("ann", *gone) if f'"{name}"' in state]
        assert bobs <= personal(memory, "bob")
    with store.journal() as journal:
        assert not [row for row in journal.rows() if '"ann"' in row.body or row.id in gone]


def personal(memory, user):
    """Return which records are a user's."""
    return {item.id for item in memory._state.index.records.values() if item.user == user}


def test_nothing_that_was_kept_is_used_once_its_user_withdraws(store):
    with store.memory() as memory:
        memory.remember(
            [
                told("I live in Oslo.", 1.0, user="ann"),
                told("The blue vase is my favorite.", 2.0, user="ann"),
                told("I prefer tea when I am tired", 3.0, user="ann"),
                told("the spare key is in the drawer", 4.0),
            ]
        )

        def recalled():
            found = memory.recall(Query("vase tea Oslo key", user="ann", limit=100))
            assert bool(memory.preferences_of("ann")) == ("preferences" in {r.record.kind for r in found.recollections})
            return {r.record.kind for r in found.recollections if r.record.user}, "spare key" in found.prompt

        used = {"told", "profile", "preferences", "facts"}
        assert recalled()[0] >= used - {"facts"}
        memory.users.set_consent("ann", NO, 5.0)
        assert recalled() == (set(), True)
        then = memory.recall(Query("vase tea Oslo key", user="ann", limit=100, at=4.5))
        assert {r.record.user for r in then.recollections} == {""}, "nor of the time when she agreed"
        assert len(memory.users.data("ann")["memories"]) > 3  # hers to see
        memory.users.set_consent("ann", Consent(keep=True), 6.0)
        assert recalled()[0] >= used - {"facts"}


def test_what_goes_on_of_an_instruction_that_was_forgotten_is_of_the_world_only(store):
    with store.memory() as memory:
        memory.remember(asked(10.0)[:2])
        (episode,) = [record for record in memory._state.index.records.values() if record.kind == "episodic"]
        memory.forget([episode.id], stamp=12.0)
        before = memory.last_sequence
        receipt = memory.remember(asked(20.0)[2:])
        assert receipt.sequences == (before + 1, 0)
        with_name = [entry for entry in memory._journal.read(before, before + 1) if entry.event.user]
        assert not with_name
