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
MODULES = {
    "ask": "karma_eval.ask.command",
    "eb-alfred": "karma_eval.eb_alfred.command",
    "emg": "karma_eval.emg.command",
    "karma": "karma_eval.karma.command",
    "memento": "karma_eval.memento.command",
    "pahf": "karma_eval.pahf.command",
    "talk": "karma_eval.talk.command",
}


@click.command("eval", cls=LazyGroup, modules=MODULES, summaries=SUMMARIES)
def command() -> None:
    """Run the protocols of the papers."""
    os.environ["TZ"] = "UTC"  # what people say there of days and hours is judged in it, on every machine
    time.tzset()
