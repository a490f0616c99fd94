# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma bench`: the benchmarks."""

from __future__ import annotations

import click

from karma.command.lazy import LazyGroup

SUMMARIES = {
    "cache": "Hit rates of replacement policies on traces, beside theine and the optimum.",
    "fuzz": "Garbage for every service, action, topic and file: whether anything dies, hangs or forgets.",
    "idle": "What the graph costs while nothing moves and nobody listens.",
    "memory": "Latencies, restart and size of the memory, beside emem.",
    "ros": "Bring-up, and recall through the running graph beside a bare service.",
    "perception": "Objects, identities and rooms of the scene graph, against the truth; speed and memory.",
    "soak": "Weeks of a household in an hour, with faults: what is lost, what stays away, what grows.",
    "view": "How well the page of ./karma view follows the graph, and what it costs, beside plain viser.",
    "sim": "Rendering and symbolic steps per second.",
}
_OF_LIBRARIES = ("cache", "memory", "perception")
MODULES = {
    name: f"karma_eval.{name}.command" if name in _OF_LIBRARIES else f"karma.command.bench_{name}" for name in SUMMARIES
}


@click.command("bench", cls=LazyGroup, modules=MODULES, summaries=SUMMARIES)
def command() -> None:
    """Run the benchmarks."""
