# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The detector and the state estimator that parameter values ask for.

ONNX Runtime and Ollama's client are imported only where they are used: they cost a second at the start, and memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from karma_perception.objects.detection import Detector, InstanceImageDetector
from karma_perception.states.estimator import NoStates, SourceStates, StateEstimator
from karma_perception.states.options import VisionOptions
from karma_ros.parameters import Value


class SourceError(ValueError):
    """Parameters that make no detector or estimator; the message says what to set."""


def make_detector(values: Mapping[str, Value]) -> tuple[Detector, str]:
    """Return the detector, and what it is in words. `SourceError` when its model, labels or class table don't fit."""
    if values["detector"] == "instances":
        return InstanceImageDetector(), "the instance image"
    if not values["detector_model"]:
        raise SourceError("set the parameter detector_model to the ONNX file of the detector")
    from karma_perception.class_table import ClassTableError, read_class_table
    from karma_perception.detectors.labels import LabelError
    from karma_perception.detectors.model import DetectionModel, ModelError
    from karma_perception.detectors.network import NetworkDetector

    labels = _path(values["detector_labels"])
    try:
        model = DetectionModel(
            Path(str(values["detector_model"])).expanduser(), labels, threads=int(values["detector_threads"])
        )
        table = read_class_table(_path(values["class_table"]))
    except (ModelError, LabelError, ClassTableError) as error:
        raise SourceError(str(error)) from error
    detector = NetworkDetector(
        model, table, score=float(values["detector_score"]), overlap=float(values["detector_overlap"])
    )
    height, width = model.size
    return detector, f"{model.head.name}, {len(model.labels)} classes, {width}x{height}, {model.provider}"


def make_states(values: Mapping[str, Value]) -> StateEstimator:
    """Return the state estimator. `SourceError` when its class table or host don't fit."""
    if values["states"] == "source":
        return SourceStates()
    if values["states"] == "none":
        return NoStates()
    from karma_perception.class_table import ClassTableError, read_class_table
    from karma_perception.states.vision import VisionStates

    options = VisionOptions(
        model=str(values["states_model"]),
        url=str(values["llm_url"]),
        timeout=float(values["states_timeout"]),
        period=float(values["states_period"]),
    )
    try:
        return VisionStates(read_class_table(_path(values["class_table"])), options)
    except (ClassTableError, ValueError) as error:
        raise SourceError(str(error)) from error


def _path(value: Value) -> Path | None:
    return Path(str(value)).expanduser() if value else None
