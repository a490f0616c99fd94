# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Every reader of files refuses garbage with its own error; and the fuzzer finds what breaks."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2")

from rclpy.serialization import serialize_message

from karma.fuzz.files import Reader, readers
from karma.fuzz.garbage import Garbage, message_class
from karma.fuzz.reading import fuzz_readers, outcome

CASES = 1000


@pytest.mark.slow
def test_every_reader_of_files_refuses_garbage_with_its_own_error_and_leaves_it_as_it_is(tmp_path: Path) -> None:
    tallies = list(fuzz_readers(list(readers()), "ci", CASES, tmp_path, lambda *_: None))
    assert [fault for tally in tallies for fault in (f"{tally.name}: {one}" for one in tally.faults)] == []
    assert [tally.cases for tally in tallies] == [CASES] * len(readers())


@pytest.mark.parametrize(
    ("raised", "what"),
    [(KeyError("a"), "KeyError"), (MemoryError(), "MemoryError"), (ValueError(), "says nothing"), (None, "")],
)
def test_what_breaks_a_reader_is_found(tmp_path: Path, raised: Exception | None, what: str) -> None:
    def read(path: Path) -> None:
        if raised is not None:
            raise raised

    (tmp_path / "file").write_bytes(b"x")
    reader = Reader(lambda folder: folder, read, (ValueError,))
    assert what in outcome(reader, tmp_path / "file", b"x")[1]


def test_a_reader_that_changes_what_it_refuses_is_found(tmp_path: Path) -> None:
    def read(path: Path) -> None:
        path.write_bytes(b"y")
        raise ValueError("no")

    (tmp_path / "file").write_bytes(b"x")
    assert outcome(Reader(lambda folder: folder, read, (ValueError,)), tmp_path / "file", b"x") == (
        True,
        "it was refused, and changed",
    )


@pytest.mark.parametrize(
    "name",
    [
        *("karma_interfaces/msg/MemoryEvent", "sensor_msgs/msg/CameraInfo", "rcl_interfaces/msg/Parameter"),
        "karma_interfaces/action/ExecuteSkill_FeedbackMessage",
    ],
)
def test_garbage_is_made_of_the_definition_can_be_sent_and_comes_again(name: str) -> None:
    def made(case: int) -> str:
        garbage = Garbage(f"1/{case}")
        message = garbage.mutated(garbage.message(message_class(name)))
        assert serialize_message(message)  # whose padding is whatever was there in memory
        return repr(message)

    all_of_them = [made(case) for case in range(200)]
    assert all_of_them == [made(case) for case in range(200)]
    assert len(set(all_of_them)) > 150
