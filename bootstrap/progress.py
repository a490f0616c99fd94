# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Tells a person what the set-up does, and keeps what the tools print in a log file."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

TAIL_LINES = 30
PERIOD_S = 0.5
"""How often the line on a terminal changes."""
NEWS_S = 15.0
"""How often something is said where there is no terminal, but somebody may read along."""

NO_NETWORK = re.compile(
    r"Temporary failure (?:in name resolution|resolving)|Could not resolve|Name or service not known"
    r"|Network is unreachable|No route to host|Failed to establish a new connection|Could not connect to"
    r"|Connection (?:refused|timed out)|(?:Connect|Read)Timeout"
)
"""How the tools say that they can't reach a server, among much else."""


class SetupError(Exception):
    """The set-up cannot go on; the message says what to do."""


class ToolError(SetupError):
    """A tool failed."""

    def __init__(self, message: str, output: str) -> None:
        """`output`: the last lines that the tool printed."""
        super().__init__(message)
        self.output = output


class Progress:
    """One line per piece of work on stderr; on a terminal with the last line that the tool printed."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._live = sys.stderr.isatty()
        log.parent.mkdir(parents=True, exist_ok=True)

    def run(
        self,
        title: str,
        command: Sequence[str | Path],
        *,
        environment: Mapping[str, str],
        meter: Callable[[str], str] | None = None,
        whole: bool = False,
        announced: bool = True,
    ) -> None:
        """Run a command to its end. ToolError when it fails.

        `meter` says from the last line printed how far it is. With `whole`, Ctrl-C does not end it: it comes after the
        command's end. Without `announced`, its begin is not told.
        """
        start = time.monotonic()
        if announced and not self._live:
            self.say(f"{title} ...")
        with self._log.open("a", encoding="utf-8") as log:
            log.write(f"\n=== {title}: {' '.join(map(str, command))}\n")
            log.flush()
            begin = log.tell()
            # Not into a pipe: what has to be done as a whole goes on when this process is killed.
            process = subprocess.Popen(
                [str(part) for part in command],
                env=dict(environment),
                stdin=None if self._live and not whole else subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                process_group=0 if whole else None,
            )
        interrupted: KeyboardInterrupt | None = None
        told = start
        while process.returncode is None:
            try:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(PERIOD_S)
                if process.returncode is None:
                    told = self._show(title, start, told, self._tail(begin), meter)
            except KeyboardInterrupt as error:
                if not whole:
                    with suppress(PermissionError):  # sudo, which a terminal's Ctrl-C has ended
                        process.terminate()
                    process.wait()
                    raise
                interrupted = error
                self._clear()
                self.say(f"{title}: has to be finished, or the system would have to be repaired; please wait")
        self._clear()
        if interrupted is not None:
            raise interrupted
        if process.returncode != 0:
            self._fail(title, command, process.returncode, self._tail(begin))
        if announced:
            self.say(f"{title}: done in {time.monotonic() - start:.0f} s")

    def say(self, text: str) -> None:
        """Print one line."""
        print(f"karma: {text}", file=sys.stderr, flush=True)

    def _fail(self, title: str, command: Sequence[str | Path], status: int, tail: list[str]) -> None:
        output = "\n".join(tail)
        kept = f"Everything it printed is in {self._log}."
        if unreached := NO_NETWORK.search(output):
            message = (
                f"{title}: no answer from the network ({unreached[0]}). Check the connection and run again. {kept}"
            )
        else:
            message = (
                f"{title}: {command[0]} failed (exit status {status}):\n"
                + "".join(f"    {line}\n" for line in tail)
                + f"{kept} Run the same command again to go on from here."
            )
        raise ToolError(message, output)

    def _tail(self, begin: int) -> list[str]:
        """Return the last lines that the tool has printed; its output begins at this byte of the log."""
        with self._log.open("rb") as log:
            log.seek(max(begin, log.seek(0, os.SEEK_END) - 8000))
            return log.read().decode(errors="replace").splitlines()[-TAIL_LINES:]

    def _show(
        self, title: str, start: float, told: float, tail: list[str], meter: Callable[[str], str] | None
    ) -> float:
        """Tell how far it is; return when that was told last where there is no terminal."""
        now = time.monotonic()
        line = tail[-1].strip() if tail else ""
        how_far = meter(line) if meter is not None else ""
        if self._live:
            width = shutil.get_terminal_size().columns - 1
            text = f"karma: {title} ({now - start:.0f} s) {how_far or line}"
            sys.stderr.write(f"\r\033[K{text[:width]}")
            sys.stderr.flush()
        elif how_far and now - told >= NEWS_S:
            self.say(f"{title}: {how_far}")
            return now
        return told

    def _clear(self) -> None:
        if self._live:
            sys.stderr.write("\r\033[K")


def is_root() -> bool:
    """Whether this process may install Debian packages without sudo."""
    return os.geteuid() == 0
