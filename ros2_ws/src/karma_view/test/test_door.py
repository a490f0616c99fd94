# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The page's door by real requests; and what viewers that mean harm can do to the page and to others."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy")

from raw_viewer import CAMERA, get, hear, http, send, viewing
from viewing import AbsentRobot
from websockets.exceptions import ConnectionClosed, InvalidStatus

from karma_view.access import address, door
from karma_view.access.address import AddressError, addresses, is_loopback, listen
from karma_view.access.door import LARGEST_MESSAGE, Door, DoorError, token_for
from karma_view.asking import MOST
from karma_view.known import Live
from karma_view.page import Page

TOKEN = "3q9-Zk_7~secret.1"


def page_of(**chosen: Any) -> Page:
    return Page(AbsentRobot(), Live(), port=0, **chosen)


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    """Open to this machine."""
    opened = page_of()
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def locked() -> Iterator[Page]:
    """Open to whoever has the token."""
    opened = page_of(host="0.0.0.0", token=TOKEN)
    yield opened
    opened.close()


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST", "127.3.2.1", "[::1]"])
def test_this_machines_own_names_are_answered_to(page: Page, host: str) -> None:
    answer = get(page.port, Host=f"{host}:{page.port}")
    assert status(answer) == 200
    assert b"frame-ancestors 'none'" in answer
    assert b"Referrer-Policy: no-referrer" in answer


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "192.0.2.1", "", "127.0.0.1.evil.example"])
def test_a_foreign_name_that_points_here_is_not_answered_to(page: Page, host: str) -> None:
    upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec_WebSocket_Version": "13"}
    for more in ({}, upgrade):
        assert status(get(page.port, Host=f"{host}:{page.port}", **more)) == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:1", "https://127.0.0.1"])
def test_a_foreign_page_may_not_connect(page: Page, locked: Page, origin: str) -> None:
    for opened, more in ((page, {}), (locked, {"Cookie": f"{Door(TOKEN).cookie}={TOKEN}"})):
        with pytest.raises(InvalidStatus, match="403"), viewing(opened.port, {"Origin": origin, **more}):
            pass


def test_its_own_page_may_connect(page: Page) -> None:
    with viewing(page.port, {"Origin": f"http://127.0.0.1:{page.port}"}) as connection:
        send(connection, CAMERA)
        hear(connection, lambda message: message["type"] == "GuiTabGroupMessage")


@pytest.mark.parametrize("path", ["/", "/?token=", f"/?token={TOKEN[:-1]}", "/?token=wrong-wrong", "/?token=%C3%BC%ff"])
def test_without_the_token_nothing_is_seen(locked: Page, path: str) -> None:
    answer = get(locked.port, path)
    assert status(answer) == 403
    assert TOKEN.encode() not in answer
    with pytest.raises(InvalidStatus, match="403"), viewing(locked.port):
        pass


def test_the_token_becomes_a_cookie_and_leaves_the_address(locked: Page) -> None:
    answer = get(locked.port, f"/?token={TOKEN}").decode()
    assert status(answer.encode()) == 303
    headers = dict(line.split(": ", 1) for line in answer.split("\r\n")[1:] if ": " in line)
    assert headers["Location"] == "/"
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"
    cookie, *attributes = headers["Set-Cookie"].split("; ")
    assert {"HttpOnly", "SameSite=Lax"} <= set(attributes)
    assert status(get(locked.port, Cookie=cookie)) == 200
    assert status(get(locked.port, Cookie=f"a=b; {cookie}")) == 200
    with viewing(locked.port, {"Cookie": cookie}) as connection:
        send(connection, CAMERA)
        hear(connection, lambda message: message["type"] == "GuiTabGroupMessage")


@pytest.mark.parametrize("value", [TOKEN[:-1], "", "x" * 200, "\udcff\udcfe", '"', "wrong"])
def test_a_wrong_cookie_opens_nothing(locked: Page, value: str) -> None:
    assert status(get(locked.port, Cookie=f"{Door(TOKEN).cookie}={value}")) == 403


def test_two_pages_of_one_machine_keep_their_tokens_apart() -> None:
    assert Door(TOKEN).cookie != Door(TOKEN + "2").cookie


@pytest.mark.parametrize("token", ["short", "schlüssel-schlüssel", "with space 123", "a;b=c;d=e;f", "x" * 129])
def test_a_token_that_no_address_or_cookie_can_hold_is_refused(token: str) -> None:
    with pytest.raises(DoorError, match="8 to 128 characters"):
        page_of(token=token)


