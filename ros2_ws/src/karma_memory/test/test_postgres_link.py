# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Connection strings: what people are told of them, and what connects."""

import pytest
from psycopg.conninfo import conninfo_to_dict

from karma_memory import JournalError
from karma_memory.journal.postgres_link import CONNECTION_DEFAULTS, parsed


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("postgresql://karma@db.local/karma", "postgresql://karma@db.local/karma"),
        ("postgres://karma:secret@db.local:5433/home", "postgresql://karma@db.local:5433/home"),
        ("postgresql:///home?host=/run/pg&password=secret", "postgresql:///home?host=/run/pg"),
        (
            "postgresql://a,b/home?target_session_attrs=any",
            "postgresql:///home?host=a,b&port=,&target_session_attrs=any",
        ),
        (
            "postgresql://b%40home:secret@db/a%20home?sslmode=require",
            "postgresql://b%40home@db/a%20home?sslmode=require",
        ),
        ("postgresql://[::1]:5433/home", "postgresql:///home?host=::1&port=5433"),
        ("postgresql://", "postgresql:///"),
    ],
)
def test_people_are_told_a_string_without_the_password_that_names_the_same_database(given, told):
    location, parameters = parsed(given)
    assert location == told
    without = {name: value for name, value in conninfo_to_dict(given).items() if name != "password"}
    assert conninfo_to_dict(location) == without
    assert parameters == CONNECTION_DEFAULTS | conninfo_to_dict(given)


def test_what_the_string_says_overrides_the_defaults():
    assert parsed("postgresql://db/home?connect_timeout=60")[1]["connect_timeout"] == "60"


def test_a_malformed_connection_string_is_refused():
    with pytest.raises(JournalError, match="not a connection string"):
        parsed("postgresql://[::1/x")
