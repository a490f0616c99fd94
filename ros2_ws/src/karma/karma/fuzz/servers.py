# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Garbage for what serves people and language models: the page's HTTP and WebSocket, MCP by HTTP and by stdio."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec.msgpack
from websockets.exceptions import ConnectionClosed

from karma.fuzz.garbage import Garbage
from karma.fuzz.outcome import Progress, Tally
from karma_memory import Memory
from karma_memory.journal import open_journal
from karma_memory.tools import TOOLS
from karma_view.measuring.viewer import CAMERA, Viewer

ANSWER_S = 60.0
"""A server without an answer for so long hangs."""
OFTEN = 50
"""Cases after which it is looked whether a server still answers."""
WRITES = frozenset({"remember", "record_sighting", "record_action", "forget"})
DEFECT = "failed; tell the user"
"""What MCP's server says of an error that nobody foresaw."""
_VERSION = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "fuzz", "version": "1"}}
_SESSION = "mcp-session-id"
_PAGE = "GET / HTTP/1.1\r\nHost: localhost:{port}\r\nAccept: */*\r\nCookie: a=b\r\nConnection: close\r\n\r\n"


def page_http(port: int, seed: str, cases: int, tell: Progress) -> Tally:
    """Send requests to the page that are hardly any."""
    tally = Tally("page:http")
    for case in range(cases):
        garbage = Garbage(f"{seed}/{tally.name}/{case}")
        with socket.create_connection(("127.0.0.1", port), timeout=ANSWER_S) as connection:
            try:
                connection.sendall(garbage.data(_PAGE.format(port=port).encode()))
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(65536):
                    pass
            except TimeoutError:
                tally.faults.append(f"case {case}: no answer in {ANSWER_S:.0f} s")
            except OSError:  # it may break off
                tally.refused += 1
        tally.cases = case + 1
        if tally.cases % OFTEN == 0:
            tell(tally.name, tally.cases, cases)
            _page_lives(port, tally)
    return tally


def _page_lives(port: int, tally: Tally) -> None:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=ANSWER_S) as answer:
            answer.read()
    except OSError as error:
        tally.faults.append(f"case {tally.cases - 1}: the page is not served any more: {error}")


def page_websocket(port: int, seed: str, cases: int, tell: Progress) -> Tally:
    """Send messages to the page's server that no browser would."""
    tally = Tally("page:websocket")
    valid: list[Any] = [CAMERA]
    with Viewer(port, host="127.0.0.1") as viewer:
        found = [message for message in viewer.messages(3.0) if "uuid" in message]
    for message in found:
        for value in ({"value": message.get("props", {}).get("value", True)}, {"value": 3}):
            valid.append({"type": "GuiUpdateMessage", "uuid": message["uuid"], "updates": value})
    viewer = Viewer(port, host="127.0.0.1")
    for case in range(cases):
        garbage = Garbage(f"{seed}/{tally.name}/{case}")
        try:
            viewer._connection.send(_packed(garbage, garbage.random.choice(valid)))
            with suppress(TimeoutError):  # what comes is read, so that the end is seen
                while True:
                    viewer._connection.recv(timeout=0.005)
        except ConnectionClosed:  # it was sent away
            tally.refused += 1
            viewer = Viewer(port, host="127.0.0.1")
            if not any(True for _ in viewer.messages(ANSWER_S)):
                tally.faults.append(f"case {case}: the next viewer sees nothing")
        tally.cases = case + 1
        tell(tally.name, tally.cases, cases)
    viewer.close()
    _page_lives(port, tally)
    return tally


def _packed(garbage: Garbage, message: Any) -> bytes:
    """Return a changed message of viser's protocol, some of them no MessagePack."""
    try:
        packed = msgspec.msgpack.encode(garbage.tree(message))
    except (OverflowError, UnicodeEncodeError):
        packed = msgspec.msgpack.encode(message)
    return garbage.data(packed) if garbage.random.random() < 0.3 else packed


