# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Reflection by a language model, against a server that speaks Ollama's HTTP API and answers what a test says."""

import json
import threading
from dataclasses import replace

import pytest
from attempts import FAILED, Life
from chat_server import chat_server
from waiting import eventually

from karma_memory import Code, EventKind
from karma_memory.encoding import dumps
from karma_memory.guidelines.model_reflection import ModelReflection
from karma_memory.privacy.consent import Consent
from karma_memory.state.history import begin
from karma_memory.users.erasure import forget_user

EXPERIENCE = {
    "success_patterns": ["Look for the switch of a thing that does not open.", "Go there first."],
    "failure_causes": ["The safe was locked."],
    "learning_insights": ["Some things have a lock."],
}


def events(user="ann", code=Code.SUCCESS, name="e"):
    life = Life()
    life.attempt(
        f"{name}1", "open it", ["open(Safe)"], [("OpenObject", "Safe|1", "", "It is locked.")], FAILED, user=user
    )
    life.attempt(
        f"{name}2", "open it", ["open(Safe)"], [("ToggleOn", "Safe|1", "")], code, user=user, retry_of=f"{name}1"
    )
    return [replace(item, id=f"{name}-{item.id}") for item in life.events]


def insights(memory):
    found = memory.with_state(lambda state: state.guidelines.guidelines())
    return {guideline.text: owner for _, owner, guideline in found if guideline.advice.value == "insight"}


def test_what_the_model_learns_is_an_event_so_that_a_replay_gives_the_same(store):
    with (
        chat_server(EXPERIENCE) as (model, asked),
        store.memory(think=ModelReflection(model)) as memory,
    ):
        memory.remember(events())
        eventually(lambda: len(insights(memory)) == 4)
        assert insights(memory) == dict.fromkeys(
            [
                "The safe was locked.",
                "Some things have a lock.",
                "Look for the switch of a thing that does not open.",
                "Go there first.",
            ],
            "ann",
        )
        lived = dumps(memory.with_state(lambda state: state.guidelines.snapshot()))
    first, second = (json.loads(chat["messages"][1]["content"]) for chat in asked)
    assert first["episode"]["steps"][0]["feedback"] == "execution_failure: It is locked."
    assert second["failed_before"] == first["episode"]
    assert all("open it" not in chat["messages"][0]["content"] for chat in asked)  # it is data
    with store.journal() as journal:
        state = begin(None)
        for entry in journal.read():
            state.apply(entry.event)
    assert dumps(state.guidelines.snapshot()) == lived
    forget_user(store.location, "ann", folder=store.folder)
    with store.memory() as memory:
        assert not insights(memory)
    with store.journal() as journal:
        assert not [row for row in journal.rows() if "lock" in row.body]


@pytest.mark.parametrize(
    "nonsense", ["I'd rather not", '{"success_patterns": 3}', '{"learning_insights": [""]}', 500, {}]
)
def test_nonsense_teaches_nothing_and_loses_nothing(store, nonsense, caplog):
    with (
        chat_server(nonsense) as (model, asked),
        store.memory(think=ModelReflection(model)) as memory,
    ):
        memory.remember(events())
        eventually(lambda: len(asked) == 2)
        memory.remember(events(name="f"))
        eventually(lambda: len(asked) == 4)
        assert not insights(memory)
        assert memory.stats().events == 1 + 2 * 6 + 4  # and a reading of each instruction
    assert nonsense == {} or "is thought about offline only" in caplog.text


def test_nobody_waits_for_the_model_and_what_it_says_of_somebody_who_is_gone_is_not_written(store):
    asked, answer = threading.Event(), threading.Event()

    def think(attempt, failed):
        asked.set()
        answer.wait(20.0)
        return ["too late"]

    with store.memory(think=think) as memory:
        memory.remember(events())
        assert asked.wait(20.0)
        memory.forget(["episodic:e1"], stamp=200.0)
        answer.set()
        eventually(lambda: memory._reflecting._queue.empty())
        memory.users.set_consent("ann", Consent(keep=False), 201.0)
        memory.remember(events(name="g"))
    with store.journal() as journal:
        said = [entry.event.episode for entry in journal.read() if entry.event.kind is EventKind.REFLECTION]
    assert set(said) <= {"e2"}
