# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A graph with a key and tokens: nothing that it writes has them, and nobody elsewhere reaches it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")

from ollama_server import MODEL, OllamaServer

pytestmark = [pytest.mark.ros, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[1]
KARMA = str(ROOT / "karma")
SECRETS = {"KARMA_LLM_KEY": "sk-secret-0123456789", "KARMA_VIEW_TOKEN": "view-secret-0123456789"}
MCP_TOKEN = "mcp-secret-0123456789"
PATIENCE_S = 180.0


@pytest.fixture
def environment(tmp_path: Path, free_domain: int) -> dict[str, str]:
    return {**os.environ, **SECRETS, "ROS_DOMAIN_ID": str(free_domain), "HOME": str(tmp_path / "home")}


@pytest.fixture
def graph(tmp_path: Path, environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """The whole graph with a page, and a model behind a key, which it accepts until the graph runs."""
    (tmp_path / "home").mkdir()
    with OllamaServer("{}", key=SECRETS["KARMA_LLM_KEY"]).running() as server, (tmp_path / "up.log").open("wb") as log:
        command = [KARMA, "up", "--scene", "FloorPlan1", "--view", "--set", "view.port=0", "--llm", MODEL]
        process = subprocess.Popen(
            [*command, "--llm-url", server.openai, "--set", "memory_server.embedder=lexical"],
            env=environment,
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
        )
        try:
            deadline = time.monotonic() + PATIENCE_S
            while run(environment, "health").returncode and time.monotonic() < deadline:
                assert process.poll() is None, (tmp_path / "up.log").read_text()
            server.key = "another"  # it says in its answer which one it was given
            yield process
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(PATIENCE_S)


@pytest.fixture
def agents(
    graph: subprocess.Popen[bytes], environment: dict[str, str], tmp_path: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """MCP for agents of that graph, which one has called with its token and another with a wrong one."""
    tokens, log = tmp_path / "home" / "tokens", tmp_path / "mcp.log"
    tokens.write_text(f"{MCP_TOKEN} ann\n")
    tokens.chmod(0o600)
    command = [KARMA, "mcp", "--http", "--port", "0", "--tokens", str(tokens)]
    with log.open("wb") as written:
        process = subprocess.Popen(command, env=environment, stderr=written, stdin=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + PATIENCE_S
        while not (urls := re.findall(r"^http\S+", log.read_text(), re.MULTILINE)):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline
            time.sleep(0.1)
        for token, status in ((MCP_TOKEN, 200), (f"{MCP_TOKEN}-wrong", 401)):
            assert called(urls[0], token) == status
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE_S)


def called(url: str, token: str) -> int:
    """Begin a session of MCP; return the status."""
    begin = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": begin}).encode()
    accept = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    try:
        with urlopen(Request(url, body, {**accept, "Authorization": f"Bearer {token}"})) as answer:
            return int(answer.status)
    except HTTPError as error:
        return error.code


def run(environment: dict[str, str], *command: str) -> subprocess.CompletedProcess[str]:
    arguments = [KARMA, *command]
    return subprocess.run(arguments, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False)


def family(pid: int) -> set[int]:
    """Return a process and all that it started."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:  # it has ended
            continue
    found, more = {pid}, True
    while more:
        more = {one for one, parent in parents.items() if parent in found} - found
        found |= more
    return found


def listening(pids: set[int]) -> list[tuple[str, str]]:
    """Return protocol and address, in hexadecimal, of the sockets at which processes may be reached by a network."""
    inodes = set()
    for pid in pids:
        for descriptor in Path(f"/proc/{pid}/fd").glob("*"):
            try:
                inodes.add(os.readlink(descriptor).removeprefix("socket:[").removesuffix("]"))
            except OSError:  # closed meanwhile
                continue
    reached = []
    for protocol, state in (("tcp", "0A"), ("tcp6", "0A"), ("udp", "07"), ("udp6", "07")):
        for line in Path(f"/proc/net/{protocol}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[9] in inodes and fields[3] == state:
                reached.append((protocol, fields[1].partition(":")[0]))
    return reached


def test_no_secret_is_written_down_and_nothing_listens_beyond_this_machine(
    graph: subprocess.Popen[bytes],
    agents: subprocess.Popen[bytes],
    environment: dict[str, str],
    tmp_path: Path,
) -> None:
    bag = tmp_path / "bag"
    with subprocess.Popen(
        [KARMA, "record", "--all", "--out", str(bag)], env=environment, stdout=subprocess.DEVNULL
    ) as recorder:
        try:
            told = run(environment, "do", "Pop the apple somewhere sensible.", "--user", "ann")
            assert told.returncode, "the model's server refuses"
            served = {name: listening(family(process.pid)) for name, process in (("graph", graph), ("mcp", agents))}
        finally:
            recorder.send_signal(signal.SIGINT)
            recorder.wait(PATIENCE_S)
    for name, addresses in served.items():
        assert {protocol for protocol, _ in addresses} >= {"tcp", "udp"}, f"{name}: the page or MCP, and DDS"
        assert {address for _, address in addresses} <= {"0100007F", f"{'0' * 24}01000000"}, name
    files = [path for path in tmp_path.rglob("*") if path.is_file() and not path.is_symlink() and path.name != "tokens"]
    assert any(path.name.endswith("sqlite3") for path in files), "the journal"
    assert any(bag in path.parents for path in files), "the recording"
    assert (tmp_path / "up.log").stat().st_size, "what the nodes print"
    assert (tmp_path / "mcp.log").stat().st_size, "what MCP prints"
    for secret in (*SECRETS.values(), MCP_TOKEN):
        assert not [path for path in files if secret.encode() in path.read_bytes()]
        assert secret not in told.stdout + told.stderr
