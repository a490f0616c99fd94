# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Gives readers of files garbage, in a process of their own: what it breaks there, breaks nothing here."""

from __future__ import annotations

import logging
import multiprocessing
import resource
import shutil
import signal
import tempfile
import traceback
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from karma.fuzz.garbage import Garbage
from karma.fuzz.outcome import Progress, Tally

if TYPE_CHECKING:
    from karma.fuzz.files import Reader

HANG_S = 60.0
"""A reader that is busy with one small file for so long hangs."""
MOST_BYTES = 2 << 30
"""Of memory that a reader may take beside what it began with."""
_IN_MEMORY = Path("/dev/shm")  # noqa: S108 - a folder of one's own is made there
"""Where files are quick: thousands of journals are opened, and none of them has to last."""
KNOWN = ("ann", "ben", "Apple|1", "mug", "kitchen", "1", "on")


def fuzz_readers(names: Sequence[str], seed: str, cases: int, keep: Path, tell: Progress) -> Iterator[Tally]:
    """Give each reader so many files, one after the other; those that break it are kept in a folder."""
    todo = [Tally(name) for name in names]
    spawn = multiprocessing.get_context("spawn")
    while todo:
        here, there = spawn.Pipe()
        left = [tally.name for tally in todo]
        process = spawn.Process(target=_read, args=(left, seed, todo[0].cases, cases, keep, there), daemon=True)
        process.start()
        there.close()
        fault = "it hangs"
        try:
            while todo and here.poll(HANG_S):
                tally = todo[0]
                refused, wrong = here.recv()
                if wrong:
                    tally.faults.append(f"case {tally.cases}: {wrong}")
                tally.refused += refused
                tally.cases += 1
                tell(tally.name, tally.cases, cases)
                if tally.cases == cases:
                    yield todo.pop(0)
        except EOFError:
            process.join()
            fault = f"the process died ({process.exitcode})"
        finally:
            process.kill()
            process.join()
        if todo:
            todo[0].faults.append(f"case {todo[0].cases}: {fault}")
            todo[0].cases += 1  # the one that broke it
            if todo[0].cases == cases:
                yield todo.pop(0)


def _read(names: Sequence[str], seed: str, first: int, cases: int, keep: Path, pipe: Any) -> None:
    from karma.fuzz.files import readers

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    warnings.simplefilter("ignore")
    logging.disable()
    for name in names:
        reader = readers()[name]
        with tempfile.TemporaryDirectory(prefix="karma-fuzz-", dir=_IN_MEMORY if _IN_MEMORY.is_dir() else None) as made:
            once, valid, now = (Path(made) / part for part in ("once", "valid", "now"))
            once.mkdir()
            valid.mkdir()
            reader.read(reader.make(once))  # what it loads, it has loaded then
            file = now / reader.make(valid).relative_to(valid)
            resource.setrlimit(resource.RLIMIT_AS, (_used() + MOST_BYTES, resource.RLIM_INFINITY))
            for case in range(first, cases):
                shutil.copytree(valid, now)
                data = reader.change(Garbage(f"{seed}/{name}/{case}", KNOWN), file.read_bytes())
                file.write_bytes(data)
                answer = outcome(reader, file, data)
                if answer[1]:
                    keep.mkdir(parents=True, exist_ok=True)
                    (keep / f"{name.replace(':', '-')}-{case}").write_bytes(data)
                shutil.rmtree(now)
                pipe.send(answer)
        first = 0


def outcome(reader: Reader, file: Path, data: bytes) -> tuple[bool, str]:
    """Return whether a file was refused, and what was wrong with how it was taken."""
    try:
        reader.read(file)
    except reader.errors as error:
        if not str(error):
            return True, f"{type(error).__name__} says nothing"
        return True, "" if file.read_bytes() == data else "it was refused, and changed"
    except Exception as error:  # noqa: BLE001 - this is what is looked for
        where = traceback.extract_tb(error.__traceback__)[-1]
        return False, f"{type(error).__name__}: {str(error)[:200]} ({Path(where.filename).name}:{where.lineno})"
    return False, ""


def _used() -> int:
    """Return the bytes of addresses that this process has."""
    return int(Path("/proc/self/statm").read_text("utf-8").split()[0]) * resource.getpagesize()
