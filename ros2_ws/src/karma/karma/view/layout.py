# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What of a viewer's picture panels cover, by the size of their screen; all lengths in CSS pixels.

viser puts all panels into one sheet below the picture where that is narrow, and lets them lie over it elsewhere.
"""

from __future__ import annotations

SHEET_PX = 576.0
"""Width of the widest picture with a sheet."""
SHEET = 0.6
"""Share of the picture's height that the sheet may take."""
SMALL_PX = (900.0, 500.0)
"""Width and height of the smallest picture that has room for all panels."""
RIGHT_PX, BELOW_PX, FOLDED_PX = 400.0, 115.0, 45.0
"""Width of what covers the picture's right, and heights of what covers its lower edge, at first and if it is folded."""
NARROW_PX = 800.0
"""Pictures that are narrower, and have no sheet, can't do without what is below their panels."""


def is_small(width: float, height: float) -> bool:
    """Whether panels have to be folded at first, for the home to be seen beside them."""
    return width < SMALL_PX[0] or height < SMALL_PX[1]


def covered(width: float, height: float) -> tuple[float, float]:
    """Return the shares of a picture's width, from the right, and height, from below, that panels cover at first."""
    if width <= SHEET_PX:
        return 0.0, SHEET
    if width < NARROW_PX:
        return 0.0, 0.0
    return RIGHT_PX / width, (FOLDED_PX if is_small(width, height) else BELOW_PX) / height
