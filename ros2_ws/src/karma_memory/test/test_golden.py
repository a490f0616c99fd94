# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Files of every version since the first: what they hold is known for ever. golden/write.py wrote them.

Where one of the tests of the present format fails, the format was changed: give it a new version, let
`journal.compacted.upgraded` convert this one, and add a folder here.
"""

import gzip
import hashlib
import json
import shutil
from pathlib import Path

import pytest
from golden.write import known, settings
from waiting import eventually

from karma_memory import Memory, NewerSchemaError, Query
from karma_memory.command import __main__ as command
from karma_memory.encoding import dumps, event_from_json
from karma_memory.journal import BASE_VERSION, PortableFile, SnapshotStore, compacted, import_journal, open_journal
from karma_memory.journal.schema import SCHEMA_VERSION
from karma_memory.journal.snapshots import VERSION
from karma_memory.state.history import begin
from karma_memory.users.personal_data import stored_data

FOLDER = Path(__file__).resolve().parent / "golden"
VERSIONS = sorted(FOLDER.glob("base-*"))
PRESENT = sorted(FOLDER.glob(f"base-{BASE_VERSION}*"))


@pytest.fixture(params=VERSIONS, ids=lambda folder: folder.name)
def golden(request):
    return request.param


def expected(folder):
    return json.loads((folder / "known.json").read_text())


def known_of(memory, folder):
    """Return what a memory knows of what its version was asked, when it has read what older ones had no readings of."""
    eventually(lambda: not memory._state.unread)
    return {key: value for key, value in json.loads(json.dumps(known(memory))).items() if key in expected(folder)}


def unpacked(folder, path):
    """Lay the journal and the snapshot of a golden life at `path`."""
    path.write_bytes(gzip.decompress((folder / "memory.sqlite3.gz").read_bytes()))
    for snapshot in folder.glob("*.snapshot-*"):
        shutil.copy(snapshot, path.with_name(snapshot.name.replace("memory.sqlite3", path.name)))
    return path


@pytest.mark.parametrize("with_snapshot", [True, False])
def test_what_is_in_a_compacted_journal_is_known(golden, path, with_snapshot):
    unpacked(golden, path)
    if not with_snapshot:
        for snapshot in path.parent.glob("*.snapshot-*"):
            snapshot.unlink()
    with Memory(path, embedder="lexical", **settings(golden)) as memory:
        assert known_of(memory, golden) == expected(golden)
        events = memory.last_sequence
    with open_journal(path) as journal:
        assert journal.last_sequence == events  # its settings are those that it had


def test_what_is_in_an_exported_file_is_known_and_intact(golden, store, capsys):
    assert command.main(["verify", str(golden / "export.jsonl.gz")]) == 0
    assert "all intact; replaying them gives the state in the file" in capsys.readouterr().out
    with PortableFile(golden / "export.jsonl.gz") as file, store.journal() as journal:
        import_journal(file, journal)
    with store.memory(**settings(golden)) as memory:
        assert known_of(memory, golden) == expected(golden)


@pytest.mark.parametrize("folder", PRESENT, ids=lambda folder: folder.name)
def test_the_present_format_of_the_state_is_that_of_its_version(folder, path):
    with open_journal(unpacked(folder, path)) as journal:
        base = journal.base()
        assert base.version == BASE_VERSION
        assert dumps(begin(base).snapshot()) == dumps(base.state)


@pytest.mark.parametrize("folder", PRESENT, ids=lambda folder: folder.name)
def test_the_present_format_of_snapshots_is_that_of_its_version(folder, path):
    with open_journal(unpacked(folder, path)) as journal:
        snapshot = SnapshotStore(path, journal.uuid).load(lambda *_: True, journal.last_sequence)
        assert snapshot is not None, f"the golden snapshot is not of version {VERSION}"
        state = begin(None)
        state.restore(snapshot.state)
        assert dumps(state.snapshot()) == dumps(snapshot.state)


def test_a_state_of_a_newer_version_is_refused_and_says_to_update(path, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(compacted, "BASE_VERSION", BASE_VERSION - 1)
    unpacked(PRESENT[0], path)
    for snapshot in path.parent.glob("*.snapshot-*"):
        snapshot.unlink()
    with pytest.raises(NewerSchemaError, match="update karma_memory"):
        Memory(path, embedder="lexical")
    assert command.main(["import", str(PRESENT[0] / "export.jsonl.gz"), str(tmp_path / "new.sqlite3")]) == 1
    assert "update karma_memory" in capsys.readouterr().err
    assert not (tmp_path / "new.sqlite3").exists()


def test_a_snapshot_of_another_version_is_passed_over_and_the_log_says_so(path, caplog):
    unpacked(FOLDER / "base-2", path)
    with Memory(path, embedder="lexical", **settings(FOLDER / "base-2")):
        pass
    assert f"version 2; this karma_memory knows version {VERSION} only" in caplog.text


def test_what_is_in_a_journal_of_the_first_schema_is_known(path):
    path.write_bytes(gzip.decompress((FOLDER / "schema-1.sqlite3.gz").read_bytes()))
    with Memory(path, embedder="lexical") as memory:
        eventually(lambda: not memory._state.unread)
        told = memory.recall(Query("", kinds=("told",), user="ann")).recollections
        assert sorted(item.record.text for item in told) == [
            "ann is allergic to nuts",
            "the spare key is under the mat",
        ]
        assert memory.scene_graph("home1", at=1.5).node("Apple|1").receptacle == "CounterTop|1"
        assert memory.scene_graph("home1").node("Apple|1").receptacle == "Bed|1"
        (attempt,) = memory.recall(Query("apple bed", kinds=("episodic",), user="ann")).recollections
        assert attempt.record.user == "ann"
        assert memory.image(hashlib.sha256(b"\xff\xd8picture").hexdigest()) == b"\xff\xd8picture"
    with open_journal(path, read_only=True) as journal:
        assert journal.schema_version == SCHEMA_VERSION


def test_an_older_export_of_a_person_says_what_one_of_today_does(path):
    path.write_bytes(gzip.decompress((FOLDER / "schema-1.sqlite3.gz").read_bytes()))
    (then,) = json.loads((FOLDER / "personal-2fcb948a.json").read_text())["memories"]
    now = stored_data(path, "ann", pictures=True)
    assert [event_from_json(event) for event in then["events"]] == [event_from_json(event) for event in now["events"]]
    assert {**then, "journal": now["journal"], "memories": None} == {**now, "memories": None}
    assert {memory["id"] for memory in then["memories"]} <= {memory["id"] for memory in now["memories"]}
