# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Tables of robots that people wrote for older versions; golden/README.md says of which."""

from pathlib import Path

import pytest

from sim_bridge.robot.table import TableError, read_table

FOLDER = Path(__file__).resolve().parent / "golden"


def test_the_first_table_is_read() -> None:
    table = read_table(FOLDER / "robot-1b2018e4.yaml")
    assert table.robot == "simulated robot"
    assert {"Explore", "GoToObject", "PickupObject", "PutObject", "OpenObject"} <= set(table.skills)


def test_a_stop_that_was_said_in_a_way_that_may_mean_released_is_refused_with_what_to_write() -> None:
    with pytest.raises(TableError, match=r":18: emergency_stop\.0\.stopped: .*released: 2"):
        read_table(FOLDER / "robot-de491fc9.yaml")
