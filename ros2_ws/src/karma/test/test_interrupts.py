# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Signals as exceptions, in a process of its own: pytest has handlers, too."""

import signal
import subprocess
import sys

import pytest

SCRIPT = """
import os, signal, sys
from karma.interrupts import Terminated, deferred, raise_on_signals
number = getattr(signal, sys.argv[1])
signal.pthread_sigmask(signal.SIG_BLOCK, {number})
os.kill(os.getpid(), number)
try:
    raise_on_signals()
except KeyboardInterrupt as error:
    print("before", type(error).__name__)
try:
    with deferred():
        with deferred():
            os.kill(os.getpid(), number)
        print("loaded")
    print("not reached")
except KeyboardInterrupt as error:
    print("after", type(error).__name__)
"""


@pytest.mark.parametrize(
    ("number", "name"), [("SIGINT", "KeyboardInterrupt"), ("SIGTERM", "Terminated"), ("SIGHUP", "Terminated")]
)
def test_signals_wait_until_what_would_swallow_them_is_over(number: str, name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, number],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),  # the tests may run under nohup
    )
    assert done.stdout.splitlines() == [f"before {name}", "loaded", f"after {name}"], done.stderr


OTHER_THREAD = """
import os, signal, threading
from karma.interrupts import deferred, raise_on_signals
raise_on_signals()
inside, over = threading.Event(), threading.Event()
def load():
    with deferred():
        inside.set()
        over.wait(20)
other = threading.Thread(target=load)
other.start()
inside.wait()
try:
    os.kill(os.getpid(), signal.SIGINT)
    print("not reached")
except KeyboardInterrupt:
    print("interrupted")
over.set()
other.join()
"""


def test_what_another_thread_loads_holds_no_signal_back() -> None:
    done = subprocess.run([sys.executable, "-c", OTHER_THREAD], capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == (["interrupted"], "")


def test_sighup_is_not_taken_from_nohup() -> None:
    script = "import signal, karma.interrupts as i; i.raise_on_signals(); print(signal.getsignal(signal.SIGHUP))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    assert done.stdout.strip() == "1"
