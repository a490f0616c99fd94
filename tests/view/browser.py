# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium without a GPU for tests of web pages, kept off the network, and what it shows."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlsplit

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ("chromium-headless-shell", "chromium", "google-chrome")
"""Debian's, the smallest first; Chrome is what GitHub's runners and many an Ubuntu have."""
HOSTS = ("127.0.0.1", "localhost")
FLAGS = (
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",  # WebGL without a GPU is refused otherwise
    "--ignore-gpu-blocklist",
    f"--host-resolver-rules=MAP * ~NOTFOUND {' '.join(f', EXCLUDE {host}' for host in HOSTS)}",
    "--no-proxy-server",  # a proxy would look names up itself
)
SIZE = {"width": 1280, "height": 800}
SMALL = {"width": 640, "height": 400}
"""Of pages on which nothing depends on the size: without a GPU, every pixel takes its time."""
PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}
"""Of a phone that is held upright, CSS pixels."""
TIMEOUT_MS = 120_000
"""Without a GPU, on a busy machine, even a picture of a page may take its time."""
GIZMO = 80
"""Side in pixels of viser's cross of axes, lower left, which an empty scene has, too."""
DRAWN = 0.001
"""Part of the pixels that a scene has to cover for it not to be empty; with nothing in it, none are."""
REPLACED = ("blob:", "Failed to load resource: net::ERR_FILE_NOT_FOUND")
"""Address and error of a picture that viser had for the page and replaced by a newer one before it was loaded."""
DRAW_SELDOM = """
window.requestAnimationFrame = draw => setTimeout(() => draw(performance.now()), 1000);
window.cancelAnimationFrame = clearTimeout;
"""
"""A scene that is drawn as often as it can be takes a whole core without a GPU."""
SCENE = "canvas[data-engine]"
ONLY_THE_SCENE = f"body * {{ visibility: hidden !important }} {SCENE} {{ visibility: visible !important }}"

OpenPage = Callable[..., "Page"]


def find_program() -> str | None:
    """Return a browser's path; None to take Playwright's own. Ubuntu's snap can't be driven: it sees no /tmp."""
    found = (shutil.which(name) for name in PROGRAMS)
    return next(
        (path for path in found if path and not os.path.realpath(path).startswith(("/snap/", "/usr/bin/snap"))), None
    )


def none_there(reason: str) -> NoReturn:
    """Skip what needs a browser; in continuous integration (CI is set), where there must be one, fail."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@contextmanager
def running_browser() -> Iterator[Browser]:
    """A browser, until the end; skips or fails where there is none. asyncio.run() fails in its thread meanwhile."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        none_there("Playwright is not installed: run ./karma test")
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=find_program(), args=FLAGS)
        except Error as error:
            if "Executable doesn't exist" not in error.message:
                raise
            none_there("there is no Chromium (Debian: chromium-headless-shell, others: playwright install chromium)")
        with browser:
            yield browser


@contextmanager
def watched_pages(browser: Browser, problems: list[str] | None = None, **device: Any) -> Iterator[OpenPage]:
    """Yield `open_page(url, allowed=())`; AssertionError in the end if any page had errors or asked for the network.

    `allowed` are beginnings of console errors that a test means to bring about; with a page's own, none is right. What
    is wrong is put into `problems` as it is noticed. `device`: see PHONE; without it a screen that is SMALL.
    """
    problems = [] if problems is None else problems
    context = browser.new_context(**(device or {"viewport": SMALL}))
    context.set_default_timeout(TIMEOUT_MS)
    try:
        yield lambda url, allowed=(): _open(context.new_page(), url, allowed, problems)
        for page in context.pages:
            page.evaluate("null")  # what it reported until now has come in when it answers
    finally:
        context.close()
    assert not problems, "\n".join(problems)


def _open(page: Page, url: str, allowed: Sequence[str], problems: list[str]) -> Page:
    def note_request(asked: str) -> None:
        parts = urlsplit(asked)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname not in HOSTS:
            problems.append(f"asked for {asked}")

    def note_console(message: ConsoleMessage) -> None:
        replaced = message.location["url"].startswith(REPLACED[0]) and message.text == REPLACED[1]
        if message.type == "error" and not replaced and not message.text.startswith(tuple(allowed)):
            problems.append(f"console: {message.text}")

    page.add_init_script(DRAW_SELDOM)
    page.on("request", lambda request: note_request(request.url))
    page.on("websocket", lambda socket: note_request(socket.url))
    page.on("console", note_console)
    page.on("pageerror", lambda error: problems.append(f"not caught: {error}"))
    page.on("crash", lambda page: problems.append(f"crashed: {page.url}"))
    page.goto(url)
    return page


def drawn(page: Page) -> NDArray[np.bool_]:
    """Return which pixels of a page's 3D canvas aren't background, by row and column, without what lies over it.

    The background is the commonest colour; shades that are no further from it than 8 of 255 are it, too, and so is the
    axes' cross.
    """
    shot = page.screenshot(style=ONLY_THE_SCENE, clip=page.locator(SCENE).bounding_box())
    pixels = np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"), dtype=np.int32)
    commonest = np.bincount((pixels @ (1 << 16, 1 << 8, 1)).ravel()).argmax()
    background = (commonest >> 16, commonest >> 8 & 255, commonest & 255)
    differs: NDArray[np.bool_] = np.abs(pixels - background).max(axis=2) > 8
    differs[-GIZMO:, :GIZMO] = False
    return differs


def covered(page: Page) -> float:
    """Return what part of a page's 3D canvas is `drawn`, 0..1."""
    return float(drawn(page).mean())


def screenshot(page: Page, name: str) -> Path:
    """Write what a page shows to out/view/NAME.png, for people."""
    file = ROOT / "out" / "view" / f"{name}.png"
    page.screenshot(path=file)
    return file
