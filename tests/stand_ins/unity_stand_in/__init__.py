# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for AI2-THOR's Unity build: its side of the protocol, answered from the household simulator.

The real client (`ai2thor` 5.0) starts `unity` in place of a build (`local_executable_path`) and talks to it over FIFO
pipes or HTTP. It proves that the adapter speaks to that client as it must; it proves nothing about Unity's physics,
collisions and pictures (docs/ai2thor.md).
"""

from pathlib import Path

EXECUTABLE = Path(__file__).resolve().parent / "unity"
"""What is given to the client as its local build."""
