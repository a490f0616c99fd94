# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma export`: the map of the running graph, or of a map file, or a household scene, for other programs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from karma.command.client import connected, namespace_option
from karma_eval.command_line import FILE, FOLDER, click_errors, make_folder
from karma_ros.interrupts import deferred

if TYPE_CHECKING:
    from karma_perception.pipeline import PerceptionPipeline

FORMATS = ("json", "ply", "spark-dsg")
SAVE_TIMEOUT_S = 60.0


def _formats(_: click.Context, __: click.Parameter, text: str) -> tuple[str, ...]:
    chosen = tuple(dict.fromkeys(part.strip() for part in text.split(",")))
    for name in chosen:
        if name not in FORMATS:
            raise click.BadParameter(f"{name!r} is none of {', '.join(FORMATS)}")
    return chosen


@click.command("export")
@click.option("--out", required=True, type=FOLDER, help="Folder to write to.")
@click.option(
    "--format", "formats", default=",".join(FORMATS), show_default=True, callback=_formats, help="Which, by commas."
)
@click.option("--map", "map_file", type=FILE, help="A map that was saved, instead of the running graph's.")
@click.option(
    "--scene", default="", help="A scene of the household (home1), as a dataset for Habitat, instead of a map."
)
@namespace_option()
def command(out: Path, formats: tuple[str, ...], map_file: Path | None, scene: str, namespace: str) -> int:
    """Write the map: scene graph as JSON and for Spark-DSG, the objects' points and hulls as PLY.

    The running graph's map is saved beside them, as map.karma.
    """
    if scene and map_file:
        raise click.UsageError("--scene and --map: one of them")
    make_folder(out)
    if scene:
        return _write_scene(scene, out)
    source = map_file or _save(out.absolute() / "map.karma", namespace)
    with deferred():
        from karma_perception.objects.point_clouds import Open3DError
        from karma_perception.saved_map.file import MapFileError, open_map
    with click_errors(MapFileError, Open3DError, OSError, ValueError):
        pipeline = open_map(source)
        for name in formats:
            for path in _WRITERS[name](pipeline, out):
                click.echo(f"{name}: {path}")
    return 0


def _write_scene(name: str, out: Path) -> int:
    from sim_bridge.backend import BackendUnavailableError
    from sim_bridge.habitat.dataset import DATASET, export
    from sim_bridge.household.scenes import load_scene

    try:
        manifest = export(load_scene(name), out)
    except KeyError as error:
        raise click.ClickException(error.args[0]) from error
    except (BackendUnavailableError, OSError) as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"habitat: {out / DATASET} with the scene {name}, {len(manifest.templates)} objects")
    return 0


def _save(path: Path, namespace: str) -> Path:
    """Have the perception of the running graph save its map; return where it is."""
    with deferred():
        from karma_interfaces.msg import Result
        from karma_interfaces.srv import SaveMap
    with connected("export", namespace) as client:
        request = SaveMap.Request(path=str(path))
        answer = client.call(SaveMap, "scene_graph/save", request, timeout=SAVE_TIMEOUT_S)
    if answer.result.code != Result.SUCCESS:
        raise click.ClickException(answer.result.message)
    if not path.exists():
        raise click.ClickException(
            f"the map was saved to {path} on the machine that perceives; bring it here and name it with --map"
        )
    return path


def _write_json(pipeline: PerceptionPipeline, out: Path) -> list[Path]:
    from karma_perception.export import write_json

    return [write_json(pipeline.graph(), out / "scene_graph.json")]


def _write_ply(pipeline: PerceptionPipeline, out: Path) -> list[Path]:
    from karma_perception.export import write_mesh, write_ply

    objects = pipeline.objects.values()
    points = write_ply(objects, out / "objects.ply")
    return [points, points.with_suffix(".csv"), write_mesh(objects, out / "hulls.ply")]


def _write_spark_dsg(pipeline: PerceptionPipeline, out: Path) -> list[Path]:
    """Write what a memory would know that had seen no more than this map."""
    from karma_memory.conversions import to_update
    from karma_memory.encoding import dumps
    from karma_memory.scene_graph import SceneGraph, to_spark_dsg
    from karma_perception.conversions import from_update
    from karma_perception.saved_map.whole_file import whole_file
    from karma_perception.stream import Update, everything

    graph = pipeline.graph()
    update = to_update(from_update(Update(1, True, graph.scene, everything(graph)), "map"))
    known = SceneGraph(graph.scene)
    for node in update.nodes:
        known.observe(node, update.stamp, "perception")
    for edge in update.edges:
        known.connect(edge)
    path = out / "spark_dsg.json"
    with whole_file(path) as part:
        part.write_text(dumps(to_spark_dsg(known)) + "\n", encoding="utf-8")
    return [path]


_WRITERS: dict[str, Callable[[Any, Path], list[Path]]] = {
    "json": _write_json,
    "ply": _write_ply,
    "spark-dsg": _write_spark_dsg,
}
