# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma bench perception-day`: whether time and memory stay bounded while people move things all day."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from karma_eval.json_file import json_option, make_folder, write_json
from karma_eval.perception.day import LEAST_F1, LEAST_WINDOWS, Day, judge, run_day
from karma_eval.perception.day_plot import plot_day
from karma_eval.perception.perceiver import HIDDEN, KNOWN
from karma_eval.perception.stage import Options
from karma_eval.progress import progress
from karma_perception.plot import plot_scene_graph
from sim_bridge.household.gl import RenderingUnavailableError
from sim_bridge.simulation.senses import SensorNoise


@click.command("perception-day")
@click.option("--frames", default=20_000, show_default=True, type=click.IntRange(80), help="Length of the day.")
@click.option("--window", default=250, show_default=True, type=click.IntRange(10), help="Frames of one figure.")
@click.option("--scene", default="home5", show_default=True, help="A home; this one has two floors.")
@click.option(
    "--ids",
    type=click.Choice((HIDDEN, KNOWN)),
    default=HIDDEN,
    show_default=True,
    help="Whether perception is told identities; without, things come and go for ever.",
)
@click.option("--size", type=click.Choice(("640x480", "320x240")), default="640x480", show_default=True)
@click.option("--seed", default=1, show_default=True, help="Of the noise, and of what the robot and people do.")
@click.option("--depth-noise", default=Options.noise.depth, show_default=True, help="Metres at 1 m.")
@click.option("--missed", default=Options.noise.missed_instances, show_default=True, help="Share the detector misses.")
@click.option(
    "--out", default="out/bench/perception", show_default=True, type=click.Path(file_okay=False, path_type=Path)
)
@json_option("Write the report there, too.")
def command(
    frames: int,
    window: int,
    scene: str,
    ids: str,
    size: str,
    seed: int,
    depth_noise: float,
    missed: float,
    out: Path,
    json_file: Path | None,
) -> int:
    """Let a robot live in a home where people move things all day; plot its latency, memory and map.

    20,000 frames take 25 minutes on two idle cores. Each window's figures go to day-SCENE.jsonl at once, and Ctrl-C
    leaves the report and the plot of those so far. Ends with status 0 when the last quarter of the day costs no more
    than the second, within the limits that it prints, and the map is right in the evening (F1 of at least 0.9).
    """
    make_folder(out)
    width, height = (int(n) for n in size.split("x"))
    stem = out / f"day-{scene}-{ids}"
    windows: list[dict[str, Any]] = []
    report: dict[str, Any] = {}
    try:
        noise = SensorNoise(depth_noise, missed)
        day = Day(scene, ids, frames, window, Options(seed=seed, noise=noise, width=width, height=height))
        with (
            stem.with_suffix(".jsonl").open("w", encoding="utf-8") as lines,
            progress(total=frames, unit="frames", desc=scene) as bar,
        ):

            def keep(figures: dict[str, Any]) -> None:
                windows.append(figures)
                lines.write(json.dumps(figures) + "\n")
                lines.flush()

            evening, graph = run_day(day, bar.update, keep)
    except (KeyError, ValueError) as error:
        raise click.ClickException(str(error.args[0])) from error
    except RenderingUnavailableError as error:
        raise click.ClickException(str(error)) from error
    except KeyboardInterrupt:
        click.echo("interrupted")
    else:
        report["evening"] = evening
        plot_scene_graph(graph, Path(f"{stem}-map.png"), title=f"{scene} after {frames:,} frames")
    if not windows:
        return 130
    report = _report(day, windows, report)
    if json_file is not None:
        write_json(json_file, report)
    title = f"{scene}, identities {ids}: {windows[-1]['frames']:,} frames, {windows[-1]['actions']:,} acts of people"
    show(report)
    click.echo(f"plot: {plot_day(windows, stem.with_suffix('.png'), title=title)}")
    return 130 if "evening" not in report else 0 if report["met"] else 1


def _report(day: Day, windows: list[dict[str, Any]], evening: dict[str, Any]) -> dict[str, Any]:
    verdicts = judge(windows) if len(windows) >= LEAST_WINDOWS else {}
    right = "evening" in evening and evening["evening"]["object_f1"] >= LEAST_F1
    return {
        **day.described(),
        "frames": windows[-1]["frames"],
        **evening,
        "verdicts": verdicts,
        "met": right and all(v["bounded"] for v in verdicts.values()),
        "windows": windows,
    }


def show(report: dict[str, Any]) -> None:
    """Print the figures of the quarters that are compared, and what came of the map."""
    from rich.console import Console
    from rich.table import Table

    console = Console()
    table = Table(title=f"{report['scene']}: {report['frames']:,} frames, medians over windows of {report['window']}")
    for column in ("", "second quarter", "last quarter", "ratio", "at most", "bounded"):
        table.add_column(column, justify="left" if not column else "right")
    for name, v in report["verdicts"].items():
        word = "yes" if v["bounded"] else "NO"
        table.add_row(name, f"{v['second']:,.1f}", f"{v['last']:,.1f}", f"{v['ratio']:.2f}", f"{v['limit']:.1f}", word)
    console.print(table if report["verdicts"] else "too short a day to tell what grows")
    evening = report.get("evening")
    if evening:
        console.print(
            f"the map in the evening: precision {evening['object_precision']:.3f}, recall "
            f"{evening['object_recall']:.3f}, F1 {evening['object_f1']:.3f} (at least {LEAST_F1}); "
            f"most memory {evening['peak_mb']:.0f} MB",
            highlight=False,
        )
