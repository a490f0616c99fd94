# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Somebody who looks at KARMA's page in a browser and uses it, by what can be read there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

ALL_SENT = "() => new Promise(done => setTimeout(() => setTimeout(done, 50), 50))"
"""What viser's client is to say within 50 ms of what it said last, it says after them, and only the last of it: words
typed just after a choice would be lost. Timers end in their order, however busy a page is; two later, all is said."""


class Viewer:
    """Somebody in front of a page. Everything waits until it can be done, and what was done before has been sent."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.tab("Talk")

    def tab(self, name: str) -> None:
        """Turn to a tab of any panel."""
        self.page.get_by_role("tab", name=name, exact=True).click()

    def press(self, name: str) -> None:
        """Press the one button of this name that can be seen."""
        self.page.evaluate(ALL_SENT)
        self.page.get_by_role("button", name=name, exact=True).click()

    def opens(self, line: str) -> None:
        """Press the button that begins so."""
        self.page.evaluate(ALL_SENT)
        self.page.get_by_role("button", name=re.compile(f"^{re.escape(line)}")).click()

    def confirm(self, name: str) -> None:
        """Press a button of the question that lies over the page, which goes with it."""
        self.page.evaluate(ALL_SENT)
        dialog = self.page.get_by_role("dialog")
        dialog.get_by_role("button", name=name, exact=True).click()
        dialog.wait_for(state="hidden")

    def chosen(self, name: str) -> Locator:
        """Return a list to choose from; its value is what is chosen."""
        return self.page.get_by_label(name, exact=True).and_(self.page.locator("input"))

    def choose(self, name: str, option: str) -> None:
        """Choose from a list."""
        self.page.evaluate(ALL_SENT)
        self.chosen(name).click()
        self.page.get_by_role("option", name=option, exact=True).click()

    def tick(self, name: str) -> None:
        """Tick a box."""
        self.page.evaluate(ALL_SENT)
        self.page.get_by_label(name, exact=True).check()

    def field(self, name: str) -> Locator:
        """Return the text input that has this before it; of a slider, its number."""
        label = self.page.locator("label").filter(has_text=re.compile(f"^{re.escape(name)}$"), visible=True)
        return label.locator("xpath=ancestor::div[contains(@class,'Flex-root')][1]").locator("input").last

    def enter(self, name: str, text: str) -> None:
        """Write something and press Enter."""
        self.page.evaluate(ALL_SENT)
        self.field(name).fill(text)
        self.page.evaluate(ALL_SENT)
        self.field(name).press("Enter")

    def sees(self, text: str | re.Pattern[str]) -> None:
        """Wait until a text can be seen, be it more than once."""
        self.page.get_by_text(text).filter(visible=True).first.wait_for()

    def no_longer_sees(self, text: str) -> None:
        """Wait until a text can't be seen anywhere."""
        self.page.get_by_text(text).filter(visible=True).first.wait_for(state="hidden")

    def is_(self, user: str) -> None:
        """Say who one is, as somebody whom the page doesn't know."""
        self.tab("Talk")
        self.choose("I am", "somebody else …")
        self.enter("My name", user)
        self.chosen("I am").and_(self.page.locator(f'[value="{user}"]')).wait_for()

    def says(self, text: str) -> None:
        """Give an instruction."""
        self.tab("Talk")
        self.enter("Instruction", text)

    def hears(self, instruction: str, answer: str) -> None:
        """Wait for what is said next after an instruction was given; the newest comes first."""
        self.tab("Talk")
        said = self.page.locator(".said").filter(has_text=instruction).first
        said.locator("xpath=preceding-sibling::*[1]").filter(has_text=answer).wait_for()
