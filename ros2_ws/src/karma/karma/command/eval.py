# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma eval`: the papers' protocols."""

from __future__ import annotations

import click

from karma.command.not_yet import not_yet


@click.group("eval")
def command() -> None:
    """Run the protocols of the papers; none is part of this version yet."""


command.add_command(not_yet("karma", "KARMA: task sequences with and without memory."))
command.add_command(not_yet("memento", "MEMENTO: retrieval and personal knowledge."))
command.add_command(not_yet("pahf", "PAHF: preferences from asking and from corrections."))
command.add_command(not_yet("eb-alfred", "EB-ALFRED with BrainMem's memories."))
command.add_command(not_yet("emg", "EMG-RAG: an editable memory graph."))
