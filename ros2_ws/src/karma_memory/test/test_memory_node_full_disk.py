# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0

"""The memory server's process, whose files may not grow any more."""

import re
import resource
from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("karma_interfaces.srv", reason="karma_interfaces is not built")

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from ollama_server import MODEL, OllamaServer
from survival import Survivor
from test_memory_node import client, place, ros_domain, server, told  # noqa: F401 - fixtures
from test_nothing_held import node  # noqa: F401 - fixture

from karma_interfaces.msg import Result
from karma_language.models import Model, ServerError
from karma_memory.ros import diagnosis as module

pytestmark = pytest.mark.ros


def test_without_room_it_says_so_until_there_is_some_and_what_was_acknowledged_is_on_disk(server, client, place):  # noqa: F811
    heard = []
    client.node.create_subscription(DiagnosticArray, "/diagnostics", lambda message: heard.extend(message.status), 10)

    def says(level, text):
        heard.clear()
        client.eventually(
            lambda: [(status.level, status.message) for status in heard],
            lambda said: any(status[0] == level and text in status[1] for status in said),
        )

    process = server()
    acknowledged = [*client.remember(told("The cup is in the sink.")).ids]
    (_, hard) = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
    size = Path(f"{place.location}-wal").stat().st_size
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (size, hard))  # as a quota is
    for _ in range(2):
        refused = client.remember(told("The key is in the drawer."))
        assert refused.result.code == Result.UNAVAILABLE
        assert "free some space and try again" in refused.result.message
    assert "sink" in client.recall("where is the cup?", user="ann").prompt
    for _ in range(3):  # it does not pass by itself
        says(DiagnosticStatus.ERROR, "nothing is remembered now: no room for")
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (hard, hard))
    says(DiagnosticStatus.OK, "events")  # though nobody has anything to be remembered
    acknowledged += client.remember(told("The key is in the drawer.")).ids
    process.kill()
    process.wait()
    Survivor(place).check(dict.fromkeys(acknowledged, 0))


def test_little_free_space_is_a_warning_that_says_what_to_do(node, monkeypatch):  # noqa: F811
    assert node.diagnose().level == DiagnosticStatus.OK
    monkeypatch.setattr(module, "LOW_BYTES", 1 << 60)
    diagnosis = node.diagnose()
    assert diagnosis.level == DiagnosticStatus.WARN
    assert re.fullmatch(r"only \d+ MB are free in .*: free some space", diagnosis.message)
    assert diagnosis.values["free_bytes"] > 0


def test_a_language_model_that_is_away_is_a_warning_until_it_answers(node):  # noqa: F811
    with OllamaServer("yes").running() as ollama:
        node._model = Model(MODEL, url=ollama.host)
        node._model.ask([], {})
        assert node.diagnose().level == DiagnosticStatus.OK
    with pytest.raises(ServerError) as away:
        node._model.ask([], {}, variation=1)
    assert (node.diagnose().level, node.diagnose().message) == (DiagnosticStatus.WARN, f"language model: {away.value}")
