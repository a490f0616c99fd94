# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Profiles by a language model, against a server that speaks Ollama's HTTP API and answers what a test tells it to."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from karma_memory.profile.graph import NodeType
from karma_memory.profile.likeness import Lexicon
from karma_memory.profile.memory import Operation, UserProfiles
from karma_memory.profile.offline import OfflineSteps
from karma_memory.profile.ollama_steps import OllamaSteps

TOLD = "Put the flute on the piano. The flute is silver. My uncle left me the flute, it was his."
KNOWLEDGE = {
    "type": "object_semantics",
    "subtype": "history",
    "alias": "the flute my uncle left me",
    "description": "My uncle left me the flute.",
}


class Server:
    """Answers each chat with the next of `answers` (a dict: JSON; a string: as it is; a number: that HTTP status)."""

    def __init__(self):
        self.answers, self.asked = [], []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                outer.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                answer = outer.answers.pop(0)
                status = answer if isinstance(answer, int) else 200
                content = answer if isinstance(answer, str) else json.dumps(answer)
                body = {"model": "m", "message": {"role": "assistant", "content": content}, "done": True}
                data = json.dumps({"error": "no"} if status != 200 else body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def close(self):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def server():
    server = Server()
    yield server
    server.close()


def profiles_with(url):
    steps = OllamaSteps(OfflineSteps(Lexicon(None)), model="m", host=url, timeout=20.0)
    return UserProfiles(None, steps)


def test_the_model_takes_every_step(server):
    profiles = profiles_with(server.url)
    server.answers = [{"knowledge": [KNOWLEDGE]}, {"things": [{"name": "flute", "description": "silver"}]}]
    (added,) = profiles.update("ada", TOLD)
    assert [n.name for n in profiles.graph.of_user("ada", NodeType.OBJECT)] == ["flute"]
    again = {**KNOWLEDGE, "alias": "my uncle's flute"}
    server.answers = [{"knowledge": [again]}, {"things": [{"name": "flute"}]}, {"id": added.node}]
    (updated,) = profiles.update("ada", "The flute was my uncle's.")
    assert (updated.operation, updated.replaced) == (Operation.UPDATE, added.node)
    server.answers = [{"text": "The silver flute is dear to ada."}]
    assert profiles.text(updated.node) == "The silver flute is dear to ada."
    assert all(chat["format"]["type"] == "object" and chat["options"]["temperature"] == 0 for chat in server.asked)
    assert all(TOLD not in chat["messages"][0]["content"] for chat in server.asked)


@pytest.mark.parametrize("nonsense", ["I'd rather not", '{"knowledge": 3}', '{"knowledge": [{"type": "secret"}]}', 500])
def test_nonsense_is_refused_and_the_step_taken_offline(server, nonsense):
    profiles = profiles_with(server.url)
    server.answers = [nonsense] * 4
    (change,) = profiles.update("ada", TOLD)
    assert profiles.graph.node(change.node).description.startswith("My uncle left me")


def test_a_candidate_that_there_is_not_is_no_answer(server):
    profiles = profiles_with(server.url)
    things = {"things": [{"name": "flute"}]}
    server.answers = [{"knowledge": [KNOWLEDGE]}, things, {"knowledge": [KNOWLEDGE]}, things, {"id": "k99"}]
    profiles.update("ada", TOLD)
    (change,) = profiles.update("ada", TOLD)
    assert change.operation is Operation.UPDATE  # offline: the same words are the same knowledge


def test_without_a_server_it_goes_on_offline():
    server = Server()
    server.close()
    (change,) = profiles_with(server.url).update("ada", TOLD)
    assert change.operation is Operation.ADD


def test_a_host_that_is_no_url_is_refused():
    with pytest.raises(ValueError, match="no URL"):
        OllamaSteps(OfflineSteps(Lexicon(None)), model="m", host="http://[", timeout=1.0)
