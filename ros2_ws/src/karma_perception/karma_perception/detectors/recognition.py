# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which head a network has, told from the shapes of its outputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from karma_perception.detectors.candidates import FloatArray
from karma_perception.detectors.head import Head, grid_cells
from karma_perception.detectors.nanodet import NanoDetHead
from karma_perception.detectors.yolo import AnchorFreeHead, AnchorHead, FourOutputHead, SuppressedHead

STRIDES = ((8, 16, 32), (8, 16, 32, 64), (4, 8, 16, 32), (16, 32))
ANCHORS = 3
BINS = (8, 11, 16, 17)
"""Values of a distance's distribution in published NanoDets and their kin."""
MASK_COEFFICIENTS = 32
"""Channels that a network for instance segmentation has besides its scores."""

EXPECTED = """expected one of
  YOLOv8, YOLO11: (1, 4 + classes, cells), such as (1, 84, 8400) for 80 classes and an input of 640x640
  YOLOv5, YOLOv7: (1, anchors, 5 + classes), such as (1, 25200, 85)
  suppression built in: (1, boxes, 6) or (boxes, 7), or four outputs: number, boxes, scores, classes
  NanoDet: for each stride (1, cells, classes) and (1, cells, 4 * bins), such as (1, 2704, 80) and (1, 2704, 32)
  NanoDet-Plus: (1, cells, classes + 4 * bins), such as (1, 3598, 112)"""


class HeadError(ValueError):
    """Outputs that no known head has; the message says what was found and what is expected."""


def recognise(outputs: Sequence[FloatArray], size: tuple[int, int], labels: int) -> Head:
    """Return the head that gave `outputs` for an input of `size`, (height, width).

    `labels`: how many classes have a name, 0 where nobody says: some layouts can only be told apart with it.
    `HeadError` when none fits.
    """
    shapes = [o.shape for o in outputs]
    if len(outputs) == 4 and [len(s) for s in shapes[1:]] == [3, 2, 2] and shapes[1][-1] == 4 and outputs[0].size == 1:
        return FourOutputHead()
    if len(outputs) == 1 and len(shapes[0]) == 2 and shapes[0][1] == 7:
        return SuppressedHead("YOLOv7 with suppression built in", first=1, category=5, score=6)
    if len(outputs) == 1 and len(shapes[0]) == 3 and shapes[0][0] == 1 and shapes[0][2] == 6 and shapes[0][1] <= 1000:
        return SuppressedHead("YOLO with suppression built in", first=0, score=4, category=5)
    found = _pairs(outputs, size, labels) or _single(outputs, size, labels)
    if found is None:
        raise HeadError(f"the head is not known: it gives {_spoken(shapes)} for an input of {size}; {EXPECTED}")
    if labels and labels != found.classes:
        raise HeadError(
            f"the {found.name} head tells {found.classes} classes apart ({_spoken(shapes)}), but there are {labels} "
            "labels; one label a line is needed, in the order of the training"
        )
    return found


def _single(outputs: Sequence[FloatArray], size: tuple[int, int], labels: int) -> Head | None:
    """Return the head whose boxes and scores are together in one output, if it is one."""
    for index, output in enumerate(outputs):
        if output.ndim != 3 or output.shape[0] != 1:
            continue
        for strides in STRIDES:
            cells = grid_cells(size, strides)
            if output.shape[2] == cells:
                masks = MASK_COEFFICIENTS if any(o.ndim == 4 for o in outputs) else 0
                return AnchorFreeHead("YOLOv8 or YOLO11", output.shape[1] - 4 - masks, index, channels_first=True)
            if output.shape[1] == ANCHORS * cells:
                masks = MASK_COEFFICIENTS if any(o.ndim == 4 for o in outputs) else 0
                return AnchorHead("YOLOv5 or YOLOv7", output.shape[2] - 5 - masks, index)
            if output.shape[1] == cells:
                return _rows_of_cells(output, index, size, strides, labels)
    return None


def _rows_of_cells(
    output: FloatArray, index: int, size: tuple[int, int], strides: tuple[int, ...], labels: int
) -> Head | None:
    """Return the head with a row for each cell; three families have that, with other columns."""
    columns = output.shape[2]
    named = labels or 80
    if columns == named + 5:
        raise HeadError(
            f"{output.shape} looks like YOLOX, whose boxes are still to be put on its grid; export it with decoding "
            f"built in, as (1, 4 + classes, cells); {EXPECTED}"
        )
    if columns == named + 4:
        return AnchorFreeHead("YOLOv8 or YOLO11, transposed", named, index, channels_first=False)
    for bins in BINS:
        if columns == named + 4 * bins:
            logits = _are_logits(output[0][:, :named])
            return NanoDetHead("NanoDet-Plus", named, size, strides, bins, (), 0.0, logits)
    return None


def _pairs(outputs: Sequence[FloatArray], size: tuple[int, int], labels: int) -> Head | None:
    """Return NanoDet's head with two outputs for each stride, if it is one."""
    if len(outputs) < 4 or len(outputs) % 2 or any(o.ndim != 3 or o.shape[0] != 1 for o in outputs):
        return None
    for strides in STRIDES:
        if 2 * len(strides) != len(outputs):
            continue
        for classes, bins in _columns(outputs, labels):
            pairs = []
            for stride in strides:
                here = [i for i, o in enumerate(outputs) if o.shape[1] == grid_cells(size, (stride,))]
                scores = [i for i in here if outputs[i].shape[2] == classes]
                sides = [i for i in here if outputs[i].shape[2] == 4 * bins and i not in scores[:1]]
                if len(here) == 2 and scores and sides:
                    pairs.append((scores[0], sides[0]))
            if len(pairs) == len(strides):
                logits = any(_are_logits(outputs[s]) for s, _ in pairs)
                return NanoDetHead("NanoDet", classes, size, strides, bins, tuple(pairs), 0.5, logits)
    return None


def _columns(outputs: Sequence[FloatArray], labels: int) -> Iterator[tuple[int, int]]:
    """Yield what may be the number of classes and of bins: that of the labels first, then what has no negative value.

    Scores lie in 0..1, distances come as logits.
    """
    widths = sorted({o.shape[2] for o in outputs})
    if len(widths) != 2:
        return
    ways = [(a, b) for a, b in (widths, widths[::-1]) if b % 4 == 0]
    ways.sort(key=lambda way: (way[0] != labels, any(_are_logits(o) for o in outputs if o.shape[2] == way[0])))
    for classes, sides in ways:
        yield classes, sides // 4


def _are_logits(scores: FloatArray) -> bool:
    return bool(np.any(scores < 0.0) or np.any(scores > 1.0))


def _spoken(shapes: Sequence[tuple[int, ...]]) -> str:
    return ", ".join(map(str, shapes))
