# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A graph that runs as separate processes under supervisord."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any
from xmlrpc.client import Error as XmlRpcError
from xmlrpc.client import ServerProxy

from std_srvs.srv import Trigger
from supervisor.xmlrpc import SupervisorTransport

from karma.environment import share_folder
from karma.graph import GraphArguments, NodeDescription
from karma.lifecycle import BY_HAND
from karma.readiness import ready_graph
from karma.supervision.configuration import ConfigurationError, log_of, write_configuration
from karma.supervision.shared_memory import remove_stale_segments
from karma.tied import tied, tied_environment
from karma_ros import MANAGER
from karma_ros.client import GraphClient, GraphError
from karma_ros.domain import claim_domain

POLL_S = 0.2
START_S = 60.0
ACTIVE_S = 120.0
"""In which every node is active, on a slow machine, too."""
SUPERVISOR_END_S = 5
"""In which supervisord ends whose processes have ended."""
ANSWER_S = 4.0
KILLED_S = 5.0
"""In which a killed process has ended, on a busy machine, too."""
LOG_TAIL_LINES = 15
REFUSED_S = 10.0
"""A node that can't be configured or activated for this long won't be by waiting: something is wrong with what it was
told. Shorter, another graph may just be giving a database back."""
GIVEN_UP = ("FATAL", "UNKNOWN")


@dataclass(frozen=True)
class NodeState:
    """One process as supervisord sees it."""

    name: str
    state: str
    """supervisord's name for it: STARTING, RUNNING, BACKOFF, STOPPING, EXITED, FATAL or UNKNOWN."""
    pid: int
    """0 while it doesn't run."""


