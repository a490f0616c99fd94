# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Signals, in a process of its own: pytest has handlers, too."""

import signal
import subprocess
import sys

import pytest

SCRIPT = """
import os, signal, sys
from karma_ros.interrupts import Terminated, deferred, raise_on_signals
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


FAILING = """
import os, signal
from karma_ros.interrupts import deferred, raise_on_signals
raise_on_signals()
try:
    with deferred():
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGINT)
        raise ImportError("something else is missing")
except KeyboardInterrupt as error:
    print(type(error).__name__)
with deferred():
    print("loaded")
print("goes on")
"""


def test_what_fails_to_load_swallows_no_signal_and_of_several_one_is_raised() -> None:
    done = subprocess.run([sys.executable, "-c", FAILING], capture_output=True, text=True, check=False)
    assert (done.stdout.splitlines(), done.stderr) == (["KeyboardInterrupt", "loaded", "goes on"], "")


OTHER_THREAD = """
import os, signal, threading
from karma_ros.interrupts import deferred, raise_on_signals
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


WAITING = """
import signal, sys, threading, time
from karma_ros.interrupts import raise_on_signals, wait_for_signal
raise_on_signals()
def interrupt():
    while not sys._current_frames()[main].f_code.co_name == "wait_for_signal":
        time.sleep(0.01)
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)
main = threading.get_ident()
threading.Thread(target=interrupt).start()
try:
    wait_for_signal()
except KeyboardInterrupt:
    print("interrupted")
"""


def test_a_signal_that_comes_to_another_thread_is_noticed() -> None:
    done = subprocess.run([sys.executable, "-c", WAITING], capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout.split(), done.stderr) == (["interrupted"], "")


def test_sighup_is_not_taken_from_nohup() -> None:
    script = "import signal, karma_ros.interrupts as i; i.raise_on_signals(); print(signal.getsignal(signal.SIGHUP))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    assert done.stdout.strip() == "1"
