# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Work that can't be interrupted, and who waits for it only as long as it is wanted."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import TypeVar

_T = TypeVar("_T")
_POLL = 0.05
"""Seconds between looks at whether to stop."""


def until_cancelled(work: Callable[[], _T], cancelled: Callable[[], bool]) -> _T | None:
    """Return what `work` returns, or None soon after `cancelled()` turns true.

    A language model can't be interrupted: its answer comes in a thread of its own then, and is dropped.
    """
    answer: Future[_T] = Future()

    def answering() -> None:
        try:
            answer.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised where it is waited for
            answer.set_exception(error)

    threading.Thread(target=answering, name="understanding", daemon=True).start()
    while not cancelled():
        if wait([answer], _POLL).done:
            return answer.result()
    return None
