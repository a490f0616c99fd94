# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Small ONNX files with a detector's inputs and outputs, whose boxes follow the picture.

The network finds red: the score of each cell of 16 x 16 pixels is how red it is, its box the cell and its neighbours.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

CELL = 16
REACH = 3
"""Cells that a box is wide and high."""


def write_red_detector(
    file: Path,
    *,
    size: tuple[int, int] = (240, 320),
    dynamic: bool = False,
    channels_last: bool = False,
    half: bool = False,
    names: str = "",
    classes: int = 2,
) -> Path:
    """Write a network with YOLOv5's head for one anchor of three, that calls red cells class 1."""
    rows, columns = size[0] // CELL, size[1] // CELL
    cells = sum(-(-size[0] // s) * -(-size[1] // s) for s in (8, 16, 32)) * 3
    n = rows * columns
    made, constants = [], {}

    def constant(name, array):
        constants[name] = np.asarray(array)
        return name

    def add(operation, inputs, output, **attributes):
        made.append(helper.make_node(operation, inputs, [output], **attributes))
        return output

    x = "images"
    if half:
        x = add("Cast", [x], "float", to=TensorProto.FLOAT)
    if channels_last:
        x = add("Transpose", [x], "nchw", perm=[0, 3, 1, 2])
    red = np.array([1.0, -0.7, -0.7], np.float32).reshape(1, 3, 1, 1)
    x = add("Conv", [x, constant("kernel", red)], "redness")
    x = add("AveragePool", [x], "pooled", kernel_shape=[CELL, CELL], strides=[CELL, CELL])
    x = add("Clip", [x, constant("low", np.float32(0)), constant("high", np.float32(1))], "clipped")
    score = add("Reshape", [x, constant("column", np.array([1, n, 1]))], "score")
    v, u = np.mgrid[:rows, :columns]
    boxes = np.stack([(u.ravel() + 0.5) * CELL, (v.ravel() + 0.5) * CELL], axis=1)
    boxes = np.concatenate([boxes, np.full((n, 2), REACH * CELL)], axis=1)[None].astype(np.float32)
    category = np.zeros((1, n, classes), np.float32)
    category[:, :, 1] = 1.0
    row = add("Concat", [constant("boxes", boxes), score, constant("category", category)], "row", axis=2)
    rest = constant("rest", np.zeros((1, cells - n, 5 + classes), np.float32))
    add("Concat", [row, rest], "output0", axis=1)

    sides = ["height", "width"] if dynamic else list(size)
    shape = [1, *sides, 3] if channels_last else [1, 3, *sides]
    kind = TensorProto.FLOAT16 if half else TensorProto.FLOAT
    return save(
        file,
        made,
        [helper.make_tensor_value_info("images", kind, shape)],
        [helper.make_tensor_value_info("output0", TensorProto.FLOAT, [1, cells, 5 + classes])],
        constants,
        names,
    )


def save(file, nodes, inputs, outputs, constants, names="") -> Path:
    """Write a graph as a model that has passed ONNX's checker."""
    graph = helper.make_graph(
        nodes, "tiny", inputs, outputs, [numpy_helper.from_array(a, name) for name, a in constants.items()]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    if names:
        helper.set_model_props(model, {"names": names})
    onnx.checker.check_model(model)
    onnx.save(model, file)
    return file


def write_constant(file: Path, outputs: dict[str, np.ndarray], shape=(1, 3, 64, 64), kind=TensorProto.FLOAT) -> Path:
    """Write a network that answers every picture with the same."""
    nodes = [helper.make_node("Identity", [f"{name}_value"], [name]) for name in outputs]
    return save(
        file,
        nodes,
        [helper.make_tensor_value_info("images", kind, list(shape))],
        [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
            for name, a in outputs.items()
        ],
        {f"{name}_value": a for name, a in outputs.items()},
    )
