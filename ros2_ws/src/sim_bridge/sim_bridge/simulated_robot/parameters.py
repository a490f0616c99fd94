# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The simulated robot's parameters."""

from __future__ import annotations

import math

from karma_ros.parameters import Effect, Parameter

_START = Effect.READ_ONLY

PARAMETERS = (
    Parameter("scene", "home1", "Scene of the household in which it stands.", effect=_START),
    Parameter("seed", 0, "Seed of all that is random.", 0, 2**31 - 1, effect=_START),
    Parameter("publish_images", True, "Whether the camera is rendered and published.", effect=_START),
    Parameter("image_width", 640, "Width of the images, pixels.", 16, 4096, effect=_START),
    Parameter("image_height", 480, "Height of the images, pixels.", 16, 4096, effect=_START),
    Parameter("speed", 4.0, "Greatest speed of the base, m/s.", 0.01, 100.0, effect=_START),
    Parameter("turn_rate", math.tau, "Turning rate of the base, rad/s.", 0.01, 100.0, effect=_START),
    Parameter("act_time", 0.2, "Seconds that a motion of the arm takes.", 0.0, 600.0, effect=_START),
    Parameter("idle_rate", 4.0, "Views a second while it is idle.", 0.001, 100.0, effect=_START),
    Parameter("frame_rate", 4.0, "Views a second on the way; 0: none.", 0.0, 100.0, effect=Effect.AT_ONCE),
    Parameter("battery", 1.0, "Charge that the battery tells, 0 to 1.", 0.0, 1.0, effect=Effect.AT_ONCE),
)
