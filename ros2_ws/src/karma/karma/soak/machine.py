# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the nodes of a soak see of their machine: its clock, its disk, its network.

A library that is loaded in front of theirs (`machine.c`) looks into a small file that is written here. libfaketime
would do for the clock alone, but version 0.9.10 has each `time.sleep` fail.
"""

from __future__ import annotations

import mmap
import shutil
import struct
import subprocess
import time
from pathlib import Path

_LAYOUT = struct.Struct("=qii")


class NoCompilerError(RuntimeError):
    """The library can't be made; the message says why."""


class Machine:
    """Makes the library in a folder; everything is sound at first. NoCompilerError where that isn't possible."""

    def __init__(self, folder: Path) -> None:
        self._shift_s, self._full, self._cut = 0.0, False, False
        self._library, file = folder / "machine.so", folder / "machine"
        compiler = shutil.which("cc")
        if compiler is None:
            raise NoCompilerError("a soak needs a C compiler, and there is no cc: install gcc")
        source = Path(__file__).with_name("machine.c")
        command = [compiler, "-O2", "-shared", "-fPIC", "-o", str(self._library), str(source), "-ldl"]
        made = subprocess.run(command, capture_output=True, text=True, check=False)
        if made.returncode != 0:
            raise NoCompilerError(f"{source} can't be compiled:\n{made.stderr}")
        file.write_bytes(bytes(_LAYOUT.size))
        with file.open("r+b") as opened:
            self._page = mmap.mmap(opened.fileno(), _LAYOUT.size)
        self.environment = {
            "LD_PRELOAD": str(self._library),
            "KARMA_SOAK_MACHINE": str(file),
        }
        """What the nodes are started with."""

    def now(self) -> float:
        """Return the nodes' wall clock, seconds."""
        return time.time() + self._shift_s

    def set_clock(self, ahead_s: float) -> None:
        """Set the wall clock forward by so many seconds, or back."""
        self._shift_s += ahead_s
        self._write()

    def fill_disk(self, full: bool) -> None:
        """Let nothing more fit on the disk, or make room again."""
        self._full = full
        self._write()

    def cut_network(self, cut: bool) -> None:
        """Lose every datagram that a node sends or is sent, or none any more."""
        self._cut = cut
        self._write()

    def _write(self) -> None:
        _LAYOUT.pack_into(self._page, 0, round(self._shift_s * 1e9), self._full, self._cut)
