# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Computes vectors beside the work of the memory, so that remembering never waits for the embedder."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from karma_memory.recall.embedder import Embedder, EmbedderError, Vectors
from karma_memory.recall.vector_store import VectorStore

logger = logging.getLogger(__name__)

BATCH = 16
"""Texts that are embedded between two looks at whether to stop."""
LOADED_TOGETHER = 1000
"""Vectors that are taken from the cache before a recall can go on."""
QUERIES_KEPT = 1024
"""Queries whose vectors are kept."""
REST = 60.0
"""Seconds after which an embedder that failed is tried again."""


class EmbeddingWorker:
    """A thread that embeds what `pending` names and hands it to `deliver`. Without an embedder it does nothing.

    When the embedder fails, recall goes by words alone, with a log message and a `remark`, until it is tried again.
    """

    def __init__(
        self,
        embedder: Embedder | None,
        store_path: Path,
        pending: Callable[[], list[str]],
        deliver: Callable[[Sequence[str], Vectors], None],
        then: Callable[[], None],
    ) -> None:
        """`then` is called by the thread whenever it has embedded all."""
        self.remark = ""
        self._embedder = embedder
        self._pending = pending
        self._deliver = deliver
        self._then = then
        self._embed_lock = threading.Lock()
        self._rests_until = 0.0
        """Time (monotonic) before which the embedder, which failed, isn't tried again."""
        self._store = VectorStore(store_path, embedder.name) if embedder else None
        self._query_vector = lru_cache(QUERIES_KEPT)(self._embed_query)
        self._wake = threading.Event()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="embedding", daemon=True)
        if embedder is not None:
            self._thread.start()

    @property
    def name(self) -> str:
        """Name of the model, "lexical" where there is none or it failed."""
        return self._embedder.name if self._embedder and not self.remark else "lexical"

    @property
    def active(self) -> bool:
        """Whether texts are embedded: there is an embedder, and it isn't resting."""
        return self._embedder is not None and time.monotonic() >= self._rests_until

    def wake(self) -> None:
        """Say that there may be something to embed."""
        self._wake.set()

    def query_vector(self, text: str) -> NDArray[np.float32] | None:
        """Return the vector of a query, or None where recall goes by words alone."""
        if not self.active or not text.strip():
            return None
        try:
            return self._query_vector(text)
        except EmbedderError:  # not kept: the same question may have one later
            return None

    def vectors(self, texts: Sequence[str], *, computed: int | None = None) -> tuple[list[str], Vectors]:
        """Return those of `texts` that are in the cache or could be embedded, and their vectors.

        At most `computed` of them are embedded (None: as many as are not in the cache).
        """
        if self._store is None or not texts:
            return [], np.zeros((0, 0), dtype=np.float32)
        known = self._store.load(texts)
        new = [text for text in texts if text not in known][:computed]
        vectors = self._compute(new) if new else None
        if vectors is not None:
            self._store.save(new, vectors)
            known.update(zip(new, vectors, strict=True))
        return list(known), np.stack(list(known.values())) if known else np.zeros((0, 0), dtype=np.float32)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each text, as an Embedder does; none gets into the cache on disk. EmbedderError."""
        vectors = self._compute(list(texts))
        if vectors is None:
            raise EmbedderError(self.remark or "there is no embedding model")
        return vectors

    def embed_now(self, texts: Sequence[str]) -> None:
        """Embed texts now and deliver them."""
        found, vectors = self.vectors(texts)
        if found:
            self._deliver(found, vectors)

    def close(self) -> None:
        """Stop the thread after the batch that it works on, and keep no question."""
        self._stopping = True
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join()
        if self._store is not None:
            self._store.close()
        self._query_vector.cache_clear()

    def _run(self) -> None:
        self._compute([""])  # loads the model before the first question
        while True:
            self._wake.wait(REST if self.remark else None)
            self._wake.clear()
            while not self._stopping and self.active and (texts := self._without_known(self._pending())):
                for start in range(0, len(texts), BATCH):
                    if self._stopping or not self.active:
                        break
                    self.embed_now(texts[start : start + BATCH])
            if self._stopping:
                return
            self._then()

    def _without_known(self, texts: Sequence[str]) -> list[str]:
        """Deliver the vectors that are in the cache, many at a time, and return the texts of which none is there."""
        new: list[str] = []
        for start in range(0, 0 if self._stopping else len(texts), LOADED_TOGETHER):
            part = texts[start : start + LOADED_TOGETHER]
            known, vectors = self.vectors(part, computed=0)
            if known:
                self._deliver(known, vectors)
            found = set(known)
            new.extend(text for text in part if text not in found)
        return new

    def _embed_query(self, text: str) -> NDArray[np.float32]:
        vectors = self._compute([text])
        if vectors is None:
            raise EmbedderError(self.remark)
        vector: NDArray[np.float32] = vectors[0]
        return vector

    def _compute(self, texts: Sequence[str]) -> Vectors | None:
        """Return the vectors of texts, or None where the embedder fails or rests after it did."""
        with self._embed_lock:
            if self._embedder is None or not self.active:
                return None
            try:
                vectors = self._embedder.embed(texts)
            except Exception as error:  # noqa: BLE001 - models raise types of their own, and recall goes on without one
                if not self.remark:
                    logger.error("lexical recall only: %s", error)  # noqa: TRY400 - the message says it all
                self.remark = f"lexical recall only: {error}"
                self._rests_until = time.monotonic() + REST
                return None
            if self.remark:
                logger.info("%s embeds texts again", self._embedder.name)
                self.remark = ""
            return vectors
