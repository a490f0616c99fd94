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
MODULES = {
    "cache": "karma_eval.cache.command",
    "fuzz": "karma.command.bench_fuzz",
    "idle": "karma.command.bench_idle",
    "memory": "karma_eval.memory.command",
    "perception": "karma_eval.perception.command",
    "ros": "karma.command.bench_ros",
    "sim": "karma.command.bench_sim",
    "soak": "karma.command.bench_soak",
    "view": "karma.command.bench_view",
}


@click.command("bench", cls=LazyGroup, modules=MODULES, summaries=SUMMARIES)
def command() -> None:
    """Run the benchmarks."""
