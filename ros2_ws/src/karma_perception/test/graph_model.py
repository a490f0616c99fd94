# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""TensorFlow.js graph models (a JSON of nodes and a file of weights) to ONNX: the operations that NanoDet needs."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

TO_NCHW, TO_NHWC = [0, 3, 1, 2], [0, 2, 3, 1]
OPSET, IR_VERSION = 18, 9


def convert(source: Path, target: Path) -> None:
    """Write the model whose JSON is `source` as ONNX. NotImplementedError for an operation that is not known here."""
    model = json.loads(source.read_text())
    converter = _Converter(_weights(source, model["weightsManifest"]), model["modelTopology"]["node"])
    outputs = [name.split(":")[0] for name in model["signature"]["outputs"]]
    for name in outputs:
        converter.add(name)
    graph = helper.make_graph(
        converter.made,
        "model",
        [_value(name, v["tensorShape"]) for name, v in model["signature"]["inputs"].items()],
        [_value(name, v["tensorShape"]) for name, v in model["signature"]["outputs"].items()],
        [numpy_helper.from_array(array, name) for name, array in converter.constants.items()],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    onnx.checker.check_model(made)
    onnx.save(made, target)


def _weights(source: Path, manifest: list[dict[str, Any]]) -> dict[str, np.ndarray]:
    """Return the weights by name; those that are stored as float16 become float32."""
    weights = {}
    for group in manifest:
        data = b"".join((source.parent / path).read_bytes() for path in group["paths"])
        offset = 0
        for entry in group["weights"]:
            stored = np.dtype(entry.get("quantization", entry)["dtype"])
            count = int(np.prod(entry["shape"], dtype=int))
            array = np.frombuffer(data, stored, count, offset).reshape(entry["shape"])
            weights[entry["name"]] = array.astype(entry["dtype"])
            offset += count * stored.itemsize
        assert offset == len(data), "the weights are not those of the manifest"
    return weights


def _value(name: str, shape: dict[str, Any]) -> onnx.ValueInfoProto:
    sizes = [int(d["size"]) for d in shape["dim"]]
    return helper.make_tensor_value_info(name.split(":")[0], TensorProto.FLOAT, sizes)


class _Converter:
    """Makes ONNX nodes, inputs first; what is known beforehand becomes a constant."""

    def __init__(self, weights: dict[str, np.ndarray], nodes: list[dict[str, Any]]) -> None:
        self._nodes = {node["name"]: node for node in nodes}
        self.made: list[onnx.NodeProto] = []
        self.constants: dict[str, np.ndarray] = {}
        self._known = dict(weights)
        self._done: set[str] = set()

    def add(self, name: str) -> None:
        """Make a node and what it depends on."""
        if name in self._done:
            return
        self._done.add(name)
        node = self._nodes[name]
        inputs = [i.removesuffix(":0") for i in node.get("input", [])]
        for i in inputs:
            self.add(i.split(":")[0])
        if node["op"] in ("Const", "Placeholder"):
            return
        operation: Callable[..., None] | None = getattr(self, f"_{node['op'].lower()}", None)
        if operation is None:
            raise NotImplementedError(f"{node['op']} ({name})")
        operation(name, inputs, node.get("attr", {}))

    def _make(self, operation: str, inputs: list[str], outputs: str | list[str], **attributes: Any) -> None:
        outputs = [outputs] if isinstance(outputs, str) else outputs
        self.made.append(helper.make_node(operation, inputs, outputs, **attributes))

    def _constant(self, name: str, array: np.ndarray) -> str:
        self.constants[name] = np.ascontiguousarray(array)
        return name

    def _input(self, name: str) -> str:
        return self._constant(name, self._known[name]) if name in self._known else name

    def _integers(self, name: str) -> list[int]:
        return [int(i) for i in self._known[name].ravel()]

    # One method for each operation: name of the node, names of its inputs, attributes.

    def _identity(self, name: str, inputs: list[str], _: dict[str, Any]) -> None:
        self._make("Identity", [self._input(inputs[0])], name)

    def _sigmoid(self, name: str, inputs: list[str], _: dict[str, Any]) -> None:
        self._make("Sigmoid", inputs, name)

    def _leakyrelu(self, name: str, inputs: list[str], attributes: dict[str, Any]) -> None:
        self._make("LeakyRelu", inputs, name, alpha=float(attributes["alpha"]["f"]))

    def _add(self, name: str, inputs: list[str], _: dict[str, Any]) -> None:
        if all(i in self._known for i in inputs):
            self._known[name] = self._known[inputs[0]] + self._known[inputs[1]]
        else:
            self._make("Add", [self._input(i) for i in inputs], name)

    _addv2 = _add

    def _sparsetodense(self, name: str, inputs: list[str], _: dict[str, Any]) -> None:
        indices, shape, values, default = (self._known[i] for i in inputs)
        dense = np.broadcast_to(default, shape.astype(int)).copy()
        for index, value in zip(indices.reshape(-1, len(shape)), np.ravel(values), strict=True):
            dense[tuple(index)] = value
        self._known[name] = dense

    def _pad(self, name: str, inputs: list[str], _: dict[str, Any]) -> None:
        sides = self._constant(f"{name}/sides", self._known[inputs[1]].T.ravel().astype(np.int64))
        fill = self._known[inputs[2]] if len(inputs) > 2 else np.float32(0)
        self._make("Pad", [inputs[0], sides, self._constant(f"{name}/fill", np.float32(fill))], name)

    _padv2 = _pad

    def _transpose(self, name: str, inputs: list[str], _: dict[str, Any]) -> None:
        self._make("Transpose", [self._input(inputs[0])], name, perm=self._integers(inputs[1]))

    def _concatv2(self, name: str, inputs: list[str], _: dict[str, Any]) -> None:
        self._make("Concat", [self._input(i) for i in inputs[:-1]], name, axis=self._integers(inputs[-1])[0])

    def _reshape(self, name: str, inputs: list[str], _: dict[str, Any]) -> None:
        shape = self._constant(f"{name}/shape", self._known[inputs[1]].astype(np.int64))
        self._make("Reshape", [inputs[0], shape], name)

    def _splitv(self, name: str, inputs: list[str], attributes: dict[str, Any]) -> None:
        sizes = self._constant(f"{name}/sizes", self._known[inputs[1]].astype(np.int64))
        parts = [name, *(f"{name}:{i}" for i in range(1, int(attributes["num_split"]["i"])))]
        self._make("Split", [inputs[0], sizes], parts, axis=self._integers(inputs[2])[0])

    def _conv2d(self, name: str, inputs: list[str], attributes: dict[str, Any]) -> None:
        kernel = self._constant(f"{name}/kernel", self._known[inputs[1]].transpose(3, 2, 0, 1))
        self._with_channels_first(name, inputs[0], "Conv", [kernel], attributes)

    def _maxpool(self, name: str, inputs: list[str], attributes: dict[str, Any]) -> None:
        shape = [int(i) for i in attributes["ksize"]["list"]["i"][1:3]]
        self._with_channels_first(name, inputs[0], "MaxPool", [], attributes, kernel_shape=shape)

    def _with_channels_first(
        self, name: str, source: str, operation: str, more: list[str], attributes: dict[str, Any], **own: Any
    ) -> None:
        if base64.b64decode(attributes["padding"]["s"]) != b"VALID":
            raise NotImplementedError(f"padding of {name}")
        strides = [int(i) for i in attributes["strides"]["list"]["i"][1:3]]
        self._make("Transpose", [source], f"{name}/nchw", perm=TO_NCHW)
        self._make(operation, [f"{name}/nchw", *more], f"{name}/done", strides=strides, **own)
        self._make("Transpose", [f"{name}/done"], name, perm=TO_NHWC)

    def _resizebilinear(self, name: str, inputs: list[str], attributes: dict[str, Any]) -> None:
        if not attributes["half_pixel_centers"]["b"]:
            raise NotImplementedError(f"corners of {name}")
        size = self._constant(f"{name}/size", self._known[inputs[1]].astype(np.int64))
        options = {"mode": "linear", "coordinate_transformation_mode": "half_pixel"}
        self._make("Transpose", [inputs[0]], f"{name}/nchw", perm=TO_NCHW)
        self._make("Resize", [f"{name}/nchw", "", "", size], f"{name}/done", axes=[2, 3], **options)
        self._make("Transpose", [f"{name}/done"], name, perm=TO_NHWC)
