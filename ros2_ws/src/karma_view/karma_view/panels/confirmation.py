# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A question before something is done that can't be undone here."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from karma_view.text import render

if TYPE_CHECKING:
    from karma_view.session import Session


def confirm(session: Session, title: str, text: str, word: str, do: Callable[[], object]) -> None:
    """Show `text` and do it when the viewer presses the button `word`; failures are told to them.

    `title` and `word` are the page's own words; `text` may be anybody's.
    """
    gui = session.client.gui
    modal = gui.add_modal(title)
    with modal:
        gui.add_html(render("quoted", text=text))
        yes = gui.add_button(word, color="red")
        no = gui.add_button("Cancel", color="gray")

    def agreed(_: object) -> None:
        if not modal.closed:
            modal.close()
            session.attempt(word, do)

    yes.on_click(agreed)
    no.on_click(lambda _: close(modal))


def close(modal: Any) -> None:
    """Close what `add_modal` gave, unless it was closed by another press of the same buttons.

    Nothing in it may be changed just before: a browser that takes both at once removes first, and complains.
    """
    if not modal.closed:
        modal.close()
