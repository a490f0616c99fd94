# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma eval`: the papers' protocols."""

from __future__ import annotations

import os
import time

import click

from karma.command.lazy import LazyGroup

SUMMARIES = {
    "ask": "Questions about simulated days in homes, judged by what the robot could know; emem beside.",
    "karma": "KARMA: task sequences with and without memory.",
    "memento": "MEMENTO: retrieval and personal knowledge.",
    "pahf": "PAHF: preferences from asking and from corrections.",
    "eb-alfred": "EB-ALFRED with BrainMem's memories.",
    "emg": "EMG-RAG: an editable memory graph over four weeks of a generated stream.",
    "talk": "What people say to a robot at home, judged by the simulator's truth.",
}
MODULES = {name: f"karma_eval.{name.replace('-', '_')}.command" for name in SUMMARIES}


@click.command("eval", cls=LazyGroup, modules=MODULES, summaries=SUMMARIES)
def command() -> None:
    """Run the protocols of the papers."""
    os.environ["TZ"] = "UTC"  # what people say there of days and hours is judged in it, on every machine
    time.tzset()
