# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Measures the page and its peer, in the same run, on the same home."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec.json
import numpy as np

from karma_ros.processor_time import processor_s
from karma_view.measuring.home_publisher import TICK
from karma_view.measuring.viewer import Viewer

START_S = 30.0
SETTLING_S = 3.0
"""After a start or a change, before it is measured."""
_TICK = re.compile(rf'"{TICK}(\d+)"')


class MeasureError(RuntimeError):
    """A process did not start, or nothing came."""


@dataclass(frozen=True)
class Cost:
    """What a process took while it was watched."""

    cpu: float
    """Share of one core."""
    mb: float
    """Resident memory at the end, megabytes."""


@dataclass(frozen=True)
class Following:
    """How one viewer saw the graph change."""

    rate: float
    """Updates a second that arrived."""
    p50_ms: float
    """From the publishing of an update until a viewer has it."""
    p99_ms: float
    cost: Cost


@dataclass(frozen=True)
class Figures:
    """All that is measured with one number of objects."""

    objects: int
    published: float
    """Updates a second."""
    idle: Cost
    """Of the page, while nobody looks."""
    alone: Following
    crowd: Following
    """The slowest of ten viewers, while one more doesn't read at all."""
    peer: Following | None
    """Of plain viser, with one viewer."""


def measure(
    objects: int, *, rate: float, seconds: float, domain_id: int, peer: bool, on_progress: Callable[[str], None]
) -> Figures:
    """Publish a home at `rate` updates a second, and watch the page follow. MeasureError."""
    environment = {**os.environ, "ROS_DOMAIN_ID": str(domain_id)}
    with _running(["karma_view.measuring.home_publisher", str(objects), str(rate)], environment):
        port = _free_port()
        page = ["karma_view.view_node", "--ros-args", "-p", f"port:={port}"]
        with _running(page, environment) as pid:
            _wait_listening(port)
            time.sleep(SETTLING_S)
            on_progress("nobody looks")
            idle = _watch(pid, lambda: time.sleep(seconds))
            on_progress("one viewer")
            alone = _follow(port, pid, seconds)
            on_progress("ten viewers, and one that doesn't read")
            crowd = _follow(port, pid, seconds, others=9, stalled=1)
        plain = None
        if peer:
            on_progress("plain viser")
            port = _free_port()
            with _running(["karma_view.measuring.plain_page", str(port)], environment) as pid:
                _wait_listening(port)
                time.sleep(SETTLING_S)
                plain = _follow(port, pid, seconds)
    return Figures(objects, rate, idle, alone, crowd, plain)


def _follow(port: int, pid: int, seconds: float, *, others: int = 0, stalled: int = 0) -> Following:
    """Watch with `others` more viewers; return what the slowest saw."""
    with ExitStack() as stack:
        for _ in range(stalled):
            stack.enter_context(Viewer(port))
        viewers = [stack.enter_context(Viewer(port)) for _ in range(1 + others)]
        late: list[list[float]] = [[] for _ in viewers]

        def look(number: int, duration: float) -> None:
            seen = ""
            for message in viewers[number].messages(duration):
                found = _TICK.search(msgspec.json.encode(message, enc_hook=str).decode())
                if found and found[1] != seen:
                    seen = found[1]
                    late[number].append((time.monotonic_ns() - int(seen)) / 1e6)

        def all_look(duration: float) -> None:
            threads = [threading.Thread(target=look, args=(number, duration)) for number in range(len(viewers))]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        all_look(SETTLING_S)
        for one in late:
            one.clear()
        cost = _watch(pid, lambda: all_look(seconds))
    slowest = min(late, key=len)
    if not slowest:
        raise MeasureError("a viewer saw nothing change")
    p50, p99 = np.percentile(slowest, [50, 99])
    return Following(len(slowest) / seconds, float(p50), float(p99), cost)


def _watch(pid: int, do: Callable[[], None]) -> Cost:
    began, used = time.monotonic(), processor_s(pid)
    do()
    took = time.monotonic() - began
    return Cost((processor_s(pid) - used) / took, _rss_mb(pid))


def _rss_mb(pid: int) -> float:
    return int(Path(f"/proc/{pid}/statm").read_text("utf-8").split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


@contextmanager
def _running(module: Sequence[str], environment: dict[str, str]) -> Iterator[int]:
    # A session of its own: Ctrl-C is for this process, which ends the others when the viewers have gone.
    process = subprocess.Popen(
        [sys.executable, "-m", *module], env=environment, stdout=subprocess.DEVNULL, start_new_session=True
    )
    try:
        yield process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(10.0)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_listening(port: int) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=START_S):
            return
        time.sleep(0.1)
    raise MeasureError(f"nothing listens on port {port} after {START_S:.0f} s")
