# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma mcp --http`: many clients at a time, tokens, and what comes from elsewhere or is malformed."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest
from mcp_memory import connected, make_home, served, text

from karma.mcp.serving import MOST_CLIENTS, MOST_OF_ONE, TokenError, read_tokens
from karma_memory import Memory

BEGIN = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": BEGIN}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return make_home(tmp_path)


def token_file(folder: Path, lines: str, mode: int = 0o600) -> Path:
    file = folder / "tokens"
    file.write_text(lines)
    file.chmod(mode)
    return file


@pytest.fixture
def tokens(tmp_path: Path) -> Path:
    return token_file(tmp_path, "# who may\nann-0123456789abcdef ann\nben-0123456789abcdef ben\n")


def test_twenty_clients_at_a_time_and_one_that_dies(home: Path) -> None:
    async def one(url: str, number: int) -> None:
        async with connected(url, mode="legacy" if number % 2 else "auto") as client:
            for _ in range(5):
                assert "sink" in await text(client, "where_is", thing="mug")
            await text(client, "remember", words=f"Box {number} is in the cellar.")

    with served(home) as url:
        killed = subprocess.Popen([sys.executable, "-c", _DIES, url], stdout=subprocess.PIPE, text=True)
        assert killed.stdout is not None
        assert killed.stdout.readline().strip() == "connected"
        killed.kill()
        killed.wait(30)

        async def use() -> None:
            await asyncio.gather(*(one(url, number) for number in range(20)))

        asyncio.run(use())
    with Memory(home, embedder="lexical") as memory:
        told = memory.with_state(lambda state: [said.text for said in state.told.statements()])
    assert {f"Box {number} is in the cellar." for number in range(20)} <= set(told)


_DIES = """
import asyncio, sys
from mcp import Client

async def use():
    async with Client(sys.argv[1]) as client:
        await client.list_tools()
        print("connected", flush=True)
        while True:
            await client.call_tool("recall", {"query": "mug"})

asyncio.run(use())
"""