def test_a_page_that_everybody_could_open_is_not_served() -> None:
    with pytest.raises(DoorError, match="token is needed"):
        page_of(host="0.0.0.0")
    assert token_for("127.0.0.1", "") == ""
    assert token_for("127.0.0.1", TOKEN) == TOKEN
    assert Door(token_for("0.0.0.0", "")).token != Door(token_for("0.0.0.0", "")).token


STRANGE = [
    b"HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc",
    b"GET / HTTP/1.0\r\n\r\n",
    b"GET / HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: [::1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://[\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: \xff\xfe\r\n\r\n",
    b"GET //[ HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nCookie: " + b"a=b;" * 100_000 + b"\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 10_000 + b"\r\n",
    b"GET /" + b"a" * 1_000_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"\r\n\r\n",
]


@pytest.mark.parametrize("request_", STRANGE, ids=lambda value: repr(value[:40]))
def test_what_is_no_request_is_not_let_in_and_does_no_harm(page: Page, locked: Page, request_: bytes) -> None:
    def answer_of(opened: Page) -> bytes:
        try:
            return http(opened.port, request_)
        except (ConnectionResetError, BrokenPipeError):
            return b""

    with ThreadPoolExecutor() as pool:  # one that goes on waiting for a request is waited for
        answers = list(pool.map(answer_of, (page, locked)))
    for answer in answers:
        assert not answer or status(answer) in (400, 403, 404, 405, 413, 414, 426, 431, 500), answer[:200]
    assert status(get(page.port)) == 200


@pytest.mark.parametrize(
    "path",
    [
        *("/../../../../../../etc/passwd", "/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd", "/..%5c..%5c..%5cetc/passwd"),
        *("//etc/passwd", "/%2fetc/passwd", "/assets/..%2f..%2f..%2f__init__.py", "/%00", "/" + "a" * 5000),
        "/.%2e/.%2e/_viser.py",
    ],
)
def test_no_file_but_the_pages_own_is_served(page: Page, path: str) -> None:
    answer = get(page.port, path)
    assert status(answer) == 404
    assert b"root:" not in answer
    assert b"import" not in answer


