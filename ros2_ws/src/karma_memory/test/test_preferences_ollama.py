# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The language steps by a model: the real client against a local server that speaks Ollama's protocol."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from karma_memory.preferences import Likeness, Mode, Request
from karma_memory.preferences.language import Heard
from karma_memory.preferences.offline import OfflineLanguage
from karma_memory.preferences.ollama import OllamaLanguage

SCENE = ("rain jacket", "hall closet", "desk")
DRINKS = Request("ada", "Bring me a drink, please.", Mode.FETCH, "", ("barley tea", "oat milk"))


@contextmanager
def server(content: str, status: int = 200) -> Iterator[tuple[str, list[Any]]]:
    """Answer every chat with the content; yield the host and the requests so far."""
    requests: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *arguments: object) -> None:
            """Say nothing."""

        def do_POST(self) -> None:
            requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            message = {"role": "assistant", "content": content}
            body = {"model": "m", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": True}
            data = json.dumps(body if status == 200 else {"error": "no"}).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    web = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=web.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{web.server_address[1]}", requests
    finally:
        web.shutdown()
        web.server_close()


def language(host: str) -> OllamaLanguage:
    return OllamaLanguage(OfflineLanguage(Likeness(None)), model="m", host=host, timeout=30.0)


def test_the_model_reads_a_request() -> None:
    answer = {"mode": "put", "thing": "rain jacket", "options": ["desk", "hall closet"]}
    with server(json.dumps(answer)) as (host, requests):
        request = language(host).read("ada", "Jacket!", SCENE)
    assert (request.mode, request.thing, request.options) == (Mode.PUT, "rain jacket", ("hall closet", "desk"))
    assert requests[0]["format"]["properties"]["thing"]["enum"] == [*SCENE, ""]


def test_the_model_hears_what_is_wanted() -> None:
    with server(json.dumps({"salient": True, "chosen": "Oat Milk", "changed": True})) as (host, _):
        assert language(host).heard(DRINKS, "the milky one from now on") == Heard("oat milk", changed=True)
    with server(json.dumps({"salient": False, "chosen": "", "changed": False})) as (host, _):
        assert language(host).heard(DRINKS, "the oat milk was lovely") is None
    with server(json.dumps({"salient": True, "chosen": "cold cider", "changed": False})) as (host, _):
        assert language(host).heard(DRINKS, "I'd rather have cold cider.") == Heard("cold cider")


@pytest.mark.parametrize(
    ("content", "status"),
    [
        ("nonsense", 200),
        ("[]", 200),
        ("{}", 200),
        (json.dumps({"salient": True, "chosen": "vodka", "changed": False}), 200),
        (json.dumps({"salient": "yes", "chosen": "oat milk", "changed": False}), 200),
        ("", 500),
    ],
)
def test_nonsense_leaves_the_step_to_the_rules(content: str, status: int) -> None:
    with server(content, status) as (host, _):
        model = language(host)
        assert model.heard(DRINKS, "The barley tea, please.") == Heard("barley tea")
        assert model.read("ada", "Please put my rain jacket away.", SCENE).thing == "rain jacket"


def test_a_server_that_is_not_there_leaves_the_step_to_the_rules() -> None:
    assert language("http://127.0.0.1:9").heard(DRINKS, "The barley tea, please.") == Heard("barley tea")


def test_a_place_cannot_be_put_onto_itself() -> None:
    answer = {"mode": "put", "thing": "desk", "options": ["desk"]}
    with server(json.dumps(answer)) as (host, _):
        assert language(host).read("ada", "Please put my rain jacket away.", SCENE).thing == "rain jacket"


def test_a_host_that_is_no_url_is_refused() -> None:
    with pytest.raises(ValueError, match="is no URL"):
        language("http://[")
