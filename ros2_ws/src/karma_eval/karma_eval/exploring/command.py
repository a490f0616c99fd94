# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma bench exploring`: frontier by frontier beside the simulator's own way, and relations against the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from karma_eval.exploring.measure import Explored, SceneResult, run_scene
from karma_eval.json_file import json_option, write_json
from karma_eval.perception.command import choose
from karma_eval.perception.stage import Options
from karma_eval.progress import progress
from sim_bridge.household.gl import RenderingUnavailableError
from sim_bridge.household.scenes import scene_names


@click.command("exploring")
@click.option("--scenes", default=8, show_default=True, type=click.IntRange(1), help="Rooms of every kind, and homes.")
@click.option("--scene", "named", multiple=True, help="One of your choice instead, such as home1; may be given again.")
@click.option("--seed", default=1, show_default=True, help="Of the choice of scenes, and of the sensor's noise.")
@json_option("Write the figures there, too.")
def command(scenes: int, named: tuple[str, ...], seed: int, json_file: Path | None) -> None:
    """Explore homes frontier by frontier: how much is found of what the simulator's own exploring shows."""
    unknown = [name for name in named if name not in scene_names()]
    if unknown:
        raise click.UsageError(f"there is no scene {unknown[0]!r}: ./karma bench scenes lists them")
    results = []
    with progress(unit="frame", desc="exploring") as bar:
        for name in named or choose(scenes, None, seed):
            bar.set_postfix_str(name)
            try:
                results.append(run_scene(name, Options(seed=seed), bar.update))
            except RenderingUnavailableError as error:
                raise click.ClickException(str(error)) from error
    report = report_of(results)
    show(report)
    if json_file is not None:
        write_json(json_file, report)


def report_of(results: Sequence[SceneResult]) -> dict[str, Any]:
    """Return the figures of all scenes and of each."""
    rows = [_row(result) for result in results]
    of = {name: sum(row["relations"][name] for row in rows) for name in rows[0]["relations"]}
    return {
        "scenes": len(rows),
        "cells": min(row["frontiers"]["cells"] for row in rows),
        "visible_found": sum(row["visible_found"] * row["visible"] for row in rows) / sum(r["visible"] for r in rows),
        "receptacle": of["receptacle"] / of["things"],
        "receptacle_or_its_part": of["built_in"] / of["things"],
        "receptacle_and_relation": of["relation"] / of["things"],
        "support_height": of["supported"] / of["supports"],
        "relations": of,
        "by_scene": rows,
    }


def _row(result: SceneResult) -> dict[str, Any]:
    own, frontiers = result.own, result.frontiers
    return {
        "scene": result.scene,
        "frontiers": _figures(frontiers),
        "own": _figures(own),
        "visible": len(own.visible),
        "visible_found": len(frontiers.visible & own.visible) / len(own.visible),
        "objects_found": len(frontiers.objects & own.objects) / len(own.objects),
        "relations": asdict(result.relations),
    }


def _figures(explored: Explored) -> dict[str, float]:
    return {
        "looks": explored.looks,
        "frames": explored.frames,
        "seconds": explored.seconds,
        "cells": explored.cells,
        "visible": len(explored.visible),
    }


def show(report: dict[str, Any]) -> None:
    """Print the figures of every scene and of all."""
    table = Table(padding=(0, 0), title="frontier by frontier (and as the simulator explores by itself)")
    for column in ("scene", "looks", "seconds", "cells", "seen", "mapped", "receptacle", "support"):
        table.add_column(column, justify="left" if column == "scene" else "right", no_wrap=True)
    for row in report["by_scene"]:
        f, own, rel = row["frontiers"], row["own"], row["relations"]
        table.add_row(
            row["scene"],
            f"{f['looks']} ({own['looks']})",
            f"{f['seconds']:.0f} ({own['seconds']:.0f})",
            f"{100 * f['cells']:.0f} ({100 * own['cells']:.0f}) %",
            f"{100 * row['visible_found']:.0f} %",
            f"{100 * row['objects_found']:.0f} %",
            f"{rel['receptacle']} of {rel['things']}",
            f"{rel['supported']} of {rel['supports']}",
        )
    console = Console()
    console.print(table)
    console.print(
        f"well seen: {100 * report['visible_found']:.1f} % of what the simulator's own exploring shows; receptacles: "
        f"{100 * report['receptacle']:.1f} % right, {100 * report['receptacle_or_its_part']:.1f} % if a basin does for "
        f"its sink; heights of supports: {100 * report['support_height']:.1f} % within 5 cm",
        highlight=False,
    )
