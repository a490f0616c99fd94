# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C and termination: of commands as exceptions, but not while something is loaded that would swallow them."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

SIGNALS = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
"""What ends a command in an orderly way."""


LONGEST_WAIT_S = 0.5
"""After which a signal is noticed that came to another thread: it is only looked at when the main one wakes."""


class Terminated(KeyboardInterrupt):
    """SIGTERM or SIGHUP, which take down what Ctrl-C takes down."""


_deferrals = 0
_waiting: list[int] = []


def raise_on_signals() -> None:
    """Have SIGINT raise KeyboardInterrupt, SIGTERM and SIGHUP Terminated; one that was held back until now does so."""
    for number in SIGNALS:
        if number is not signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # not under nohup
            signal.signal(number, _handle)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


@contextmanager
def deferred() -> Iterator[None]:
    """Let signals wait until the end of the block, for code that loads shared libraries.

    An exception in the initialisation of an extension module comes out as an ImportError, or not at all. What the block
    itself raises does not keep the signal from being raised, once, however many came. Does nothing without
    `raise_on_signals`, nor in other threads than the main one, which signals don't interrupt.
    """
    global _deferrals
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _deferrals += 1
    try:
        yield
    finally:
        _deferrals -= 1
        if _waiting and not _deferrals:
            _raise(_waiting[-1])


def wait_for_signal() -> NoReturn:
    """Wait until a signal raises its exception."""
    while True:
        time.sleep(LONGEST_WAIT_S)


def _handle(number: int, _: object) -> None:
    if _deferrals:
        _waiting.append(number)
    else:
        _raise(number)


def _raise(number: int) -> NoReturn:
    _waiting.clear()
    raise KeyboardInterrupt if number == signal.SIGINT else Terminated
