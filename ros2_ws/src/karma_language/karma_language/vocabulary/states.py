# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The states of things that people speak of, in the scene graph's terms."""

from __future__ import annotations

from collections.abc import Mapping

STATES: Mapping[str, tuple[str, str, str]] = {
    "on": ("isToggled", "true", "off"),
    "off": ("isToggled", "false", "on"),
    "open": ("isOpen", "true", "closed"),
    "closed": ("isOpen", "false", "open"),
    "dirty": ("isDirty", "true", "clean"),
    "clean": ("isDirty", "false", "dirty"),
    "full": ("isFilledWithLiquid", "true", "empty"),
    "empty": ("isFilledWithLiquid", "false", "full"),
    "broken": ("isBroken", "true", "whole"),
    "whole": ("isBroken", "false", "broken"),
    "sliced": ("isSliced", "true", "not sliced"),
    "cooked": ("isCooked", "true", "not cooked"),
    "hot": ("temperature", "Hot", "not hot"),
    "cold": ("temperature", "Cold", "not cold"),
}
"""State → the scene graph's name of it, its value there, and what people say where it is not so."""
FLOOR = "Floor"
"""Category of what everything stands on; it is in no scene graph."""
