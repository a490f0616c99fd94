# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which values a parameter takes. No ROS is needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from karma_ros.parameters import Parameter, ParameterError, checked, existing_file

SPEED = Parameter("speed", 0.5, "Metres a second.", 0.0, 2.0)
COUNT = Parameter("count", 3, "How many.", 1, 9)
MODE = Parameter("mode", "slow", "How.", choices=("slow", "fast"))


@pytest.mark.parametrize(
    ("parameter", "value", "why"),
    [
        (SPEED, 2.5, "expected 0.0 to 2.0"),
        (SPEED, float("nan"), "expected 0.0 to 2.0"),
        (SPEED, "1", "expected a value of type float"),
        (COUNT, 0, "expected 1 to 9"),
        (COUNT, True, "expected a value of type int"),
        (COUNT, 2.5, "expected a value of type int"),
        (MODE, "quick", "expected one of slow, fast"),
    ],
)
def test_a_value_that_is_not_allowed_is_refused_with_what_is(parameter: Parameter, value: object, why: str) -> None:
    with pytest.raises(ParameterError, match=rf"{parameter.name} is .*{why}"):
        checked(parameter, value)


def test_a_whole_number_will_do_for_a_float() -> None:
    assert repr(checked(SPEED, 2)) == "2.0"


def test_a_file_that_is_not_there_is_refused_and_none_is_not(tmp_path: Path) -> None:
    parameter = Parameter("rules", "", "File of rules.", check=existing_file)
    (tmp_path / "rules.yaml").touch()
    assert checked(parameter, "") == ""
    assert checked(parameter, str(tmp_path / "rules.yaml"))
    with pytest.raises(ParameterError, match=r"rules is .*there is no such file"):
        checked(parameter, str(tmp_path / "others.yaml"))


def test_a_table_of_parameters_imports_no_ros() -> None:
    code = "import sys, karma_ros.parameters; sys.exit('rclpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
