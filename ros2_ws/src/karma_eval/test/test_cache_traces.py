# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Traces of every form, and files that are none."""

import gzip
import lzma
import struct

import pytest

from karma_eval.cache.traces import TraceError, find_traces, read_trace


def test_a_lirs_trace_is_text_with_marks_between_phases(tmp_path):
    file = tmp_path / "gli.trace.gz"
    file.write_bytes(gzip.compress(b"12\n7\n*\n\n12\n*\n"))
    trace = read_trace(file)
    assert (trace.name, trace.keys, trace.capacity) == ("gli", ("12", "7", "12"), 1000)


def test_a_cache2k_trace_is_big_endian_numbers(tmp_path):
    file = tmp_path / "web07.trace.xz"
    file.write_bytes(lzma.compress(struct.pack(">3i", 1, -2, 65536)))
    assert read_trace(file).keys == ("1", "-2", "65536")


def test_plain_text_has_one_key_a_line(tmp_path):
    file = tmp_path / "household.txt"
    file.write_text("scene/cup:0\nscene/red cup:0\r\n", encoding="utf-8")
    trace = read_trace(file)
    assert (trace.name, trace.keys) == ("household", ("scene/cup:0", "scene/red cup:0"))


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("empty.trace", b"", "no access"),
        ("marks.trace", b"*\n*\n", "no access"),
        ("binary.trace", b"\x00\x00\x00\x01", "compressed with xz"),
        ("latin.trace", b"caf\xe9\n", "no trace"),
        ("odd.trace.xz", lzma.compress(b"12345"), "5 bytes are no whole number"),
        ("cut.trace.xz", lzma.compress(bytes(4000))[:-20], "can't be read"),
        ("cut.trace.gz", gzip.compress(b"1\n2\n" * 99)[:-9], "can't be read"),
        ("damaged.trace.gz", gzip.compress(b"1\n2\n")[:-8] + bytes(8), "can't be read"),
        ("garbled.trace.gz", gzip.compress(b"1\n2\n" * 99)[:10] + b"\xff" * 40, "can't be read"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_file_that_is_no_trace_is_refused_with_the_reason(tmp_path, name, content, reason):
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(TraceError, match=reason) as error:
        read_trace(file)
    assert name in str(error.value)


def test_a_missing_trace_is_refused_with_the_reason(tmp_path):
    with pytest.raises(TraceError, match="No such file"):
        read_trace(tmp_path / "none.trace")


def test_traces_are_found_in_all_folders_below(tmp_path):
    for name in ("b/two.trace.xz", "a/one.trace.gz", "three.trace", "a/LICENSE"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert {file.name for file in find_traces(tmp_path)} == {"one.trace.gz", "two.trace.xz", "three.trace"}
