# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Profiles by a language model, against a server that speaks Ollama's HTTP API and answers what a test tells it to."""

import pytest
from chat_server import chat_server

from karma_memory.profile.graph import NodeType
from karma_memory.profile.likeness import Lexicon
from karma_memory.profile.memory import Operation, UserProfiles
from karma_memory.profile.model_steps import ModelSteps
from karma_memory.profile.offline import OfflineSteps

TOLD = "Put the flute on the piano. The flute is silver. My uncle left me the flute, it was his."
KNOWLEDGE = {
    "type": "object_semantics",
    "subtype": "history",
    "alias": "the flute my uncle left me",
    "description": "My uncle left me the flute.",
}


def profiles_with(model):
    steps = ModelSteps(OfflineSteps(Lexicon(None)), model)
    return UserProfiles(None, steps)


def test_the_model_takes_every_step():
    things = {"things": [{"name": "flute", "description": "silver"}]}
    with chat_server({"knowledge": [KNOWLEDGE]}, things, {"text": "ada's silver flute."}) as (model, asked):
        profiles = profiles_with(model)
        (added,) = profiles.update("ada", TOLD)
        assert profiles.text(added.node) == "ada's silver flute."
    assert [n.name for n in profiles.graph.of_user("ada", NodeType.OBJECT)] == ["flute"]
    assert all(chat["format"]["type"] == "object" and chat["options"]["temperature"] == 0 for chat in asked)
    assert all(TOLD not in chat["messages"][0]["content"] for chat in asked)


def test_the_model_says_what_is_updated():
    again = {"knowledge": [{**KNOWLEDGE, "alias": "my uncle's flute"}]}
    things = {"things": [{"name": "flute"}]}
    with chat_server({"knowledge": [KNOWLEDGE]}, things, again, things, {"id": "ada/k1"}) as (model, _):
        profiles = profiles_with(model)
        (added,) = profiles.update("ada", TOLD)
        (updated,) = profiles.update("ada", "The flute was my uncle's.")
    assert (updated.operation, updated.replaced, added.node) == (Operation.UPDATE, "ada/k1", "ada/k1")


@pytest.mark.parametrize("nonsense", ["I'd rather not", '{"knowledge": 3}', '{"knowledge": [{"type": "secret"}]}', 500])
def test_nonsense_is_refused_and_the_step_taken_offline(nonsense):
    with chat_server(nonsense) as (model, _):
        profiles = profiles_with(model)
        (change,) = profiles.update("ada", TOLD)
    assert profiles.graph.node(change.node).description.startswith("My uncle left me")


def test_a_candidate_that_there_is_not_is_no_answer():
    things = {"things": [{"name": "flute"}]}
    with chat_server({"knowledge": [KNOWLEDGE]}, things, {"knowledge": [KNOWLEDGE]}, things, {"id": "k99"}) as (
        model,
        _,
    ):
        profiles = profiles_with(model)
        profiles.update("ada", TOLD)
        (change,) = profiles.update("ada", TOLD)
    assert change.operation is Operation.UPDATE  # offline: the same words are the same knowledge
