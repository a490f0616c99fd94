# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""scene: write a scene graph for the tools of Spark-DSG (Hydra, Khronos), or remember one of theirs."""

from __future__ import annotations

import argparse
import json
import math
import time
import uuid
from pathlib import Path
from typing import Any

from karma_memory.command.journals import add_journal, existing
from karma_memory.command.moment import WHEN, Moment, to_moment
from karma_memory.encoding import dumps
from karma_memory.events import Event, EventKind
from karma_memory.journal import Journal, JournalError, open_journal
from karma_memory.journal.durable import whole_file
from karma_memory.scene_graph import SceneFollower, SceneGraph, SparkDsgError, from_spark_dsg, to_spark_dsg
from karma_memory.state.history import history_of
from karma_memory.state.state import MemoryState


def add_to(commands: Any) -> None:
    """Add the subcommands."""
    scene = commands.add_parser("scene", help="write a scene graph as Spark-DSG's JSON, or remember one")
    directions = scene.add_subparsers(dest="direction", required=True, metavar="DIRECTION")
    out = directions.add_parser(
        "export",
        help="write what is believed about a scene",
        description="Write what is believed about a scene as JSON that Spark-DSG loads; a floor is a building there.",
    )
    add_journal(out)
    out.add_argument("out", metavar="OUT.json", help="the file to write")
    out.add_argument("--scene", default="", help="the scene's name; else the one that was seen last")
    out.add_argument("--at", type=to_moment, metavar="WHEN", help=f"what was believed then: {WHEN}; else now")
    out.add_argument("--overwrite", action="store_true", help="write OUT also when it exists")
    out.set_defaults(run=_export)

    take_in = directions.add_parser(
        "import",
        help="remember a scene graph of Spark-DSG",
        description="Remember a scene graph of Spark-DSG as one observation: objects, places, rooms and buildings. "
        "Nodes that it doesn't list stay, except for areas of a room of which it lists areas.",
    )
    take_in.add_argument("source", metavar="IN.json", help="a scene graph in Spark-DSG's JSON")
    add_journal(take_in, made=True)
    take_in.add_argument("--scene", default="", help="the scene's name; else the file's")
    now = Moment(0.0, ago=True)
    take_in.add_argument("--at", type=to_moment, metavar="WHEN", default=now, help=f"when it was seen: {WHEN}; or now")
    take_in.set_defaults(run=_import)


def _export(chosen: argparse.Namespace) -> None:
    destination = Path(chosen.out).expanduser()
    if destination.exists() and not chosen.overwrite:
        raise JournalError(f"{destination} exists; name another file, or say --overwrite")
    with existing(chosen.journal) as journal:
        history = history_of(journal)
        if chosen.at is None:
            graph = _graph(history.after(journal.last_sequence)[0], chosen.scene, journal)
            data = to_spark_dsg(graph)
        else:
            with history.at(chosen.at.in_journal(journal), journal.last_sequence) as past:
                graph = _graph(past, chosen.scene, journal)
                data = to_spark_dsg(graph)
    with whole_file(destination) as file:
        file.write(dumps(data).encode() + b"\n")
    print(f"{len(graph):,} nodes of scene {graph.scene!r} exported to {destination}")


def _import(chosen: argparse.Namespace) -> None:
    try:
        data = json.loads(Path(chosen.source).expanduser().read_bytes())
    except (ValueError, RecursionError) as error:
        raise SparkDsgError(f"{chosen.source} is no JSON: {error}") from error
    from_spark_dsg(data, scene=chosen.scene)  # before a journal is made
    with open_journal(chosen.journal) as journal:
        stamp = chosen.at.in_journal(journal) or time.time()
        update = from_spark_dsg(data, scene=chosen.scene, stamp=stamp)
        state, _ = history_of(journal).after(journal.last_sequence)
        known = state.long_term.graph(update.scene) or SceneGraph(update.scene)
        follower = SceneFollower(math.inf)
        news = follower.news(follower.shared(update, known), known)
        if news:
            journal.append([Event(str(uuid.uuid4()), EventKind.OBSERVATION, stamp, scene=update.scene, **vars(news))])
        print(
            f"{len(update.nodes):,} nodes of scene {update.scene!r} read; {len(news.nodes):,} new or changed, "
            f"{len(news.removed):,} removed in {journal.location}"
        )


def _graph(state: MemoryState, scene: str, journal: Journal) -> SceneGraph:
    graph = state.long_term.graph(scene or state.long_term.current_scene)
    if graph is None:
        known = ", ".join(map(repr, state.long_term.scenes)) or "none"
        raise JournalError(f"{journal.location} knows no scene {scene!r} then; known scenes: {known}")
    return graph