def test_each_token_is_its_user_and_without_one_nobody_comes_in(home: Path, tokens: Path) -> None:

    async def use(url: str) -> None:
        for user, sister in (("ann", "Lea"), ("ben", "Mia")):
            for mode in ("auto", "legacy"):
                async with connected(url, f"{user}-0123456789abcdef", mode) as client:
                    assert sister in await text(client, "ask", question="What is my sister called?")
        async with httpx2.AsyncClient() as http:
            for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "ann-0123456789abcdef"}):
                refused = await http.post(
                    url, headers=headers, json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
                )
                assert refused.status_code == 401
            # Nobody uses or ends another's session.
            anns, bens = ({**ACCEPT, "Authorization": f"Bearer {one}-0123456789abcdef"} for one in ("ann", "ben"))
            session = {
                "Mcp-Session-Id": (await http.post(url, headers=anns, json=INITIALIZE)).headers["mcp-session-id"]
            }
            assert (await http.delete(url, headers={**bens, **session})).status_code == 404
            assert (await http.delete(url, headers={**anns, **session})).status_code == 200
            # Another site's page in a browser on this machine does not get in either.
            allowed = {"Authorization": "Bearer ann-0123456789abcdef", "Host": "evil.example"}
            refused = await http.post(url, headers=allowed, json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
            assert refused.status_code == 421

    with served(home, "--tokens", str(tokens)) as url:
        asyncio.run(use(url))


def test_another_sites_page_does_not_get_in_where_there_are_no_tokens(home: Path) -> None:

    async def use(url: str) -> None:
        async with httpx2.AsyncClient(timeout=60.0) as http:
            assert (await http.post(url, headers=ACCEPT, json=INITIALIZE)).status_code == 200
            for foreign in (
                {"Origin": "http://evil.example"},
                {"Host": "evil.example"},
                {"Content-Type": "text/plain"},
            ):
                refused = await http.post(
                    url, headers={**ACCEPT, **foreign}, json=INITIALIZE
                )  # a form sends text/plain
                assert 400 <= refused.status_code < 500, foreign

    with served(home) as url:
        asyncio.run(use(url))


def test_one_token_takes_no_more_than_its_share_of_the_sessions(home: Path, tokens: Path) -> None:
    ann, ben = ({**ACCEPT, "Authorization": f"Bearer {one}-0123456789abcdef"} for one in ("ann", "ben"))

    async def use(url: str) -> None:
        async with httpx2.AsyncClient(timeout=60.0) as http:
            begun = [await http.post(url, headers=ann, json=INITIALIZE) for _ in range(MOST_OF_ONE)]
            assert {one.status_code for one in begun} == {200}
            refused = await http.post(url, headers=ann, json=INITIALIZE)
            assert (refused.status_code, refused.headers.get("mcp-session-id")) == (429, None)
            assert (await http.post(url, headers=ben, json=INITIALIZE)).status_code == 200
            session = {"Mcp-Session-Id": begun[0].headers["mcp-session-id"]}
            assert (await http.delete(url, headers={**ann, **session})).status_code == 200
            assert (await http.post(url, headers=ann, json=INITIALIZE)).status_code == 200

    with served(home, "--tokens", str(tokens)) as url:
        asyncio.run(use(url))


def test_all_tokens_together_have_no_more_sessions_than_there_may_be(home: Path, tmp_path: Path) -> None:
    named = [f"token-{number:012}" for number in range(MOST_CLIENTS // MOST_OF_ONE + 1)]
    tokens = token_file(tmp_path, "".join(f"{token} ann\n" for token in named))

    async def use(url: str) -> None:
        async with httpx2.AsyncClient(timeout=60.0) as http:

            async def begins(token: str) -> httpx2.Response:
                headers = {**ACCEPT, "Authorization": f"Bearer {token}"}
                return await http.post(url, headers=headers, json=INITIALIZE)

            begun = [await begins(token) for token in named[:-1] for _ in range(MOST_OF_ONE)]
            assert (len(begun), {one.status_code for one in begun}) == (200, {200})
            assert (await begins(named[-1])).status_code == 503
            session = {"Mcp-Session-Id": begun[0].headers["mcp-session-id"], "Authorization": f"Bearer {named[0]}"}
            assert (await http.delete(url, headers={**ACCEPT, **session})).status_code == 200
            assert (await begins(named[-1])).status_code == 200

    with served(home, "--tokens", str(tokens)) as url:
        asyncio.run(use(url))


def test_what_two_people_have_done_at_a_time_is_each_ones_own(home: Path, tokens: Path) -> None:

    async def record(url: str, user: str) -> None:
        async with connected(url, f"{user}-0123456789abcdef") as client:
            for number in range(20):
                said = await text(client, "record_action", action="put", thing=f"{user} book {number}", place="shelf")
                assert said == "remembered"

    async def use(url: str) -> None:
        await asyncio.gather(*(record(url, user) for user in ("ann", "ben", "ann", "ben")))

    with served(home, "--tokens", str(tokens), "--write") as url:
        asyncio.run(use(url))
    with Memory(home, embedder="lexical") as memory:
        for user in ("ann", "ben"):
            deeds = [one for one in memory.episodes(user, "home") if "book" in one.instruction]
            assert len(deeds) == 40
            assert {step.object.split()[0] for one in deeds for step in one.steps} == {user}
            assert {one.instruction.split()[2] for one in deeds} == {user}


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"jsonrpc": "2.0"}', b'{"jsonrpc":"2.0","id":1,"method":"tools/call"}',
     b'{"jsonrpc":"2.0","id":1,"method":"nope"}', b"[" * 100_000, b"x" * (2 << 20)],
    ids=["empty", "half", "list", "null", "bytes", "no method", "no parameters", "unknown", "deep", "large"],
)  # fmt: skip
def test_malformed_messages_are_refused_and_the_server_goes_on(
    body: bytes, served_home: tuple[str, Callable[[], None]]
) -> None:
    url, still_works = served_home
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    answer = httpx2.post(url, content=body, headers=headers, timeout=60)
    assert answer.status_code in (200, 202, 400, 404, 413, 415), answer.text[:200]
    assert answer.status_code != 200 or "error" in answer.text
    still_works()


@pytest.fixture(scope="module")
def served_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Callable[[], None]]]:
    """A served memory, and a check that it still answers."""
    file = tmp_path_factory.mktemp("served") / "home.sqlite3"
    with Memory(file, embedder="lexical") as memory:
        memory.see("mug", on="desk", room="office")

    async def ask(url: str) -> None:
        async with connected(url) as client:
            assert "desk" in await text(client, "where_is", thing="mug")

    with served(file) as url:
        yield url, lambda: asyncio.run(ask(url))


@pytest.mark.parametrize(
    ("lines", "mode", "why"),
    [
        ("short ann\n", 0o600, "16 plain characters"),
        ("", 0o600, "no tokens"),
        ("a" * 16 + " ann\n" + "a" * 16 + " ben\n", 0o600, "twice"),
        ("a" * 16 + " ann\n", 0o644, "read by others"),
    ],
)
def test_a_bad_file_of_tokens_is_told(tmp_path: Path, lines: str, mode: int, why: str) -> None:
    with pytest.raises(TokenError, match=why):
        read_tokens(token_file(tmp_path, lines, mode))
