# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the demo reports of an instruction, without a graph."""

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")

from karma.demo.judge import Fact
from karma.demo.run import Performance, compare
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
    (report,) = compare([Performance("Put an apple in the bowl.", 0.0, result, missing)], [])
    assert (report.code, report.success) == (reported, reported == "SUCCESS")
