# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the memory server's parameters may be."""

import pytest

from karma_memory.parameters import PARAMETERS, names_in

CHECK = next(one.check for one in PARAMETERS if one.name == "database")


@pytest.mark.parametrize(
    "database",
    ["postgresql://karma:secret@db/home", "postgres://:secret@/home", "postgresql:///home?host=/run&password=secret"],
)
def test_a_password_is_no_parameter(database):
    with pytest.raises(ValueError, match=r"\.pgpass"):
        CHECK(database)


@pytest.mark.parametrize("database", ["home.sqlite3", "postgresql://karma@db:5433/home", "postgresql:///home?port=1"])
def test_a_database_without_one_is(database):
    CHECK(database)


def test_names_are_separated_by_commas():
    assert names_in(" ann, bob,,") == ["ann", "bob"]
    assert names_in("") == []
