# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Measurements of the memory, each in a process of its own, so that none pays for what another has loaded."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np

from karma_eval.memory.workload import ROOMS, household, questions
from karma_eval.progress import progress
from karma_memory import Memory
from karma_memory.recall.query import Query

SEED = 7
HERE = "home1"
"""The home in which filtered questions are asked."""
QUESTIONS = 200
"""Questions at full size; each is asked once with, once without the embedding."""
SIZES = (0.01, 0.03, 0.1, 0.3)
"""Shares of the events after which recall is measured for the curve, as it is after the last."""

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Percentiles:
    """Of a latency, in milliseconds."""

    p50: float
    p99: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Percentiles:
        """Return the percentiles of durations in seconds."""
        p50, p99 = np.percentile(seconds, (50, 99)) * 1000
        return cls(float(p50), float(p99))


@dataclass(frozen=True)
class Filled:
    """Figures of a memory that took in everything."""

    events: int
    records: int
    embedder: str
    remember_ms: Percentiles
    recall_ms: Percentiles
    """The vector of the question is known already."""
    recall_with_embedding_ms: Percentiles
    recall_filtered_ms: Percentiles
    """In one room of one home, near one place; the vector of the question is known."""
    recall_past_s: float
    """The first question about a time half of the events ago: the state then has to be made."""
    curve: tuple[tuple[int, Percentiles], ...]
    """Records, and how long a recall took at that size, without the embedding."""
    rss_mb: float


def in_own_process(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Call a function in a fresh process and return what it returns; the process ends with the call, however that ends.

    RuntimeError when the process does not end by itself; its own words are on stderr.
    """
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(sender, function, args, kwargs), daemon=True)
    process.start()
    sender.close()
    try:
        result: R = receiver.recv()
    except EOFError as error:
        raise RuntimeError(f"{function.__module__}.{function.__name__} failed in its process") from error
    finally:
        process.kill()
        process.join()
    return result


def _answer(sender: Connection, function: Callable[..., object], args: Any, kwargs: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which kills this process
    sender.send(function(*args, **kwargs))


def seconds_of(function: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> float:
    """Call a function and return how long it took, seconds."""
    started = time.perf_counter()
    function(*args, **kwargs)
    return time.perf_counter() - started


def fill(path: Path, records: int, embedder: str) -> Filled:
    """Have a memory live through a household, ask it questions on the way, and leave it closed with a snapshot."""
    events = list(household(records, SEED))
    marks = {max(1, round(share * len(events))) for share in SIZES}
    remembered: list[float] = []
    curve: list[tuple[int, Percentiles]] = []
    with Memory(path, embedder=embedder) as memory:
        memory.recall(Query("loads the model"))
        for event in progress(events, desc="remember", unit="events"):
            remembered.append(seconds_of(memory.remember, [event]))
            if len(remembered) in marks:
                _wait_for_embedding(memory)
                curve.append((memory.stats().records, ask(memory, questions(QUESTIONS // 4, len(remembered)))[1]))
        _wait_for_embedding(memory)
        asked = questions(QUESTIONS, SEED)
        first, again = ask(memory, asked)
        stats = memory.stats()
        curve.append((stats.records, again))
        memory.upkeep.snapshot()
        nearby = [replace(query, scene=HERE, room=ROOMS[0], near=(2.0, 1.0, 1.0), radius=3.0) for query in asked]
        filtered = ask(memory, nearby)[1]
        past_s = seconds_of(memory.recall, replace(asked[0], at=events[len(events) // 2].stamp))
        return Filled(
            events=stats.events,
            records=stats.records,
            embedder=stats.embedder,
            remember_ms=Percentiles.of(remembered),
            recall_ms=again,
            recall_with_embedding_ms=first,
            recall_filtered_ms=filtered,
            recall_past_s=past_s,
            curve=tuple(curve),
            rss_mb=rss_mb(),
        )


def ask(memory: Memory, queries: Sequence[Query]) -> tuple[Percentiles, Percentiles]:
    """Ask every question for the first time, and again when its vector is known; return how long both took."""
    first, again = (Percentiles.of([seconds_of(memory.recall, query) for query in queries]) for _ in range(2))
    return first, again


def restart(path: Path, embedder: str) -> float:
    """Open a memory and return the seconds until it has answered a question by words and meaning."""
    started = time.perf_counter()
    with Memory(path, embedder=embedder) as memory:
        _wait_for_embedding(memory)
        memory.recall(questions(1, SEED)[0])
        return time.perf_counter() - started


def rss_mb() -> float:
    """Return the memory that this process holds now, in megabytes."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def disk_mb(path: Path) -> float:
    """Return the size of all files whose names begin with that of `path`, in megabytes."""
    return sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*")) / 1e6


def _wait_for_embedding(memory: Memory) -> None:
    while memory.stats().waiting_for_embedding:
        time.sleep(0.1)
