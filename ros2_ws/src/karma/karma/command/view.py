# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma view`: a look into the robot's memory."""

from __future__ import annotations

from karma.command.not_yet import not_yet

command = not_yet("view", "Look into the robot's memory.")