class RunningGraph:
    """The processes of one graph. Made by `running_graph`; use it from one thread at a time."""

    def __init__(self, nodes: Sequence[NodeDescription], *, domain_id: int, namespace: str, log_folder: Path) -> None:
        self.domain_id = domain_id
        self.namespace = namespace
        self.log_folder = log_folder.absolute()
        self.began = 0.0
        """When it was started, by time.monotonic()."""
        self._nodes = tuple(nodes)
        self._lock = threading.Lock()
        self._supervisor: subprocess.Popen[str] | None = None
        self._proxy: Any = None
        self._control = Path()
        """supervisord's socket."""
        self._complaints: deque[str] = deque(maxlen=LOG_TAIL_LINES)
        """The last lines that supervisord itself has printed."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the nodes, in the order of activation."""
        return tuple(node.name for node in self._nodes)

    @property
    def states(self) -> dict[str, NodeState]:
        """The state of every process, by node name. GraphError when the supervisor itself is gone."""
        ended = f"the supervisor of the graph has ended; see {self.log_folder / 'supervisord.log'}"
        if self._supervisor is None or self._supervisor.poll() is not None:
            raise GraphError(ended)
        with self._lock:
            try:
                answers = self._proxy.supervisor.getAllProcessInfo()
            except (OSError, HTTPException, XmlRpcError) as error:  # half an answer is an HTTPException
                with suppress(subprocess.TimeoutExpired):  # killed meanwhile, it doesn't answer before it has ended
                    self._supervisor.wait(KILLED_S)
                    raise GraphError(ended) from error
                raise GraphError(f"the supervisor of the graph does not answer: {error}") from error
        return {item["name"]: NodeState(item["name"], item["statename"], item["pid"]) for item in answers}

    @property
    def pids(self) -> dict[str, int]:
        """The process id of every node that runs."""
        return {state.name: state.pid for state in self.states.values() if state.pid}

    @property
    def failed(self) -> list[str]:
        """The nodes that were given up because they died again and again."""
        return [state.name for state in self.states.values() if state.state in GIVEN_UP]

    @property
    def spare(self) -> frozenset[str]:
        """The nodes without which the graph goes on."""
        return frozenset(node.name for node in self._nodes if node.spare)

    @property
    def endings(self) -> dict[str, int]:
        """The seconds that nodes have to end in order, by name, of those without which a robot goes on."""
        return {node.name: node.ending for node in self._nodes if node.moves_robot}

    def start(self) -> None:
        """Start every process. ConfigurationError when a node is not installed, GraphError when nothing starts."""
        if shutil.which("setpriv") is None:
            raise ConfigurationError("setpriv is missing (Debian package util-linux): nodes could outlive the command")
        self.began = time.monotonic()
        remove_stale_segments()
        self.log_folder.mkdir(parents=True, exist_ok=True)
        # Not in the log folder, because the path of a socket has at most 107 characters.
        control = self._control = Path(tempfile.gettempdir()) / f"karma-{secrets.token_hex(8)}.sock"
        configuration = write_configuration(self._nodes, self.log_folder, control)
        environment = tied_environment(os.environ) | {
            "ROS_DOMAIN_ID": str(self.domain_id),
            "ROS_LOG_DIR": str(self.log_folder / "ros"),
            "PYTHONUNBUFFERED": "1",
        }
        # A session of its own keeps the terminal's Ctrl-C away, so that stop() can take the nodes down in order. When
        # this process is killed, the kernel kills it, and the nodes with it: no process outlives the command, but one
        # that has to end in order, and that not for long.
        supervisord = [sys.executable, "-m", "supervisor.supervisord", "--configuration", str(configuration)]
        supervisor = self._supervisor = subprocess.Popen(
            tied(supervisord),
            env=environment,
            cwd=self.log_folder,
            stdin=subprocess.DEVNULL,
            # No file: on a full disk supervisord complains there of its log, and ends when it can't.
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        reading = threading.Thread(target=self._complaints.extend, args=(supervisor.stdout,), daemon=True)
        reading.start()
        self._proxy = ServerProxy(
            "http://localhost", transport=SupervisorTransport(None, None, serverurl=f"unix://{control}")
        )
        deadline = time.monotonic() + START_S
        while not control.exists():
            if supervisor.poll() is not None or time.monotonic() > deadline:
                reading.join(POLL_S)
                raise GraphError("supervisord did not start:\n" + "".join(self._complaints))
            time.sleep(POLL_S / 10)

    def wait_active(self, timeout: float = ACTIVE_S, *, on_progress: Callable[[str], None] | None = None) -> str:
        """Return when every node is active, as the lifecycle manager sees it, but for those taken down by hand.

        What is said of these is returned. `on_progress` is told what is being waited for. GraphError, with what its log
        says, when a node is given up or can't be configured, and when it takes longer than `timeout` seconds.
        """
        deadline = time.monotonic() + timeout
        waiting_for = "the lifecycle manager"
        refused: dict[str, float] = {}
        with GraphClient(name="karma_supervision", namespace=self.namespace, domain_id=self.domain_id) as client:
            while time.monotonic() < deadline:
                self.check()
                try:
                    answer = client.call(Trigger, f"{MANAGER}/is_active", Trigger.Request(), timeout=ANSWER_S)
                except GraphError:
                    continue
                if answer.success:
                    return ""
                waiting_for = answer.message
                if all(BY_HAND in part for part in waiting_for.split("; ")):
                    return str(waiting_for)
                now = time.monotonic()
                refused = {n: refused.get(n, now) for n in self.names if f"{n} could not" in waiting_for}
                for name, since in refused.items():
                    if now - since > REFUSED_S:
                        raise GraphError(f"{name}: {self._last_error(name) or waiting_for}")
                if on_progress is not None:
                    on_progress(waiting_for)
                time.sleep(POLL_S)
        raise GraphError(f"the graph is not active after {timeout:.0f} s: {waiting_for}. Logs: {self.log_folder}")

    def check(self) -> None:
        """Raise GraphError, with the last lines of their logs, when nodes were given up or the supervisor is gone.

        Spare ones are none of its concern.
        """
        if failed := [name for name in self.failed if name not in self.spare]:
            logs = "\n".join(f"--- {name}:\n{_tail(log_of(name, self.log_folder))}" for name in failed)
            raise GraphError(f"{', '.join(failed)} died again and again and was given up\n{logs}")

    def kill(self, name: str) -> None:
        """Kill a node that runs, at once; it is started again. GraphError when the supervisor is gone."""
        pid = self.states[name].pid
        if pid:
            with suppress(ProcessLookupError):  # it has ended by itself just now
                os.kill(pid, signal.SIGKILL)

    def _last_error(self, name: str) -> str:
        errors = re.findall(r"^\[(?:ERROR|FATAL)\] .*?\]: (.*)$", _read(log_of(name, self.log_folder)), re.MULTILINE)
        return errors[-1] if errors else ""

    def stop(self) -> None:
        """Take the nodes down in reverse order and end the supervisor. Does nothing when that is already done."""
        supervisor, self._supervisor = self._supervisor, None
        if supervisor is None:
            return
        until = time.monotonic() + SUPERVISOR_END_S + sum(node.ending + 1 for node in self._nodes)
        supervisor.send_signal(signal.SIGTERM)
        try:
            while time.monotonic() < until - POLL_S:
                self._wake()
                with suppress(subprocess.TimeoutExpired):
                    supervisor.wait(POLL_S / 2)
                    return
            supervisor.wait(POLL_S)
        finally:
            # On a second Ctrl-C, or when even supervisord hangs; the nodes end with it.
            supervisor.kill()
            supervisor.wait()

    def _wake(self) -> None:
        """Have supervisord notice that a node has ended, and end the next: by itself it looks once a second."""
        with suppress(OSError), socket.socket(socket.AF_UNIX) as caller:
            caller.settimeout(POLL_S)
            caller.connect(str(self._control))


@contextmanager
def running_graph(
    arguments: GraphArguments, *, log_folder: Path, domain_id: int | None = None
) -> Iterator[RunningGraph]:
    """Start the graph and stop it at the end of the block, whatever happens there.

    Call it from the main thread: the processes end with the thread that started them. `domain_id` None means a private
    domain that nobody else uses. Nodes may not be active yet: call `wait_active`. Raises ConfigurationError
    when something is not installed, ArgumentError when it would only fail, DomainInUseError when the domain is taken,
    GraphError when nothing starts.
    """
    nodes = ready_graph(arguments, share_folder())
    with running_nodes(nodes, namespace=arguments.namespace, log_folder=log_folder, domain_id=domain_id) as graph:
        yield graph


@contextmanager
def running_nodes(
    nodes: Sequence[NodeDescription], *, namespace: str, log_folder: Path, domain_id: int | None = None
) -> Iterator[RunningGraph]:
    """Start some nodes, one of them the lifecycle manager; see `running_graph`."""
    with claim_domain(domain_id, namespace) as claimed:
        graph = RunningGraph(nodes, domain_id=claimed, namespace=namespace, log_folder=log_folder)
        try:
            graph.start()
            yield graph
        finally:
            graph.stop()


def _tail(log: Path) -> str:
    return "\n".join(_read(log).splitlines()[-LOG_TAIL_LINES:])


def _read(log: Path) -> str:
    try:
        return log.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return f"(no log: {log})"
