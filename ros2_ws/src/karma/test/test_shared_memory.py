# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

from karma.supervision.shared_memory import SETTLED_S, remove_stale_segments


def segment(folder: Path, name: str, *, age: float = 2 * SETTLED_S) -> Path:
    """Make what Fast DDS leaves: a segment of 5 bytes and its lock."""
    file, lock = folder / name, folder / f"{name}_el"
    file.write_bytes(b"12345")
    lock.touch()
    os.utime(lock, (time.time() - age,) * 2)
    return file


def test_only_old_segments_that_nobody_holds_are_removed(tmp_path: Path) -> None:
    dead, alive = segment(tmp_path, "fastdds_00"), segment(tmp_path, "fastdds_01")
    young, port = segment(tmp_path, "fastdds_02", age=0), segment(tmp_path, "fastdds_port7410")
    (tmp_path / "something_el").touch()
    with (tmp_path / "fastdds_01_el").open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert remove_stale_segments(tmp_path) == 5
        assert [file.exists() for file in (dead, alive, young, port)] == [False, True, True, True]
    assert remove_stale_segments(tmp_path) == 5
    assert {file.name for file in tmp_path.iterdir()} == {
        *("fastdds_02", "fastdds_02_el", "fastdds_port7410", "fastdds_port7410_el", "something_el")
    }


def test_a_system_without_shared_memory_has_nothing_to_remove(tmp_path: Path) -> None:
    assert remove_stale_segments(tmp_path / "none") == 0
