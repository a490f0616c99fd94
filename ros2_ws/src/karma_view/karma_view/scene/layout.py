# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How large a viewer's picture is, and what of it panels cover; lengths in CSS pixels unless said otherwise.

viser puts all panels into one sheet below the picture where that is narrow, and lets them lie over it elsewhere.
"""

from __future__ import annotations

SHEET_PX = 576.0
"""Width of the widest picture with a sheet."""
SHEET = 0.6
"""Share of the picture's height that the sheet may take."""
UNFOLDED_PX = 1100.0
"""Width of the narrowest picture that shows the home between panels that are not folded."""
RIGHT_PX, BELOW_PX, FOLDED_PX = 400.0, 115.0, 45.0
"""Width of what covers the picture's right, and heights of what covers its lower edge, at first and if it is folded."""
UPRIGHT = ((0.72, 400.0), (1.0, 820.0))
"""Of phones and tablets that are held upright: the greatest width / height, and the usual width."""


def css_size(width: float, height: float) -> tuple[float, float]:
    """Return about how large a picture is, of so many pixels of the screen: viser tells nothing else.

    What is upright is taken for a phone or a tablet, which have two or three pixels to one of CSS; others for screens
    on which they are the same.
    """
    usual = next((usual for shape, usual in UPRIGHT if width < shape * height), width)
    density = max(1.0, width / usual)
    return width / density, height / density


def is_small(width: float, height: float) -> bool:
    """Whether panels have to be folded at first, for the home to be seen beside them."""
    return width < max(height, UNFOLDED_PX)


def covered(width: float, height: float, *, folded: bool) -> tuple[float, float]:
    """Return the shares of a picture's width, from the right, and height, from below, that panels cover at first.

    `folded`: panels were, as is_small told before one was docked beside the picture.
    """
    if width <= SHEET_PX:
        return 0.0, SHEET
    return RIGHT_PX / width, (FOLDED_PX if folded else BELOW_PX) / height
