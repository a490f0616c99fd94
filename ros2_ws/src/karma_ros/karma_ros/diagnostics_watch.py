# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How the nodes of one graph are, as they say on /diagnostics."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus

from karma_ros import MANAGER
from karma_ros.client import GraphClient
from karma_ros.diagnostics import OK, TOPIC, WARN, full_name

FRESH_S = 10.0
"""What a node said longer ago is not how it is now; they say it every second."""
POLL_S = 0.05


@dataclass(frozen=True)
class Heard:
    """What a node said last."""

    status: DiagnosticStatus
    at: float
    """When it came, by time.monotonic()."""

    @property
    def fresh(self) -> bool:
        """Whether it holds still."""
        return time.monotonic() - self.at < FRESH_S

    @property
    def values(self) -> dict[str, str]:
        """Its figures."""
        return {value.key: value.value for value in self.status.values}


class DiagnosticsWatch:
    """Hears the nodes that the lifecycle manager of the client's graph looks after, and the manager. Thread-safe."""

    def __init__(self, client: GraphClient) -> None:
        """Begin to hear, until `close` or the end of the client."""
        self._client = client
        self._prefix = full_name("", client.node.get_namespace())
        self._hearing = threading.Lock()
        self._heard: dict[str, dict[str, Heard]] = {}
        self._subscription = client.node.create_subscription(DiagnosticArray, TOPIC, self._hear, 10)

    def close(self) -> None:
        """Hear no more."""
        self._client.node.destroy_subscription(self._subscription)

    def _hear(self, message: DiagnosticArray) -> None:
        now = time.monotonic()
        with self._hearing:
            for status in message.status:
                name, _, part = status.name.partition(": ")
                namespace, _, node = name.rpartition("/")
                if namespace == self._prefix:
                    self._heard.setdefault(node, {})[part] = Heard(status, now)

    def states(self) -> dict[str, Heard]:
        """Return what the manager says of each node that it looks after."""
        with self._hearing:
            return dict(self._heard.get(MANAGER, {}))

    def parts(self) -> dict[tuple[str, str], Heard]:
        """Return what these nodes say of themselves, by node and part."""
        with self._hearing:
            nodes = self._heard.get(MANAGER, {})
            return {(node, part): heard for node in nodes for part, heard in self._heard.get(node, {}).items()}

    def wait(self, timeout: float) -> None:
        """Return when all nodes that are active have said how they are, or after `timeout` seconds."""
        until = time.monotonic() + timeout
        while time.monotonic() < until:
            active = {name for name, heard in self.states().items() if heard.status.level == OK}
            if active and active <= {node for node, _ in self.parts()}:
                return
            time.sleep(POLL_S)

    def troubles(self) -> dict[str, DiagnosticStatus]:
        """Return what is wrong now with nodes that are active, by node."""
        return {
            node: heard.status for (node, _), heard in self.parts().items() if heard.fresh and heard.status.level != OK
        }


def told(troubles: Mapping[str, DiagnosticStatus]) -> list[str]:
    """Return troubles in words, one of each node."""
    return [
        f"{'warning' if status.level == WARN else 'error'}: {node}: {status.message}"
        for node, status in troubles.items()
    ]
