# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What an answer rests on: one line for each fact, the picture of the thing, and the home as it was then."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from karma_view.text import clock, distinct, fact, render, seconds

if TYPE_CHECKING:
    from karma_view.session import Session

logger = logging.getLogger(__name__)

MOST = 8
"""Facts at once."""
LONGEST = 200
"""Characters of one."""
LARGEST_PX = 4096
"""Width and height of a picture that is taken: what says that it is larger is no picture of a robot's camera."""


class AnswerBox:
    """The facts, the picture and the moment of one answer. Nothing is shown where there are none."""

    def __init__(self, session: Session) -> None:
        """Where the next element of the page would be."""
        gui = session.client.gui
        self._session = session
        self._at = 0.0
        self._told: Any = gui.add_html("", visible=False)
        self._image: Any = gui.add_image(np.zeros((3, 4, 3), np.uint8), format="jpeg", visible=False)
        self._facts: Any = gui.add_folder("It rests on", visible=False)
        self._buttons: list[Any] = []
        self._then: Any = gui.add_button("Show the home as it was then", color="gray", visible=False)
        self._then.on_click(lambda _: session.look_back_to(self._at))

    def show(self, evidence: Sequence[Any], pictures: Sequence[Any] = ()) -> None:
        """Show what an answer rests on (Recollection, CompressedImage), instead of the last."""
        for button in self._buttons:
            button.remove()
        self._buttons = []
        self._facts.visible = bool(evidence)
        lines: dict[str, Callable[[Any], None]] = {}
        for record in evidence[:MOST]:
            at = seconds(record.valid_from)
            name = next((node.id for node in record.object), "")
            text = distinct(f"{clock(at)} {fact(record)}".strip(), LONGEST, lines)
            lines[text] = partial(self._go_to, name, at)
        with self._facts:
            for text, go in lines.items():
                button = self._session.client.gui.add_button(text, color="gray", hint="Show it in the home")
                button.on_click(go)
                self._buttons.append(button)
        moments = [seconds(record.valid_from) for record in evidence]
        self._at = moments[0] if moments else 0.0
        self._then.visible = self._at > 0.0
        self._show_picture(pictures)

    def _show_picture(self, pictures: Sequence[Any]) -> None:
        picture = _decoded(pictures[0]) if pictures else None
        self._image.visible = self._told.visible = picture is not None
        if picture is not None:
            self._told.content = render("picture", at=pictures[0].header.stamp)
            self._image.image = picture

    def _go_to(self, name: str, at: float, _: Any) -> None:
        """Fly to what a fact is about; where that is nothing in the home, to the time of it."""
        if not (name and self._session.go_to(name)) and at > 0.0:
            self._session.look_back_to(at)


def _decoded(picture: Any) -> Any:
    """Return a picture as an array (height × width × 3), None for what is no picture."""
    try:
        with Image.open(io.BytesIO(bytes(picture.data)), formats=("JPEG", "PNG")) as image:
            return np.asarray(image.convert("RGB")) if max(image.size) <= LARGEST_PX else None
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        logger.warning("the picture of an answer can't be shown: %s", error)
        return None
