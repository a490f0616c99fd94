# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Messages between the bridge and the process that runs Habitat."""

from __future__ import annotations

import ast
import json
import socket
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from sim_bridge.habitat.child import karma_habitat_worker
from sim_bridge.habitat.child.karma_habitat_worker.wire import (
    LARGEST_ARRAYS,
    LONGEST_HEADER,
    Message,
    WireError,
    receive,
    send,
)

TYPES = ["uint8", "uint16", "uint32", "int64", "float32", "float64"]


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    ours.settimeout(5)
    theirs.settimeout(5)
    with ours, theirs:
        yield ours, theirs


@settings(max_examples=30)
@given(
    st.dictionaries(st.text(), st.recursive(st.integers() | st.text() | st.booleans(), st.lists)),
    st.sampled_from(TYPES).flatmap(lambda t: arrays.arrays(t, arrays.array_shapes(min_dims=0, max_dims=3, min_side=0))),
)
def test_what_is_sent_arrives(
    fields: dict[str, object], array: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]
) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        sender = threading.Thread(target=send, args=(ours, Message(fields, {"picture": array, "none": np.empty(0)})))
        sender.start()
        got = receive(theirs)
        sender.join()
    assert got.fields == fields
    assert got.arrays["picture"].dtype == array.dtype
    assert np.array_equal(got.arrays["picture"], array, equal_nan=array.dtype.kind == "f")
    assert got.arrays["none"].shape == (0,)


def test_who_has_gone_is_told(ends: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = ends
    theirs.close()
    with pytest.raises(WireError, match="gone"):
        receive(ours)
    with pytest.raises(WireError, match="gone"):
        send(ours, Message())


def test_half_a_message_is_none(ends: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = ends
    theirs.sendall(struct.pack(">I", 100) + b"{")
    theirs.close()
    with pytest.raises(WireError, match="gone"):
        receive(ours)


@pytest.mark.parametrize(
    "header",
    [
        b"\x80\x04K\x01.",
        b"[]",
        b'{"fields": 1, "arrays": []}',
        b'{"fields": {}}',
        b'{"fields": {}, "arrays": [{"name": "a", "dtype": "object", "shape": [1]}]}',
        b'{"fields": {}, "arrays": [{"name": "a", "dtype": "uint8", "shape": [-1]}]}',
        b'{"fields": {}, "arrays": [{"name": "a", "dtype": "uint8", "shape": [1, 1, 1, 1, 1]}]}',
    ],
)
def test_what_is_no_header_is_refused(ends: tuple[socket.socket, socket.socket], header: bytes) -> None:
    ours, theirs = ends
    theirs.sendall(struct.pack(">I", len(header)) + header)
    with pytest.raises(WireError, match="header"):
        receive(ours)


def test_what_is_too_large_is_refused_before_it_is_read(ends: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = ends
    theirs.sendall(struct.pack(">I", LONGEST_HEADER + 1))
    with pytest.raises(WireError, match="at most"):
        receive(ours)
    listed = [{"name": "a", "dtype": "uint8", "shape": [LARGEST_ARRAYS, 2]}]
    header = json.dumps({"fields": {}, "arrays": listed}).encode()
    theirs.sendall(struct.pack(">I", len(header)) + header)
    with pytest.raises(WireError, match="at most"):
        receive(ours)


def test_arrays_of_objects_are_not_sent(ends: tuple[socket.socket, socket.socket]) -> None:
    with pytest.raises(WireError, match="object"):
        send(ends[0], Message({}, {"a": np.array([{}])}))


def test_the_worker_is_written_for_python_3_9_and_imports_nothing_of_karma() -> None:
    for file in Path(karma_habitat_worker.__path__[0]).glob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"), feature_version=(3, 9))
        imported = {
            name.partition(".")[0]
            for node in ast.walk(tree)
            for name in (
                [a.name for a in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom) and not node.level
                else []
            )
        }
        assert not {"sim_bridge", "karma", "rclpy", "karma_interfaces"} & imported, file
        strict = [n for n in ast.walk(tree) if isinstance(n, ast.keyword) and n.arg == "strict"]
        assert not strict, f"{file}: zip(strict=) is of Python 3.10"
