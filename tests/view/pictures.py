# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Takes the pictures of docs/view.md: ./karma shell python tests/view/pictures.py ADDRESS docs/images.

ADDRESS: of a page (./karma view) whose robot knows its home. A question is asked there: on three devices, light, dark.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

from browser import DRAW_SELDOM, PHONE, SIZE, TIMEOUT_MS, running_browser
from person import Viewer
from PIL import Image

DEVICES: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": SIZE},
    "large": {"viewport": {"width": 1920, "height": 1080}},
    "phone": PHONE,
}
QUESTION = "what is on the coffee table?"
SETTLED_MS = 6_000
COLOURS = 128
HOME = (272, 0, 1920, 850)
"""Of the large light one, in pixels: the home and the answer, without the other panels."""
NO_NOTICES = ".mantine-Notification-root { display: none }"
"""A browser without a GPU is warned of that."""


def main(address: str, folder: Path) -> None:
    """Write view_DEVICE_SCHEME.png for each device, light and dark, and home.png for the README."""
    with running_browser() as browser:
        for name, device in DEVICES.items():
            for scheme in ("light", "dark"):
                page = browser.new_page(**device)
                page.set_default_timeout(TIMEOUT_MS)
                page.add_init_script(DRAW_SELDOM)
                page.goto(f"{address}?darkMode" if scheme == "dark" else address)
                viewer = Viewer(page)
                viewer.tab("Find")
                viewer.enter("Find", QUESTION)
                viewer.sees("Show the home as it was then")
                page.wait_for_timeout(SETTLED_MS)
                shot = Image.open(io.BytesIO(page.screenshot(style=NO_NOTICES))).convert("RGB")
                page.close()
                _save(shot, folder / f"view_{name}_{scheme}.png")
                if (name, scheme) == ("large", "light"):
                    _save(shot.crop(HOME), folder / "home.png")


def _save(picture: Image.Image, file: Path) -> None:
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(file, optimize=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
