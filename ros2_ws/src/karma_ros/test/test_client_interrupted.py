# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C at any line of the client and of rclpy while the client is made, sends a goal and is closed."""

from __future__ import annotations

import random
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any

import pytest

pytest.importorskip("rclpy")

from test_client import Server, domain, run, server  # noqa: F401 - fixtures

import karma_ros.client
from karma_ros.client import GraphClient
from karma_ros.interrupts import SIGNALS, raise_on_signals

pytestmark = pytest.mark.ros
MOMENTS = 30
"""That are tried, of some thousands."""


@pytest.fixture
def _signals() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in SIGNALS}
    raise_on_signals()
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


class Presser:
    """Presses Ctrl-C at one line, by its number among those that this thread runs; 0: at none, and counts them."""

    def __init__(self, at: int = 0) -> None:
        self._at = at
        self.lines = 0

    def __call__(self, frame: FrameType, event: str, _: Any) -> Any:
        file = frame.f_code.co_filename
        # What is raised while an object is given back by Python is printed there and then, and goes no further.
        if (file != karma_ros.client.__file__ and "rclpy" not in file) or frame.f_code.co_name == "__del__":
            return None
        if event == "line":
            self.lines += 1
            if self.lines == self._at:
                signal.raise_signal(signal.SIGINT)
        return self


def used(domain: int, presser: Presser) -> bool:  # noqa: F811 - not the fixture
    """Make a client, send a goal and close it; return whether it was interrupted."""
    client: GraphClient | None = None
    sys.settrace(presser)
    try:
        client = GraphClient(name="interrupted", domain_id=domain)
        with client:
            run(client)
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(None)
        if client is not None:
            client.close()  # which is done at the end of the process
    return False


@pytest.mark.usefixtures("_signals", "server")
def test_the_client_ends_in_order_whenever_ctrl_c_comes(
    domain: int,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wrong: list[object] = []
    for hook in ("excepthook", "unraisablehook"):
        monkeypatch.setattr(sys if hook == "unraisablehook" else threading, hook, wrong.append)
    counting = Presser()
    assert not used(domain, counting)
    chosen = random.Random(1)
    threads = threading.active_count()
    interrupted = 0
    for number in (chosen.randint(1, counting.lines) for _ in range(MOMENTS)):
        interrupted += used(domain, Presser(number))
        assert not wrong, f"at line {number}: {wrong}"
        assert threading.active_count() == threads, f"at line {number}"
    assert interrupted > MOMENTS / 2, "else lines were counted that nobody runs again"