def test_nobody_can_have_a_tunnel_opened(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []
    monkeypatch.setattr("viser._viser.ViserTunnel", lambda *arguments: opened.append(arguments))
    with viewing(page.port) as connection:
        send(connection, {"type": "ShareUrlRequest"})
        send(connection, {"type": "ShareUrlDisconnect"})
        send(connection, CAMERA)
        hear(connection, lambda message: message["type"] == "GuiTabGroupMessage")
    time.sleep(0.3)
    assert opened == []


def resident() -> int:
    """Bytes of memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def test_files_that_are_sent_are_not_kept(page: Page) -> None:
    with viewing(page.port) as connection:
        send(connection, CAMERA)
        made = hear(connection, lambda message: message["type"].startswith("GuiText") and "uuid" in message)
        before = resident()
        start = {"type": "FileTransferStartUpload", "source_component_uuid": made[-1]["uuid"], "transfer_uuid": "t"}
        send(connection, {**start, "filename": "f", "mime_type": "", "part_count": 200, "size_bytes": 1 << 30})
        part = {"type": "FileTransferPart", "source_component_uuid": made[-1]["uuid"], "transfer_uuid": "t"}
        for number in range(100):
            send(connection, {**part, "part_index": number, "content": bytes(1 << 19)})
        connection.ping().wait(30)
        assert resident() - before < 25 << 20
    assert status(get(page.port)) == 200


UNREADABLE = [
    b"",
    b"\xc1",
    b"\x91" * 100_000,
    b"\x80",
    b"\x81\xa4type\xa7Nothing",
    b"\x81\xa4type\x81\x01\x02",
    "text",
    b"\x81\xa4type\xb3ViewerCameraMessage",
    bytes(LARGEST_MESSAGE + 1),
]


@pytest.mark.parametrize("message", UNREADABLE, ids=lambda value: repr(value[:20]))
def test_who_says_what_cannot_be_read_is_sent_away_and_others_stay(page: Page, message: bytes | str) -> None:
    with viewing(page.port) as other:
        send(other, CAMERA)
        hear(other, lambda heard: heard["type"] == "GuiTabGroupMessage")
        with viewing(page.port) as connection:
            connection.send(message)
            with pytest.raises(ConnectionClosed):
                hear(connection, lambda _: False, 20)
        assert other.ping().wait(20)
    with viewing(page.port) as connection:
        send(connection, CAMERA)
        hear(connection, lambda heard: heard["type"] == "GuiTabGroupMessage")


def test_messages_that_make_no_sense_do_no_harm(page: Page) -> None:
    with viewing(page.port) as connection:
        send(connection, CAMERA)
        made = hear(connection, lambda message: message["type"].startswith("GuiText") and "uuid" in message)
        uuid = made[-1]["uuid"]
        for updates in ({"value": {"a": 1}}, {"value": None}, {"no": 1}, {"update_cb": 5}, {"removed": True}, {}):
            send(connection, {"type": "GuiUpdateMessage", "uuid": uuid, "updates": updates})
        send(connection, {"type": "GuiUpdateMessage", "uuid": 5, "updates": 5})
        assert connection.ping().wait(20)
    with viewing(page.port) as connection:
        send(connection, CAMERA)
        hear(connection, lambda heard: heard["type"] == "GuiTabGroupMessage")


def test_a_hundred_presses_are_no_hundred_instructions() -> None:
    robot, given, stopped = AbsentRobot(), list[str](), list[int]()
    robot.instruct = lambda text, **_: given.append(text)  # type: ignore[attr-defined]
    robot.stop = lambda: stopped.append(1) or 1  # type: ignore[attr-defined]
    opened = Page(robot, Live(), port=0)  # type: ignore[arg-type]
    with viewing(opened.port) as connection:
        send(connection, CAMERA)
        made = hear(connection, lambda message: (message.get("props") or {}).get("label") == "Robot")
        uuids = {(message.get("props") or {}).get("label"): message["uuid"] for message in made if "uuid" in message}

        def tell(label: str, value: object) -> None:
            send(connection, {"type": "GuiUpdateMessage", "uuid": uuids[label], "updates": {"value": value}})

        for number in range(100):
            tell("Instruction", f"Tidy up {number}.")
            tell("Do it", True)
        hear(connection, lambda message: "Not so fast" in str(message))
        assert len(given) == len(set(given)) == MOST
        for _ in range(3):
            tell("Robot", "Stop all")
        hear(connection, lambda message: "1 stopped" in str(message))
    opened.close()


def test_only_so_many_look_at_once(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "MOST_VIEWERS", 3)
    with ExitStack() as stack:
        for _ in range(3):
            send(stack.enter_context(viewing(page.port)), CAMERA)
        with viewing(page.port) as late, pytest.raises(ConnectionClosed, match="too many"):
            late.recv(timeout=20)
    until = time.monotonic() + 20.0
    while True:  # until it is known that they have gone
        try:
            with viewing(page.port) as connection:
                send(connection, CAMERA)
                hear(connection, lambda heard: heard["type"] == "GuiTabGroupMessage")
                return
        except ConnectionClosed:
            assert time.monotonic() < until


def test_trouble_is_shown_as_text(page: Page) -> None:
    page._live.learn(trouble="<b>no</b> graph")
    try:
        with viewing(page.port) as connection:
            send(connection, CAMERA)
            hear(connection, lambda message: "&lt;b&gt;no&lt;/b&gt; graph" in str(message))
    finally:
        page._live.learn(trouble="")


def test_nothing_of_viser_comes_to_standard_output(capfd: pytest.CaptureFixture[str]) -> None:
    opened = page_of()
    get(opened.port)
    with viewing(opened.port) as connection:
        send(connection, CAMERA)
        hear(connection, lambda heard: heard["type"] == "GuiTabGroupMessage")
    opened.close()
    assert capfd.readouterr().out == ""


def test_an_ipv6_address_is_served_and_named() -> None:
    try:
        opened = page_of(host="::1")
    except AddressError:
        pytest.skip("there is no IPv6 here")
    assert opened.addresses == [f"http://[::1]:{opened.port}/"]
    assert status(get(opened.port, host="::1")) == 200
    opened.close()


def test_a_port_that_cannot_be_had_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with listen("127.0.0.1", 0) as taken, pytest.raises(AddressError, match="is taken"):
        listen("127.0.0.1", taken.getsockname()[1])
    with pytest.raises(AddressError, match="0 to 65535"):
        listen("127.0.0.1", 65536)
    for host in ("192.0.2.1", "no.such.name.invalid", "a" * 70, "ü" * 70):
        with pytest.raises(AddressError, match="not an address of this machine"):
            listen(host, 0)
    with pytest.raises(AddressError, match="missing"):
        listen("", 0)

    def denied(*_: object, **__: object) -> socket.socket:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(socket, "create_server", denied)
    with pytest.raises(AddressError, match="needs rights"):
        listen("127.0.0.1", 80)


def test_every_address_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address, "_ipv4_addresses", lambda: ["192.0.2.7", "198.51.100.2"])
    assert addresses("0.0.0.0", 8080, "/?token=x") == [
        "http://localhost:8080/?token=x",
        "http://192.0.2.7:8080/?token=x",
        "http://198.51.100.2:8080/?token=x",
    ]
    assert addresses("127.0.0.1", 80) == ["http://127.0.0.1:80/"]
    assert not any(is_loopback(found) for found in address._ipv4_addresses())
