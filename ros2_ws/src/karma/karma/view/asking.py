# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What one viewer asks of the graph: one thing of a kind at a time, and no failure without a word."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol

from karma.client import GraphError


class Say(Protocol):
    """Tells the viewer something."""

    def __call__(self, title: str, text: str, *, failed: bool = False) -> None:
        """Show it for a while."""


class Asking:
    """Calls take as long as the graph lets them, in the 32 threads in which viser answers all viewers.

    One viewer holds one thread for each kind of thing at most. A few whom the graph doesn't answer can hold all of them
    until their calls time out, so what must never wait (“Stop all”) needs none of them.
    """

    def __init__(self, say: Say) -> None:
        self._say = say
        self._changing = threading.Lock()
        self._underway: dict[str, bool] = {}
        """By kind, whether the viewer, who asked again, was told to wait."""

    def attempt(self, what: str, do: Callable[[], object]) -> bool:
        """Do something of the kind `what`, and tell the viewer where it can't be done; return whether it was.

        While another of that kind has no answer, nothing is done, and the viewer is told so once.
        """
        with self._changing:
            told = self._underway.get(what)
            self._underway[what] = told is not None
        if told is not None:
            if not told:
                self._say(what, "There is no answer to the last one yet.")
            return False
        try:
            do()
        except GraphError as error:
            self._say(what, str(error), failed=True)
            return False
        finally:
            with self._changing:
                del self._underway[what]
        return True
