# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""KARMA's page as a process, and somebody who looks at it in a browser and uses it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from browser import HOSTS

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

ADDRESS = re.compile(r"view: http://[^:]+:(\d+)/")
WHEN_KILLED = ("WebSocket connection to", "Failed to load resource")
"""What a browser complains of while nobody serves its page."""


class Server:
    """The node `view`, in the ROS domain of a graph."""

    def __init__(self, domain_id: int, folder: Path) -> None:
        self._domain_id = domain_id
        self._log = folder / "view.log"
        self._process: subprocess.Popen[str] | None = None
        self._port = 0

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://{HOSTS[0]}:{self._port}/"

    def start(self) -> None:
        """Serve the page; the second time, at the same address."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "karma.view.view_node", "--ros-args", "-p", f"port:={self._port}"],
                env=os.environ | {"ROS_DOMAIN_ID": str(self._domain_id)},
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        said = iter(self._process.stdout.readline, "")
        found = next((found for line in said if (found := ADDRESS.match(line))), None)
        assert found, self._log.read_text()
        self._port = int(found[1])

    def stop(self, number: int = signal.SIGINT) -> None:
        """End it, by default as a person would."""
        if self._process is not None:
            self._process.send_signal(number)
            self._process.communicate()
            self._process = None


class Viewer:
    """Somebody in front of a page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.tab("Talk")

    def tab(self, name: str) -> None:
        """Turn to a tab of any panel."""
        self.page.get_by_role("tab", name=name, exact=True).click()

    def press(self, name: str) -> None:
        """Press the one button of this name that can be seen."""
        self.page.get_by_role("button", name=name, exact=True).click()

    def choose(self, name: str, option: str) -> None:
        """Choose from a list."""
        self.page.get_by_label(name, exact=True).click()
        self.page.get_by_role("option", name=option, exact=True).click()

    def tick(self, name: str) -> None:
        """Tick a box."""
        self.page.get_by_label(name, exact=True).check()

    def field(self, name: str) -> Locator:
        """Return the input that has this before it; of a slider, the number."""
        label = self.page.locator("label", has_text=re.compile(f"^{re.escape(name)}$")).filter(visible=True)
        row = label.locator("xpath=ancestor::div[contains(@class,'Flex-root')][1]")
        return row.locator("input:not([type=hidden])").last

    def enter(self, name: str, text: str) -> None:
        """Write something and press Enter."""
        self.field(name).fill(text)
        self.field(name).press("Enter")

    def sees(self, text: str | re.Pattern[str]) -> None:
        """Wait until a text can be seen, be it more than once."""
        self.page.get_by_text(text).filter(visible=True).first.wait_for()

    def no_longer_sees(self, text: str) -> None:
        """Wait until a text can't be seen."""
        self.page.get_by_text(text).filter(visible=True).first.wait_for(state="hidden")

    def is_(self, user: str) -> None:
        """Say who one is, as somebody whom the page doesn't know."""
        self.tab("Talk")
        self.choose("I am", "somebody else …")
        self.enter("My name", user)
        self.page.get_by_label("I am", exact=True).and_(self.page.locator(f"[value={user!r}]")).wait_for()

    def says(self, text: str) -> None:
        """Give an instruction."""
        self.tab("Talk")
        self.enter("Please", text)

    def hears(self, instruction: str, answer: str) -> None:
        """Wait for what is said next after an instruction was given; the newest comes first."""
        self.tab("Talk")
        said = self.page.locator(".said").filter(has_text=instruction).first
        said.locator("xpath=preceding-sibling::*[1]").filter(has_text=answer).wait_for()
