# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A browser for tests of the web page; the modules here are imported by name."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from browser import SIZE, OpenPage, running_browser, watched_pages

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A headless browser; not for the whole session, as asyncio.run() fails in this thread while it runs."""
    with running_browser() as browser:
        yield browser


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """Open SMALL pages with `open_page(url)`; the test fails if one has errors or asks for the network."""
    with watched_pages(browser) as open_page:
        yield open_page


@pytest.fixture
def open_large_page(browser: Browser) -> Iterator[OpenPage]:
    """Open pages as `open_page` does, of the SIZE of a usual screen."""
    with watched_pages(browser, viewport=SIZE) as open_page:
        yield open_page
