# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Extraction by a model: the real client against a server that speaks Ollama's protocol."""

import pytest
from chat_server import chat_server

from karma_memory.facts.extraction import Mention
from karma_memory.facts.model_extraction import ModelExtractor
from karma_memory.facts.offline import OfflineExtractor

NOW = 1_778_061_600.0
"""2026-05-06 10:00 UTC."""


def extractor(model):
    return ModelExtractor(OfflineExtractor(), model)


def test_the_models_facts_become_claims():
    answer = {
        "facts": [
            {"path": ["sister"], "relation": "home", "value": "Oslo"},
            {"name": "Ada", "relation": "birthday", "value": "12 May"},
            {"relation": "car", "value": "Lada", "change": "no longer holds"},
            {"relation": "hotel", "value": "Ritz", "until": "14 May"},
        ]
    }
    with chat_server(answer) as (model, requests):
        found = extractor(model).told("<said>whatever</said>", NOW)
    home, birthday, hotel = found.claims
    assert (home.subject, home.relation, home.object) == (Mention("", ("sister",)), "residence", Mention("Oslo"))
    assert birthday.object.yearly == "--05-12"
    assert hotel.until.text == "2026-05-14"
    assert [(r.relation, r.object) for r in found.retractions] == [("car", "Lada")]
    (request,) = requests
    assert request["format"]["properties"]["facts"]
    assert request["options"]["temperature"] == 0
    assert request["messages"][-1]["content"].count("<said>") == 1


def test_the_models_question_is_a_path():
    with chat_server({"path": ["sister", "boss"], "relation": "address"}) as (model, _):
        question = extractor(model).asked("?", NOW)
    assert (question.subject, question.relation) == (Mention("", ("sister", "boss")), "residence")


@pytest.mark.parametrize("content", ["", "no json", "[]", '{"facts": [{"value": "x"}]}', '{"facts": "all"}'])
def test_nonsense_is_left_to_the_rules(content):
    with chat_server(content) as (model, _):
        asking = extractor(model)
        (claim,) = asking.told("I live in Oslo.", NOW).claims
    assert (claim.relation, claim.object.base) == ("residence", "Oslo")
    assert "answered nonsense" in asking.problem


def test_silence_is_left_to_the_rules():
    with chat_server(404) as (model, _):
        asking = extractor(model)
        assert asking.asked("Where do I live?", NOW).relation == "residence"
    assert "has no model" in asking.problem
