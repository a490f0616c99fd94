# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Every reader of files refuses garbage with its own error; and the fuzzer finds what breaks."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2")

from rcl_interfaces.msg import SetParametersResult
from rcl_interfaces.srv import SetParameters
from rclpy.serialization import serialize_message
from std_srvs.srv import Trigger

from karma.fuzz.files import Reader, readers
from karma.fuzz.garbage import Garbage, message_class
from karma.fuzz.graph import _defect, _refused
from karma.fuzz.reading import fuzz_readers, outcome
from karma_interfaces.action import ExecuteInstruction, ExecuteSkill
from karma_interfaces.msg import Result, SkillOutcome
from karma_interfaces.srv import Recall

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


def test_a_defect_of_a_node_is_found_in_answers_and_in_what_goals_end_with() -> None:
    defect, bad = Result(code=Result.INTERNAL_ERROR, message="see the log"), Result(code=Result.INVALID_ARGUMENT)
    outcome = ExecuteSkill.Result(outcome=SkillOutcome(result=defect))
    for answer in (Recall.Response(result=defect), ExecuteInstruction.Result(result=defect), outcome):
        assert _defect(answer) == "INTERNAL_ERROR see the log"
    assert not any(map(_defect, (None, Recall.Response(result=bad), Trigger.Response(), ExecuteSkill.Result())))


def test_an_answer_that_says_that_nothing_was_done_is_a_refusal() -> None:
    done, not_done = SetParametersResult(successful=True), SetParametersResult()
    refusals = (Trigger.Response(), SetParameters.Response(results=[not_done, not_done]))
    assert all(map(_refused, (*refusals, Recall.Response(result=Result(code=Result.NOT_FOUND)))))
    done_something = (Trigger.Response(success=True), SetParameters.Response(results=[done, not_done]))
    assert not any(map(_refused, (None, *done_something, Recall.Response(result=Result(code=Result.SUCCESS)))))
