# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PACKAGE))
sys.path.insert(0, str(Path(__file__).resolve().parent))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memory.sqlite3"


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server for the whole session."""
    from postgres_server import find_programs, running_server

    programs = find_programs()
    if programs is None:
        pytest.skip("PostgreSQL's server is not installed (Debian: postgresql)")
    with running_server(programs) as server:
        server.create("journal")
        yield server


@pytest.fixture
def postgres_store(postgres, tmp_path):
    """An empty database."""
    from journal_store import Store

    postgres.empty("journal")
    return Store(postgres.conninfo("journal"), tmp_path)


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request, path):
    """An SQLite file, and then a PostgreSQL database."""
    from journal_store import Store

    return Store(path, path.parent) if request.param == "sqlite" else request.getfixturevalue("postgres_store")
