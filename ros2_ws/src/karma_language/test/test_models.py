# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The client of models, against a local server that speaks both protocols, and against a real llama.cpp."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from ollama_server import MODEL, OllamaServer
from pydantic import BaseModel

from karma_language.models import (
    CanceledError,
    Limits,
    Model,
    ModelError,
    ModelLateError,
    ModelMissingError,
    Newest,
    NonsenseError,
    ServerError,
    Urgency,
    Waiting,
)

CHAT = [{"role": "user", "content": "Choose a fruit: apple or pear."}]
KEY = "sk-secret-0123456789"
STAND_INS = Path(__file__).resolve().parents[4] / "tests" / "stand_ins"


class Choice(BaseModel):
    """The form of an answer."""

    fruit: str


SCHEMA = Choice.model_json_schema()
PEAR = json.dumps({"fruit": "pear"})


@pytest.fixture(params=["ollama", "openai"])
def protocol(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def url(server: OllamaServer, protocol: str) -> str:
    return server.openai if protocol == "openai" else server.host


def test_a_question_gets_an_answer_of_its_form(protocol: str) -> None:
    with OllamaServer(PEAR, window=2048).running() as server:
        model = Model(MODEL, url=url(server, protocol))
        assert model.ask_for(Choice, "Choose a fruit.", "apple or pear").fruit == "pear"
        assert model.room() == 2048 - 512
        assert model.models() == [MODEL] if protocol == "openai" else True
    (asked,) = server.requests
    limit = asked["max_tokens"] if protocol == "openai" else asked["options"]["num_predict"]
    schema = asked["response_format"]["json_schema"]["schema"] if protocol == "openai" else asked["format"]
    assert (limit, schema) == (512, SCHEMA)


def test_the_same_question_is_asked_once(protocol: str) -> None:
    with OllamaServer(PEAR, '{"fruit": "apple"}').running() as server:
        model = Model(MODEL, url=url(server, protocol))
        assert model.ask(CHAT, SCHEMA) == model.ask(CHAT, SCHEMA) == PEAR
        assert "apple" in model.ask(CHAT, SCHEMA, variation=1)
    assert [model.usage.answered, model.usage.from_before] == [2, 1]


def test_of_the_answers_only_so_many_are_kept() -> None:
    server = OllamaServer("yes")
    with server.running():
        model = Model(MODEL, url=server.host, answers=Newest(2))
        for word in ("a", "b", "a", "c", "a", "b"):
            model.ask([{"role": "user", "content": word}], {})
    assert [request["messages"][0]["content"] for request in server.requests] == ["a", "b", "c", "b"]


def test_tokens_are_counted() -> None:
    with OllamaServer(PEAR).running() as server:
        model = Model(MODEL, url=server.openai)
        model.ask(CHAT, SCHEMA)
    assert (model.usage.tokens, model.usage.tokens_answered) == (7, 3)


@pytest.mark.parametrize(
    ("options", "kind", "says"),
    [
        ({"status": 500}, ServerError, "refused (500)"),
        ({"cut": True}, ServerError, "broke off"),
        ({"body": b"<html>nobody speaks so</html>"}, ServerError, ""),
        ({"body": b""}, ServerError, "broke off"),
        ({"body": b"[1, 2]\n"}, ServerError, ""),
    ],
)
def test_a_server_that_fails_is_named(protocol: str, options: dict[str, object], kind: type, says: str) -> None:
    with OllamaServer(PEAR * 4, **options).running() as server:  # type: ignore[arg-type]
        model = Model(MODEL, url=url(server, protocol))
        with pytest.raises(kind) as failed:
            model.ask(CHAT, SCHEMA)
    assert says in str(failed.value)
    assert server.host in str(failed.value)
    assert model.usage.problem == str(failed.value)


def test_a_server_that_is_away_is_named(protocol: str) -> None:
    address = "http://127.0.0.1:9" + ("/v1" if protocol == "openai" else "")
    model = Model(MODEL, url=address)
    with pytest.raises(ServerError, match=r"does not answer at http://127\.0\.0\.1:9") as away:
        model.ask(CHAT, SCHEMA)
    assert (model.usage.failed, model.usage.problem) == (1, str(away.value))


def test_a_model_that_is_missing_is_named(protocol: str) -> None:
    with (
        OllamaServer(PEAR).running() as server,
        pytest.raises(ModelMissingError, match=r"no model 'none'\. (Get it|Name one)"),
    ):
        Model("none", url=url(server, protocol)).ask(CHAT, SCHEMA)


def test_an_answer_that_does_not_begin_or_end_is_given_up(protocol: str) -> None:
    with (
        OllamaServer(PEAR, delay=30.0).running() as server,
        pytest.raises(ModelLateError, match=r"did not begin to answer within 0\.2 s") as late,
    ):
        Model(MODEL, url=url(server, protocol), limits=Limits(first=0.2)).ask(CHAT, SCHEMA)
    assert late.value.limit == "first"
    with (
        OllamaServer(PEAR * 100, pace=0.2).running() as server,
        pytest.raises(ModelLateError, match=r"did not answer within 1 s"),
    ):
        Model(MODEL, url=url(server, protocol), limits=Limits(total=1.0)).ask(CHAT, SCHEMA)


def test_an_answer_without_end_is_given_up(protocol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karma_language.models.client._LONGEST", 1000)
    with OllamaServer("x" * 10_000).running() as server, pytest.raises(ServerError, match="without end"):
        Model(MODEL, url=url(server, protocol)).ask(CHAT, SCHEMA)


def test_nobody_waits_for_what_is_stopped(protocol: str) -> None:
    stop = threading.Event()
    with OllamaServer(PEAR * 1000, pace=0.05).running() as server:
        model = Model(MODEL, url=url(server, protocol))
        waiting = Waiting(progress=lambda step: stop.set() if "tokens" in step else None, cancelled=stop.is_set)
        with pytest.raises(CanceledError):
            model.ask(CHAT, SCHEMA, waiting)
        assert server.left.wait(30.0)  # the server stops, too


@pytest.mark.parametrize("answer", ["", "{}", "no", '{"fruit": 3}', PEAR[:-1], "[" * 5000])
def test_an_answer_of_another_form_is_nonsense(answer: str) -> None:
    with OllamaServer(answer or " ").running() as server, pytest.raises(NonsenseError, match="answered nonsense"):
        Model(MODEL, url=server.host).ask_for(Choice, "Choose a fruit.", "apple or pear")


def test_the_key_comes_from_the_environment_and_is_said_to_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[object] = []
    with OllamaServer(PEAR, key=KEY).running() as server:
        monkeypatch.setenv("KARMA_LLM_KEY", KEY)
        assert Model(MODEL, url=server.openai, heard=lambda *all_: heard.append(all_)).ask(CHAT, SCHEMA) == PEAR
        monkeypatch.setenv("KARMA_LLM_KEY", "sk-wrong-9876543210")
        with pytest.raises(ServerError, match="refused the key") as refused:
            Model(MODEL, url=server.openai).ask(CHAT, SCHEMA)
    assert "sk-" not in str(refused.value)
    assert KEY not in repr(heard)


@pytest.mark.parametrize("bad", ["", "ftp://x", "http://", "http://x:y", "http://a b", "http://\n"])
def test_what_is_no_url_is_refused(bad: str) -> None:
    with pytest.raises(ValueError, match="is no URL"):
        Model(MODEL, url=bad)


def test_a_url_may_leave_out_its_protocol() -> None:
    assert Model(MODEL, url="gpu:11434").url == "http://gpu:11434"


def test_a_person_waits_less_than_a_reflection() -> None:
    answered: list[str] = []
    with OllamaServer(PEAR, pace=0.3).running() as server:
        model = Model(MODEL, url=server.host, answers=Newest(0))
        model.room()

        def ask(name: str, urgency: Urgency) -> None:
            model.ask([{"role": "user", "content": name}], SCHEMA, Waiting(urgency))
            answered.append(name)

        threads = [threading.Thread(target=ask, args=("first", Urgency.NOBODY))]
        threads[0].start()
        while not server.requests:
            time.sleep(0.01)
        for name, urgency in (("reflection", Urgency.NOBODY), ("person", Urgency.PERSON)):
            threads.append(threading.Thread(target=ask, args=(name, urgency)))
            threads[-1].start()
            while len(model._turns._waiting) < len(threads) - 1:
                time.sleep(0.01)
        for thread in threads:
            thread.join()
    assert answered == ["first", "person", "reflection"]


def test_who_is_stopped_while_waiting_leaves_the_queue() -> None:
    with OllamaServer(PEAR, pace=0.3).running() as server:
        model = Model(MODEL, url=server.host)
        model.room()
        first = threading.Thread(target=model.ask, args=(CHAT, SCHEMA))
        first.start()
        while not server.requests:
            time.sleep(0.01)
        with pytest.raises(CanceledError):
            model.ask([{"role": "user", "content": "x"}], SCHEMA, Waiting(cancelled=lambda: True))
        first.join()
        assert model.ask([{"role": "user", "content": "y"}], SCHEMA) == PEAR


class _Persistent(Newest):
    """Answers of a long run, which has the server asked again."""

    def __init__(self) -> None:
        super().__init__()
        self.noted: list[str] = []

    def failed(self, key: str, reason: str) -> bool:
        self.noted.append("failed")
        return len(self.noted) < 2

    def lost(self, reason: str) -> None:
        self.noted.append("lost")


def test_a_long_run_has_a_server_that_failed_asked_again() -> None:
    answers = _Persistent()
    with OllamaServer(PEAR, status=500).running() as server, pytest.raises(ModelError):
        Model(MODEL, url=server.host, answers=answers).ask(CHAT, SCHEMA)
    assert answers.noted == ["failed", "failed", "lost"]
    assert len(server.requests) == 2


@pytest.fixture
def llama_cpp() -> Iterator[str]:
    """Return the URL of llama.cpp's own server with a small real model."""
    from ollama_stand_in import daemon, models

    if missing := daemon.missing():
        pytest.skip(f"./karma test installs {missing}, for tests with a real language model")
    (file, *_) = models.installed().values()
    command = [sys.executable, "-m", "ollama_stand_in.runner", str(file), "2048", "2"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=STAND_INS) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.kill()


def test_a_real_openai_compatible_server_answers(llama_cpp: str) -> None:
    lister = Model("any", url=f"{llama_cpp}/v1")
    (name,) = lister.models()
    model = Model(name, url=f"{llama_cpp}/v1")
    assert model.ask_for(Choice, "Choose a fruit.", "apple or pear").fruit
    assert model.usage.tokens > 0
    assert 0 < model.room() <= 4096
