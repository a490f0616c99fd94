# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma bench perception`: objects, positions, identities, rooms, speed and memory, against the truth."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from karma_eval.command_line import json_option, out_option, write_json
from karma_eval.perception.perceiver import HIDDEN, KNOWN, PLAIN
from karma_eval.perception.report import TARGETS, report_of
from karma_eval.perception.scenario import SceneResult, run_scene
from karma_eval.perception.stage import Options
from karma_eval.progress import progress
from karma_eval.report import Report
from karma_perception.export.plot import plot_scene_graph
from karma_perception.objects.point_clouds import Open3DError, open3d
from sim_bridge.household.gl import RenderingUnavailableError
from sim_bridge.household.scenes import load_scene, scene_names
from sim_bridge.simulation.senses import SensorNoise

_KINDS = (range(1, 31), range(201, 231), range(301, 331), range(401, 431))
"""Numbers of the recorded kitchens, living rooms, bedrooms and bathrooms."""


@click.command("perception")
@click.option(
    "--scenes",
    "count",
    default=12,
    show_default=True,
    type=click.IntRange(1, 125),
    help="Scenes in all, a quarter of them homes.",
)
@click.option("--scene", "names", multiple=True, help="This scene instead; may be given again.")
@click.option("--seed", default=1, show_default=True, help="Of the choice of scenes, the noise, and what people move.")
@click.option("--peer/--no-peer", default=True, show_default=True, help="Beside a plain mapper on Open3D.")
@click.option(
    "--depth-noise", default=Options.noise.depth, show_default=True, help="Metres at 1 m; grows with the square."
)
@click.option(
    "--missed",
    default=Options.noise.missed_instances,
    show_default=True,
    help="Share of instances the detector misses.",
)
@out_option("out/bench/perception")
@json_option("Write the figures there, too; after every scene those so far.")
def command(
    count: int,
    names: tuple[str, ...],
    seed: int,
    peer: bool,
    depth_noise: float,
    missed: float,
    out: Path,
    json_file: Path | None,
) -> int:
    """Explore scenes, move things, explore again; judge the scene graph by what the pictures really showed.

    Perception runs twice beside each other: with the identities that the simulator gives, as the demo does, and with
    classes and masks alone, so that identity is earned. A plain mapper on Open3D sees the latter, too, as a peer.
    Ends with status 0 when every target is met. After Ctrl-C it reports the scenes that are done.
    """
    try:
        chosen = names or choose(count, seed)
        for name in chosen:
            load_scene(name)
        options = Options(seed=seed, noise=SensorNoise(depth_noise, missed))
        kinds = (KNOWN, HIDDEN, *_peer(peer))
    except (KeyError, ValueError) as error:
        raise click.ClickException(str(error.args[0])) from error
    results: list[SceneResult] = []
    interrupted = False
    for number, name in enumerate(chosen, start=1):
        with progress(desc=f"{number}/{len(chosen)} {name}", unit="frames") as bar:
            try:
                result, graphs = run_scene(name, options, kinds, bar.update)
            except RenderingUnavailableError as error:
                raise click.ClickException(str(error)) from error
            except KeyboardInterrupt:
                interrupted = True
                break
        results.append(result)
        for kind in (KNOWN, HIDDEN):
            plot_scene_graph(graphs[kind], out / f"{name}-{kind}.png", title=f"{name}, identities {kind}")
        write_json(json_file, report_of(results, options, len(chosen)))
    if not results:
        return 130
    report = report_of(results, options, len(chosen))
    reported(report).show()
    click.echo(f"pictures: {out}")
    return 130 if interrupted else 0 if report["met"] else 1


_DETAILS = {
    "held": "the thing carried is known to be held",
    "placed": "put down, known to be there, on what it is on",
    "inside": "shut in, remembered inside",
    "object_f1_strict": "F1 if what was only glimpsed counts, too",
    "identity_lookalikes_apart": "moved kept, if lookalikes are told apart",
    "identity_all_moved": "moved kept, also if the old place was not seen again",
    "identity_strict": "both",
}

_OF = {"identity_lookalikes_apart": "moved", "identity_all_moved": "moved_all", "identity_strict": "moved_all"}


def _peer(wanted: bool) -> tuple[str, ...]:
    if wanted:
        try:
            open3d()
        except Open3DError as error:
            click.echo(f"without the peer: {error}")
        else:
            return (PLAIN,)
    return ()


def choose(count: int, seed: int) -> tuple[str, ...]:
    """Return that many scenes: rooms of each kind in turn, then homes, of which the one with two floors comes first."""
    chance = random.Random(f"scenes {seed}")  # noqa: S311
    built = [name for name in scene_names() if name.startswith("home")]
    built.sort(key=lambda n: (-len({r.storey for r in load_scene(n).rooms}), chance.random()))
    wanted = min(count // 4, len(built))
    kinds = [chance.sample([f"FloorPlan{n}" for n in numbers], len(numbers)) for numbers in _KINDS]
    rooms = [plan for group in zip(*kinds, strict=True) for plan in group]
    return (*rooms[: count - wanted], *built[:wanted])


def reported(figures: dict[str, Any]) -> Report:
    """Return the figures of every scene and of all, and those without the rules that are in our favour."""
    report = Report("Perception")
    head = ["", "ids", "prec.", "recall", "F1", "cm", "moved kept", "stayed", "rooms", "Hz", "MB"]
    rows = [
        [name, kind, *_cells(of[kind])]
        for name, of in [*((s["scene"], s) for s in figures["by_scene"]), ("all", figures)]
        for kind in (KNOWN, HIDDEN, PLAIN)
        if kind in of
    ]
    report.table(f"{figures['scenes']} scenes, {figures['frames']:,} frames of 640 x 480", head, rows)
    kinds = [kind for kind in (KNOWN, HIDDEN, PLAIN) if kind in figures]
    details = [[text, *(_detail(figures[kind], name) for kind in kinds)] for name, text in _DETAILS.items()]
    report.table("what was handled", ["all scenes", *kinds], details)
    report.say(*(f"to beat: {text}" for text in TARGETS))
    if figures["missed_targets"]:
        report.say("not met: " + ", ".join(figures["missed_targets"]))
    return report


def _detail(row: dict[str, Any], name: str) -> str:
    count = row[_OF[name]] if name in _OF else row.get("handled", {}).get(name)
    return _share(row.get(name)) + (f" of {count}" if count else "")


def _cells(row: dict[str, Any]) -> Sequence[str]:
    return (
        _share(row["object_precision"]),
        _share(row["object_recall"]),
        _share(row["object_f1"]),
        "–" if row["position_error_m"] is None else f"{100 * row['position_error_m']:.1f}",
        f"{_share(row['identity'])} of {row['moved']}",
        _share(row["identity_stayed"]),
        _share(row.get("rooms_f1")),
        f"{row['hz']:.0f}",
        f"{row['rss_mb']:.0f}",
    )


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
