# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Tells a person what the set-up does, and keeps what the tools print in a log file."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

TAIL_LINES = 30


class SetupError(Exception):
    """The set-up cannot go on; the message says what to do."""


class Progress:
    """One line per piece of work on stderr; on a terminal with the last line that the tool printed."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._live = sys.stderr.isatty()
        log.parent.mkdir(parents=True, exist_ok=True)

    def run(self, title: str, command: Sequence[str | Path], *, environment: Mapping[str, str]) -> None:
        """Run a command to its end. SetupError with the last lines of its output when it fails."""
        start = time.monotonic()
        if not self._live:
            self.say(f"{title} ...")
        with self._log.open("a", encoding="utf-8") as log:
            log.write(f"\n=== {title}: {' '.join(map(str, command))}\n")
            process = subprocess.Popen(
                [str(part) for part in command],
                env=dict(environment),
                stdin=None if self._live else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
            )
            try:
                tail = self._follow(process, title, start, log)
            except BaseException:
                process.terminate()
                process.wait()
                raise
        if process.returncode != 0:
            raise SetupError(
                f"{title}: {command[0]} failed (exit status {process.returncode}):\n"
                + "".join(f"    {line}" for line in tail)
                + f"Everything it printed is in {self._log}. Run the same command again to go on from here."
            )
        self._clear()
        self.say(f"{title}: done in {time.monotonic() - start:.0f} s")

    def say(self, text: str) -> None:
        """Print one line."""
        print(f"karma: {text}", file=sys.stderr, flush=True)

    def _follow(self, process: subprocess.Popen[str], title: str, start: float, log: IO[str]) -> list[str]:
        tail: list[str] = []
        assert process.stdout is not None
        for line in process.stdout:
            log.write(line)
            log.flush()
            tail = [*tail[-TAIL_LINES + 1 :], line]
            if self._live:
                width = shutil.get_terminal_size().columns - 1
                text = f"karma: {title} ({time.monotonic() - start:.0f} s) {line.strip()}"
                sys.stderr.write(f"\r\033[K{text[:width]}")
                sys.stderr.flush()
        process.wait()
        return tail

    def _clear(self) -> None:
        if self._live:
            sys.stderr.write("\r\033[K")


def is_root() -> bool:
    """Whether this process may install Debian packages without sudo."""
    return os.geteuid() == 0
