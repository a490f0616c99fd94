# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0

"""Events to a rosbag2 and back."""

import lzma
import re
import shutil
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("karma_interfaces.msg", reason="karma_interfaces is not built")
pytest.importorskip("rosbags", reason="rosbags is not installed")

from builtin_interfaces.msg import Time
from rclpy.serialization import serialize_message
from rosbags.rosbag2 import Reader, StoragePlugin, Writer
from world import APPLE, event, home, outcome, seen, thing, told

from karma_interfaces.msg import MemoryEvent, Result
from karma_memory import (
    Code,
    Edge,
    EventKind,
    Image,
    JournalError,
    PolicySettings,
    Relation,
    SkillCall,
    SkillOutcome,
    SkillTarget,
)
from karma_memory.command import __main__ as command
from karma_memory.journal import Imported
from karma_memory.journal.compacted import is_stub
from karma_memory.ros.bag import TOPIC, TYPE, Exported, export_bag, import_bag, typestore
from karma_memory.short_term.memory import settings_to_json

EVENTS = [
    home(stamp=1.0),
    outcome(
        "PutObject", APPLE, stamp=2.5, target=SkillTarget("Apple|1", "Apple", (1.0, 2.0, 3.0)), saw=[thing("Mug|1")]
    ),
    event(
        EventKind.SKILL_OUTCOME,
        3.0,
        outcome=SkillOutcome(
            SkillCall("Explore", positions=((1.0, 0.0, 0.0), (2.0, 0.0, 0.0)), duration=1.5, relation="on"),
            Code.NOT_FOUND,
            message="no mug",
            explore_steps=2,
            duration=4.5,
            distance=6.25,
            stamp=3.0,
        ),
    ),
    seen(
        thing("Mug|1", states={"isDirty": "true"}, confidence=0.3, parent="node_1"),
        stamp=4.0,
        removed=("Apple|1",),
        removed_edges=(Edge(Relation.REACHABLE, "node_1", "node_2", 2.0),),
        image=Image.of("jpeg", b"\xff\xd8picture"),
    ),
    told("hello", 1.7e9 + 0.25, user="ann", robot="robot1"),
    event(EventKind.EPISODE_START, 1.7e9 + 1.0, episode="e1", text="find a mug"),
    event(EventKind.EPISODE_END, 1.7e9 + 2.0, episode="e1", text="done", code=Code.SUCCESS, message="well"),
    event(EventKind.FEEDBACK, 1.7e9 + 3.0, episode="e1", text="well done"),
    event(EventKind.EDIT, 1.7e9 + 4.0, target="told:t1", text="hello there"),
]
OWN = [event(EventKind.CONFIGURE, 0.0, text=settings_to_json(PolicySettings())), event(EventKind.ACCESS, 2.5)]


@pytest.fixture
def journal(store):
    with store.journal() as journal:
        journal.append([OWN[0], *EVENTS[:3], OWN[1], *EVENTS[3:]])
        yield journal


@pytest.mark.parametrize("storage", ["mcap", "sqlite3"])
def test_events_come_back_from_a_bag_with_their_ids_but_for_the_memorys_own(journal, other, tmp_path, storage):
    assert export_bag(journal, tmp_path / "bag", storage=storage) == Exported(written=9, left_out=2)
    assert [path.suffix for path in sorted((tmp_path / "bag").iterdir())] == [
        ".mcap" if storage == "mcap" else ".db3",
        ".yaml",
    ]
    assert import_bag(tmp_path / "bag", other) == Imported(added=9, known=0)
    assert [entry.event for entry in other.read()] == EVENTS
    assert other.image(EVENTS[3].image.sha256) == b"\xff\xd8picture"
    assert import_bag(tmp_path / "bag", other) == Imported(added=0, known=9)


def test_the_reader_of_rosbags_decodes_it_and_the_log_time_is_the_stamp(journal, tmp_path):
    export_bag(journal, tmp_path / "bag")
    store = typestore()
    with Reader(tmp_path / "bag") as reader:
        assert {name: (info.msgtype, info.msgcount) for name, info in reader.topics.items()} == {TOPIC: (TYPE, 9)}
        messages = [(time, store.deserialize_cdr(raw, item.msgtype)) for item, time, raw in reader.messages()]
    assert [message.id for _, message in messages] == [event.id for event in EVENTS]
    assert [time for time, _ in messages] == [int(event.stamp) * 10**9 + int(event.stamp % 1 * 1e9) for event in EVENTS]
    assert all(first <= second for (first, _), (second, _) in pairwise(messages))
    mug = messages[3][1]
    assert mug.nodes[0].states[0].key == "isDirty"
    assert mug.removed_edges[0].target == "node_2"
    assert bytes(mug.image[0].data) == b"\xff\xd8picture"


