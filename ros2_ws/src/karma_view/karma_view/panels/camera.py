# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the robot's camera sees, and what is known of the chosen object, docked beside the 3D view."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karma_view.known import CameraView, Known
from karma_view.panels.selection import Selection

if TYPE_CHECKING:
    from karma_view.session import Session

QUALITY = 70
"""Of the JPEG."""


class CameraPanel:
    """The picture with the names of what is recognised; below it, the chosen object."""

    def __init__(self, session: Session, *, folded: bool = False) -> None:
        """`folded`: at first, as on a small screen."""
        gui = session.client.gui
        self._shown: CameraView | None = None
        panel = gui.add_panel()
        with panel.add_tab("Camera"):
            self._none = gui.add_html('<div class="karma"><p class="none">No picture.</p></div>')
            self._image = gui.add_image(
                np.zeros((3, 4, 3), np.uint8), format="jpeg", jpeg_quality=QUALITY, visible=False
            )
            self.selection = Selection(session.client)
        panel.dock_left()
        panel.set_width(260)
        if folded:
            panel.minimize()

    def update(self, known: Known) -> None:
        """Show the newest picture."""
        if known.camera is self._shown:
            return
        self._shown = known.camera
        self._none.visible, self._image.visible = known.camera is None, known.camera is not None
        if known.camera is not None:
            self._image.image = known.camera.image
