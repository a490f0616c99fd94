# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The browser of the tests of the web page, against viser itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser import DRAWN, HOSTS, OpenPage, covered, screenshot, watched_pages

if TYPE_CHECKING:
    from playwright.sync_api import Browser

viser = pytest.importorskip("viser", reason="needs viser: run ./karma setup")
pytestmark = pytest.mark.slow

FETCH = "fetch('https://example.org/x').catch(() => 0)"
TEXT = "<img src=x onerror='document.title=\"run\"'> & {1+1} **mug**"
HANGING = """
import pytest
from browser import running_browser
@pytest.fixture
def page():
    with running_browser() as browser:
        yield browser.new_page()
def test_that_hangs(page):
    print("hanging", flush=True)
    page.wait_for_timeout(600_000)
"""


@pytest.fixture
def scene() -> Iterator[viser.ViserServer]:
    server = viser.ViserServer(host=HOSTS[0], port=0, verbose=False)
    yield server
    server.stop()


def url(server: viser.ViserServer) -> str:
    return f"http://{HOSTS[0]}:{server.get_port()}"


def fill(server: viser.ViserServer) -> None:
    server.scene.add_box("/box", dimensions=(1.0, 1.0, 1.0), color=(200, 30, 30))
    server.scene.add_label("/box/label", "a box", position=(0.0, 0.0, 1.0))
    server.gui.add_html(f"<p id='said'>{escape(TEXT)}</p>")


def test_full_scene_is_told_from_an_empty_one_on_two_pages_at_once(
    scene: viser.ViserServer, open_page: OpenPage, eventually: Callable[..., bool]
) -> None:
    pages = [open_page(url(scene)) for _ in range(2)]
    for page in pages:
        page.get_by_text("Connected").wait_for()
        page.wait_for_timeout(1000)
        assert covered(page) == 0.0
    fill(scene)
    for page in pages:
        assert eventually(lambda page=page: covered(page) > DRAWN)
        assert page.locator("#said").inner_text() == TEXT
        assert page.title() != "run"
    assert screenshot(pages[0], "test_browser").stat().st_size > 1000


def run_in_a_page(browser: Browser, address: str, script: str, eventually: Callable[..., bool]) -> None:
    problems: list[str] = []
    with watched_pages(browser, problems) as open_page:
        page = open_page(address, allowed=("Failed to load resource", "WebSocket connection to"))
        page.evaluate(script)
        eventually(lambda: page.evaluate("null") or problems)


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        ("fetch('https://example.org/x').catch(() => 0)", "asked for https://example.org/x"),
        ("fetch('http://192.0.2.1/x').catch(() => 0)", "asked for http://192.0.2.1/x"),
        ("void new WebSocket('wss://example.org/x')", "asked for wss://example.org/x"),
        (f"void new Worker(URL.createObjectURL(new Blob([{FETCH!r}])))", "asked for https://example.org/x"),
        ("console.error('out of paper')", "console: out of paper"),
        ("void setTimeout(() => { throw new Error('paper jam') })", "not caught: .*paper jam"),
    ],
)
def test_page_with_errors_or_that_asks_for_the_network_fails_the_test(
    browser: Browser, scene: viser.ViserServer, script: str, problem: str, eventually: Callable[..., bool]
) -> None:
    with pytest.raises(AssertionError, match=problem):
        run_in_a_page(browser, url(scene), script, eventually)


def test_nothing_of_the_network_can_be_reached(browser: Browser, scene: viser.ViserServer) -> None:
    page = browser.new_page()
    page.goto(url(scene))
    for elsewhere in ("http://example.org", "http://192.0.2.1", "http://[::ffff:192.0.2.1]"):
        failed = page.evaluate("address => fetch(address, {mode: 'no-cors'}).catch(error => 'none')", elsewhere)
        assert failed == "none"
    page.close()


def pytest_on_its_own(folder: Path) -> tuple[list[str], dict[str, str]]:
    """Return the command and the environment for a run of a test that hangs, with a browser open, when it says so."""
    file = folder / "test_hanging.py"
    file.write_text(HANGING)
    path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "pytest", "-s", "-p", "no:cacheprovider", "-c", os.devnull, str(file)]
    return command, os.environ | {"PYTHONPATH": path}


def marked(mark: str) -> list[str]:
    """Return the programs that run with this in their environment."""
    found = []
    for file in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark.encode() in file.read_bytes():
                found.append((file.parent / "comm").read_text().strip())
        except OSError:
            continue
    return found


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL, None])
@pytest.mark.usefixtures("browser")
def test_no_browser_is_left_however_the_tests_end(
    end: signal.Signals | None, tmp_path: Path, eventually: Callable[..., bool]
) -> None:
    mark = uuid.uuid4().hex
    command, environment = pytest_on_its_own(tmp_path)
    command += [] if end else ["--timeout=1", "-o", "timeout_func_only=true"]
    environment |= {"MARK": mark}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True) as tests:
        try:
            while "hanging" not in (line := tests.stdout.readline()):
                assert line
            assert len(marked(mark)) > 2
            if end == signal.SIGINT:
                os.killpg(tests.pid, end)
            elif end:
                tests.send_signal(end)
            tests.stdout.read()
            tests.wait(60)
            assert eventually(lambda: not marked(mark)), marked(mark)
        finally:
            if marked(mark):
                os.killpg(tests.pid, signal.SIGKILL)


@pytest.mark.parametrize(("ci", "outcome"), [("", "1 skipped"), ("true", "1 error")])
def test_where_there_is_no_browser_tests_are_skipped_but_fail_in_continuous_integration(
    ci: str, outcome: str, tmp_path: Path
) -> None:
    nowhere = {"PATH": str(tmp_path), "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path), "CI": ci}
    command, environment = pytest_on_its_own(tmp_path)
    done = subprocess.run([*command, "-rsf"], env=environment | nowhere, capture_output=True, text=True, check=False)
    assert outcome in done.stdout
    assert "chromium-headless-shell" in done.stdout
