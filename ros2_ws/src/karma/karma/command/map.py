# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma map`: a scene graph from a recorded bag."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from karma.command.checkout import output_folder
from karma.node_parameters import ParameterError as SettingError
from karma.node_parameters import perception_parameters
from karma_eval.command_line import ANY_FILE, FILE, FOLDER, click_errors, json_option, make_folder, write_json
from karma_ros.interrupts import deferred


@click.command("map")
@click.option("--bag", required=True, type=click.Path(path_type=Path), help="Folder of a rosbag2, .mcap, .db3 or .bag.")
@click.option("--color", default="", help="Topic of color pictures, raw or compressed.")
@click.option("--depth", default="", help="Topic of depth: 32FC1 (m), 16UC1 (mm), or compressedDepth.")
@click.option(
    "--info", "depth_info", default="", help="Topic of the depth's camera_info [default: the one beside the images]."
)
@click.option("--color-info", default="", help="Topic of the color's camera_info, used where the depth's is no good.")
@click.option("--instances", default="", help="Topic of instance images; with --labels, and without a network.")
@click.option("--labels", default="", help="Topic of karma_interfaces/InstanceLabels.")
@click.option("--namespace", default="", help="Of the robot, where the bag has several.")
@click.option("--pose", default="", help="Topic of the camera's or robot's pose or odometry, or tf.")
@click.option("--pose-of", default="", help="Frame whose pose that is [default: odometry's child, or the optical one].")
@click.option("--map-frame", default="", help="Frame of the map [default: the pose's; map, world or odom].")
@click.option("--camera-frame", default="", help="The depth camera's optical frame [default: what its images name].")
@click.option(
    "--mount",
    nargs=6,
    type=float,
    metavar="X Y Z ROLL PITCH YAW",
    help="The camera in the pose's frame, m and rad, x forward and z up; zeros: the pose is of camera_link.",
)
@click.option(
    "--up",
    type=click.Choice(("z", "-z", "x", "-x", "y", "-y")),
    default="z",
    show_default=True,
    help="Axis of the map frame that points up; -y where it was the camera's first optical frame.",
)
@click.option("--intrinsics", nargs=4, type=float, metavar="FX FY CX CY", help="Instead of the camera_info's.")
@click.option(
    "--depth-unit",
    type=click.FloatRange(0.0, min_open=True),
    help="Metres that one unit of depth stands for [default: 0.001 for integers, 1 for 32FC1].",
)
@click.option(
    "--slop",
    default=0.03,
    show_default=True,
    type=click.FloatRange(0.0, 10.0),
    help="Seconds by which the stamps of depth, color, instances and a lone pose may differ.",
)
@click.option(
    "--pose-gap",
    default=0.5,
    show_default=True,
    type=click.FloatRange(0.0, 60.0),
    help="Seconds between two poses between which the camera's is interpolated.",
)
@click.option("--rate", default=0.0, type=click.FloatRange(0.0), help="Most frames a second of the bag [default: all].")
@click.option("--detector", type=click.Choice(("instances", "onnx")), help="As the node's parameter.")
@click.option("--model", default="", help="ONNX file for --detector onnx; ./karma detector says whether it will do.")
@click.option("--model-labels", default="", help="Its labels, one a line [default: the model's own, or COCO's].")
@click.option("--params", type=FILE, help="Parameters of the node, a YAML file as config/perception.yaml.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="One parameter of the node; repeatable.")
@click.option("--ply", is_flag=True, help="Also write the objects' points as objects.ply (needs Open3D).")
@click.option("--map", "map_file", type=ANY_FILE, help="Also save the map there, for the node.")
@click.option("--out", type=FOLDER, help="Folder for scene_graph.json and the picture [default: out/map].")
@json_option("Write what was used, found and wrong there.")
def command(
    bag: Path,
    params: Path | None,
    settings: tuple[str, ...],
    detector: str | None,
    model: str,
    model_labels: str,
    ply: bool,
    map_file: Path | None,
    out: Path | None,
    json_file: Path | None,
    **said: Any,
) -> int:
    """Build the scene graph of a recorded bag, with the code and parameters of the perception node.

    No ROS graph is started. Topics that are not named are found by the names that KARMA and common drivers use, or when
    there is only one that could be meant. Stamps need not be equal: each depth image is joined with the nearest others
    within --slop, and with the pose interpolated at its stamp; the node itself wants equal stamps.

    Ctrl-C ends it with the graph of what was read so far. Status 1 when the bag can't be used or no frame could.
    """
    with deferred():
        from karma_perception.parameters import parameter_values, pipeline_options
        from karma_perception.pipeline import PerceptionPipeline
        from karma_perception.recording.bag import BagError
        from karma_perception.recording.build import Built, build
        from karma_perception.recording.findings import Findings
        from karma_perception.recording.frames import Recording
        from karma_perception.saved_map.file import MapFileError
        from karma_perception.saved_map.keeper import MapKeeper
        from karma_perception.sources import SourceError, make_detector, make_states
        from karma_perception.stream import GraphStream
        from karma_ros.parameters import ParameterError

    console = Console(stderr=True, highlight=False, soft_wrap=True)
    folder = out or output_folder() / "map"
    findings, built = Findings(), Built()
    interrupted: KeyboardInterrupt | None = None
    try:
        chosen = perception_parameters(params, _pairs(settings))
        chosen |= {"detector": detector} if detector else {"detector": "onnx"} if model else {}
        chosen |= {name: v for name, v in (("detector_model", model), ("detector_labels", model_labels)) if v}
        values = parameter_values(chosen)
        with deferred():
            source, words = make_detector(values)
            states = make_states(values)
        make_folder(folder)
        options = pipeline_options(values)
        pipeline = PerceptionPipeline(options, source, states)
        with _bar(console) as show:
            recording = Recording(
                bag,
                _options(said),
                findings,
                with_instances=values["detector"] == "instances",
                scene=str(values["scene"]),
                known=_installed_messages,
                on_message=show,
            )
            with recording:
                _announce(console, recording, words, given=said["intrinsics"] is not None)
                try:
                    build(recording, pipeline, built, shield=deferred)
                except KeyboardInterrupt as error:
                    interrupted = error
    except (BagError, SourceError, ParameterError, SettingError) as error:
        for finding in findings:
            console.print(f"[yellow]warning[/]: {escape(str(finding))}")
        raise click.ClickException(str(error)) from error
    states.close()
    report = {
        "bag": str(bag),
        "topics": asdict(recording.topics),
        "pose": recording.poses.description,
        "detector": words,
        "depth_images": recording.received,
        "frames": built.frames,
        "hz": round(built.frames / built.seconds, 2) if built.seconds else 0.0,
        "mapping_ms": round(1000 * built.mapping_seconds / built.frames, 2) if built.frames else 0.0,
        "interrupted": interrupted is not None,
        "warnings": [finding.as_values() for finding in findings],
        **_write(pipeline, folder, recording, ply=ply),
    }
    if map_file is not None and built.frames:
        try:
            report["files"].append(str(MapKeeper(pipeline, GraphStream(), options).save(map_file).path))
        except (MapFileError, OSError) as error:
            raise click.ClickException(f"the map was not saved: {error}") from error
    _show(console, report, findings)
    write_json(json_file, report)
    if interrupted is not None:
        console.print("[yellow]interrupted[/]: this is the map of what was read so far")
        raise interrupted
    return 0 if built.frames else 1


def _pairs(settings: Sequence[str]) -> dict[str, str]:
    for setting in settings:
        if "=" not in setting:
            raise click.UsageError(f"--set {setting}: expected NAME=VALUE")
    return {name.strip(): value for name, _, value in (setting.partition("=") for setting in settings)}


def _installed_messages() -> Any:
    """Return the definitions of KARMA's own messages, for bags that carry none."""
    from karma_memory.ros.bag import typestore

    return typestore()


def _announce(console: Console, recording: Any, detector: str, *, given: bool) -> None:
    topics = recording.topics
    for name, value in (
        ("depth", topics.depth),
        ("intrinsics", "as given" if given else topics.depth_info or topics.color_info),
        ("color", topics.color or "none"),
        ("instances", f"{topics.instances} with {topics.labels}" if topics.instances else detector),
        ("camera", recording.poses.description),
    ):
        console.print(f"{name + ':':<12}{value}", markup=False)


def _write(pipeline: Any, folder: Path, recording: Any, *, ply: bool) -> dict[str, Any]:
    """Write what was built; return the files and what is in the graph."""
    from karma_perception.export import write_json as write_graph
    from karma_perception.export import write_ply
    from karma_perception.export.plot import plot_scene_graph
    from karma_perception.objects.point_clouds import Open3DError
    from karma_perception.scene_graph import Layer

    graph = pipeline.graph()
    counts = {f"{layer.name.lower()}s": len(graph.layer(layer)) for layer in Layer}
    files = []
    with click_errors(OSError, Open3DError):
        files.append(write_graph(graph, folder / "scene_graph.json", frame=recording.poses.map_frame or "map"))
        if counts["floors"]:
            files.append(plot_scene_graph(graph, folder / "scene_graph.png"))
        if ply and pipeline.objects:
            files.append(write_ply(pipeline.objects.values(), folder / "objects.ply"))
    return {**counts, "files": [str(file) for file in files]}


def _show(console: Console, report: dict[str, Any], findings: Any) -> None:
    for finding in findings:
        console.print(f"[yellow]warning[/]: {escape(str(finding))}")
    left = report["depth_images"] - report["frames"]
    console.print(
        f"{report['frames']} frames, {report['hz']} a second; {left} of {report['depth_images']} depth images not used"
    )
    console.print(", ".join(f"{report[name]} {name}" for name in ("floors", "rooms", "areas", "objects")))
    for file in report["files"]:
        console.print(f"written: {file}", markup=False)


@contextmanager
def _bar(console: Console) -> Iterator[Callable[[int, int], None]]:
    """Show how many messages were read of how many: first the poses, whose number doesn't matter (0), then frames."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("reading where the camera was", total=None)

        def show(done: int, of: int) -> None:
            if of:
                progress.update(task, description="mapping", completed=done, total=of)
            else:
                progress.update(task, completed=done)

        yield show


def _options(said: dict[str, Any]) -> Any:
    """Return RecordingOptions: what is said in the command's options of the same names."""
    from karma_perception.recording.options import RecordingOptions
    from karma_perception.recording.topics import TopicArguments

    of_topics = {field.name for field in fields(TopicArguments)}
    topics = TopicArguments(**{name: said[name] for name in of_topics})
    return RecordingOptions(topics=topics, **{name: value for name, value in said.items() if name not in of_topics})
