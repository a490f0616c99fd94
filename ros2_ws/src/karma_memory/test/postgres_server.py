# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server of the tests' own, in a temporary folder, reached over a socket file there."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from karma_memory.journal.postgres import SCHEMA

SERVER_USERS = ("postgres", "nobody")
"""Whom the server runs as where the tests run as root, which it refuses."""


def find_programs() -> Path | None:
    """Return the folder with initdb and pg_ctl, of the newest version; None where PostgreSQL isn't installed."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name), reverse=True)
    on_path = shutil.which("initdb")
    folders += [Path(on_path).resolve().parent] if on_path else []
    return next((folder for folder in folders if (folder / "initdb").exists() and (folder / "pg_ctl").exists()), None)


class Server:
    """A running server. `conninfo(name)` is the connection string of a database."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs = programs
        self._folder = folder
        self._prefix: list[str] = []
        if os.geteuid() == 0:
            user = next(entry for entry in map(_user, SERVER_USERS) if entry is not None)
            os.chown(folder, user.pw_uid, user.pw_gid)
            self._prefix = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        self._run(
            "initdb", "-D", folder / "data", "-U", "karma", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"
        )
        self.start()

    def start(self) -> None:
        """Start it and wait until it answers."""
        options = f"-c listen_addresses='' -c unix_socket_directories='{self._folder}' -c max_connections=50"
        self._run("pg_ctl", "start", "-w", "-D", self._folder / "data", "-l", self._folder / "log", "-o", options)

    def stop(self) -> None:
        """Stop it at once, as a crash would; what was committed is there after the next start."""
        self._run("pg_ctl", "stop", "-m", "immediate", "-D", self._folder / "data")

    def conninfo(self, database: str) -> str:
        """Return the connection string of a database."""
        return f"postgresql:///{database}?host={self._folder}&user=karma"

    def create(self, database: str, options: str = "") -> str:
        """Make a database and return its connection string."""
        with psycopg.connect(self.conninfo("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {database} {options}")
        return self.conninfo(database)

    def empty(self, database: str) -> None:
        """Let there be no journal in a database, which is quicker than to make one, and leaves less behind."""
        with psycopg.connect(self.conninfo(database), autocommit=True) as connection:
            connection.execute(f"SET client_min_messages = warning; DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")

    def _run(self, program: str, *arguments: object) -> None:
        command = [*self._prefix, str(self._programs / program), *map(str, arguments)]
        done = subprocess.run(command, cwd=self._folder, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{program} failed: {(done.stdout + done.stderr).decode(errors='replace')}")


@contextmanager
def running_server(programs: Path) -> Iterator[Server]:
    """Run a server until the context is left."""
    folder = Path(tempfile.mkdtemp(prefix="karma-pg-"))
    try:
        server = Server(programs, folder)
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder)


def _user(name: str) -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(name)
    except KeyError:
        return None
