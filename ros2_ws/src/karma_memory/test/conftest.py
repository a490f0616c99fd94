# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PACKAGE))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from journal_store import KINDS, Databases, Files  # noqa: E402 - they are found from here on
from postgres_server import installed_programs, running_server  # noqa: E402


@pytest.fixture
def path(tmp_path):
    """Where a file of SQLite may be made."""
    return tmp_path / "memory.sqlite3"


@pytest.fixture(scope="session")
def quick_folder():
    """A folder in memory, where the system has that: a thousand stores are made there."""
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and shutil.disk_usage(memory).free > 1 << 30
    with tempfile.TemporaryDirectory(prefix="karma-memory-", dir=memory if roomy else None) as folder:
        Path(folder).chmod(0o755)  # the server of PostgreSQL may run as another user
        yield Path(folder)


@pytest.fixture(scope="session")
def postgres(quick_folder):
    """A PostgreSQL server for the whole session."""
    with running_server(installed_programs(), quick_folder) as server:
        yield server


@pytest.fixture
def stores_of(request, quick_folder):
    """Of each kind what makes empty stores of it."""
    with tempfile.TemporaryDirectory(dir=quick_folder) as folder:

        def stores(kind):
            if kind == "sqlite":
                return Files(Path(folder))
            return Databases(Path(folder), request.getfixturevalue("postgres"))

        yield stores


@pytest.fixture(params=KINDS)
def stores(request, stores_of):
    """What makes empty stores: SQLite files, and then PostgreSQL databases."""
    return stores_of(request.param)


@pytest.fixture
def store(stores):
    """An empty SQLite file, and then a PostgreSQL database."""
    return stores.new()


@pytest.fixture
def memory(store):
    """A memory that lives in an empty store of each kind."""
    with store.memory() as memory:
        yield memory


@pytest.fixture
def other(stores):
    """An empty journal of the same kind."""
    with stores.new("other").journal() as other:
        yield other


@pytest.fixture
def file_store(stores_of):
    """An empty SQLite file."""
    return stores_of("sqlite").new()


@pytest.fixture
def postgres_store(stores_of):
    """An empty PostgreSQL database."""
    return stores_of("postgresql").new()


@pytest.fixture(params=KINDS)
def elsewhere(request, stores_of):
    """An empty store of each kind, whatever kind that has which was exported."""
    return stores_of(request.param).new("elsewhere")


@pytest.fixture
def target(elsewhere):
    """An empty journal of each kind, whatever kind that has which was exported."""
    with elsewhere.journal() as target:
        yield target
