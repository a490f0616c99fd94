# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""An engine in a process of its own: it can be ended whatever it does, and what it starts counts as its own."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import resource
import signal
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from karma_eval.planning.engines import ENGINES
from karma_eval.planning.problem import Problem

_TICKS = os.sysconf("SC_CLK_TCK")
_TO_LOAD = 120.0
"""Seconds that an engine may take to be loaded."""


class EngineError(RuntimeError):
    """An engine can't be loaded; the message says why."""


@dataclass(frozen=True)
class Answer:
    """What an engine made of a problem."""

    plan: tuple[int, ...] | None
    """Indices of operators; None where there is no plan."""
    wall: float
    """Seconds from the problem to the plan, all conversions included."""
    cpu: float
    """Seconds of processor time, that of processes that it started included."""
    error: str = ""
    """Why there is no plan: "time limit", or what the engine raised."""


class EngineProcess:
    """One engine, started anew where it had to be ended. A context manager: nothing of it is left behind."""

    def __init__(self, name: str, limit: float) -> None:
        """`name`: one of ENGINES. `limit`: seconds that a problem may take."""
        self._name = name
        self._limit = limit
        self._process: BaseProcess | None = None
        self._pipe: Connection
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> EngineProcess:
        self._folder = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="karma-bench-"))
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        self._stack.close()

    def solve(self, problem: Problem) -> Answer:
        """Return what the engine makes of a problem, within the limit. EngineError when it can't be loaded."""
        if self._process is None:
            self._start()
        self._pipe.send(problem)
        began = time.perf_counter()
        try:
            if self._pipe.poll(self._limit):
                answer: Answer = self._pipe.recv()
                return answer
        except EOFError:
            self._end()
            return Answer(None, time.perf_counter() - began, 0.0, "its process died")
        assert self._process is not None
        cpu = _cpu_of(self._process.pid or 0)
        self._end()
        return Answer(None, time.perf_counter() - began, cpu, "time limit")

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other, self._name, self._folder), daemon=False)
        self._process.start()
        other.close()
        try:
            if not self._pipe.poll(_TO_LOAD):
                raise EngineError(f"{self._name} was not loaded within {_TO_LOAD:g} s")
            if error := self._pipe.recv():
                raise EngineError(error)
        except EOFError as error:
            raise EngineError(f"the process of {self._name} died") from error

    def _end(self) -> None:
        if self._process is None:
            return
        for pid in [*_descendants(self._process.pid or 0), self._process.pid or 0]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.join()
        self._pipe.close()
        self._process = None


def _serve(pipe: Connection, name: str, folder: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this process
    tempfile.tempdir = folder
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)  # engines print
    try:
        engine = ENGINES[name][0]()
    except Exception as error:  # noqa: BLE001 - whatever a peer's package raises is told
        pipe.send(f"{type(error).__name__}: {error}")
        return
    pipe.send("")
    while True:
        try:
            problem: Problem = pipe.recv()
        except EOFError:
            return
        wall, cpu = time.perf_counter(), _cpu_here()
        plan, failure = None, ""
        try:
            plan = engine.solve(problem)
        except Exception as error:  # noqa: BLE001 - see above
            failure = f"{type(error).__name__}: {error}"
        wall, cpu = time.perf_counter() - wall, _cpu_here() - cpu
        found = None if plan is None else tuple(plan)
        pipe.send(Answer(found, wall, cpu, failure or ("" if found is not None else "no plan")))


def _cpu_here() -> float:
    """Return the processor time of this process and of all that it started, seconds."""
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in usage) + sum(map(_cpu, _descendants(os.getpid())))


def _cpu_of(pid: int) -> float:
    return sum(map(_cpu, [pid, *_descendants(pid)]))


def _cpu(pid: int) -> float:
    """Return the processor time of a process and of those of its children that have ended, seconds."""
    fields = _stat(pid)
    return sum(map(int, fields[11:15])) / _TICKS if fields else 0.0


def _descendants(pid: int) -> Iterator[int]:
    stats = {int(path.name): _stat(int(path.name)) for path in Path("/proc").iterdir() if path.name.isdigit()}
    parents = {child: int(fields[1]) for child, fields in stats.items() if fields}
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        yield from more
        found |= more


def _stat(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat from the third on (proc(5)); none where the process is gone."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return []
    return text.rpartition(")")[2].split()
