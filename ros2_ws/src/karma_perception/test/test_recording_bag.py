# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0

"""Bags that are whole, cut short, without their description, of older versions, and none at all."""

import io
import re
import sqlite3
from contextlib import suppress

import numpy as np
import pytest

pytest.importorskip("rosbags", reason="rosbags is not installed")
pytest.importorskip("ament_index_python", reason="ROS 2 is not installed")

from bag_writer import COLOR, DEPTH, LABELS, POSE, TYPES, script, types, world_frames
from rosbags.interfaces import Connection
from rosbags.rosbag1 import Writer as Ros1Writer
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

from karma_perception.recording.bag import Bag, BagError
from karma_perception.recording.findings import Findings
from karma_perception.recording.salvage import _records

COUNT = 6
STORAGES = ("mcap", "sqlite3")


@pytest.fixture(scope="module")
def frames():
    return world_frames(COUNT)


@pytest.fixture
def path(frames, tmp_path):
    def write(storage):
        return script(frames).write(tmp_path / "bag", storage=storage)

    return write


def file_in(folder):
    return next(f for f in folder.iterdir() if f.suffix in (".mcap", ".db3"))


def read(path, *topics):
    findings = Findings()
    with Bag(path, findings) as bag:
        return list(bag.messages(topics or tuple(TYPES))), list(findings)


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("what", ["folder", "file", "no metadata"])
def test_messages_come_in_the_order_of_receipt(path, storage, what):
    folder = path(storage)
    if what == "no metadata":
        (folder / "metadata.yaml").unlink()
    messages, findings = read(file_in(folder) if what == "file" else folder)
    assert len(messages) == COUNT * len(TYPES)
    assert [m.time for m in messages] == sorted(m.time for m in messages)
    assert {m.topic: m.type for m in messages} == TYPES
    assert [f.example for f in findings] == (
        ["its metadata.yaml is missing, as after a recorder that was killed"] if what == "no metadata" else []
    )
    depth = next(m.message for m in messages if m.topic == DEPTH)
    assert (depth.encoding, depth.width, depth.height) == ("32FC1", 160, 120)


@pytest.mark.parametrize("storage", STORAGES)
def test_of_a_file_that_is_cut_short_what_is_whole_is_read(path, storage):
    folder = path(storage)
    file = file_in(folder)
    content = file.read_bytes()
    whole, _ = read(folder)
    counts = []
    for share in (0.999, 0.9, 0.6, 0.3):
        file.write_bytes(content[: int(share * len(content))])
        messages, findings = read(folder)
        assert {f.problem for f in findings} & {"cut short or without its index", "damaged"}
        assert 0 < len(messages) < len(whole) or share == 0.999
        assert [(m.topic, m.time) for m in messages] == [(m.topic, m.time) for m in whole[: len(messages)]]
        counts.append(len(messages))
    assert counts == sorted(counts, reverse=True)


def test_a_description_that_lists_no_files_costs_nothing(path):
    """Found by fuzzing: rosbags keeps whatever stands there, and fails when it is closed."""
    folder = path("mcap")
    description = folder / "metadata.yaml"
    damaged = re.sub(r"\n  files:.*?(?=\n  \w)", "\n  files: '{'", description.read_text(), flags=re.DOTALL)
    assert "files: '{'" in damaged
    description.write_text(damaged)
    messages, findings = read(folder)
    assert (len(messages), findings) == (COUNT * len(TYPES), [])


@pytest.mark.parametrize("storage", STORAGES)
def test_no_damage_ends_in_anything_but_an_error_that_says_so(path, storage):
    folder = path(storage)
    file = file_in(folder)
    content = bytearray(file.read_bytes())
    random = np.random.default_rng(1)
    for attempt in range(8):
        spoiled = bytearray(content)
        for place in random.integers(0, len(content), 1 + 40 * attempt):
            spoiled[place] ^= 1 << int(random.integers(0, 8))
        if attempt % 2:
            del spoiled[int(random.integers(0, len(content))) :]
        file.write_bytes(spoiled)
        with suppress(BagError):
            messages, findings = read(folder)
            assert len(messages) == COUNT * len(TYPES) or findings or attempt % 2 == 0


