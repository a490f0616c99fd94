# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What can go wrong with a model: the real client against a server that speaks Ollama's protocol, or doesn't."""

import pytest
from chat_server import chat_server
from pydantic import BaseModel

from karma_memory.ollama_chat import NoAnswerError, OllamaChat


class Form(BaseModel):
    name: str


def ask(host, timeout=20.0):
    return OllamaChat(model="m", host=host, timeout=timeout).ask("task", "data", Form)


def test_an_answer_is_an_object_of_the_form():
    with chat_server({"name": "Ada"}) as (host, _):
        assert ask(host) == Form(name="Ada")


def test_a_stricter_schema_is_what_the_model_gets():
    schema = {"type": "object", "properties": {"name": {"enum": ["Ada", "Bo"]}}}
    with chat_server({"name": "Bo"}) as (host, requests):
        assert OllamaChat(model="m", host=host, timeout=20.0).ask("task", "data", Form, schema) == Form(name="Bo")
    (request,) = requests
    assert (request["format"], request["options"]["temperature"]) == (schema, 0)
    assert [message["content"] for message in request["messages"]] == ["task", "data"]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (404, r"refused \(404\)"),
        ("no json", "nonsense from the model m: the answer"),
        ("", "nonsense from the model m"),
        ('{"name": "Ad', "nonsense from the model m"),
        ({"name": 3}, "nonsense from the model m: name"),
        (b"<html>It works!</html>", "what answers is not Ollama"),
        (b'["other", "json"]', "what answers is not Ollama"),
        (b"{}", "what answers is not Ollama"),
    ],
)
def test_an_answer_that_is_none_says_why(answer, message):
    with chat_server(answer) as (host, _), pytest.raises(NoAnswerError, match=message):
        ask(host)


def test_silence_says_so():
    with chat_server({"name": "Ada"}, delay=1.0) as (host, _), pytest.raises(NoAnswerError, match="does not answer"):
        ask(host, timeout=0.2)
    with chat_server({"name": "Ada"}, cut=True) as (host, _), pytest.raises(NoAnswerError, match="does not answer"):
        ask(host)
    with pytest.raises(NoAnswerError, match="Ollama does not answer"):
        ask(host)  # it is gone


def test_a_host_that_is_no_url_is_refused():
    with pytest.raises(ValueError, match="is no URL"):
        ask("http://[")


class Watched:
    """Answers of before, none; notes what the server failed at, and lets it be asked so often again."""

    def __init__(self, again):
        self.again, self.failures, self.left = again, [], []

    def get(self, key):
        return None

    def keep(self, key, answer):
        raise AssertionError("there is no answer")

    def failed(self, key, reason):
        self.failures.append(reason)
        return len(self.failures) <= self.again

    def lost(self, reason):
        self.left.append(reason)


def test_a_question_that_the_server_failed_at_is_asked_as_often_as_it_is_to_be():
    answers = Watched(again=1)
    with chat_server(500) as (host, requests), pytest.raises(NoAnswerError, match="refused"):
        OllamaChat(model="m", host=host, timeout=20.0, answers=answers).ask("task", "data", Form)
    assert (len(requests), len(answers.failures), len(answers.left)) == (2, 2, 1)
