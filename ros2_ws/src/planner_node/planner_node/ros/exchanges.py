# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the planner asks and is asked, on `planner/exchanges`: with the journal, all that its decisions rest on.

Nothing is serialized while nobody listens.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from ament_index_python.packages import get_package_share_directory
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.serialization import serialize_message

from karma_interfaces.msg import Exchange

TOPIC = "planner/exchanges"
JSON = "application/json"
"""`request_type` of what is asked of a language model."""
INSTRUCTION, QUESTION, ODOM, LLM = "execute_instruction", "question", "odom", "llm"
"""Names of what is no service: an instruction, a question to a person, where the robot is, a model's answer."""

_EXCHANGED = (
    *(f"action/{name}.action" for name in ("ExecuteInstruction", "ExecuteSkill")),
    *(f"srv/{name}.srv" for name in ("Answer", "Ask", "Choose", "Feedback", "GetFrontiers", "GetSceneGraph")),
    *(f"srv/{name}.srv" for name in ("LearnChoice", "ListSkills", "Recall", "Remember")),
)
"""Files of their definitions."""

# None may be lost: a gap can't be replayed. Those of a long instruction wait for a recorder that is busy.
QOS = QoSProfile(depth=2000, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.VOLATILE)


class Exchanges:
    """Publishes them. Thread-safe."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._publisher = node.create_publisher(Exchange, TOPIC, QOS)
        self._lock = threading.Lock()
        self._sequence = 0
        self._running: list[str] = []

    def destroy(self) -> None:
        """Give the publisher back."""
        self._node.destroy_publisher(self._publisher)

    def now(self) -> Any:
        """Return the time, for `asked`."""
        return self._node.get_clock().now().to_msg()

    @contextmanager
    def during(self, instruction_id: str) -> Iterator[None]:
        """Say which instruction is carried out: what is noted meanwhile belongs to it."""
        self._running.append(instruction_id)
        try:
            yield
        finally:
            self._running.remove(instruction_id)

    def note(self, name: str, request: Any = None, response: Any = None, *, asked: Any = None, error: str = "") -> None:
        """Publish an exchange of messages. `asked`: when, where that was not now; `error`: why there is no response."""
        if self._publisher.get_subscription_count():
            self._publish(name, packed(request), packed(response), asked, error)

    def note_model(self, question: Mapping[str, Any], answer: str) -> None:
        """Publish what a language model was asked, and its answer."""
        if self._publisher.get_subscription_count():
            asked, said = (JSON, json.dumps(question, sort_keys=True).encode()), (JSON, json.dumps(answer).encode())
            self._publish(LLM, asked, said, None, "")

    def _publish(
        self, name: str, request: tuple[str, bytes], response: tuple[str, bytes], asked: Any, error: str
    ) -> None:
        with self._lock:
            self._sequence += 1
            now = self.now()
            message = Exchange(
                sequence=self._sequence,
                interfaces=interfaces(),
                instruction_id=self._running[-1] if self._running else "",
                asked=asked or now,
                answered=now,
                name=name,
                error=error,
            )
            message.request_type, message.request = request
            message.response_type, message.response = response
            self._publisher.publish(message)


def definitions() -> dict[str, str]:
    """Return the definitions of what is exchanged, and of the messages in it, as they are installed.

    Name in karma_interfaces, such as "srv/Recall.srv" → text without comments.
    """
    share = Path(get_package_share_directory("karma_interfaces"))
    known: dict[str, str] = {}
    waiting = [*_EXCHANGED]
    while waiting:
        name = waiting.pop()
        lines = (line.partition("#")[0].split() for line in (share / name).read_text(encoding="utf-8").splitlines())
        known[name] = "\n".join(" ".join(words) for words in lines if words)
        used = {f"msg/{kind}.msg" for kind in re.findall(r"^[A-Z]\w*", known[name], re.MULTILINE)}
        waiting += [kind for kind in used if kind not in known and kind not in waiting]
    return known


@cache
def interfaces() -> str:
    """Return the digest of these definitions."""
    known = definitions()
    return hashlib.sha256("\0".join(f"{name} {known[name]}" for name in sorted(known)).encode()).hexdigest()[:16]


def definitions_before() -> dict[str, dict[str, str]]:
    """Return the definitions of 0.1.0, whose recordings don't say their own, by their digests.

    The file has the newest first, and of the others what differs from the ones before.
    """
    text = Path(__file__).with_name("exchanged_before.json").read_text(encoding="utf-8")
    known: dict[str, str] = {}
    return {digest: (known := known | changed) for digest, changed in json.loads(text).items()}


def packed(message: Any) -> tuple[str, bytes]:
    """Return a message's type and bytes."""
    if message is None:
        return "", b""
    kind = type(message)
    package, folder = kind.__module__.split(".")[:2]
    return f"{package}/{folder}/{kind.__name__}", serialize_message(message)