def test_a_compressed_bag_is_read_and_salvaged(frames, tmp_path):
    writer = Writer(tmp_path / "bag", version=9, storage_plugin=StoragePlugin.MCAP)
    writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
    with writer:
        connection = writer.add_connection(DEPTH, TYPES[DEPTH], typestore=types())
        random = np.random.default_rng(1)
        for m in script(frames).on(DEPTH) * 8:
            m.message.data = random.integers(0, 255, 76800, np.uint8)  # several chunks of 1 MiB
            writer.write(connection, round(m.time * 1e9), types().serialize_cdr(m.message, m.type))
    assert len(read(tmp_path / "bag")[0]) == 8 * COUNT
    file = file_in(tmp_path / "bag")
    file.write_bytes(file.read_bytes()[: int(0.8 * file.stat().st_size)])
    assert 0 < len(read(tmp_path / "bag")[0]) < 8 * COUNT


def test_files_of_a_bag_come_in_the_order_of_their_numbers(frames, tmp_path):
    (tmp_path / "bag").mkdir()
    for number, frame in ((2, frames[0]), (10, frames[1])):
        made = script([frame]).write(tmp_path / str(number))
        file_in(made).rename(tmp_path / "bag" / f"bag_{number}.mcap")
    messages, findings = read(tmp_path / "bag", DEPTH)
    assert [m.time for m in messages] == [1_000_010_000_000, 1_000_260_000_000]
    (tmp_path / "bag" / "bag_2.mcap").write_bytes(b"")
    messages, findings = read(tmp_path / "bag", DEPTH)
    assert [m.time for m in messages] == [1_000_260_000_000]
    assert [(f.topic, f.problem) for f in findings][1:] == [("bag_2.mcap", "unreadable")]


def test_bags_of_humble_carry_no_definitions_and_are_read_by_ros_own(path):
    folder = path("sqlite3")
    with sqlite3.connect(file_in(folder)) as database:
        database.execute("DELETE FROM message_definitions")
    assert len(read(folder, DEPTH, COLOR, POSE)[0]) == 3 * COUNT
    with pytest.raises(BagError, match=r"carries no definition of karma_interfaces/msg/InstanceLabels.*MCAP"):
        read(folder)
    with Bag(folder, Findings(), types) as bag:
        assert len(list(bag.messages([LABELS]))) == COUNT


def test_a_definition_that_is_none_is_told(path):
    folder = path("sqlite3")
    with sqlite3.connect(file_in(folder)) as database:
        database.execute("UPDATE message_definitions SET encoded_message_definition = 'far from it {'")
    with pytest.raises(BagError, match="cannot be understood"):
        read(folder)


def test_bags_of_ros_1_are_read(frames, tmp_path):
    store = get_typestore(Stores.ROS1_NOETIC)
    with Ros1Writer(tmp_path / "tum.bag") as writer:
        connection: Connection = writer.add_connection("/camera/depth/image", TYPES[DEPTH], typestore=store)
        for seq, m in enumerate(script(frames).on(DEPTH)):
            old = store.types["std_msgs/msg/Header"](seq, m.message.header.stamp, m.message.header.frame_id)
            image = store.types[TYPES[DEPTH]](old, 120, 160, "32FC1", 0, 640, m.message.data)
            writer.write(connection, round(m.time * 1e9), store.serialize_ros1(image, TYPES[DEPTH]))
    messages, findings = read(tmp_path / "tum.bag", "/camera/depth/image")
    assert (len(messages), findings) == (COUNT, [])
    assert messages[0].type == TYPES[DEPTH]
    np.testing.assert_array_equal(messages[0].message.data, script(frames).on(DEPTH)[0].message.data)


def test_what_is_no_bag_is_refused(path, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "picture.png").write_bytes(b"png")
    (tmp_path / "zero.mcap").write_bytes(b"")
    (tmp_path / "zero.db3").write_bytes(b"")
    (tmp_path / "zero.bag").write_bytes(b"")
    for name, why in (
        ("nowhere", "does not exist"),
        ("empty", "neither metadata.yaml nor files"),
        ("picture.png", "expected a folder of rosbag2"),
        ("zero.mcap", "cannot be read"),
        ("zero.db3", "cannot be read"),
        ("zero.bag", "cannot be read"),
    ):
        with pytest.raises(BagError, match=why):
            read(tmp_path / name)
    with Writer(tmp_path / "nothing", version=9) as writer:
        writer.add_connection(DEPTH, TYPES[DEPTH], typestore=types())
    with pytest.raises(BagError, match="holds no messages"):
        read(tmp_path / "nothing")


def test_a_length_beyond_the_end_of_the_file_takes_no_room():
    chunk = b"\x06" + (2**39).to_bytes(8, "little") + b"cut"
    assert list(_records(io.BytesIO(chunk))) == [(6, b"cut")]