def written(path, *messages, topic="elsewhere/events", msgtype=TYPE, digest=None, known=None):
    """Write a bag as other programs do; log times 1, 2, 3, ... seconds."""
    with Writer(path, version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        store = typestore()
        definition = store.generate_msgdef(msgtype)[0] if known is None else known
        connection = writer.add_connection(
            topic, msgtype, msgdef=definition, rihs01=digest or store.hash_rihs01(msgtype)
        )
        for second, message in enumerate(messages, 1):
            writer.write(connection, second * 10**9, serialize_message(message))


def test_what_a_message_leaves_empty_follows_from_its_place_in_the_bag(other, tmp_path):
    hello = MemoryEvent(kind=MemoryEvent.TOLD, text="hello")
    written(tmp_path / "bag", hello, hello, MemoryEvent(kind=MemoryEvent.TOLD, text="x", stamp=Time(sec=7)))
    assert import_bag(tmp_path / "bag", other) == Imported(added=3, known=0)
    assert [entry.event.stamp for entry in other.read()] == [1.0, 2.0, 7.0]
    assert import_bag(tmp_path / "bag", other) == Imported(added=0, known=3)


def test_a_message_that_makes_no_event_refuses_the_bag(other, tmp_path):
    written(tmp_path / "bag", MemoryEvent(kind=MemoryEvent.TOLD, text="fine"), MemoryEvent(kind=MemoryEvent.TOLD))
    with pytest.raises(JournalError, match=r"at 2000000000 ns on elsewhere/events makes no event: .* needs a text"):
        import_bag(tmp_path / "bag", other)
    assert other.last_sequence == 0


def test_topics_can_be_chosen_and_a_bag_without_events_says_what_it_has(other, tmp_path):
    written(tmp_path / "bag", MemoryEvent(kind=MemoryEvent.TOLD, text="fine"))
    assert import_bag(tmp_path / "bag", other, topic="/elsewhere/events").added == 1
    with pytest.raises(JournalError, match="no memory/events with"):
        import_bag(tmp_path / "bag", other, topic="memory/events")
    written(tmp_path / "results", Result(), msgtype="karma_interfaces/msg/Result", topic="results")
    with pytest.raises(JournalError, match=r"results \(karma_interfaces/msg/Result\)"):
        import_bag(tmp_path / "results", other)


def test_a_bag_that_an_older_version_recorded_is_imported(other, tmp_path):
    folder = shutil.copytree(Path(__file__).resolve().parent / "golden" / "events-7d187150", tmp_path / "events")
    (folder / "events.mcap").write_bytes(lzma.decompress((folder / "events.mcap.xz").read_bytes()))
    with Reader(folder) as reader:
        assert reader.connections[0].digest != typestore().hash_rihs01(TYPE), (
            "the message is as it was: nothing is tested"
        )
    assert import_bag(folder, other) == Imported(added=20, known=0)
    events = {entry.event.id: entry.event for entry in other.read()}
    put = events["put"].outcome
    assert (put.call.skill, put.code, put.position) == ("PutObject", Code.SUCCESS, None)
    assert other.image(events["put"].image.sha256) == b"\xff\xd8picture"
    assert (events["nuts"].user, events["nuts"].text) == ("ann", "ann is allergic to nuts")


def test_a_bag_with_another_definition_of_the_message_that_it_does_not_say_is_refused(other, tmp_path):
    written(tmp_path / "bag", MemoryEvent(kind=MemoryEvent.TOLD, text="x"), digest="RIHS01_" + "0" * 64, known="")
    with pytest.raises(JournalError, match="another version"):
        import_bag(tmp_path / "bag", other)


def test_what_is_no_bag_is_refused(other, tmp_path):
    (tmp_path / "empty").mkdir()
    for path in (tmp_path / "nowhere", tmp_path / "empty"):
        with pytest.raises(JournalError, match="cannot read"):
            import_bag(path, other)


@pytest.mark.parametrize("value", ["{}", "!!int ''", "''"])
def test_a_bag_whose_description_is_damaged_is_refused(journal, other, tmp_path, value):
    export_bag(journal, tmp_path / "bag")
    description = tmp_path / "bag" / "metadata.yaml"
    description.write_text(
        re.sub(r"nanoseconds_since_epoch: \d+", f"nanoseconds_since_epoch: {value}", description.read_text())
    )
    with pytest.raises(JournalError, match="cannot read"):
        import_bag(tmp_path / "bag", other)


def test_a_bag_is_complete_or_not_there_and_never_overwritten(journal, tmp_path):
    def interrupted(*_):
        raise KeyboardInterrupt

    before = sorted(tmp_path.iterdir())
    with pytest.raises(KeyboardInterrupt):
        export_bag(journal, tmp_path / "bag", progress=interrupted)
    assert sorted(tmp_path.iterdir()) == before
    (tmp_path / "bag").mkdir()
    with pytest.raises(JournalError, match="exists"):
        export_bag(journal, tmp_path / "bag")


def test_numbers_of_single_precision_come_back_as_the_shortest_decimal(store, other, tmp_path):
    with store.journal() as journal:
        sure = thing("Mug|1", confidence=0.123456789)
        journal.append([seen(sure)])
        export_bag(journal, tmp_path / "bag")
    import_bag(tmp_path / "bag", other)
    assert next(other.read()).event.nodes == (replace(sure, confidence=0.1234568),)


def test_the_command_line_writes_and_reads_bags(journal, stores, store, tmp_path, capsys):
    journal.close()
    bag, copy = str(tmp_path / "bag"), stores.new("copy")
    assert command.main(["bag", "export", str(store.location), bag, "--storage", "sqlite3"]) == 0
    assert command.main(["bag", "import", bag, str(copy.location), "--topic", TOPIC]) == 0
    assert capsys.readouterr().out == (
        f"9 events exported to {tmp_path / 'bag'}; 2 left out (the memory's own, or without content)\n"
        f"9 events added to {copy.name}, 0 were there\n"
    )


@pytest.mark.parametrize("share", [0.0, 0.2, 0.6, 0.95])
@pytest.mark.parametrize("storage", ["mcap", "sqlite3"])
def test_a_bag_that_is_cut_short_is_refused(journal, other, tmp_path, storage, share):
    export_bag(journal, tmp_path / "bag", storage=storage)
    file = next(path for path in (tmp_path / "bag").iterdir() if path.suffix != ".yaml")
    file.write_bytes(file.read_bytes()[: int(share * file.stat().st_size)])
    with pytest.raises(JournalError, match="cannot read"):
        import_bag(tmp_path / "bag", other)
    assert other.last_sequence == 0


def test_what_lost_its_content_or_its_picture_is_left_out(store, other, tmp_path):
    with store.memory(image_bytes=1) as memory:
        memory.remember([home(stamp=1.0), *(seen(thing("Mug|1", seen=float(i)), stamp=float(i)) for i in range(2, 9))])
        memory.remember([told("look", 9.0, id="look", image=Image.of("jpeg", b"dropped"))])
        memory.remember([told("there", 10.0, id="there", image=Image.of("jpeg", b"too"))])
        memory.upkeep.compact(9.5)
    with store.journal() as journal:
        report = export_bag(journal, tmp_path / "bag")
    assert report.left_out > 3
    import_bag(tmp_path / "bag", other)
    assert {"look", "there"} <= {entry.event.id for entry in other.read()}
    assert other.find("look").event.image is None


def test_a_bag_is_imported_into_a_compacted_journal_too(store, tmp_path):
    sightings = [seen(thing("Mug|1", seen=float(i)), stamp=float(i), id=f"s{i}") for i in range(2, 9)]
    with store.memory() as memory:
        memory.remember([home(stamp=1.0), *sightings])
    with store.journal() as journal:
        export_bag(journal, tmp_path / "bag")
    with store.memory() as memory:
        memory.upkeep.compact(7.5)
    with store.journal() as journal:
        assert any(is_stub(row.body) for row in journal.rows())
        assert import_bag(tmp_path / "bag", journal) == Imported(added=0, known=8)
