# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The parts of `./karma test` in lanes, side by side: most tests of a graph wait, while others compute."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import click

from karma.supervision.shared_memory import remove_stale_segments
from karma.tied import started_in, tied, tied_environment
from karma_ros.domain import claim_domain

DOMAIN = "KARMA_TEST_DOMAIN_ID"
"""The variable that tells tests of single nodes their ROS domain."""

LIMIT_S = 1200.0
"""Seconds that a part may take: twice what the longest took on two busy processors. What hangs, hangs for ever."""
CRASHES = (-signal.SIGSEGV, -signal.SIGBUS)
"""How a process ends that native code has broken; KARMA has none. It was seen once in some thousand graphs, in a thread
without Python, as Fast DDS has them. So such a part is run once more, and fails when it crashes again."""
STACKS_S = 10.0
"""Seconds in which a part that is aborted has printed its stacks."""


@dataclass(frozen=True)
class Part:
    """One command of a run, in a process of its own."""

    name: str
    command: Sequence[str]
    allowed: Sequence[int] = (0,)
    """The statuses that it may end with."""
    waits: bool = False
    """Whether it starts graphs, and waits for them more than it computes."""
    limit: float = LIMIT_S
    """Seconds that it may take."""

    @property
    def too_long(self) -> str:
        """What to say of one that took longer."""
        return f"{self.name} took longer than {self.limit / 60:g} min; where it hung is at the end of what it printed"


@dataclass(frozen=True)
class Failure:
    """A part that failed."""

    name: str
    tests: tuple[str, ...]
    """What pytest says in a line of each test that failed, or that it took too long."""


@dataclass(frozen=True)
class _Ended:
    """How a part ended."""

    status: int
    failed: tuple[str, ...]
    """What pytest says of each test that failed."""
    late: tuple[str, ...]
    """What is said where it took too long."""


@contextmanager
def part_environment() -> Iterator[dict[str, str]]:
    """Hold a ROS domain that no graph and no other part has, with room in shared memory; yield the environment.

    What one process has compiled the others need not, whatever the environment says of that.
    """
    remove_stale_segments()
    with claim_domain(None) as domain:
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        yield kept | {DOMAIN: str(domain)}


class Lanes:
    """Runs parts side by side, each in its own environment."""

    def __init__(self, root: Path, parts: Sequence[Part], number: int) -> None:
        """Run `parts` in the folder `root`, in `number` lanes (1 or more)."""
        self._root = root
        self._number = number
        # From the left come those that wait and from the right, for one lane, those that compute.
        self._parts = deque(sorted(parts, key=lambda part: not part.waits))
        self._running: list[subprocess.Popen[bytes]] = []
        self._lock = threading.Lock()
        self._ended = False

    def run(self) -> list[Failure]:
        """Run every part and print what each has printed when it ends; return those that failed.

        At Ctrl-C or SIGTERM the running parts are interrupted, too, and waited for; at another one they are killed.
        """
        with ThreadPoolExecutor(self._number) as pool:
            lanes = [pool.submit(self._lane, number) for number in range(self._number)]
            try:
                wait(lanes)
            except KeyboardInterrupt:
                self._end(lanes)
                raise
            return [failure for lane in lanes for failure in lane.result()]

    def _end(self, lanes: Sequence[Future[list[Failure]]]) -> None:
        try:
            with self._lock:
                self._ended = True
                for process in self._running:
                    process.send_signal(signal.SIGINT)
            wait(lanes)
        except KeyboardInterrupt:
            for process in tuple(self._running):
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
            raise

    def _lane(self, number: int) -> list[Failure]:
        failures = []
        while (part := self._next(number)) is not None:
            ended = self._run(part)
            if ended is not None and ended.status in CRASHES:
                click.echo(f"{part.name} crashed in native code: run once more", err=True)
                ended = self._run(part)
            if ended is None:
                break
            if ended.late or ended.status not in part.allowed:
                failures.append(Failure(part.name, (*ended.failed, *ended.late)))
        return failures

    def _run(self, part: Part) -> _Ended | None:
        """Run a part and print what it has printed. None where the run is interrupted before the part has started."""
        start = time.monotonic()
        with part_environment() as environment, tempfile.TemporaryFile() as output:
            with self._lock:
                if self._ended:
                    return None
                # A process group of its own, so that Ctrl-C comes once, from here.
                process = subprocess.Popen(
                    tied(part.command),
                    cwd=self._root,
                    env=tied_environment(environment),
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    process_group=0,
                )
                self._running.append(process)
            late: tuple[str, ...] = ()
            try:
                status = process.wait(part.limit)
            except subprocess.TimeoutExpired:
                status, late = end_hanging(process, environment), (part.too_long,)
            output.seek(0)
            printed = output.read().decode(errors="replace")
        with self._lock:
            self._running.remove(process)
            click.echo(f"== {part.name} ({time.monotonic() - start:.0f} s)", err=True)
            click.echo(printed, nl=False)
        return _Ended(status, tuple(re.findall(r"^(?:FAILED|ERROR) .*", printed, re.MULTILINE)), late)

    def _next(self, number: int) -> Part | None:
        with self._lock:
            if self._ended or not self._parts:
                return None
            return self._parts.pop() if number == 0 else self._parts.popleft()


def end_hanging(process: subprocess.Popen[bytes], environment: Mapping[str, str]) -> int:
    """Have pytest print the stack of each thread (faulthandler, at SIGABRT); kill all that was started in its domain.

    Return the status of the process.
    """
    process.send_signal(signal.SIGABRT)
    with suppress(subprocess.TimeoutExpired):
        process.wait(STACKS_S)
    process.kill()
    until = time.monotonic() + STACKS_S
    while (left := started_in(DOMAIN, environment[DOMAIN])) and time.monotonic() < until:
        for pid in left:  # again for what these have just started
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)
    return process.wait()
