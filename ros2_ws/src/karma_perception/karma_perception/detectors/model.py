# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A detector's ONNX file in ONNX Runtime: what it needs, and what its head is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from karma_perception.detectors.candidates import Candidates, FloatArray
from karma_perception.detectors.head import Head
from karma_perception.detectors.labels import COCO, LabelError, labels_of_model, read_labels
from karma_perception.detectors.letterbox import letterbox
from karma_perception.detectors.recognition import HeadError, recognise

DEFAULT_SIZE = 640
"""Pixels of a side that the model leaves open."""

MOST_PIXELS = 4096 * 4096

TYPES = {"tensor(float)": np.float32, "tensor(float16)": np.float16}


class ModelError(ValueError):
    """A model that cannot be used as a detector; the message says what was found and what is expected."""


@dataclass(frozen=True)
class Tensor:
    """An input or output as the file declares it."""

    name: str
    shape: tuple[int | str | None, ...]
    type: str

    def __str__(self) -> str:
        return f"{self.name} {list(self.shape)} {self.type}"


class DetectionModel:
    """A network with its labels, ready to look at pictures. One thread at a time."""

    def __init__(self, file: Path, labels_file: Path | None = None, *, threads: int = 2) -> None:
        """Load the model and try it on noise.

        `labels_file`: names of the classes; without one those that the model carries, or COCO's when it has 80.
        `threads`: CPU threads. `ModelError` or `LabelError` when model or labels cannot be used.
        """
        self._session = _load(file, threads)
        try:
            self.inputs = tuple(Tensor(t.name, tuple(t.shape), t.type) for t in self._session.get_inputs())
            self.outputs = tuple(Tensor(t.name, tuple(t.shape), t.type) for t in self._session.get_outputs())
            metadata = self._session.get_modelmeta().custom_metadata_map
        except UnicodeDecodeError as error:
            raise ModelError(f"{file} is damaged: it has names that are no text: {error}") from error
        self.provider = str(self._session.get_providers()[0])
        self.size, self._channels_last = self._input_layout(file)
        labels = read_labels(labels_file) if labels_file else labels_of_model(metadata.get("names", ""))
        noise = np.random.default_rng(0).integers(0, 256, (3, *self.size)).astype(np.float32) / 255.0
        tried = self._run(noise, file)
        try:
            self.head: Head = recognise(tried, self.size, len(labels))
        except HeadError as error:
            raise ModelError(f"{file} is no detector that is known here: {error}") from error
        if not labels and self.head.classes in (0, len(COCO)):
            labels = COCO
        if not labels:
            raise LabelError(
                f"{file} tells {self.head.classes} classes apart and does not say which; give a label file, one name "
                "a line"
            )
        self.labels = labels

    def look(self, rgb: NDArray[np.uint8], threshold: float) -> Candidates:
        """Return what the network finds in an image, (height, width, 3), in pixels of it, before suppression.

        What is no box, or has a class without a label, is left out.
        """
        fitted, placed = letterbox(rgb, self.size)
        found = self.head.decode(self._run(self.head.normalization.apply(fitted), None), threshold)
        boxes = placed.to_image(np.asarray(found.boxes, dtype=np.float32))
        good = np.all(np.isfinite(boxes), axis=1) & (boxes[:, 2] - boxes[:, 0] >= 1) & (boxes[:, 3] - boxes[:, 1] >= 1)
        good &= (found.classes >= 0) & (found.classes < len(self.labels)) & np.isfinite(found.scores)
        scores = np.clip(found.scores, 0.0, 1.0)
        return Candidates(boxes, scores, found.classes).take(good)

    def _input_layout(self, file: Path) -> tuple[tuple[int, int], bool]:
        """Return (height, width), and whether the channels come last."""
        expected = "expected one input (1, 3, height, width) of float or float16"
        found = "; ".join(map(str, self.inputs))
        if len(self.inputs) != 1 or self.inputs[0].type not in TYPES or len(self.inputs[0].shape) != 4:
            raise ModelError(f"{file} cannot be fed with a picture: its inputs are {found}; {expected}")
        batch, *rest = self.inputs[0].shape
        last = rest[2] == 3 and rest[0] != 3
        sides = rest[:2] if last else rest[1:]
        channels = rest[2] if last else rest[0]
        height, width = (side if isinstance(side, int) and side > 0 else DEFAULT_SIZE for side in sides)
        if (isinstance(batch, int) and batch > 1) or (isinstance(channels, int) and channels not in (3, -1)):
            raise ModelError(f"{file} cannot be fed with one picture: its inputs are {found}; {expected}")
        if min(height, width) < 32 or height * width > MOST_PIXELS:
            raise ModelError(f"{file} wants pictures of {width}x{height} pixels; expected from 32x32 to 4096x4096")
        return (height, width), last

    def _run(self, picture: FloatArray, file: Path | None) -> Sequence[FloatArray]:
        """Return the outputs for one picture, (3, height, width); with `file`, an error is told as the file's."""
        tensor = picture.transpose(1, 2, 0) if self._channels_last else picture
        feed = {self.inputs[0].name: np.ascontiguousarray(tensor[None], dtype=TYPES[self.inputs[0].type])}
        try:
            outputs = self._session.run(None, feed)
        except Exception as error:
            if file is None:
                raise
            raise ModelError(f"{file} fails on a picture of {self.size}: {_short(error)}") from error
        if not all(isinstance(o, np.ndarray) and np.issubdtype(o.dtype, np.number) for o in outputs):
            raise ModelError(f"{file} has outputs that are no tensors of numbers: {'; '.join(map(str, self.outputs))}")
        return [np.asarray(o, dtype=np.float32) for o in outputs]


def _load(file: Path, threads: int) -> ort.InferenceSession:
    if not file.is_file():
        raise ModelError(f"there is no model file {file}")
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    # Threads that spin while they wait for the next frame would take the other nodes' time.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    preferred = ("CUDAExecutionProvider", "CPUExecutionProvider")
    providers = [p for p in preferred if p in ort.get_available_providers()]
    try:
        return ort.InferenceSession(str(file), options, providers=providers)
    except Exception as error:  # whatever ONNX Runtime dislikes about a file
        raise ModelError(f"ONNX Runtime cannot load {file}: {_short(error)}; expected an ONNX model") from error


def _short(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
