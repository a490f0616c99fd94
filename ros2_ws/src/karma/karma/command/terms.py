# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the robot's messages name, in the terms of the command line: they speak of ROS, for whoever asks over it."""

from __future__ import annotations

TERMS = {
    "instruction_id": "./karma do prints it behind --about",
    "lifecycle_manager/is_active": "./karma health asks it",
    "memory/set_consent": "./karma memory consent calls it",
}
"""Fields, actions and services, and what of `./karma` stands for each."""


def at_the_terminal(message: str) -> str:
    """Return which commands stand for what a message names, on one line; "" for none."""
    return "; ".join(f"{name}: {command}" for name, command in TERMS.items() if name in message)
