# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Answers of before: the same question gets the same answer without asking the model again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Protocol


class Answers(Protocol):
    """Where answers are kept. Only the digest of a question is kept with them."""

    def get(self, key: str) -> str | None:
        """Return the answer to the question with this key, None where there is none."""

    def keep(self, key: str, answer: str) -> None:
        """Take in an answer."""

    def failed(self, key: str, reason: str) -> bool:
        """Take note that the server gave no answer; return whether to ask again. May raise what ends a long run."""

    def lost(self, reason: str) -> None:
        """Take note of a question that stays without a usable answer."""


class Newest:
    """So many answers, those used last, in this process only: the words of users are in them. Thread-safe."""

    def __init__(self, count: int = 256) -> None:
        self._count = count
        self._answers: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> str | None:
        """Return the answer to a question."""
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
            return self._answers.get(key)

    def keep(self, key: str, answer: str) -> None:
        """Take in an answer, in place of the one that was not used for longest."""
        with self._lock:
            self._answers[key] = answer
            while len(self._answers) > self._count:
                self._answers.popitem(last=False)

    def failed(self, key: str, reason: str) -> bool:
        """Never ask again by itself: somebody waits."""
        return False

    def lost(self, reason: str) -> None:
        """Take no note: who asked is told."""
