# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the demo reports of an instruction, without a graph."""

import io

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")

from rich.console import Console

from karma.demo.judge import Fact
from karma.demo.report import Performance, as_json, as_table
from karma_interfaces.action import ExecuteInstruction
from karma_interfaces.msg import Result


@pytest.mark.parametrize(
    ("said", "missing", "reported"),
    [
        (Result.SUCCESS, (), "SUCCESS"),
        (Result.SUCCESS, (Fact(("Apple",), "Bowl"),), "EXECUTION_FAILURE"),
        (Result.NOT_UNDERSTOOD, (Fact(("Apple",), "Bowl"),), "NOT_UNDERSTOOD"),
        (Result.UNAVAILABLE, (), "UNAVAILABLE"),
    ],
)
def test_the_code_is_the_planners_unless_it_is_wrong(said: int, missing: tuple[Fact, ...], reported: str) -> None:
    result = ExecuteInstruction.Result(result=Result(code=said))
    report = as_json([Performance("Put an apple in the bowl.", 0.0, result, missing)], {})["instructions"][0]
    assert (report["code"], report["success"]) == (reported, reported == "SUCCESS")


def test_why_an_instruction_failed_is_told_in_words() -> None:
    failed = Result(code=Result.TIMEOUT, message="not done: place(apple, bowl, in)")
    performance = Performance("Put an apple in the bowl.", 0.0, ExecuteInstruction.Result(result=failed), ())
    told = Console(file=io.StringIO(), width=120)
    told.print(as_table([performance], {}))
    assert "not done: place apple in bowl" in told.file.getvalue()
