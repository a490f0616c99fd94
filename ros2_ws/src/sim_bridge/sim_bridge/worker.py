# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The one thread on which a backend lives: backends are not thread-safe, and an OpenGL context belongs to a thread."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from sim_bridge.backend import Backend

T = TypeVar("T")


class BackendThread:
    """Opens a backend on a thread of its own and runs every call on it there, one after the other."""

    def __init__(self, open_backend: Callable[[], Backend]) -> None:
        """Open the backend; whatever `open_backend` raises is raised here."""
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="backend")
        try:
            self._backend = self._thread.submit(open_backend).result()
        except BaseException:
            self._thread.shutdown()
            raise

    def call(self, use: Callable[[Backend], T]) -> T:
        """Run `use(backend)` on the backend's thread, wait for it and return what it returns.

        RuntimeError after `close`.
        """
        return self._thread.submit(use, self._backend).result()

    def close(self) -> None:
        """Close the backend and end the thread, after the calls that wait."""
        try:
            self.call(lambda backend: backend.close())
        finally:
            self._thread.shutdown()
