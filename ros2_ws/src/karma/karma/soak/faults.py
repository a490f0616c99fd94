# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong in a soak."""

from __future__ import annotations

import os
import random
import signal
import socket
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from std_srvs.srv import Trigger

from karma.soak.machine import Machine
from karma.supervision import RunningGraph
from karma_ros import MANAGER
from karma_ros.client import GraphClient

HOUR_S = 3600.0
NO_ROOM = ("memory_server: memory: nothing is remembered now", "memory_server: memory: only ")
"""What the memory's diagnostics begin with where the disk is full."""
NO_MODEL = ("language model: ",)
"""What the planner's and the memory's diagnostics name where the model did not answer the last question."""
_SHORT = "SELECT body FROM events WHERE length(body) < 500 ORDER BY sequence LIMIT 1"


@dataclass(frozen=True)
class Fault:
    """One kind of thing that goes wrong, lasts a while, and is over."""

    name: str
    begin: Callable[[], None]
    end: Callable[[], None]
    shortest_s: float = 0.0
    longest_s: float = 0.0
    tells: tuple[str, ...] = ()
    """Of which the graph must tell one: its words. Empty where it changes nothing of what the graph does."""
    ends_process: bool = False
    """Whether a process is another one afterwards."""
    noticed: Callable[[], bool] = lambda: True
    """Whether anybody could notice it, asked when it is over."""


class Model:
    """Stands between the graph and a language model's server, so that it can go away: connections are refused then."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._server = (parts.hostname or "127.0.0.1", parts.port or 80)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._open: set[socket.socket] = set()
        self._away = False
        self._refused = False
        port = self._listening.getsockname()[1]
        self.url = urlunsplit((parts.scheme, f"127.0.0.1:{port}", parts.path, "", ""))
        """By which the graph reaches the model."""
        threading.Thread(target=self._accept, name="model", daemon=True).start()

    def go(self) -> None:
        """Break every connection, and refuse new ones."""
        self._away, self._refused = True, False
        for each in list(self._open):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def missed(self) -> bool:
        """Return whether the graph asked for the model while it was away last."""
        return self._refused

    def come(self) -> None:
        """Let connections through again."""
        self._away = False

    def _accept(self) -> None:
        while True:
            client, _ = self._listening.accept()
            try:
                if self._away:
                    self._refused = True
                    raise ConnectionRefusedError
                server = socket.create_connection(self._server, timeout=5.0)
            except OSError:
                client.close()
                continue
            server.settimeout(None)
            for source, sink in ((client, server), (server, client)):
                self._open.add(source)
                threading.Thread(target=self._pass_on, args=(source, sink), daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
        with suppress(OSError):
            sink.shutdown(socket.SHUT_RDWR)
        self._open.discard(source)
        source.close()


class Page:
    """A page of the database in which a byte of an old event changes, so that nobody writes it meanwhile."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._changed: tuple[int, int] | None = None

    def damage(self) -> bool:
        """Change a byte of an event that fits into a page; False where there is none."""
        with closing(sqlite3.connect(self._database)) as journal:
            journal.execute("PRAGMA wal_checkpoint(PASSIVE)")
            body = journal.execute(_SHORT).fetchone()
        place = self._database.read_bytes().find(body[0].encode()) if body else -1
        if place < 0:
            return False
        place += len(body[0]) // 2
        self._changed = place, self._read(place)
        self._write(place, self._changed[1] ^ 1)
        return True

    def mend(self) -> None:
        """Put back what was there, as a back-up does."""
        if self._changed is not None:
            self._write(*self._changed)
            self._changed = None

    def _read(self, place: int) -> int:
        with self._database.open("rb") as file:
            file.seek(place)
            return file.read(1)[0]

    def _write(self, place: int, byte: int) -> None:
        with self._database.open("r+b") as file:
            file.seek(place)
            file.write(bytes([byte]))


def faults_of(
    graph: RunningGraph,
    machine: Machine,
    client: GraphClient,
    database: Path,
    model: Model | None,
    chance: random.Random,
) -> tuple[list[Fault], list[int]]:
    """Return the kinds of faults that can happen to a graph, and how often each does compared with the others."""
    frozen: dict[str, int] = {}

    def freeze(name: str) -> None:
        frozen[name] = graph.pids[name]
        os.kill(frozen[name], signal.SIGSTOP)

    def thaw(name: str) -> None:
        with suppress(ProcessLookupError):  # it was killed because it did not answer
            os.kill(frozen.pop(name), signal.SIGCONT)

    page, set_by = Page(database), [0.0]

    def ruin() -> None:
        if page.damage():
            graph.kill("memory_server")

    def restore() -> None:
        page.mend()
        client.call(Trigger, f"{MANAGER}/activate", Trigger.Request(), timeout=10.0)  # as ./karma activate does

    def set_clock() -> None:
        set_by[0] = chance.choice((-1, 1)) * chance.uniform(60.0, 3 * HOUR_S)
        machine.set_clock(set_by[0])

    nodes: Sequence[str] = graph.names
    kinds = [
        *((Fault(f"kill {n}", partial(graph.kill, n), _nothing, tells=_away(n), ends_process=True), 3) for n in nodes),
        *((Fault(f"freeze {n}", partial(freeze, n), partial(thaw, n), 6.0, 10.0, _away(n)), 2) for n in nodes),
        (Fault("disk full", lambda: machine.fill_disk(True), lambda: machine.fill_disk(False), 6.0, 10.0, NO_ROOM), 8),
        (Fault("clock set", set_clock, lambda: machine.set_clock(-set_by[0]), 3.0, 6.0), 8),
        (
            Fault(
                "network cut",
                lambda: machine.cut_network(True),
                lambda: machine.cut_network(False),
                30.0,
                30.0,
                _away(MANAGER),
            ),
            2,
        ),
        (Fault("corrupt page", ruin, restore, 8.0, 10.0, _away("memory_server"), ends_process=True), 3),
    ]
    if model is not None:
        kinds.append((Fault("model away", model.go, model.come, 8.0, 12.0, NO_MODEL, noticed=model.missed), 6))
    return [kind for kind, _ in kinds], [weight for _, weight in kinds]


def _away(node: str) -> tuple[str, ...]:
    """Return what tells that a node is away: the manager, which ./karma health asks, or its own silence there."""
    if node == MANAGER:
        return (f"the service '{MANAGER}/is_active' did not answer",)
    return (f"{node} does not answer", f"{node} is changing its state", f"{MANAGER}: {node}: ")


def _nothing() -> None:
    """Do nothing: a process that was killed is started again by what looks after it."""


@contextmanager
def lasting(fault: Fault) -> Iterator[None]:
    """Have a fault for as long as the block lasts, and not longer, whatever happens in it."""
    fault.begin()
    try:
        yield
    finally:
        fault.end()
