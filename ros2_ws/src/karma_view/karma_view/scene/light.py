# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The light in which the home is drawn: no face of a box as bright as another, and none so bright that it is white."""

from __future__ import annotations

import viser


def light(scene: viser.SceneApi) -> None:
    """Light a scene from the sky, and from one side.

    Without shadows: they cost a phone, or a machine without a GPU, more than all the rest of the picture. viser's own
    lights make all that is light white.
    """
    scene.configure_default_lights(enabled=False)
    scene.configure_environment_map(None)
    scene.add_light_hemisphere("/light/sky", sky_color=(255, 252, 245), ground_color=(120, 118, 125), intensity=2.1)
    scene.add_light_point("/light/side", position=(-60.0, -25.0, 60.0), intensity=1.2, decay=0.0)
