# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E402 - without ROS the imports below can't be made; the test is skipped then
"""What the memory server keeps in its own memory of a user who was erased."""

import gc
import weakref

import numpy as np
import pytest

rclpy = pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("karma_interfaces.srv", reason="karma_interfaces is not built")

from builtin_interfaces.msg import Time
from rclpy.parameter import Parameter
from test_memory_node import place, ros_domain, told  # noqa: F401 - fixtures

from karma_interfaces.msg import Result
from karma_interfaces.srv import BrowseMemory, Choose, ForgetUser, Recall, Remember
from karma_memory import Event, EventKind, Image
from karma_memory.journal import JournalError
from karma_memory.memory_node import MemoryNode
from karma_memory.recall.embedding_worker import EmbeddingWorker

pytestmark = pytest.mark.ros


@pytest.fixture
def node(place, ros_domain):  # noqa: F811 - fixtures
    parameters = {"database": place.location, "folder": place.folder, "embedder": "lexical"}
    rclpy.init()
    node = MemoryNode()
    node.set_parameters([Parameter(name, value=str(value)) for name, value in parameters.items()])
    node.trigger_configure()
    node.trigger_activate()
    yield node
    node.close()
    node.destroy_node()
    rclpy.shutdown()


def ask(node, kind, name, **fields):
    """Return what a service answers, without a middleware that could hold something, too."""
    (service,) = [service for service in node.services if service.service_name.endswith(f"/{name}")]
    answer = service.callback(kind.Request(**fields), kind.Response())
    assert answer.result.code == Result.SUCCESS, answer.result.message
    return answer


def held(word):
    """Return what holds a string with this word, of all that the collector knows, frozen or not."""
    gc.collect()  # not what is frozen: that stays as it is in a server
    gc.unfreeze()
    holders = {}
    for one in gc.get_objects():
        for part in gc.get_referents(one):
            if isinstance(part, str | bytes) and word in (part if isinstance(part, str) else part.decode("latin-1")):
                holders.setdefault(part, []).append(type(one))
    return holders


def test_of_a_user_who_was_erased_nothing_is_held_by_anybody(node):
    word = "".join(("quin", "ce", "berry"))  # not as a constant of this function

    ask(node, Remember, "memory/remember", events=[told(f"My sister Eva likes {word} tea", stamp=Time(sec=100))])
    ask(node, Remember, "memory/remember", events=[told("I drink tea", stamp=Time(sec=200))])
    for second in (150, 250):  # a state of the past, and one that was made of it
        ask(node, BrowseMemory, "memory/browse", user="ann", at=Time(sec=second))
    ask(node, Recall, "memory/recall", user="ann", query=f"who likes {word} tea?")
    ask(node, Choose, "memory/choose", user="ann", text=f"I want {word} tea", options=["tea", f"{word} tea"])
    state = weakref.ref(node._memory._live.state)
    assert held(word)
    ask(node, ForgetUser, "memory/forget_user", user="ann")
    gc.collect()
    assert state() is None
    assert held(word) == {}


def test_a_closed_embedding_worker_keeps_no_question(tmp_path):
    class Model:
        name = "model"

        def embed(self, texts):
            return np.ones((len(texts), 4), np.float32)

    worker = EmbeddingWorker(Model(), tmp_path / "vectors", list, lambda texts, vectors: None, lambda: None)
    assert worker.query_vector("who likes tea?") is not None
    worker.close()
    assert "who likes tea?" not in gc.get_referents(worker._query_vector)


def test_a_request_that_was_on_its_way_while_a_user_was_erased_keeps_nothing(node):
    before = node._memory
    ask(node, ForgetUser, "memory/forget_user", user="ann")
    with pytest.raises(JournalError):
        node._personal._choices(before)
    assert node._personal._of is None


def test_a_server_that_is_cleaned_up_keeps_nothing(node):
    ask(node, Choose, "memory/choose", user="ann", text="bring me a drink", options=["tea", "coffee"])
    state = weakref.ref(node._memory._live.state)
    node.trigger_deactivate()
    node.trigger_cleanup()
    gc.collect()
    assert state() is None
    assert node._personal._of is None


def test_a_server_that_keeps_pictures_for_some_time_drops_older_ones(node, monkeypatch):
    value = node.value
    monkeypatch.setattr(node, "value", lambda name: 1e6 if name == "picture_period" else value(name))
    image = Image.of("jpeg", b"\xff\xd8picture\xff\xd9")
    node._memory.remember([Event("e", EventKind.TOLD, node._now() - 5.0, text="hello", image=image)])
    node._compact()
    assert node._memory.image(image.sha256)
    monkeypatch.setattr(node, "value", lambda name: 1.0 if name == "picture_period" else value(name))
    node._compact()
    assert node._memory.image(image.sha256) is None
