# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma detector`: whether a model file will do as a detector, and what it sees."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from karma.command.checkout import output_folder
from karma_eval.command_line import ANY_FILE, FILE, FOLDER, click_errors, json_option, make_folder, write_json
from karma_ros.interrupts import deferred


@click.command("detector")
@click.argument("model", type=ANY_FILE)
@click.option("--labels", type=FILE, help="One class a line, or a JSON or YAML list [default: the model's, or COCO's].")
@click.option("--classes", type=FILE, help="Class table, YAML [default: karma_perception/household.yaml].")
@click.option("--image", type=FILE, help="A picture to look at.")
@click.option("--depth", type=FILE, help="Its depth, a NumPy file of metres (height, width): boxes become masks.")
@click.option("--score", default=0.4, show_default=True, type=click.FloatRange(0.0, 1.0), help="Least score.")
@click.option("--threads", default=2, show_default=True, type=click.IntRange(1), help="CPU threads.")
@click.option("--out", type=FOLDER, help="Folder [default: out/detector].")
@json_option("Write what was found there [default: detections.json in the folder].")
def command(
    model: Path,
    labels: Path | None,
    classes: Path | None,
    image: Path | None,
    depth: Path | None,
    score: float,
    threads: int,
    out: Path | None,
    json_file: Path | None,
) -> int:
    """Say what the ONNX file MODEL needs and which head it has; with --image, run it.

    Then the annotated picture and what was found lie in the folder. Ends with status 1 when the model is no detector
    that is known, and says what it has and what is expected.
    """
    if depth is not None and image is None:
        raise click.UsageError("--depth belongs to an --image")
    with deferred():
        from karma_perception.class_table import ClassTableError, read_class_table
        from karma_perception.detectors.labels import LabelError
        from karma_perception.detectors.model import DetectionModel, ModelError
        from karma_perception.detectors.network import NetworkDetector
        from karma_perception.detectors.report import (
            PictureError,
            annotate,
            as_values,
            describe,
            read_depth,
            read_picture,
        )

    console = Console(highlight=False, soft_wrap=True)
    with click_errors(ModelError, LabelError, ClassTableError, PictureError):
        loaded = DetectionModel(model, labels, threads=threads)
        table = read_class_table(classes)
        report: dict[str, Any] = {"model": str(model), **describe(loaded)}
        _show_model(console, report)
        if image is not None:
            rgb = read_picture(image)
            metres = None if depth is None else read_depth(depth, rgb)
            begin = time.perf_counter()
            found = NetworkDetector(loaded, table, score=score).find(rgb, metres)
            report["milliseconds"] = round(1000 * (time.perf_counter() - begin), 1)
            report["detections"] = as_values(found, metres)
    if image is not None:
        folder = out or output_folder() / "detector"
        make_folder(folder)
        annotate(rgb, found).save(folder / "annotated.png")
        json_file = json_file or folder / "detections.json"
        _show_detections(console, report)
        console.print(f"drawn: {folder / 'annotated.png'}", markup=False)
    write_json(json_file, report)
    return 0


def _show_model(console: Console, report: dict[str, Any]) -> None:
    needs = report["input"]
    lines = {
        "head": report["head"],
        "picture": f"{needs['width']}x{needs['height']}, {needs['channels']}, (value - {needs['mean']}) / "
        f"{needs['deviation']}; any other size is fitted in",
        "inputs": "; ".join(needs["tensors"]),
        "outputs": "; ".join(report["outputs"]),
        "labels": f"{len(report['labels'])}: {', '.join(report['labels'][:5])}, …",
        "runs on": report["provider"],
    }
    for name, text in lines.items():
        console.print(f"{name + ':':<9}{text}", markup=False)


def _show_detections(console: Console, report: dict[str, Any]) -> None:
    table = Table("detector's class", "household's", "score", "box", "pixels", "distance")
    for d in report["detections"]:
        distance = d.get("distance_m")
        shown = "–" if distance is None else f"{distance:.2f} m"
        pixels = str(d.get("pixels", "–"))
        table.add_row(escape(d["name"]), escape(d["class"]), f"{d['score']:.2f}", str(d["box"]), pixels, shown)
    console.print(table)
    console.print(f"{len(report['detections'])} found in {report['milliseconds']:.0f} ms")
