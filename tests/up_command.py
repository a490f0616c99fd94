# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A running `./karma up`, as a process of a test."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from karma.tied import started_in

ROOT = Path(__file__).resolve().parents[1]
KARMA = str(ROOT / "karma")
ACTIVE = "all nodes are active"
START_S = 180.0
END_S = 180.0
"""Seconds after which a command has not ended that should: long, so that a busy machine changes nothing."""


class Up:
    """A running `./karma up`; what it prints is in `log`, after what the one before it in this folder printed."""

    def __init__(self, folder: Path, domain: int, command: Sequence[str] = ()) -> None:
        """Start it, or `command`, which starts it, in `folder`."""
        self.log = folder / "up.log"
        self.environment = os.environ | {"ROS_DOMAIN_ID": str(domain), "KARMA_TEST_UP": str(folder)}
        memory = ("--database", str(folder / "memory.sqlite3"))
        command = command or [KARMA, "up", "--scene", "FloorPlan1", *memory]
        with self.log.open("ab") as log:
            self._before = log.tell()
            self.process = subprocess.Popen(
                command,
                cwd=folder,
                env=self.environment,
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )

    def printed(self, text: str) -> bool:
        return text in self.log.read_bytes()[self._before :].decode()

    def ready(self) -> bool:
        """Whether all nodes are active. AssertionError, with what it printed, where it has ended."""
        assert self.process.poll() is None, self.log.read_text()
        return self.printed(ACTIVE)

    def interrupt(self) -> int:
        """Press Ctrl-C, if it runs; return its status when it has ended."""
        if self.process.poll() is None:  # and is not reaped: its group is there
            os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(END_S)

    def log_of(self, node: str) -> str:
        """What a node has printed; `up` says where its logs are."""
        (folder,) = re.findall(r"logs in (\S+)", self.log.read_text())
        return (Path(folder) / f"{node}.log").read_text()

    def left_over(self) -> dict[int, str]:
        """Return the command lines, by process id, of what was started in this one's environment and still runs."""
        return started_in("KARMA_TEST_UP", self.environment["KARMA_TEST_UP"])
