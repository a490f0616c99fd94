# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server of the tests' own, in a temporary folder, reached over a socket file there."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
import pytest

from karma_memory.journal.postgres_schema import SCHEMA

SERVER_USERS = ("postgres", "nobody")
"""Whom the server runs as where the tests run as root, which it refuses."""


def find_programs() -> Path | None:
    """Return the folder with initdb and postgres, of the newest version; None where PostgreSQL isn't installed."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name), reverse=True)
    on_path = shutil.which("initdb")
    folders += [Path(on_path).resolve().parent] if on_path else []
    return next((folder for folder in folders if (folder / "initdb").exists() and (folder / "postgres").exists()), None)


def installed_programs() -> Path:
    """Return the folder with PostgreSQL's programs; skip what needs them where there are none."""
    programs = find_programs()
    if programs is None:
        pytest.skip("PostgreSQL's server is not installed (Debian: postgresql)")
    return programs


class Server:
    """A running server. `conninfo(name)` is the connection string of a database."""

    def __init__(self, programs: Path, folder: Path, *options: str) -> None:
        self._programs = programs
        self._folder = folder
        self._prefix: list[str] = []
        self._user = os.geteuid()
        self._databases: set[str] = set()
        if os.geteuid() == 0:
            user = next(entry for entry in map(_user, SERVER_USERS) if entry is not None)
            os.chown(folder, user.pw_uid, user.pw_gid)
            self._user = user.pw_uid
            self._prefix = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        made = ["-D", folder / "data", "-U", "karma", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", *options]
        subprocess.run(self._as_user("initdb", *made), cwd=folder, stdout=subprocess.DEVNULL, check=True)
        self.start()

    def start(self) -> None:
        """Start it and wait until it answers."""
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": self._folder,
            "max_connections": 50,
            "max_wal_size": "128MB",  # the folder may be in memory
        }
        command = ["postgres", "-D", self._folder / "data"]
        for name, value in settings.items():
            command += ["-c", f"{name}={value}"]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                self._as_user(*command),
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for the tests
            )
        while True:
            try:
                psycopg.connect(self.conninfo("postgres")).close()
            except psycopg.OperationalError as error:
                if self._process.poll() is not None:
                    said = (self._folder / "log").read_text()[-2000:]
                    raise RuntimeError(f"PostgreSQL did not start: {said}") from error
                time.sleep(0.02)
            else:
                return

    def stop(self, how: signal.Signals = signal.SIGQUIT) -> None:
        """Stop it: at once and without a checkpoint, or with SIGINT so that its files are complete."""
        self._process.send_signal(how)
        self._process.wait()

    def kill(self) -> None:
        """Kill all of its processes with SIGKILL, and wait until they are gone."""
        self._process.send_signal(signal.SIGSTOP)  # so that it has no more children
        children = _children(self._process.pid)
        for pid in children:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        while any(_is_running(pid) for pid in children):
            time.sleep(0.005)

    def file(self, database: str, relation: str) -> Path:
        """Return the file of a table or an index."""
        with psycopg.connect(self.conninfo(database)) as connection:
            found = connection.execute("SELECT pg_relation_filepath(%s)", (relation,)).fetchone()
        return self._folder / "data" / found[0]

    def conninfo(self, database: str) -> str:
        """Return the connection string of a database."""
        return f"postgresql:///{database}?host={self._folder}&user=karma"

    def create(self, database: str, options: str = "") -> str:
        """Make a database and return its connection string."""
        with psycopg.connect(self.conninfo("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {database} {options}")
        return self.conninfo(database)

    @contextmanager
    def on_disk(self, folder: Path) -> Iterator[str]:
        """Make a database whose tables lie in a folder that others may write, for a while."""
        with psycopg.connect(self.conninfo("postgres"), autocommit=True) as connection:
            (folder / "tables").mkdir()
            os.chown(folder / "tables", self._user, -1)
            connection.execute(f"CREATE TABLESPACE small LOCATION '{folder / 'tables'}'")
            connection.execute("CREATE DATABASE small TABLESPACE small")
            try:
                yield self.conninfo("small")
            finally:
                connection.execute("DROP DATABASE small WITH (FORCE)")
                connection.execute("DROP TABLESPACE small")

    def empty(self, database: str) -> str:
        """Let there be a database without a journal, and return its connection string.

        To take the journal out of one is quicker than to make one, and leaves less behind.
        """
        if database not in self._databases:
            self._databases.add(database)
            return self.create(database)
        with psycopg.connect(self.conninfo(database), autocommit=True) as connection:
            connection.execute(f"SET client_min_messages = warning; DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")
        return self.conninfo(database)

    def _as_user(self, program: str, *arguments: object) -> list[str]:
        return [*self._prefix, str(self._programs / program), *map(str, arguments)]


@contextmanager
def running_server(programs: Path, place: Path, *options: str) -> Iterator[Server]:
    """Run a server with its files in a folder of its own, made with these options, until the context is left."""
    folder = Path(tempfile.mkdtemp(prefix="karma-pg-", dir=place))
    try:
        server = Server(programs, folder, *options)
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder)


def _children(parent: int) -> list[int]:
    """Return the processes that a process has started."""
    pids = (int(folder.name) for folder in Path("/proc").glob("[0-9]*"))
    return [pid for pid in pids if _status(pid)[1:2] == [str(parent)]]


def _is_running(pid: int) -> bool:
    """Whether a process is there and is more than a name that its parent hasn't struck out."""
    return _status(pid)[:1] not in ([], ["Z"], ["X"])


def _status(pid: int) -> list[str]:
    """Return state, parent and more of a process (proc(5), stat), nothing where there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def _user(name: str) -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(name)
    except KeyError:
        return None
