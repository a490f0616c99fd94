# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The language steps by a model: the real client against a local server that speaks Ollama's protocol."""

import pytest
from chat_server import chat_server

from karma_language.models import Model
from karma_language.told.wishes.choice import Heard
from karma_language.told.wishes.offline import OfflineLanguage
from karma_memory.preferences import Likeness, Mode, Request
from karma_memory.preferences.model_language import ModelLanguage

SCENE = ("rain jacket", "hall closet", "desk")
DRINKS = Request("ada", "Bring me a drink, please.", Mode.FETCH, "", ("barley tea", "oat milk"))


def language(model: Model) -> ModelLanguage:
    return ModelLanguage(OfflineLanguage(Likeness(None)), model)


def test_the_model_reads_a_request() -> None:
    answer = {"mode": "put", "thing": "rain jacket", "options": ["desk", "hall closet"]}
    with chat_server(answer) as (model, requests):
        request = language(model).read("ada", "Jacket!", SCENE)
    assert (request.mode, request.thing, request.options) == (Mode.PUT, "rain jacket", ("hall closet", "desk"))
    assert requests[0]["format"]["properties"]["thing"]["enum"] == [*SCENE, ""]


def test_the_model_hears_what_is_wanted() -> None:
    with chat_server({"salient": True, "chosen": "Oat Milk", "changed": True}) as (model, _):
        assert language(model).heard(DRINKS, "the milky one from now on") == Heard("oat milk", changed=True)
    with chat_server({"salient": False, "chosen": "", "changed": False}) as (model, _):
        assert language(model).heard(DRINKS, "the oat milk was lovely") is None
    with chat_server({"salient": True, "chosen": "cold cider", "changed": False}) as (model, _):
        assert language(model).heard(DRINKS, "I'd rather have cold cider.") == Heard("cold cider")


@pytest.mark.parametrize(
    "answer",
    [
        "nonsense",
        "[]",
        "{}",
        {"salient": True, "chosen": "vodka", "changed": False},
        {"salient": "yes", "chosen": "oat milk", "changed": False},
        {"mode": "put", "thing": "rain jacket", "options": ["moon"]},
        500,
    ],
)
def test_nonsense_leaves_the_step_to_the_rules(answer: object) -> None:
    with chat_server(answer) as (model, _):
        reader = language(model)
        assert reader.heard(DRINKS, "The barley tea, please.") == Heard("barley tea")
        assert reader.read("ada", "Please put my rain jacket away.", SCENE).thing == "rain jacket"


def test_a_place_cannot_be_put_onto_itself() -> None:
    answer = {"mode": "put", "thing": "desk", "options": ["desk"]}
    with chat_server(answer) as (model, _):
        assert language(model).read("ada", "Please put my rain jacket away.", SCENE).thing == "rain jacket"