def mcp(how: str, folder: Path, seed: str, cases: int, tell: Progress) -> Tally:
    """Send messages to MCP's server that no client would; `how`: http or stdio."""
    tally = Tally(f"mcp:{how}")
    file = folder / f"mcp-{how}.sqlite3"
    with Memory(file, embedder="lexical") as memory:
        memory.see("mug", on="kitchen table", room="kitchen", stamp=1e9)
        memory.tell("My sister is called Lea.", user="ann", stamp=1e9 + 1)
    before = _events(file)
    command = [sys.executable, "-m", "karma.command", "mcp", "--database", str(file)]
    command += ["--http", "--port", "0"] if how == "http" else []
    with (folder / f"mcp-{how}.log").open("wb") as log:
        server = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log if how == "stdio" else subprocess.PIPE
        )
        try:
            (_by_http if how == "http" else _by_stdio)(server, tally, seed, cases, tell)
            if server.poll() is not None:
                tally.faults.append(f"the server has ended ({server.returncode})")
        finally:
            server.send_signal(signal.SIGINT)
            server.communicate(timeout=ANSWER_S)
    if more := _events(file) - before:
        tally.faults.append(f"only readings were asked for, yet the memory has {more} more events")
    return tally


def _events(file: Path) -> int:
    with open_journal(file, read_only=True) as journal:
        return journal.last_sequence


def _messages(seed: str, cases: int, name: str) -> Iterator[bytes]:
    arguments = {"question": "Where is the mug?", "query": "mug", "thing": "mug", "limit": 3, "place": "kitchen"}
    asked: list[tuple[str, Any]] = [
        *(("tools/call", {"name": tool, "arguments": arguments}) for tool in TOOLS if tool not in WRITES),
        *(("tools/call", {"name": "ask", "arguments": {"question": "Where is the mug?"}}),) * 3,
        *(("tools/call", {"name": "recall", "arguments": {"query": "mug", "limit": 2}}),) * 3,
        *(("tools/list", {}), ("resources/list", {}), ("resources/read", {"uri": "karma://home"})),
        *(("prompts/get", {"name": "remembered", "arguments": {"task": "x"}}), ("initialize", _VERSION)),
    ]
    for case in range(cases):
        garbage = Garbage(f"{seed}/{name}/{case}", ("karma://room/kitchen", "karma://picture/mug", "ann", "mug"))
        method, said = garbage.random.choice(asked)
        message = json.dumps(garbage.tree({"jsonrpc": "2.0", "id": case, "method": method, "params": said})).encode()
        yield garbage.data(message) if garbage.random.random() < 0.3 else message


def _by_http(server: subprocess.Popen[bytes], tally: Tally, seed: str, cases: int, tell: Progress) -> None:
    assert server.stderr is not None
    url = next(line.decode().strip() for line in server.stderr if line.startswith(b"http"))
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    begin = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": _VERSION}).encode()
    with _post(url, begin, headers) as answer:
        headers[_SESSION] = answer.headers[_SESSION]
    for case, message in enumerate(_messages(seed, cases, tally.name)):
        try:
            with _post(url, message, headers) as answer:
                text = answer.read().decode(errors="replace")
            if DEFECT in text:
                tally.faults.append(f"case {case}: {text[:300]}")
        except urllib.error.HTTPError as error:
            tally.refused += 1
            if error.code >= 500:
                tally.faults.append(f"case {case}: {error}")
        except OSError as error:
            tally.faults.append(f"case {case}: {error}")
            if server.poll() is not None:
                return
        tally.cases = case + 1
        tell(tally.name, tally.cases, cases)


def _post(url: str, message: bytes, headers: dict[str, str]) -> Any:
    request = urllib.request.Request(url, message, headers)  # noqa: S310 - of this machine
    return urllib.request.urlopen(request, timeout=ANSWER_S)  # noqa: S310 - the same


def _by_stdio(server: subprocess.Popen[bytes], tally: Tally, seed: str, cases: int, tell: Progress) -> None:
    assert server.stdin is not None
    assert server.stdout is not None

    def say(method: str, number: int | None = None, said: Any = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": said or {}} | (
            {} if number is None else {"id": number}
        )
        server.stdin.write(json.dumps(message).encode() + b"\n")  # type: ignore[union-attr]
        server.stdin.flush()  # type: ignore[union-attr]

    say("initialize", 10**6, _VERSION)
    say("notifications/initialized")
    for case, message in enumerate(_messages(seed, cases, tally.name)):
        server.stdin.write(re.sub(rb"[\r\n]", b" ", message) + b"\n")
        tally.cases = case + 1
        if tally.cases % OFTEN and tally.cases != cases:
            continue
        tell(tally.name, tally.cases, cases)
        say("ping", 10**7 + case)
        for line in server.stdout:
            if DEFECT.encode() in line:
                tally.faults.append(f"cases to {case}: {line[:300].decode(errors='replace')}")
            if b'"error"' in line:
                tally.refused += 1
            if f'"id":{10**7 + case}' in line.decode(errors="replace").replace(" ", ""):
                break
        else:
            tally.faults.append(f"cases to {case}: the server has ended")
            return
