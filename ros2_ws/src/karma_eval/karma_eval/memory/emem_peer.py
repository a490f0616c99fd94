# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The same household and the same questions for eMEM, the memory of EmbodiedAgents (PyPI: emem)."""

from __future__ import annotations

import time
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from karma_eval.emem_peer import Vectors, open_emem
from karma_eval.memory.measure import SEED, Percentiles, rss_mb, seconds_of
from karma_eval.memory.workload import household, questions
from karma_eval.progress import progress
from karma_memory import Event, EventKind
from karma_memory.recall.embedder import make_embedder

QUESTIONS = 30
BATCH = 64


@dataclass(frozen=True)
class Emem:
    """Figures of eMEM. It says "added" before anything is on disk, so its `remember_ms` promises less than ours."""

    version: str
    records: int
    remember_ms: Percentiles
    """`add`, with the vector at hand."""
    semantic_search_ms: Percentiles
    recall_ms: Percentiles
    """Both with the vector of the question at hand."""
    recall_with_embedding_ms: Percentiles
    restart_s: float
    rss_mb: float


def measure(path: Path, records: int, embedder: str) -> Emem:
    """Fill eMEM with what the household's events say, one observation each, and ask it."""
    vectors = Vectors(make_embedder(embedder)[0])
    observations = [item for event in household(records, SEED) if (item := _observation(event)) is not None]
    texts = list(dict.fromkeys(text for text, _, _ in observations))
    for start in progress(range(0, len(texts), BATCH), unit="batches", desc="embed for emem"):
        vectors(texts[start : start + BATCH])
    most = max(100_000, 2 * len(observations))
    remember = []
    with open_emem(path, vectors, hnsw_max_elements=most) as memory:
        for text, position, stamp in progress(observations, desc="emem add", unit="records"):
            remember.append(seconds_of(memory.add, text, *position, timestamp=stamp, embedding=vectors(text)[0]))
        memory.save()
        texts = [query.text for query in questions(QUESTIONS, SEED)]
        with_embedding = _timed(memory.recall, texts)
        recall = _timed(memory.recall, texts)
        search = _timed(memory.semantic_search, texts)
        used = rss_mb()
    started = time.perf_counter()
    with open_emem(path, vectors, hnsw_max_elements=most):
        reopened = time.perf_counter() - started
    return Emem(
        version=metadata.version("emem"),
        records=len(observations),
        remember_ms=Percentiles.of(remember),
        semantic_search_ms=search,
        recall_ms=recall,
        recall_with_embedding_ms=with_embedding,
        restart_s=reopened,
        rss_mb=used,
    )


def _observation(event: Event) -> tuple[str, tuple[float, float, float], float] | None:
    """Return what eMEM can hold of an event: a text, a place, a time."""
    if event.kind is EventKind.OBSERVATION and len(event.nodes) == 1:
        node = event.nodes[0]
        return f"{node.label} on the {node.receptacle}", node.position, event.stamp
    if event.kind in (EventKind.TOLD, EventKind.EPISODE_START):
        return event.text, (0.0, 0.0, 0.0), event.stamp
    return None


def _timed(function: Any, texts: list[str]) -> Percentiles:
    asked = progress(texts, unit="questions", desc=f"emem {function.__name__}")
    return Percentiles.of([seconds_of(function, text) for text in asked])
