# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Extraction by a model: the real client against a server that speaks Ollama's protocol."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from karma_memory.facts.extraction import Mention
from karma_memory.facts.offline import OfflineExtractor
from karma_memory.facts.ollama_extraction import OllamaExtractor

NOW = 1_778_061_600.0
"""2026-05-06 10:00 UTC."""


@contextmanager
def server(content, status=200):
    """Answer every chat with `content`; yields the URL and the requests."""
    requests = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            body = {"model": "m", "message": {"role": "assistant", "content": content}, "done": True}
            data = json.dumps(body if status == 200 else {"error": "no such model"}).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *arguments):
            pass

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{running.server_port}", requests
    finally:
        running.shutdown()
        running.server_close()


def extractor(host, timeout=20.0):
    return OllamaExtractor(OfflineExtractor(), model="m", host=host, timeout=timeout)


def test_the_models_facts_become_claims():
    answer = {
        "facts": [
            {"path": ["sister"], "relation": "home", "value": "Oslo"},
            {"name": "Ada", "relation": "birthday", "value": "12 May"},
            {"relation": "car", "value": "Lada", "change": "no longer holds"},
            {"relation": "hotel", "value": "Ritz", "until": "14 May"},
        ]
    }
    with server(json.dumps(answer)) as (host, requests):
        found = extractor(host).told("<said>whatever</said>", NOW)
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
    with server(json.dumps({"path": ["sister", "boss"], "relation": "address"})) as (host, _):
        question = extractor(host).asked("?", NOW)
    assert (question.subject, question.relation) == (Mention("", ("sister", "boss")), "residence")


@pytest.mark.parametrize("content", ["", "no json", "[]", '{"facts": [{"value": "x"}]}', '{"facts": "all"}'])
def test_nonsense_is_left_to_the_rules(content):
    with server(content) as (host, _):
        asking = extractor(host)
        (claim,) = asking.told("I live in Oslo.", NOW).claims
    assert (claim.relation, claim.object.base) == ("residence", "Oslo")
    assert asking.problem.startswith(("nonsense from the model m", "what answers is not Ollama"))


def test_a_server_that_refuses_or_is_not_there_is_left_to_the_rules():
    with server("", status=404) as (host, _):
        asking = extractor(host)
        assert asking.asked("Where do I live?", NOW).relation == "residence"
        assert "refused (404)" in asking.problem
    asking = extractor("http://127.0.0.1:9", timeout=2.0)
    assert asking.asked("Where do I live?", NOW).relation == "residence"
    assert asking.problem.startswith("Ollama does not answer")


def test_a_host_that_is_no_url_is_refused():
    with pytest.raises(ValueError, match="is no URL"):
        extractor("http://[")
